// SPDX-License-Identifier: BSD-3-Clause
//
// The learners that `slackline bench` compares, as they are named on its command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/learning/options.h>

namespace slackline::internal {

struct BenchLearner {
  std::string name;  ///< as it was given
  TrainOptions
      /// those of the comparison included: a certificate after every pass, gap tolerance 1e-4
      options;
};

/// "auto, al, soft, bcfw, …", for messages and help texts. Names of --learner that are not among
/// them are learners, too.
std::string BenchLearnerNames();

/// Reads a list as `auto,bcfw:step=pairwise,average=suffix,al`: names of learners, each with
/// options of training behind a colon. A piece that contains = and no colon is one more option of
/// the learner before it. Throws DataError on unknown names and options, on bad values, on options
/// that contradict each other or that the comparison sets itself, and on empty lists. With
/// left_out, learners at fault are left out, and the messages go there.
std::vector<BenchLearner> ParseBenchLearners(std::string_view list,
                                             std::vector<std::string>* left_out = nullptr);

/// The pieces between commas, without blanks around them.
std::vector<std::string> SplitList(std::string_view list);

}  // namespace slackline::internal
