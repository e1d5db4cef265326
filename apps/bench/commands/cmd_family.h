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

/// The learners compared with `auto` by default.
inline constexpr const char* kFamilyLearners =
    "auto,bcfw-pairwise,bmrm,cutting-plane-1,cutting-plane-n,al,prox-sdca";

struct FamilySettings {
  std::vector<FamilyProblem> problems;
  std::string folder;
  std::vector<BenchLearner> learners;
  double time_limit = 60;  ///< seconds per run, including checks; 0 = none
  int runs = 1;
  std::int64_t seed = 1;
  bool quiet = false;
};

/// Runs all learners on all problems to a gap of 1e-3, and compares `auto` with the fastest other
/// learner at 1e-2 and 1e-3, in processor seconds of training. A run that cannot become the fastest
/// is stopped early. Passes one line per problem to `print`, and at the end the geometric means of
/// the ratios and the problems where `auto` takes more than 1.5 times the best. Returns figures and
/// curves; sets *failed if a learner failed. Stops early when interrupted. Throws DataError on bad
/// files.
Json RunFamily(const FamilySettings& settings, const std::atomic<int>* interrupt,
               const std::function<void(const std::string&)>& print, bool* failed);

}  // namespace slackline::internal::program
