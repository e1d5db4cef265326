// SPDX-License-Identifier: BSD-3-Clause
//
// A tree (or chain) of pair factors as one global factor, maximised by dynamic programming
// (max_product.h). As one block it needs no messages between its pairs. The relaxation is as tight
// as with single pairs: the local polytope of a tree is the convex hull of its joint states.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <slackline/core/global_factor.h>
#include <slackline/factors/factor_concept.h>

namespace slackline::internal {

/// φ(y) = Σ_e φ_{table of e}(y_first, y_second).
class TreeFactor final : public GlobalFactor {
 public:
  struct Edge {
    Index first = 0;  ///< axis of the table's first variable
    Index second = 0;
    Index table = 0;  ///< number of the FeatureTable
    Index base = 0;   ///< added to every row of the table, so edges may have their own weights
  };

  /// The features of an edge are those of its table over two variables; weight k of the table is
  /// local weight base + k. Throws std::invalid_argument when an edge does not fit its axes or the
  /// edges close a cycle. Axes without an edge are allowed.
  TreeFactor(std::vector<Index> cardinalities, Index num_weights, std::vector<FeatureTable> tables,
             std::vector<Edge> edges);

  /// A chain of `length` ≥ 1 variables whose neighbours are joined by `pair`, all edges with the
  /// same weights.
  template <Factor F>
  static TreeFactor Chain(Index length, const F& pair) {
    return Chain(length, TabulateFeatures(pair));
  }
  static TreeFactor Chain(Index length, FeatureTable pair);

  std::string_view name() const override { return "tree"; }
  std::span<const Index> cardinalities() const override { return cardinalities_; }
  Index num_weights() const override { return num_weights_; }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> out) const override;
  /// O(Σ_e K_first · K_second), plus the scores of each different (table, base).
  double Maximize(std::span<const double> weights, std::span<const double> messages,
                  std::span<Index> states) const override;
  double Score(std::span<const double> weights, std::span<const Index> states) const override;

 private:
  /// An edge directed to the root: the states of `child` are maximised out.
  struct Step {
    Index child;
    Index parent;
    bool child_first;  // whether the child's axis is the first of the table
    Index scores;      // number of its score table
  };
  /// A (table, base) that occurs among the edges; each has one table of scores.
  struct ScoreTableKey {
    Index table;
    Index base;
    Offset offset;
  };

  struct Sweeps;
  template <class Visit>
  void ForEachFeature(std::span<const Index> states, const Visit& visit) const;
  void Order();
  Index AddScoreTable(Index table, Index base);
  void FillScores(std::span<const double> weights, std::span<double> scores) const;

  std::vector<Index> cardinalities_;
  Index num_weights_;
  std::vector<FeatureTable> tables_;
  std::vector<Edge> edges_;
  std::vector<Step> steps_;    // leaves first
  std::vector<Index> roots_;   // one axis per component
  std::vector<Offset> begin_;  // of each axis's messages, and their total number
  std::vector<ScoreTableKey> keys_;
  Offset score_size_ = 0;
};

}  // namespace slackline::internal
