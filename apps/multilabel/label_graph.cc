// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/label_graph.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include <slackline/apps/multilabel/label_lines.h>
#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

void CheckFullSize(const MultiLabelData& data) {
  const Offset n = data.num_labels();
  const Offset pairs = n * (n - 1) / 2;
  if (pairs <= kMaxLabelPairs) return;
  throw DataError(data.source, 0,
                  std::to_string(n) + " labels have " + std::to_string(pairs) +
                      " pairs, more than the " + std::to_string(kMaxLabelPairs) +
                      " that can be used; give --graph none or a file of pairs");
}

std::vector<LabelPair> FullGraph(Index num_labels) {
  std::vector<LabelPair> pairs;
  for (Index a = 0; a < num_labels; ++a) {
    for (Index b = a + 1; b < num_labels; ++b) pairs.push_back({a, b});
  }
  return pairs;
}

/// Bit sets over the examples: whether the label is known, and whether it is on.
struct LabelBits {
  std::vector<std::uint64_t> known;
  std::vector<std::uint64_t> on;
};

std::vector<LabelBits> MakeBits(const MultiLabelData& data) {
  const std::size_t examples = data.num_examples();
  const std::size_t words = (examples + 63) / 64;
  const std::size_t n = data.num_labels();
  std::vector<LabelBits> bits(
      n, LabelBits{std::vector<std::uint64_t>(words), std::vector<std::uint64_t>(words)});
  for (std::size_t m = 0; m < examples; ++m) {
    const std::uint64_t bit = std::uint64_t{1} << (m % 64);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int8_t label = data.labels[m * n + i];
      if (label >= 0) bits[i].known[m / 64] |= bit;
      if (label == 1) bits[i].on[m / 64] |= bit;
    }
  }
  return bits;
}

/// Adds the examples of the joint states of two labels to counts[2·a + b].
void CountPair(const LabelBits& a, const LabelBits& b, std::span<std::int64_t, 4> counts) {
  for (std::size_t k = 0; k < a.known.size(); ++k) {
    const std::uint64_t known = a.known[k] & b.known[k];
    counts[0] += std::popcount(known & ~a.on[k] & ~b.on[k]);
    counts[1] += std::popcount(known & ~a.on[k] & b.on[k]);
    counts[2] += std::popcount(known & a.on[k] & ~b.on[k]);
    counts[3] += std::popcount(known & a.on[k] & b.on[k]);
  }
}

/// The two labels of a line.
LabelPair ParsePair(const LabelLines& lines) {
  const std::vector<LabelLines::Word>& words = lines.words();
  if (words.size() != 2) {
    lines.Fail("expected two labels, found " + std::to_string(words.size()) + ", the last is " +
               Quoted(words.back().text) + " (names with blanks need double quotes)");
  }
  const Index a = lines.LabelOf(words[0]);
  const Index b = lines.LabelOf(words[1]);
  if (a == b) lines.Fail("label joined with itself (a self-loop): " + lines.Text());
  return {std::min(a, b), std::max(a, b)};
}

/// The pairs in ascending order, with a < b. Throws DataError on pairs that are not two labels of
/// the data, or occur twice.
std::vector<LabelPair> SortedPairs(std::vector<LabelPair> pairs, const MultiLabelData& data) {
  const auto text = [](const LabelPair& pair) {
    return "(" + std::to_string(pair.a) + ", " + std::to_string(pair.b) + ")";
  };
  for (LabelPair& pair : pairs) {
    if (pair.a < 0 || pair.b < 0 || pair.a >= data.num_labels() || pair.b >= data.num_labels()) {
      throw DataError("--graph: the pair " + text(pair) + " is not one of " +
                      std::to_string(data.num_labels()) + " labels, which count from 0");
    }
    if (pair.a == pair.b)
      throw DataError("--graph: the pair " + text(pair) + " joins a label with itself");
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  }
  std::sort(pairs.begin(), pairs.end());
  const auto twice = std::adjacent_find(pairs.begin(), pairs.end());
  if (twice != pairs.end()) throw DataError("--graph: the pair " + text(*twice) + " occurs twice");
  if (static_cast<Offset>(pairs.size()) > kMaxLabelPairs)
    throw DataError("--graph: more than " + std::to_string(kMaxLabelPairs) + " pairs");
  return pairs;
}

