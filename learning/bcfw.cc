// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/bcfw.h>

#include <slackline/core/check.h>
#include <slackline/learning/auto/race_learner.h>
#include <slackline/learning/example_blocks/active_set_learner.h>
#include <slackline/learning/example_blocks/plain_bcfw.h>
#include <slackline/learning/make_in_shards.h>
#include <slackline/learning/oracle/inexact_options.h>

namespace slackline::internal {
namespace {

constexpr Exclusion kExcludedByPlanes[] = {
    {.values = "on", .other = "average", .reason = "planes have no iterates to average"},
    {.values = "on", .other = "keep-newest", .reason = "planes find the best weights"}};
constexpr Exclusion kExcludedByBatchStart[] = {
    {.other = "fixed-step", .reason = "it searches a line"}};

constexpr OptionRecord kBcfwOptions[] = {
    {.name = "planes",
     .placeholder = "auto|on|off",
     .text = "bcfw with active sets: switch to cutting planes over all examples, or to factor "
             "blocks, where these are faster; auto: on with --learner auto",
     .default_text = "auto",
     .field = Field<&BcfwOptions::planes>,
     .special_values = "on",
     .excludes = kExcludedByPlanes},
    {.name = "batch-start",
     .text = "bcfw with fw steps: the first pass is one Frank-Wolfe step on all examples at once",
     .default_text = "off",
     .field = Field<&BcfwOptions::batch_start>,
     .special_values = "on",
     .excludes = kExcludedByBatchStart}};
constexpr std::span<const OptionRecord> kBcfwOptionLists[] = {kBcfwOptions, kInexactOptions};
constexpr LearnerVariant kBcfwVariants[] = {
    kAssociativeVariant, kSlackVariant, {.needs = kNeedsOracle}};

std::unique_ptr<Learner> Make(const Problem& problem, const TrainOptions& options) {
  if (options.shards > 1) return MakeInShards(problem, options);
  if (options.own<BcfwOptions>().planes == Switch::kOn) return MakeRaceLearner(problem, options);
  if (options.step != StepKind::kFrankWolfe) return MakeActiveSetLearner(problem, options);
  return MakePlainBcfwLearner(problem, options);
}

/// Requires that the learner of the options is bcfw or auto.
void CheckBcfw(const TrainOptions& options) {
  const auto& own = options.own<BcfwOptions>();
  const bool given = options.learner == LearnerKind::kBcfw;
  const bool frank_wolfe =
      options.step == StepKind::kFrankWolfe || (options.step == StepKind::kAuto && given);
  if (options.fixed_step && given && !frank_wolfe) {
    throw DataError("--fixed-step needs --step fw: pairwise and away steps use a line search");
  }
  CheckInexact(options, frank_wolfe || (!given && options.step == StepKind::kAuto));
  if (own.batch_start && !frank_wolfe)
    throw DataError("--batch-start needs --learner bcfw with --step fw");
  if (options.proximal == Switch::kOn && given && frank_wolfe)
    throw DataError("--proximal on needs --step pairwise or away: plain bcfw has no centre");
  if (own.planes == Switch::kOn && given && frank_wolfe)
    throw DataError("--planes on needs --step pairwise or away: plain bcfw keeps no active sets");
  if (options.order == OrderKind::kGap && frank_wolfe)
    throw DataError("--order gap needs --step pairwise or away: plain bcfw keeps no gaps");
}

}  // namespace

constinit const LearnerRecord kBcfwLearner = {
    .name = "bcfw",
    .summary = "block-coordinate Frank-Wolfe: one block per example, with an oracle",
    .section = "Frank-Wolfe: `fw` and `bcfw`",
    .make = Make,
    .variants = kBcfwVariants,
    .reads =
        "step order average keep-newest proximal fixed-step shards rescaling associative oracle",
    .options = kBcfwOptionLists,
    .check = CheckBcfw};

}  // namespace slackline::internal
