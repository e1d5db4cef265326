// SPDX-License-Identifier: BSD-3-Clause
//
// The pairs of labels that a multi-label model joins.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// Two labels by number, a < b.
struct LabelPair {
  Index a = 0;
  Index b = 0;
  friend auto operator<=>(const LabelPair&, const LabelPair&) = default;
};

/// The largest number of pairs of a model (full graphs have n(n−1)/2).
inline constexpr Offset kMaxLabelPairs = 50'000'000;

/// Which pairs a model joins: a name, or the pairs themselves.
struct LabelGraph {
  LabelGraph(std::string graph) : name(std::move(graph)) {}  // NOLINT: converts
  LabelGraph(const char* graph) : name(graph) {}             // NOLINT: converts
  /// Pairs in any order, of distinct labels; none twice.
  LabelGraph(std::string text, std::vector<LabelPair> given)
      : name(std::move(text)), pairs(std::move(given)) {}

  /// full    all pairs
  /// none    no pairs: every label on its own
  /// tree    a maximum spanning tree of the labels' mutual information in the data
  /// other   a file (ReadLabelGraph)
  /// If `pairs` are given: only a text for records and messages.
  std::string name;
  std::optional<std::vector<LabelPair>> pairs;
};

/// The pairs of a graph, a < b, in ascending order. Throws DataError on bad files and pairs, and on
/// more than kMaxLabelPairs pairs. With several ranks, all of them must call it, each with its own
/// examples; they get the graph of all examples, or the same DataError.
std::vector<LabelPair> MakeLabelGraph(const LabelGraph& graph, const MultiLabelData& data,
                                      Ranks& ranks = OneRank());

/// Reads a graph file: one pair per line, two labels separated by blanks or tabs. A label is given
/// by its name or, if no label has that name, by its number, which counts from 0 in the order of
/// `label_names` (for ARFF data: of the labels' columns, not of the XML). Names that contain
/// blanks, or begin with # or ", stand in double quotes, with "" for a quote. A word that begins
/// with # starts a comment, up to the end of the line. Throws DataError with file, line and token
/// on unknown labels, self-loops, repeated pairs, lines without exactly two labels, and files
/// without pairs.
std::vector<LabelPair> ReadLabelGraph(const std::string& path,
                                      std::span<const std::string> label_names);

/// A maximum spanning tree by mutual information of the labels. An example counts for a pair only
/// if both labels are known. Pairs without information are also used, so that the tree spans all
/// labels. O(n² M / 64). `ranks` as in MakeLabelGraph.
std::vector<LabelPair> MutualInformationTree(const MultiLabelData& data, Ranks& ranks = OneRank());

/// Mutual information, in nats, of two binary variables with counts[2·a + b] of their joint states;
/// 0 if all counts are 0.
double MutualInformation(std::span<const std::int64_t, 4> counts);

}  // namespace slackline::internal
