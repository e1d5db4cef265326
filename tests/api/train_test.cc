// SPDX-License-Identifier: BSD-3-Clause
//
// Training through the public interface gives the results of the internal functions, bit for bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include <slackline/core/dataset.h>
#include <slackline/core/derived_structure.h>
#include <slackline/core/random.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/table.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/train_loop.h>
#include <slackline/slackline.h>

namespace slackline {
namespace {

constexpr int kLength = 4, kFeatures = 3, kTrainingExamples = 12;

/// One problem, described through the public and through the internal interface.
struct Both {
  /// kDoubled: a cycle whose pairs have two factors each, in opposite orders.
  enum class Shape { kChain, kCycle, kDoubled, kCounted };

  explicit Both(Shape shape, int states, bool unlabelled = false)
      : num_states(states),
        layout(std::make_shared<internal::WeightLayout>()),
        rows(std::make_shared<internal::FeatureRows>()),
        inner(layout, rows),
        data(model) {
    const WeightBlock look = model.AddWeights("look", states, kFeatures);
    const WeightBlock pair = model.AddWeights("pair", states * states);
    const WeightBlock differ = model.AddWeights("differ");
    const WeightBlock count = model.AddWeights("count", kLength + 1);
    layout->AddBlock("look", states, kFeatures);
    layout->AddBlock("pair", states * states);
    layout->AddBlock("differ", 1);
    layout->AddBlock("count", kLength + 1);

    GraphBuilder outside(model);
    internal::ModelBuilder inside(layout);
    const VariableRange v = outside.AddVariables(kLength, states);
    for (int i = 0; i < kLength; ++i) {
      inside.AddVariable(states);
      inside.AddLinearFeatures(i, 0, i);
      outside.AddInput(v[i], look, i);
    }
    if (shape != Shape::kCounted) {
      for (int i = 1; i < kLength; ++i) {
        inside.AddFactor({i - 1, i}, internal::TableFactor({states, states}), 1);
        outside.AddFactor({v[i - 1], v[i]}, Table({states, states}), pair);
      }
    }
    if (shape == Shape::kDoubled) {
      for (int i = 1; i < kLength; ++i) {
        inside.AddFactor({i, i - 1}, internal::PottsFactor(states), 2);
        outside.AddFactor({v[i], v[i - 1]}, Potts(states), differ);
      }
    }
    if (shape == Shape::kCycle || shape == Shape::kDoubled) {
      inside.AddFactor({0, kLength - 1}, internal::PottsFactor(states), 2);
      outside.AddFactor({v[0], v[kLength - 1]}, Potts(states), differ);
    }
    if (shape == Shape::kCounted) {
      const std::vector<int> all = {0, 1, 2, 3};
      inside.AddGlobalFactor(all, std::make_shared<internal::CardinalityFactor>(kLength), 3);
      outside.AddFactor(v, Count(), count);
    }
    const auto structure = internal::JoinFactors(inside.Build());
    if (shape == Shape::kDoubled) CHECK(structure->graph().num_factors() == kLength);
    const Graph graph = outside.Build();
    internal::Random random(7);
    for (int m = 0; m < kTrainingExamples; ++m) {
      Example example;
      for (int i = 0; i < kLength; ++i) {
        std::vector<double> x(kFeatures);
        for (double& value : x) value = random.Normal();
        rows->AddDense(x);
        example.inputs.Add(x);
        const bool hidden = unlabelled && random.Below(4) == 0;
        example.labels.push_back(
            hidden ? kUnlabelled
                   : static_cast<int>(random.Below(static_cast<std::uint64_t>(states))));
      }
      inner.Add(structure, example.labels, m * kLength);
      data.Add(graph, example);
      examples.push_back(example);
      graphs.push_back(graph);
    }
  }

  internal::TrainSummary Inner(const internal::LossOptions& loss,
                               const internal::TrainOptions& options, double lambda) const {
    return internal::Train({internal::MakeTrainingSet(inner, loss), lambda}, options);
  }

