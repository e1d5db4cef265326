// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/soft.h>

#include <algorithm>
#include <cmath>

#include <slackline/learning/factor_blocks/factor_learner.h>

namespace slackline::internal {
namespace {

class SoftLearner : public FactorLearner {
 public:
  SoftLearner(const Problem& problem, const TrainOptions& options)
      : FactorLearner(problem, options, /*multipliers=*/false), options_(options) {
    traits_.stopping_gap = StoppingGap::kSoft;
    blocks().set_rho(RhoAt(0));
    blocks().set_smoothing(options.smoothing);
  }

  void RunPass(const StopControl& stop) override {
    blocks().set_rho(RhoAt(pass()));
    if (uniform_order()) {
      StepUniformBlocks(stop,
                        [&](const Block& block) { blocks().StepBlock(block.example, block.part); });
    } else {
      VisitAll(stop, 0);
    }
    FinishPass();
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation = FactorLearner::Evaluate(threads);
    evaluation.provisional = options_.rho_final > 0 && pass() < options_.rho_passes;
    return evaluation;
  }

  void ChangeLambda(const Problem& problem) override {
    FactorLearner::ChangeLambda(problem);
    blocks().set_rho(RhoAt(0));
  }

 private:
  /// ρ of pass number `pass`, counted from 0: geometric from rho to rho_final over rho_passes
  /// passes.
  double RhoAt(Index pass) const {
    double rho = options_.rho > 0 ? options_.rho : 1;
    if (options_.rho_final > 0) {
      const double share =
          options_.rho_passes <= 1
              ? 1.0
              : std::min(1.0, static_cast<double>(pass) / (options_.rho_passes - 1));
      rho *= std::pow(options_.rho_final / rho, share);
    }
    return options_.rho_scale == RhoScale::kPaper ? rho * problem().size() : rho;
  }

  TrainOptions options_;
};

}  // namespace

std::unique_ptr<Learner> MakeSoftLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<SoftLearner>(problem, options);
}

}  // namespace slackline::internal
