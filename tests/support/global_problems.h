// SPDX-License-Identifier: BSD-3-Clause
//
// Small random training problems with global factors, and equal problems with tables instead.
#pragma once

#include <slackline/core/loss.h>
#include <slackline/core/random.h>

namespace slackline::internal::test {

struct GlobalProblemOptions {
  Index num_examples = 3;
  Index num_variables = 4;
  Index states = 2;     ///< of every variable
  Index num_pairs = 3;  ///< random pair tables with own weights beside the global factors
  /// Binary variables only: a weight per count over `scope` of the variables.
  bool cardinality = true;
  /// A chain over `scope` of the variables, one table of weights for its edges.
  bool chain = false;
  Index scope = 4;
  Index copies = 1;  ///< of each global factor, over different variables, with the same weights
  /// Binary variables only: bounds on the count of the first three variables.
  bool exactly_one = false;
  bool overlapping_bounds = false;  ///< also: at most two of the variables 1, 2 and 3
  double input_scale = 1;
  /// Writes unrestricted global factors as tables over all joint states, and chains as pair tables.
  bool as_tables = false;
};

/// Problems drawn with the same seed differ only in as_tables.
TrainingSet RandomGlobalProblem(std::uint64_t seed, const GlobalProblemOptions& options);

}  // namespace slackline::internal::test
