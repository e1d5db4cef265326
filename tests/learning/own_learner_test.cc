// SPDX-License-Identifier: BSD-3-Clause
//
// A complete new learner in thirty lines: FixedStepLearner and its record. With them the program
// knows its name and its option, refuses what the learner does not support, trains with it, resumes
// its runs and verifies its certificates. The tests cover each of these.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/run/warm_start.h>
#include <slackline/learning/step/dual_points.h>
#include <slackline/learning/support_table.h>

#include "tests/support/learner_checks.h"
#include "tests/support/learner_ways.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

// The learner: Frank-Wolfe on all examples with steps of length share · 2/(k + 2).

struct FixedStepOptions {
  double share = 1;
};

class FixedStepLearner : public Learner, public DualPointSource {
 public:
  FixedStepLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        share_(options.own<FixedStepOptions>().share),
        evaluator_(problem, {.solver = options.oracle, .ways = ExampleOracle::Ways::kSolvers}),
        points_(problem),
        corners_(problem),
        weights_(problem.num_weights(), 0.0),
        warm_(problem.size()) {
    traits_.dual_point = this;
  }

  void RunPass(const StopControl& stop) override {
    const auto take = [&](Index m, const Corner& c) { corners_.Set(m, c.coordinates, c.loss); };
    if (!evaluator_.Sweep(weights_, warm_, 1, stop, take)) return;
    points_.Mix(share_ * 2 / static_cast<double>(2 + passes_++), corners_);
    points_.Weights(problem_, &weights_);
  }
  Evaluation Evaluate(int threads) override {
    evaluated_ = weights_;
    return {.problem = evaluator_.certified(),
            .primal = evaluator_.Primal(weights_, warm_, threads),
            .dual = points_.MeanLoss() - Regulariser(problem_.lambda(), weights_)};
  }
  void Archive(StateArchive* archive) override {
    archive->Count(&passes_);
    points_.Archive(archive);
    if (archive->loading()) points_.Weights(problem_, &weights_);
  }
  WorkCounts work() const override {
    return {passes_ * problem_.size(), passes_ * problem_.size(), 0};
  }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = points_.Read(problem_.data().example(m), m, 1, coordinates);
    return true;
  }

 private:
  Problem problem_;
  double share_;
  ExampleEvaluator evaluator_;
  DualPoints points_, corners_;
  std::vector<double> weights_;
  std::vector<WarmStart> warm_;
  std::int64_t passes_ = 0;
};

// The record.

constexpr OptionRecord kOptions[] = {{.name = "share",
                                      .placeholder = "S",
                                      .text = "fixed-fw: shortens its steps",
                                      .default_text = "1",
                                      .field = Field<&FixedStepOptions::share>,
                                      .maximum = 1,
                                      .positive = true}};
constexpr std::span<const OptionRecord> kOptionLists[] = {kOptions};
constexpr LearnerVariant kVariants[] = {{.needs = kNeedsOracle | NeedsAll(Need::kSumLoss)}};
constexpr LearnerRecord kFixedStepLearner = {
    .name = "fixed-fw",
    .summary = "an exercise",
    .section = "none",
    .make = [](const Problem& problem, const TrainOptions& options) -> std::unique_ptr<Learner> {
      return std::make_unique<FixedStepLearner>(problem, options);
    },
    .variants = kVariants,
    .reads = "oracle",
    .options = kOptionLists,
    .own_steps = "takes fixed steps only",
    .own_order = "takes all examples at once"};

// The line of the registry.
const bool registered = (RegisterLearner(kFixedStepLearner), true);

TrainOptions Own(SolverKind oracle = SolverKind::kBruteForce) {
  TrainOptions options;
  SetOption(OptionNamed("learner"), "fixed-fw", &options);
  options.oracle = oracle;
  return options;
}

}  // namespace

