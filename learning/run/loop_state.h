// SPDX-License-Identifier: BSD-3-Clause
//
// What the training loop remembers from pass to pass.
#pragma once

#include <string>
#include <vector>

#include <slackline/learning/progress.h>
#include <slackline/learning/state_archive.h>
#include <slackline/learning/termination.h>

namespace slackline::internal {

struct LoopState {
  ProgressRecord record;
  /// The weights with the smallest certified primal so far; empty before the first check.
  std::vector<double> weights;
  std::vector<std::string> notes;
  Index checks = 0;
  Index next_check = 0;
  Index hopeful_again = 0;  ///< first pass in which a learner's gap estimate may ask for a check
  StallWatch stall;
  bool provisional = false;  ///< whether the gap of the last check does not count

  /// Throws DataError when a loaded state is inconsistent.
  void Archive(StateArchive* archive);
};

}  // namespace slackline::internal
