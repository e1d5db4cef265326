// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/matching_factor.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/factors/global_conformance.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Edge = MatchingFactor::Edge;

struct Case {
  std::vector<Edge> edges;
  std::vector<Index> left, right;

  MatchingFactor Factor() const { return {edges, left, right}; }
};

/// Each pair of nodes has an edge with probability `density`, sometimes two; capacities up to
/// `most`.
Case RandomCase(Random& random, Index left, Index right, double density, Index most) {
  Case result;
  const auto capacity = [&] {
    return static_cast<Index>(random.Below(static_cast<std::uint64_t>(most) + 1));
  };
  for (Index i = 0; i < left; ++i) {
    for (Index j = 0; j < right; ++j) {
      if (random.Uniform() < density) result.edges.push_back({i, j});
    }
  }
  if (result.edges.empty() || random.Below(5) == 0) result.edges.push_back({left - 1, 0});
  random.Shuffle(std::span<Edge>(result.edges));
  for (Index i = 0; i < left; ++i) result.left.push_back(most == 1 ? 1 : capacity());
  for (Index j = 0; j < right; ++j) result.right.push_back(most == 1 ? 1 : capacity());
  return result;
}

/// Whether the states violate a capacity, by counting.
bool Breaks(const Case& c, const std::vector<Index>& states) {
  for (Index i = 0; i < static_cast<Index>(c.left.size()); ++i) {
    Index used = 0;
    for (std::size_t e = 0; e < states.size(); ++e) used += c.edges[e].left == i ? states[e] : 0;
    if (used > c.left[i]) return true;
  }
  for (Index j = 0; j < static_cast<Index>(c.right.size()); ++j) {
    Index used = 0;
    for (std::size_t e = 0; e < states.size(); ++e) used += c.edges[e].right == j ? states[e] : 0;
    if (used > c.right[j]) return true;
  }
  return false;
}

double Value(const std::vector<double>& messages, const std::vector<Index>& states) {
  double sum = 0;
  for (std::size_t e = 0; e < states.size(); ++e) sum -= messages[2 * e + states[e]];
  return sum;
}

double BestOfAll(const Case& c, const std::vector<double>& messages) {
  double best = -kInfinity;
  std::vector<Index> states(c.edges.size());
  for (std::size_t code = 0; code < std::size_t{1} << states.size(); ++code) {
    for (std::size_t e = 0; e < states.size(); ++e) states[e] = static_cast<Index>(code >> e & 1);
    if (!Breaks(c, states)) best = std::max(best, Value(messages, states));
  }
  return best;
}

std::vector<double> RandomMessages(Random& random, std::size_t edges, bool integers) {
  std::vector<double> messages(2 * edges);
  for (double& message : messages)
    message = integers ? static_cast<double>(random.Below(4)) : 3 * random.Normal();
  return messages;
}

/// Whether the residual network has an improving cycle: Bellman-Ford relaxations over left nodes,
/// right nodes and one node for everything unmatched, as many rounds as there are nodes.
bool CanImprove(const Case& c, const std::vector<double>& messages,
                const std::vector<Index>& states) {
  struct Arc {
    std::size_t from, to;
    double cost;
  };
  std::vector<Index> left = c.left, right = c.right;
  std::vector<Arc> arcs;
  const std::size_t first_right = left.size();
  const std::size_t out = first_right + right.size();
  for (std::size_t e = 0; e < states.size(); ++e) {
    const std::size_t i = c.edges[e].left;
    const std::size_t j = first_right + c.edges[e].right;
    const double gain = messages[2 * e] - messages[2 * e + 1];
    if (states[e] == 0) {
      arcs.push_back({i, j, -gain});
    } else {
      arcs.push_back({j, i, gain});
      --left[i];
      --right[j - first_right];
    }
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] > 0) arcs.push_back({out, i, 0});
    if (left[i] < c.left[i]) arcs.push_back({i, out, 0});
  }
  for (std::size_t j = 0; j < right.size(); ++j) {
    if (right[j] > 0) arcs.push_back({first_right + j, out, 0});
    if (right[j] < c.right[j]) arcs.push_back({out, first_right + j, 0});
  }
  std::vector<double> distance(out + 1, 0.0);
  bool changed = true;
  for (std::size_t round = 0; round <= out + 1 && changed; ++round) {
    changed = false;
    for (const Arc& arc : arcs) {
      if (distance[arc.from] + arc.cost >= distance[arc.to] - 1e-9) continue;
      distance[arc.to] = distance[arc.from] + arc.cost;
      changed = true;
    }
  }
  return changed;
}

}  // namespace

