// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/roof_duality.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/check.h>

namespace slackline::internal {

RoofDuality::RoofDuality(Index num_variables, std::span<const VariablePair> pairs)
    : n_(num_variables), pairs_(pairs.begin(), pairs.end()), begin_(Offset{num_variables} + 1, 0) {
  for (const VariablePair& pair : pairs_) {
    SLACKLINE_CHECK(pair.first >= 0 && pair.first < n_ && pair.second >= 0 && pair.second < n_ &&
                        pair.first != pair.second,
                    "a pair must join two different variables");
    ++begin_[pair.first + 1];
    ++begin_[pair.second + 1];
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  neighbours_.resize(2 * pairs_.size());
  std::vector<Offset> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t e = 0; e < pairs_.size(); ++e) {
    const VariablePair& pair = pairs_[e];
    neighbours_[next[pair.first]++] = {pair.second, static_cast<Index>(e)};
    neighbours_[next[pair.second]++] = {pair.first, static_cast<Index>(e)};
  }
  const std::size_t n = n_;
  contracted_.resize(n);
  low_.resize(n);
  high_.resize(n);
  doubled_.resize(n);
  decided_.resize(n);
  node_.resize(n);
  flip_.resize(n);
}

void RoofDuality::ComputeRowSums(std::span<const double> t, RowSums* sums) const {
  sums->positive.assign(n_, 0.0);
  sums->negative.assign(n_, 0.0);
  double* const positive = sums->positive.data();
  double* const negative = sums->negative.data();
  for (std::size_t e = 0; e < pairs_.size();) {
    // Pairs with the same first variable follow each other; its sums stay in registers.
    const Index i = pairs_[e].first;
    double positive_sum = 0, negative_sum = 0;
    for (; e < pairs_.size() && pairs_[e].first == i; ++e) {
      const double p = std::max(t[e], 0.0), n = std::min(t[e], 0.0);
      const Index j = pairs_[e].second;
      positive[j] += p;
      negative[j] += n;
      positive_sum += p;
      negative_sum += n;
    }
    positive[i] += positive_sum;
    negative[i] += negative_sum;
  }
}

void RoofDuality::Solve(std::span<const double> u, std::span<const double> t, const RowSums* sums) {
  SLACKLINE_CHECK(std::ssize(u) == n_ && t.size() == pairs_.size(),
                  "coefficients do not fit the pairs");
  u_ = u;
  t_ = t;
  integral_ = true;
  flow_pairs_.clear();
  std::copy(u.begin(), u.end(), contracted_.begin());
  std::copy(u.begin(), u.end(), low_.begin());
  std::copy(u.begin(), u.end(), high_.begin());
  if (sums != nullptr) {
    const std::size_t n = n_;
    for (std::size_t i = 0; i < n; ++i) {
      low_[i] += sums->negative[i];
      high_[i] += sums->positive[i];
    }
  } else {
    for (std::size_t e = 0; e < pairs_.size(); ++e) {  // no branches on the unpredictable signs
      const double positive = std::max(t[e], 0.0);
      const double negative = std::min(t[e], 0.0);
      high_[pairs_[e].first] += positive;
      high_[pairs_[e].second] += positive;
      low_[pairs_[e].first] += negative;
      low_[pairs_[e].second] += negative;
    }
    work_ += static_cast<std::int64_t>(pairs_.size());
  }
  std::fill(decided_.begin(), decided_.end(), Index{0});
  round_ = 0;
  free_.resize(n_);
  for (Index i = 0; i < n_; ++i) free_[i] = i;
  while (Decide()) {
    if (free_.size() < changed_.size()) {
      RecomputeBounds();
    } else {
      Propagate();
    }
  }
  undecided_ += static_cast<std::int64_t>(free_.size());
  if (!free_.empty()) SolveFlow();
}

/// Moves the variables that their bounds decide from free_ to changed_. Returns false when there is
/// no such variable, or when no undecided variable is left.
bool RoofDuality::Decide() {
  changed_.clear();
  ++round_;
  std::size_t kept = 0;
  for (const Index i : free_) {
    const bool zero = high_[i] <= 0;
    if (zero || low_[i] >= 0) {
      doubled_[i] = zero ? 0 : 2;
      decided_[i] = round_;
      changed_.push_back(i);
    } else {
      free_[kept++] = i;
    }
  }
  work_ += static_cast<std::int64_t>(free_.size());
  free_.resize(kept);
  return !changed_.empty() && !free_.empty();
}

/// Updates the bounds of all neighbours of the changed variables.
void RoofDuality::Propagate() {
  for (const Index i : changed_) {
    const bool one = doubled_[i] == 2;
    work_ += static_cast<std::int64_t>(neighbours(i).size());
    for (const auto& [j, pair] : neighbours(i)) {
      const double value = t(pair);
      const double positive = std::max(value, 0.0);
      const double negative = std::min(value, 0.0);
      contracted_[j] += one ? value : 0;
      low_[j] += one ? positive : -negative;
      high_[j] += one ? negative : -positive;
    }
  }
}

/// Recomputes the bounds of the undecided variables, which is cheaper than Propagate when few are
/// left, and avoids differences of large sums.
void RoofDuality::RecomputeBounds() {
  for (const Index i : free_) {
    double base = u_[i];
    double negative = 0;
    double positive = 0;
    work_ += static_cast<std::int64_t>(neighbours(i).size());
    for (const auto& [j, pair] : neighbours(i)) {
      const double value = t(pair);
      if (decided_[j]) {
        if (doubled_[j] == 2) base += value;
      } else {
        (value > 0 ? positive : negative) += value;
      }
    }
    contracted_[i] = base;
    low_[i] = base + negative;
    high_[i] = base + positive;
  }
}

/// Finds signs flip_ with flip_i flip_j t_ij ≥ 0 for all undecided pairs, by depth-first
/// two-colouring. Returns whether such signs exist.
bool RoofDuality::FindSwitching() {
  for (const Index i : free_) flip_[i] = 0;
  for (const Index root : free_) {
    if (flip_[root] != 0) continue;
    flip_[root] = 1;
    changed_.assign(1, root);
    while (!changed_.empty()) {
      const Index i = changed_.back();
      changed_.pop_back();
      for (const auto& [j, pair] : neighbours(i)) {
        const double value = t(pair);
        if (decided_[j] || value == 0) continue;
        const auto wanted = static_cast<std::int8_t>(value > 0 ? flip_[i] : -flip_[i]);
        if (flip_[j] == 0) {
          flip_[j] = wanted;
          changed_.push_back(j);
        } else if (flip_[j] != wanted) {
          return false;
        }
      }
    }
  }
  return true;
}

void RoofDuality::SolveFlow() {
  for (std::size_t k = 0; k < free_.size(); ++k) node_[free_[k]] = static_cast<Index>(k);
  flow_doubled_ = !FindSwitching();
  const auto count = static_cast<Index>(free_.size());
  flow_.Reset(flow_doubled_ ? 2 * count : count);
  AddPairsOfFlow(flow_doubled_);
  flow_.Solve();
  ReadCut(flow_doubled_);
}

/// Builds the flow. Node k stands for variable free_[k] (flipped where flip_ is −1), and node count
/// + k for its complement in the doubled graph. The source side means 1.
void RoofDuality::AddPairsOfFlow(bool doubled) {
  const auto count = static_cast<Index>(free_.size());
  for (Index k = 0; k < count; ++k) {
    const Index i = free_[k];
    double a = 2 * contracted_[i];
    work_ += static_cast<std::int64_t>(neighbours(i).size());
    for (const auto& [j, pair] : neighbours(i)) {
      const double value = t(pair);
      if (decided_[j] || value == 0) continue;
      a += value;
      if (pairs_[pair].first != i) continue;
      const Index other = node_[j];
      const double capacity = std::abs(value);
      if (!doubled) {
        flow_pairs_.push_back({pair, flow_.AddEdge(k, other, capacity, capacity)});
      } else if (value > 0) {
        flow_pairs_.push_back({pair, flow_.AddEdge(k, other, capacity, capacity)});
        flow_.AddEdge(count + other, count + k, capacity, capacity);
      } else {
        flow_pairs_.push_back({pair, flow_.AddEdge(k, count + other, capacity, capacity)});
        flow_.AddEdge(other, count + k, capacity, capacity);
      }
    }
    if (doubled) {
      flow_.AddExcess(k, a);
      flow_.AddExcess(count + k, -a);
    } else {
      flow_.AddExcess(k, flip_[i] * a);
    }
  }
}

void RoofDuality::ReadCut(bool doubled) {
  const auto count = static_cast<Index>(free_.size());
  for (Index k = 0; k < count; ++k) {
    const Index i = free_[k];
    const bool zero = flow_.SinkSide(k);
    if (!doubled) {
      doubled_[i] = zero == (flip_[i] > 0) ? 0 : 2;
    } else {
      // Only rounding errors can put both nodes on the sink side.
      const bool one = flow_.SinkSide(count + k);
      doubled_[i] = zero == one ? 1 : zero ? 0 : 2;
      integral_ = integral_ && zero != one;
    }
  }
}

double RoofDuality::Value() const {
  const std::size_t n = n_;
  double value = 0;
  for (std::size_t i = 0; i < n; ++i) value += u_[i] * 0.5 * doubled_[i];
  for (std::size_t e = 0; e < pairs_.size(); ++e) {
    const int p = doubled_[pairs_[e].first];
    const int q = doubled_[pairs_[e].second];
    value += t_[e] * 0.5 * (t_[e] > 0 ? std::min(p, q) : std::max(0, p + q - 2));
  }
  return value;
}

double RoofDuality::ValueWith(std::span<const double> u) const {
  double value = 0;
  for (Index i = 0; i < n_; ++i) {
    const int p = doubled_[i];
    if (p == 0) continue;
    value += u[i] * 0.5 * p;
    for (const auto& [j, pair] : neighbours(i)) {
      const int q = doubled_[j];
      if (q == 0 || pairs_[pair].first != i) continue;
      value += t(pair) * 0.5 * (t(pair) > 0 ? std::min(p, q) : std::max(0, p + q - 2));
    }
  }
  return value;
}

void RoofDuality::DualFlows(std::span<double> f) const {
  // Pairs that are not in the flow. The variable that was decided first (in `later`, the smaller
  // round) was decided for any value of the other one. The other one was decided later, or by the
  // flow, given the label of the first.
  for (std::size_t e = 0; e < pairs_.size(); ++e) {
    Index first = pairs_[e].first;
    Index second = pairs_[e].second;
    const auto later = [&](Index i) { return decided_[i] == 0 ? n_ + 1 : decided_[i]; };
    const bool swapped = later(second) < later(first);
    const bool one = doubled_[swapped ? second : first] == 2;
    if (t_[e] > 0) {
      f[e] = one == swapped
                 ? t_[e]
                 : 0;  // f x_first + (t − f) x_second, all on one: the earlier decided if it is 0
    } else {
      f[e] = one ? -t_[e] : 0;  // f (1 − x_first − x_second)
    }
  }
  for (const auto& [pair, edge] : flow_pairs_) {
    const double value = t_[pair];
    double flow = flow_.EdgeFlow(edge);
    if (flow_doubled_) {
      flow = 0.5 * (flow + flow_.EdgeFlow(edge + 1));
    } else if (flip_[pairs_[pair].first] < 0) {
      flow = -flow;
    }
    // Capacities are |t|, not |t|/2, so flows are twice the flows of the dual.
    const double unclipped = value > 0 ? 0.5 * (value - flow) : 0.5 * (-value + flow);
    f[pair] = std::clamp(unclipped, 0.0, std::abs(value));
  }
}

}  // namespace slackline::internal
