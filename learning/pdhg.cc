// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/pdhg.h>

#include <slackline/core/check.h>
#include <slackline/learning/auto/labellings_first.h>
#include <slackline/learning/primal_dual/pdhg.h>

namespace slackline::internal {
namespace {

std::unique_ptr<Learner> MakePdhg(const Problem& problem, const TrainOptions& options) {
  if (options.own<PdhgOptions>().labellings == Switch::kOn)
    return MakeLabellingsFirstLearner(problem, options);
  return MakeSaddleLearner(problem, options);
}

constexpr OptionRecord kPdhgOptions[] = {
    {.name = "labellings",
     .placeholder = "auto|on|off",
     .text = "pdhg: begin with labellings as corners, as long as they promise to be faster; auto: "
             "on with --learner auto",
     .default_text = "auto",
     .field = Field<&PdhgOptions::labellings>,
     .special_values = "on"}};

/// Requires that the learner of the options is pdhg.
void CheckPdhg(const TrainOptions& options) {
  if (options.oracle == SolverKind::kAuto) return;
  if (options.own<PdhgOptions>().labellings != Switch::kOn)
    throw DataError("--oracle needs --labellings on: the saddle point calls no oracle");
  if (options.oracle != SolverKind::kMessages &&
      options.oracle != SolverKind::kMessagesBranchAndBound)
    throw DataError(
        "--labellings on needs --oracle messages or messages-branch-and-bound, which find "
        "labellings");
}

constexpr std::span<const OptionRecord> kPdhgOptionLists[] = {kPdhgOptions};
constexpr LearnerVariant kPdhgVariants[] = {
    {.needs = NeedsAll(Need::kSumLoss, Need::kTables, Need::kNoGlobals, Need::kEveryState)}};

}  // namespace

constinit const LearnerRecord kPdhgLearner = {
    .name = "pdhg",
    .summary = "the relaxed problem as one saddle point, for graphs with cycles",
    .section = "The saddle point: `pdhg`",
    .make = MakePdhg,
    .variants = kPdhgVariants,
    .reads = "oracle",
    .options = kPdhgOptionLists,
    .own_steps = "takes steps of the primal-dual hybrid gradient method only",
    .own_order = "takes all examples at once",
    .check = CheckPdhg};

}  // namespace slackline::internal
