// SPDX-License-Identifier: BSD-3-Clause
//
// Optima of small training problems, found without any of the library's learning code: features are
// written out as dense vectors from the terms of the structure, and convex quadratic programs are
// solved by an interior-point method. Slow, for a few hundred columns. Symbols are those of
// docs/notation.md. A global factor gets one column for each of its allowed joint states: its
// polytope is their hull.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include <slackline/core/loss.h>

#include "tests/support/quadratic_program.h"

namespace slackline::internal::test {

struct Optimum {
  double value = 0;
  std::vector<double> weights;  ///< the optimal w, which is unique
  /// An optimal μ (there may be others): the flat tables of the examples one after the other, each
  /// followed by those of its global factors; for SolveExact the weights of all labelings, example
  /// by example, last variable fastest.
  std::vector<double> marginals;
};

/// G* = F*: the LP-relaxed structural SVM over all examples. Requires that no states are forbidden,
/// as SolveSoft and RelaxedPrimal.
Optimum SolveRelaxed(const TrainingSet& training, double lambda);
/// min_w P(w), over all labelings without forbidden states. Throws std::invalid_argument when there
/// are more than 1500 of them.
Optimum SolveExact(const TrainingSet& training, double lambda);
/// The same with slack rescaling: the hinge of a labelling is Δ(y)·(1 − w·ψ(y)).
Optimum SolveSlackRescaled(const TrainingSet& training, double lambda);
/// F_ρ*, soft constraints with ρ in the per-example scale; smoothing γ: with −(γ/2M) ‖μ‖² added.
Optimum SolveSoft(const TrainingSet& training, double lambda, double rho, double smoothing = 0);

double RelaxedOptimum(const TrainingSet& training, double lambda);
double ExactOptimum(const TrainingSet& training, double lambda);
double SoftOptimum(const TrainingSet& training, double lambda, double rho, double smoothing = 0);

/// P(w) by enumeration, and its relaxation min_δ g(w, δ) by one linear program per example.
double ExactPrimal(const TrainingSet& training, double lambda, std::span<const double> weights);
double SlackRescaledPrimal(const TrainingSet& training, double lambda,
                           std::span<const double> weights);
double RelaxedPrimal(const TrainingSet& training, double lambda, std::span<const double> weights);

/// φ_part(state) of an example as a dense vector over all weights.
Eigen::VectorXd DenseFeatures(const ExampleView& example, Index part, Index state);

}  // namespace slackline::internal::test
