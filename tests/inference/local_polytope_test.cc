// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/local_polytope.h>

#include <doctest/doctest.h>

#include <Eigen/Dense>

#include <slackline/inference/brute_force.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Random marginals of the variables, some of them at the boundary.
std::vector<double> RandomMarginals(Random& random, const FactorGraph& graph) {
  std::vector<double> p(graph.variable_states());
  for (Index i = 0; i < graph.num_variables(); ++i) {
    double sum = 0;
    for (Index s = 0; s < graph.cardinality(i); ++s) {
      const double u = random.Uniform();
      sum += p[graph.state_offset(i) + s] = u < 0.3 ? 0.0 : u;
    }
    if (sum == 0) sum = p[graph.state_offset(i)] = 1;
    for (Index s = 0; s < graph.cardinality(i); ++s) p[graph.state_offset(i) + s] /= sum;
  }
  return p;
}

/// Arbitrary tables, not normalised and with some negative entries.
std::vector<double> RandomTables(Random& random, const FactorGraph& graph, double scale) {
  std::vector<double> tables(graph.total_states());
  for (double& entry : tables) entry = scale * (random.Uniform() - 0.1);
  return tables;
}

GraphPtr AnyGraph(Random& random, int number) {
  return number % 13 == 12 ? RandomGraph(random, 6, 4, 6, 5) : SmallGraph(random, number % 13);
}

}  // namespace

TEST_CASE("repaired tables have the requested marginals") {
  Random random(41);
  for (int number = 0; number < 260; ++number) {
    const GraphPtr graph = AnyGraph(random, number);
    const std::vector<double> p = RandomMarginals(random, *graph);
    for (const double scale : {0.0, 0.01, 0.3, 3.0}) {
      std::vector<double> tables = RandomTables(random, *graph, scale);
      RepairToLocalPolytope(*graph, p, tables);
      CAPTURE(number);
      CHECK(PolytopeViolation(*graph, tables) <= kFeasible);
    }
  }
}

TEST_CASE("repair does not change points of the local polytope, and points near it only little") {
  Random random(42);
  for (int number = 0; number < 130; ++number) {
    const GraphPtr graph = AnyGraph(random, number);
    const std::vector<double> p = RandomMarginals(random, *graph);
    std::vector<double> tables = RandomTables(random, *graph, 0.5);
    RepairToLocalPolytope(*graph, p, tables);
    std::vector<double> again = tables;
    RepairToLocalPolytope(*graph, tables, again);
    double change = 0;
    for (std::size_t k = 0; k < again.size(); ++k)
      change = std::max(change, std::abs(again[k] - tables[k]));
    CHECK(change <= kFeasible);
    for (double& entry : again) entry += 1e-6 * random.Uniform();
    std::vector<double> near = again;
    RepairToLocalPolytope(*graph, p, near);
    for (std::size_t k = p.size(); k < near.size(); ++k)
      CHECK(std::abs(near[k] - again[k]) <= 1e-3);
    CHECK(PolytopeViolation(*graph, near) <= kFeasible);
  }
}

TEST_CASE("binary pairs: the joint probability is clipped to its bounds") {
  const GraphPtr graph = FullBinary(2);
  const std::vector<double> p{0.25, 0.75, 0.5, 0.5};
  const auto repaired = [&](double both) {
    std::vector<double> table{0.25, 0.25, 0.25, both};
    RepairFactor(*graph, 0, p, table);
    return table;
  };
  CHECK(repaired(0.9) == std::vector<double>{0.25, 0, 0.25, 0.5});
  CHECK(repaired(0.1) == std::vector<double>{0, 0.25, 0.5, 0.25});
  CHECK(repaired(0.375) == std::vector<double>{0.125, 0.125, 0.375, 0.375});
}

TEST_CASE("the violation detects every kind of fault") {
  const GraphPtr graph = FullBinary(2);
  const std::vector<double> good{0.5, 0.5, 0.5, 0.5, 0.5, 0, 0, 0.5};
  CHECK(PolytopeViolation(*graph, good) == 0);
  std::vector<double> bad = good;
  bad[0] = 0.6;
  CHECK(PolytopeViolation(*graph, bad) == doctest::Approx(0.1));
  bad = good;
  bad[5] = -0.25;
  CHECK(PolytopeViolation(*graph, bad) >= 0.25);
  bad = good;
  bad[7] = 0.25;
  CHECK(PolytopeViolation(*graph, bad) == doctest::Approx(0.25));
}

TEST_CASE("the rows hold for every labelling, have full rank and describe the whole polytope") {
  Random random(43);
  for (int number = 0; number < 65; ++number) {
    const GraphPtr graph = AnyGraph(random, number);
    const LocalPolytopeRows rows = MakeLocalPolytopeRows(*graph);
    const LpModel& model = rows.model;
    REQUIRE(model.columns == graph->total_states());
    REQUIRE(std::ssize(rows.row_message) == model.rows);
    if (model.rows == 0 || model.columns > 400) continue;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(model.rows, model.columns);
    for (std::size_t k = 0; k < model.row.size(); ++k)
      a(model.row[k], model.column[k]) += model.coefficient[k];
    CAPTURE(number);
    CHECK(a.fullPivLu().rank() == model.rows);
    std::vector<double> mu = RandomTables(random, *graph, 0.5);
    RepairToLocalPolytope(*graph, RandomMarginals(random, *graph), mu);
    const Eigen::VectorXd value = a * Eigen::Map<Eigen::VectorXd>(mu.data(), model.columns);
    for (Index r = 0; r < model.rows; ++r) CHECK(std::abs(value(r) - model.row_lower[r]) <= kExact);
    CHECK(model.row_lower == model.row_upper);
    // The dropped rows follow from the others: a solution of the remaining rows, with entries of
    // any sign, satisfies the dropped rows as well.
    const Eigen::FullPivLU<Eigen::MatrixXd> factorised(a);
    if (factorised.dimensionOfKernel() == 0) continue;
    const Eigen::VectorXd direction = factorised.kernel().rowwise().sum();
    for (Index k = 0; k < model.columns; ++k) mu[k] += 1e-3 * direction(k);
    double negative = 0;
    for (const double entry : mu) negative = std::max(negative, -entry);
    const double worst = PolytopeViolation(*graph, mu);
    CHECK(worst <= std::max(negative, kTight));
  }
}

TEST_CASE("any messages bound the maximum; on a single pair the right ones attain it") {
  Random random(44);
  for (int number = 0; number < 120; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
    std::vector<double> messages(graph->total_messages());
    for (double& message : messages) message = number % 5 == 0 ? 0.0 : random.Normal();
    CHECK(DualBound(*graph, scores, messages) >=
          best.value - kExact * std::max(1.0, std::abs(best.value)));
  }
  const GraphPtr pair = FullBinary(2);
  const std::vector<double> scores{0, 1, 0, 1, 0, 0, 0, -3};
  CHECK(DualBound(*pair, scores, std::vector<double>(4, 0.0)) == 2);
  CHECK(DualBound(*pair, scores, std::vector<double>{0, -1, 0, -1}) == 1);
}
