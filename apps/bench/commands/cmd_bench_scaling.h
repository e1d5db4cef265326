// SPDX-License-Identifier: BSD-3-Clause
//
// slackline bench --scaling
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <slackline/apps/bench/bench_scaling.h>
#include <slackline/apps/bench/commands/cmd_bench_runner.h>

namespace slackline::internal::program {

/// The gap to which learners are run along an axis.
inline constexpr double kScalingGap = 1e-2;

/// Runs every learner at every size, `runs` times with seeds from `seed` on, and hands its table to
/// `print` as it grows. Stops early when it is interrupted. Returns the figures and curves of all
/// axes; sets *failed when a learner failed.
Json RunScaling(const std::vector<ScalingAxis>& axes, const std::vector<BenchLearner>& learners,
                const BenchRunner& runner, int runs, std::int64_t seed,
                const std::function<void(const std::string&)>& print, bool* failed);

}  // namespace slackline::internal::program
