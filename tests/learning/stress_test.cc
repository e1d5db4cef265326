// SPDX-License-Identifier: BSD-3-Clause
//
// All learners, oracles, steps, orders and averages on small random problems that are made to be unpleasant: ties, zero
// features, one state, one variable, one example, repeated examples and factors, unlabelled variables, triples, huge and
// tiny features and λ. Whatever a run does, its bounds must hold, and agree with those of all other runs.
//
// SLACKLINE_STRESS_SEEDS=N tries N more problems, from seed SLACKLINE_STRESS_FIRST (default 1000) on.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/graph_topology.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/marginal_learner.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify.h>

#include "tests/support/dense_qp.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline;
using namespace slackline::test;

namespace {

constexpr double kLambdas[] = {1, 0.1, 0.01, 1e-3, 1e-5, 1e-8, 1e3, 1e8};

template <class Range>
auto Pick(Random& random, const Range& range) {
  return range[random.Below(std::size(range))];
}

TrainingSet SomeTrainingSet(Random& random) {
  if (random.Below(4) > 0) return RandomProblem(random, RandomHardOptions(random));
  const auto size = [&random](std::uint64_t most) { return 1 + static_cast<Index>(random.Below(most)); };
  const Index examples = size(6);
  const Index labels = size(5);
  const Index features = size(3);
  const bool full = random.Below(2) == 0;
  return RandomMultiLabelProblem(random, examples, labels, features, full);
}

/// forbidden: with forbidden states, two of three on forests.
Problem SomeProblem(Random& random, bool forbidden) {
  const double lambda = Pick(random, kLambdas);
  if (!forbidden) return Problem(SomeTrainingSet(random), lambda);
  ProblemOptions shape = RandomHardOptions(random);
  shape.forbidden = true;
  shape.num_variables = std::max(shape.num_variables, 2);
  shape.forest = random.Below(3) > 0;
  shape.duplicate_factors = shape.duplicate_factors && !shape.forest;
  return Problem(RandomProblem(random, shape), lambda);
}

template <class Test>
bool AllGraphs(const Problem& problem, const Test& test) {
  const auto& structures = problem.data().structures();
  return std::all_of(structures.begin(), structures.end(),
                     [&](const auto& structure) { return test(structure->graph()); });
}

/// Learners on messages, and smoothed soft constraints.
void AddDualLosses(Random& random, std::vector<TrainOptions>* ways) {
  for (const LearnerKind learner : {LearnerKind::kDlpw, LearnerKind::kSmoothDlpw, LearnerKind::kSoft}) {
    TrainOptions options;
    options.learner = learner;
    options.order = Pick(random, std::vector{OrderKind::kExample, OrderKind::kUniform});
    if (learner != LearnerKind::kSoft) options.step_size = Pick(random, std::vector{0.0, 1e-3, 1.0, 1e4});
    if (learner != LearnerKind::kDlpw) options.smoothing = Pick(random, std::vector{1e-6, 1e-2, 1.0, 1e3});
    ways->push_back(options);
  }
}

/// Those that see forbidden states.
std::vector<SolverKind> OraclesOfAllowedLabellings(const Problem& problem) {
  std::vector<SolverKind> oracles = {SolverKind::kBruteForce, SolverKind::kSearch};
  if (AllGraphs(problem, IsForest)) oracles.insert(oracles.end(), {SolverKind::kTree, SolverKind::kAuto});
  return oracles;
}

/// Learners without kept corners, and with options that the others do not have.
TrainOptions SimpleWay(Random& random, SolverKind oracle) {
  TrainOptions options;
  options.oracle = oracle;
  options.learner =
      Pick(random, std::vector{LearnerKind::kBcfw, LearnerKind::kFrankWolfe, LearnerKind::kSubgradient});
  options.average = Pick(random, std::vector{AverageKind::kOff, AverageKind::kUniform, AverageKind::kWeighted,
                                             AverageKind::kSuffix});
  if (options.learner == LearnerKind::kBcfw) options.step = StepKind::kFrankWolfe;
  const bool flag = random.Below(2) == 0;
  if (options.learner == LearnerKind::kSubgradient) {
    options.projection = flag;
  } else {
    options.fixed_step = flag;
  }
  if (options.learner == LearnerKind::kBcfw &&
      (oracle == SolverKind::kLp || oracle == SolverKind::kLpPolytope))
    options.lp_tolerance = Pick(random, std::vector{0.0, 1e-6, 1e-3, 0.1});
  if (options.learner != LearnerKind::kFrankWolfe && random.Below(2) == 0)
    options.order = OrderKind::kUniform;
  return options;
}

/// Every learner with every oracle that applies and every step; the rest is drawn.
std::vector<TrainOptions> AllWays(Random& random, const Problem& problem) {
  const bool forbidden = HasForbiddenStates(problem.data());
  std::vector<SolverKind> oracles = {SolverKind::kBruteForce, SolverKind::kSearch, SolverKind::kMessages,
                                     SolverKind::kAuto};
  if (HasGlpk()) oracles.insert(oracles.end(), {SolverKind::kLp, SolverKind::kLpPolytope});
  if (AllGraphs(problem, IsBinaryPairwise)) oracles.push_back(SolverKind::kRoof);
  if (AllGraphs(problem, IsForest)) oracles.push_back(SolverKind::kTree);
  if (forbidden) oracles = OraclesOfAllowedLabellings(problem);
  std::vector<TrainOptions> ways(forbidden && !AllGraphs(problem, IsForest) ? 0 : 1);
  for (const SolverKind oracle : oracles) {
    for (const StepKind step : {StepKind::kFrankWolfe, StepKind::kPairwise, StepKind::kAway}) {
      TrainOptions options;
      options.learner = LearnerKind::kBcfw;
      options.oracle = oracle;
      options.step = step;
      options.average = Pick(random, std::vector{AverageKind::kOff, AverageKind::kOff, AverageKind::kUniform,
                                                 AverageKind::kWeighted, AverageKind::kSuffix});
      options.order = Pick(random, std::vector{OrderKind::kExample, OrderKind::kUniform});
      if (step != StepKind::kFrankWolfe && random.Below(2) == 0) options.order = OrderKind::kGap;
      if (step != StepKind::kFrankWolfe && random.Below(3) == 0) options.proximal = Switch::kOff;
      ways.push_back(options);
    }
  }
  if (!forbidden) AddDualLosses(random, &ways);
  for (const LearnerKind learner : {LearnerKind::kAugmentedLagrangian, LearnerKind::kSoft}) {
    if (forbidden) break;
    for (const StepKind step : {StepKind::kFrankWolfe, StepKind::kPairwise}) {
      TrainOptions options;
      options.learner = learner;
      options.step = step;
      options.order = Pick(random, std::vector{OrderKind::kExample, OrderKind::kUniform});
      if (random.Below(2) == 0) options.rho = Pick(random, std::vector{1e-6, 1e-2, 1.0, 1e2, 1e6});
      const bool says_rho = options.rho > 0 || learner == LearnerKind::kSoft;
      if (random.Below(2) == 0 && says_rho) options.rho_scale = RhoScale::kPaper;
      if (learner == LearnerKind::kSoft && random.Below(3) == 0) {
        options.rho_final = 0.1 * (options.rho > 0 ? options.rho : 1);
        options.rho_passes = 10;
      }
      if (learner == LearnerKind::kAugmentedLagrangian && random.Below(2) == 0) options.tau = 0.3;
      ways.push_back(options);
    }
  }
  for (const SolverKind oracle : oracles) ways.push_back(SimpleWay(random, oracle));
  for (const LearnerKind learner :
       {LearnerKind::kExponentiatedGradient, LearnerKind::kExcessiveGap, LearnerKind::kExtragradient}) {
    if (!AllGraphs(problem, IsForest)) break;
    TrainOptions options;
    options.learner = learner;
    if (learner == LearnerKind::kExponentiatedGradient && random.Below(2) == 0)
      options.order = OrderKind::kUniform;
    ways.push_back(options);
  }
  for (TrainOptions& options : ways) {
    options.seed = static_cast<std::int64_t>(random.Below(1000));
    options.max_passes = Pick(random, std::vector{1, 7, 40, 150});
    options.check_every = Pick(random, std::vector{0, 1, 5});
    options.gap_tolerance = options.absolute_gap = Pick(random, std::vector{0.0, 1e-9, 1e-3});
  }
  return ways;
}

/// What must hold at every check. The lower bound is kept below the upper one where only rounding puts it above
/// (train_loop.cc), so that it may fall with it.
class Watcher : public TrainObserver {
 public:
  void OnCheck(const ProgressRecord& record) override {
    ++checks;
    const auto expect = [this, &record](bool holds, const char* what) {
      if (!holds && fault.empty()) fault = what + (" after pass " + std::to_string(record.pass));
    };
    expect(record.dual <= record.primal, "the bounds cross");
    expect(record.dual >= dual_ - kTight * std::max(1.0, record.primal), "the lower bound fell");
    expect(record.primal <= primal_, "the upper bound rose");
    expect(record.gap == record.primal - record.dual, "the gap is not the difference");
    expect(!(record.soft_dual > record.soft_primal), "the soft bounds cross");
    dual_ = record.dual;
    // soft saves the newest weights.
    primal_ = std::isnan(record.soft_primal) ? record.primal : kInfinity;
  }
  int checks = 0;
  std::string fault;

