// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/chain_dp.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
ChainDp::ChainDp(Index states) : states_(states) {
  SLACKLINE_CHECK(states >= 1, "a chain needs states");
  tables_.Add(states, states);
  const std::vector<double> zeros(Size(states) * Size(states), 0.0);
  tables_.Set(0, zeros);
}

void ChainDp::SetSharedTable(std::span<const double> scores) {
  shared_ = true;
  tables_.Set(0, scores);
}

void ChainDp::SetTables(std::span<const double> scores) {
  const std::size_t size = Size(states_) * Size(states_);
  SLACKLINE_CHECK(scores.size() % size == 0, "scores do not fit the tables");
  shared_ = false;
  num_tables_ = static_cast<Index>(scores.size() / size);
  for (Index table = 0; table < num_tables_; ++table) {
    if (table == tables_.size()) tables_.Add(states_, states_);
    tables_.Set(table, scores.subspan(Size(table) * size, size));
  }
}

Index ChainDp::CheckLength(std::span<const double> unary, std::span<const Index> labels) const {
  const std::size_t length = unary.size() / Size(states_);
  SLACKLINE_CHECK(length >= 1 && unary.size() == length * Size(states_) && labels.size() == length,
                  "scores and labels do not fit the chain");
  SLACKLINE_CHECK(shared_ || length <= Size(num_tables_) + 1,
                  "there are too few tables for the chain");
  return static_cast<Index>(length);
}

double ChainDp::Maximise(std::span<const double> unary, std::span<Index> labels) {
  const Index length = CheckLength(unary, labels);
  const std::size_t k = states_;
  behind_.resize(std::max(behind_.size(), Size(length) * stride()));
  for (Index i = length; i-- > 0;) {
    double* row = behind_.data() + Size(i) * stride();
    const double* own = unary.data() + Size(i) * k;
    if (i + 1 == length) {
      std::copy_n(own, k, row);
      continue;
    }
    tables_.MaxPlus({table_of(i), true}, row + stride(), row);
    for (std::size_t s = 0; s < k; ++s) row[s] += own[s];
  }
  const double* best = std::max_element(behind_.data(), behind_.data() + k);
  labels[0] = static_cast<Index>(best - behind_.data());
  Complete(0, labels);
  return *best;
}

void ChainDp::Complete(Index i, std::span<Index> labels) const {
  for (std::size_t j = i + 1; j < labels.size(); ++j) {
    const auto variable = static_cast<Index>(j);
    labels[j] =
        tables_.Best({table_of(variable - 1), false}, labels[j - 1], behind(variable).data());
  }
}

void ChainDp::MaxMarginals(std::span<const double> unary, std::span<Index> labels,
                           std::span<double> out) {
  SLACKLINE_CHECK(out.size() == unary.size(), "max-marginals do not fit the chain");
  if (Maximise(unary, labels) == -kInfinity) {
    std::fill(out.begin(), out.end(), -kInfinity);
    return;
  }
  const std::size_t k = states_;
  ahead_.assign(stride(), 0.0);  // best score of all before the variable, by its states
  message_.resize(stride());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto variable = static_cast<Index>(i);
    if (i > 0) {
      for (std::size_t s = 0; s < k; ++s) ahead_[s] += unary[(i - 1) * k + s];
      tables_.MaxPlus({table_of(variable - 1), false}, ahead_.data(), message_.data());
      std::swap(ahead_, message_);
    }
    // Sums in another order than the best score's: what belongs to the best labelling is the
    // measure.
    const std::span<const double> rest = behind(variable);
    const double best = ahead_[labels[i]] + rest[labels[i]];
    for (std::size_t s = 0; s < k; ++s) out[i * k + s] = std::min(0.0, ahead_[s] + rest[s] - best);
  }
}

}  // namespace slackline::internal
