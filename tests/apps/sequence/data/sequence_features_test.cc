// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/sequence_features.h>

#include <doctest/doctest.h>

#include <stdexcept>

#include <slackline/apps/sequence/data/attribute_reader.h>
#include <slackline/apps/sequence/data/conll_reader.h>
#include <slackline/core/check.h>
#include <tests/apps/data_rows.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

SequenceData ReadTokens(const std::string& text) {
  const TemporaryFolder folder;
  return ReadConll(folder.Write("text.txt", text));
}

FeatureTemplates Templates(const std::string& text) {
  return FeatureTemplates::Parse(text, "t.tpl", 1);
}

SequenceFeatureOptions FeatureOptions(std::int64_t min_count, int hash_bits) {
  SequenceFeatureOptions options;
  options.min_count = min_count;
  options.hash_bits = hash_bits;
  return options;
}

const char* const kTokens = "b X\na X\n\na Y\nb Y\na Y\n";
const char* const kPairs = "W: %x[0,0]\nP: %x[-1,0]\n";

}  // namespace

TEST_CASE("features get columns in the order of first occurrence") {
  SequenceData data = ReadTokens(kTokens);
  const FeatureDictionary dictionary = LearnSequenceFeatures(Templates(kPairs), {}, &data);
  CHECK(dictionary.Text() == "W:b\nP:_B-1\nW:a\nP:b\nP:a\n");
  CHECK(data.num_features == 5);
  CHECK(data.rows->size() == 5);
  CHECK(Sparse(data, 0) == RowContent{{0, 1}, {1, 1}});
  CHECK(Sparse(data, 1) == RowContent{{2, 3}, {1, 1}});
  CHECK(Sparse(data, 2) ==
        RowContent{{1, 2}, {1, 1}});  // columns increase whatever the order of the templates
  CHECK(Sparse(data, 3) == RowContent{{0, 4}, {1, 1}});
  CHECK(Sparse(data, 4) == RowContent{{2, 3}, {1, 1}});
}

TEST_CASE("rare features are left out of the rows") {
  SequenceData data = ReadTokens(kTokens);
  const FeatureDictionary dictionary =
      LearnSequenceFeatures(Templates(kPairs), FeatureOptions(2, 0), &data);
  CHECK(dictionary.Text() == "W:b\nP:_B-1\nW:a\nP:b\n");
  CHECK(data.num_features == 4);
  CHECK(Sparse(data, 3) == RowContent{{0}, {1}});
  LearnSequenceFeatures(Templates(kPairs), FeatureOptions(3, 0), &data);
  CHECK(data.num_features == 1);
  CHECK(Sparse(data, 0) == RowContent{});
  CHECK(Sparse(data, 4) == RowContent{{0}, {1}});
  const std::string message = MessageOf<DataError>(
      [&] { LearnSequenceFeatures(Templates(kPairs), FeatureOptions(4, 0), &data); });
  CHECK(Contains(message, "text.txt: no feature occurs 4 times"));
}

TEST_CASE("prediction makes the rows of training, and counts unknown features") {
  SequenceData data = ReadTokens(kTokens);
  const FeatureTemplates templates = Templates(kPairs);
  const FeatureDictionary dictionary = LearnSequenceFeatures(templates, {}, &data);
  SequenceData same = ReadTokens(kTokens);
  CHECK(MakeSequenceFeatures(templates, dictionary, &same) == 0);
  CHECK(same.num_features == data.num_features);
  for (Index t = 0; t < 5; ++t) CHECK(Sparse(same, t) == Sparse(data, t));
  SequenceData other = ReadTokens("c X\nc X\nb X\n");
  CHECK(MakeSequenceFeatures(templates, dictionary, &other) == 4);  // W:c and P:c twice each
  CHECK(other.num_features == 5);
  CHECK(Sparse(other, 0) == RowContent{{1}, {1}});
  CHECK(Sparse(other, 1) == RowContent{});
  CHECK(Sparse(other, 2) == RowContent{{0}, {1}});
}

TEST_CASE("hashed features need no dictionary, and add up in shared columns") {
  SequenceData data = ReadTokens(kTokens);
  const FeatureTemplates templates = Templates(kPairs);
  const FeatureDictionary wide = LearnSequenceFeatures(templates, FeatureOptions(1, 20), &data);
  CHECK(wide.hash_bits() == 20);
  CHECK(data.num_features == 1 << 20);
  CHECK(Sparse(data, 0).first.size() == 2);
  SequenceData other = ReadTokens("zzz X\n");
  CHECK(MakeSequenceFeatures(templates, wide, &other) == 0);
  // Three features of a token in two columns: at least two share a column.
  SequenceData narrow = ReadTokens("a X\n");
  LearnSequenceFeatures(Templates("A: %x[0,0]\nB1x: %x[0,0]\nC: %x[0,0]\n"), FeatureOptions(1, 1),
                        &narrow);
  CHECK(narrow.num_features == 2);
  double sum = 0;
  for (const double value : Sparse(narrow, 0).second) sum += value;
  CHECK(sum == 3);
}

