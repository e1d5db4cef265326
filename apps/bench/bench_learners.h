// SPDX-License-Identifier: BSD-3-Clause
//
// The learners that `slackline bench` compares, and their names on its command line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/learning/options.h>

namespace slackline::internal {

struct BenchLearner {
  std::string name;  ///< as given
  TrainOptions
      /// With the settings of the comparison: a certificate after every pass, gap tolerance 1e-4.
      options;
  Index most_runs = 0;  ///< for learners that no seed affects; 0 = as many as the comparison has

  Index NumRuns(Index runs) const { return most_runs > 0 ? std::min(runs, most_runs) : runs; }
};

/// "auto, al, soft, bcfw, …", for messages and help texts. All other names of --learner are also
/// accepted.
std::string BenchLearnerNames();

/// Reads a list such as `auto,bcfw:step=pairwise,average=suffix,al`: names of learners, each with
/// training options after a colon. A piece with = and without a colon is one more option of the
/// learner before it. Throws DataError on unknown names and options, bad values, options that
/// contradict each other or that the comparison sets itself, and empty lists. If left_out is given,
/// a faulty learner is skipped instead and its message appended to left_out.
std::vector<BenchLearner> ParseBenchLearners(std::string_view list,
                                             std::vector<std::string>* left_out = nullptr);

/// The pieces between commas, without surrounding blanks.
std::vector<std::string> SplitList(std::string_view list);

}  // namespace slackline::internal
