// SPDX-License-Identifier: BSD-3-Clause
//
// Cutting planes of the empirical risk R(w) = (1/M) Σ_m max_s H_m(s; w), and their piecewise linear
// model of R:
//
//   R(w) ≥ max_k (b_k − w·a_k),   a_k = (1/M) Σ_m ψ_m(s_m^k),   b_k = (1/M) Σ_m Δ_m(s_m^k),
//
// with one labelling (or point of the domain) s_m^k per example and plane. The minimum of λ/2 ‖w‖²
// + max_k (…) and its dual, a quadratic program over one simplex (simplex_qp.h), have w = Σ_k α_k
// a_k / λ. Planes are valid for every λ. Plane 0 is the plane of the ground truth: a = 0, b = 0.
//
//   symbol       here            shape
//   a_k          Plane::value    dense, or sparse where that is shorter
//   b_k, α_k     linear_, alpha_ planes
//   ⟨a_j, a_k⟩   gram_           planes × planes
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class PlaneBundle {
 public:
  /// Starts with plane 0 alone. num_examples: number of corners of a plane.
  PlaneBundle(Offset num_weights, Index num_examples, double lambda);

  Index size() const { return static_cast<Index>(planes_.size()); }

  /// Appends a plane with weight 0. direction: a, dense. corners: the number, in its active set, of
  /// the corner of every example (active_set.h). Costs one inner product with every plane.
  void Add(std::span<const double> direction, double offset, std::vector<Index> corners);

  /// Whether the bundle has a plane with these corners.
  bool Has(std::span<const Index> corners) const;

  /// Solves the quadratic program to a gap of `tolerance`, starting from the current α. value()
  /// does not fall.
  void Solve(double tolerance);
  /// Increments the idle counts of planes with weight 0, resets the counts of all others, and drops
  /// planes with a count above `limit` (limit 0: none), but never plane 0. Returns whether any
  /// plane was dropped.
  bool DropIdle(Index limit);

  /// Array entries touched so far, by inner products and programs.
  std::int64_t work() const { return work_; }

  /// w = Σ α a/λ after Solve.
  std::span<const double> weights() const { return weights_; }
  /// Value of the dual after Solve, computed from weights().
  double value() const { return value_; }
  /// max_k (b_k − w·a_k) at weights(), computed from the inner products.
  double cut() const { return cut_; }
  /// b − w·a of a plane that need not be in the bundle.
  static double At(std::span<const double> direction, double offset,
                   std::span<const double> weights);

  double alpha(Index k) const { return alpha_[k]; }
  std::span<const Index> corners(Index k) const { return planes_[k].corners; }
  /// For renumbering the corners.
  std::span<Index> corners(Index k) { return planes_[k].corners; }

  /// Changes λ. Keeps the planes and α, and updates weights(), value() and cut(); the caller must
  /// call Solve for the optimum.
  void set_lambda(double lambda);

  void Archive(StateArchive* archive);

 private:
  struct Plane {
    std::vector<Index> index;  // empty: dense
    std::vector<double> value;
    std::vector<Index> corners;
    Index idle = 0;
  };
  double Product(const Plane& a, const Plane& b);
  void AddGramRow(std::size_t k);
  void ReadPoint();

  Offset num_weights_;
  double lambda_;
  std::vector<Plane> planes_;
  std::vector<double> linear_;
  std::vector<double> alpha_;
  std::vector<double> gram_;
  std::size_t capacity_ = 0;
  std::vector<double> dense_;  // work space of products; zero between uses
  std::vector<double> weights_;
  double value_ = 0;
  double cut_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
