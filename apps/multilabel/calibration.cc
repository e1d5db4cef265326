// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/calibration.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

constexpr int kMaxNewtonSteps = 100;
constexpr double kSmallestStep = 1e-10;
/// Added to the Hessian's diagonal, per example, because equal scores make the Hessian singular.
constexpr double kRidge = 1e-12;
/// The minimum is reached when no entry of the gradient is larger than this, per example.
constexpr double kGradientTolerance = 1e-12;

/// The scores of one label and their targets.
struct Sample {
  std::vector<double> scores;
  std::vector<double> targets;
};

Sample MakeSample(std::span<const double> scores, std::span<const std::int8_t> truth) {
  SLACKLINE_CHECK(scores.size() == truth.size() && AllFinite(scores),
                  "calibration needs a finite score for every entry");
  const auto positives = static_cast<double>(std::count(truth.begin(), truth.end(), 1));
  const auto negatives = static_cast<double>(std::count(truth.begin(), truth.end(), 0));
  Sample sample;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (truth[k] < 0) continue;
    sample.scores.push_back(scores[k]);
    sample.targets.push_back(truth[k] == 1 ? (positives + 1) / (positives + 2)
                                           : 1 / (negatives + 2));
  }
  return sample;
}

double Logistic(double u) {
  return u >= 0 ? 1 / (1 + std::exp(-u)) : std::exp(u) / (1 + std::exp(u));
}

/// Cross entropy −t log p − (1 − t) log(1 − p) with p = Logistic(u), without cancellation.
double EntropyAt(double u, double target) {
  return u >= 0 ? (1 - target) * u + std::log1p(std::exp(-u))
                : -target * u + std::log1p(std::exp(u));
}

double EntropyOf(const Sigmoid& sigmoid, const Sample& sample) {
  double sum = 0;
  for (std::size_t k = 0; k < sample.scores.size(); ++k)
    sum += EntropyAt(sigmoid.slope * sample.scores[k] + sigmoid.intercept, sample.targets[k]);
  return sum;
}

/// First and second derivatives of the cross entropy.
struct Derivatives {
  double slope = 0, intercept = 0;
  double slope_slope = 0, slope_intercept = 0, intercept_intercept = 0;
};

Derivatives DerivativesAt(const Sigmoid& sigmoid, const Sample& sample) {
  Derivatives d;
  for (std::size_t k = 0; k < sample.scores.size(); ++k) {
    const double s = sample.scores[k];
    const double p = Logistic(sigmoid.slope * s + sigmoid.intercept);
    const double error = p - sample.targets[k];
    const double curvature = p * (1 - p);
    d.slope += error * s;
    d.intercept += error;
    d.slope_slope += curvature * s * s;
    d.slope_intercept += curvature * s;
    d.intercept_intercept += curvature;
  }
  return d;
}

/// The minimum over slope and intercept; both may have either sign.
Sigmoid Minimise(const Sample& sample, Sigmoid at) {
  const auto examples = static_cast<double>(sample.scores.size());
  double entropy = EntropyOf(at, sample);
  for (int step = 0; step < kMaxNewtonSteps; ++step) {
    const Derivatives d = DerivativesAt(at, sample);
    if (std::max(std::abs(d.slope), std::abs(d.intercept)) <= kGradientTolerance * examples) break;
    const double h11 = d.slope_slope + kRidge * examples;
    const double h22 = d.intercept_intercept + kRidge * examples;
    const double determinant = h11 * h22 - d.slope_intercept * d.slope_intercept;
    const double slope = -(h22 * d.slope - d.slope_intercept * d.intercept) / determinant;
    const double intercept = -(h11 * d.intercept - d.slope_intercept * d.slope) / determinant;
    const double descent = d.slope * slope + d.intercept * intercept;
    double length = 1;
    Sigmoid next;
    double next_entropy = 0;
    for (; length >= kSmallestStep; length /= 2) {
      next = {at.slope + length * slope, at.intercept + length * intercept};
      next_entropy = EntropyOf(next, sample);
      if (next_entropy < entropy + 1e-4 * length * descent) break;
    }
    if (length < kSmallestStep) break;  // as accurate as rounding allows
    at = next;
    entropy = next_entropy;
  }
  return at;
}

}  // namespace

double Sigmoid::Probability(double score) const {
  return std::clamp(Logistic(slope * score + intercept), kSmallestProbability,
                    1 - kSmallestProbability);
}

Sigmoid FitSigmoid(std::span<const double> scores, std::span<const std::int8_t> truth) {
  Sample sample = MakeSample(scores, truth);
  if (sample.scores.empty()) return {};
  const auto examples = static_cast<double>(sample.scores.size());
  double mean = 0;
  double target = 0;
  for (const double s : sample.scores) mean += s / examples;
  for (const double t : sample.targets) target += t / examples;
  double variance = 0;
  for (const double s : sample.scores) variance += (s - mean) * (s - mean) / examples;
  const Sigmoid constant{0, std::log(target / (1 - target))};
  const double deviation = std::sqrt(variance);
  // Standardises the scores, whatever their scale, to mean 0 and deviation 1 for Newton's method.
  if (!(deviation > 1e-12 * std::abs(mean))) return constant;
  for (double& s : sample.scores) s = (s - mean) / deviation;
  const Sigmoid scaled = Minimise(sample, constant);
  const Sigmoid sigmoid{scaled.slope / deviation,
                        scaled.intercept - scaled.slope * mean / deviation};
  const bool usable = std::isfinite(sigmoid.slope) && std::isfinite(sigmoid.intercept);
  return sigmoid.slope > 0 && usable ? sigmoid : constant;
}

double CrossEntropy(const Sigmoid& sigmoid, std::span<const double> scores,
                    std::span<const std::int8_t> truth) {
  return EntropyOf(sigmoid, MakeSample(scores, truth));
}

LabelCalibration FitCalibration(Index num_labels, std::span<const double> scores,
                                std::span<const std::int8_t> truth) {
  const std::size_t labels = num_labels;
  SLACKLINE_CHECK(labels > 0 && scores.size() == truth.size() && scores.size() % labels == 0,
                  "calibration needs a score for every label of every example");
  LabelCalibration calibration;
  std::vector<double> column(scores.size() / labels);
  std::vector<std::int8_t> given(column.size());
  for (std::size_t i = 0; i < labels; ++i) {
    for (std::size_t m = 0; m < column.size(); ++m) {
      column[m] = scores[m * labels + i];
      given[m] = truth[m * labels + i];
    }
    calibration.push_back(FitSigmoid(column, given));
  }
  return calibration;
}

void ApplyCalibration(const LabelCalibration& calibration, std::span<double> scores) {
  SLACKLINE_CHECK(!calibration.empty() && scores.size() % calibration.size() == 0,
                  "the scores do not fit the calibration");
  for (std::size_t k = 0; k < scores.size(); ++k)
    scores[k] = calibration[k % calibration.size()].Probability(scores[k]);
}

}  // namespace slackline::internal
