// SPDX-License-Identifier: BSD-3-Clause
//
// What several ranks make of their parts of multi-label data before they train.
#include <slackline/apps/multilabel/training/multilabel_training.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/multilabel/data/joined_examples.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/training/graph_choice.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/run/fingerprint.h>

#include "tests/apps/multilabel/read_options.h"
#include "tests/support/dealt.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Four labels, some of them unknown, that depend on three features of different sizes. Every
/// example has a known label, and at least one that is on.
MultiLabelData Drawn(Index examples, bool unknown) {
  MultiLabelData data;
  data.source = "drawn";
  data.label_names = {"a", "b", "c", "d"};
  data.num_features = 3;
  data.has_constant = true;
  auto rows = std::make_shared<FeatureRows>();
  Random random(19);
  for (Index m = 0; m < examples; ++m) {
    const double x = random.Uniform();
    const double y = random.Uniform();
    rows->AddDense(std::vector<double>{x, 1000 * y, 0.001 * (x - y), 1});
    const bool labels[] = {true, x > 0.9, x > 0.5 || y > 0.8, y > 0.3};
    for (int i = 0; i < 4; ++i) {
      const bool hidden = unknown && i > 0 && random.Below(6) == 0;
      data.labels.push_back(hidden ? std::int8_t{-1} : static_cast<std::int8_t>(labels[i]));
    }
    data.lines.push_back(m + 1);
  }
  data.rows = rows;
  return data;
}

TrainOptions Sharded() {
  TrainOptions options;
  options.shards = 5;
  return options;
}

/// The options with these ranks.
TrainOptions On(ThreadRanks& ranks, TrainOptions options = Sharded()) {
  options.ranks = &ranks;
  return options;
}

MultiLabelTrainingOptions WithGraph(const LabelGraph& graph) {
  MultiLabelTrainingOptions options;
  options.graph = graph;
  options.loss.weights = LossWeights::Parse("inverse-frequency");
  options.texts = {{}, "mean", {{"graph", graph.name}}};
  return options;
}

/// All that is computed of the data before training.
struct PreparedAll {
  std::vector<double> shift;
  std::vector<double> divisor;
  std::string line;
  std::vector<LabelPair> pairs;
  std::vector<double> loss_weights;
  CountRange counts;
  double lambda = 0;
  double lambda_of_c = 0;
  TrainingRecord record;
  std::string reason;
  Fingerprint fingerprint;
  MultiLabelTotals totals;
};

PreparedAll PrepareAll(const MultiLabelData& data, MultiLabelTrainingOptions how,
                       TrainOptions options) {
  const ScaledInputs scaled =
      ScaleForTraining(std::nullopt, ScaleInputsOf(data), ExactRanks(options));
  how.ranks = ExactRanks(options);
  MultiLabelTraining task(data, scaled, how);
  PreparedAll made;
  made.shift = scaled.scaling.shift();
  made.divisor = scaled.scaling.divisor();
  made.line = scaled.line;
  made.pairs = task.model().pairs();
  made.loss_weights = task.model().loss_weights();
  made.counts = task.model().label_counts();
  made.lambda = ChooseLambda(options, 0, task);
  made.lambda_of_c = ChooseLambda(options, 2, task);
  const Problem problem = task.problem().WithLambda(made.lambda);
  const LearnerChoice choice = ChooseLearner(problem, options);
  task.Begin(problem.lambda(), choice.options);
  made.record = *task.record();
  made.reason = choice.reason;
  made.totals = task.totals();
  TrainOptions chosen = choice.options;
  chosen.lambda = made.lambda;
  made.fingerprint = MakeFingerprint(problem, chosen);
  return made;
}

void CheckSame(const PreparedAll& one, const PreparedAll& other) {
  CHECK(one.shift == other.shift);
  CHECK(one.divisor == other.divisor);
  CHECK(one.line == other.line);
  CHECK(one.pairs == other.pairs);
  CHECK(one.loss_weights == other.loss_weights);
  CHECK(one.counts == other.counts);
  CHECK(one.lambda == other.lambda);
  CHECK(one.lambda_of_c == other.lambda_of_c);
  CHECK(one.reason == other.reason);
  CHECK(one.totals.examples == other.totals.examples);
  CHECK(one.totals.on == other.totals.on);
  CHECK(one.totals.unknown == other.totals.unknown);
  CHECK(one.totals.entries == other.totals.entries);
  CHECK(one.record.num_examples == other.record.num_examples);
  CHECK(one.record.cost_per_variable == other.record.cost_per_variable);
  CHECK(one.record.lambda == other.record.lambda);
  CHECK(one.record.options == other.record.options);
  CHECK(Difference(one.fingerprint, other.fingerprint) == "");
}

