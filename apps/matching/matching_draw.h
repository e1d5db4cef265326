// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic alignments of sentences, to try matchings with. Words of a left and a right vocabulary
// are partners by a hidden ground truth. A left sentence is drawn; its right one has the
// partners in nearly the same order, some missing, some replaced, and some words that belong to
// nothing. Candidate edges are all pairs of positions, with features as the first word aligners had
// them: how often the two words occur together (`dice`: noisy, and misleading for some pairs), how
// far apart their relative positions are, and whether the neighbours on the left (right) would
// agree as well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

inline constexpr Index kMostDrawnWords = 2000;

struct DrawnAlignments {
  Index examples = 100;
  Index shortest = 5;      ///< words of a left sentence, at least 1
  Index longest = 15;      ///< at least `shortest`
  Index vocabulary = 200;  ///< words of each side, at most kMostDrawnWords
  double noise = 0.25;     ///< standard deviation of `dice`, ≥ 0
  bool lexical = true;     ///< a feature per pair of words as well (`pair=12~40`)
  std::uint64_t seed = 1;
};

/// Examples in the format of docs/reference/matching_format.md, a text each, the same on every
/// machine. Each left and each right node has at most one edge with label 1. Throws
/// std::invalid_argument on options out of range.
std::vector<std::string> DrawAlignments(const DrawnAlignments& options);

}  // namespace slackline::internal
