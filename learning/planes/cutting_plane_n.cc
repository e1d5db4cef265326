// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/planes/cutting_plane_n.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include <slackline/learning/example_blocks/active_set_block_learner.h>
#include <slackline/learning/planes/plane_options.h>

namespace slackline::internal {
namespace {

constexpr Index kBatch = 100;             // new labellings between two solutions of the program
constexpr double kProgramShare = 0.1;     // gap at which the program stops / the oracle's gap
constexpr Index kRoundsInPass = 20;       // most rounds of the program during a pass
constexpr Index kRoundsAfterPass = 200;   // most rounds of the program after a pass
constexpr double kTinyViolation = 1e-12;  // rounding error, as a share of the objective at w = 0
constexpr Index kRebuildEvery = 16;       // passes between two rebuilds of w

class CuttingPlaneNLearner : public ActiveSetBlockLearner {
 public:
  CuttingPlaneNLearner(const Problem& problem, const TrainOptions& options)
      : ActiveSetBlockLearner(
            problem, options,
            {.solver = options.oracle, .rescaling = options.rescaling, .stop = options.stop}, {}),
        at_zero_(PrimalAtZeroWeights(problem)),
        gap_(at_zero_) {}

  void RunPass(const StopControl& stop) override {
    double gap = 0;
    Index asked = 0;
    Index fresh = 0;
    const std::span<const Index> order = visits_.Permutation();
    for (std::size_t k = 0; k < order.size(); ++k) {
      visits_.Before(order, k);
      const Index m = order[k];
      const ActiveSetBlocks::VisitResult answer =
          blocks_.Ask(m, options_.own<PlaneOptions>().prune_after);
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
    if (++pass_ % kRebuildEvery == 0) blocks_.Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    const double loss = blocks_.WeightsOfPoint(&evaluated_);
    Evaluation evaluation;
    evaluation.problem = certified();
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

  void Archive(StateArchive* archive) override {
    archive->Tag("cutting-plane-n");
    ArchiveCommon(archive);
    archive->FiniteReal(&gap_);
    archive->Passes(&pass_);
  }

  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    gap_ = at_zero_;
  }

 private:
  /// Makes rounds of pairwise steps over the active sets of all examples, until the mean gap over
  /// the examples is at most `tolerance`.
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

  double at_zero_;
  double gap_;  // mean over the examples, from the last complete pass
};

}  // namespace

std::unique_ptr<Learner> MakeCuttingPlaneNLearner(const Problem& problem,
                                                  const TrainOptions& options) {
  return std::make_unique<CuttingPlaneNLearner>(problem, options);
}

namespace {

constexpr std::span<const OptionRecord> kCuttingPlaneOptionLists[] = {kPlaneOptions};

}  // namespace

constinit const LearnerRecord kCuttingPlaneNLearner = {
    .name = "cutting-plane-n",
    .summary = "cutting planes, one slack per example",
    .section = "Cutting planes: `cutting-plane-1`, `cutting-plane-n`, `bmrm`",
    .make = MakeCuttingPlaneNLearner,
    .variants = kOracleVariants,
    .reads = "rescaling oracle",
    .options = kCuttingPlaneOptionLists,
    .own_steps = "takes no steps: it solves a quadratic program over its planes",
    .own_order = "always goes through all examples in a fresh random order"};

}  // namespace slackline::internal
