// SPDX-License-Identifier: BSD-3-Clause
//
// The loss-augmented maximum of an example with a loss that is a function of counts, 1 − F1
// (core/loss.h):
//
//   max_s Δ(h(s), f(s)) + w·φ(s),   h hits, f false alarms,
//
// exact on independent labels and on forests of pairs (inference/count_forest.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <slackline/inference/count_forest.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Keeps work space: one object per thread.
class CountLossOracle {
 public:
  /// Requires the loss 1 − F1 and structures for which Fits holds; else std::invalid_argument.
  explicit CountLossOracle(const Problem& problem);

  /// Binary variables, no cycles, factors over one or two variables, no global ones, no forbidden
  /// states.
  static bool Fits(const Structure& structure);

  /// Writes a best labelling of example m and returns its value, Δ + w·φ. u: all coordinate scores
  /// of the example (CoordinateScores).
  double Maximise(Index m, std::span<const double> u, std::span<Index> labels);

  /// Table entries that the calls so far have computed.
  std::int64_t work() const;

 private:
  const std::vector<double>& Gains(Index relevant, Index others);

  Problem problem_;
  std::vector<std::unique_ptr<CountForest>> forests_;  // one per structure
  // Losses by numbers of relevant and other labels.
  std::map<std::pair<Index, Index>, std::vector<double>> gains_;
  std::vector<double> scores_;
  std::vector<StateCounts> counts_;
};

}  // namespace slackline::internal