/// The part of this rank.
MultiLabelData OwnPart(const MultiLabelData& data, const Ranks& ranks) {
  return SelectExamples(data, NumbersOf(ranks, data.num_examples()));
}

/// The error of ranks that prepare a training with these data.
std::string ErrorOf(int size, const MultiLabelData& data, const MultiLabelTrainingOptions& how) {
  return ErrorOnRanks(
      size, [&](ThreadRanks& ranks) { PrepareAll(OwnPart(data, ranks), how, On(ranks)); });
}

}  // namespace

TEST_CASE("ranks prepare the training that one process with shards prepares") {
  for (const MultiLabelData& data : {YeastData(), Drawn(103, false), Drawn(103, true)}) {
    for (const char* graph : {"tree", "full", "none"}) {
      CAPTURE(data.source);
      CAPTURE(graph);
      const MultiLabelTrainingOptions how = WithGraph(graph);
      const PreparedAll alone = PrepareAll(data, how, Sharded());
      CHECK(alone.record.num_examples == data.num_examples());
      CHECK(alone.counts.low == 1);
      // Without shards only the order of the sums is another one.
      const PreparedAll plain = PrepareAll(data, how, {});
      CHECK(plain.lambda == alone.lambda);
      CHECK(plain.lambda_of_c == alone.lambda_of_c);
      CHECK(plain.pairs == alone.pairs);
      for (const int size : {1, 2, 3, 5}) {
        CAPTURE(size);
        const auto all = OnEachRank(size, [&](ThreadRanks& ranks) {
          return PrepareAll(OwnPart(data, ranks), how, On(ranks));
        });
        for (const PreparedAll& made : all) CheckSame(alone, made);
      }
    }
  }
}

TEST_CASE("bounds on the number of labels hold on all ranks, or on none") {
  MultiLabelData data = Drawn(40, false);
  MultiLabelTrainingOptions how = WithGraph("none");
  how.loss.weights = {};
  how.label_counts = CountRange{1, 4};
  // Every example has the label a. The last one now has no label: the bounds hold on the ranks
  // before the last one only.
  CHECK(PrepareAll(data, how, Sharded()).reason.find("global") != std::string::npos);
  for (std::size_t k = data.labels.size() - 4; k < data.labels.size(); ++k) data.labels[k] = 0;
  const PreparedAll alone = PrepareAll(data, how, Sharded());
  CHECK(alone.reason.find("global") == std::string::npos);
  for (const PreparedAll& made : OnEachRank(
           3, [&](ThreadRanks& ranks) { return PrepareAll(OwnPart(data, ranks), how, On(ranks)); }))
    CheckSame(alone, made);
  // The smallest number of labels is that of the last example.
  how.label_counts.reset();
  for (const PreparedAll& made : OnEachRank(
           3, [&](ThreadRanks& ranks) { return PrepareAll(OwnPart(data, ranks), how, On(ranks)); }))
    CHECK(made.counts.low == 0);
}

TEST_CASE("warnings count the examples of all ranks, and the seconds of one") {
  const MultiLabelData data = Drawn(40, false);
  const auto warnings = OnEachRank(2, [&](ThreadRanks& ranks) {
    const MultiLabelData part = OwnPart(data, ranks);
    const ScaledInputs scaled = ScaleForTraining(ScaleKind::kUnscaled, ScaleInputsOf(part), &ranks);
    MultiLabelTrainingOptions how = WithGraph("full");
    how.ranks = &ranks;
    return MultiLabelTraining(part, scaled, how).Warnings();
  });
  REQUIRE(warnings[0].size() == 1);
  CHECK(warnings[0] == warnings[1]);
  CHECK(warnings[0][0].find("--scale none keeps them") != std::string::npos);
}

