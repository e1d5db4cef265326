// SPDX-License-Identifier: BSD-3-Clause
//
// Max-sum on chains of variables with K states each, for prediction: the best labelling, and the
// max-marginals of all states.
//
// From the last variable to the first, b_i(r) = unary_i(r) + max_s [table(r, s) + b_{i+1}(s)] is
// the best score of the variables i, i + 1, … given state r at i. Then every variable, from the
// first on, takes the lowest of the best states given its predecessor's state
// (factors/max_product.h): of equal labellings, this finds the first in lexicographic order. n·K²
// vector operations (pair_tables.h), memory n·K. A shared table is filled once for all chains.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/inference/pair_tables.h>

namespace slackline::internal {

/// Holds the scores of tables and work space: one object per thread. Scores may be −∞ (forbidden),
/// but not +∞ or NaN.
class ChainDp {
 public:
  /// Requires states ≥ 1.
  explicit ChainDp(Index states);

  Index states() const { return states_; }
  /// Sets one table for all pairs: scores[from · K + to].
  void SetSharedTable(std::span<const double> scores);
  /// Sets one table for each of the pairs (0, 1), (1, 2), …, one after the other in `scores`.
  /// Chains may then have at most one variable more than there are tables.
  void SetTables(std::span<const double> scores);

  /// Writes the best labelling of a chain of n = unary.size() / K ≥ 1 variables and returns its
  /// score, or −∞ when all labellings are forbidden (`labels` are meaningless then). unary: n × K,
  /// by rows. labels: n. Throws std::invalid_argument when sizes do not fit.
  double Maximise(std::span<const double> unary, std::span<Index> labels);
  /// out[i · K + s]: the best score of a labelling with state s at variable i, minus the best score
  /// of all labellings. Never above 0, and 0 at the states of the labelling that Maximise finds,
  /// which is written to `labels`. All −∞ when all labellings are forbidden.
  void MaxMarginals(std::span<const double> unary, std::span<Index> labels, std::span<double> out);

  /// Sets the labels after variable i to the best ones given the label of i, for the chain of the
  /// last call.
  void Complete(Index i, std::span<Index> labels) const;
  /// b_i(s) of the last call: K values.
  std::span<const double> behind(Index i) const {
    return std::span(behind_.data() + i * stride(), states_);
  }
  /// table(from, ·) of the pair (i, i + 1): K values.
  std::span<const double> row(Index i, Index from) const {
    return std::span(tables_.row({table_of(i), false}, from), states_);
  }

 private:
  std::size_t stride() const { return PairTables::Padded(states_); }
  Index table_of(Index pair) const { return shared_ ? 0 : pair; }
  Index CheckLength(std::span<const double> unary, std::span<const Index> labels) const;
  /// Sets the label of variable i + 1 to the best one given the label of variable i.
  void ChooseAfter(Index i, std::span<Index> labels) const {
    labels[i + 1] = tables_.Best({table_of(i), false}, labels[i], behind(i + 1).data());
  }
  struct Sweeps;

  Index states_;
  bool shared_ = true;
  Index num_tables_ = 0;  // number of tables of the last SetTables
  PairTables tables_;
  std::vector<double> behind_;  // b_i: a padded row for each variable
  std::vector<double> ahead_, message_;
};

}  // namespace slackline::internal
