// SPDX-License-Identifier: BSD-3-Clause
//
// Matchings that several ranks read together: those of the ranks, one after the other, are those of
// one rank, and everything else is the same on all ranks.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/matching/matching_data.h>
#include <slackline/apps/matching/matching_predict.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/core/data_folder.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Edge {
  Index left, right, label;
  long line;
  std::vector<Index> columns;
  std::vector<double> values;
  bool operator==(const Edge&) const = default;
};

struct DealtMatching {
  std::string file;
  long line;
  Index num_left, num_right;
  std::vector<Edge> edges;
  bool operator==(const DealtMatching&) const = default;
};

std::vector<DealtMatching> ExamplesOf(const MatchingData& data) {
  std::vector<DealtMatching> examples;
  for (Index m = 0; m < data.num_examples(); ++m) {
    const MatchingExample& from = data.examples[Size(m)];
    DealtMatching example{
        data.files.FileOf(m, data.source), from.line, from.num_left, from.num_right, {}};
    for (Index e = from.first_edge; e < from.first_edge + from.num_edges; ++e) {
      const MatchingEdge& edge = data.edges[Size(e)];
      const FeatureRow row = data.rows->row(e);
      CHECK(data.FileOfEdge(e) == example.file);
      example.edges.push_back({edge.left,
                               edge.right,
                               edge.label,
                               edge.line,
                               {row.columns, row.columns + row.count},
                               {row.values, row.values + row.count}});
    }
    examples.push_back(std::move(example));
  }
  return examples;
}

/// Checks the data of all deals, with a dictionary made from them or with this one. Returns the
/// dictionary.
FeatureDictionary CheckMatchingDeals(const std::string& path, const FeatureDictionary* known) {
  FeatureDictionary made;
  const MatchingData one = ReadMatchings(path, known, known == nullptr ? &made : nullptr);
  const std::vector<DealtMatching> examples = ExamplesOf(one);
  REQUIRE(examples.size() >= 7);
  for (const Deal& deal : Deals()) {
    CAPTURE(path);
    CAPTURE(deal.ranks);
    CAPTURE(deal.shards);
    std::vector<MatchingData> parts(Size(deal.ranks));
    std::vector<FeatureDictionary> dictionaries(Size(deal.ranks));
    OnThreadRanks(deal.ranks, [&](ThreadRanks& ranks) {
      const std::size_t rank = Size(ranks.rank());
      parts[rank] = ReadMatchings(path, known, known == nullptr ? &dictionaries[rank] : nullptr,
                                  {&ranks, deal.shards});
    });
    std::vector<DealtMatching> joined;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      for (DealtMatching& example : ExamplesOf(parts[r])) joined.push_back(std::move(example));
      CHECK(parts[r].num_features == one.num_features);
      CHECK(parts[r].unknown_features == one.unknown_features);
      CHECK(dictionaries[r].Text() == made.Text());
    }
    CHECK(joined == examples);
  }
  return made;
}

std::string MatchingText(int examples) {
  Random random(2);
  std::string text = "# matchings\n\n";
  for (int m = 0; m < examples; ++m) {
    text += "3 4\n";
    for (Index left = 0; left < 3; ++left) {
      const std::uint64_t right = random.Below(4);
      text += std::to_string(left) + " " + std::to_string(right) + " " + (left == 1 ? "?" : "0");
      // Later examples have new features before old ones, which changes the order in a row.
      text += " new" + std::to_string(m) + ":2 f" + std::to_string(random.Below(9)) + " g:0.5\n";
      if (right == 2) text += " # inside\r\n";
    }
    text += m % 3 == 0 ? "\n\n# between\n" : "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("matchings: plain, gzip and in a folder") {
  const TemporaryFolder folder;
  const std::string text = MatchingText(21);
  const FeatureDictionary dictionary = CheckMatchingDeals(folder.Write("text", text), nullptr);
  CHECK(dictionary.size() > 25);
  CheckMatchingDeals(folder.WriteGzip("text.gz", text), nullptr);
  CheckMatchingDeals(WriteParts(folder, "parts", {text, "", "1 1\n0 0 1 other", text}), nullptr);
  const FeatureDictionary some = FeatureDictionary::FromText("f3\nnew7\nf1\n", "test");
  CheckMatchingDeals(folder.Write("text", text), &some);
}

TEST_CASE("an error on one rank is the error of all, and that of one rank") {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& path, const std::string& part) {
    FeatureDictionary unused;
    const std::string one = MessageOf<DataError>([&] { ReadMatchings(path, nullptr, &unused); });
    CHECK_MESSAGE(Contains(one, part), one);
    std::vector<std::string> messages(3);
    OnThreadRanks(3, [&](ThreadRanks& ranks) {
      FeatureDictionary made;
      messages[Size(ranks.rank())] = MessageOf<DataError>([&] {
        ReadMatchings(path, nullptr, &made, {&ranks, 0});
      });
    });
    for (const std::string& message : messages) CHECK(message == one);
  };
  const std::string text = MatchingText(9);
  check(folder.Write("a", text + "1 1\n0 1 1\n\n" + text), "'1' is not a right node");
  check(WriteParts(folder, "parts", {text, text + "1 1\n0 0 2", text}), "parts/part-1.gz:");
  check(folder.Write("b", "# nothing\n"), "b: no examples");
}

TEST_CASE("predictions and metrics of several ranks are those of one, also with few examples") {
  const TemporaryFolder folder;
  std::string text = MatchingText(16);
  FeatureDictionary dictionary;
  ReadMatchings(folder.Write("text", text), nullptr, &dictionary);
  MatchingModel model(std::move(dictionary), {}, {2, 5});
  std::vector<double> weights(model.weights().size());
  Random random(8);
  for (double& weight : weights) weight = random.Normal();
  model.set_weights(std::move(weights));
  const std::string known = "1 2\n0 0 0 f1\n0 1 1 f2:2\n";
  text += known + "\n" + known;
  for (const std::string& path :
       {folder.Write("all", text), folder.Write("few", "2 1\n0 0 1 g other\n\n" + known),
        WriteParts(folder, "parts", {"", known, text + "\n\n", known})}) {
    const MatchingData one = ReadMatchingsFor(model, path);
    const std::vector<Index> labels = PredictMatchings(model, one, 1).labels;
    const MatchingMetrics metrics = EvaluateMatchings(one, labels, model.costs());
    REQUIRE(metrics.mean_loss > 0);
    for (const int size : {1, 2, 5}) {
      std::vector<std::vector<Index>> parts(Size(size));
      OnThreadRanks(size, [&](ThreadRanks& ranks) {
        const MatchingData data = ReadMatchingsFor(model, path, ranks);
        CHECK(data.unknown_features == one.unknown_features);
        std::vector<Index>& mine = parts[Size(ranks.rank())];
        mine = PredictMatchings(model, data, 1).labels;
        const MatchingMetrics joined = EvaluateMatchings(data, mine, model.costs(), ranks);
        if (!ranks.first()) {
          CHECK(joined.edges == 0);
          return;
        }
        CHECK(joined.examples == metrics.examples);
        CHECK(joined.edges == metrics.edges);
        CHECK(joined.truth == metrics.truth);
        CHECK(joined.predicted == metrics.predicted);
        CHECK(joined.right == metrics.right);
        CHECK(joined.exact == metrics.exact);
        CHECK(joined.mean_loss == metrics.mean_loss);
      });
      std::vector<Index> joined;
      for (const std::vector<Index>& part : parts)
        joined.insert(joined.end(), part.begin(), part.end());
      CHECK(joined == labels);
    }
  }
}
