// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/state_count_factor.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {

StateCountFactor::StateCountFactor(std::vector<Index> cardinalities, Index state, Index num_weights,
                                   StateMap counts, Index low, Index high)
    : cardinalities_(std::move(cardinalities)),
      state_(state),
      num_weights_(num_weights),
      counts_(std::move(counts)),
      low_(low),
      high_(high) {
  SLACKLINE_CHECK(!cardinalities_.empty(), "a count needs at least one variable");
  SLACKLINE_CHECK(state >= 0, "the state that is counted must not be negative");
  for (const Index states : cardinalities_) {
    SLACKLINE_CHECK(states >= 1, "a variable needs at least one state");
    least_ += states == 1 && state == 0;
    most_ += state < states;
  }
  SLACKLINE_CHECK(num_weights >= 0 && counts_.rows.size() == cardinalities_.size() + 1,
                  "a count factor needs a row for each count from 0 to its number of variables");
  SLACKLINE_CHECK(counts_.values.empty() || counts_.values.size() == counts_.rows.size(),
                  "a count factor needs as many values as rows, or none");
  for (const Index row : counts_.rows)
    SLACKLINE_CHECK(row >= kAbsent && row < num_weights, "a row of a count factor is out of range");
  for (const double value : counts_.values)
    SLACKLINE_CHECK(std::isfinite(value), "a value of a count factor is not finite");
  SLACKLINE_CHECK(std::max(low, least_) <= std::min(high, most_),
                  "no labelling has a count that the factor allows");
}

Index StateCountFactor::Count(std::span<const Index> states) const {
  return static_cast<Index>(std::count(states.begin(), states.end(), state_));
}

double StateCountFactor::CountScore(std::span<const double> weights, Index count) const {
  const Index row = counts_.rows[count];
  if (row == kAbsent) return 0;
  return weights[row] * (counts_.values.empty() ? 1.0 : counts_.values[count]);
}

void StateCountFactor::AddFeatures(std::span<const Index> states, double scale,
                                   std::span<double> out) const {
  const Index count = Count(states);
  const Index row = counts_.rows[count];
  if (row != kAbsent) out[row] += scale * (counts_.values.empty() ? 1.0 : counts_.values[count]);
}

double StateCountFactor::Score(std::span<const double> weights,
                               std::span<const Index> states) const {
  return CountScore(weights, Count(states));
}

bool StateCountFactor::Allows(std::span<const Index> states) const {
  const Index count = Count(states);
  return low_ <= count && count <= high_;
}

double StateCountFactor::Maximize(std::span<const double> weights, std::span<const double> messages,
                                  std::span<Index> states) const {
  // Start from every variable's best other state, then give the counted state to the variables that
  // gain most by it.
  std::vector<std::pair<double, Index>> gains;
  gains.reserve(cardinalities_.size());
  double sum = 0;
  Index forced = 0;
  const double* own = messages.data();
  for (Index i = 0; i < static_cast<Index>(cardinalities_.size()); ++i) {
    const Index count = cardinalities_[i];
    Index best = -1;
    for (Index s = 0; s < count; ++s) {
      if (s != state_ && (best < 0 || own[s] < own[best])) best = s;
    }
    if (best < 0) {  // the counted state is its only one
      best = state_;
      ++forced;
    } else if (state_ < count) {
      gains.emplace_back(own[best] - own[state_], i);
    }
    states[i] = best;
    sum -= own[best];
    own += count;
  }
  std::sort(gains.begin(), gains.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  double best_value = -kInfinity;
  std::size_t best_changes = 0;
  for (std::size_t changes = 0; changes <= gains.size(); ++changes) {
    if (changes > 0) sum += gains[changes - 1].first;
    const Index count = forced + static_cast<Index>(changes);
    if (count < low_ || count > high_) continue;
    const double value = sum + CountScore(weights, count);
    if (value > best_value) {
      best_value = value;
      best_changes = changes;
    }
  }
  for (std::size_t k = 0; k < best_changes; ++k) states[gains[k].second] = state_;
  return best_value;
}

}  // namespace slackline::internal
