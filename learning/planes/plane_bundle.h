// SPDX-License-Identifier: BSD-3-Clause
//
// Cutting planes of the empirical risk R(w) = (1/M) Σ_m max_s H_m(s; w), and the model that they
// make of it:
//
//   R(w) ≥ max_k (b_k − w·a_k),   a_k = (1/M) Σ_m ψ_m(s_m^k),   b_k = (1/M) Σ_m Δ_m(s_m^k),
//
// one labelling (or point of the domain) s_m^k per example and plane. The minimum of λ/2 ‖w‖² +
// max_k (…) and its dual, a quadratic program over one simplex (simplex_qp.h), have w = Σ_k α_k a_k
// / λ. Planes hold for every λ. Plane 0 is that of the ground truth: a = 0, b = 0.
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
  /// num_examples: length of the planes' lists of corners.
  PlaneBundle(Offset num_weights, Index num_examples, double lambda);

  Index size() const { return static_cast<Index>(planes_.size()); }

  /// Appends a plane with weight 0. direction: a, dense. corners: the number, in its active set, of
  /// the corner of every example (active_set.h). Costs one inner product with every plane.
  void Add(std::span<const double> direction, double offset, std::vector<Index> corners);

  /// Whether a plane with these corners is there.
  bool Has(std::span<const Index> corners) const;

  /// Solves the quadratic program, to a gap of `tolerance`, from the point before. value() never
  /// falls.
  void Solve(double tolerance);
  /// Adds one to the idle counts of planes with weight 0, resets those of others, and drops planes
  /// idle for longer than `limit` (0: none; never plane 0). Returns whether any was dropped.
  bool DropIdle(Index limit);

  /// Array entries touched so far, by inner products and programs.
  std::int64_t work() const { return work_; }

  /// Of the point after Solve: w = Σ α a/λ; the value of the dual, computed from w; and max_k (b_k
  /// − w·a_k), up to the gap of Solve.
  std::span<const double> weights() const { return weights_; }
  double value() const { return value_; }
  double cut() const { return cut_; }
  /// b − w·a of a direction and offset that need not be kept.
  static double At(std::span<const double> direction, double offset,
                   std::span<const double> weights);

  double alpha(Index k) const { return alpha_[k]; }
  std::span<const Index> corners(Index k) const { return planes_[k].corners; }
  /// For new numbers of corners.
  std::span<Index> corners(Index k) { return planes_[k].corners; }

  /// The same planes and α, and value() at it; Solve has to be called.
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
