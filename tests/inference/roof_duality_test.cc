// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/roof_duality.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/roof_solver.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Program {
  std::vector<VariablePair> pairs;
  std::vector<double> u, t;

  /// The objective at x ∈ {0, ½, 1}^n, given as 2x.
  double Value(const std::vector<int>& doubled) const {
    double value = 0;
    for (std::size_t i = 0; i < u.size(); ++i) value += 0.5 * u[i] * doubled[i];
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      const int p = doubled[pairs[e].first];
      const int q = doubled[pairs[e].second];
      value += 0.5 * t[e] * (t[e] > 0 ? std::min(p, q) : std::max(0, p + q - 2));
    }
    return value;
  }
  double DualValue(const std::vector<double>& f) const {
    std::vector<double> r = u;
    double value = 0;
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      CHECK(f[e] >= 0);
      CHECK(f[e] <= std::abs(t[e]));
      if (t[e] > 0) {
        r[pairs[e].first] += f[e];
        r[pairs[e].second] += t[e] - f[e];
      } else {
        r[pairs[e].first] -= f[e];
        r[pairs[e].second] -= f[e];
        value += f[e];
      }
    }
    for (const double p : r) value += std::max(0.0, p);
    return value;
  }
  /// The maximum over all points of {0, ½, 1}^n, which contain a maximiser of the program.
  double Enumerate(int step) const {
    std::vector<int> x(u.size(), 0);
    double best = -kInfinity;
    while (true) {
      best = std::max(best, Value(x));
      std::size_t i = 0;
      while (i < x.size() && x[i] == 2) x[i++] = 0;
      if (i == x.size()) return best;
      x[i] += step;
    }
  }
};

Program RandomProgram(Random& random, Index n, int number) {
  Program program;
  const bool whole = number % 2 == 0;
  const double strength = 0.3 * static_cast<double>(number % 7);
  const auto draw = [&](double scale) {
    return whole ? static_cast<double>(random.Below(7)) - 3 : scale * random.Normal();
  };
  for (Index i = 0; i < n; ++i) program.u.push_back(draw(1));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (i == j || random.Below(3) != 0) continue;  // a pair may occur both ways
      program.pairs.push_back({i, j});
      program.t.push_back(number % 5 == 0 ? std::abs(draw(strength)) : draw(strength));
    }
  }
  return program;
}

}  // namespace

TEST_CASE("bounds of a variable decide its neighbour without a flow") {
  struct Case {
    double first, second, pair;
    int expected;  // of the second variable, doubled
  };
  // The pair's score alone could favour either state of the second variable. The unary score of the
  // first variable decides which.
  for (const Case& c :
       {Case{-5, 0.5, -1, 2}, Case{5, 0.5, -1, 0}, Case{-5, -0.5, 1, 0}, Case{5, -0.5, 1, 2}}) {
    for (const bool swapped : {false, true}) {
      const std::vector<VariablePair> pairs = {swapped ? VariablePair{1, 0} : VariablePair{0, 1}};
      RoofDuality roof(2, pairs);
      const std::vector<double> u = {c.first, c.second}, t = {c.pair};
      roof.Solve(u, t, nullptr);
      CHECK(roof.undecided() == 0);
      CHECK(roof.doubled()[0] == (c.first > 0 ? 2 : 0));
      CHECK(roof.doubled()[1] == c.expected);
    }
  }
}

TEST_CASE("roof duality finds the best half-integral point, and the dual proves it") {
  Random random(21);
  int fractional = 0;
  int decided = 0;
  for (int number = 0; number < 2000; ++number) {
    const auto n = static_cast<Index>(1 + random.Below(7));
    const Program program = RandomProgram(random, n, number);
    RoofDuality roof(n, program.pairs);
    RoofDuality::RowSums sums;
    roof.ComputeRowSums(program.t, &sums);
    roof.Solve(program.u, program.t, number % 3 == 0 ? &sums : nullptr);
    const std::vector<int> x(roof.doubled().begin(), roof.doubled().end());
    std::vector<double> f(program.pairs.size());
    roof.DualFlows(f);
    CAPTURE(number);
    const double best = program.Enumerate(1);
    CHECK(Near(program.Value(x), best, kTight));
    CHECK(Near(roof.Value(), best, kTight));
    CHECK(Near(program.DualValue(f), best, kTight));
    CHECK(roof.integral() == (std::count(x.begin(), x.end(), 1) == 0));
    if (roof.integral()) CHECK(Near(program.Enumerate(2), best, kTight));
    if (number % 5 == 0) CHECK(roof.integral());  // no negative pair: submodular, exact
    fractional += !roof.integral();
    decided += roof.undecided() == 0;
  }
  CHECK(fractional > 50);
  CHECK(decided > 200);
}

