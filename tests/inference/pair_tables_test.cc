// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/pair_tables.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <slackline/core/random.h>

using namespace slackline::internal;

namespace {

/// Compares maxima over a table with the definition, in both directions and for both signs.
void CheckTable(const std::vector<double>& scores, Index rows, Index cols, Random& random,
                bool ties) {
  PairTables tables;
  tables.Add(3, 2);  // so that the table does not begin at 0
  const Index t = tables.Add(rows, cols);
  tables.Set(t, scores);
  for (const bool transposed : {false, true}) {
    const PairTables::View view{t, transposed};
    const Index own = tables.own_states(view);
    const Index other = tables.other_states(view);
    CHECK(own == (transposed ? rows : cols));
    CHECK(other == (transposed ? cols : rows));
    std::vector<double> a(other);
    for (double& value : a) value = ties ? static_cast<double>(random.Below(3)) : random.Normal();
    std::vector<double> plus(PairTables::Padded(own));
    std::vector<double> minus(plus.size());
    tables.MaxPlus(view, a.data(), plus.data());
    tables.MaxMinus(view, a.data(), minus.data());
    for (Index s = 0; s < own; ++s) {
      double best = -kInfinity;
      double least = -kInfinity;
      for (Index r = 0; r < other; ++r) {
        const double score = scores[transposed ? s * cols + r : r * cols + s];
        CHECK(tables.row(view, r)[s] == score);
        best = std::max(best, score + a[r]);
        least = std::max(least, score - a[r]);
      }
      CHECK(plus[s] == best);
      CHECK(minus[s] == least);
    }
  }
}

std::vector<double> Potts(Index states, double equal, double other) {
  std::vector<double> scores;
  for (Index r = 0; r < states; ++r) {
    for (Index s = 0; s < states; ++s) scores.push_back(r == s ? equal : other);
  }
  return scores;
}

}  // namespace

TEST_CASE("maxima over general tables of every shape agree with the definition") {
  Random random(7);
  for (Index rows = 1; rows <= 23; ++rows) {
    for (const Index cols : {1, 2, 3, 4, 5, 8, 16, 21, 26, 33}) {
      std::vector<double> scores(Offset{rows} * cols);
      for (double& score : scores) score = random.Normal();
      CheckTable(scores, rows, cols, random, rows % 2 == 0);
    }
  }
}

TEST_CASE("maxima over Potts tables agree with the definition, for either sign and with ties") {
  Random random(8);
  for (Index states = 2; states <= 27; ++states) {
    for (int number = 0; number < 12; ++number) {
      const double other = number % 3 == 0 ? 0 : random.Normal();
      const double equal = number % 4 == 0 ? other : number % 3 == 0 ? number - 5 : random.Normal();
      CheckTable(Potts(states, equal, other), states, states, random, number % 2 == 0);
    }
    CheckTable(Potts(states, -kInfinity, 0), states, states, random, true);
    CheckTable(Potts(states, 0, -kInfinity), states, states, random, true);
  }
}

TEST_CASE("a table that is Potts but for one entry is not taken for one, and can be set again") {
  Random random(9);
  for (const std::size_t changed : {0, 1, 7, 24, 35}) {
    std::vector<double> scores = Potts(6, 1, -1);
    scores[changed] += 0.5;
    CheckTable(scores, 6, 6, random, false);
  }
  PairTables tables;
  const Index t = tables.Add(6, 6);
  const Offset general = tables.Work(t);
  tables.Set(t, Potts(6, 2, 1));
  CHECK(tables.Work(t) < general);
  std::vector<double> scores = Potts(6, 2, 1);
  scores[3] = 5;
  tables.Set(t, scores);
  CHECK(tables.Work(t) == general);
  const std::vector<double> zero(6, 0.0);
  std::vector<double> out(8);
  tables.MaxPlus({t, false}, zero.data(), out.data());
  CHECK(out[3] == 5);
  CHECK(out[4] == 2);
}

TEST_CASE("among equal states the first is chosen") {
  PairTables tables;
  const Index t = tables.Add(2, 3);
  tables.Set(t, std::vector<double>{0, 2, 1, 5, 5, 5});
  const std::vector<double> add = {1, 0, 1};
  CHECK(tables.Best({t, false}, 0, add.data()) == 1);
  CHECK(tables.Best({t, false}, 1, add.data()) == 0);
  CHECK(tables.Best({t, true}, 2, add.data()) == 1);
}

TEST_CASE("scores that do not fit and tables without states are refused") {
  PairTables tables;
  CHECK_THROWS_AS(tables.Add(0, 2), std::invalid_argument);
  const Index t = tables.Add(2, 3);
  CHECK_THROWS_AS(tables.Set(t, std::vector<double>(5)), std::invalid_argument);
}
