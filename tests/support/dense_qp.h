// SPDX-License-Identifier: BSD-3-Clause
//
// Optima of small training problems, computed without any of the library's learning code: features
// are written out as dense vectors from the terms of the structure, and convex quadratic programs
// are solved by an interior-point method. Suited to a few hundred columns. The symbols are those of
// docs/notation.md. A global factor gets one column for each of its allowed joint states: its
// polytope is the convex hull of these states.
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
  /// An optimal μ, which need not be unique. SolveRelaxed and SolveSoft: the flat tables of the
  /// examples one after the other, each followed by the marginals of its global factors.
  /// SolveExact: the weights of all labellings, example by example, last variable fastest.
  std::vector<double> marginals;
};

/// G* = F*: the LP-relaxed structural SVM over all examples. Forbidden states have μ = 0. SolveSoft
/// and RelaxedPrimal require that no states are forbidden.
Optimum SolveRelaxed(const TrainingSet& training, double lambda);
/// min_w P(w), over all labellings without forbidden states. Throws std::invalid_argument when
/// there are more than 1500 of them.
Optimum SolveExact(const TrainingSet& training, double lambda);
/// SolveExact with slack rescaling: the hinge of a labelling is Δ(y)·(1 − w·ψ(y)).
Optimum SolveSlackRescaled(const TrainingSet& training, double lambda);
/// F_ρ*: soft constraints with ρ in the per-example scale; smoothing γ > 0 adds −(γ/2M) ‖μ‖².
Optimum SolveSoft(const TrainingSet& training, double lambda, double rho, double smoothing = 0);

double RelaxedOptimum(const TrainingSet& training, double lambda);
double ExactOptimum(const TrainingSet& training, double lambda);
double SoftOptimum(const TrainingSet& training, double lambda, double rho, double smoothing = 0);

/// ExactPrimal: P(w) by enumeration; RelaxedPrimal: its relaxation min_δ g(w, δ) by one linear
/// program per example.
double ExactPrimal(const TrainingSet& training, double lambda, std::span<const double> weights);
double SlackRescaledPrimal(const TrainingSet& training, double lambda,
                           std::span<const double> weights);
double RelaxedPrimal(const TrainingSet& training, double lambda, std::span<const double> weights);

/// φ_part(state) of an example as a dense vector over all weights.
Eigen::VectorXd DenseFeatures(const ExampleView& example, Index part, Index state);

}  // namespace slackline::internal::test
