// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_metrics.h>

#include <cstddef>

#include <slackline/apps/common/ratio.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

std::vector<std::int64_t> CountPairs(std::size_t classes, std::size_t model_classes,
                                     std::span<const Index> truth,
                                     std::span<const Index> predicted) {
  std::vector<std::int64_t> confusion(classes * classes, 0);
  for (std::size_t m = 0; m < truth.size(); ++m) {
    if (truth[m] == kUnlabelled) continue;
    const auto row = static_cast<std::size_t>(truth[m]);
    const auto column = static_cast<std::size_t>(predicted[m]);
    SLACKLINE_CHECK(row < classes && column < model_classes, "there is no such class");
    ++confusion[row * classes + column];
  }
  return confusion;
}

}  // namespace

MulticlassMetrics ComputeClassMetrics(Index num_classes, Index model_classes,
                                      std::span<const Index> truth,
                                      std::span<const Index> predicted,
                                      std::span<const double> costs) {
  const auto n = static_cast<std::size_t>(num_classes);
  const auto k = static_cast<std::size_t>(model_classes);
  SLACKLINE_CHECK(
      truth.size() == predicted.size() && k <= n && (costs.empty() || costs.size() == k * k),
      "classes, predictions and costs do not fit each other");
  MulticlassMetrics metrics;
  metrics.confusion = CountPairs(n, k, truth, predicted);
  metrics.classes.resize(n);
  std::int64_t right = 0, of_model = 0;
  double cost = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      const std::int64_t count = metrics.confusion[a * n + b];
      metrics.examples += count;
      metrics.classes[a].support += count;
      metrics.classes[b].predicted += count;
      if (a == b) right += count;
      if (a >= k) continue;
      of_model += count;
      const double one = costs.empty() ? (a == b ? 0.0 : 1.0) : costs[a * k + b];
      cost += one * static_cast<double>(count);
    }
  }
  double sum = 0, present = 0;
  for (std::size_t a = 0; a < n; ++a) {
    ClassMetrics& one = metrics.classes[a];
    const auto hits = static_cast<double>(metrics.confusion[a * n + a]);
    const auto given = static_cast<double>(one.support);
    const auto found = static_cast<double>(one.predicted);
    one.precision = Ratio(hits, found);
    one.recall = Ratio(hits, given);
    one.f1 = Ratio(2 * hits, given + found);
    sum += one.f1;
    if (given + found > 0) ++present;
  }
  const auto examples = static_cast<double>(metrics.examples);
  metrics.error_rate = Ratio(examples - static_cast<double>(right), examples);
  metrics.mean_cost = Ratio(cost, static_cast<double>(of_model));
  metrics.macro_f1 = Ratio(sum, present);
  return metrics;
}

}  // namespace slackline::internal
