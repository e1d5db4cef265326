// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_calibrate.h>

#include <cstdio>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/multilabel/validation/reliability.h>

namespace slackline::internal::program {
namespace {

/// "Brier score 0.1512, calibration error 0.0087"
std::string Figures(const Reliability& reliability) {
  return "Brier score " + Number(reliability.brier_score, 4) + ", calibration error " +
         Number(reliability.calibration_error, 3);
}

}  // namespace

void AddCalibrateFlag(CLI::App* app, bool* calibrate, const std::string& folds) {
  const std::string text =
      "also learn to turn scores into probabilities (predict --output\n"
      "probabilities), by Platt scaling on held-out examples: one more training\nwith the same "
      "lambda for each of " +
      folds;
  app->add_flag("--calibrate", *calibrate, text);
}

int CalibrationPlan::ExitCode(int code) const {
  return code == 0 && interrupt->load() != 0 ? 128 + interrupt->load() : code;
}

CalibrationPlan PlanCalibration(const MultiLabelData& data, Index folds, std::int64_t seed,
                                bool quiet) {
  CalibrationPlan plan;
  plan.folds = CalibrationFolds(data, folds, seed);
  plan.quiet = quiet;
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
  if (!plan.quiet)
    std::fprintf(stderr, "calibrated: held-out examples have %s\n",
                 Figures(ComputeReliability(*probabilities, training->data().labels)).c_str());
  return true;
}

void RequireCalibration(const MultiLabelModel& model, const std::string& file) {
  if (model.calibration()) return;
  throw DataError(file, 0,
                  "the model is not calibrated, so it has no probabilities: train it with "
                  "`slackline multilabel train --calibrate`");
}

}  // namespace slackline::internal::program
