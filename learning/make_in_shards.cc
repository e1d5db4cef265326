// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/make_in_shards.h>

#include <slackline/learning/shards/sharded_factor_blocks.h>
#include <slackline/learning/shards/sharded_learner.h>
#include <slackline/learning/shards/sharded_points.h>

namespace slackline::internal {

std::unique_ptr<Learner> MakeInShards(const Problem& problem, const TrainOptions& options) {
  if (options.learner == LearnerKind::kProxSdca)
    return MakeShardedProxSdcaLearner(problem, options);
  if (options.learner == LearnerKind::kSoft) return MakeShardedSoftLearner(problem, options);
  if (options.learner == LearnerKind::kAugmentedLagrangian)
    return MakeShardedLagrangianLearner(problem, options);
  if (options.step == StepKind::kFrankWolfe) return MakeShardedBcfwLearner(problem, options);
  return MakeShardedLearner(problem, options);
}

}  // namespace slackline::internal
