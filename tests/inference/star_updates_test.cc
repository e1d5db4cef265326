// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/star_updates.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/inference/brute_force.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/tree_dp.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A graph with scores and messages, and θ̂ kept up to date.
struct Descent {
  Descent(const GraphPtr& the_graph, std::vector<double> the_scores, double the_temperature)
      : graph(*the_graph),
        scores(std::move(the_scores)),
        reparametrised(scores),
        messages(graph.total_messages(), 0.0),
        temperature(the_temperature) {}

  void Sweep() { StarSweep(graph, temperature, reparametrised, messages, &work); }
  double Bound() const { return SumOfMaxima(graph, temperature, reparametrised); }
  std::vector<double> Beliefs() const {
    std::vector<double> beliefs(reparametrised.size());
    PartBeliefs(graph, temperature, reparametrised, beliefs);
    return beliefs;
  }

  const FactorGraph& graph;
  std::vector<double> scores, reparametrised, messages, work;
  double temperature;
};

}  // namespace

TEST_CASE("bounds hold, never rise, and are those of the messages") {
  Random random(301);
  for (int number = 0; number < 240; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    CAPTURE(number);
    for (const double temperature : {0.0, 0.02, 1.0}) {
      Descent descent(graph, SmallScores(random, *graph, number / 12), temperature);
      const MapResult best = Solved(*MakeBruteForceSolver(graph), descent.scores);
      double before = descent.Bound();
      double scale = 1;
      for (const double s : descent.scores) scale += std::abs(s);
      for (int sweep = 0; sweep < 8; ++sweep) {
        descent.Sweep();
        const double now = descent.Bound();
        CHECK(now <= before + kExact * scale);
        CHECK(now >= best.value - kExact * scale);
        before = now;
      }
      const double plain = DualBound(*graph, descent.scores, descent.messages);
      CHECK(Near(SumOfMaxima(*graph, 0, descent.reparametrised), plain, kTight));
      std::vector<double> again = descent.scores;
      Reparametrise(*graph, descent.messages, again);
      for (std::size_t s = 0; s < again.size(); ++s)
        CHECK(Near(again[s], descent.reparametrised[s], kTight));
    }
  }
}

TEST_CASE("the variable updated last agrees with the max-marginals of all of its factors") {
  Random random(302);
  const GraphPtr graph = Grid(2, 3, 3);
  Descent descent(graph, RandomScores(random, *graph, 1), 0);
  descent.Sweep();
  const Index last = graph->num_variables() - 1;
  for (Index s = 0; s < graph->cardinality(last); ++s) {
    const double own = descent.reparametrised[graph->state_offset(last) + s];
    for (const Incidence& incidence : graph->factors_of(last)) {
      double high = -kInfinity;
      std::vector<Index> states(2);
      for (Index y = 0; y < graph->factor_states(incidence.factor); ++y) {
        JointToStates(*graph, incidence.factor, y, states);
        if (states[incidence.position] != s) continue;
        high = std::max(high, descent.reparametrised[graph->factor_offset(incidence.factor) + y]);
      }
      CHECK(Near(high, own, kExact));
    }
  }
}

TEST_CASE(
    "soft sweeps end at consistent beliefs, whose value with their entropies is the smooth bound") {
  Random random(303);
  for (int number = 0; number < 24; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const double temperature = 0.5;
    Descent descent(graph, SmallScores(random, *graph, number / 12), temperature);
    for (int sweep = 0; sweep < 3000; ++sweep) descent.Sweep();
    const std::vector<double> beliefs = descent.Beliefs();
    CAPTURE(number);
    CHECK(PolytopeViolation(*graph, beliefs) <= kSolver);
    double value = MarginalsScore(descent.scores, beliefs);
    double logs = 0;
    for (const double b : beliefs) value -= b > 0 ? temperature * b * std::log(b) : 0;
    for (Index a = 0; a < graph->num_parts(); ++a)
      logs += std::log(static_cast<double>(graph->num_states(a)));
    CHECK(Near(value, descent.Bound(), 1e-6));
    // B ≤ B_ε ≤ B + ε Σ log K at the same messages.
    const double hard = SumOfMaxima(*graph, 0, descent.reparametrised);
    CHECK(hard <= descent.Bound() + kTight);
    CHECK(descent.Bound() <= hard + temperature * logs + kTight);
  }
}

TEST_CASE("on forests soft sweeps at low temperature come near the maximum") {
  Random random(304);
  for (int number = 0; number < 20; ++number) {
    const GraphPtr graph = RandomForest(random, 1 + number % 6, 3);
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    const MapResult best = Solved(TreeSolver(graph), scores);
    Descent descent(graph, scores, 0.01);
    for (int sweep = 0; sweep < 2000; ++sweep) descent.Sweep();
    const double hard = SumOfMaxima(*graph, 0, descent.reparametrised);
    CAPTURE(number);
    CHECK(hard >= best.value - kTight);
    CHECK(hard <= best.value + 0.01 * 3 * graph->num_parts());
  }
}

TEST_CASE("sharp soft maxima do not overflow") {
  const GraphPtr graph = FullBinary(3);
  std::vector<double> scores(graph->total_states(), 0.0);
  for (std::size_t s = 0; s < scores.size(); ++s) scores[s] = s % 3 == 0 ? 1e8 : -1e8;
  Descent descent(graph, scores, 1e-6);
  for (int sweep = 0; sweep < 5; ++sweep) descent.Sweep();
  CHECK(std::isfinite(descent.Bound()));
  for (const double b : descent.Beliefs()) CHECK((b >= 0 && b <= 1));
}
