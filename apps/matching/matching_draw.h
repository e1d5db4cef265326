// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic alignments of sentences, for trying matchings. A hidden ground truth makes the words of
// a left and a right vocabulary partners. A left sentence is drawn; its right sentence has the
// partners in nearly the same order, some of them missing or replaced, and some words without a
// partner. Candidate edges are all pairs of positions. Their features are those of the first word
// aligners: how often the two words occur together (`dice`: noisy, and misleading for some pairs),
// how far apart their relative positions are, and whether the neighbours on the left (right) would
// agree as well. A share of the true edges is possible instead of sure; a word without a partner
// that follows the right word of such an edge is then a possible partner of the left word, as in
// phrases. The share changes nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

inline constexpr Index kMostDrawnWords = 2000;

struct DrawnAlignments {
  Index examples = 100;
  Index shortest = 5;      ///< number of words of a left sentence, at least 1
  Index longest = 15;      ///< at least `shortest`
  Index vocabulary = 200;  ///< number of words of each side, at most kMostDrawnWords
  double noise = 0.25;     ///< standard deviation of `dice`, ≥ 0
  bool lexical = true;     ///< adds a feature per pair of words (`pair=12~40`)
  double possible = 0;     ///< share of the true edges that are only possible, in [0, 1]
  std::uint64_t seed = 1;
};

/// Examples in the format of docs/reference/matching_format.md, one text each, the same on every
/// machine. Each left and each right node has at most one edge with label 1. Throws
/// std::invalid_argument on options out of range.
std::vector<std::string> DrawAlignments(const DrawnAlignments& options);

}  // namespace slackline::internal