TEST_CASE("persistency: whole labels belong to some best labelling") {
  Random random(22);
  for (int number = 0; number < 500; ++number) {
    const auto n = static_cast<Index>(2 + random.Below(6));
    const Program program = RandomProgram(random, n, 2 * number + 1);
    RoofDuality roof(n, program.pairs);
    roof.Solve(program.u, program.t);
    std::vector<int> x(n, 0);
    double best = -kInfinity;
    double best_consistent = -kInfinity;
    for (unsigned labels = 0; labels < (1u << n); ++labels) {
      bool consistent = true;
      for (Index i = 0; i < n; ++i) {
        x[i] = (labels >> i) & 1 ? 2 : 0;
        consistent = consistent && (roof.doubled()[i] == 1 || roof.doubled()[i] == x[i]);
      }
      const double value = program.Value(x);
      best = std::max(best, value);
      if (consistent) best_consistent = std::max(best_consistent, value);
    }
    CHECK(Near(best, best_consistent, kTight));
  }
}

TEST_CASE("the solver agrees with GLPK and bounds brute force") {
  Random random(23);
  for (int number = 0; number < 150; ++number) {
    const GraphPtr graph = number % 3 == 0 ? FullBinary(2 + number % 9)
                                           : RandomBinaryPairs(random, 1 + number % 8, 14);
    const std::vector<double> scores = number % 3 == 0 ? DenseBinaryScores(random, *graph, 3)
                                                       : SmallScores(random, *graph, number);
    const MapResult roof = Solved(*MakeRoofSolver(graph), scores);
    const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
    CAPTURE(number);
    CHECK(Near(roof.upper_bound, roof.value, kTight));
    CHECK(roof.upper_bound >= roof.value);
    CHECK(roof.value >= best.value - kTight);
    if (roof.integral) {
      CHECK(roof.exact);
      CHECK(Near(roof.value, best.value, kTight));
      CHECK(Near(test::LabellingScore(*graph, scores, roof.labels), roof.value, kExact));
    } else {
      CHECK(PolytopeViolation(*graph, roof.marginals) <= kPolytope);
      CHECK(Near(MarginalsScore(scores, roof.marginals), roof.value, kExact));
    }
    if (!HasGlpk()) continue;
    const MapResult glpk = Solved(*MakeGlpkSolver(graph), scores);
    CHECK(Near(roof.value, glpk.value, kTight));
  }
}

TEST_CASE("large programs: the dual proves the solution") {
  Random random(24);
  for (const double strength : {0.1, 0.5, 1.0}) {
    for (const Index n : {40, 101, 160}) {
      const GraphPtr graph = FullBinary(n);
      const MapResult result =
          Solved(*MakeRoofSolver(graph), DenseBinaryScores(random, *graph, strength));
      CHECK(Near(result.upper_bound, result.value, kTight));
    }
  }
}

TEST_CASE("other graphs, bad pairs and NaN are refused") {
  CHECK_THROWS_AS(MakeRoofSolver(Cycle(3, 3)), DataError);
  const std::vector<VariablePair> loop = {{1, 1}};
  CHECK_THROWS_AS(RoofDuality(2, loop), std::invalid_argument);
  const std::vector<VariablePair> outside = {{0, 2}};
  CHECK_THROWS_AS(RoofDuality(2, outside), std::invalid_argument);
  const GraphPtr graph = FullBinary(2);
  std::vector<double> scores(graph->total_states(), 0.0);
  scores[1] = std::numeric_limits<double>::quiet_NaN();
  MapResult result;
  CHECK_THROWS_AS(MakeRoofSolver(graph)->Solve(scores, nullptr, &result), std::invalid_argument);
}
