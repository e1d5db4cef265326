// SPDX-License-Identifier: BSD-3-Clause
//
// Small chains, and all of their labellings.
#pragma once

#include <algorithm>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/inference/chain_dp.h>
#include <slackline/inference/k_best_chain.h>
#include <tests/support/all_labellings.h>

namespace slackline::internal::test {

struct TestChain {
  Index length = 1;
  Index states = 1;
  bool shared = true;
  bool whole = false;  ///< all scores are whole numbers: sums are exact, ties are frequent
  std::vector<double> unary = {};   ///< length × states
  std::vector<double> tables = {};  ///< states², or (length − 1) × states²

  /// A solver with the tables set.
  ChainDp Dp() const {
    ChainDp dp(states);
    if (shared) {
      dp.SetSharedTable(tables);
    } else {
      dp.SetTables(tables);
    }
    return dp;
  }

  double Score(const std::vector<Index>& labels) const {
    double score = 0;
    for (Index i = 0; i < length; ++i) {
      const Index here = labels[i];
      score += unary[i * states + here];
      if (i + 1 == length) break;
      const Index next = labels[i + 1];
      score += tables[((shared ? 0 : i) * states + here) * states + next];
    }
    return score;
  }

  /// All labellings that are not forbidden, by falling score; equal scores in lexicographic order.
  std::vector<RankedLabelling> Ranked() const {
    std::vector<RankedLabelling> all;
    for (const auto& labels : AllLabellings(std::vector<Index>(length, states))) {
      const double score = Score(labels);
      if (score != -kInfinity) all.push_back({score, labels});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    return all;
  }
};

/// Chains of 1 to 5 variables with 1 to 4 states; depending on `trial` with ties, with forbidden
/// states and pairs, with a table per pair.
inline TestChain RandomChain(Random& random, int trial) {
  TestChain chain{.length = static_cast<Index>(1 + random.Below(5)),
                  .states = static_cast<Index>(1 + random.Below(4)),
                  .shared = trial % 2 == 0,
                  .whole = trial % 4 < 2};
  const bool forbid = trial % 3 == 0;
  const auto score = [&] {
    if (forbid && random.Below(4) == 0) return -kInfinity;
    return chain.whole ? static_cast<double>(random.Below(4)) - 2 : random.Normal();
  };
  const auto squared = Offset{chain.states} * chain.states;
  chain.unary.resize(chain.length * chain.states);
  chain.tables.resize(chain.shared ? squared : squared * (chain.length - 1));
  for (double& value : chain.unary) value = score();
  for (double& value : chain.tables) value = score();
  return chain;
}

}  // namespace slackline::internal::test
