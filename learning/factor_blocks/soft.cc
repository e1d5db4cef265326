// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/soft.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <slackline/core/check.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/factor_blocks/soft_learner.h>
#include <slackline/learning/make_in_shards.h>

namespace slackline::internal {
SoftPenalty::SoftPenalty(const TrainOptions& options, Index num_examples)
    : schedule_(options.own<SoftOptions>()) {
  const auto& penalty = options.own<PenaltyOptions>();
  first_ = penalty.rho > 0 ? penalty.rho : 1;
  scale_ = penalty.rho_scale == RhoScale::kPaper ? static_cast<double>(num_examples) : 1;
}

double SoftPenalty::RhoAt(Index pass) const {
  double rho = first_;
  if (schedule_.rho_final > 0) {
    const double share =
        schedule_.rho_passes <= 1
            ? 1.0
            : std::min(1.0, static_cast<double>(pass) / (schedule_.rho_passes - 1));
    rho *= std::pow(schedule_.rho_final / rho, share);
  }
  return rho * scale_;
}

std::unique_ptr<Learner> MakeSoftLearner(const Problem& problem, const TrainOptions& options) {
  if (options.shards > 1) return MakeInShards(problem, options);
  return std::make_unique<SoftLearner<FactorLearner>>(problem, options);
}

namespace {

constexpr OptionRecord kSoftOptions[] = {{.name = "rho-final",
                                          .placeholder = "R",
                                          .text = "soft: decrease ρ to this value",
                                          .default_text = "ρ stays constant",
                                          .field = Field<&SoftOptions::rho_final>,
                                          .minimum = kSmallestStrength,
                                          .maximum = kLargestStrength,
                                          .positive = true},
                                         {.name = "rho-passes",
                                          .placeholder = "N",
                                          .text = "soft: passes over which ρ decreases",
                                          .default_text = "100",
                                          .field = Field<&SoftOptions::rho_passes>,
                                          .minimum = 1,
                                          .maximum = std::numeric_limits<Index>::max(),
                                          .positive = true,
                                          .needs = "rho-final"}};
constexpr std::span<const OptionRecord> kSoftOptionLists[] = {kPenaltyOptions, kSoftOptions};
constexpr LearnerVariant kSoftVariants[] = {
    {.options = "--smoothing",
     .applies = [](const TrainOptions& options) { return options.smoothing > 0; },
     .needs = kNeedsFactors | NeedsAll(Need::kTables)},
    {.needs = kNeedsFactors}};

void CheckSoft(const TrainOptions& options) {
  const double rho = options.own<PenaltyOptions>().rho;
  if (options.own<SoftOptions>().rho_final > (rho > 0 ? rho : 1))
    throw DataError("--rho-final must not be larger than --rho: the penalty gets stricter");
}

}  // namespace

constinit const LearnerRecord kSoftLearner = {
    .name = "soft",
    .summary = "factor blocks with a penalty instead of constraints",
    .section = "Soft constraints: `soft`",
    .make = MakeSoftLearner,
    .variants = kSoftVariants,
    .reads = "proximal smoothing shards",
    .options = kSoftOptionLists,
    .check = CheckSoft};

}  // namespace slackline::internal
