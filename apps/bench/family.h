// SPDX-License-Identifier: BSD-3-Clause
//
// A family of training problems that covers those of users: 5 to millions of weights, 10 to 100 000
// examples, 2 to 1000 labels or states, forests, graphs with cycles of two and of many states,
// matchings; dense, sparse and badly scaled inputs; λ from ten times the default to a hundredth of
// it. `slackline bench --family` runs every learner on all of them to find the problems where
// `auto` is not the fastest.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/learning/problem.h>

namespace slackline::internal {

struct FamilyProblem {
  std::string name;
  bool needs_data = false;
  /// Throws DataError when files of the data folder are missing or malformed.
  std::function<Problem(const std::string& folder)> make;
};

/// All problems: those on drawn data first, then those on files of the data folder.
std::vector<FamilyProblem> FamilyProblems();

/// The problems whose names contain one of the pieces (all problems if there are no pieces),
/// without those that need data if the folder is empty. Throws DataError on a piece that no name
/// contains.
std::vector<FamilyProblem> ChooseFamily(const std::vector<std::string>& pieces,
                                        const std::string& folder);

}  // namespace slackline::internal
