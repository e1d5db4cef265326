// SPDX-License-Identifier: BSD-3-Clause
//
// Centres of points: Lloyd's algorithm from centres drawn by k-means++ (Arthur and Vassilvitskii
// 2007).
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/vision/step_check.h>

namespace slackline::internal {

struct ClusterTask {
  std::vector<float> points;  ///< of `size` numbers each, at least one
  Index size = 1;
  Index num_centres = 1;
  std::uint64_t seed = 1;
};

/// For each task num_centres × size numbers. Among fewer different points than centres some centres
/// are equal. Tasks are worked on side by side, as threads wait for each other only once an
/// iteration over all of them; results do not depend on `threads`, nor on the other tasks. Cost:
/// iterations (at most 40) · points · size · num_centres.
std::vector<std::vector<float>> KMeans(const std::vector<ClusterTask>& tasks, int threads,
                                       const StepCheck& check);

}  // namespace slackline::internal
