// SPDX-License-Identifier: BSD-3-Clause
//
// Max-sum on chains of variables with K states each, for prediction: the best labelling, and what
// every state could reach.
//
// From the last variable to the first, b_i(r) = unary_i(r) + max_s table(r, s) + b_{i+1}(s) is the
// best score of the variables behind i, given state r at i. Then every variable from the first on
// takes the lowest of the best states given the one before (factors/max_product.h): of equal
// labellings the first in lexicographic order. n·K² vector operations (pair_tables.h), memory n·K.
// A shared table is filled once for all chains.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/inference/pair_tables.h>

namespace slackline::internal {

/// Scores of tables and work space; not to be shared between threads. Scores may be −∞ (forbidden),
/// not +∞ or NaN.
class ChainDp {
 public:
  /// Requires states ≥ 1.
  explicit ChainDp(Index states);

  Index states() const { return states_; }
  /// One table for all pairs: scores[from · K + to].
  void SetSharedTable(std::span<const double> scores);
  /// One table after the other, for the pairs (0, 1), (1, 2), … of chains with one variable more.
  void SetTables(std::span<const double> scores);

  /// Of a chain with unary.size() / K ≥ 1 variables, scores by rows: the best labelling, and its
  /// score; −∞ when all are forbidden (labels then mean nothing).
  double Maximise(std::span<const double> unary, std::span<Index> labels);
  /// out[i · K + s]: the best score of a labelling with state s at variable i, minus the best score
  /// of all. Never above 0, and 0 at the states of the labelling that Maximise finds, which is put
  /// into labels. All labellings forbidden: all −∞.
  void MaxMarginals(std::span<const double> unary, std::span<Index> labels, std::span<double> out);

  /// Sets the labels behind variable i to the best ones given its own, for the chain of the last
  /// call.
  void Complete(Index i, std::span<Index> labels) const;
  /// b_i(s) of the last call: K values.
  std::span<const double> behind(Index i) const {
    return {behind_.data() + static_cast<std::size_t>(i) * stride(),
            static_cast<std::size_t>(states_)};
  }
  /// table(from, ·) of the pair (i, i + 1): K values.
  std::span<const double> row(Index i, Index from) const {
    return {tables_.row({table_of(i), false}, from), static_cast<std::size_t>(states_)};
  }

 private:
  std::size_t stride() const { return static_cast<std::size_t>(PairTables::Padded(states_)); }
  Index table_of(Index pair) const { return shared_ ? 0 : pair; }
  Index CheckLength(std::span<const double> unary, std::span<const Index> labels) const;
  /// Sets the label of variable i + 1 to the best one given that of variable i.
  void ChooseAfter(Index i, std::span<Index> labels) const {
    labels[i + 1] = tables_.Best({table_of(i), false}, labels[i], behind(i + 1).data());
  }
  struct Sweeps;

  Index states_;
  bool shared_ = true;
  Index num_tables_ = 0;  // that SetTables was given last
  PairTables tables_;
  std::vector<double> behind_;  // a padded row for each variable
  std::vector<double> ahead_, message_;
};

}  // namespace slackline::internal
