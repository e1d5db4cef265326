// SPDX-License-Identifier: BSD-3-Clause
//
// Decomposable losses Δ(y) = Σ_i Δ_i(y_i), zero at the given labelling, and the training set: the examples of a data set
// as training sees them, that is without their unlabelled variables, each with its table of losses.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>

namespace slackline {

/// Hamming losses: kCount counts the wrong variables, kMean divides that by the number of labelled variables.
enum class LossScale { kMean, kCount };

struct LossOptions {
  LossScale scale = LossScale::kMean;

  /// Weight ≥ 0 of each variable, by its number in the original structure; empty = 1 for all. `mean` still divides by the
  /// number of variables, not by the sum of the weights.
  std::vector<double> variable_weights;

  /// Weight ≥ 0 of an error on variable i where its given state is s: entry i · K + s, for problems whose variables all have K states;
  /// empty = 1 for all.
  std::vector<double> given_weights;

  /// costs[given · K + predicted] ≥ 0 for problems whose variables all have K states, zero where predicted = given;
  /// empty = 1 for every error.
  std::vector<double> costs;
};

/// Examples to train on. data.example(m) has only labelled variables; loss(m)[s] is Δ_i(s) in the flat order of the
/// variables' states.
struct TrainingSet {
  Dataset data;
  std::vector<double> losses;
  std::vector<Offset> loss_begin;
  Index skipped_examples = 0;    ///< examples without any labelled variable, left out
  Offset skipped_variables = 0;  ///< unlabelled variables of the others

  std::span<const double> loss(Index m) const {
    const auto k = static_cast<std::size_t>(m);
    return {losses.data() + loss_begin[k], static_cast<std::size_t>(loss_begin[k + 1] - loss_begin[k])};
  }
};

/// Leaves out unlabelled variables with all their factors (docs/notation.md, section 1) and computes the losses. Examples that lack
/// the same variables share one restricted structure. Throws std::invalid_argument on options that do not fit, and when the given labels
/// of an example are forbidden, by forbidden states (FirstForbiddenPart finds them) or by a global factor.
TrainingSet MakeTrainingSet(const Dataset& dataset, const LossOptions& options);

}  // namespace slackline
