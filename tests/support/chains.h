// SPDX-License-Identifier: BSD-3-Clause
//
// Small chains, and all of their labellings.
#pragma once

#include <algorithm>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/inference/chain_dp.h>
#include <slackline/inference/k_best_chain.h>

namespace slackline::internal::test {

struct TestChain {
  Index length = 1;
  Index states = 1;
  bool shared = true;
  bool whole = false;          ///< all scores are whole numbers: sums are exact, and many are equal
  std::vector<double> unary;   ///< length × states
  std::vector<double> tables;  ///< states², or (length − 1) × states²

  /// With the tables.
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

  /// All that are not forbidden; falling, equal ones in lexicographic order.
  std::vector<RankedLabelling> Ranked() const {
    std::vector<RankedLabelling> all;
    std::vector<Index> labels(length, 0);
    for (bool more = true; more;) {
      const double score = Score(labels);
      if (score != -kInfinity) all.push_back({score, labels});
      more = false;
      for (std::size_t i = labels.size(); i-- > 0 && !more;) {
        more = ++labels[i] < states;
        if (!more) labels[i] = 0;
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    return all;
  }
};

/// Lengths 1 to 5, 1 to 4 states; by turns with ties, forbidden states and pairs, tables of their
/// own.
inline TestChain RandomChain(Random& random, int trial) {
  TestChain chain;
  chain.length = static_cast<Index>(1 + random.Below(5));
  chain.states = static_cast<Index>(1 + random.Below(4));
  chain.shared = trial % 2 == 0;
  chain.whole = trial % 4 < 2;
  const bool forbid = trial % 3 == 0;
  const auto score = [&] {
    if (forbid && random.Below(4) == 0) return -kInfinity;
    return chain.whole ? static_cast<double>(random.Below(4)) - 2 : random.Normal();
  };
  const auto squared =
      static_cast<std::size_t>(chain.states) * static_cast<std::size_t>(chain.states);
  chain.unary.resize(chain.length * chain.states);
  chain.tables.resize(chain.shared ? squared
                                   : squared * static_cast<std::size_t>(chain.length - 1));
  for (double& value : chain.unary) value = score();
  for (double& value : chain.tables) value = score();
  return chain;
}

}  // namespace slackline::internal::test