  int num_states;
  std::shared_ptr<internal::WeightLayout> layout;
  std::shared_ptr<internal::FeatureRows> rows;
  internal::Dataset inner;
  Model model;
  Dataset data;
  std::vector<Example> examples;
  std::vector<Graph> graphs;
};

void CheckSame(const TrainResult& result, const internal::TrainSummary& summary) {
  CHECK(std::ranges::equal(result.weights.values(), summary.weights));
  CHECK(result.primal == summary.last.primal);
  CHECK(result.dual == summary.last.dual);
  CHECK(result.gap == summary.last.gap);
  CHECK(result.certificate.relative_gap == summary.last.relative_gap);
  CHECK(result.passes == summary.last.pass);
  CHECK(result.oracle_calls == summary.last.oracle_calls);
  CHECK(result.message == summary.message);
  CHECK((result.certificate.problem == CertifiedProblem::kExact) ==
        (summary.last.problem == internal::CertifiedProblem::kExact));
}

TEST_CASE("training agrees with the internals bit for bit, for every shape and several learners") {
  for (const auto shape :
       {Both::Shape::kChain, Both::Shape::kCycle, Both::Shape::kDoubled, Both::Shape::kCounted}) {
    for (const int states : {2, 3}) {
      if (shape == Both::Shape::kCounted && states == 3) continue;
      const Both both(shape, states);
      for (const char* learner : {"auto", "al", "soft", "bcfw"}) {
        CAPTURE(learner);
        TrainOptions options{.lambda = 0.05, .gap_tolerance = 1e-4, .max_passes = 200, .seed = 3};
        options.learner = learner;
        internal::TrainOptions inner;
        inner.gap_tolerance = 1e-4;
        inner.max_passes = 200;
        inner.seed = 3;
        for (const internal::OptionRecord& record : internal::OptionRecords())
          if (record.name == "learner") SetOption(record, learner, &inner);
        CheckSame(Train(both.data, options), both.Inner({}, inner, 0.05));
      }
    }
  }
}

TEST_CASE("unlabelled variables are left out as in the internals") {
  const Both both(Both::Shape::kCycle, 3, true);
  CheckSame(Train(both.data, {.lambda = 0.02}), both.Inner({}, {}, 0.02));
}

TEST_CASE("losses agree with the internals: count, weights of variables, costs and 1 - F1") {
  const Both both(Both::Shape::kChain, 2);
  internal::LossOptions loss;
  loss.scale = internal::LossScale::kCount;
  loss.variable_weights = {1, 2, 0.5, 3};
  CheckSame(
      Train(both.data, {.lambda = 0.1,
                        .loss = {.form = LossForm::kCount, .variable_weights = {1, 2, 0.5, 3}}}),
      both.Inner(loss, {}, 0.1));
  loss = {};
  loss.costs = {0, 1, 5, 0};
  CheckSame(Train(both.data, {.lambda = 0.1, .loss = {.costs = {0, 1, 5, 0}}}),
            both.Inner(loss, {}, 0.1));
  loss = {};
  loss.form = internal::LossForm::kF1;
  CheckSame(Train(both.data, {.lambda = 0.1, .loss = {.form = LossForm::kF1}}),
            both.Inner(loss, {}, 0.1));
}

TEST_CASE("losses given with an example train like the loss option with the same values") {
  const Both both(Both::Shape::kChain, 3, true);
  Dataset weighted(both.model), tables(both.model);
  for (std::size_t m = 0; m < both.examples.size(); ++m) {
    Example example = both.examples[m];
    const auto labelled = std::count_if(example.labels.begin(), example.labels.end(),
                                        [](int label) { return label >= 0; });
    example.loss_weights = {1, 2, 0.5, 3};
    weighted.Add(both.graphs[m], example);
    example.loss_weights.clear();
    for (int i = 0; i < kLength; ++i) {
      for (int s = 0; s < 3; ++s) {
        const double weight = std::vector<double>{1, 2, 0.5, 3}[i];
        example.losses.push_back(s == example.labels[i] || labelled == 0
                                     ? 0
                                     : 1.0 / static_cast<double>(labelled) * weight);
      }
    }
    tables.Add(both.graphs[m], example);
  }
  internal::LossOptions loss;
  loss.variable_weights = {1, 2, 0.5, 3};
  const internal::TrainSummary summary = both.Inner(loss, {}, 0.05);
  CheckSame(Train(weighted, {.lambda = 0.05}), summary);
  CheckSame(Train(tables, {.lambda = 0.05}), summary);
}

TEST_CASE("sparse rows train like dense ones") {
  const Both both(Both::Shape::kChain, 2);
  Dataset sparse(both.model);
  for (std::size_t m = 0; m < both.examples.size(); ++m) {
    std::vector<SparseRow> rows;
    for (int r = 0; r < kLength; ++r) {
      const auto x = both.examples[m].inputs.values(r);
      rows.push_back({{0, 1, 2}, {x.begin(), x.end()}});
    }
    sparse.Add(both.graphs[m], {.inputs = rows, .labels = both.examples[m].labels});
  }
  const TrainResult a = Train(both.data, {.lambda = 0.05, .gap_tolerance = 1e-8});
  const TrainResult b = Train(sparse, {.lambda = 0.05, .gap_tolerance = 1e-8});
  CHECK(a.primal == doctest::Approx(b.primal).epsilon(1e-7));
}

TEST_CASE("without lambda the default for the data is used and reported") {
  const Both both(Both::Shape::kChain, 3);
  const internal::Problem any(internal::MakeTrainingSet(both.inner, {}), 1);
  const double usual = internal::ScalesOf(any, {}).DefaultLambda();
  const TrainResult result = Train(both.data);
  CHECK(result.lambda == usual);
  CheckSame(result, both.Inner({}, {}, usual));
}

TEST_CASE("weights can be read by name") {
  const Both both(Both::Shape::kCycle, 3);
  TrainResult result = Train(both.data, {.lambda = 0.05});
  CHECK(result.weights["look"].rows() == 3);
  CHECK(result.weights["look"].columns() == kFeatures);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < kFeatures; ++c)
      CHECK(result.weights["look"](r, c) ==
            result.weights.values()[both.layout->block(0).at(r, c)]);
  CHECK(result.weights.name(2) == "differ");
  CHECK_THROWS_WITH_AS(result.weights["diffr"], doctest::Contains("did you mean 'differ'?"),
                       std::invalid_argument);
  CHECK_THROWS_AS(result.weights["look"](3, 0), std::out_of_range);
}

TEST_CASE("observers are notified, interrupts end training, and reports are complete") {
  const Both both(Both::Shape::kCycle, 3);
  std::vector<double> gaps;
  const TrainResult result = Train(
      both.data, {.lambda = 0.05,
                  .observer = [&](const Progress& progress) { gaps.push_back(progress.gap); }});
  REQUIRE(!gaps.empty());
  CHECK(gaps.back() == result.gap);
  CHECK(std::is_sorted(gaps.rbegin(), gaps.rend()));
  const std::string report = result.Report();
  for (const char* words : {"Trained on 12 examples", "lambda 0.05", "converged", "at least"})
    CHECK(report.find(words) != std::string::npos);

  const std::atomic<int> stop{1};
  const TrainResult ended =
      Train(both.data, {.lambda = 0.05, .gap_tolerance = 1e-9, .interrupt = &stop});
  CHECK(ended.termination == Termination::kInterrupted);
  CHECK(Train(both.data, {.lambda = 0.05, .gap_tolerance = 1e-12, .max_passes = 2}).termination ==
        Termination::kMaxPasses);
}

TEST_CASE("on cycles the user chooses the problem that is certified") {
  const Both both(Both::Shape::kCycle, 3);
  const TrainResult exact =
      Train(both.data, {.lambda = 0.05, .gap_tolerance = 1e-5, .certify = Certify::kExact});
  CHECK(exact.certificate.problem == CertifiedProblem::kExact);
  const TrainResult relaxed =
      Train(both.data, {.lambda = 0.05, .gap_tolerance = 1e-5, .certify = Certify::kRelaxed});
  CHECK(relaxed.certificate.problem == CertifiedProblem::kRelaxed);
  // The relaxed objective is nowhere below the exact one, and the tightened one lies between them.
  CHECK(exact.dual <= relaxed.primal);
  const TrainResult tightened =
      Train(both.data, {.lambda = 0.05, .gap_tolerance = 1e-5, .certify = Certify::kTightened});
  CHECK(tightened.certificate.problem == CertifiedProblem::kRelaxed);
  CHECK(exact.dual <= tightened.primal);
  CHECK(tightened.dual <= relaxed.primal);
  CHECK_THROWS_WITH_AS(Train(both.data, {.learner = "al", .certify = Certify::kExact}),
                       doctest::Contains("needs TrainOptions::learner = \"auto\""),
                       std::runtime_error);
}

TEST_CASE("the number of threads does not change results") {
  const Both both(Both::Shape::kCycle, 3);
  const TrainResult one = Train(both.data, {.lambda = 0.05, .gap_tolerance = 1e-6});
  const TrainResult four = Train(both.data, {.lambda = 0.05, .gap_tolerance = 1e-6, .threads = 4});
  CHECK(std::ranges::equal(one.weights.values(), four.weights.values()));
}

TEST_CASE("invalid options are refused with a message") {
  const Both both(Both::Shape::kChain, 2);
  CHECK_THROWS_WITH_AS(Train(both.data, {.learner_options = {{"rhoo", "1"}}}),
                       doctest::Contains("did you mean 'rho'?"), std::invalid_argument);
  CHECK_THROWS_AS(Train(both.data, {.lambda = -1}), std::runtime_error);
  CHECK_THROWS_AS(Train(both.data, {.learner = "nothing"}), std::runtime_error);
  CHECK_THROWS_WITH_AS(Train(both.data, {.learner = "kernel-bcfw"}),
                       doctest::Contains("linear models only"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(Train(Dataset(both.model)), doctest::Contains("no labelled example"),
                       std::invalid_argument);
  const TrainResult by_name = Train(
      both.data, {.lambda = 0.05, .learner = "bcfw", .learner_options = {{"oracle", "tree"}}});
  CHECK(by_name.learner == "bcfw");
}

}  // namespace
}  // namespace slackline
