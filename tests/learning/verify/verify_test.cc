// SPDX-License-Identifier: BSD-3-Clause
//
// Right certificates are verified, wrong ones are rejected.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/global_problems.h"
#include "tests/support/learner_checks.h"
#include "tests/support/losses.h"
#include "tests/support/random_models.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions ShortOptions(LearnerKind learner, StepKind step, SolverKind oracle = SolverKind::kAuto,
                          Index threads = 1) {
  return {.learner = learner, .step = step, .oracle = oracle, .max_passes = 60, .threads = threads};
}

/// All learners, with oracles that apply to any small graph.
std::vector<TrainOptions> VerifiedWays() {
  std::vector<TrainOptions> ways = {
      ShortOptions(LearnerKind::kAuto, StepKind::kAuto),
      ShortOptions(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise),
      ShortOptions(LearnerKind::kSoft, StepKind::kPairwise)};
  std::vector<SolverKind> oracles = {SolverKind::kAuto, SolverKind::kMessages,
                                     SolverKind::kBruteForce, SolverKind::kBranchAndBound};
  if (HasGlpk()) oracles.push_back(SolverKind::kLp);
  for (const SolverKind oracle : oracles) {
    ways.push_back(ShortOptions(LearnerKind::kBcfw, StepKind::kFrankWolfe, oracle));
    ways.push_back(ShortOptions(LearnerKind::kBcfw, StepKind::kPairwise, oracle));
    // A pass beside a check may be taken back.
    ways.push_back(ShortOptions(LearnerKind::kBcfw, StepKind::kPairwise, oracle, 2));
  }
  return ways;
}

Verification Verify(const Problem& problem, const TrainOptions& options, const VerifiedRun& run,
                    const VerifyOptions& how = {}) {
  return VerifyCertificate(problem, run.summary.weights, run.summary.last, options,
                           run.learner->traits().dual_point, how);
}

TrainingSet VerifiedProblem(Random& random, int trial) {
  if (trial % 2 == 0) return RandomMultiLabelProblem(random, 6, 4, 3, trial % 4 == 0);
  return RandomProblem(random, RandomOptions(random));
}

}  // namespace

TEST_CASE("certificates of all learners hold") {
  Random random(51);
  for (int trial = 0; trial < 12; ++trial) {
    const Problem problem(VerifiedProblem(random, trial), 0.05);
    for (const TrainOptions& way : VerifiedWays()) {
      const VerifiedRun run = TrainVerified(problem, way);
      int examples = 0;
      VerifyOptions options;
      options.progress = [&](Index done) { CHECK(done == ++examples); };
      const Verification verification = Verify(problem, way, run, options);
      CAPTURE(trial);
      CAPTURE(verification.message);
      CHECK(verification.outcome == VerifyOutcome::kHolds);
      CHECK(examples == problem.size());
      CHECK(verification.primal_value <= verification.primal);
      CHECK(verification.dual <= verification.primal + kTight);
      CHECK(verification.dual_proved);
      const bool exact = run.summary.last.problem == CertifiedProblem::kExact;
      const double primal = exact ? ExactPrimal(problem.training(), 0.05, run.summary.weights)
                                  : RelaxedPrimal(problem.training(), 0.05, run.summary.weights);
      if (HasGlpk()) CHECK(Near(verification.primal, primal, kSolver));
    }
  }
}

TEST_CASE("without a learner the primal is verified") {
  Random random(52);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, true), 0.05);
  const VerifiedRun run = TrainVerified(problem, VerifiedWays()[0]);
  const Verification verification =
      VerifyCertificate(problem, run.summary.weights, run.summary.last, VerifiedWays()[0], nullptr);
  CHECK(verification.outcome == VerifyOutcome::kHolds);
  CHECK(std::isnan(verification.dual));
  CHECK_FALSE(verification.dual_proved);
}

TEST_CASE("verification rejects wrong claims") {
  Random random(53);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, trial % 2 == 0), 0.05);
    for (const TrainOptions& way : VerifiedWays()) {
      VerifiedRun run = TrainVerified(problem, way);
      const TrainSummary right = run.summary;
      CAPTURE(trial);
      CAPTURE(std::string(Name(way.learner)));
      CAPTURE(static_cast<int>(way.oracle));

      run.summary.last.primal = right.last.dual - 1e-3;
      CHECK(Verify(problem, way, run).outcome == VerifyOutcome::kFails);
      run.summary.last = right.last;

      run.summary.last.dual = right.last.primal + 1e-3;
      CHECK(Verify(problem, way, run).outcome == VerifyOutcome::kFails);
      run.summary.last.dual = right.last.dual + 1e-5;
      CHECK(Verify(problem, way, run).outcome == VerifyOutcome::kFails);
      run.summary.last = right.last;

      for (double& weight : run.summary.weights) weight = 2 * weight + 0.1;
      const Verification changed = Verify(problem, way, run);
      CHECK(changed.outcome == VerifyOutcome::kFails);
      CHECK(changed.message.find("the certificate does not hold") == 0);
    }
  }
}

