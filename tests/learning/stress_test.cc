// SPDX-License-Identifier: BSD-3-Clause
//
// All learners, oracles, steps, orders and averages on small random problems with unpleasant data:
// ties, zero features, one state, one variable, one example, repeated examples and factors,
// unlabelled variables, triples, huge and tiny features and λ. The bounds of every run must hold
// and agree with those of all other runs.
//
// SLACKLINE_STRESS_SEEDS=N tests N more problems, from seed SLACKLINE_STRESS_FIRST (default 1000)
// on.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/brute_force.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/sign_constraints.h>
#include <slackline/learning/verify/verify.h>

#include "tests/support/agreement.h"
#include "tests/support/kernel_problems.h"
#include "tests/support/labelling_program.h"
#include "tests/support/learner_ways.h"
#include "tests/support/prox_reference.h"
#include "tests/support/quadratic_program.h"
#include "tests/support/states.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr double kLambdas[] = {1, 0.1, 0.01, 1e-3, 1e-5, 1e-8, 1e3, 1e8};

TrainingSet SomeTrainingSet(Random& random) {
  if (random.Below(4) > 0) return RandomProblem(random, RandomHardOptions(random));
  const auto size = [&random](std::uint64_t most) {
    return 1 + static_cast<Index>(random.Below(most));
  };
  const Index examples = size(6);
  const Index labels = size(5);
  const Index features = size(3);
  const bool full = random.Below(2) == 0;
  return RandomMultiLabelProblem(random, examples, labels, features, full);
}

/// forbidden: with forbidden states, two thirds of the problems on forests.
Problem StressProblem(Random& random, bool forbidden) {
  const double lambda = Pick(random, kLambdas);
  if (!forbidden) return Problem(SomeTrainingSet(random), lambda);
  ProblemOptions shape = RandomHardOptions(random);
  shape.forbidden = true;
  shape.num_variables = std::max(shape.num_variables, 2);
  shape.forest = random.Below(3) > 0;
  shape.duplicate_factors = shape.duplicate_factors && !shape.forest;
  return Problem(RandomProblem(random, shape), lambda);
}

/// Checks what holds at every evaluation. Where rounding alone puts the lower bound above the upper
/// one, it is reported as the upper bound (train_loop.cc), and so it may fall a little.
class BoundsWatcher : public TrainObserver {
 public:
  void OnCheck(const ProgressRecord& record) override {
    ++checks;
    const auto expect = [this, &record](bool holds, const char* what) {
      if (!holds && fault.empty()) fault = what + (" after pass " + std::to_string(record.pass));
    };
    expect(record.dual <= record.primal, "the bounds cross");
    expect(record.dual >= dual_ - kTight * std::max(1.0, record.primal), "the lower bound fell");
    // `auto` may turn to the LP relaxation, whose objective is larger.
    if (record.problem != problem_) primal_ = kInfinity;
    problem_ = record.problem;
    expect(record.primal <= primal_, "the upper bound rose");
    expect(record.gap == record.primal - record.dual, "the gap is not the difference");
    expect(!(record.soft_dual > record.soft_primal), "the soft bounds cross");
    dual_ = record.dual;
    // soft saves the newest weights, whose primal may rise.
    primal_ = std::isnan(record.soft_primal) ? record.primal : kInfinity;
  }
  int checks = 0;
  std::string fault;

 private:
  double dual_ = 0;
  double primal_ = kInfinity;
  CertifiedProblem problem_ = CertifiedProblem::kExact;
};

struct Bracket {
  double dual = 0;
  double primal = kInfinity;
  std::string dual_of = "the ground truth";
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

/// The best bounds for one objective.
struct Brackets {
  Bracket relaxed, exact;
  void Take(const std::string& way, const ProgressRecord& record) {
    (record.problem == CertifiedProblem::kExact ? exact : relaxed).Take(way, record);
  }
};

/// Totals over several problems.
struct Totals {
  std::set<LearnerKind> learners;  // with a run
  int comparisons = 0;             // with optima of programs
  int unsolved = 0;                // programs that did not reach their precision
};

/// With slack rescaling the bounds of named solvers need not be reached by labellings.
bool HasLooseBounds(const TrainOptions& options) {
  return options.rescaling == Rescaling::kSlack && options.oracle != SolverKind::kAuto &&
         options.oracle != SolverKind::kBruteForce;
}

/// One problem with all ways to train on it.
class StressTrial {
 public:
  StressTrial(std::uint64_t seed, bool forbidden, Totals* totals)
      : random_(seed), problem_(StressProblem(random_, forbidden)), totals_(totals) {}

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
    for (const TrainOptions& options : RefusedWays(random_, problem_)) {
      const std::string way = Describe(options);
      CAPTURE(way);
      CheckRefusal(options);
    }
    const Brackets& plain = brackets_[{}];
    for (const auto& entry : brackets_) {
      const std::string& objective = entry.first;
      const Brackets& own = entry.second;
      CAPTURE(objective);
      CheckBracket(own.relaxed, own.relaxed);
      CheckBracket(own.exact, own.exact);
      // The relaxation has more points, so its optimum is at least the exact one. On forests they
      // are equal.
      CheckBracket(own.exact, own.relaxed);
      if (AllGraphs(problem_, IsForest)) CheckBracket(own.relaxed, own.exact);
      // An l1 term and a smoothed hinge only increase the objective.
      if (objective == ObjectiveOf(SlackRescaling())) continue;
      CheckBracket(plain.exact, own.exact);
      CheckBracket(plain.relaxed, own.relaxed);
    }
    CompareWithPrograms();
  }

