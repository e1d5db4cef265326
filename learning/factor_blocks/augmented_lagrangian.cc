// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/factor_blocks/lagrangian_learner.h>
#include <slackline/learning/make_in_shards.h>

namespace slackline::internal {
namespace {

/// Initial ρ as a multiple of s = λM/R²; PenaltyControl balances ρ from there.
constexpr double kStartOfRho = 3;

bool Balances(const TrainOptions& options) { return options.own<PenaltyOptions>().rho <= 0; }

}  // namespace

LagrangianControl::LagrangianControl(const TrainOptions& options, double penalty_scale,
                                     Index num_examples)
    : options_(options),
      scale_(penalty_scale),
      num_examples_(num_examples),
      control_(First(), Balances(options), penalty_scale) {}

PenaltySettings LagrangianControl::First() const {
  PenaltySettings settings;
  settings.tau = options_.own<AugmentedLagrangianOptions>().tau;
  const auto& penalty = options_.own<PenaltyOptions>();
  if (Balances(options_)) {
    settings.rho = kStartOfRho * scale_;
  } else {
    settings.rho =
        penalty.rho_scale == RhoScale::kPaper ? penalty.rho * num_examples_ : penalty.rho;
  }
  return settings;
}

void LagrangianControl::Archive(StateArchive* archive) {
  control_.Archive(archive);
  archive->Real(&best_primal_);
}

std::string LagrangianControl::Adapt(Index pass, const Evaluation& evaluation) {
  best_primal_ = std::min(best_primal_, evaluation.primal);
  return control_.Observe({pass, evaluation.primal, evaluation.soft_dual, evaluation.dual,
                           best_primal_ - evaluation.dual});
}

void LagrangianControl::ChangeScale(double penalty_scale) {
  const double balanced = control_.settings().rho / scale_;
  scale_ = penalty_scale;
  PenaltySettings settings = First();
  if (Balances(options_)) settings.rho = balanced * scale_;
  control_ = PenaltyControl(settings, Balances(options_), scale_);
  best_primal_ = kInfinity;
}

std::unique_ptr<Learner> MakeAugmentedLagrangianLearner(const Problem& problem,
                                                        const TrainOptions& options) {
  if (options.shards > 1) return MakeInShards(problem, options);
  return std::make_unique<LagrangianLearner<FactorLearner>>(problem, options);
}

namespace {

constexpr OptionRecord kAugmentedLagrangianOptions[] = {
    {.name = "tau",
     .placeholder = "T",
     .text = "al: length of a multiplier step",
     .default_text = "1",
     .field = Field<&AugmentedLagrangianOptions::tau>,
     .maximum = 1,
     .positive = true},
    {.name = "shrinking",
     .placeholder = "auto|on|off",
     .text = "al: let most passes skip pairs of labels that stay off",
     .default_text = "auto",
     .field = Field<&AugmentedLagrangianOptions::shrinking>,
     .special_values = "on off"}};
constexpr std::span<const OptionRecord> kAugmentedLagrangianOptionLists[] = {
    kPenaltyOptions, kAugmentedLagrangianOptions};
constexpr LearnerVariant kAugmentedLagrangianVariants[] = {{.needs = kNeedsFactors}};

void CheckAugmentedLagrangian(const TrainOptions& options) {
  if (options.own<AugmentedLagrangianOptions>().tau <= 0)
    throw DataError("--tau: must be > 0 and ≤ 1");
}

}  // namespace

constinit const LearnerRecord kAugmentedLagrangianLearner = {
    .name = "al",
    .summary = "augmented Lagrangian, solves the LP-relaxed problem by factor blocks",
    .section = "Augmented Lagrangian: `al`",
    .make = MakeAugmentedLagrangianLearner,
    .variants = kAugmentedLagrangianVariants,
    .reads = "proximal shards",
    .options = kAugmentedLagrangianOptionLists,
    .check = CheckAugmentedLagrangian};

}  // namespace slackline::internal
