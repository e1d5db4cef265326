// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/folds.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <slackline/core/check.h>
#include <slackline/core/random.h>

namespace slackline::internal {

Folds MakeFolds(Index examples, Index folds, std::uint64_t seed) {
  SLACKLINE_CHECK(folds >= 2 && folds <= examples, "there must be from 2 folds to one per example");
  std::vector<Index> order(examples);
  std::iota(order.begin(), order.end(), Index{0});
  Random(seed).Shuffle(std::span<Index>(order));
  Folds result(folds);
  for (std::size_t k = 0; k < order.size(); ++k) result[k % result.size()].push_back(order[k]);
  for (std::vector<Index>& fold : result) std::sort(fold.begin(), fold.end());
  return result;
}

std::vector<Index> Fold::Others() const {
  std::vector<Index> examples = OthersByFold();
  std::sort(examples.begin(), examples.end());
  return examples;
}

std::vector<Index> Fold::OthersByFold() const {
  std::vector<Index> examples;
  for (std::size_t f = 0; f < folds_.size(); ++f) {
    if (f != number_) examples.insert(examples.end(), folds_[f].begin(), folds_[f].end());
  }
  return examples;
}

std::string Fold::name() const {
  return "fold " + std::to_string(number_ + 1) + " of " + std::to_string(folds_.size());
}

Spread SpreadOf(std::span<const double> values) {
  Spread spread;
  if (values.empty()) return spread;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

void FoldTotals::Add(const ProgressRecord& last, Termination termination) {
  passes += last.pass;
  seconds += last.seconds + last.check_seconds;
  converged += termination == Termination::kConverged ? 1 : 0;
}

std::size_t BestMean(std::span<const double> means) {
  SLACKLINE_CHECK(!means.empty(), "there are no values to choose from");
  std::size_t best = 0;
  for (std::size_t k = 1; k < means.size(); ++k) {
    // A different summation order must not make a smaller λ win.
    if (means[k] > means[best] + 1e-12) best = k;
  }
  return best;
}

}  // namespace slackline::internal
