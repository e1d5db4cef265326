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

/// The relative gap at which runs along an axis end.
inline constexpr double kScalingGap = 1e-2;

/// Runs every learner at every size, `runs` times with seeds from `seed` on, and passes the table
/// to `print` line by line. Stops early when interrupted. Returns the figures and curves of all
/// axes; sets *failed if a learner failed.
Json RunScaling(const std::vector<ScalingAxis>& axes, const std::vector<BenchLearner>& learners,
                const BenchRunner& runner, int runs, std::int64_t seed,
                const std::function<void(const std::string&)>& print, bool* failed);

}  // namespace slackline::internal::program
