// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/alpha_expansion.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/random.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/rounding.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A grid whose vertical factors have the lower variable first.
std::shared_ptr<const FactorGraph> UpwardGrid(Index rows, Index cols, Index states,
                                              bool unary_factor = false) {
  FactorGraphBuilder builder;
  builder.AddVariables(rows * cols, states);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) {
      if (c + 1 < cols) builder.AddFactor({r * cols + c, r * cols + c + 1});
      if (r + 1 < rows) builder.AddFactor({(r + 1) * cols + c, r * cols + c});
    }
  }
  if (unary_factor) builder.AddFactor({rows * cols - 1});
  return builder.Build();
}

/// Random scores of the variables; joint state (a, b) of factor c scores pair(c, a, b).
std::vector<double> PairScores(Random& random, const FactorGraph& graph, double scale,
                               const std::function<double(Index c, Index a, Index b)>& pair) {
  std::vector<double> scores(graph.total_states());
  for (double& value : scores) value = scale * random.Normal();
  for (Index c = 0; c < graph.num_factors(); ++c) {
    if (graph.scope(c).size() != 2) continue;
    const Index states = graph.cardinality(graph.scope(c)[0]);
    for (Index a = 0; a < states; ++a) {
      for (Index b = 0; b < states; ++b)
        scores[graph.factor_offset(c) + a * states + b] = pair(c, a, b);
    }
  }
  return scores;
}

/// Σ max θ, an upper bound on the score of every labelling.
double Most(const FactorGraph& graph, const std::vector<double>& scores) {
  double most = 0;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const double* begin = scores.data() + graph.state_offset(a);
    most += *std::max_element(begin, begin + graph.num_states(a));
  }
  return most;
}

MapResult Best(const std::shared_ptr<const FactorGraph>& graph, const std::vector<double>& scores) {
  const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
  return best;
}

}  // namespace

TEST_CASE("two states are solved exactly") {
  Random random(1);
  const auto graph = UpwardGrid(3, 4, 2, true);
  const auto solver = MakeExpansionSolver(graph);
  CHECK(!solver->relaxed());
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<double> agree(2 * graph->num_factors());
    for (double& value : agree) value = 2 * random.Uniform();
    // Tables of associative Markov networks: each state has its own reward for agreement. Every
    // third table also has a constant and slopes, which do not change the best labelling.
    const double slope = trial % 3 == 0 ? random.Normal() : 0.0;
    const auto scores =
        PairScores(random, *graph, trial % 2 == 0 ? 1.0 : 0.2, [&](Index c, Index a, Index b) {
          return (a == b ? agree[2 * c + a] : 0.0) + slope * (a - 0.3 * b + 1);
        });
    const MapResult found = Solved(*solver, scores);
    const MapResult best = Best(graph, scores);
    CAPTURE(trial);
    CHECK(found.exact);
    CHECK(Near(found.value, best.value, kTight));
    CHECK(Near(found.value, LabellingScore(*graph, scores, found.labels), kExact));
    CHECK(found.upper_bound == found.value);
  }
}

TEST_CASE("Potts costs are within a factor of two, and the bound holds") {
  Random random(2);
  int exact = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto graph = UpwardGrid(3, 3, 3);
    std::vector<double> agree(graph->num_factors());
    for (double& value : agree) value = 1.5 * random.Uniform();
    const auto scores = PairScores(
        random, *graph, 1.0, [&](Index c, Index a, Index b) { return a == b ? agree[c] : 0.0; });
    const MapResult found = Solved(*MakeExpansionSolver(graph), scores);
    const MapResult best = Best(graph, scores);
    const double most = Most(*graph, scores);
    CAPTURE(trial);
    CHECK(most - found.value <= 2 * (most - best.value) + kTight);
    CHECK(found.value <= best.value + kTight);
    CHECK(found.upper_bound >= best.value - kTight);
    CHECK(Near(found.upper_bound, most - (most - found.value) / 2, kTight));
    exact += Near(found.value, best.value, kTight);
    // No change of a single variable gains, since such a change is an expansion move.
    for (Index i = 0; i < graph->num_variables(); ++i) {
      for (Index s = 0; s < 3; ++s) {
        std::vector<Index> other = found.labels;
        other[i] = s;
        CHECK(LabellingScore(*graph, scores, other) <= found.value + kTight);
      }
    }
  }
  CHECK(exact >= 50);
}