TEST_CASE("the name and the option of a new learner are read") {
  REQUIRE(registered);
  TrainOptions options = Own();
  CHECK(Name(options.learner) == "fixed-fw");
  CHECK(OptionText(OptionNamed("share"), options) == "1");
  SetOption(OptionNamed("share"), "0.25", &options);
  CHECK(options.own<FixedStepOptions>().share == 0.25);
  CHECK(OptionText(OptionNamed("share"), options) == "0.25");
  CHECK_NOTHROW(CheckOptions(options));
  CHECK_THROWS_WITH_AS(SetOption(OptionNamed("share"), "2", &options), doctest::Contains("≤ 1"),
                       DataError);
  CHECK_THROWS_WITH_AS(SetOption(OptionNamed("learner"), "fixed-few", &options),
                       doctest::Contains("fixed-fw"), DataError);
  // Other options objects keep the default value.
  TrainOptions other;
  CHECK(other.own<FixedStepOptions>().share == 1);
  CHECK(OptionText(OptionNamed("share"), other) == "1");
}

TEST_CASE("options that a new learner does not read are refused") {
  const auto refusal = [](const std::string& text) { return RefusalOf(With(Own(), text)); };
  CHECK(refusal("--cache-mb 1") == "--cache-mb applies to --learner kernel-fw or kernel-bcfw only");
  CHECK(refusal("--step pairwise") == "--step pairwise: learner fixed-fw takes fixed steps only");
  CHECK(Contains(refusal("--order uniform"), "takes all examples at once"));
  CHECK(RefusalOf(Given("--learner ssg --share 0.5")) ==
        "--share applies to --learner fixed-fw only");
}

TEST_CASE("a new learner is in the catalogue and in the support table") {
  const auto all = AllLearners();
  CHECK(std::find(all.begin(), all.end(), LearnerKind("fixed-fw")) != all.end());
  CHECK(UsesOracle(LearnerKind("fixed-fw")));
  CHECK(!UsesMarginals(LearnerKind("fixed-fw")));
  const Way way = WayOf(Own());
  CHECK(Supports(way, Trait::kCycles));
  CHECK(!Supports(way, Trait::kCountLoss));
  CHECK_THROWS_AS(RegisterLearner(kFixedStepLearner), std::invalid_argument);
  static constexpr LearnerRecord kNameless = {.name = "",
                                              .summary = "",
                                              .section = "",
                                              .make = kFixedStepLearner.make,
                                              .variants = kVariants};
  CHECK_THROWS_AS(RegisterLearner(kNameless), std::invalid_argument);
  static constexpr LearnerRecord kTaken = {.name = "other",
                                           .summary = "",
                                           .section = "",
                                           .make = kNameless.make,
                                           .variants = kVariants,
                                           .options = kOptionLists};
  CHECK_NOTHROW(RegisterLearner(kTaken));  // two learners may read one list of options
}

TEST_CASE("a new learner trains with a certificate that holds") {
  Random random(5);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.5);
    const double optimum = ExactOptimum(problem.training(), 0.5);
    CAPTURE(trial);
    CheckPasses(problem, Own(), optimum, 6);
    TrainOptions options = With(Own(), "--gap-tolerance 0.05 --absolute-gap 0.05");
    const TrainSummary summary = TrainVerified(problem, options).summary;
    CHECK(summary.termination == Termination::kConverged);
    CHECK(summary.last.dual <= optimum + kSolver);
    CHECK(summary.last.primal >= optimum - kSolver);
  }
}

TEST_CASE("the runs of a new learner are resumed bit for bit") {
  Random random(6);
  const Problem problem(SomeProblem(random, 1), 0.2);
  TrainOptions options = Own();
  options.own<FixedStepOptions>().share = 0.7;
  CheckResume(problem, options);
}

TEST_CASE("a new learner without the trait does not follow lambda") {
  Random random(6);
  const Problem problem(SomeProblem(random, 0), 0.5);
  TrainOptions options = With(Own(), "--max-passes 3");
  std::string state;
  CheckpointPlan plan;
  plan.write = [&](const std::string& bytes, auto) { state = bytes; };
  const auto learner = MakeLearner(problem, options);
  RunTraining(problem, *learner, options, nullptr, nullptr, plan);
  REQUIRE_FALSE(state.empty());
  CHECK(FollowLambda(problem.WithLambda(0.4), options, state, 0.5) == nullptr);
}
