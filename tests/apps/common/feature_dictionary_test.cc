// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/feature_dictionary.h>

#include <doctest/doctest.h>

#include <initializer_list>
#include <stdexcept>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

FeatureCounter Counted(std::initializer_list<const char*> features) {
  FeatureCounter counter;
  for (const char* feature : features) counter.Add(feature);
  return counter;
}

}  // namespace

TEST_CASE("features are numbered by first occurrence") {
  FeatureCounter counter;
  CHECK(counter.Add("b") == 0);
  CHECK(counter.Add("a") == 1);
  CHECK(counter.Add("b") == 0);
  CHECK(counter.size() == 2);
  std::vector<Index> column;
  const FeatureDictionary dictionary = counter.Finish(1, &column);
  CHECK(dictionary.hash_bits() == 0);
  CHECK(dictionary.size() == 2);
  CHECK(dictionary.Find("b") == 0);
  CHECK(dictionary.Find("a") == 1);
  CHECK(dictionary.Find("c") == kAbsent);
  CHECK(dictionary.name(1) == "a");
  CHECK(column == std::vector<Index>{0, 1});
}

TEST_CASE("rare features are dropped and the others move up") {
  const FeatureCounter counter = Counted({"one", "three", "two", "three", "two", "three"});
  std::vector<Index> column;
  const FeatureDictionary two = counter.Finish(2, &column);
  CHECK(two.Text() == "three\ntwo\n");
  CHECK(column == std::vector<Index>{kAbsent, 0, 1});
  CHECK(two.Find("one") == kAbsent);
  CHECK(counter.Finish(3, &column).Text() == "three\n");
  CHECK(counter.Finish(4, &column).size() == 0);
  CHECK(column == std::vector<Index>{kAbsent, kAbsent, kAbsent});
  CHECK_THROWS_AS(counter.Finish(0, &column), std::invalid_argument);
}

TEST_CASE("a dictionary is rebuilt from its text") {
  std::vector<Index> column;
  const FeatureDictionary dictionary = Counted({"U00:the", "", "U01:\xC3\xBC"}).Finish(1, &column);
  CHECK(dictionary.Text() == "U00:the\n\nU01:\xC3\xBC\n");
  const FeatureDictionary again = FeatureDictionary::FromText(dictionary.Text(), "m.slk");
  CHECK(again.size() == 3);
  CHECK(again.Find("U00:the") == 0);
  CHECK(again.Find("") == 1);
  CHECK(again.Find("U01:\xC3\xBC") == 2);
  CHECK(again.Text() == dictionary.Text());
  CHECK(FeatureDictionary::FromText("", "m.slk").size() == 0);
}

TEST_CASE("texts that are not dictionaries are refused") {
  CHECK(MessageOf<DataError>([] { FeatureDictionary::FromText("a\nb\na\n", "m.slk"); }) ==
        "m.slk: feature 'a' is in the dictionary twice");
  CHECK(MessageOf<DataError>([] { FeatureDictionary::FromText("a\nb", "m.slk"); }) ==
        "m.slk: the last feature is not complete");
  FeatureCounter counter;
  CHECK_THROWS_AS(counter.Add("a\nb"), std::invalid_argument);
}

TEST_CASE("hashed features take the low bits of the documented hash") {
  const FeatureDictionary dictionary = FeatureDictionary::Hashed(10);
  CHECK(dictionary.hash_bits() == 10);
  CHECK(dictionary.size() == 1024);
  CHECK(dictionary.Find("a") == 603);
  CHECK(dictionary.Find("foobar") == 811);
  CHECK(dictionary.Text().empty());
  CHECK(FeatureDictionary::Hashed(1).size() == 2);
  CHECK(FeatureDictionary::Hashed(1).Find("a") == 1);
  CHECK(FeatureDictionary::Hashed(30).size() == 1 << 30);
  CHECK_THROWS_AS(FeatureDictionary::Hashed(0), std::invalid_argument);
  CHECK_THROWS_AS(FeatureDictionary::Hashed(31), std::invalid_argument);
}
