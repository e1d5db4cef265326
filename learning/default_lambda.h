// SPDX-License-Identifier: BSD-3-Clause
//
// A λ to begin with, and λ in the terms of linear classifiers.
//
// LIBLINEAR trains one label by min_v ½‖v‖² + C Σ_m max(0, 1 − t_m v·x_m). Without factors between
// its variables, a problem of M examples in which a wrong variable costs ℓ on average is, with
// w = ℓ v, the same for every variable, at
//
//   C = 1 / (ℓ λ M).
//
// ℓ is 1 with the loss `count`, and 1/n with `mean` and n variables an example. C·R², R² the mean
// squared norm of an input, depends neither on the units of the loss nor on the length of the
// inputs. Its best values lie between 1 and 40 on the data sets of docs/notebook/defaults.md, and
// rise where each weight has many variables to learn from, as on images of letters. The default is
//
//   C·R² = 4 · √max(1, v/40),   λ = R² / (C·R² ℓ M),   v variables for each weight of a row.
#pragma once

#include <algorithm>
#include <cmath>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The two numbers of the default.
inline constexpr double kDefaultCostTimesSquaredNorm = 4;
inline constexpr double kManyVariablesPerWeight = 40;

/// A λ to three significant digits: a value that is shown can be typed.
double RoundedLambda(double lambda);

/// What C·R² is made of.
struct CostScales {
  /// R²: mean over all variables of the largest ‖φ_i(y)‖², y over the states of the variable; with
  /// a kernel, k(x, x) in the place of ‖x‖². Constants (scalar features, and columns that have one
  /// value in all inputs) count at most as much as all others, so that R² follows the unit of
  /// inputs that are short. 1 where variables have no features.
  double mean_squared_norm = 1;
  /// ℓ: mean over all variables of their largest loss. 1 where nothing costs anything.
  double loss_per_variable = 1;
  /// v: how many variables a weight of an input's features meets in the mean. M/D with own weights
  /// for every variable of an example and D features; N/D where all N variables share them.
  double variables_per_weight = 0;
  /// M.
  double num_examples = 1;

  /// The λ for which C·R² is `product` > 0.
  double LambdaFor(double product) const {
    return mean_squared_norm / (product * loss_per_variable * num_examples);
  }
  /// See above.
  double DefaultLambda() const {
    const double many = variables_per_weight / kManyVariablesPerWeight;
    return RoundedLambda(LambdaFor(kDefaultCostTimesSquaredNorm * std::sqrt(std::max(1.0, many))));
  }
  /// C = 1 / (ℓ λ M).
  double CostPerVariable(double lambda) const {
    return 1 / (loss_per_variable * lambda * num_examples);
  }
};
/// One sweep over the variables. Of the options, those of the kernel are read.
CostScales ScalesOf(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
