// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_data.h>

#include <string>

#include <doctest/doctest.h>

#include <slackline/core/check.h>

#include "tests/core/temporary_folder.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr const char* kGood =
    "# a comment\n\n"
    "2 3\n"
    "0 2 1 b:0.5 a\n"
    "# inside\n"
    "  1\t0 ? 7:-2e1   x:y:3\n"
    "\n\n"
    "1 1\n\n"
    "1 1\r\n"
    "0 0 0\r\n";

MatchingData ReadMatchingText(const std::string& text, FeatureDictionary* dictionary) {
  const TemporaryFolder folder;
  return ReadMatchings(folder.Write("data.txt", text), nullptr, dictionary);
}

std::string MatchingError(const std::string& text) {
  FeatureDictionary dictionary;
  return MessageOf<DataError>([&] { ReadMatchingText(text, &dictionary); });
}

}  // namespace

TEST_CASE("examples, edges and features are read") {
  FeatureDictionary dictionary;
  const MatchingData data = ReadMatchingText(kGood, &dictionary);
  REQUIRE(data.num_examples() == 3);
  CHECK(data.examples[0].num_left == 2);
  CHECK(data.examples[0].num_right == 3);
  CHECK(data.examples[0].line == 3);
  CHECK(data.examples[1].num_edges == 0);
  CHECK(data.examples[2].first_edge == 2);
  REQUIRE(data.num_edges() == 3);
  CHECK(data.edges_of(data.examples[0]).size() == 2);
  CHECK(data.edges[0].left == 0);
  CHECK(data.edges[0].right == 2);
  CHECK(data.edges[0].label == 1);
  CHECK(data.edges[1].label == kUnlabelled);
  CHECK(data.edges[1].line == 6);
  CHECK(data.edges[2].label == 0);
  CHECK(dictionary.Text() == "b\na\n7\nx:y\n");
  CHECK(data.num_features == 4);
  const FeatureRow first = data.rows->row(0);
  REQUIRE(first.count == 2);
  CHECK(first.values[0] == 0.5);
  CHECK(first.values[1] == 1);
  const FeatureRow second = data.rows->row(1);
  REQUIRE(second.count == 2);
  CHECK(second.columns[0] == 2);
  CHECK(second.values[0] == -20);
  CHECK(second.values[1] == 3);
  CHECK(data.rows->row(2).count == 0);
}

TEST_CASE("text in memory is read like a file") {
  FeatureDictionary from_file, from_texts;
  const std::vector<std::string> texts = {"2 2\n0 1 1 a:2\n1 0 0 b\n", "1 1\n0 0 1 b:3"};
  const MatchingData file = ReadMatchingText(texts[0] + "\n" + texts[1], &from_file);
  const MatchingData data = ParseMatchings("texts", texts, nullptr, &from_texts);
  CHECK(data.source == "texts");
  CHECK(from_texts.Text() == from_file.Text());
  REQUIRE(data.num_examples() == 2);
  REQUIRE(data.num_edges() == file.num_edges());
  for (std::size_t e = 0; e < data.edges.size(); ++e) {
    CHECK(data.edges[e].left == file.edges[e].left);
    CHECK(data.edges[e].right == file.edges[e].right);
    CHECK(data.edges[e].label == file.edges[e].label);
  }
}

TEST_CASE("features that the dictionary does not know are left out") {
  const TemporaryFolder folder;
  const auto dictionary = FeatureDictionary::FromText("x:y\nb\n", "here");
  const MatchingData data = ReadMatchings(folder.Write("data.txt", kGood), &dictionary, nullptr);
  CHECK(data.num_features == 2);
  CHECK(data.unknown_features == 2);
  REQUIRE(data.rows->row(0).count == 1);
  CHECK(data.rows->row(0).columns[0] == 1);
  CHECK(data.rows->row(1).values[0] == 3);
  CHECK_THROWS_AS(ReadMatchings("x", nullptr, nullptr), std::invalid_argument);
}

TEST_CASE("bad lines are refused with their number and text") {
  const auto check = [](const std::string& text, const std::string& what) {
    const std::string refusal = MatchingError(text);
    CAPTURE(text);
    CAPTURE(refusal);
    CHECK(refusal.find("data.txt:") != std::string::npos);
    CHECK(refusal.find(what) != std::string::npos);
  };
  check("", "no examples");
  check("# nothing\n\n", "no examples");
  check("2\n", "data.txt:1: an example begins with the numbers");
  check("2 2 2\n", "not with 3 fields ('2')");
  check("two 2\n", "'two' is not a number of left nodes");
  check("2 -2\n", "'-2' is not a number of right nodes");
  check("2 9999999\n", "at most 1000000 are possible");
  check("2 2\n0 1\n",
        "data.txt:2: an edge needs a left node, a right node and a label; the line ends after '1'");
  check("2 2\n0.5 1 1\n", "'0.5' is not a left node");
  check("2 2\n2 1 1\n", "'2' is not a left node of the example, which has 2, counted from 0");
  check("2 2\n1 2 1\n", "'2' is not a right node");
  check("2 2\n0 0 1\n0 1 yes\n", "data.txt:3: 'yes' is not a label");
  check("2 2\n0 0 1\n0 1 1\n0 0 0\n", "given twice, first in line 2");
  check("2 2\n0 0 1 a:\n", "'a:' does not end in a number");
  check("2 2\n0 0 1 a:b\n", "'a:b' does not end in a number");
  check("2 2\n0 0 1 a:nan\n", "'a:nan' does not end");
  check("2 2\n0 0 1 a:1e60\n", "'a:1e60' does not end");
  check("2 2\n0 0 1 :1\n", "':1' is a feature without a name");
  check("2 2\n0 0 1 a:1 b:2 a\n", "is given twice");
}
