// SPDX-License-Identifier: BSD-3-Clause
//
// The learners that a comparison runs, and their names on its command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/learning/options.h>

namespace slackline::internal::bench {

struct BenchLearner {
  std::string name;  ///< as given
  TrainOptions options;
};

/// The names of the comparison, for help texts: "bcfw, bcfw-fixed, …". All names of --learner are
/// accepted, too.
std::string BenchLearnerNames();

/// Reads a list (list_entries.h) such as `auto,bcfw:step=pairwise,average=suffix,al`: names of
/// learners, each with training options, which change `base`. Throws DataError on unknown names and
/// options, bad values, options that contradict each other or that the comparison sets itself, and
/// empty lists.
std::vector<BenchLearner> ParseBenchLearners(std::string_view list, const TrainOptions& base);

}  // namespace slackline::internal::bench