 private:
  double dual_ = 0;
  double primal_ = kInfinity;
};

struct Bracket {
  double dual = 0;
  double primal = kInfinity;
  std::string dual_of = "the given labellings";
  std::string primal_of;
  void Take(const std::string& way, const ProgressRecord& record) {
    if (record.dual > dual) {
      dual = record.dual;
      dual_of = way;
    }
    if (record.primal < primal) {
      primal = record.primal;
      primal_of = way;
    }
  }
};

std::string Describe(const TrainOptions& options) {
  std::string text;
  const TrainOptions defaults;
  for (const OptionRecord& record : OptionRecords()) {
    if (OptionText(record, options) == OptionText(record, defaults)) continue;
    text += " --" + std::string(record.name) + " " + OptionText(record, options);
  }
  return text;
}

/// One problem, all ways.
class Trial {
 public:
  Trial(std::uint64_t seed, bool forbidden) : random_(seed), problem_(SomeProblem(random_, forbidden)) {}

  void Run() {
    CAPTURE(problem_.lambda());
    for (const TrainOptions& options : AllWays(random_, problem_)) {
      const std::string way = Describe(options);
      CAPTURE(way);
      try {
        RunWay(options, way);
      } catch (const std::exception& error) {
        FAIL_CHECK(std::string(error.what()));
      }
    }
    CheckBracket(relaxed_, relaxed_);
    CheckBracket(exact_, exact_);
    // The relaxation has more points: its optimum is not smaller. On forests it is the same.
    CheckBracket(exact_, relaxed_);
    if (AllGraphs(problem_, IsForest)) CheckBracket(relaxed_, exact_);
    CompareWithPrograms();
  }

