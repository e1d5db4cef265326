// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/label_graph.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/parse_number.h>

namespace slackline {
namespace {

std::size_t Size(Offset n) { return static_cast<std::size_t>(n); }

void CheckFullSize(const MultiLabelData& data) {
  const Offset n = data.num_labels();
  const Offset pairs = n * (n - 1) / 2;
  if (pairs <= kMaxLabelPairs) return;
  throw DataError(data.source, 0,
                  std::to_string(n) + " labels have " + std::to_string(pairs) + " pairs, more than the " +
                      std::to_string(kMaxLabelPairs) +
                      " that can be used; give --graph none or a file of pairs");
}

std::vector<LabelPair> FullGraph(Index num_labels) {
  std::vector<LabelPair> pairs;
  for (Index a = 0; a < num_labels; ++a) {
    for (Index b = a + 1; b < num_labels; ++b) pairs.push_back({a, b});
  }
  return pairs;
}

/// One bit per example: whether the label is known, and whether it is on.
struct LabelBits {
  std::vector<std::uint64_t> known;
  std::vector<std::uint64_t> on;
};

std::vector<LabelBits> MakeBits(const MultiLabelData& data) {
  const std::size_t words = (Size(data.num_examples()) + 63) / 64;
  const std::size_t n = Size(data.num_labels());
  std::vector<LabelBits> bits(
      n, LabelBits{std::vector<std::uint64_t>(words), std::vector<std::uint64_t>(words)});
  for (std::size_t m = 0; m < Size(data.num_examples()); ++m) {
    const std::uint64_t bit = std::uint64_t{1} << (m % 64);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int8_t label = data.labels[m * n + i];
      if (label >= 0) bits[i].known[m / 64] |= bit;
      if (label == 1) bits[i].on[m / 64] |= bit;
    }
  }
  return bits;
}

double PairInformation(const LabelBits& a, const LabelBits& b) {
  std::int64_t counts[4] = {0, 0, 0, 0};
  for (std::size_t k = 0; k < a.known.size(); ++k) {
    const std::uint64_t known = a.known[k] & b.known[k];
    counts[0] += std::popcount(known & ~a.on[k] & ~b.on[k]);
    counts[1] += std::popcount(known & ~a.on[k] & b.on[k]);
    counts[2] += std::popcount(known & a.on[k] & ~b.on[k]);
    counts[3] += std::popcount(known & a.on[k] & b.on[k]);
  }
  return MutualInformation(counts);
}

struct Word {
  std::string text;
  bool quoted = false;
};

/// Reads graph files.
class GraphParser {
 public:
  GraphParser(const std::string& path, std::span<const std::string> names) : reader_(path), names_(names) {
    for (std::size_t i = 0; i < names.size(); ++i) numbers_.emplace(names[i], static_cast<Index>(i));
  }

  std::vector<LabelPair> Parse() {
    std::string_view line;
    while (reader_.Next(&line)) ParseLine(Split(line));
    if (lines_.empty()) throw DataError(reader_.name(), 0, "no pairs of labels (--graph none means none)");
    std::vector<LabelPair> pairs;
    for (const auto& [pair, line_number] : lines_) pairs.push_back(pair);
    return pairs;
  }

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(reader_.name(), reader_.line_number(), message);
  }

  std::vector<Word> Split(std::string_view line) const {
    std::vector<Word> words;
    std::size_t k = 0;
    while (true) {
      while (k < line.size() && IsBlank(line[k])) ++k;
      if (k == line.size() || line[k] == '#') return words;
      if (line[k] == '"') {
        words.push_back({TakeQuoted(line, &k), true});
      } else {
        const std::size_t begin = k;
        while (k < line.size() && !IsBlank(line[k])) ++k;
        words.push_back({std::string(line.substr(begin, k - begin)), false});
      }
    }
  }

  /// *k is at the opening quote, and is moved behind the closing one.
  std::string TakeQuoted(std::string_view line, std::size_t* k) const {
    std::string text;
    const std::string_view rest = line.substr(*k);
    for (++*k; *k < line.size(); ++*k) {
      if (line[*k] != '"') {
        text.push_back(line[*k]);
      } else if (*k + 1 < line.size() && line[*k + 1] == '"') {
        text.push_back('"');
        ++*k;
      } else {
        ++*k;
        if (*k < line.size() && !IsBlank(line[*k])) Fail("text follows the closing quote: " + Quoted(rest));
        return text;
      }
    }
    Fail("the closing quote is missing: " + Quoted(rest));
  }

  Index Find(const Word& word) const {
    const auto found = numbers_.find(word.text);
    if (found != numbers_.end()) return found->second;
    Index number = 0;
    const auto count = static_cast<Index>(names_.size());
    if (!word.quoted && ParseIndex(word.text, &number) && number < count) return number;
    Fail("unknown label " + Quoted(word.text) + ": there are " + std::to_string(count) + " labels, from " +
         Quoted(names_.front()) + " to " + Quoted(names_.back()) + ", also numbered from 0");
  }

  void ParseLine(const std::vector<Word>& words) {
    if (words.empty()) return;
    if (words.size() != 2) {
      Fail("expected two labels, found " + std::to_string(words.size()) + ", the last is " +
           Quoted(words.back().text) + " (names with blanks need double quotes)");
    }
    const Index a = Find(words[0]);
    const Index b = Find(words[1]);
    const std::string text = Quoted(words[0].text) + " " + Quoted(words[1].text);
    if (a == b) Fail("label joined with itself (a self-loop): " + text);
    const auto [where, is_new] =
        lines_.emplace(LabelPair{std::min(a, b), std::max(a, b)}, reader_.line_number());
    if (!is_new) Fail("the pair " + text + " was given before, on line " + std::to_string(where->second));
  }

  LineReader reader_;
  std::span<const std::string> names_;
  std::unordered_map<std::string, Index> numbers_;
  std::map<LabelPair, long> lines_;  // where each pair was given
};

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

std::vector<LabelPair> MutualInformationTree(const MultiLabelData& data) {
  CheckFullSize(data);
  const std::vector<LabelBits> bits = MakeBits(data);
  std::vector<WeightedEdge> edges;
  for (const LabelPair& pair : FullGraph(data.num_labels())) {
    edges.push_back({pair.a, pair.b, PairInformation(bits[Size(pair.a)], bits[Size(pair.b)])});
  }
  std::vector<LabelPair> tree;
  for (const WeightedEdge& edge : MaximumSpanningForest(data.num_labels(), edges))
    tree.push_back({edge.a, edge.b});
  return tree;
}

std::vector<LabelPair> ReadLabelGraph(const std::string& path, std::span<const std::string> label_names) {
  SLACKLINE_CHECK(!label_names.empty(), "a graph of labels needs labels");
  return GraphParser(path, label_names).Parse();
}

std::vector<LabelPair> MakeLabelGraph(const std::string& graph, const MultiLabelData& data) {
  if (graph == "none") return {};
  if (graph == "tree") return MutualInformationTree(data);
  if (graph == "full") {
    CheckFullSize(data);
    return FullGraph(data.num_labels());
  }
  std::error_code ignored;
  if (!std::filesystem::exists(graph, ignored)) {
    throw DataError("--graph: " + Quoted(graph) +
                    " is neither full, none nor tree, and there is no such file");
  }
  return ReadLabelGraph(graph, data.label_names);
}

}  // namespace slackline
