// SPDX-License-Identifier: BSD-3-Clause
//
// Losses, zero at the ground truth: decomposable ones Δ(y) = Σ_i Δ_i(y_i), and 1 − F1 of an
// example's labels. And the training set: the examples of a data set without their unlabelled
// variables, each with its table of losses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>

namespace slackline::internal {

/// Hamming losses: kCount counts the wrong variables, kMean divides that by the number of labelled
/// variables.
enum class LossScale { kMean, kCount };

/// kSum: Σ_i Δ_i(y_i). kF1: 1 − F1 of binary labels, of which state 1 is the relevant one: 1 − 2h /
/// (p + h + f) with p relevant labels, h of them found, and f false alarms; 0 where p = h + f = 0.
enum class LossForm { kSum, kF1 };

/// Σ_i table[state_offset(i) + labels[i]], the loss of a labelling whose variables have this table.
double SumOfLosses(const FactorGraph& graph, std::span<const double> table,
                   std::span<const Index> labels);

/// 1 − F1, see LossForm::kF1.
double F1Loss(Index relevant, Index hits, Index false_alarms);

struct LossOptions {
  LossScale scale = LossScale::kMean;

  /// Weight ≥ 0 of each variable, by its number in the original structure; empty = 1 for all.
  /// kMean still divides by the number of variables, not by the sum of the weights.
  std::vector<double> variable_weights;

  /// Weight ≥ 0 of an error on variable i whose true state is s: entry i · K + s, for problems
  /// whose variables all have K states; empty = 1 for all.
  std::vector<double> given_weights;

  /// costs[true state · K + predicted state] ≥ 0 for problems whose variables all have K states,
  /// zero where the two states are equal; empty = 1 for every error.
  std::vector<double> costs;

  /// kF1 needs binary variables; it has no scale, weights or costs.
  LossForm form = LossForm::kSum;
};

/// Examples to train on. data.example(m) has only labelled variables; loss(m)[s] is Δ_i(s) in the
/// flat order of the variables' states. With kF1, loss(m)[s] is 1 for the wrong state.
struct TrainingSet {
  Dataset data;
  std::vector<double> losses;
  std::vector<Offset> loss_begin;
  Index skipped_examples = 0;    ///< examples without any labelled variable, left out
  Offset skipped_variables = 0;  ///< unlabelled variables of the other examples
  LossForm form = LossForm::kSum;

  std::span<const double> loss(Index m) const {
    return std::span(losses.data() + loss_begin[m], loss_begin[m + 1] - loss_begin[m]);
  }
  /// Δ of a labelling of example m.
  double LossOf(Index m, std::span<const Index> labels) const;
};

/// Leaves out unlabelled variables with all their factors (docs/notation.md, section 1) and
/// computes the losses. Examples with one structure and the same unlabelled variables share one
/// restricted structure. Throws std::invalid_argument on options that do not fit, and when
/// forbidden states (found by FirstForbiddenPart) or a global factor forbid the ground truth of an
/// example.
TrainingSet MakeTrainingSet(const Dataset& dataset, const LossOptions& options);

/// The same examples over other structures and other rows of inputs. There is one structure for
/// each of data.structures(), in their order, with the same variables.
TrainingSet WithStructures(const TrainingSet& training,
                           const std::vector<std::shared_ptr<const Structure>>& structures,
                           std::shared_ptr<const WeightLayout> layout,
                           std::shared_ptr<const FeatureRows> rows);

}  // namespace slackline::internal
