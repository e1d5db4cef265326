// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_calibrate.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/multilabel/validation/reliability.h>

namespace slackline::internal::program {
namespace {

/// "Brier score 0.1512, calibration error 0.0087"
std::string Figures(const Reliability& reliability) {
  return "Brier score " + Number(reliability.brier_score, 4) + ", calibration error " +
         Number(reliability.calibration_error, 3);
}

}  // namespace

void AddCalibrateFlag(Command* app, bool* calibrate, const std::string& how) {
  app->StartGroup(kModelGroup);
  app->AddFlag("--calibrate", calibrate,
               "also learn probabilities (predict --output probabilities), " + how);
}

int CalibrationPlan::ExitCode(int code) const {
  const auto signal = static_cast<int>(ProcessRanks().MaxOf(interrupt->load()));
  return code == 0 && signal != 0 ? 128 + signal : code;
}

CalibrationPlan PlanCalibration(const MultiLabelData& data, const CalibrationRequest& request,
                                Ranks& ranks) {
  CalibrationPlan plan;
  plan.folds = CalibrationFolds(data, request.folds, request.seed, ranks);
  plan.quiet = request.quiet;
  plan.interrupt = CatchInterrupts();
  return plan;
}

bool Calibrate(const CalibrationPlan& plan, MultiLabelTraining* training) {
  if (!plan.quiet)
    std::fprintf(stderr, "calibration: %s\n",
                 Count(static_cast<Offset>(plan.folds.size()), "training").c_str());
  const std::optional<std::vector<double>> probabilities =
      training->Calibrate(plan.folds, plan.interrupt);
  if (!probabilities) {
    std::fprintf(stderr, "interrupted: the model is not calibrated\n");
    return false;
  }
  if (plan.quiet) return true;
  const std::vector<std::int8_t> labels =
      training->options().the_ranks().Join(std::span<const std::int8_t>(training->data().labels));
  std::fprintf(stderr, "calibrated: held-out examples have %s\n",
               Figures(ComputeReliability(*probabilities, labels)).c_str());
  return true;
}

void RequireCalibration(const MultiLabelModel& model, const std::string& file) {
  if (model.calibration()) return;
  throw DataError(file, 0,
                  "the model is not calibrated, so it has no probabilities: train it with "
                  "`slackline multilabel train --calibrate`");
}

}  // namespace slackline::internal::program
