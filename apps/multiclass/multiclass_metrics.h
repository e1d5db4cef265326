// SPDX-License-Identifier: BSD-3-Clause
//
// How well predicted classes agree with the true ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// 0/0 counts as 0.
struct ClassMetrics {
  double precision = 0;  ///< right / predicted
  double recall = 0;     ///< right / support
  double f1 = 0;         ///< 2 right / (support + predicted)
  std::int64_t support = 0;
  std::int64_t predicted = 0;
};

struct MulticlassMetrics {
  std::int64_t examples = 0;  ///< with a known class
  double error_rate = 0;      ///< share of these whose prediction is wrong
  /// Mean cost of the predictions for examples with a class of the model, by the given costs;
  /// without costs every error costs 1.
  double mean_cost = 0;
  double macro_f1 = 0;  ///< mean over the classes that are given or predicted
  std::vector<ClassMetrics> classes;
  /// The number of examples by [true class, predicted class], by rows of all classes.
  std::vector<std::int64_t> confusion;
};

/// truth: per example its class, from 0 to num_classes − 1, or kUnlabelled, which does not count.
/// predicted: classes of the model, which are the first model_classes classes. costs: [true,
/// predicted] by rows for the model's classes; empty: 1 for every error. Throws
/// std::invalid_argument on labels out of range and lists that do not fit.
MulticlassMetrics ComputeClassMetrics(Index num_classes, Index model_classes,
                                      std::span<const Index> truth,
                                      std::span<const Index> predicted,
                                      std::span<const double> costs);

}  // namespace slackline::internal