 private:
  void RunWay(const TrainOptions& options, const std::string& way) {
    Watcher watcher;
    const auto learner = MakeLearner(problem_, options);
    if (random_.Below(2) == 0) learner->KeepDualPoint();
    const TrainSummary summary = RunTraining(*learner, options, &watcher, nullptr);
    CHECK(watcher.checks > 0);
    CHECK(watcher.fault == "");
    CAPTURE(summary.last.primal);
    CAPTURE(summary.last.dual);
    (summary.last.problem == CertifiedProblem::kExact ? exact_ : relaxed_).Take(way, summary.last);
    CheckPrimal(summary);
    const Verification verification =
        VerifyCertificate(problem_, summary.weights, summary.last, options, learner.get());
    CAPTURE(verification.message);
    CHECK(verification.outcome == VerifyOutcome::kHolds);
    switch (random_.Below(8)) {
      case 0:
      case 1:
        Replay(options, summary);
        break;
      case 2:
        CheckSame(summary, RunInTwoPieces(problem_, options, MakeLearner(problem_, options).get(), nullptr));
        break;
      case 3:
        ChangeLambda(options, learner.get());
        break;
      default:
        break;
    }
  }

  static void CheckSame(const TrainSummary& a, const TrainSummary& b) {
    CHECK(a.weights == b.weights);
    CHECK(a.last.primal == b.last.primal);
    CHECK(a.last.dual == b.last.dual);
    CHECK(a.last.pass == b.last.pass);
  }

