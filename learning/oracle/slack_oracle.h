// SPDX-License-Identifier: BSD-3-Clause
//
// The oracle of slack rescaling (Tsochantaridis, Joachims, Hofmann, Altun, JMLR 2005, section
// 2.2.1):
//
//   max_s Δ(s) · (1 − w·ψ(s)),   ψ(s) = φ(y) − φ(s), y the ground truth.
//
// Loss and score are multiplied, so that no solver for sums of part scores applies: labellings are
// enumerated, without those that forbidden states or global factors rule out. In the form of
// corners (active_set.h) labelling s is the point φ(y) + Δ(s)·(φ(s) − φ(y)) with loss Δ(s): all
// that is linear in corners holds as with margin rescaling.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// Largest number of labellings that an example may have.
inline constexpr Offset kMaxSlackLabellings = 4096;

class SlackOracle {
 public:
  /// Throws DataError when the structure has more than kMaxSlackLabellings labellings.
  static void RequireEnumerable(const Structure& structure);

  /// Maximises Δ(s) + w·(the point of s) over the allowed labellings, and returns that value. Ties
  /// go to the ground truth, else to the lexicographically lowest labelling. u: all coordinate
  /// scores of the example (CoordinateScores), which include the weights of global factors. loss:
  /// Δ_i of its states. O(labellings · parts), and two calls of each global factor for a labelling.
  double Maximise(const ExampleView& example, std::span<const double> loss,
                  std::span<const double> u, SparseCorner* corner);

 private:
  double ScoreOf(const Structure& structure, std::span<const double> u,
                 std::span<const Index> labels);

  std::vector<double> scores_;
  std::vector<double> coordinates_;
  std::vector<Index> states_;
  std::vector<Index> labels_;
  std::vector<Index> best_;
};

}  // namespace slackline::internal
