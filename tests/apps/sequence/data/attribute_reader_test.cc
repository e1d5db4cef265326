// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/attribute_reader.h>

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

SequenceData ReadItems(const std::string& text, const std::vector<std::string>& labels = {}) {
  const TemporaryFolder folder;
  return ReadAttributes(folder.Write("items.txt", text), labels);
}

std::string ItemsError(const std::string& text) {
  return ErrorIn("items.txt", [&] { ReadItems(text); });
}

using Attributes = std::vector<std::pair<std::string, double>>;

Attributes Of(const SequenceData& data, Offset token) {
  const AttributeTable& table = *data.attributes;
  Attributes attributes;
  for (Offset k = table.begin[token]; k < table.begin[token + 1]; ++k)
    attributes.emplace_back(table.names.text(table.attributes[k]), table.values[k]);
  return attributes;
}

}  // namespace

TEST_CASE("labels, attributes and sequences are read") {
  const SequenceData data =
      ReadItems("\n \nB\tw=the cat\tlen:3\r\nA\tw=x\tlen:-1.5e1\tlen:2\n\n\n?\n\tempty label\n");
  CHECK(data.source.ends_with("items.txt"));
  CHECK(data.label_names == std::vector<std::string>{"A", "B"});
  CHECK(data.num_model_labels == 2);
  CHECK(data.labels == std::vector<Index>{1, 0, kUnlabelled, kUnlabelled});
  CHECK(data.begin == std::vector<Offset>{0, 2, 4});
  CHECK(data.lines == std::vector<long>{3, 7});
  CHECK(data.rows == nullptr);
  CHECK(data.tokens->num_columns == 0);
  CHECK(Of(data, 0) == Attributes{{"w=the cat", 1}, {"len", 3}});
  CHECK(Of(data, 1) == Attributes{{"w=x", 1}, {"len", -15}, {"len", 2}});
  CHECK(Of(data, 2).empty());
  CHECK(Of(data, 3) == Attributes{{"empty label", 1}});
}

TEST_CASE("colons and backslashes in names are written with a backslash") {
  const SequenceData data = ReadItems("A\ta\\:b\tc\\\\:2\td\\e\t\\::4\tf:\t\tg:0\n");
  CHECK(Of(data, 0) == Attributes{{"a:b", 1}, {"c\\", 2}, {"d\\e", 1}, {":", 4}, {"f", 1}});
}

TEST_CASE("labels of a model keep their numbers") {
  const SequenceData data = ReadItems("C\ta\nA\ta\n", {"B", "A"});
  CHECK(data.label_names == std::vector<std::string>{"B", "A", "C"});
  CHECK(data.num_model_labels == 2);
  CHECK(data.labels == std::vector<Index>{2, 1});
  CHECK(ReadItems("\ta\n", {"B"}).labels == std::vector<Index>{kUnlabelled});
}

TEST_CASE("sequences are read one after the other") {
  const TemporaryFolder folder;
  LineReader lines(folder.Write("items.txt", "A\ta\n\nB\tb\nA\ta\n"));
  const auto reader = MakeAttributeReader(&lines, {"A", "B"});
  REQUIRE(reader->Next());
  const SequenceData first = reader->Take();
  CHECK(first.num_tokens() == 1);
  CHECK(Of(first, 0) == Attributes{{"a", 1}});
  REQUIRE(reader->Next());
  const SequenceData second = reader->Take();
  CHECK(second.labels == std::vector<Index>{1, 0});
  CHECK(Of(second, 1) == Attributes{{"a", 1}});
  CHECK_FALSE(reader->Next());
}

TEST_CASE("wrong text is refused with its line") {
  CHECK(ItemsError("") == "items.txt: no tokens");
  CHECK(ItemsError("?\ta\n\tb\n") == "items.txt: no known labels");
  CHECK(ItemsError("A\ta\nA\tb\tx:y\n") ==
        "items.txt:2: attribute 'x:y': 'y' is not a number; a colon within a name must be written "
        "\\:");
  CHECK(ItemsError("A\thttp://a\n").starts_with("items.txt:1: attribute 'http://a': '//a' is not"));
  CHECK(ItemsError("A\ta:1:2\n")
            .starts_with("items.txt:1: attribute 'a:1:2': '1:2' is not a number"));
  CHECK(ItemsError("A\ta:1e60\n").starts_with("items.txt:1: attribute 'a:1e60'"));
  CHECK(ItemsError("A\ta:nan\n").starts_with("items.txt:1: attribute 'a:nan'"));
  CHECK(ItemsError("the DT B-NP\n") ==
        "items.txt:1: label 'the DT B-NP' contains a blank; a line is a label and attributes, with "
        "tabs between");
  CHECK(ItemsError("@weight:2\nA\ta\n") ==
        "items.txt:1: weights of sequences (@weight) are not possible");
}
