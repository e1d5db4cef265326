// SPDX-License-Identifier: BSD-3-Clause
//
// slackline bench --family
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <slackline/apps/bench/bench_learners.h>
#include <slackline/apps/bench/commands/cmd_bench_runner.h>
#include <slackline/apps/bench/family.h>

namespace slackline::internal::program {

/// The learners that are compared with `auto` unless others are named.
inline constexpr const char* kFamilyLearners =
    "auto,bcfw-pairwise,bmrm,cutting-plane-1,cutting-plane-n,al,prox-sdca";

struct FamilySettings {
  std::vector<FamilyProblem> problems;
  std::string folder;
  std::vector<BenchLearner> learners;
  double time_limit = 60;  ///< of a run, checks included; 0 = none
  int runs = 1;
  std::int64_t seed = 1;
  bool quiet = false;
};

/// Runs all learners on all problems to a gap of 1e-3, and compares `auto` with the fastest of the
/// others at 1e-2 and 1e-3, in processor seconds of training. Runs that could not become the
/// fastest any more are cut short. Hands a line a problem to `print`, and at the end the ratios'
/// geometric means and the problems where `auto` takes over 1.5 times the best. Returns figures and
/// curves; sets *failed when a learner failed. Stops early when interrupted. Throws DataError on
/// bad files.
Json RunFamily(const FamilySettings& settings, const std::atomic<int>* interrupt,
               const std::function<void(const std::string&)>& print, bool* failed);

}  // namespace slackline::internal::program
