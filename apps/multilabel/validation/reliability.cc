// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/validation/reliability.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/check.h>

namespace slackline::internal {

Reliability ComputeReliability(std::span<const double> probabilities,
                               std::span<const std::int8_t> truth) {
  SLACKLINE_CHECK(probabilities.size() == truth.size(), "every entry needs a probability");
  Reliability result;
  Offset count = 0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    if (truth[k] < 0) continue;
    const double p = probabilities[k];
    SLACKLINE_CHECK(p > 0 && p < 1, "probabilities must lie between 0 and 1");
    const auto bin = std::min(static_cast<std::size_t>(p * kReliabilityBins), kReliabilityBins - 1);
    result.bins[bin].mean_predicted += p;
    result.bins[bin].share_true += truth[k];
    ++result.bins[bin].count;
    result.brier_score += (p - truth[k]) * (p - truth[k]);
    result.log_loss -= std::log(truth[k] == 1 ? p : 1 - p);
    ++count;
  }
  if (count == 0) return result;
  const auto entries = static_cast<double>(count);
  result.brier_score /= entries;
  result.log_loss /= entries;
  for (ReliabilityBin& bin : result.bins) {
    if (bin.count == 0) continue;
    const auto members = static_cast<double>(bin.count);
    bin.mean_predicted /= members;
    bin.share_true /= members;
    result.calibration_error += members / entries * std::abs(bin.mean_predicted - bin.share_true);
  }
  return result;
}

}  // namespace slackline::internal
