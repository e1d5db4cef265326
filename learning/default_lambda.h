// SPDX-License-Identifier: BSD-3-Clause
//
// The default λ, and the relation of λ to the C of linear classifiers.
//
// LIBLINEAR trains one label by min_v ½‖v‖² + C Σ_m max(0, 1 − t_m v·x_m). A structured problem of
// M examples without factors between its variables separates into such problems, one per variable,
// with w = ℓ v, ℓ the mean loss of a wrong variable, and
//
//   C = 1 / (ℓ λ M).
//
// ℓ is 1 with the loss `count`, and 1/n with the loss `mean` and n variables per example. C·R²,
// with R² the mean squared norm of an input, depends neither on the unit of the loss nor on the
// length of the inputs. The best values of C·R² lie between 1 and 40 on the data sets of
// docs/notebook/defaults.md, and rise where each weight has many variables to learn from, as on
// images of letters. The default is
//
//   C·R² = 4 · √max(1, v/40),   λ = R² / (C·R² ℓ M),   v = variables per weight (CostScales).
#pragma once

#include <algorithm>
#include <cmath>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The constants 4 and 40 of the formula above.
inline constexpr double kDefaultCostTimesSquaredNorm = 4;
inline constexpr double kManyVariablesPerWeight = 40;

/// λ rounded to three significant digits, so that the printed value is exactly the value used.
double RoundedLambda(double lambda);

/// The factors of C·R² and of λ.
struct CostScales {
  /// R²: mean over all variables of the largest ‖φ_i(y)‖², y over the states of the variable; with
  /// a kernel, k(x, x) in place of ‖x‖². Constants (scalar features, and columns that have the same
  /// value in all inputs) count at most as much as all other features together, so that R² follows
  /// the unit of the inputs even where these are short. 1 where variables have no features.
  double mean_squared_norm = 1;
  /// ℓ: mean over all variables of their largest loss. 1 where all losses are 0.
  double loss_per_variable = 1;
  /// v: mean number of variables per weight that inputs are multiplied by. With D features, M/D
  /// where every variable of an example has weights of its own, and N/D where all N variables of
  /// the data share the weights.
  double variables_per_weight = 0;
  /// M.
  double num_examples = 1;

  /// The λ for which C·R² is `product` > 0.
  double LambdaFor(double product) const {
    return mean_squared_norm / (product * loss_per_variable * num_examples);
  }
  /// The default of the head of this file, to three significant digits.
  double DefaultLambda() const {
    const double many = variables_per_weight / kManyVariablesPerWeight;
    return RoundedLambda(LambdaFor(kDefaultCostTimesSquaredNorm * std::sqrt(std::max(1.0, many))));
  }
  /// C = 1 / (ℓ λ M).
  double CostPerVariable(double lambda) const {
    return 1 / (loss_per_variable * lambda * num_examples);
  }
};
/// One sweep over the variables of all examples. Reads only the kernel's options, and the ranks and
/// shards: where several ranks train together, each with a problem of its own examples, all of them
/// must call it, and get the same scales of all examples. Throws DataError on kernels under several
/// ranks, and what NumExamples throws (problem_scales.h).
CostScales ScalesOf(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
