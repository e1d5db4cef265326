// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/max_flow.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Network {
  Index nodes = 0;
  std::vector<double> excess;
  struct Edge {
    Index i, j;
    double forward, backward;
  };
  std::vector<Edge> edges;
};

Network RandomNetwork(Random& random, Index nodes, Index edges, bool whole) {
  Network network;
  network.nodes = nodes;
  const auto draw = [&] { return whole ? static_cast<double>(random.Below(5)) : random.Uniform(); };
  for (Index n = 0; n < nodes; ++n)
    network.excess.push_back(draw() * (random.Below(2) == 0 ? 1 : -1));
  for (Index e = 0; e < edges && nodes > 1; ++e) {
    const auto i = static_cast<Index>(random.Below(nodes));
    const auto j = static_cast<Index>((i + 1 + random.Below(nodes - 1)) % nodes);
    network.edges.push_back({i, j, draw(), random.Below(3) == 0 ? 0 : draw()});
  }
  return network;
}

/// The capacity of the cut with these nodes on the source's side.
double CutCapacity(const Network& network, unsigned source_side) {
  double capacity = 0;
  for (Index n = 0; n < network.nodes; ++n) {
    const bool source = (source_side >> n) & 1;
    capacity += std::max(0.0, source ? -network.excess[n] : network.excess[n]);
  }
  for (const auto& edge : network.edges) {
    const bool i = (source_side >> edge.i) & 1;
    const bool j = (source_side >> edge.j) & 1;
    if (i && !j) capacity += edge.forward;
    if (j && !i) capacity += edge.backward;
  }
  return capacity;
}

void Load(const Network& network, MaxFlow* flow) {
  flow->Reset(network.nodes);
  for (Index n = 0; n < network.nodes; ++n) flow->AddExcess(n, network.excess[n]);
  for (const auto& edge : network.edges) flow->AddEdge(edge.i, edge.j, edge.forward, edge.backward);
}

}  // namespace

TEST_CASE("the maximum flow is the minimum cut, found by enumeration") {
  Random random(11);
  MaxFlow flow;  // one object for all networks
  for (int number = 0; number < 3000; ++number) {
    const auto nodes = static_cast<Index>(1 + random.Below(8));
    const Network network =
        RandomNetwork(random, nodes, static_cast<Index>(random.Below(16)), number % 2 == 0);
    Load(network, &flow);
    const double amount = flow.Solve();
    double best = kInfinity;
    for (unsigned side = 0; side < (1u << nodes); ++side)
      best = std::min(best, CutCapacity(network, side));
    CAPTURE(number);
    CHECK(Near(amount, best, kTight));
    unsigned found = 0;
    for (Index n = 0; n < nodes; ++n) found |= (flow.SinkSide(n) ? 0u : 1u) << n;
    CHECK(Near(CutCapacity(network, found), best, kTight));
    // The sink side found is the smallest one: the sink side of every other minimum cut contains
    // it.
    if (number % 2 == 0) {  // whole numbers: ties are exact
      for (unsigned side = 0; side < (1u << nodes); ++side) {
        if (CutCapacity(network, side) == best) CHECK((side & ~found) == 0);
      }
    }
  }
}

TEST_CASE("flows respect capacities and are conserved") {
  Random random(12);
  MaxFlow flow;
  for (int number = 0; number < 300; ++number) {
    const auto nodes = static_cast<Index>(2 + random.Below(30));
    const Network network = RandomNetwork(random, nodes, 4 * nodes, number % 3 == 0);
    Load(network, &flow);
    const double amount = flow.Solve();
    std::vector<double> net(network.excess);  // excess minus what leaves
    for (std::size_t e = 0; e < network.edges.size(); ++e) {
      const double f = flow.EdgeFlow(static_cast<Index>(e));
      CHECK(f <= network.edges[e].forward + kExact);
      CHECK(f >= -network.edges[e].backward - kExact);
      net[network.edges[e].i] -= f;
      net[network.edges[e].j] += f;
    }
    double sent = 0;
    for (Index n = 0; n < nodes; ++n) {
      CHECK(Near(net[n], flow.Excess(n), kTight));
      CHECK(flow.Excess(n) * network.excess[n] >= 0);
      sent += std::max(0.0, network.excess[n]) - std::max(0.0, flow.Excess(n));
    }
    CHECK(Near(sent, amount, kTight));
  }
}

TEST_CASE("capacities of very different sizes are supported") {
  MaxFlow flow;
  flow.Reset(4);
  flow.AddExcess(0, 1e12);
  flow.AddExcess(3, -1e12);
  flow.AddEdge(0, 1, 1e-12, 0);
  flow.AddEdge(1, 3, 1e12, 0);
  flow.AddEdge(0, 2, 1e12, 0);
  flow.AddEdge(2, 3, 3.0, 0);
  CHECK(Near(flow.Solve(), 3.0, kTight));
  CHECK_FALSE(flow.SinkSide(0));
  CHECK_FALSE(flow.SinkSide(2));
  CHECK(flow.SinkSide(1));
}