 private:
  void RunWay(const TrainOptions& options, const std::string& way) {
    BoundsWatcher watcher;
    const auto learner = MakeLearner(problem_, options);
    const std::string objective = ObjectiveOf(options);
    if (!objective.empty()) of_objective_.insert({objective, options});
    if (random_.Below(2) == 0) learner->traits().dual_point->KeepDualPoint();
    const TrainSummary summary = RunTraining(problem_, *learner, options, &watcher, nullptr);
    CHECK(watcher.checks > 0);
    CHECK(watcher.fault == "");
    CAPTURE(summary.last.primal);
    CAPTURE(summary.last.dual);
    brackets_[objective].Take(way, summary.last);
    totals_->learners.insert(options.learner);
    CheckPrimal(options, summary);
    Verify(problem_, options, summary, *learner);
    switch (random_.Below(KeepsState(options.learner) ? 8 : 2)) {
      case 0:
      case 1:
        Replay(options, summary);
        break;
      case 2:
        CheckSame(summary,
                  RunInTwoPieces(problem_, options, MakeLearner(problem_, options).get(), nullptr));
        break;
      case 3:
        ChangeLambda(options, learner.get());
        break;
      default:
        break;
    }
  }

  void CheckRefusal(const TrainOptions& options) const {
    std::string reason;
    try {
      MakeLearner(problem_, options);
      FAIL_CHECK("it is accepted");
      return;
    } catch (const DataError& error) {
      reason = error.what();
    } catch (const std::exception& error) {
      const std::string other = error.what();
      FAIL_CHECK(other);
      return;
    }
    // The message names an option, a learner or a solver, or a requirement of theirs.
    CAPTURE(reason);
    const auto names = [&reason](const char* word) {
      return reason.find(word) != std::string::npos;
    };
    CHECK((names("--") || names("learner ") || names("solver ") || names(" needs ")));
  }

  static void Verify(const Problem& problem, const TrainOptions& options,
                     const TrainSummary& summary, const Learner& learner) {
    const Verification verification = VerifyCertificate(problem, summary.weights, summary.last,
                                                        options, learner.traits().dual_point);
    CAPTURE(verification.message);
    CHECK(verification.outcome == VerifyOutcome::kHolds);
  }

  void Replay(TrainOptions options, const TrainSummary& summary) {
    options.threads = 1 + static_cast<Index>(random_.Below(2));
    CheckSame(summary, Train(problem_, options));
  }

  /// Runs the learner, and then a new learner from a state saved during the run.
  TrainSummary RunInTwoPieces(const Problem& problem, const TrainOptions& options, Learner* learner,
                              TrainObserver* observer) {
    std::vector<std::string> states;
    CheckpointPlan plan;
    plan.every_seconds = 0;
    plan.write = [&](const std::string& bytes, auto) { states.push_back(bytes); };
    TrainSummary whole = RunTraining(problem_, *learner, options, observer, nullptr, plan);
    REQUIRE(!states.empty());
    const std::string state = Pick(random_, states);
    const auto resumed = MakeLearner(problem, options);
    resumed->traits().dual_point->KeepDualPoint();
    CheckSame(whole,
              RunTraining(problem_, *resumed, options, nullptr, nullptr, ContinuedFrom(state)));
    CHECK(resumed->traits().dual_point->DualPointIsBest() ==
          learner->traits().dual_point->DualPointIsBest());
    Verify(problem, options, whole, *resumed);
    return whole;
  }

  /// Follows a path to other λ and back: every λ has a certificate, and the last one is that of
  /// this problem.
  void ChangeLambda(const TrainOptions& options, Learner* learner) {
    const double lambdas[] = {problem_.lambda() * 0.1, problem_.lambda() * 1e3, problem_.lambda()};
    for (const double lambda : lambdas) {
      CAPTURE(lambda);
      path_.push_back(std::make_unique<Problem>(problem_.WithLambda(lambda)));
      learner->traits().lambda->ChangeLambda(*path_.back());
      BoundsWatcher watcher;
      const TrainSummary summary = RunInTwoPieces(*path_.back(), options, learner, &watcher);
      CHECK(watcher.fault == "");
      Verify(*path_.back(), options, summary, *learner);
      if (lambda == problem_.lambda())
        brackets_[ObjectiveOf(options)].Take("a path" + Describe(options), summary.last);
    }
  }

