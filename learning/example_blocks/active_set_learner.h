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

#include <slackline/learning/example_blocks/active_set_block_learner.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The part of the learner that other learners use.
class ActiveSetLearnerBase : public ActiveSetBlockLearner {
 public:
  /// The work of one oracle call for every example, estimated from the calls so far.
  virtual double WorkOfRound() const = 0;

 protected:
  using ActiveSetBlockLearner::ActiveSetBlockLearner;
};

std::unique_ptr<ActiveSetLearnerBase> MakeActiveSetLearner(const Problem& problem,
                                                           const TrainOptions& options);

}  // namespace slackline::internal
