// SPDX-License-Identifier: BSD-3-Clause
//
// How well scores predict labels.
#pragma once

#include <span>
#include <string_view>

#include <slackline/apps/common/folds.h>
#include <slackline/apps/linear/linear_model.h>

namespace slackline::internal {

/// Figures of examples with a known label. Those that do not apply are NaN.
struct LinearMetrics {
  Index examples = 0;
  Index unknown = 0;     ///< examples without a known label
  double mean_loss = 0;  ///< of the model's loss
  // Two classes; precision, recall and F1 are those of the second class.
  double error_rate = kNone;
  double precision = kNone;
  double recall = kNone;
  double f1 = kNone;
  double auc = kNone;  ///< share of pairs of the two classes in the right order; ties count half
  // Numbers.
  double root_mean_square = kNone;
  double mean_absolute = kNone;
  double r_squared = kNone;  ///< 1 − squared errors / squared deviations from the mean
};

/// A figure with its line in the table of `evaluate`.
struct LinearFigure {
  FigureName name;
  std::string_view meaning;
  double LinearMetrics::*value;
};
/// The figures of models that predict numbers, or classes; the mean loss is the last one.
std::span<const LinearFigure> LinearFigures(bool numbers);

/// labels: −1 or 1, or numbers; NaN: not known. As many scores as labels.
LinearMetrics ComputeLinearMetrics(const LinearLoss& loss, std::span<const double> labels,
                                   std::span<const double> scores);

}  // namespace slackline::internal
