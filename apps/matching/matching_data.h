// SPDX-License-Identifier: BSD-3-Clause
//
// Data of bipartite matchings: examples with two sides, and candidate edges with features and
// labels. docs/reference/matching_format.md describes the text format.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/common/feature_dictionary.h>
#include <slackline/core/data_source.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// The largest number of nodes of a side. Memory is allocated for every node, with or without
/// edges.
inline constexpr Index kMostMatchingNodes = 1'000'000;

struct MatchingEdge {
  Index left = 0;
  Index right = 0;
  Index label = kUnlabelled;  ///< 1: in the matching, 0: not in it
  /// Whether the edge is a possible one (Och and Ney 2003), neither right nor wrong; its label is
  /// kUnlabelled, so that training leaves it out.
  bool possible = false;
  long line = 0;

  /// Whether evaluation counts the edge.
  bool labelled() const { return label != kUnlabelled || possible; }
};

struct MatchingExample {
  Index num_left = 0;
  Index num_right = 0;
  Index first_edge = 0;
  Index num_edges = 0;
  long line = 0;
};

/// All examples; edge e has row e of `rows`.
struct MatchingData {
  std::string source;
  std::vector<MatchingExample> examples;
  std::vector<MatchingEdge> edges;
  std::shared_ptr<const FeatureRows> rows;
  Index num_features = 0;  ///< columns of the rows
  /// The features of edges, on all ranks, that are unknown to the dictionary and left out.
  std::int64_t unknown_features = 0;
  FilePlaces files;  ///< of a folder: the file of each example

  Index num_examples() const { return static_cast<Index>(examples.size()); }
  std::span<const MatchingEdge> edges_of(const MatchingExample& example) const {
    return std::span(edges.data() + example.first_edge, example.num_edges);
  }
  Index num_edges() const { return static_cast<Index>(edges.size()); }
  /// The file of an edge, for messages. Logarithmic time.
  const std::string& FileOfEdge(Index edge) const;
};

struct MatchingReadOptions {
  /// Ranks that read the data together, each its own examples; null: this process alone. `shards`
  /// P: how the examples are dealt (DealRecords); 0 = one shard per rank.
  Ranks* ranks = nullptr;
  Index shards = 0;
};

/// Reads all examples, plain or compressed with gzip; "-" is the standard input, and a folder has
/// the data in its files part-… (core/data_source.h). `dictionary`:
/// columns of the features by name. If null, a dictionary is made from the data, with a column per
/// feature in the order of first occurrence, and stored in *made. Throws DataError with file, line
/// and token on headers and edges that violate the format, nodes out of range, repeated edges,
/// repeated features of an edge, and files without examples. With several ranks, all of them call
/// this function, and each gets its own examples; dictionaries, numbers of features and errors are
/// the same on all ranks, and those of one rank. With a dictionary and fewer examples than ranks,
/// some ranks get none.
MatchingData ReadMatchings(const std::string& path, const FeatureDictionary* dictionary,
                           FeatureDictionary* made, const MatchingReadOptions& options = {});

/// The same for examples in memory, one text each; `name` is for messages.
MatchingData ParseMatchings(const std::string& name, std::span<const std::string> examples,
                            const FeatureDictionary* dictionary, FeatureDictionary* made);

}  // namespace slackline::internal
