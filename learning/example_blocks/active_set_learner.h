// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `bcfw --step pairwise`: example blocks that keep active sets. The fastest learner where
// the oracle is exact and cheap: binary pairwise graphs (roof duality) and graphs without cycles
// (dynamic programming).
//
// Sources: active_set.h and active_set_blocks.h for the blocks; Shah, Kolmogorov, Lampert, CVPR
// 2015, section 3.4, for the rule that decides between the oracle and the active sets; Osokin et
// al., ICML 2016, for gaps as the measure of which examples are worth a call. Axes: blocks =
// examples · oracle = the fastest of example_oracle.h · step = pairwise over active sets · order =
// permutation, without the examples whose gap was small.
//
// A pass is one round of oracle calls and then rounds over the active sets alone
// (active_set_rounds.h). With order gap, rounds skip examples that seem to be not worth a visit
// (example_gaps.h).
#pragma once

#include <memory>
#include <span>

#include <slackline/learning/example_blocks/active_set_blocks.h>
#include <slackline/learning/example_blocks/example_block_learner.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The part of the learner that other learners use: the oracle of the passes, and the active sets
/// with their dual point, weights, averages and counts (active_set_blocks.h).
class ActiveSetLearnerBase : public ExampleBlockLearner, public CheckAdvisor {
 public:
  std::span<const ActiveSet> sets() const { return blocks_.sets(); }
  /// The weights that the steps have reached (ActiveSetBlocks::reached).
  std::span<const double> reached() const { return blocks_.reached(); }
  /// The work of one oracle call for every example, estimated from the calls so far.
  virtual double WorkOfRound() const = 0;

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
  ActiveSetLearnerBase(const Problem& problem, const TrainOptions& options,
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

std::unique_ptr<ActiveSetLearnerBase> MakeActiveSetLearner(const Problem& problem,
                                                           const TrainOptions& options);

}  // namespace slackline::internal
