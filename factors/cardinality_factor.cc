// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/cardinality_factor.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/count_range.h>

namespace slackline::internal {
namespace {

StateMap OwnRows(Index size) {
  SLACKLINE_CHECK(size >= 1, "a cardinality factor needs at least one variable");
  return IdentityMap(size + 1);
}

}  // namespace

CardinalityFactor::CardinalityFactor(Index size)
    : CardinalityFactor(size, size + 1, OwnRows(size), 0, size) {}

CardinalityFactor::CardinalityFactor(Index size, Index num_weights, StateMap counts, Index low,
                                     Index high)
    : num_weights_(num_weights), counts_(std::move(counts)), low_(low), high_(high) {
  SLACKLINE_CHECK(size >= 1, "a cardinality factor needs at least one variable");
  SLACKLINE_CHECK(0 <= low && low <= high && high <= size,
                  "the counts of a cardinality factor are out of order");
  SLACKLINE_CHECK(num_weights >= 0 && std::ssize(counts_.rows) == Offset{size} + 1,
                  "a cardinality factor needs a row for each count from 0 to its size");
  SLACKLINE_CHECK(counts_.values.empty() || counts_.values.size() == counts_.rows.size(),
                  "a cardinality factor needs as many values as rows, or none");
  for (const Index row : counts_.rows) {
    SLACKLINE_CHECK(row >= kAbsent && row < num_weights,
                    "a row of a cardinality factor is out of range");
  }
  for (const double value : counts_.values) {
    SLACKLINE_CHECK(std::isfinite(value), "a value of a cardinality factor is not finite");
  }
  cardinalities_.assign(size, 2);
}

CardinalityFactor CardinalityFactor::Between(Index size, Index low, Index high) {
  return {
      size, 0, {std::vector<Index>(Offset{std::max(size, Index{0})} + 1, kAbsent), {}}, low, high};
}

double CardinalityFactor::CountScore(std::span<const double> weights, Index count) const {
  const Index row = counts_.rows[count];
  if (row == kAbsent) return 0;
  return weights[row] * (counts_.values.empty() ? 1.0 : counts_.values[count]);
}

void CardinalityFactor::AddFeatures(std::span<const Index> states, double scale,
                                    std::span<double> out) const {
  const Index count = CountOnes(states);
  const Index row = counts_.rows[count];
  if (row != kAbsent) out[row] += scale * (counts_.values.empty() ? 1.0 : counts_.values[count]);
}

double CardinalityFactor::Score(std::span<const double> weights,
                                std::span<const Index> states) const {
  return CountScore(weights, CountOnes(states));
}

bool CardinalityFactor::Allows(std::span<const Index> states) const {
  const Index count = CountOnes(states);
  return low_ <= count && count <= high_;
}

double CardinalityFactor::Maximize(std::span<const double> weights,
                                   std::span<const double> messages,
                                   std::span<Index> states) const {
  // For each count n, the best labelling gives state 1 to the n variables that gain most by it.
  std::vector<std::pair<double, Index>> gains(cardinalities_.size());
  double sum = 0;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    gains[i] = {messages[2 * i] - messages[2 * i + 1], static_cast<Index>(i)};
    sum -= messages[2 * i];
  }
  std::sort(gains.begin(), gains.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  double best = -kInfinity;
  Index best_count = low_;
  for (Index count = 0; count <= high_; ++count) {
    if (count > 0) sum += gains[count - 1].first;
    if (count < low_) continue;
    const double value = sum + CountScore(weights, count);
    if (value > best) {
      best = value;
      best_count = count;
    }
  }
  std::fill(states.begin(), states.end(), 0);
  for (Index n = 0; n < best_count; ++n) states[gains[n].second] = 1;
  return best;
}

}  // namespace slackline::internal