/// The pairs in a file.
std::vector<LabelPair> ReadGivenGraph(const std::string& path, const MultiLabelData& data) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw DataError("--graph: " + Quoted(path) +
                    " is neither full, none nor tree, and there is no such file");
  }
  return ReadLabelGraph(path, data.label_names);
}

}  // namespace

double MutualInformation(std::span<const std::int64_t, 4> counts) {
  const auto total = static_cast<double>(counts[0] + counts[1] + counts[2] + counts[3]);
  double information = 0;
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      const auto joint = static_cast<double>(counts[2 * a + b]);
      if (joint == 0) continue;
      const auto row = static_cast<double>(counts[2 * a] + counts[2 * a + 1]);
      const auto column = static_cast<double>(counts[b] + counts[2 + b]);
      information += joint / total * std::log(joint * total / (row * column));
    }
  }
  return std::max(0.0, information);
}

std::vector<LabelPair> MutualInformationTree(const MultiLabelData& data, Ranks& ranks) {
  CheckFullSize(data);
  const std::vector<LabelBits> bits = MakeBits(data);
  const std::vector<LabelPair> pairs = FullGraph(data.num_labels());
  // Pairs whose counts are added up over the ranks together.
  constexpr std::size_t kAtOnce = 1 << 16;
  std::vector<std::int64_t> counts;
  std::vector<WeightedEdge> edges;
  for (std::size_t begin = 0; begin < pairs.size(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, pairs.size());
    counts.assign(4 * (end - begin), 0);
    const auto counts_of = [&](std::size_t k) {
      return std::span<std::int64_t, 4>(counts.data() + 4 * (k - begin), 4);
    };
    for (std::size_t k = begin; k < end; ++k)
      CountPair(bits[pairs[k].a], bits[pairs[k].b], counts_of(k));
    ranks.AddUp(counts);
    for (std::size_t k = begin; k < end; ++k)
      edges.push_back({pairs[k].a, pairs[k].b, MutualInformation(counts_of(k))});
  }
  std::vector<LabelPair> tree;
  for (const WeightedEdge& edge : MaximumSpanningForest(data.num_labels(), edges))
    tree.push_back({edge.a, edge.b});
  return tree;
}

std::vector<LabelPair> ReadLabelGraph(const std::string& path,
                                      std::span<const std::string> label_names) {
  SLACKLINE_CHECK(!label_names.empty(), "a graph of labels needs labels");
  LabelLines lines(path, label_names);
  std::map<LabelPair, long> where;
  while (lines.Next()) {
    const auto [before, is_new] = where.emplace(ParsePair(lines), lines.line_number());
    if (!is_new)
      lines.Fail("the pair " + lines.Text() + " was given before, on line " +
                 std::to_string(before->second));
  }
  if (where.empty())
    throw DataError(lines.name(), 0, "no pairs of labels (--graph none means none)");
  std::vector<LabelPair> pairs;
  for (const auto& [pair, line] : where) pairs.push_back(pair);
  return pairs;
}

std::vector<LabelPair> MakeLabelGraph(const LabelGraph& graph, const MultiLabelData& data,
                                      Ranks& ranks) {
  if (graph.pairs) return SortedPairs(*graph.pairs, data);
  if (graph.name == "none") return {};
  if (graph.name == "tree") return MutualInformationTree(data, ranks);
  if (graph.name == "full") {
    CheckFullSize(data);
    return FullGraph(data.num_labels());
  }
  std::vector<LabelPair> pairs;
  OnAllRanks(ranks, [&] { pairs = ReadGivenGraph(graph.name, data); });
  return pairs;
}

}  // namespace slackline::internal