TEST_CASE("ranks refuse examples without a known label") {
  MultiLabelData data = Drawn(7, false);
  CHECK(ErrorOf(3, data, WithGraph("tree")) == "accepted");
  CHECK(ErrorOf(5, Drawn(4, false), WithGraph("tree")) ==
        "accepted");  // a rank may have no example
  for (std::size_t k = 8; k < 12; ++k) data.labels[k] = -1;
  CHECK(ErrorOf(2, data, WithGraph("tree")) ==
        "drawn: 1 example without a known label: remove them, since several processes that train "
        "together cannot leave them out");
  MultiLabelData column = Drawn(7, false);
  for (std::size_t k = 1; k < column.labels.size(); k += column.label_names.size())
    column.labels[k] = -1;
  CHECK(ErrorOf(3, column, WithGraph("tree")) ==
        "drawn: label '" + column.label_names[1] + "' has no known value");
  data.labels.assign(data.labels.size(), -1);
  CHECK(ErrorOf(2, data, WithGraph("tree")) == "drawn: no example has a known label");
}

TEST_CASE("errors of graphs and kernels are the same on all ranks") {
  const MultiLabelData data = Drawn(7, false);
  CHECK(ErrorOf(3, data, WithGraph("fully")).find("--graph: 'fully' is neither") == 0);
  CHECK(ErrorOf(3, data, WithGraph({"given", {{2, 2}}})).find("joins a label with itself") !=
        std::string::npos);
  MultiLabelTrainingOptions kernelized = WithGraph("none");
  kernelized.kernelized = true;
  CHECK(ErrorOf(2, data, kernelized) ==
        "--kernel, which compares every example with all others, needs a single process, but 2 "
        "processes train together");
}

namespace {

/// What trainings on parts of the data give.
struct HeldOut {
  std::vector<double> probabilities;
  std::string choice;
  std::string none;  ///< what is wrong with too few examples
  bool operator==(const HeldOut&) const = default;
};

HeldOut TrainHeldOut(const MultiLabelData& data, Ranks* ranks, Index examples) {
  const std::atomic<int> interrupt{0};
  const ScaledInputs scaled = ScaleForTraining(std::nullopt, ScaleInputsOf(data), ranks);
  MultiLabelTrainingOptions how = WithGraph("full");
  how.ranks = ranks;
  MultiLabelTraining task(data, scaled, how);
  TrainOptions options;
  options.shards = 30;
  options.ranks = ranks->alone() ? nullptr : ranks;
  options.lambda = 0.1;
  options.max_passes = 3;
  TrainModel(options, nullptr, &interrupt, &task);
  HeldOut result;
  result.probabilities = task.Calibrate(CalibrationFolds(data, 5, 1, *ranks), &interrupt).value();
  result.probabilities.push_back(task.model().calibration()->front().slope);
  result.choice = ChooseGraph(data, how, {"none", "tree", "full"}, options, &interrupt)->line;
  try {
    CalibrationFolds(data, examples + 1, 1, *ranks);
  } catch (const DataError& error) {
    result.none = error.what();
  }
  return result;
}

}  // namespace

TEST_CASE("several ranks calibrate, and choose a graph, as one process does") {
  const MultiLabelData data = Drawn(60, false);
  const HeldOut one = TrainHeldOut(data, &OneRank(), 60);
  CHECK(one.probabilities.size() == 60 * 4 + 1);
  CHECK(one.choice.find("by cross-validation: micro F1 none 0.") != std::string::npos);
  CHECK(one.none == "--calibrate needs 61 examples, but drawn has 60 examples");
  for (const int size : {2, 3, 5}) {
    const auto results = OnEachRank(
        size, [&](ThreadRanks& ranks) { return TrainHeldOut(OwnPart(data, ranks), &ranks, 60); });
    for (const HeldOut& result : results) CHECK(result == one);
  }
}

