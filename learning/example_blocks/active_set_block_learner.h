// SPDX-License-Identifier: BSD-3-Clause
//
// Common part of the learners that keep an active set per example: the oracle of the passes, and
// the active sets with their dual point, weights, averages and counts (active_set_blocks.h).
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/example_blocks/active_set_blocks.h>
#include <slackline/learning/example_blocks/example_block_learner.h>

namespace slackline::internal {

class ActiveSetBlockLearner : public ExampleBlockLearner, public CheckAdvisor {
 public:
  std::span<const ActiveSet> sets() const { return blocks_.sets(); }
  /// The weights that the steps have reached (ActiveSetBlocks::reached).
  std::span<const double> reached() const { return blocks_.reached(); }

 protected:
  /// Options of ActiveSetBlocks.
  struct Steps {
    StepKind step = StepKind::kPairwise;
    AverageRule average = {};
    int threads = 1;
  };
  /// oracle: options of the oracle of the passes; the evaluator's oracle has the same options with
  /// Effort::kChecking. Throws DataError when the oracle does not apply to one of the problem's
  /// structures.
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

  /// Archives the state that every pass depends on.
  void ArchiveCommon(StateArchive* archive) {
    visits_.Archive(archive);
    oracle_.Archive(archive);
    blocks_.Archive(archive);
    if (archive->loading()) evaluated_.clear();
  }

  /// Continues with another λ from the current dual point.
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
