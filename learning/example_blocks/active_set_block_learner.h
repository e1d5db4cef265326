// SPDX-License-Identifier: BSD-3-Clause
//
// What learners have in common that keep an active set per example: the oracle of the passes, and
// the sets with their point, weights, averages and counts (active_set_blocks.h).
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/example_blocks/active_set_blocks.h>
#include <slackline/learning/example_blocks/example_block_learner.h>

namespace slackline::internal {

class ActiveSetBlockLearner : public ExampleBlockLearner, public CheckAdvisor {
 public:
  std::span<const ActiveSet> sets() const { return blocks_.sets(); }
  /// The weights that its steps have reached.
  std::span<const double> reached() const { return blocks_.reached(); }

 protected:
  /// How the blocks step (ActiveSetBlocks).
  struct Steps {
    StepKind step = StepKind::kPairwise;
    AverageKind average = AverageKind::kOff;
    int threads = 1;
  };
  /// oracle: of the passes; the evaluator has the same with more effort. Throws DataError when it
  /// does not apply to one of the problem's structures.
  ActiveSetBlockLearner(const Problem& problem, const TrainOptions& options,
                        const ExampleOracle::Options& oracle, const Steps& steps)
      : ExampleBlockLearner(problem, options, Checking(oracle)),
        oracle_(problem, oracle),
        blocks_(problem, &oracle_, steps.step, steps.average, steps.threads) {
    traits_.advisor = this;
  }

  CertifiedProblem certified() const {
    return oracle_.relaxed() ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
  }

  /// What every pass depends on.
  void ArchiveCommon(StateArchive* archive) {
    visits_.Archive(archive);
    oracle_.Archive(archive);
    blocks_.Archive(archive);
    if (archive->loading()) evaluated_.clear();
  }

  /// Goes on with another λ, from the dual point that was reached.
  void ChangeProblem(const Problem& problem) {
    ExampleBlockLearner::ChangeProblem(problem);
    oracle_.set_problem(problem);
    blocks_.ChangeLambda(problem);
  }

  ExampleOracle oracle_;
  ActiveSetBlocks blocks_;

 private:
  static ExampleOracle::Options Checking(ExampleOracle::Options oracle) {
    oracle.effort = ExampleOracle::Effort::kChecking;
    return oracle;
  }
};

}  // namespace slackline::internal
