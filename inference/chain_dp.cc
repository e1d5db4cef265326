// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/chain_dp.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/factors/max_product.h>

namespace slackline::internal {

ChainDp::ChainDp(Index states) : states_(states) {
  SLACKLINE_CHECK(states >= 1, "a chain needs states");
  tables_.Add(states, states);
  const std::vector<double> zeros(Offset{states} * states, 0.0);
  tables_.Set(0, zeros);
}

void ChainDp::SetSharedTable(std::span<const double> scores) {
  shared_ = true;
  tables_.Set(0, scores);
}

void ChainDp::SetTables(std::span<const double> scores) {
  const std::size_t size = Offset{states_} * states_;
  SLACKLINE_CHECK(scores.size() % size == 0, "scores do not fit the tables");
  shared_ = false;
  num_tables_ = static_cast<Index>(scores.size() / size);
  for (Index table = 0; table < num_tables_; ++table) {
    if (table == tables_.size()) tables_.Add(states_, states_);
    tables_.Set(table, scores.subspan(table * size, size));
  }
}

Index ChainDp::CheckLength(std::span<const double> unary, std::span<const Index> labels) const {
  const Offset length = std::ssize(unary) / states_;
  SLACKLINE_CHECK(
      length >= 1 && std::ssize(unary) == length * states_ && std::ssize(labels) == length,
      "scores and labels do not fit the chain");
  SLACKLINE_CHECK(shared_ || length <= Offset{num_tables_} + 1,
                  "there are too few tables for the chain");
  return static_cast<Index>(length);
}

/// A chain for the sweeps of max_product.h: the first variable is the root, and step k goes from
/// variable length − 1 − k to its predecessor.
struct ChainDp::Sweeps {
  ChainDp& chain;
  Index length;
  const double* unary;

  Index num_steps() const { return length - 1; }
  Index parent(Index k) const { return length - 2 - k; }
  /// Writes the whole belief of the parent, its own scores included.
  void SendUp(Index k) const {
    const Index to = parent(k);
    double* row = belief(to);
    chain.tables_.MaxPlus({chain.table_of(to), true}, belief(to + 1), row);
    const double* own = unary + static_cast<std::ptrdiff_t>(to) * chain.states_;
    for (Index s = 0; s < chain.states_; ++s) row[s] += own[s];
  }
  void Choose(Index k, std::span<Index> labels) const { chain.ChooseAfter(parent(k), labels); }
  double* belief(Index i) const { return chain.behind_.data() + i * chain.stride(); }
  Index states(Index /*i*/) const { return chain.states_; }
  std::span<const Index> roots() const {
    static constexpr Index kFirst = 0;
    return {&kFirst, 1};
  }
};

double ChainDp::Maximise(std::span<const double> unary, std::span<Index> labels) {
  const Index length = CheckLength(unary, labels);
  behind_.resize(std::max(behind_.size(), length * stride()));
  Sweeps sweeps{*this, length, unary.data()};
  std::copy_n(unary.end() - states_, states_, sweeps.belief(length - 1));
  SweepUp(sweeps);
  return SweepDown(sweeps, labels);
}

void ChainDp::Complete(Index i, std::span<Index> labels) const {
  for (; i + 1 < std::ssize(labels); ++i) ChooseAfter(i, labels);
}

void ChainDp::MaxMarginals(std::span<const double> unary, std::span<Index> labels,
                           std::span<double> out) {
  SLACKLINE_CHECK(out.size() == unary.size(), "max-marginals do not fit the chain");
  if (Maximise(unary, labels) == -kInfinity) {
    std::fill(out.begin(), out.end(), -kInfinity);
    return;
  }
  const std::size_t k = states_;
  ahead_.assign(stride(), 0.0);  // best score of all earlier variables, per state of the variable
  message_.resize(stride());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto variable = static_cast<Index>(i);
    if (i > 0) {
      for (std::size_t s = 0; s < k; ++s) ahead_[s] += unary[(i - 1) * k + s];
      tables_.MaxPlus({table_of(variable - 1), false}, ahead_.data(), message_.data());
      std::swap(ahead_, message_);
    }
    // These sums have another order than the best score of Maximise, and round differently. So the
    // difference is taken to the sum at the best labelling's state of this variable.
    const std::span<const double> rest = behind(variable);
    const double best = ahead_[labels[i]] + rest[labels[i]];
    for (std::size_t s = 0; s < k; ++s) out[i * k + s] = std::min(0.0, ahead_[s] + rest[s] - best);
  }
}

}  // namespace slackline::internal