  void Replay(TrainOptions options, const TrainSummary& summary) {
    options.threads = 1 + static_cast<Index>(random_.Below(2));
    CheckSame(summary, Train(problem_, options));
  }

  /// Runs the learner, and then a new one from a state that was taken on the way.
  TrainSummary RunInTwoPieces(const Problem& problem, const TrainOptions& options, Learner* learner,
                              TrainObserver* observer) {
    std::vector<std::string> states;
    CheckpointPlan plan;
    plan.every_seconds = 0;
    plan.write = [&](const std::string& bytes) { states.push_back(bytes); };
    TrainSummary whole = RunTraining(*learner, options, observer, nullptr, plan);
    REQUIRE(!states.empty());
    const std::string state = Pick(random_, states);
    CheckpointPlan rest;
    rest.resume = state;
    const auto resumed = MakeLearner(problem, options);
    resumed->KeepDualPoint();
    CheckSame(whole, RunTraining(*resumed, options, nullptr, nullptr, rest));
    CHECK(resumed->DualPointIsBest() == learner->DualPointIsBest());
    const Verification verification =
        VerifyCertificate(problem, whole.weights, whole.last, options, resumed.get());
    CAPTURE(verification.message);
    CHECK(verification.outcome == VerifyOutcome::kHolds);
    return whole;
  }

  /// A path to other λ and back: every value has a certificate of its own, and the last is that of this problem.
  void ChangeLambda(const TrainOptions& options, Learner* learner) {
    const double lambdas[] = {problem_.lambda() * 0.1, problem_.lambda() * 1e3, problem_.lambda()};
    for (const double lambda : lambdas) {
      CAPTURE(lambda);
      path_.push_back(std::make_unique<Problem>(problem_.WithLambda(lambda)));
      learner->ChangeLambda(*path_.back());
      Watcher watcher;
      const TrainSummary summary = RunInTwoPieces(*path_.back(), options, learner, &watcher);
      CHECK(watcher.fault == "");
      const Verification verification =
          VerifyCertificate(*path_.back(), summary.weights, summary.last, options, learner);
      CAPTURE(verification.message);
      CHECK(verification.outcome == VerifyOutcome::kHolds);
      if (lambda != problem_.lambda()) continue;
      const bool exact = summary.last.problem == CertifiedProblem::kExact;
      (exact ? exact_ : relaxed_).Take("a path" + Describe(options), summary.last);
    }
  }

  /// By enumeration, with dense feature vectors.
  void CheckPrimal(const TrainSummary& summary) {
    const double exact = ExactPrimal(problem_.training(), problem_.lambda(), summary.weights);
    const double room =
        kTight * std::max(1.0, std::abs(summary.last.primal)) + kSummands * Scores(summary.weights);
    CAPTURE(exact);
    CHECK(summary.last.primal >= exact - room);
    if (summary.last.problem == CertifiedProblem::kExact) CHECK(summary.last.primal <= exact + room);
  }

  /// The size of the terms whose sums scores are.
  double Scores(std::span<const double> weights) const {
    double sum = 0;
    for (const double weight : weights) sum += weight * weight;
    return std::sqrt(sum * problem_.mean_squared_range() * static_cast<double>(problem_.num_parts()));
  }

  void CheckBracket(const Bracket& lower, const Bracket& upper) {
    CAPTURE(lower.dual_of);
    CAPTURE(upper.primal_of);
    CAPTURE(lower.dual);
    CAPTURE(upper.primal);
    CHECK(lower.dual <= upper.primal + kTight * std::max(1.0, std::abs(upper.primal)));
  }

