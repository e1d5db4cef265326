// SPDX-License-Identifier: BSD-3-Clause
//
// Nanoseconds per variable and call of max-product on chains, in training (PairForest), prediction
// (ChainDp), whole-example solvers (TreeSolver) and chains as one factor (TreeFactor).
//
//   bench_trees [CALLS]
//
// The checksum of labels and values must be the same for every build.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/random.h>
#include <slackline/core/timer.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>
#include <slackline/inference/chain_dp.h>
#include <slackline/inference/pair_forest.h>
#include <slackline/inference/tree_dp.h>

using namespace slackline::internal;

namespace {

constexpr Index kLength = 40;

std::shared_ptr<const FactorGraph> ChainGraph(Index states) {
  FactorGraphBuilder builder;
  builder.AddVariables(kLength, states);
  for (Index i = 0; i + 1 < kLength; ++i) builder.AddFactor({i, i + 1});
  return builder.Build();
}

struct Answer {
  double value = 0;
  std::vector<Index> labels = std::vector<Index>(kLength);
};

/// Prints the shortest time of five rounds.
void Row(const char* name, Index states, int calls, const std::function<void(Answer*)>& call) {
  Answer answer;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 5; ++round) {
    const WallTimer timer;
    for (int k = 0; k < calls; ++k) call(&answer);
    least = std::min(least, timer.Seconds());
  }
  long sum = 0;
  for (const Index label : answer.labels) sum = 31 * sum % 1000003 + label;
  std::printf("%-28s K = %2d  %9.1f ns   value %.17g, labels %ld\n", name, states,
              1e9 * least / calls / kLength, answer.value, sum);
}

void Rows(Index states, bool potts, int calls) {
  Random random(static_cast<std::uint64_t>(states));
  const std::size_t k = states;
  std::vector<double> unary(kLength * k);
  std::vector<double> table(k * k);
  for (double& value : unary) value = random.Normal();
  for (std::size_t s = 0; s < table.size(); ++s)
    table[s] = potts ? (s % (k + 1) == 0 ? 0.5 : 0) : random.Normal();
  const auto graph = ChainGraph(states);
  std::vector<double> scores(unary);
  for (Index i = 0; i + 1 < kLength; ++i) scores.insert(scores.end(), table.begin(), table.end());

  PairForest shared(graph, std::vector<Index>(kLength - 1, 0));
  shared.SetTable(0, table);
  Row("PairForest, shared table", states, calls, [&](Answer* answer) {
    std::copy(unary.begin(), unary.end(), shared.variable_scores().begin());
    answer->value = shared.Maximise(answer->labels);
  });
  ChainDp chain(states);
  chain.SetSharedTable(table);
  Row("ChainDp, shared table", states, calls,
      [&](Answer* answer) { answer->value = chain.Maximise(unary, answer->labels); });
  std::vector<double> marginals(unary.size());
  Row("ChainDp, max-marginals", states, calls,
      [&](Answer* answer) { chain.MaxMarginals(unary, answer->labels, marginals); });
  TreeSolver tree(graph);
  MapResult result;
  Row("TreeSolver", states, calls, [&](Answer* answer) {
    tree.Solve(scores, nullptr, &result);
    answer->value = result.value;
    answer->labels = result.labels;
  });
  if (potts) return;
  const TreeFactor factor = TreeFactor::Chain(kLength, TableFactor({states, states}));
  std::vector<double> messages(unary);
  for (double& value : messages) value = -value;
  Row("TreeFactor", states, calls,
      [&](Answer* answer) { answer->value = factor.Maximize(table, messages, answer->labels); });
}

}  // namespace

int main(int argc, char** argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 2000;
  for (const Index states : {2, 3, 5, 10, 26}) Rows(states, false, calls);
  std::printf("Potts tables:\n");
  for (const Index states : {5, 26}) Rows(states, true, calls);
  return 0;
}
