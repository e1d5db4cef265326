// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/weight_runs.h>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/multilabel_problems.h"
#include "tests/support/random_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// How often each weight is in a frequent run, or in one of these columns.
std::vector<int> Covered(const WeightRuns& runs, Offset num_weights,
                         const std::vector<Index>& columns) {
  std::vector<int> covered(num_weights, 0);
  const auto cover = [&](const WeightRun& run) {
    for (Offset k = 0; k < run.count; ++k) ++covered.at(run.begin + k);
  };
  for (const WeightRun& run : runs.frequent()) cover(run);
  for (const Index column : columns) cover(runs.column(column));
  return covered;
}

}  // namespace

TEST_CASE("frequent runs and the columns of the examples cover every weight that visits change") {
  Random random(1);
  const TrainingSet training = RandomTextProblem(random, 300, 6, 1000);
  const WeightRuns runs(training.data, 20'000);
  const WeightBlock& labels = training.data.layout().block(0);
  CHECK(runs.num_columns() == labels.cols);
  std::vector<bool> used(runs.num_columns(), false);
  std::vector<int> examples(runs.num_columns(), 0);
  for (Index m = 0; m < training.data.size(); ++m) {
    const ExampleView example = training.data.example(m);
    std::vector<Index> listed;
    WeightRuns::ColumnList list;
    runs.ListColumns(example, &list);
    CHECK(list.ends.size() == example.structure().slots().size());
    for (const WeightRuns::ColumnList::Entry& entry : list.all()) {
      CHECK(entry.begin == runs.column(entry.number).begin);
      CHECK(entry.count == labels.rows);
      listed.push_back(entry.number);
    }
    std::ranges::sort(listed);
    listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
    for (const Index column : listed) used[column] = true;
    // All weights of the example's features are in one of the listed or frequent runs, once.
    const std::vector<int> covered = Covered(runs, training.data.layout().size(), listed);
    const FeatureRow row = example.input(0);
    for (Index k = 0; k < row.count; ++k) {
      ++examples[row.columns[k]];
      for (Index r = 0; r < labels.rows; ++r) CHECK(covered[labels.at(r, row.columns[k])] == 1);
    }
  }
  // Columns that are not listed are frequent, and those are the ones of the most examples.
  int rarest_frequent = 300;
  int commonest_column = 0;
  for (Index c = 0; c < runs.num_columns(); ++c) {
    if (examples[c] == 0) continue;
    if (used[c]) commonest_column = std::max(commonest_column, examples[c]);
    if (!used[c]) rarest_frequent = std::min(rarest_frequent, examples[c]);
  }
  CHECK(rarest_frequent > commonest_column);
  CHECK(commonest_column > 0);
  CHECK(!used[0]);  // the constant
}

TEST_CASE("where all features of the examples are frequent, there are no columns") {
  Random random(4);
  const TrainingSet training = RandomTextProblem(random, 300, 6, 200);
  const WeightRuns some(training.data, 20'000);
  CHECK(some.num_columns() > 0);
  CHECK(some.LeastRareHeight() == training.data.layout().block(0).rows);
  const WeightRuns all(training.data, 1'000'000'000);
  CHECK(all.num_columns() == 0);
  CHECK(all.LeastRareHeight() == 0);
  const std::vector<int> covered = Covered(all, training.data.layout().size(), {});
  const WeightBlock& labels = training.data.layout().block(0);
  for (Index m = 0; m < training.data.size(); ++m) {
    const ExampleView example = training.data.example(m);
    WeightRuns::ColumnList list;
    all.ListColumns(example, &list);
    CHECK(list.all().empty());
    const FeatureRow row = example.input(0);
    for (Index k = 0; k < row.count; ++k) {
      for (Index r = 0; r < labels.rows; ++r) CHECK(covered[labels.at(r, row.columns[k])] == 1);
    }
  }
}

TEST_CASE("the more work between exchanges, the more columns are frequent") {
  Random random(2);
  const TrainingSet training = RandomTextProblem(random, 300, 6, 1000);
  const WeightRuns few(training.data, 2'000);
  const WeightRuns many(training.data, 40'000);
  CHECK(few.num_frequent() < many.num_frequent());
  CHECK(few.num_frequent() > 0);
}

TEST_CASE("weights of dense inputs and of scalar features are frequent") {
  Random random(3);
  const TrainingSet labels = RandomMultiLabelProblem(random, 5, 4, 3, true);
  const TrainingSet scalars = RandomProblem(random, {.inputs = InputKind::kNone});
  for (const TrainingSet* training : {&labels, &scalars}) {
    const WeightRuns runs(training->data, 1000);
    CHECK(runs.num_columns() == 0);
    CHECK(runs.num_frequent() == training->data.layout().size());
    const std::vector<int> covered = Covered(runs, training->data.layout().size(), {});
    CHECK(std::ranges::count(covered, 1) == std::ssize(covered));
  }
}