  /// Where the quadratic programs are small and well scaled.
  void CompareWithPrograms() {
    Offset columns = 0;
    for (Index m = 0; m < problem_.size(); ++m) columns += problem_.data().example(m).graph().total_states();
    if (columns > 80 || problem_.lambda() < 1e-3 || problem_.lambda() > 1e3) return;
    if (problem_.penalty_scale() < 1e-8) return;
    double relaxed = 0;
    double exact = 0;
    try {
      exact = ExactOptimum(problem_.training(), problem_.lambda());
      relaxed = exact;
      if (!HasForbiddenStates(problem_.data()))
        relaxed = RelaxedOptimum(problem_.training(), problem_.lambda());
    } catch (const std::runtime_error&) {
      return;  // scales that the program cannot solve to its precision
    }
    CAPTURE(relaxed);
    CAPTURE(exact);
    const double room = kSolver * std::max(1.0, std::abs(relaxed));
    CHECK(exact <= relaxed + room);
    CHECK(relaxed_.dual <= relaxed + room);
    CHECK(relaxed_.primal >= relaxed - room);
    CHECK(exact_.dual <= exact + room);
    CHECK(exact_.primal >= exact - room);
  }

  Random random_;
  Problem problem_;
  Bracket relaxed_, exact_;
  std::vector<std::unique_ptr<Problem>> path_;
};

void RunSeeds(std::uint64_t first, std::uint64_t count, bool forbidden = false) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Trial(seed, forbidden).Run();
  }
}

/// Where features and λ are of ordinary size, learners with exact oracles have to arrive.
void ConvergeOnSeeds(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    ProblemOptions shape = RandomHardOptions(random);
    shape.input_scale = 1;
    const double lambda = Pick(random, std::vector{1.0, 0.1, 0.01});
    const Problem problem(RandomProblem(random, shape), lambda);
    for (TrainOptions options : AllWays(random, problem)) {
      if (options.learner == LearnerKind::kDlpw || options.learner == LearnerKind::kSmoothDlpw) continue;
      const bool corners = options.learner == LearnerKind::kBcfw && options.step != StepKind::kFrankWolfe;
      if (options.learner == LearnerKind::kSoft || options.oracle == SolverKind::kMessages) continue;
      if (corners && options.oracle == SolverKind::kAuto && !HasGlpk()) continue;  // may be messages
      if (!corners && options.step == StepKind::kFrankWolfe) continue;             // sublinear
      if (options.learner == LearnerKind::kFrankWolfe || options.learner == LearnerKind::kSubgradient)
        continue;
      if (UsesMarginals(options.learner)) continue;  // too
      options.max_passes = 5000;
      options.gap_tolerance = 1e-3;
      options.absolute_gap = 1e-6;
      options.rho = 0;
      options.rho_scale = RhoScale::kExample;
      options.tau = 1;
      const TrainSummary summary = Train(problem, options);
      CAPTURE(seed);
      CAPTURE(lambda);
      const std::string way = Describe(options);
      CAPTURE(way);
      CAPTURE(summary.message);
      CHECK(summary.termination == Termination::kConverged);
    }
  }
}

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("BoundsOfAllLearnersHoldAndAgreeOnUnpleasantProblems") { RunSeeds(1, 24); }

TEST_CASE("BoundsHoldAndAgreeWhereStatesAreForbidden") { RunSeeds(1, 16, true); }

TEST_CASE("LearnersArriveOnProblemsOfOrdinarySize") { ConvergeOnSeeds(1, 8); }

TEST_CASE("MoreSeedsOnRequest") {
  RunSeeds(FromEnvironment("SLACKLINE_STRESS_FIRST", 1000), FromEnvironment("SLACKLINE_STRESS_SEEDS", 0));
  RunSeeds(FromEnvironment("SLACKLINE_STRESS_FIRST", 1000), FromEnvironment("SLACKLINE_STRESS_SEEDS", 0),
           true);
}

TEST_CASE("LearnersArriveOnMoreSeedsOnRequest") {
  ConvergeOnSeeds(FromEnvironment("SLACKLINE_STRESS_FIRST", 1000),
                  FromEnvironment("SLACKLINE_STRESS_SEEDS", 0) / 2);
}
