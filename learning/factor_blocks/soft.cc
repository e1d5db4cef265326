// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/soft.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <slackline/core/check.h>
#include <slackline/learning/factor_blocks/factor_learner.h>

namespace slackline::internal {
namespace {

class SoftLearner : public FactorLearner {
 public:
  SoftLearner(const Problem& problem, const TrainOptions& options)
      : FactorLearner(problem, options, /*multipliers=*/false),
        penalty_(options.own<PenaltyOptions>()),
        schedule_(options.own<SoftOptions>()) {
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
    evaluation.provisional = schedule_.rho_final > 0 && pass() < schedule_.rho_passes;
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
    double rho = penalty_.rho > 0 ? penalty_.rho : 1;
    if (schedule_.rho_final > 0) {
      const double share =
          schedule_.rho_passes <= 1
              ? 1.0
              : std::min(1.0, static_cast<double>(pass) / (schedule_.rho_passes - 1));
      rho *= std::pow(schedule_.rho_final / rho, share);
    }
    return penalty_.rho_scale == RhoScale::kPaper ? rho * problem().size() : rho;
  }

  PenaltyOptions penalty_;
  SoftOptions schedule_;
};

}  // namespace

std::unique_ptr<Learner> MakeSoftLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<SoftLearner>(problem, options);
}

namespace {

constexpr OptionRecord kOptions[] = {{.name = "rho-final",
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
constexpr std::span<const OptionRecord> kOptionLists[] = {kPenaltyOptions, kOptions};
constexpr LearnerVariant kVariants[] = {
    {.options = "--smoothing",
     .applies = [](const TrainOptions& options) { return options.smoothing > 0; },
     .needs = kNeedsFactors | NeedsAll(Need::kTables)},
    {.needs = kNeedsFactors}};

void Check(const TrainOptions& options) {
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
    .variants = kVariants,
    .reads = "smoothing",
    .options = kOptionLists,
    .check = Check};

}  // namespace slackline::internal