  /// Compares the primal with enumeration over dense feature vectors.
  void CheckPrimal(const TrainOptions& options, const TrainSummary& summary) {
    const std::vector<double> weights =
        UsesKernel(options) ? LinearWeights(problem_.data(), summary.weights) : summary.weights;
    const bool slack = options.rescaling == Rescaling::kSlack;
    double exact = slack ? SlackRescaledPrimal(problem_.training(), problem_.lambda(), weights)
                         : ExactPrimal(problem_.training(), problem_.lambda(), weights);
    for (const double w : weights) exact += options.l1 * std::abs(w);
    const double room =
        kTight * std::max(1.0, std::abs(summary.last.primal)) + kSummands * Scores(weights);
    CAPTURE(exact);
    CHECK(summary.last.primal >= exact - room);
    if (summary.last.problem != CertifiedProblem::kExact) return;
    // With this oracle, checks search only the examples for which searches helped in passes. For
    // the others they use the bounds of messages, so the primal need not be the objective.
    if (ChooseLearner(problem_, options).options.oracle == SolverKind::kMessagesBranchAndBound)
      return;
    if (HasLooseBounds(options)) return;
    // For a smoothed hinge the primal is a bound at the newest marginals (prox_sdca_learner.h),
    // which exceeds the hinge by at most γ per variable.
    double bias = 0;
    for (Index m = 0; m < problem_.size() && options.learner == LearnerKind::kProxSdca; ++m)
      bias +=
          options.smoothing * problem_.data().example(m).graph().num_variables() / problem_.size();
    CHECK(summary.last.primal <= exact + bias * (1 + kTight) + room);
  }

  /// The magnitude of the terms of which scores are sums.
  double Scores(std::span<const double> weights) const {
    double sum = 0;
    for (const double weight : weights) sum += weight * weight;
    return std::sqrt(sum * problem_.mean_squared_range() *
                     static_cast<double>(problem_.num_parts()));
  }

  void CheckBracket(const Bracket& lower, const Bracket& upper) {
    CAPTURE(lower.dual_of);
    CAPTURE(upper.primal_of);
    CAPTURE(lower.dual);
    CAPTURE(upper.primal);
    CHECK(lower.dual <= upper.primal + kTight * std::max(1.0, std::abs(upper.primal)));
  }

  static TrainOptions SlackRescaling() { return {.rescaling = Rescaling::kSlack}; }

  void CheckAround(double optimum, const Bracket& bracket) {
    CheckAround(optimum, optimum, bracket);
  }
  /// For an optimum between two numbers.
  void CheckAround(double least, double most, const Bracket& bracket) {
    CAPTURE(least);
    CAPTURE(most);
    CAPTURE(bracket.dual_of);
    CAPTURE(bracket.primal_of);
    const double room = kSolver * std::max(1.0, std::abs(most));
    CHECK(bracket.dual <= most + room);
    CHECK(bracket.primal >= least - room);
  }

  /// Compares bounds with quadratic programs, where these are small and well scaled.
  void CompareWithPrograms() {
    const TrainingSet& training = problem_.training();
    const double lambda = problem_.lambda();
    Offset columns = 0;
    double labellings = 0;
    for (Index m = 0; m < problem_.size(); ++m) {
      columns += problem_.data().example(m).graph().total_states();
      labellings += static_cast<double>(CountLabellings(problem_.data().example(m).graph(), 1000));
    }
    if (columns > 80 || lambda < 1e-3 || lambda > 1e3 || problem_.penalty_scale() < 1e-8) return;
    const bool forbidden = HasForbiddenStates(problem_.data());
    const std::optional<double> exact = Solved([&] { return ExactOptimum(training, lambda); });
    const std::optional<double> relaxed =
        forbidden ? exact : Solved([&] { return RelaxedOptimum(training, lambda); });
    if (exact) CheckAround(*exact, brackets_[{}].exact);
    if (relaxed && !forbidden) CheckAround(*relaxed, brackets_[{}].relaxed);
    if (exact && relaxed) CHECK(*exact <= *relaxed + kSolver * std::max(1.0, std::abs(*relaxed)));
    for (const auto& entry : of_objective_) {
      const std::string& objective = entry.first;
      const TrainOptions& options = entry.second;
      CAPTURE(objective);
      const bool slack = options.rescaling == Rescaling::kSlack;
      if (!slack && (labellings > 100 || forbidden)) continue;
      if (options.associative) {
        const ReferenceBracket optimum =
            BracketOptimum(training, lambda,
                           {.l1 = options.l1,
                            .smoothing = options.smoothing,
                            .signs = AssociativeSigns(problem_.data())});
        CheckAround(optimum.lower, optimum.upper, brackets_[objective].exact);
        continue;
      }
      const std::optional<double> optimum = Solved([&] {
        return slack ? SolveSlackRescaled(training, lambda).value
                     : SolveProx(training, lambda, options.l1, options.smoothing).value;
      });
      if (optimum) CheckAround(*optimum, brackets_[objective].exact);
    }
  }

