// SPDX-License-Identifier: BSD-3-Clause
//
// Milliseconds per call of oracles on fully connected binary models. Unary scores are N(0,1), pair
// scores σ N(0,1)/√K.
//
//   bench_oracles [SIGMA]
//
// "cold": every call gets a new model. "5 %", "0.5 %": the scores drift by this fraction from call
// to call, for solvers that can start from the last solution of the example.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/random.h>
#include <slackline/core/timer.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/inference/roof_solver.h>

#include "boost_max_flow.h"

using namespace slackline::internal;

namespace {

std::shared_ptr<const FactorGraph> FullGraph(Index labels) {
  FactorGraphBuilder builder;
  builder.AddVariables(labels, 2);
  for (Index i = 0; i < labels; ++i) {
    for (Index j = i + 1; j < labels; ++j) builder.AddFactor({i, j});
  }
  return builder.Build();
}

/// old·√(1−drift²) + new·drift: drift = 1 draws a new model.
void Drift(Random& random, const FactorGraph& graph, double sigma, double drift,
           std::vector<double>* scores) {
  const double keep = std::sqrt(1 - drift * drift);
  const double pair = sigma / std::sqrt(static_cast<double>(graph.num_variables()));
  for (Index i = 0; i < graph.num_variables(); ++i) {
    double& score = (*scores)[graph.state_offset(i) + 1];
    score = keep * score + drift * random.Normal();
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    double& score = (*scores)[graph.factor_offset(c) + 3];
    score = keep * score + drift * pair * random.Normal();
  }
}

double MillisecondsPerCall(MapSolver& solver, const FactorGraph& graph, double sigma,
                           double drift) {
  Random random(7);
  std::vector<double> scores(graph.total_states(), 0.0);
  WarmStart warm;
  MapResult result;
  Drift(random, graph, sigma, 1, &scores);
  solver.Solve(scores, &warm, &result);
  std::vector<double> times;
  const WallTimer total;
  while (times.size() < 15 || (total.Seconds() < 0.5 && times.size() < 2000)) {
    if (drift == 1) warm.bytes.clear();
    Drift(random, graph, sigma, drift, &scores);
    const WallTimer timer;
    solver.Solve(scores, &warm, &result);
    times.push_back(1e3 * timer.Seconds());
    if (total.Seconds() > 20) break;
  }
  double sum = 0;
  for (const double time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

void Row(const char* name, MapSolver& solver, const FactorGraph& graph, double sigma) {
  std::printf("%-28s K = %3d", name, graph.num_variables());
  for (const double drift : {1.0, 0.05, 0.005})
    std::printf("  %9.3f", MillisecondsPerCall(solver, graph, sigma, drift));
  std::printf("\n");
  std::fflush(stdout);
}

/// Compares maximum flows on the doubled graph, without fixing any variable first: this project's
/// against Boost.Graph's. Roof duality on bare coefficients, without the score tables of the
/// general interface, is the third.
void CompareMaxFlows(const FactorGraph& graph, double sigma) {
  std::vector<VariablePair> pairs;
  for (Index c = 0; c < graph.num_factors(); ++c)
    pairs.push_back({graph.scope(c)[0], graph.scope(c)[1]});
  const Index n = graph.num_variables();
  bench::BoostDoubledGraph boost_graph(n, pairs);
  RoofDuality roof(n, pairs);
  MaxFlow own;
  Random random(7);
  std::vector<double> u(n);
  std::vector<double> t(pairs.size());
  double seconds[3] = {};
  const int calls = n <= 30 ? 1000 : 50;
  for (int call = 0; call < calls; ++call) {
    for (double& value : u) value = random.Normal();
    for (double& value : t) value = sigma * random.Normal() / std::sqrt(static_cast<double>(n));
    WallTimer timer;
    const double boost_flow = boost_graph.Solve(u, t);
    seconds[0] += timer.Seconds();
    timer.Restart();
    std::vector<double> a(u);
    own.Reset(2 * n);
    for (std::size_t e = 0; e < pairs.size(); ++e) {
      const auto [i, j] = pairs[e];
      a[i] += 0.5 * t[e];
      a[j] += 0.5 * t[e];
      const double capacity = std::abs(t[e]) / 2;
      own.AddEdge(i, t[e] > 0 ? j : n + j, capacity, capacity);
      own.AddEdge(t[e] > 0 ? n + j : j, n + i, capacity, capacity);
    }
    for (Index i = 0; i < n; ++i) {
      own.AddExcess(i, a[i]);
      own.AddExcess(n + i, -a[i]);
    }
    const double own_flow = own.Solve();
    seconds[1] += timer.Seconds();
    timer.Restart();
    roof.Solve(u, t);
    seconds[2] += timer.Seconds();
    if (std::abs(boost_flow - own_flow) > 1e-9 * (1 + boost_flow))
      std::printf("flows differ: %g %g\n", boost_flow, own_flow);
  }
  const char* const names[] = {"Boost.Graph BK, doubled", "own maximum flow, doubled",
                               "roof duality, coefficients"};
  for (int k = 0; k < 3; ++k)
    std::printf("%-28s K = %3d  %9.4f\n", names[k], n, 1e3 * seconds[k] / calls);
}

}  // namespace

int main(int argc, char** argv) {
  const double sigma = argc > 1 ? std::atof(argv[1]) : 0.5;
  std::printf("sigma = %g; mean ms per call          cold        5 %%      0.5 %%\n", sigma);
  for (const Index labels : {14, 30, 50, 101, 159}) {
    const auto graph = FullGraph(labels);
    CompareMaxFlows(*graph, sigma);
    Row("roof duality", *MakeRoofSolver(graph), *graph, sigma);
    if (HasGlpk() && labels <= 50) {
      Row("lp, compact (GLPK)", *MakeGlpkSolver(graph, GlpkFormulation::kCompact), *graph, sigma);
      Row("lp, local polytope (GLPK)", *MakeGlpkSolver(graph, GlpkFormulation::kGeneral), *graph,
          sigma);
    }
    if (labels <= 20)
      Row("branch and bound, exact", *MakeMapSolver(SolverKind::kBranchAndBound, graph), *graph,
          sigma);
  }
  return 0;
}