TEST_CASE("attributes are features with values") {
  const auto read = [](const std::string& text) {
    const TemporaryFolder folder;
    return ReadAttributes(folder.Write("text.txt", text));
  };
  const std::string text = "X\tb\ta:2.5\nX\ta:-1\ta:3\tb\n\nY\tc:0\nY\tc\ta\n";
  SequenceData data = read(text);
  const FeatureDictionary dictionary = LearnAttributeFeatures({}, &data);
  CHECK(dictionary.Text() == "b\na\nc\n");
  CHECK(data.num_features == 3);
  CHECK(data.attributes == nullptr);
  CHECK(Sparse(data, 0) == RowContent{{0, 1}, {1, 2.5}});
  CHECK(Sparse(data, 1) == RowContent{{0, 1}, {1, 2}});
  CHECK(Sparse(data, 2) == RowContent{});
  CHECK(Sparse(data, 3) == RowContent{{1, 2}, {1, 1}});
  SequenceData same = read(text);
  CHECK(MakeAttributeFeatures(dictionary, &same) == 0);
  for (Index t = 0; t < 4; ++t) CHECK(Sparse(same, t) == Sparse(data, t));
  SequenceData other = read("X\td\tc:2\td\n");
  CHECK(MakeAttributeFeatures(dictionary, &other) == 2);
  CHECK(other.num_features == 3);
  CHECK(Sparse(other, 0) == RowContent{{2}, {2}});

  SequenceData frequent = read(text);
  CHECK(LearnAttributeFeatures(FeatureOptions(2, 0), &frequent).Text() == "b\na\n");
  CHECK(Sparse(frequent, 3) == RowContent{{1}, {1}});
  SequenceData hashed = read(text);
  CHECK(LearnAttributeFeatures(FeatureOptions(1, 1), &hashed).hash_bits() == 1);
  CHECK(hashed.num_features == 2);
  SequenceData rare = read(text);
  CHECK(Contains(MessageOf<DataError>([&] { LearnAttributeFeatures(FeatureOptions(9, 0), &rare); }),
                 "text.txt: no feature occurs 9 times"));
  CHECK_THROWS_AS(LearnAttributeFeatures(FeatureOptions(2, 3), &rare), std::invalid_argument);
  CHECK_THROWS_AS(MakeAttributeFeatures(dictionary, &data), std::invalid_argument);
}

TEST_CASE("options that do not fit are refused") {
  SequenceData data = ReadTokens(kTokens);
  const FeatureTemplates templates = Templates(kPairs);
  for (const SequenceFeatureOptions& bad : {FeatureOptions(0, 0), FeatureOptions(1, -1),
                                            FeatureOptions(1, 31), FeatureOptions(2, 10)}) {
    CHECK_THROWS_AS(LearnSequenceFeatures(templates, bad, &data), std::invalid_argument);
  }
  const FeatureTemplates second = FeatureTemplates::Parse("U: %x[0,1]", "t.tpl", 2);
  CHECK_THROWS_AS(LearnSequenceFeatures(second, {}, &data), std::invalid_argument);
  CHECK_THROWS_AS(MakeSequenceFeatures(second, {}, &data), std::invalid_argument);
  SequenceData empty;
  CHECK_THROWS_AS(LearnSequenceFeatures(templates, {}, &empty), std::invalid_argument);
  CHECK_THROWS_AS(MakeSequenceFeatures(templates, {}, &empty), std::invalid_argument);
}

TEST_CASE("the features of a very long sequence are made") {
  constexpr Index kLength = 100000;
  std::string text;
  for (Index t = 0; t < kLength; ++t) text += "w" + std::to_string(t % 11) + " X\n";
  SequenceData data = ReadTokens(text);
  LearnSequenceFeatures(
      Templates("A: %x[-2,0]/%x[0,0]\nN: %x[1,0]\nS: %shape[0,0]\nD: %m[0,0,\"\\d+\"]\n"), {},
      &data);
  CHECK(data.rows->size() == kLength);
  CHECK(Sparse(data, 50000).second.size() == 4);
  CHECK(Sparse(data, 50000) == Sparse(data, 50011));
}
