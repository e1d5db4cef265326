// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/soft.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/random.h>
#include <slackline/learning/factor_certificate.h>
#include <slackline/learning/sampling.h>

namespace slackline {
namespace {

/// Steps gather rounding errors in w: it is rebuilt after so many passes.
constexpr Index kRebuildEvery = 64;
/// Single block steps are shorter than a look at the clock.
constexpr Offset kPollEvery = 1024;

class SoftLearner : public Learner {
 public:
  SoftLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        blocks_(problem, options.step, false),
        mixture_(problem.lambda()),
        random_(static_cast<std::uint64_t>(options.seed)),
        examples_(problem.size()),
        uniform_(problem) {
    blocks_.set_rho(RhoAt(0));
  }

  std::string_view name() const override { return "soft"; }
  StoppingGap stopping_gap() const override { return StoppingGap::kSoft; }

  void RunPass(const StopControl& stop) override {
    blocks_.set_rho(RhoAt(pass_));
    if (options_.order == OrderKind::kExample) {
      for (const Index m : examples_.Next(&random_)) {
        blocks_.VisitExample(m, 0);
        if (stop.ShouldStop()) break;
      }
    } else {
      for (Offset k = 0; k < uniform_.count(); ++k) {
        const Block block = uniform_.Next(&random_);
        blocks_.StepBlock(block.example, block.part);
        if (k % kPollEvery == 0 && stop.ShouldStop()) break;
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
    evaluation.rho = blocks_.rho();
    evaluation.provisional = options_.rho_final > 0 && pass_ < options_.rho_passes;
    return evaluation;
  }

  std::span<const double> weights() const override { return weights_; }
  WorkCounts work() const override { return {0, blocks_.block_steps()}; }

 private:
  /// ρ of pass number `pass`, counted from 0: geometric from rho to rho_final over rho_passes passes.
  double RhoAt(Index pass) const {
    double rho = options_.rho > 0 ? options_.rho : 1;
    if (options_.rho_final > 0) {
      const double share = options_.rho_passes <= 1
                               ? 1.0
                               : std::min(1.0, static_cast<double>(pass) / (options_.rho_passes - 1));
      rho *= std::pow(options_.rho_final / rho, share);
    }
    return options_.rho_scale == RhoScale::kPaper ? rho * problem_.size() : rho;
  }

  const Problem& problem_;
  TrainOptions options_;
  FactorBlocks blocks_;
  DualMixture mixture_;
  Random random_;
  ExampleOrder examples_;
  UniformBlocks uniform_;
  Index pass_ = 0;
  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Learner> MakeSoftLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<SoftLearner>(problem, options);
}

}  // namespace slackline