  /// Empty where the program does not reach its precision because of its scales.
  template <class Solve>
  std::optional<double> Solved(const Solve& solve) {
    try {
      const double optimum = solve();
      ++totals_->comparisons;
      return optimum;
    } catch (const QpFailure&) {
      ++totals_->unsolved;
      return std::nullopt;
    }
  }

  Random random_;
  Problem problem_;
  Totals* totals_;
  std::map<std::string, Brackets> brackets_;          // by objective (ObjectiveOf)
  std::map<std::string, TrainOptions> of_objective_;  // other than the plain objective
  std::vector<std::unique_ptr<Problem>> path_;
};

Totals RunStress(std::uint64_t first, std::uint64_t count, bool forbidden = false) {
  Totals totals;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    StressTrial(seed, forbidden, &totals).Run();
  }
  return totals;
}

/// Whether a few thousand passes lead to a gap of 1e-3: with oracles that are exact for their
/// domain, and methods that are not sublinear.
bool Converges(const TrainOptions& options) {
  if (HasLooseBounds(options)) return false;
  if (options.oracle == SolverKind::kMessages) return false;
  if (options.oracle == SolverKind::kAuto && !HasGlpk()) return false;  // may be messages
  constexpr LearnerKind kConverging[] = {LearnerKind::kAuto, LearnerKind::kCuttingPlane1,
                                         LearnerKind::kCuttingPlaneN, LearnerKind::kBundle,
                                         LearnerKind::kPdhg};
  if (std::find(std::begin(kConverging), std::end(kConverging), options.learner) !=
      std::end(kConverging))
    return true;
  return (options.learner == LearnerKind::kBcfw ||
          options.learner == LearnerKind::kAugmentedLagrangian) &&
         options.step != StepKind::kFrankWolfe;
}

/// With features and λ of ordinary size, learners with exact oracles must converge.
void ConvergeOnSeeds(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    ProblemOptions shape = RandomHardOptions(random);
    shape.input_scale = 1;
    const double lambda = Pick(random, std::vector{1.0, 0.1, 0.01});
    const Problem problem(RandomProblem(random, shape), lambda);
    for (TrainOptions options : AllWays(random, problem)) {
      if (!Converges(options)) continue;
      Set(&options, "--max-passes 5000 --gap-tolerance 1e-3 --absolute-gap 1e-6");
      options.own<PenaltyOptions>().rho = 0;
      Set(&options, "--rho-scale example --tau 1");
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

}  // namespace

TEST_CASE("bounds of all learners hold and agree on unpleasant problems") {
  const Totals totals = RunStress(1, 24);
  for (const LearnerKind learner : AllLearners()) {
    CAPTURE(Name(learner));
    CHECK(totals.learners.count(learner) == 1);
  }
  CHECK(totals.comparisons > 20);
  CHECK(totals.unsolved < 0.1 * totals.comparisons);
}

TEST_CASE("bounds hold and agree where states are forbidden") {
  const Totals totals = RunStress(1, 16, true);
  for (const LearnerKind learner : AllLearners()) {
    CAPTURE(Name(learner));
    if (UsesOracle(learner) || UsesMarginals(learner)) CHECK(totals.learners.count(learner) == 1);
  }
}

TEST_CASE("learners converge on problems of ordinary scale") { ConvergeOnSeeds(1, 8); }

TEST_CASE("bounds hold on more seeds, on request" *
          doctest::skip(std::getenv("SLACKLINE_STRESS_SEEDS") == nullptr)) {
  RunStress(FromEnvironment("SLACKLINE_STRESS_FIRST", 1000),
            FromEnvironment("SLACKLINE_STRESS_SEEDS", 0));
  RunStress(FromEnvironment("SLACKLINE_STRESS_FIRST", 1000),
            FromEnvironment("SLACKLINE_STRESS_SEEDS", 0), true);
}

TEST_CASE("learners converge on more seeds, on request" *
          doctest::skip(std::getenv("SLACKLINE_STRESS_SEEDS") == nullptr)) {
  ConvergeOnSeeds(FromEnvironment("SLACKLINE_STRESS_FIRST", 1000),
                  FromEnvironment("SLACKLINE_STRESS_SEEDS", 0) / 2);
}