TEST_CASE("where the oracle is exact the primal is the objective") {
  Random random(54);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, true), 0.05);
  for (const SolverKind oracle : {SolverKind::kAuto, SolverKind::kBruteForce}) {
    const TrainOptions way = ShortOptions(LearnerKind::kBcfw, StepKind::kPairwise, oracle);
    VerifiedRun run = TrainVerified(problem, way);
    run.summary.last.primal += 1e-5;
    CHECK(Verify(problem, way, run).outcome == VerifyOutcome::kFails);
  }
  const TrainOptions way = ShortOptions(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise);
  VerifiedRun al = TrainVerified(problem, way);
  al.summary.last.primal += 1e-5;
  CHECK(Verify(problem, way, al).outcome == VerifyOutcome::kHolds);
}

TEST_CASE("verification rejects infeasible dual points") {
  /// Returns the dual point of another learner with one coordinate or the loss changed.
  class Wrong : public DualPointSource {
   public:
    Wrong(const DualPointSource& right, double coordinate, double loss)
        : right_(right), coordinate_(coordinate), loss_(loss) {}
    bool PrimalIsObjective() const override { return right_.PrimalIsObjective(); }
    bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
      if (!right_.DualPoint(m, coordinates, loss)) return false;
      coordinates->back() += coordinate_;
      *loss += loss_;
      return true;
    }

   private:
    const DualPointSource& right_;
    double coordinate_, loss_;
  };
  Random random(55);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, true), 0.05);
  for (const TrainOptions& way : VerifiedWays()) {
    const VerifiedRun run = TrainVerified(problem, way);
    const auto verify = [&](double coordinate, double loss) {
      const Wrong wrong(*run.learner->traits().dual_point, coordinate, loss);
      return VerifyCertificate(problem, run.summary.weights, run.summary.last, way, &wrong).outcome;
    };
    CHECK(verify(0, 0) == VerifyOutcome::kHolds);
    CHECK(verify(1.1, 0) == VerifyOutcome::kFails);
    CHECK(verify(-1.1, 0) == VerifyOutcome::kFails);
    CHECK(verify(0, 1e-3) == VerifyOutcome::kFails);
  }
}

TEST_CASE("verification can be interrupted") {
  Random random(56);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, true), 0.05);
  const VerifiedRun run = TrainVerified(problem, VerifiedWays()[0]);
  std::atomic<int> interrupt{0};
  VerifyOptions options;
  options.interrupt = &interrupt;
  options.progress = [&](Index done) { interrupt = done == 2 ? 2 : 0; };
  const Verification verification = Verify(problem, VerifiedWays()[0], run, options);
  CHECK(verification.outcome == VerifyOutcome::kInterrupted);
  CHECK(verification.message == "verification interrupted after 2 of 6 examples");
}

TEST_CASE("another solver than the oracle verifies") {
  using K = SolverKind;
  constexpr auto kRelaxed = CertifiedProblem::kRelaxed;
  constexpr auto kExactProblem = CertifiedProblem::kExact;
  const auto full = FullBinary(6);
  const auto cycle = Cycle(4, 3);
  const auto chain = Grid(1, 4, 3);
  const auto binary_chain = Grid(1, 4, 2);
  CHECK(VerifyingSolver(*full, K::kRoof, kRelaxed) == (HasGlpk() ? K::kLp : K::kRoof));
  CHECK(VerifyingSolver(*full, K::kAuto, kRelaxed) == (HasGlpk() ? K::kLp : K::kRoof));
  CHECK(VerifyingSolver(*full, K::kMessages, kRelaxed) == K::kRoof);
  CHECK(VerifyingSolver(*full, K::kLp, kRelaxed) == K::kRoof);
  CHECK(VerifyingSolver(*full, K::kBranchAndBound, kExactProblem) == K::kBruteForce);
  CHECK(VerifyingSolver(*full, K::kBruteForce, kExactProblem) == K::kBranchAndBound);
  CHECK(VerifyingSolver(*FullBinary(60), K::kRoof, kRelaxed) == K::kRoof);
  CHECK(VerifyingSolver(*cycle, K::kMessages, kRelaxed) == (HasGlpk() ? K::kLp : K::kMessages));
  CHECK(VerifyingSolver(*cycle, K::kLp, kRelaxed) == (HasGlpk() ? K::kLpPolytope : K::kMessages));
  CHECK(VerifyingSolver(*cycle, K::kMessagesBranchAndBound, kExactProblem) == K::kBruteForce);
  CHECK(VerifyingSolver(*Cycle(20, 3), K::kMessagesBranchAndBound, kExactProblem) ==
        K::kBranchAndBound);
  CHECK(VerifyingSolver(*chain, K::kLp, kRelaxed) == K::kTree);
  CHECK(VerifyingSolver(*chain, K::kTree, kExactProblem) == K::kBruteForce);
  CHECK(VerifyingSolver(*binary_chain, K::kTree, kExactProblem) == K::kRoof);
  CHECK(VerifyingSolver(*binary_chain, K::kAuto, kExactProblem) == (HasGlpk() ? K::kLp : K::kRoof));
}

