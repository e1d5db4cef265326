// SPDX-License-Identifier: BSD-3-Clause
//
// Which pairs of labels a multi-label model joins.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>

namespace slackline::internal {

/// Two labels by number, a < b.
struct LabelPair {
  Index a = 0;
  Index b = 0;
  friend auto operator<=>(const LabelPair&, const LabelPair&) = default;
};

/// Largest number of pairs of a model (full graphs have n(n−1)/2).
inline constexpr Offset kMaxLabelPairs = 50'000'000;

/// The graph that `graph` names, its pairs in increasing order:
///   full   all pairs
///   none   no pairs: every label on its own
///   tree   a maximum spanning tree of the labels' mutual information in `data`
///   other  a file (ReadLabelGraph)
/// Throws DataError on bad files, and on more than kMaxLabelPairs pairs.
std::vector<LabelPair> MakeLabelGraph(const std::string& graph, const MultiLabelData& data);

/// Reads a graph file: one pair a line, two labels separated by blanks or tabs. A label is its
/// name, or where no label has that name, its number, which counts from 0 in the order of
/// `label_names` (for ARFF data that of the labels' columns, not that of the XML). Names that
/// contain blanks, or begin with # or ", stand in double quotes, with "" for a quote. Text from a
/// word that begins with # to the end of the line is a comment. Throws DataError with file, line
/// and token on unknown labels, self-loops, pairs that occur twice, lines without exactly two
/// labels, and files without pairs.
std::vector<LabelPair> ReadLabelGraph(const std::string& path,
                                      std::span<const std::string> label_names);

/// Maximum spanning tree of the labels' mutual information. Per pair, examples where one of both is
/// not known do not count. Pairs without information are used too, so that the tree spans all
/// labels. O(n² M / 64).
std::vector<LabelPair> MutualInformationTree(const MultiLabelData& data);

/// Mutual information, in nats, of two binary variables from counts[2·a + b] of their joint states;
/// 0 without any.
double MutualInformation(std::span<const std::int64_t, 4> counts);

}  // namespace slackline::internal
