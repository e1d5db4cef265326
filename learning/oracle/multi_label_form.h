// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-label models over binary pairs in the form that roof duality needs: one coefficient per
// label and per pair, read from the weights without score tables.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <slackline/core/structure.h>
#include <slackline/inference/roof_duality.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// The supported form: all variables are binary; state 0 has no features, state 1 may have one
/// linear feature and constant ones; every factor joins two variables and has one weight of its
/// own, for the joint state (1, 1).
class MultiLabelForm {
 public:
  /// Empty when the structure is of another kind, or has forbidden states.
  static std::optional<MultiLabelForm> Make(const Structure& structure);

  Index num_variables() const { return static_cast<Index>(slot_coordinate_.size()); }
  std::span<const VariablePair> pairs() const { return pairs_; }
  /// Per pair the position of its weight. If contiguous(), pair e has position pair_weight()[0] +
  /// e.
  std::span<const Index> pair_weight() const { return pair_weight_; }
  bool contiguous() const { return contiguous_; }

  /// u_i = Δ_i(1) − Δ_i(0) + w·φ_i(1).
  void UnaryCoefficients(std::span<const double> loss, std::span<const double> slot_scores,
                         std::span<const double> weights, std::span<double> u) const;
  /// t per pair: a view of the weights if these are contiguous, else a view of *buffer.
  std::span<const double> PairCoefficients(std::span<const double> weights,
                                           std::vector<double>* buffer) const;
  /// Sets *corner to φ and Δ of the solution of `roof`.
  void ReadCorner(const RoofDuality& roof, std::span<const double> t, std::span<const double> loss,
                  SparseCorner* corner) const;
  /// Sets *corner to φ of a labelling, as SparsifyCorner does, in O(variables + pairs of variables
  /// in state 1). Its loss becomes 0.
  void ReadLabelling(std::span<const Index> labels, SparseCorner* corner) const;

 private:
  struct Constant {
    Index variable;
    Index weight;
    double value;
  };
  std::vector<Index> slot_coordinate_;  // per variable; −1: no linear feature
  std::vector<Constant> constants_;
  std::vector<VariablePair> pairs_;
  std::vector<Index> pair_weight_;
  // Per variable: (neighbour, pair) for its neighbours with larger numbers.
  std::vector<std::vector<std::pair<Index, Index>>> later_;
  bool contiguous_ = false;
};

}  // namespace slackline::internal
