// SPDX-License-Identifier: BSD-3-Clause
//
// Updates of one example's dual variables over several labellings at once.
//
// Source: Branson, Beijbom, Belongie, "Efficient large-scale structured learning", CVPR 2013,
// supplement, Algorithms 1 and 2. Translation: v(X, Y) of the paper is −ψ(Y) = φ(Y) − φ(Y^t) here;
// a sample's ⟨w, v⟩ + Δ is H(y; w) = Δ(y) − w·ψ(y). Misprints corrected: the swap move's curvature
// is ‖v − u‖² with a minus before the quadratic term; the costs of Algorithm 2 carry the factor
// 1/‖φ(X)‖² of equation (25), and its loop over α ends one entry earlier.
//
//   symbol      here                    shape
//   v^j, Δ^j    LabellingSample         num_coordinates of the example's structure, with the sign
//                                       of ψ; a number
//   u, D, α     ExampleDual             the same, for Σ_j α_j ψ_j, Σ_j α_j Δ_j and Σ_j α_j
//   λt          lambda_t
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/feature_gram.h>

namespace slackline::internal {

struct LabellingSample {
  std::vector<double> coordinates;  ///< of ψ = φ(y^m) − φ(y)
  double loss = 0;                  ///< Δ(y)
};

/// Sums over the dual variables of an example. The remaining 1 − mass lies on the ground truth,
/// whose ψ and Δ are zero.
struct ExampleDual {
  std::vector<double> coordinates;  ///< of Σ_j α_j ψ_j
  double loss = 0;                  ///< Σ_j α_j Δ_j
  double mass = 0;                  ///< Σ_j α_j, in [0, 1]
};

struct MovePlan {
  int rounds = 1;  ///< how often every sample is visited (line 16)
  /// Whether there are no swap moves while mass < 1 (line 4).
  bool expand_first = false;
};

/// Algorithm 1, lines 3 to 16: an expand move for each sample while mass < 1, swap moves after
/// that. Deviation, unless plan.expand_first: also while mass < 1 the swap move is made if it gains
/// more, since expand moves never reduce a dual variable. If the ground truth (ψ = 0) is among the
/// samples, swap moves towards it reduce the dual variables of the others, and many rounds reach
/// the best point of the samples' convex hull.
///
/// scores: the example's coordinate scores (feature_map.h) at w^(t,0), which follow the moves;
/// dual: the start, 0 in the paper, and the result; change: the sum of all that was added to
/// dual->coordinates, so that w moves by the features of `change` / lambda_t; gram: work space. The
/// dual objective never falls. O(samples · plan.rounds) applications of the Gram map. Throws
/// std::invalid_argument when sizes do not fit or lambda_t ≤ 0.
void MultiSampleUpdate(const ExampleView& example, std::span<const LabellingSample> samples,
                       double lambda_t, const MovePlan& plan, std::span<double> scores,
                       ExampleDual* dual, std::vector<double>* change, FeatureGram* gram);

/// Algorithm 2: the exact α ≥ 0, Σα ≤ 1 that maximise Σ_j α_j H_j − ‖Σ_j α_j v_j‖²/(2 lambda_t)
/// where the samples are different wrong classes over one input, so that v_i·v_j = ‖φ‖² (1 + [i =
/// j]). values: H_j at w^(t,0); squared_norm ≥ 0: ‖φ(X)‖²; lambda_t > 0 (else
/// std::invalid_argument). O(K log K).
std::vector<double> MulticlassUpdate(std::span<const double> values, double squared_norm,
                                     double lambda_t);

}  // namespace slackline::internal
