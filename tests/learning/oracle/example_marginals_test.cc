// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/example_marginals.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/oracle/shared_tables.h>

#include "tests/support/all_labellings.h"
#include "tests/support/coordinates.h"
#include "tests/support/global_problems.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainingSet SmallForests(Random& random, bool forbidden) {
  ProblemOptions options = RandomOptions(random);
  options.forest = true;
  options.forbidden = forbidden;
  options.potentials = random.Below(2) == 0;
  return RandomProblem(random, options);
}

/// All labellings without forbidden states.
std::vector<std::vector<Index>> AllowedLabellings(const Structure& structure) {
  auto all = AllLabellings(structure.graph().cardinalities());
  std::erase_if(all, [&](const auto& y) { return FirstForbiddenPart(structure, y) >= 0; });
  return all;
}

}  // namespace

TEST_CASE("expectations agree with enumeration of all labellings") {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem(SmallForests(random, trial % 3 == 0), 0.1);
    ExampleMarginals marginals(problem, "eg");
    for (Index m = 0; m < problem.size(); ++m) {
      const ExampleView example = problem.data().example(m);
      std::vector<double> v(example.structure().num_coordinates());
      for (double& value : v) value = random.Normal();
      const double c = 3 * random.Uniform();
      const double temperature = trial % 2 == 0 ? 1.0 : 0.2;
      std::vector<double> given = CoordinatesOf(example, example.labels());

      double partition = 0;
      double loss = 0;
      std::vector<double> psi(v.size(), 0.0);
      const auto labellings = AllowedLabellings(example.structure());
      for (const auto& y : labellings) {
        std::vector<double> q = CoordinatesOf(example, y);
        double own_loss = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
          own_loss += problem.loss(m)[example.graph().state_offset(static_cast<Index>(i)) + y[i]];
        }
        double score = c * own_loss;
        for (std::size_t k = 0; k < v.size(); ++k) score += v[k] * (q[k] - given[k]);
        const double p = std::exp(score / temperature);
        partition += p;
        loss += p * own_loss;
        for (std::size_t k = 0; k < v.size(); ++k) psi[k] += p * (given[k] - q[k]);
      }
      CAPTURE(trial);
      const Expectation found = marginals.Expect(m, c, v, temperature);
      CHECK(Near(found.log_partition, temperature * std::log(partition), 1e-11));
      CHECK(Near(found.loss, loss / partition, 1e-11));
      REQUIRE(found.coordinates.size() == v.size());
      for (std::size_t k = 0; k < v.size(); ++k) {
        CHECK(Near(found.coordinates[k], psi[k] / partition, 1e-11));
      }
      CHECK(Near(marginals.LogLabellings(m), std::log(labellings.size()), kExact));
    }
  }
}

TEST_CASE("cycles and global factors are refused, and alternatives named") {
  Random random(2);
  const Problem cycles(RandomProblem(random, {.num_variables = 3, .num_factors = 40}), 0.1);
  CHECK_THROWS_WITH_AS(ExampleMarginals(cycles, "eg"),
                       "learner eg needs exact marginals, which exist only on graphs without "
                       "cycles; use learner bcfw or al",
                       DataError);
  const Problem global(RandomGlobalProblem(1, {}), 0.1);
  CHECK_THROWS_WITH_AS(ExampleMarginals(global, "eg"),
                       "learner eg needs marginals, which structures with global factors do not "
                       "have; use learner al or soft",
                       DataError);
}

TEST_CASE("factors share a table where their features are the same") {
  Random random(3);
  ProblemOptions options{
      .num_variables = 4, .max_states = 2, .forest = true, .tied_weights = true, .potts = false};
  const TrainingSet tied = RandomProblem(random, options);
  options.tied_weights = false;
  const TrainingSet own = RandomProblem(random, options);
  for (const auto& structure : tied.data.structures()) {
    for (const Index table : SharedTables(*structure)) CHECK(table == 0);
  }
  for (const auto& structure : own.data.structures()) {
    const std::vector<Index> tables = SharedTables(*structure);
    for (std::size_t c = 0; c < tables.size(); ++c) CHECK(tables[c] == static_cast<Index>(c));
  }
}