TEST_CASE("costs that are metrics have the bound of their ratio") {
  Random random(3);
  for (int trial = 0; trial < 30; ++trial) {
    const auto graph = UpwardGrid(2, 4, 4);
    const double cut = 1 + trial % 3;  // truncated linear: c = min(cut, 3) / 1
    const auto scores = PairScores(random, *graph, 1.5, [&](Index, Index a, Index b) {
      return 0.25 - 0.4 * std::min<double>(cut, std::abs(a - b));
    });
    const MapResult found = Solved(*MakeExpansionSolver(graph), scores);
    const MapResult best = Best(graph, scores);
    const double most = Most(*graph, scores);
    CAPTURE(trial);
    CHECK(most - found.value <= 2 * cut * (most - best.value) + kTight);
    CHECK(found.upper_bound >= best.value - kTight);
    CHECK(Near(found.upper_bound, most - (most - found.value) / (2 * cut), kTight));
  }
}

TEST_CASE("degenerate graphs and tables are solved") {
  Random random(4);
  MapResult found;
  const auto one_state = UpwardGrid(2, 2, 1);
  const auto constant =
      PairScores(random, *one_state, 1.0, [](Index, Index, Index) { return 0.5; });
  MakeExpansionSolver(one_state)->Solve(constant, nullptr, &found);
  CHECK(found.exact);
  CHECK(Near(found.value, Most(*one_state, constant), kTight));

  const auto alone = UpwardGrid(1, 1, 5);
  const auto scores = PairScores(random, *alone, 1.0, nullptr);
  MakeExpansionSolver(alone)->Solve(scores, nullptr, &found);
  CHECK(found.exact);
  CHECK(Near(found.value, Most(*alone, scores), kTight));

  const auto grid = UpwardGrid(3, 3, 3);
  const std::vector<double> zero(grid->total_states(), 0.0);
  MakeExpansionSolver(grid)->Solve(zero, nullptr, &found);
  CHECK(found.value == 0);
  CHECK(found.upper_bound == 0);
  CHECK(found.exact);
  // Where a table lets two different states occur at no cost, the bound is Σ max θ.
  const auto free = PairScores(
      random, *grid, 1.0, [](Index, Index a, Index b) { return a + b == 1 || a == b ? 1.0 : 0.0; });
  MakeExpansionSolver(grid)->Solve(free, nullptr, &found);
  CHECK(Near(found.upper_bound, Most(*grid, free), kTight));
}

TEST_CASE("tables that are not associative are refused") {
  Random random(5);
  const auto grid = UpwardGrid(2, 2, 2);
  MapResult found;
  const auto repulsive =
      PairScores(random, *grid, 1.0, [](Index, Index a, Index b) { return a == b ? 0.0 : 0.1; });
  CHECK_THROWS_WITH_AS(MakeExpansionSolver(grid)->Solve(repulsive, nullptr, &found),
                       doctest::Contains("not associative"), DataError);
  const auto three = UpwardGrid(1, 2, 3);
  // Squared distances break the triangle inequality.
  const auto squares = PairScores(random, *three, 1.0,
                                  [](Index, Index a, Index b) { return -1.0 * (a - b) * (a - b); });
  CHECK_THROWS_AS(MakeExpansionSolver(three)->Solve(squares, nullptr, &found), DataError);
  std::vector<double> forbidden(grid->total_states(), 0.0);
  forbidden[0] = -kInfinity;
  CHECK_THROWS_AS(MakeExpansionSolver(grid)->Solve(forbidden, nullptr, &found),
                  std::invalid_argument);

  FactorGraphBuilder triple;
  triple.AddVariables(3, 2);
  triple.AddFactor({0, 1, 2});
  CHECK_THROWS_AS(MakeExpansionSolver(triple.Build()), DataError);
  FactorGraphBuilder mixed;
  mixed.AddVariables(1, 2);
  mixed.AddVariables(1, 3);
  CHECK_THROWS_AS(MakeExpansionSolver(mixed.Build()), DataError);
  CHECK_THROWS_AS(MakeExpansionSolver(nullptr), std::invalid_argument);
}

