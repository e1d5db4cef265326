// SPDX-License-Identifier: BSD-3-Clause
//
// Small random training problems of every shape that the library supports.
#pragma once

#include <slackline/core/loss.h>
#include <slackline/core/random.h>

namespace slackline::internal::test {

enum class InputKind { kDense, kSparse, kNone };

struct ProblemOptions {
  Index num_examples = 3;
  Index num_variables = 4;  ///< ≥ 1
  Index max_states = 3;  ///< every variable has 2 … max_states states (1 where max_states is 1)
  /// Attempted factors; fewer where `forest` or the number of variables leaves no room.
  Index num_factors = 4;
  /// Factors have 2 … max_order variables (1 where max_order or num_variables is 1).
  Index max_order = 2;
  bool forest = false;            ///< no cycles: the relaxation is tight
  bool mixed_sizes = false;       ///< examples have 1 … num_variables variables
  bool shared_structure = false;  ///< one graph for all examples; else each has its own
  /// Tied: all variables use the same rows, each with its own input vector, and all factors of one
  /// kind use the same weights. Untied: one input vector per example, separate rows for each
  /// variable, separate weights for each factor of the example.
  bool tied_weights = true;
  InputKind inputs = InputKind::kDense;
  Index input_dimension = 3;
  bool zero_features = false;  ///< all input vectors are zero
  bool single_states = false;  ///< some variables have one state only
  bool potentials = false;     ///< variables also have potentials
  bool potts = true;           ///< some of the pairs are Potts factors (else all are tables)
  LossScale loss = LossScale::kMean;

  // Properties that are hard for solvers. The defaults draw no random numbers.
  double input_scale = 1;        ///< of input vectors and potentials
  bool uneven_inputs = false;    ///< each input vector is scaled by a power of ten from 1e-6 to 1e6
  bool constant_inputs = false;  ///< the first feature of every input vector is input_scale
  /// Inputs and potentials are whole numbers times input_scale: many ties.
  bool whole_inputs = false;
  bool duplicate_factors = false;  ///< half of the factors occur twice, over the same variables
  bool repeat_examples = false;    ///< every example occurs twice
  bool unlabelled = false;         ///< a quarter of the labels is unknown, but never the first
  /// A third of the states of variables and factors is forbidden, but never the first.
  bool forbidden = false;
  bool forbidden_variables = false;  ///< with `forbidden`: states of variables alone
};

/// Labels are random, not drawn from a model: the problems are hard to fit.
TrainingSet RandomProblem(Random& random, const ProblemOptions& options);

/// Randomly drawn options, for tests that want variety: at most 4 examples of 4 variables with 3
/// states.
ProblemOptions RandomOptions(Random& random);

/// RandomOptions with the properties that are hard for solvers.
ProblemOptions RandomHardOptions(Random& random);

}  // namespace slackline::internal::test