TEST_CASE("all examples in every rank are refused where they do not fit into the memory") {
  const MultiLabelData data = Drawn(30, false);
  const auto joined = OnEachRank(3, [&](ThreadRanks& ranks) {
    const MultiLabelData all = JoinExamples(ranks, OwnPart(data, ranks), "--calibrate");
    std::vector<double> values;
    for (Index r = 0; r < all.rows->size(); ++r) {
      const FeatureRow row = all.rows->row(r);
      values.insert(values.end(), row.values, row.values + row.count);
    }
    CHECK(all.labels == data.labels);
    CHECK(all.lines == data.lines);
    return values;
  });
  for (const auto& values : joined) {
    REQUIRE(values.size() == 30 * 4);
    for (Index r = 0; r < 30; ++r) CHECK(values[4 * r + 1] == data.rows->row(r).values[1]);
  }
  const auto errors = OnEachRank(2, [&](ThreadRanks& ranks) {
    ranks.set_ranks_on_this_machine(1'000'000'000);
    try {
      JoinExamples(ranks, OwnPart(data, ranks), "--calibrate");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  });
  for (const std::string& error : errors)
    CHECK(error.starts_with("drawn: --calibrate needs all examples in every process: "));
}

namespace {

/// The clusters that ranks choose, and the weights that training with them gives.
struct Tightened {
  std::vector<LabelTriple> clusters;
  std::vector<double> weights;
  bool operator==(const Tightened&) const = default;
};

Tightened Tighten(const MultiLabelData& data, Ranks* ranks, const TrainOptions& how) {
  const std::atomic<int> interrupt{0};
  TrainOptions options = how;
  options.ranks = ranks->alone() ? nullptr : ranks;
  const ScaledInputs scaled = ScaleForTraining(std::nullopt, ScaleInputsOf(data), ranks);
  MultiLabelTrainingOptions graph = WithGraph("full");
  graph.ranks = ranks;
  MultiLabelTraining task(data, scaled, graph);
  Tightened result;
  result.clusters = task.Tighten(options, 3, 2, &interrupt);
  result.weights = TrainModel(options, nullptr, &interrupt, &task).summary.weights;
  return result;
}

/// Five labels of which at most one should be on, and often two are: pair marginals contradict each
/// other.
MultiLabelData Contradicting(Index examples) {
  MultiLabelData data;
  data.source = "drawn";
  data.label_names = {"a", "b", "c", "d", "e"};
  data.num_features = 2;
  auto rows = std::make_shared<FeatureRows>();
  Random random(3);
  for (Index m = 0; m < examples; ++m) {
    rows->AddDense(std::vector<double>{random.Normal(), random.Normal()});
    const auto on = static_cast<Index>(random.Below(5));
    for (Index i = 0; i < 5; ++i) data.labels.push_back(i == on ? 1 : 0);
    data.lines.push_back(m + 1);
  }
  data.rows = rows;
  return data;
}

}  // namespace

TEST_CASE("several ranks choose the clusters of one process with as many shards") {
  const MultiLabelData data = Contradicting(60);
  for (const LearnerKind learner : {LearnerKind::kAugmentedLagrangian, LearnerKind::kBcfw}) {
    TrainOptions options;
    options.shards = 30;
    options.learner = learner;
    options.lambda = 0.01;
    options.max_passes = 40;
    const Tightened one = Tighten(data, &OneRank(), options);
    // A second round finds more where pair marginals still contradict each other. Without a linear
    // program, the oracle over examples with clusters is exact, and its dual points never do.
    const bool exact = learner == LearnerKind::kBcfw && !HasGlpk();
    CHECK(one.clusters.size() == (exact ? 1 : 2));
    for (const int size : {2, 3, 5}) {
      for (const Tightened& result : OnEachRank(size, [&](ThreadRanks& ranks) {
             return Tighten(OwnPart(data, ranks), &ranks, options);
           }))
        CHECK(result == one);
    }
  }
  // Some ranks have no examples.
  const MultiLabelData few = Contradicting(3);
  TrainOptions options = Sharded();
  options.learner = LearnerKind::kAugmentedLagrangian;
  options.lambda = 0.01;
  options.max_passes = 40;
  const Tightened one = Tighten(few, &OneRank(), options);
  for (const Tightened& result : OnEachRank(
           5, [&](ThreadRanks& ranks) { return Tighten(OwnPart(few, ranks), &ranks, options); }))
    CHECK(result == one);
}

TEST_CASE("what clusters need is missed by all ranks together") {
  MultiLabelData data = Contradicting(12);
  data.labels[3] = -1;  // of the first rank
  CHECK(ErrorOnRanks(3, [&](ThreadRanks& ranks) {
          TrainOptions options = Sharded();
          options.lambda = 0.01;
          Tighten(OwnPart(data, ranks), &ranks, options);
        }) == "drawn: --clusters needs data in which all labels are known");
}
