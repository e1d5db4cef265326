// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `cutting-plane-n`: cutting planes with a slack variable per example.
//
// Source: Tsochantaridis, Joachims, Hofmann, Altun, "Large margin methods for structured and
// interdependent output variables", JMLR 6, 2005, Algorithm 1 with its variant (a): the most
// violated labelling is added to the active set (their working set) of every example. The dual over
// all active sets is solved again after every kBatch new labellings (100, as in the authors'
// program) and at the end of a pass. Axes: blocks = examples · oracle = any, over examples · step =
// pairwise, over active sets, to the optimum · order = a fresh permutation.
//
//   symbol      here      shape
//   w           blocks_   num_weights
//   S_m, α_m    blocks_   active set of example m and its weights (active_set_blocks.h)
//   H           none      inner products only of corners of the same example; those of different
//                         examples are computed through w
//
// The program over a product of M simplexes is solved by pairwise steps on one example after the
// other, until its gap is a tenth of the oracle's. A matrix of all inner products would be too
// large (800 MB for two thousand examples with five corners each). There is no constraint cache,
// because at the optimum of the program no labelling of an active set is violated.
//
// Certificate: as bcfw with active sets. Cost of a pass: M oracle calls and several rounds of the
// program, each of which costs about as much as a pass without its oracle calls.
#include <span>
#include <vector>

#include <slackline/learning/example_blocks/active_set_blocks.h>
#include <slackline/learning/planes/plane_options.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

constexpr Index kBatch = 100;             // new labellings between two solutions of the program
constexpr double kProgramShare = 0.1;     // gap at which the program stops / the oracle's gap
constexpr Index kRoundsInPass = 20;       // most rounds of the program during a pass
constexpr Index kRoundsAfterPass = 200;   // most rounds of the program after a pass
constexpr double kTinyViolation = 1e-12;  // rounding error, as a share of the objective at w = 0

ExampleOracle::Options OracleOfPlanes(const TrainOptions& options, ExampleOracle::Effort effort) {
  return {.solver = options.oracle,
          .effort = effort,
          .rescaling = options.rescaling,
          .stop = options.stop};
}

class CuttingPlaneNLearner : public Learner, public DualPointSource, public CheckAdvisor {
 public:
  CuttingPlaneNLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        prune_after_(options.own<PlaneOptions>().prune_after),
        visits_(options, problem.data()),
        evaluator_(problem, OracleOfPlanes(options, ExampleOracle::Effort::kChecking)),
        oracle_(problem, OracleOfPlanes(options, ExampleOracle::Effort::kTraining)),
        blocks_(problem, &oracle_, StepKind::kPairwise),
        at_zero_(PrimalAtZeroWeights(problem)),
        gap_(at_zero_) {
    traits_ = {.dual_point = this, .advisor = this};
  }

  /// Lines 4 to 12 of Algorithm 1: the loop over all examples.
  void RunPass(const StopControl& stop) override {
    double gap = 0;
    Index asked = 0;
    Index fresh = 0;
    const std::span<const Index> order = visits_.Permutation();
    for (std::size_t k = 0; k < order.size(); ++k) {
      visits_.Before(order, k);
      const ActiveSetBlocks::VisitResult answer = blocks_.Ask(order[k], prune_after_);
      gap += answer.gap;
      ++asked;
      fresh += answer.spread > kTinyViolation * at_zero_ ? 1 : 0;
      if (stop.ShouldStop()) break;
      if (fresh >= kBatch) {
        fresh = 0;
        SolveProgram(kProgramShare * gap / asked, kRoundsInPass, stop);
      }
    }
    if (asked == problem_.size()) gap_ = gap / asked;
    SolveProgram(kProgramShare * gap / asked, kRoundsAfterPass, stop);
    if (++pass_ % ActiveSetBlocks::kRebuildEvery == 0) blocks_.Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    const double loss = blocks_.WeightsOfPoint(&evaluated_);
    Evaluation evaluation;
    evaluation.problem = oracle_.relaxed() ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
    evaluation.dual = loss - Regulariser(problem_.lambda(), evaluated_);
    evaluation.primal = evaluator_.Primal(evaluated_, blocks_.sets(), blocks_.warm(), threads);
    return evaluation;
  }

  double GapEstimate() const override { return gap_; }
  WorkCounts work() const override { return {blocks_.oracle_calls(), blocks_.steps()}; }

  bool DualPointIsBest() const override { return true; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = blocks_.PointOfExample(m, coordinates);
    return true;
  }

 private:
  /// Line 10a: makes rounds of pairwise steps over the active sets of all examples, until the mean
  /// gap over the examples is at most `tolerance`.
  void SolveProgram(double tolerance, Index most_rounds, const StopControl& stop) {
    for (Index round = 0; round < most_rounds; ++round) {
      double gap = 0;
      for (Index m = 0; m < problem_.size(); ++m) {
        if (blocks_.kept(m) < 2) continue;
        gap += blocks_.Visit(m, false).spread;
        if (stop.ShouldStop()) return;
      }
      if (gap / problem_.size() <= tolerance) break;
    }
  }

  Problem problem_;
  Index prune_after_;
  ExampleVisits visits_;
  ExampleEvaluator evaluator_;
  ExampleOracle oracle_;
  ActiveSetBlocks blocks_;
  double at_zero_;
  double gap_;  // mean over the examples, from the last complete pass
  Index pass_ = 0;
};

}  // namespace

constinit const LearnerRecord kCuttingPlaneNLearner = {
    .name = "cutting-plane-n",
    .summary = "cutting planes, one slack per example",
    .section = "Cutting planes: `cutting-plane-1`, `cutting-plane-n`, `bmrm`",
    .make = MakeReference<CuttingPlaneNLearner>,
    .variants = kOracleVariants,
    .reads = "rescaling oracle",
    .options = kPlaneOptionLists,
    .own_steps = "takes no steps: it solves a quadratic program over its planes",
    .own_order = "always goes through all examples in a fresh random order",
    .keeps_state = false};

}  // namespace slackline::internal
