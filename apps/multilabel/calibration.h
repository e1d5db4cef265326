// SPDX-License-Identifier: BSD-3-Clause
//
// Probabilities of labels from scores.
//
// A label's score is its max-marginal difference s (multilabel_predict.h). Its probability is
//
//   p(s) = 1 / (1 + exp(−(a s + b))),   a ≥ 0,
//
// with a slope a and an intercept b per label (Platt, "Probabilistic outputs for support vector
// machines", 1999). They minimise the cross entropy −Σ (t log p + (1 − t) log(1 − p)) over
// examples that the model has not seen. The targets t are not 0 and 1 but
//
//   t = (N₊ + 1) / (N₊ + 2) where the label is on,   t = 1 / (N₋ + 2) where it is off,
//
// so that labels that are separated perfectly, or are never on, keep finite a and b. Newton steps
// with backtracking (Lin, Lin, Weng, "A note on Platt's probabilistic outputs for support vector
// machines", 2007). Deviation: a ≥ 0, so that a larger score never means a smaller probability;
// where the minimum has a < 0, the scores carry no information about the label and p is a constant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// Probabilities lie between this value and one minus this value.
inline constexpr double kSmallestProbability = 1e-9;

struct Sigmoid {
  double slope = 0;      ///< a ≥ 0
  double intercept = 0;  ///< b

  /// The probability of a score: in (0, 1), and never decreasing with the score.
  double Probability(double score) const;
};

/// The sigmoid of one label. `truth`: 1, 0, or −1 for ignored examples. Requires one finite score
/// per example. Without any known truth, p = ½ everywhere.
Sigmoid FitSigmoid(std::span<const double> scores, std::span<const std::int8_t> truth);

/// The objective that FitSigmoid minimises.
double CrossEntropy(const Sigmoid& sigmoid, std::span<const double> scores,
                    std::span<const std::int8_t> truth);

/// One sigmoid per label.
using LabelCalibration = std::vector<Sigmoid>;

/// `scores` and `truth`: examples × labels by rows.
LabelCalibration FitCalibration(Index num_labels, std::span<const double> scores,
                                std::span<const std::int8_t> truth);

/// Replaces scores (examples × labels by rows) by probabilities.
void ApplyCalibration(const LabelCalibration& calibration, std::span<double> scores);

}  // namespace slackline::internal
