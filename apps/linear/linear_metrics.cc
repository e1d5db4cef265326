// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/linear/linear_metrics.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <slackline/apps/common/ratio.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

struct Scored {
  double score = 0, label = 0;
};

/// Of pairs of a positive and a negative example, the share in the right order.
double AreaUnderCurve(std::vector<Scored> all) {
  std::sort(all.begin(), all.end(),
            [](const Scored& a, const Scored& b) { return a.score < b.score; });
  double below = 0, good = 0, positive = 0;  // below: negative examples with smaller scores
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    double negatives = 0, positives = 0;
    for (; end < all.size() && all[end].score == all[begin].score; ++end)
      (all[end].label > 0 ? positives : negatives) += 1;
    good += positives * (below + negatives / 2);
    below += negatives;
    positive += positives;
    begin = end;
  }
  return below > 0 && positive > 0 ? good / (below * positive) : kNone;
}

void AddClassFigures(const std::vector<Scored>& all, LinearMetrics* metrics) {
  double wrong = 0, hits = 0, given = 0, found = 0;
  for (const Scored& one : all) {
    const bool positive = PredictsSecond(one.score);
    if (positive != (one.label > 0)) ++wrong;
    if (one.label > 0) ++given;
    if (positive) ++found;
    if (positive && one.label > 0) ++hits;
  }
  metrics->error_rate = Ratio(wrong, static_cast<double>(all.size()));
  metrics->precision = Ratio(hits, found);
  metrics->recall = Ratio(hits, given);
  metrics->f1 = Ratio(2 * hits, given + found);
  metrics->auc = AreaUnderCurve(all);
}

void AddNumberFigures(const std::vector<Scored>& all, LinearMetrics* metrics) {
  const auto count = static_cast<double>(all.size());
  double mean = 0, squares = 0, absolute = 0, spread = 0;
  for (const Scored& one : all) mean += one.label / count;
  for (const Scored& one : all) {
    squares += std::pow(one.score - one.label, 2);
    absolute += std::abs(one.score - one.label);
    spread += std::pow(one.label - mean, 2);
  }
  metrics->root_mean_square = std::sqrt(squares / count);
  metrics->mean_absolute = absolute / count;
  if (spread > 0) metrics->r_squared = 1 - squares / spread;
}

constexpr LinearFigure kMeanLoss = {
    {"loss", "mean_loss", "mean loss", true}, "of the loss in training", &LinearMetrics::mean_loss};

constexpr LinearFigure kClassFigures[] = {
    {{"error", "error_rate", "error rate", true},
     "share of examples with the wrong class",
     &LinearMetrics::error_rate},
    {{"precision", "precision", "precision"}, "of the second class", &LinearMetrics::precision},
    {{"recall", "recall", "recall"}, "of the second class", &LinearMetrics::recall},
    {{"f1", "f1", "F1"}, "of the second class", &LinearMetrics::f1},
    {{"auc", "auc", "AUC"},
     "share of pairs of the two classes in the right order",
     &LinearMetrics::auc},
    kMeanLoss};

constexpr LinearFigure kNumberFigures[] = {
    {{"rmse", "rmse", "RMSE", true},
     "root of the mean squared error",
     &LinearMetrics::root_mean_square},
    {{"mae", "mae", "MAE", true}, "mean absolute error", &LinearMetrics::mean_absolute},
    {{"r2", "r2", "R2"},
     "1 - squared errors / squared deviations from the mean",
     &LinearMetrics::r_squared},
    kMeanLoss};

}  // namespace

std::span<const LinearFigure> LinearFigures(bool numbers) {
  if (numbers) return kNumberFigures;
  return kClassFigures;
}

LinearMetrics ComputeLinearMetrics(const LinearLoss& loss, std::span<const double> labels,
                                   std::span<const double> scores) {
  SLACKLINE_CHECK(labels.size() == scores.size(), "there must be a score for every label");
  std::vector<Scored> all;
  std::vector<double> known;
  for (std::size_t m = 0; m < labels.size(); ++m) {
    if (std::isnan(labels[m])) continue;
    all.push_back({scores[m], labels[m]});
    known.push_back(labels[m]);
  }
  LinearMetrics metrics;
  metrics.examples = static_cast<Index>(all.size());
  metrics.unknown = static_cast<Index>(labels.size() - all.size());
  if (all.empty()) return metrics;
  const ScalarLoss losses(loss.kind, std::move(known), loss.parameter);
  for (std::size_t m = 0; m < all.size(); ++m)
    metrics.mean_loss += losses.Value(static_cast<Index>(m), {&all[m].score, 1});
  metrics.mean_loss /= static_cast<double>(all.size());
  TakesNumbers(loss.kind) ? AddNumberFigures(all, &metrics) : AddClassFigures(all, &metrics);
  return metrics;
}

}  // namespace slackline::internal
