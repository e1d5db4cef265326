// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/weight_runs.h>

#include <algorithm>
#include <limits>

#include <slackline/learning/step/active_set.h>

namespace slackline::internal {
namespace {

/// Expected number of examples with a feature, in a part of a round, from which on its column is
/// frequent.
constexpr double kFrequent = 4;
constexpr double kSparse = 1.0 / 16;  // largest mean share of values that are not zero

}  // namespace

std::vector<WeightRuns::BlockCounts> WeightRuns::Count(const Dataset& data) {
  std::vector<BlockCounts> counts(data.layout().num_blocks());
  for (Index m = 0; m < data.size(); ++m) {
    data.PrefetchSweep(0, m, data.size());
    const ExampleView example = data.example(m);
    for (const Slot& slot : example.structure().slots()) {
      const FeatureRow row = example.input(slot.input);
      BlockCounts& block = counts[slot.block];
      block.values += row.count;
      ++block.inputs;
      block.dense = block.dense || row.dense();
    }
  }
  return counts;
}

void WeightRuns::AddFrequent(const WeightRun& run) {
  num_frequent_ += run.count;
  if (!frequent_.empty() && frequent_.back().begin + frequent_.back().count == run.begin) {
    frequent_.back().count += run.count;
  } else {
    frequent_.push_back(run);
  }
}

WeightRuns::WeightRuns(const Dataset& data, std::int64_t part_work) {
  const WeightLayout& layout = data.layout();
  const std::vector<BlockCounts> counts = Count(data);
  Offset columns = 0;
  for (Index b = 0; b < layout.num_blocks(); ++b) {
    const WeightBlock& block = layout.block(b);
    const bool sparse = static_cast<double>(counts[b].values) <=
                        kSparse * static_cast<double>(counts[b].inputs * block.cols);
    if (counts[b].inputs == 0 || counts[b].dense || !sparse ||
        columns + block.cols > std::numeric_limits<Index>::max()) {
      divided_of_block_.push_back(-1);
      AddFrequent({block.offset, block.size()});
      continue;
    }
    divided_of_block_.push_back(static_cast<Index>(divided_.size()));
    first_column_.push_back(static_cast<Index>(columns));
    divided_.push_back({block.offset, block.rows});
    columns += block.cols;
  }
  first_column_.push_back(static_cast<Index>(columns));
  if (columns > 0) MarkFrequent(data, part_work);
}

void WeightRuns::MarkFrequent(const Dataset& data, std::int64_t part_work) {
  is_frequent_.assign(num_columns(), 0);
  std::vector<Index> examples(num_columns(), 0);  // that have the feature
  std::vector<Index> last(num_columns(), -1);
  double work = 0;  // of a visit of every example, roughly
  for (Index m = 0; m < data.size(); ++m) {
    data.PrefetchSweep(0, m, data.size());
    const ExampleView example = data.example(m);
    work += static_cast<double>(kVisitWork);
    for (const Slot& slot : example.structure().slots())
      work += 0.5 * slot.rows * example.input(slot.input).count;
    ForEachColumn(example, [&](Index column, const WeightRun&) {
      if (last[column] == m) return;
      last[column] = m;
      ++examples[column];
    });
  }
  const double visits = static_cast<double>(part_work) * data.size() / work;
  const double least = kFrequent * data.size() / std::max(1.0, visits);
  for (Index c = 0; c < num_columns(); ++c) {
    if (examples[c] < least) continue;
    is_frequent_[c] = 1;
    AddFrequent(column(c));
  }
}

WeightRun WeightRuns::column(Index c) const {
  const auto next = std::upper_bound(first_column_.begin(), first_column_.end(), c);
  const std::size_t block = static_cast<std::size_t>(next - first_column_.begin()) - 1;
  return divided_[block].column(c - first_column_[block]);
}

}  // namespace slackline::internal
