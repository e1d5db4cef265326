// SPDX-License-Identifier: BSD-3-Clause
//
// k-means: Lloyd's algorithm from centres drawn by k-means++ (Arthur and Vassilvitskii 2007).
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/vision/step_check.h>

namespace slackline::internal {

struct ClusterTask {
  std::vector<float> points;  ///< `size` numbers per point, at least one point
  Index size = 1;
  Index num_centres = 1;
  std::uint64_t seed = 1;
};

/// The centres of each task, num_centres × size numbers. With fewer different points than centres,
/// some centres are equal. All tasks run together, so threads wait for each other only once per
/// iteration over all tasks. The result of a task depends neither on `threads` nor on the other
/// tasks. Cost: iterations (at most 40) · points · size · num_centres.
std::vector<std::vector<float>> KMeans(const std::vector<ClusterTask>& tasks, int threads,
                                       const StepCheck& check);

}  // namespace slackline::internal
