// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/factor_blocks/penalty_control.h>
#include <slackline/learning/step/proximal_control.h>

namespace slackline::internal {
namespace {

/// Initial ρ as a multiple of s = λM/R²; PenaltyControl balances ρ from there.
constexpr double kStartOfRho = 3;

/// κ of the proximal centre, as a multiple of λ.
constexpr double kCentre = 10;

PenaltySettings StartSettings(const Problem& problem, const TrainOptions& options) {
  PenaltySettings settings;
  settings.tau = options.own<AugmentedLagrangianOptions>().tau;
  const auto& penalty = options.own<PenaltyOptions>();
  if (penalty.rho <= 0) {
    settings.rho = kStartOfRho * problem.penalty_scale();
  } else {
    settings.rho =
        penalty.rho_scale == RhoScale::kPaper ? penalty.rho * problem.size() : penalty.rho;
  }
  return settings;
}

class AugmentedLagrangianLearner : public FactorLearner, public CheckListener {
 public:
  AugmentedLagrangianLearner(const Problem& problem, const TrainOptions& options)
      : FactorLearner(problem, options, /*multipliers=*/true),
        options_(options),
        control_(StartSettings(problem, options), options.own<PenaltyOptions>().rho <= 0,
                 problem.penalty_scale()),
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
    best_primal_ = std::min(best_primal_, evaluation.primal);
    return control_.Observe({pass(), evaluation.primal, evaluation.soft_dual, evaluation.dual,
                             best_primal_ - evaluation.dual});
  }

  void Archive(StateArchive* archive) override {
    FactorLearner::Archive(archive);
    control_.Archive(archive);
    archive->Offsets(steps_since_update_);
    archive->Real(&best_primal_);
  }

  void ChangeLambda(const Problem& changed) override {
    // The balanced ρ, as a multiple of the problem's scale, is a better start than the default.
    const double balanced = control_.settings().rho / problem().penalty_scale();
    FactorLearner::ChangeLambda(changed);
    PenaltySettings settings = StartSettings(changed, options_);
    if (options_.own<PenaltyOptions>().rho <= 0) settings.rho = balanced * changed.penalty_scale();
    control_ =
        PenaltyControl(settings, options_.own<PenaltyOptions>().rho <= 0, changed.penalty_scale());
    std::fill(steps_since_update_.begin(), steps_since_update_.end(), Offset{0});
    kappa_ = Kappa(changed);
    best_primal_ = kInfinity;
  }

 private:
  double Kappa(const Problem& problem) const {
    return options_.proximal == Switch::kOff ? 0 : FirstKappa(problem, kCentre);
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

  TrainOptions options_;
  PenaltyControl control_;
  double kappa_;
  std::vector<Offset> steps_since_update_;
  double best_primal_ = kInfinity;
};

}  // namespace

std::unique_ptr<Learner> MakeAugmentedLagrangianLearner(const Problem& problem,
                                                        const TrainOptions& options) {
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
    .reads = "proximal",
    .options = kOptionLists,
    .check = Check};

}  // namespace slackline::internal
