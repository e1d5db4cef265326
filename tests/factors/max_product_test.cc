// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the inner loops and the sweeps of max-product with plain loops.
#include <slackline/factors/max_product.h>

#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/factors/max_rows.h>

namespace slackline::internal::test {
namespace {

constexpr double kUntouched = 12345;

/// Whole numbers, for ties, and some forbidden entries.
std::vector<double> Numbers(Random& random, std::size_t count) {
  std::vector<double> numbers(count);
  for (double& number : numbers)
    number = random.Below(6) == 0 ? -kInfinity : static_cast<double>(random.Below(9)) - 4;
  return numbers;
}

TEST_CASE("maxima over rows and within rows of all sizes are right") {
  Random random(1);
  const auto best_of = [](Index count, auto&& term) {
    double best = -kInfinity;
    for (Index r = 0; r < count; ++r) best = std::max(best, term(r));
    return best;
  };
  for (Index rows = 1; rows <= 9; ++rows) {
    for (Index size = 1; size <= 40; ++size) {
      const auto table = Numbers(random, Offset{rows} * size);
      std::vector<double> add = Numbers(random, rows);
      std::vector<double> out(size + 1, kUntouched);
      const auto plus = [&](Index s) {
        return best_of(rows, [&](Index r) { return table[r * size + s] + add[r]; });
      };
      const auto minus = [&](Index s) {
        return best_of(rows, [&](Index r) { return table[r * size + s] - add[r]; });
      };
      MaxOverRowsPlus(table.data(), add.data(), rows, size, out.data());
      for (Index s = 0; s < size; ++s) CHECK(out[s] == plus(s));
      if (size % 4 == 0) {
        out.assign(size + 1, kUntouched);
        MaxOverPaddedRowsPlus(table.data(), size, add.data(), rows, out.data());
        for (Index s = 0; s < size; ++s) CHECK(out[s] == plus(s));
        for (double& value : add) value = value == -kInfinity ? 7 : value;
        MaxOverPaddedRowsMinus(table.data(), size, add.data(), rows, out.data());
        for (Index s = 0; s < size; ++s) CHECK(out[s] == minus(s));
      }
      CHECK(out[size] == kUntouched);

      add = Numbers(random, size);
      out.assign(rows + 1, kUntouched);
      MaxInRowsPlus(table.data(), add.data(), rows, size, out.data());
      for (Index s = 0; s < rows; ++s)
        CHECK(out[s] == best_of(size, [&](Index r) { return table[s * size + r] + add[r]; }));
      CHECK(out[rows] == kUntouched);
    }
  }
}

TEST_CASE("messages of small and large tables are right, from either side") {
  Random random(2);
  for (int trial = 0; trial < 400; ++trial) {
    const auto below = static_cast<Index>(1 + random.Below(12));
    const auto above = static_cast<Index>(1 + random.Below(12));
    const bool parent_first = trial % 2 == 0;
    const auto table = Numbers(random, Offset{below} * above);
    const auto add = Numbers(random, below);
    const PairOfTree pair{table.data(), parent_first, below, above};
    std::vector<double> message(above, kUntouched);
    PairMessage(pair, add.data(), message.data());
    std::vector<double> room(above);
    std::vector<double> belief(above, 1.0);
    AddPairMessage(pair, add.data(), room.data(), belief.data());
    for (Index s = 0; s < above; ++s) {
      double best = -kInfinity;
      for (Index r = 0; r < below; ++r) {
        const double entry = parent_first ? table[s * below + r] : table[r * above + s];
        best = std::max(best, entry + add[r]);
      }
      CHECK(message[s] == best);
      CHECK(belief[s] == 1 + best);
    }
  }
}

TEST_CASE("the first of several best sums is found") {
  const std::vector<double> entry = {1, 9, 3, 9, 3, 9};
  const std::vector<double> add = {2, 0, 0};
  CHECK(FirstBest(entry.data(), 1, add.data(), 3) == 1);
  CHECK(FirstBest(entry.data(), 2, add.data(), 3) == 0);
  const std::vector<double> forbidden(3, -kInfinity);
  CHECK(FirstBest(forbidden.data(), 1, add.data(), 3) == 0);
}

/// Two trees: variable 0 with children 1 and 2, by tables that reward different states; variable 3
/// alone.
struct TwoTrees {
  std::vector<double> beliefs = {0, 0, 5, 0, 0, 1, 2, 2};
  std::vector<Index> order;

  Index num_steps() const { return 2; }
  void SendUp(Index k) {
    order.push_back(k);
    const double* child = belief(k + 1);
    for (Index s = 0; s < 2; ++s) beliefs[s] += std::max(child[s], child[1 - s] + 1);
  }
  void Choose(Index k, std::span<Index> labels) {
    order.push_back(k);
    const double* child = belief(k + 1);
    const std::vector<double> table = {labels[0] == 1 ? 1.0 : 0.0, labels[0] == 0 ? 1.0 : 0.0};
    labels[k + 1] = FirstBest(table.data(), 1, child, 2);
  }
  const double* belief(Index i) const { return beliefs.data() + 2 * i; }
  Index states(Index /*i*/) const { return 2; }
  std::span<const Index> roots() const {
    static constexpr Index kRoots[] = {0, 3};
    return kRoots;
  }
};
static_assert(MaxProductForest<TwoTrees>);

TEST_CASE("steps go up in their order and down in the opposite one, ties to the lowest state") {
  TwoTrees forest;
  std::vector<Index> labels(4, -1);
  SweepUp(forest);
  const double value = SweepDown(forest, labels);
  CHECK(forest.order == std::vector<Index>{0, 1, 1, 0});
  // States of variable 0: with 0, child 1 adds 5 and child 2 adds 1 + 1; with 1, 5 + 1 and 1.
  CHECK(value == 7 + 2);
  CHECK(labels == std::vector<Index>{0, 0, 1, 0});
}

}  // namespace
}  // namespace slackline::internal::test
