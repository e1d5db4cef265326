// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/augmented_lagrangian.h>

#include <algorithm>

#include <slackline/learning/factor_learner.h>
#include <slackline/learning/penalty_control.h>

namespace slackline {
namespace {

/// Start of ρ as a multiple of s = λM/R², from which PenaltyControl balances it.
constexpr double kStartOfRho = 3;

PenaltySettings StartSettings(const Problem& problem, const TrainOptions& options) {
  PenaltySettings settings;
  settings.tau = options.tau;
  if (options.rho <= 0) {
    settings.rho = kStartOfRho * problem.penalty_scale();
  } else {
    settings.rho = options.rho_scale == RhoScale::kPaper ? options.rho * problem.size() : options.rho;
  }
  return settings;
}

class AugmentedLagrangianLearner : public FactorLearner {
 public:
  AugmentedLagrangianLearner(const Problem& problem, const TrainOptions& options)
      : FactorLearner(problem, options, /*multipliers=*/true),
        control_(StartSettings(problem, options), options.rho <= 0, problem.penalty_scale()),
        steps_since_update_(static_cast<std::size_t>(problem.size()), 0) {}

  std::string_view name() const override { return "al"; }

  void RunPass(const StopControl& stop) override {
    const PenaltySettings& settings = control_.settings();
    blocks().set_rho(settings.rho);
    const double eta_step = settings.tau / settings.rho;
    if (uniform_order()) {
      StepUniformBlocks(stop, [&](const Block& block) { StepAndUpdate(block, eta_step); });
    } else {
      const bool update = (pass() + 1) % settings.visits_per_update == 0;
      VisitExamples(stop, [&](Index m) { blocks().VisitExample(m, update ? eta_step : 0); });
    }
    FinishPass();
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = FactorLearner::Evaluate(threads);
    evaluation.tau = control_.settings().tau;
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override {
    best_primal_ = std::min(best_primal_, evaluation.primal);
    return control_.Observe(
        {pass(), evaluation.primal, evaluation.soft_dual, evaluation.dual, best_primal_ - evaluation.dual});
  }

 private:
  /// An example's multipliers move after as many steps in it as it has blocks, times the visits per update.
  void StepAndUpdate(const Block& block, double eta_step) {
    blocks().StepBlock(block.example, block.part);
    Offset& steps = steps_since_update_[static_cast<std::size_t>(block.example)];
    const Offset parts = problem().data().example(block.example).graph().num_parts();
    if (++steps < parts * control_.settings().visits_per_update) return;
    blocks().UpdateMultipliers(block.example, eta_step);
    steps = 0;
  }

  PenaltyControl control_;
  std::vector<Offset> steps_since_update_;
  double best_primal_ = kInfinity;
};

}  // namespace

std::unique_ptr<Learner> MakeAugmentedLagrangianLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<AugmentedLagrangianLearner>(problem, options);
}

}  // namespace slackline
