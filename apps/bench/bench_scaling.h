// SPDX-License-Identifier: BSD-3-Clause
//
// Families of training problems that differ in one size, to measure how the work of learners grows
// with that size.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <slackline/apps/bench/bench_problems.h>

namespace slackline::internal {

struct ScalingAxis {
  std::string name;  ///< the size that varies
  std::string text;
  std::vector<Index> sizes;            ///< increasing
  std::function<Problem(Index)> make;  ///< makes the problem of one size
};

/// The axes:
///   examples           a quarter, half and all examples of `problem`, drawn by `seed`
///   labels             the 10, 25, 50 and 101 most frequent labels of rcv1s1; 2, 4 and 6 of toy
///                      without a data folder
///   features, dense    synthetic labels with 1000, 4000 and 16000 features
///   features, sparse   the same with 50 features that are not 0 per example
/// Data is read when a problem is made. λ stays the same along an axis.
std::vector<ScalingAxis> ScalingAxes(const BenchProblem& problem, const std::string& folder,
                                     std::uint64_t seed);

}  // namespace slackline::internal
