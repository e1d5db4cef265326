// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/make_in_shards.h>
#include <slackline/learning/step/proximal_control.h>

namespace slackline::internal {
namespace {

/// Initial ρ as a multiple of s = λM/R²; PenaltyControl balances ρ from there.
constexpr double kStartOfRho = 3;

bool Balances(const TrainOptions& options) { return options.own<PenaltyOptions>().rho <= 0; }

class AugmentedLagrangianLearner : public FactorLearner, public CheckListener {
 public:
  AugmentedLagrangianLearner(const Problem& problem, const TrainOptions& options)
      : FactorLearner(problem, options, /*multipliers=*/true),
        proximal_(options.proximal != Switch::kOff),
        control_(options, problem.penalty_scale(), problem.size()),
        kappa_(Kappa(problem)),
        steps_since_update_(problem.size(), 0) {
    traits_.listener = this;
  }

  void RunPass(const StopControl& stop) override {
    const PenaltySettings& settings = control_.settings();
    blocks().set_rho(settings.rho);
    const double eta_step = settings.tau / settings.rho;
    if (uniform_order()) {
      StepUniformBlocks(stop, [&](const Block& block) { StepAndUpdate(block, eta_step); });
    } else {
      const bool update = (pass() + 1) % settings.visits_per_update == 0;
      VisitAll(stop, update ? eta_step : 0);
    }
    if (kappa_ > 0 && !stop.ShouldStop()) blocks().MoveCentre(kappa_);
    FinishPass();
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = FactorLearner::Evaluate(threads);
    evaluation.tau = control_.settings().tau;
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override {
    return control_.Adapt(pass(), evaluation);
  }

  void Archive(StateArchive* archive) override {
    FactorLearner::Archive(archive);
    control_.ArchiveSettings(archive);
    archive->Offsets(steps_since_update_);
    control_.ArchiveBest(archive);
  }

  void ChangeLambda(const Problem& changed) override {
    FactorLearner::ChangeLambda(changed);
    control_.ChangeScale(changed.penalty_scale());
    std::fill(steps_since_update_.begin(), steps_since_update_.end(), Offset{0});
    kappa_ = Kappa(changed);
  }

 private:
  double Kappa(const Problem& problem) const {
    return proximal_ ? FirstKappa(problem, LagrangianControl::kCentre) : 0;
  }

  /// Makes a block step, and updates the multipliers of the example once the steps on its blocks
  /// amount to visits_per_update visits.
  void StepAndUpdate(const Block& block, double eta_step) {
    blocks().StepBlock(block.example, block.part);
    Offset& steps = steps_since_update_[block.example];
    const Offset parts = problem().data().example(block.example).graph().num_blocks();
    if (++steps < parts * control_.settings().visits_per_update) return;
    blocks().UpdateMultipliers(block.example, eta_step);
    steps = 0;
  }

  bool proximal_;
  LagrangianControl control_;
  double kappa_;
  std::vector<Offset> steps_since_update_;
};

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
  return std::make_unique<AugmentedLagrangianLearner>(problem, options);
}

namespace {

constexpr OptionRecord kOptions[] = {
    {.name = "tau",
     .placeholder = "T",
     .text = "al: length of a multiplier step",
     .default_text = "1",
     .field = Field<&AugmentedLagrangianOptions::tau>,
     .maximum = 1,
     .positive = true},
    {.name = "shrinking",
     .placeholder = "auto|off",
     .text = "al: let most passes skip pairs of labels that stay off",
     .default_text = "auto",
     .field = Field<&AugmentedLagrangianOptions::shrinking>,
     .special_values = "off"}};
constexpr std::span<const OptionRecord> kOptionLists[] = {kPenaltyOptions, kOptions};
constexpr LearnerVariant kVariants[] = {{.needs = kNeedsFactors}};

void Check(const TrainOptions& options) {
  if (options.own<AugmentedLagrangianOptions>().tau <= 0)
    throw DataError("--tau: must be > 0 and ≤ 1");
}

}  // namespace

constinit const LearnerRecord kAugmentedLagrangianLearner = {
    .name = "al",
    .summary = "augmented Lagrangian, solves the LP-relaxed problem by factor blocks",
    .section = "Augmented Lagrangian: `al`",
    .make = MakeAugmentedLagrangianLearner,
    .variants = kVariants,
    .reads = "proximal shards",
    .options = kOptionLists,
    .check = Check};

}  // namespace slackline::internal
