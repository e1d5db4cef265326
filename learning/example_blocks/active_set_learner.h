// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `bcfw --step pairwise`: example blocks that keep active sets. The fastest learner where
// the oracle is exact and cheap: binary pairwise graphs (roof duality) and graphs without cycles
// (dynamic programming).
//
// Sources: active_set.h and active_set_blocks.h for the blocks; Shah, Kolmogorov, Lampert, CVPR
// 2015, section 3.4, for the rule that decides between the oracle and the active sets; Osokin et
// al., ICML 2016, for gaps as the measure of which examples are worth a call. Axes: blocks =
// examples · oracle = the fastest of example_oracle.h · step = pairwise over
// active sets · order = permutation, less the examples whose gap was small.
//
// A pass is one round of oracle calls and then rounds over the active sets alone, as long as these
// raise the dual faster, per unit of work, than the pass as a whole has done so far. Work is
// counted in operations, not in seconds, so that runs replay.
//
// With order gap, rounds of oracle calls leave out examples whose gap was far below the mean when
// the oracle was last asked. Old gaps say little (a fixed refresh every tenth pass cost a factor of
// three on Reuters), so what is remembered of a gap doubles with every round, and a twentieth of
// the mean is added: no example waits for longer than four rounds, or one more where the mean grows
// meanwhile. Rounds over the active sets do the same with the gaps among these.
#pragma once

#include <memory>

#include <slackline/learning/example_blocks/active_set_block_learner.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// What others may take over from it.
class ActiveSetLearnerBase : public ActiveSetBlockLearner {
 public:
  /// The work of one oracle call for every example, as calls have taken so far.
  virtual double WorkOfRound() const = 0;

 protected:
  using ActiveSetBlockLearner::ActiveSetBlockLearner;
};

std::unique_ptr<ActiveSetLearnerBase> MakeActiveSetLearner(const Problem& problem,
                                                           const TrainOptions& options);

}  // namespace slackline::internal
