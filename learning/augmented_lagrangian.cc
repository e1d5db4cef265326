// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/augmented_lagrangian.h>

#include <algorithm>

#include <slackline/core/random.h>
#include <slackline/learning/factor_certificate.h>
#include <slackline/learning/penalty_control.h>
#include <slackline/learning/sampling.h>

namespace slackline {
namespace {

constexpr Index kRebuildEvery = 64;
/// Single block steps are shorter than a look at the clock.
constexpr Offset kPollEvery = 1024;

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

class AugmentedLagrangianLearner : public Learner {
 public:
  AugmentedLagrangianLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        uniform_order_(options.order == OrderKind::kUniform),
        blocks_(problem, options.step, true),
        mixture_(problem.lambda()),
        control_(StartSettings(problem, options), options.rho <= 0, problem.penalty_scale()),
        random_(static_cast<std::uint64_t>(options.seed)),
        examples_(problem.size()),
        uniform_(problem),
        steps_since_update_(static_cast<std::size_t>(problem.size()), 0) {}

  std::string_view name() const override { return "al"; }

  void RunPass(const StopControl& stop) override {
    const PenaltySettings& settings = control_.settings();
    blocks_.set_rho(settings.rho);
    const double eta_step = settings.tau / settings.rho;
    if (uniform_order_) {
      RunUniformPass(eta_step, stop);
    } else {
      const bool update = (pass_ + 1) % settings.visits_per_update == 0;
      for (const Index m : examples_.Next(&random_)) {
        blocks_.VisitExample(m, update ? eta_step : 0);
        if (stop.ShouldStop()) break;
      }
    }
    if (++pass_ % kRebuildEvery == 0) blocks_.Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    const FactorEvaluation point = EvaluateFactorBlocks(blocks_, threads, &weights_, &mixture_);
    Evaluation evaluation;
    evaluation.primal = point.relaxed_primal;
    evaluation.dual = mixture_.value();
    evaluation.soft_primal = point.soft_primal;
    evaluation.soft_dual = point.soft_dual;
    evaluation.soft_gap = point.soft_primal - point.soft_dual;
    evaluation.violation = point.violation;
    evaluation.rho = control_.settings().rho;
    evaluation.tau = control_.settings().tau;
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override {
    best_primal_ = std::min(best_primal_, evaluation.primal);
    return control_.Observe(
        {pass_, evaluation.primal, evaluation.soft_dual, evaluation.dual, best_primal_ - evaluation.dual});
  }

  std::span<const double> weights() const override { return weights_; }
  WorkCounts work() const override { return {0, blocks_.block_steps()}; }

 private:
  /// Blocks drawn with replacement; an example's multipliers move after as many steps in it as it has blocks (times the
  /// visits per update).
  void RunUniformPass(double eta_step, const StopControl& stop) {
    for (Offset k = 0; k < uniform_.count(); ++k) {
      const Block block = uniform_.Next(&random_);
      blocks_.StepBlock(block.example, block.part);
      Offset& steps = steps_since_update_[static_cast<std::size_t>(block.example)];
      const Offset parts = problem_.data().example(block.example).graph().num_parts();
      if (++steps >= parts * control_.settings().visits_per_update) {
        blocks_.UpdateMultipliers(block.example, eta_step);
        steps = 0;
      }
      if (k % kPollEvery == 0 && stop.ShouldStop()) break;
    }
  }

  const Problem& problem_;
  bool uniform_order_;
  FactorBlocks blocks_;
  DualMixture mixture_;
  PenaltyControl control_;
  Random random_;
  ExampleOrder examples_;
  UniformBlocks uniform_;
  std::vector<Offset> steps_since_update_;
  Index pass_ = 0;
  double best_primal_ = kInfinity;
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Learner> MakeAugmentedLagrangianLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<AugmentedLagrangianLearner>(problem, options);
}

}  // namespace slackline