TEST_CASE("moves begin with the kept labelling, and end no worse") {
  Random random(11);
  const auto graph = UpwardGrid(4, 4, 4);
  int kept_differs = 0;
  for (int trial = 0; trial < 50; ++trial) {
    WarmStart warm;
    const auto solver = MakeExpansionSolver(graph);
    std::vector<double> scores =
        PairScores(random, *graph, 1, [](Index, Index a, Index b) { return a == b ? 0.5 : 0.0; });
    const MapResult first = Solved(*solver, scores, &warm);
    CHECK(warm.bytes.size() == first.labels.size() * sizeof(Index));
    // The labelling is a fixed point of moves, so the same scores give it again.
    const MapResult again = Solved(*solver, scores, &warm);
    CHECK(again.labels == first.labels);
    CHECK(again.value == first.value);
    for (double& score : scores) score *= 1 + 0.1 * random.Uniform();
    for (Index c = 0; c < graph->num_factors(); ++c) {  // still associative
      for (Index a = 0; a < 4; ++a) {
        for (Index b = 0; b < 4; ++b)
          scores[graph->factor_offset(c) + 4 * a + b] = a == b ? 0.6 : 0.0;
      }
    }
    const MapResult next = Solved(*solver, scores, &warm);
    const MapResult fresh = Solved(*MakeExpansionSolver(graph), scores);
    kept_differs += next.labels != fresh.labels;
    CHECK(next.value >= LabellingScore(*graph, scores, first.labels));
    CHECK(next.value <= next.upper_bound);
    // Labellings of another graph, or none of this one, are ignored.
    WarmStart damaged{std::vector<std::uint8_t>(warm.bytes.size(), 0xff)};
    const MapResult found = Solved(*solver, scores, &damaged);
    CHECK(found.labels == fresh.labels);
  }
  CHECK(kept_differs < 50);
}

TEST_CASE("messages bound the labellings of moves") {
  Random random(12);
  int exact = 0;
  int better = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const auto graph = UpwardGrid(3, 3, 3);
    const std::vector<double> scores = PairScores(random, *graph, 1, [](Index c, Index a, Index b) {
      return a == b ? 0.2 + 0.1 * (c % 5) : 0.0;
    });
    const MapResult best = Best(graph, scores);
    const MapResult plain = Solved(*MakeExpansionSolver(graph), scores);
    const auto solver = MakeBoundedExpansionSolver(graph);
    CHECK(!solver->relaxed());
    WarmStart warm;
    const MapResult bounded = Solved(*solver, scores, &warm);
    const double room = kTight * (1 + std::abs(best.value));
    CHECK(bounded.value >= plain.value - room);
    CHECK(bounded.value <= best.value + room);
    CHECK(bounded.upper_bound >= best.value - room);
    CHECK(bounded.upper_bound <= plain.upper_bound + room);
    better += bounded.upper_bound < plain.upper_bound - 1e-3;
    if (bounded.exact) {
      ++exact;
      CHECK(std::abs(bounded.value - best.value) <= 1e-6 * (1 + std::abs(best.value)));
    }
  }
  CHECK(exact > 20);
  CHECK(better > 20);
}
