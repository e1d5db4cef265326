// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/template_sets.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <slackline/core/check.h>
#include <tests/apps/sequence/data/token_table.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

Index NumTemplates(const std::string& name, Index columns) {
  return FeatureTemplates::Parse(TemplateSetText(name, columns), name, columns).size();
}

}  // namespace

TEST_CASE("template sets have the documented features") {
  CHECK(NumTemplates("spelling", 1) == 15);
  CHECK(NumTemplates("spelling", 3) == 15);
  CHECK(NumTemplates("chunking", 2) == 19);
  CHECK(NumTemplates("chunking+spelling", 2) == 23);
  CHECK(TemplateSetText("auto", 1) == TemplateSetText("spelling", 1));
  CHECK(TemplateSetText("auto", 4) == TemplateSetText("chunking+spelling", 4));
  for (const std::string_view name : TemplateSetNames()) {
    CAPTURE(name);
    CHECK(IsTemplateSet(name));
    CHECK(Contains(TemplateSetText(name, 2), "U02: %x[0,0]"));
  }
  CHECK_FALSE(IsTemplateSet("words"));
}

TEST_CASE("one token gets the features of all templates") {
  const TokenTable table = Table({{"He", "PRP"}, {"Reads", "VBZ"}, {"books", "NNS"}});
  const FeatureTemplates templates = ReadTemplates("", table);
  std::string features;
  std::string feature;
  for (Index i = 0; i < templates.size(); ++i) {
    templates.Expand(i, table, 0, 3, 1, &feature);
    features += feature + " ";
  }
  CHECK(features ==
        "U00:_B-1 U01:He U02:Reads U03:books U04:_B+1 U05:He/Reads U06:Reads/books U10:_B-1 "
        "U11:PRP U12:VBZ U13:NNS U14:_B+1 U15:_B-1/PRP U16:PRP/VBZ U17:VBZ/NNS U18:NNS/_B+1 "
        "U20:_B-1/PRP/VBZ U21:PRP/VBZ/NNS U22:VBZ/NNS/_B+1 U30:reads U31:Xx U32:ds U33:ads ");
}

TEST_CASE("columns of words are distinguished from numbers and single characters") {
  CHECK(HoldsWords(Table({{"He", "1"}, {"reads", "2"}, {".", "3"}}), 0));
  CHECK_FALSE(HoldsWords(Table({{"He", "1"}, {"reads", "2"}}), 1));
  CHECK_FALSE(HoldsWords(Table({{"A"}, {"C"}, {"G"}, {"T"}}), 0));
  CHECK_FALSE(HoldsWords(Table({{"\xC3\xBC"}}), 0));  // one character of two bytes
  CHECK(HoldsWords(Table({{"\xC3\xBC\xC3\xBC"}}), 0));
  // Each distinct text counts once; half of the texts must be words.
  CHECK(HoldsWords(Table({{"ab"}, {","}, {","}, {","}, {","}}), 0));
  CHECK_FALSE(HoldsWords(Table({{"ab"}, {","}, {";"}}), 0));
}

TEST_CASE("auto chooses templates by the columns and the contents of the first") {
  const TokenTable words = Table({{"He", "PRP"}, {"reads", "VBZ"}});
  const TokenTable numbers = Table({{"12", "PRP"}, {"13", "VBZ"}});
  const auto name = [](const std::string& wanted, const TokenTable& table) {
    return TemplateSetOf(ReadTemplates(wanted, table));
  };
  CHECK(name("", words) == "chunking+spelling");
  CHECK(name("auto", words) == "chunking+spelling");
  CHECK(name("auto", numbers) == "chunking");
  CHECK(name("auto", Table({{"12"}})) == "spelling");
  CHECK(name("chunking", words) == "chunking");
  CHECK(name("spelling", numbers) == "spelling");
}

TEST_CASE("names of template sets take precedence over files") {
  const TemporaryFolder folder;
  const TokenTable table = Table({{"He", "PRP"}});
  const FeatureTemplates own = ReadTemplates(folder.Write("chunking", "U: %x[0,1]\n"), table);
  CHECK(own.text() == "U: %x[0,1]\n");
  CHECK(TemplateSetOf(own).empty());
  const std::string missing = folder.Path("chunk");
  CHECK(MessageOf<DataError>([&] { ReadTemplates(missing, table); }) ==
        missing +
            ": there is neither such a file nor such a set of templates; the sets are auto, "
            "chunking, spelling, chunking+spelling");
  CHECK(MessageOf<DataError>([&] { ReadTemplates("chunking", Table({{"He"}})); }) ==
        "the templates chunking need words and parts of speech, but the data have one column "
        "without the labels");
  CHECK(MessageOf<DataError>([] { TemplateSetText("words", 2); }) ==
        "there is no set of templates 'words'; the sets are auto, chunking, spelling, "
        "chunking+spelling");
}

TEST_CASE("ranks count the different texts of all") {
  // Words on the first rank, numbers on the second, one of which is also on the first.
  const TokenTable words = Table({{"He", "1"}, {"reads", "2"}, {"7", "3"}});
  const TokenTable numbers = Table({{"7", "1"}, {"8", "2"}, {"8", "3"}});
  const TokenTable more = Table({{"7", "1"}, {"8", "2"}, {"9", "3"}});
  CHECK(HoldsWords(words, 0));
  CHECK_FALSE(HoldsWords(numbers, 0));
  for (const bool holds : OnEachRank(2, [&](ThreadRanks& ranks) {
         return HoldsWords(ranks.first() ? words : numbers, 0, ranks);
       }))
    CHECK(holds);
  for (const std::string& set : OnEachRank(2, [&](ThreadRanks& ranks) {
         return std::string(TemplateSetOf(ReadTemplates("", ranks.first() ? words : more, ranks)));
       }))
    CHECK(set == "chunking");
  // A file that only one rank lacks.
  const TemporaryFolder folder;
  const std::string path = folder.Write("templates", "U: %x[0,0]\n");
  const std::string error = ErrorOnRanks(2, [&](ThreadRanks& ranks) {
    ReadTemplates(ranks.first() ? path : path + "-missing", words, ranks);
  });
  CHECK(Contains(error, "templates-missing: there is neither such a file"));
}
