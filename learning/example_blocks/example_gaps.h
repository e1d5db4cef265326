// SPDX-License-Identifier: BSD-3-Clause
//
// What learners with active sets remember of their examples' gaps, and which examples are worth a
// visit.
//
// With order gap, rounds of oracle calls skip examples whose gap was far below the mean at their
// last call. Old gaps say little (a fixed refresh every tenth pass cost a factor of three on
// Reuters), so in every round the remembered gap of a skipped example doubles and grows by a
// twentieth of the mean. No example waits longer than four rounds, or five when the mean grows
// meanwhile. Rounds over the active sets treat the spreads within the sets in the same way.
//
// Where examples outnumber weights, most examples soon have no gap at all. Their remembered gaps
// would grow alike, and all of them would be called in the same pass; in the passes between, the
// known gaps, which decide on κ, would be old and too small. There the twentieth is multiplied by
// 0.1 to 2, by the number of the example, so that they wait two to six rounds.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <slackline/learning/example_blocks/active_set_blocks.h>
#include <slackline/learning/options.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class ExampleGaps {
 public:
  /// unequal: whether skipped examples wait for different numbers of rounds.
  ExampleGaps(Index examples, OrderKind order, bool unequal);
  /// For a new problem: nothing is known about its gaps.
  void Forget();

  /// The sum of figures that are known, and their number.
  struct Known {
    double sum = 0;
    Index count = 0;
    void Add(const Known& other) {
      sum += other.sum;
      count += other.count;
    }
  };
  /// Sums over all examples of the gaps at their last oracle calls, as measured by the oracle's
  /// corners and by its bounds; +∞ while an example has had no call.
  double Sum() const;
  double SumOfBounds() const;
  /// The gaps of the examples that have had a call.
  Known KnownGaps() const;
  /// The spreads of the examples that have been visited and have several corners.
  Known Spreads(const ActiveSetBlocks& blocks) const;

  /// The examples of `order` whose gap may be worth an oracle call. mean: of all gaps.
  void ChooseForCalls(std::span<const Index> order, double mean, std::vector<Index>* chosen);
  /// The examples of `order` with several corners, the spread of which may be worth steps. mean: of
  /// all spreads.
  void ChooseForSteps(std::span<const Index> order, double mean, const ActiveSetBlocks& blocks,
                      std::vector<Index>* chosen);

  /// Takes the result of a visit. called: whether it called the oracle.
  void Visited(Index m, bool called, const ActiveSetBlocks::VisitResult& visit);

  void Archive(StateArchive* archive);

 private:
  bool Worthwhile(Index m, double* remembered, double mean) const;

  bool by_gap_;
  bool unequal_;
  std::vector<double> gaps_;           // of the examples at their last oracle calls
  std::vector<double> gap_bounds_;     // gaps_ by the oracle's bounds
  std::vector<double> expected_gaps_;  // gap_bounds_, growing while an example is skipped
  std::vector<double> spreads_;        // of the sets' scores at the last visits; growing as well
};

}  // namespace slackline::internal