TEST_CASE("matching factors conform") {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Case c =
        RandomCase(random, 1 + trial % 3, 1 + trial % 4, trial % 2 == 0 ? 1.0 : 0.6, 1 + trial % 3);
    const ConformanceReport report = CheckGlobalFactor(c.Factor());
    CAPTURE(trial);
    CHECK_MESSAGE(report.ok(), report.Text());
  }
}

TEST_CASE("the maximum is the one over all matchings") {
  Random random(2);
  for (int trial = 0; trial < 600; ++trial) {
    const Case c = RandomCase(random, 1 + static_cast<Index>(random.Below(4)),
                              1 + static_cast<Index>(random.Below(4)), trial % 3 == 0 ? 0.9 : 0.5,
                              1 + trial % 4);
    if (c.edges.size() > 11) continue;
    const std::vector<double> messages = RandomMessages(random, c.edges.size(), trial % 2 == 0);
    std::vector<Index> states(c.edges.size());
    const double value = c.Factor().Maximize({}, messages, states);
    CAPTURE(trial);
    CHECK(!Breaks(c, states));
    CHECK(c.Factor().Allows(states));
    CHECK(Near(value, Value(messages, states), kTight));
    CHECK(Near(value, BestOfAll(c, messages), kTight));
  }
}

TEST_CASE("no cycle improves large matchings") {
  Random random(3);
  for (int trial = 0; trial < 24; ++trial) {
    const Case c =
        RandomCase(random, 10 + trial, 30 - trial, trial % 3 == 0 ? 1.0 : 0.3, 1 + trial % 3);
    std::vector<double> messages = RandomMessages(random, c.edges.size(), trial % 4 == 0);
    if (trial % 5 == 0) {  // nearly all edges have positive value
      for (std::size_t e = 0; e < c.edges.size(); ++e) messages[2 * e] += 4;
    }
    std::vector<Index> states(c.edges.size());
    c.Factor().Maximize({}, messages, states);
    CAPTURE(trial);
    CHECK(!Breaks(c, states));
    CHECK(!CanImprove(c, messages, states));
    // The check detects a matching that is not optimal.
    const auto one = std::find(states.begin(), states.end(), 1);
    REQUIRE(one != states.end());
    *one = 0;
    CHECK(CanImprove(c, messages, states));
  }
}

TEST_CASE("edges without a gain are not chosen") {
  const MatchingFactor factor(2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  std::vector<Index> states(4);
  CHECK(factor.Maximize({}, std::vector<double>{0, 1, 0, 0, 2, 3, 0, 5}, states) == -2);
  CHECK(states == std::vector<Index>{0, 0, 0, 0});
  // The best edge alone (5) is worth less than the two others (3 + 4).
  CHECK(factor.Maximize({}, std::vector<double>{5, 0, 3, 0, 4, 0, 0, 1}, states) == 0 - 5);
  CHECK(states == std::vector<Index>{0, 1, 1, 0});
}

TEST_CASE("labellings that exceed a capacity are not allowed") {
  const std::vector<Edge> star{{0, 0}, {0, 1}, {0, 2}};
  CHECK(MatchingFactor(1, 3, star).IsRestricted());
  CHECK(!MatchingFactor(1, 3, star, 3).IsRestricted());
  CHECK(!MatchingFactor(1, 3, star, 2).Allows(std::vector<Index>{1, 1, 1}));
  CHECK(MatchingFactor(1, 3, star, 2).Allows(std::vector<Index>{1, 0, 1}));
  std::vector<Index> states(3);
  const std::vector<double> messages{1, 0, 3, 0, 2, 0};
  CHECK(MatchingFactor(1, 3, star, 2).Maximize({}, messages, states) == -1);
  CHECK(states == std::vector<Index>{0, 1, 1});
  CHECK(MatchingFactor(star, {3}, {1, 0, 1}).Maximize({}, messages, states) == -3);
  CHECK(states == std::vector<Index>{1, 0, 1});
}

TEST_CASE("matching factors check their arguments") {
  CHECK_THROWS_AS(MatchingFactor(2, 2, {}), std::invalid_argument);
  CHECK_THROWS_AS(MatchingFactor(2, 2, {{2, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(MatchingFactor(2, 2, {{0, -1}}), std::invalid_argument);
  CHECK_THROWS_AS(MatchingFactor(-1, 2, {{0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(MatchingFactor(1, 1, {{0, 0}}, -1), std::invalid_argument);
}