namespace {

/// Options whose objective differs from the plain one.
TrainOptions SlackRescaled(LearnerKind learner) {
  return {.learner = learner, .rescaling = Rescaling::kSlack};
}
TrainOptions Smoothed(double smoothing, double l1) {
  return {.learner = LearnerKind::kProxSdca, .smoothing = smoothing, .l1 = l1};
}
TrainOptions Kernelized(LearnerKind learner, KernelKind kernel) {
  TrainOptions options{.learner = learner, .kernel = kernel};
  if (kernel != KernelKind::kLinear) options.kernel_gamma = 0.7;
  return options;
}

/// Checks that the certificate of a run holds, and that claims are rejected with a smaller primal,
/// with a dual above the primal or above the dual point's value, and (all_of_weights) with other
/// weights.
void CheckVerification(const Problem& problem, TrainOptions options, bool all_of_weights) {
  options.max_passes = 40;
  const std::string learner(Name(options.learner));
  CAPTURE(learner);
  const std::unique_ptr<Learner> trained = MakeLearner(problem, options);
  trained->traits().dual_point->KeepDualPoint();
  const TrainSummary summary = RunTraining(problem, *trained, options, nullptr, nullptr);
  const auto outcome = [&](const ProgressRecord& claim, std::span<const double> weights) {
    return VerifyCertificate(problem, weights, claim, options, trained->traits().dual_point);
  };
  const Verification right = outcome(summary.last, summary.weights);
  CAPTURE(right.message);
  CHECK(right.outcome == VerifyOutcome::kHolds);
  CHECK(right.dual_proved);
  ProgressRecord wrong = summary.last;
  wrong.primal = 0.5 * right.primal_value;
  wrong.dual = std::min(wrong.dual, wrong.primal);
  CHECK(outcome(wrong, summary.weights).outcome == VerifyOutcome::kFails);
  wrong = summary.last;
  wrong.dual = 1.01 * right.primal;
  CHECK(outcome(wrong, summary.weights).outcome == VerifyOutcome::kFails);
  wrong.dual = std::min(right.primal, right.dual + 0.01 * right.primal);
  if (wrong.dual > right.dual + 1e-4)
    CHECK(outcome(wrong, summary.weights).outcome == VerifyOutcome::kFails);
  if (!all_of_weights) return;
  std::vector<double> other(summary.weights.size(), 10.0);
  CHECK(outcome(summary.last, other).outcome == VerifyOutcome::kFails);
}

}  // namespace

TEST_CASE("certificates of slack rescaling are verified where labellings cannot be enumerated") {
  Random random(78);
  ProblemOptions shape{.num_examples = 2, .num_variables = 9, .forest = true};
  const Problem forest(RandomProblem(random, shape), 0.05);
  shape.forest = false;
  shape.num_factors = 14;
  const Problem loops(RandomProblem(random, shape), 0.05);
  const TrainingSet labels = RandomMultiLabelProblem(random, 2, 13, 2, false);
  const Problem multilabel(MakeTrainingSet(labels.data, LossWith(LossForm::kF1)), 0.05);
  for (const Problem* problem : {&forest, &loops, &multilabel}) {
    for (const LearnerKind learner : {LearnerKind::kBcfw, LearnerKind::kCuttingPlane1})
      CheckVerification(*problem, SlackRescaled(learner), false);
  }
}

TEST_CASE("certificates of other objectives are verified") {
  Random random(77);
  const Problem multilabel(RandomMultiLabelProblem(random, 6, 3, 2, true), 0.1);
  const Problem forest(RandomProblem(random, {.forest = true}), 0.05);
  const Problem globals(RandomGlobalProblem(5, {.num_pairs = 0}), 0.1);
  for (const Problem* problem : {&multilabel, &forest, &globals}) {
    CheckVerification(*problem, SlackRescaled(LearnerKind::kCuttingPlane1), true);
    CheckVerification(*problem, SlackRescaled(LearnerKind::kCuttingPlaneN), true);
    for (const LearnerKind learner :
         {LearnerKind::kBcfw, LearnerKind::kFrankWolfe, LearnerKind::kProxSdca})
      CheckVerification(*problem, SlackRescaled(learner), true);
    for (const double l1 : {0.0, 0.01}) {
      CheckVerification(*problem, Smoothed(0.1, l1), true);
      CheckVerification(*problem, Smoothed(1e-4, l1), true);
    }
  }
  for (const KernelKind kernel : {KernelKind::kLinear, KernelKind::kPolynomial, KernelKind::kRbf}) {
    for (const LearnerKind learner : {LearnerKind::kBcfw, LearnerKind::kKernelBcfw}) {
      CheckVerification(multilabel, Kernelized(learner, kernel), true);
      CheckVerification(forest, Kernelized(learner, kernel), true);
    }
  }
}
