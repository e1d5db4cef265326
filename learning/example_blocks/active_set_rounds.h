// SPDX-License-Identifier: BSD-3-Clause
//
// How many rounds over the active sets alone follow a round of oracle calls: as long as they raise
// the dual faster, per unit of work, than the pass as a whole has done so far (Shah, Kolmogorov,
// Lampert, CVPR 2015, section 3.4). When the first round already gains less, the next passes make
// no such rounds; their number doubles each time. Work is counted in operations, not in seconds, so
// that runs can be repeated.
#pragma once

#include <algorithm>

#include <slackline/learning/learner.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// What some visits achieved.
struct VisitProgress {
  double gain = 0;  ///< increase of the dual, times M
  std::int64_t work = 0;
};

class ActiveSetRounds {
 public:
  /// Makes rounds after a round of oracle calls with this progress. make_round() returns the
  /// VisitProgress of a round.
  template <class MakeRound>
  void Run(VisitProgress total, const StopControl& stop, const MakeRound& make_round) {
    if (rest_ > 0) {
      --rest_;
      return;
    }
    for (Index round = 0; round < kMostRounds && !stop.ShouldStop(); ++round) {
      const VisitProgress made = make_round();
      total.gain += made.gain;
      total.work += made.work;
      if (made.gain * static_cast<double>(total.work) >
          total.gain * static_cast<double>(made.work)) {
        next_rest_ = 1;
        continue;
      }
      if (round == 0) {
        rest_ = next_rest_;
        next_rest_ = std::min(2 * next_rest_, kLongestRest);
      }
      break;
    }
  }

  void Archive(StateArchive* archive) {
    archive->Integer(&rest_, 0, kLongestRest);
    archive->Integer(&next_rest_, 1, kLongestRest);
  }

 private:
  static constexpr Index kMostRounds = 50;  // in a pass
  static constexpr Index kLongestRest = 8;  // passes without rounds

  Index rest_ = 0;       // next passes without rounds
  Index next_rest_ = 1;  // rest_ when rounds next do not pay
};

}  // namespace slackline::internal
