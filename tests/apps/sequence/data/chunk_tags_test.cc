// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/chunk_tags.h>

#include <doctest/doctest.h>

using namespace slackline::internal;

namespace {

using Role = ChunkTag::Role;
using Names = std::vector<std::string>;

bool Begins(const char* previous, const char* tag) {
  return BeginsChunk(ParseChunkTag(previous), ParseChunkTag(tag));
}

}  // namespace

TEST_CASE("labels have a prefix and a type") {
  CHECK(ParseChunkTag("O") == ChunkTag{Role::kOutside, ""});
  CHECK(ParseChunkTag("O-NP") == ChunkTag{Role::kOutside, ""});
  CHECK(ParseChunkTag("B-NP") == ChunkTag{Role::kBegin, "NP"});
  CHECK(ParseChunkTag("I-NP") == ChunkTag{Role::kInside, "NP"});
  CHECK(ParseChunkTag("E-NP") == ChunkTag{Role::kEnd, "NP"});
  CHECK(ParseChunkTag("L-NP") == ChunkTag{Role::kEnd, "NP"});
  CHECK(ParseChunkTag("S-NP") == ChunkTag{Role::kSingle, "NP"});
  CHECK(ParseChunkTag("U-NP") == ChunkTag{Role::kSingle, "NP"});
  CHECK(ParseChunkTag("B-a-b") == ChunkTag{Role::kBegin, "a-b"});
  CHECK(ParseChunkTag("X-NP") == ChunkTag{Role::kInside, "NP"});
}

TEST_CASE("labels without a dash are handled") {
  CHECK(ParseChunkTag("B") == ChunkTag{Role::kBegin, ""});
  CHECK(ParseChunkTag("I") == ChunkTag{Role::kInside, ""});
  CHECK(ParseChunkTag("NP") == ChunkTag{Role::kOutside, ""});
  CHECK(ParseChunkTag(".") == ChunkTag{Role::kOutside, ""});
  CHECK(ParseChunkTag("") == ChunkTag{Role::kOutside, ""});
}

TEST_CASE("chunks begin by prefix, and where the type changes") {
  for (const char* previous : {"O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y"}) {
    CAPTURE(previous);
    CHECK_FALSE(Begins(previous, "O"));
    CHECK(Begins(previous, "B-X"));
    CHECK(Begins(previous, "S-X"));
  }
  for (const char* goes_on : {"I-X", "E-X"}) {
    CAPTURE(goes_on);
    CHECK(Begins("O", goes_on));
    CHECK(Begins("B-Y", goes_on));
    CHECK(Begins("I-Y", goes_on));
    CHECK(Begins("E-X", goes_on));
    CHECK(Begins("S-X", goes_on));
    CHECK_FALSE(Begins("B-X", goes_on));
    CHECK_FALSE(Begins("I-X", goes_on));
  }
}

TEST_CASE("labels of IOB2 are recognised") {
  CHECK(LooksLikeBio(Names{"B-NP", "B-VP", "I-NP", "O"}));
  CHECK(LooksLikeBio(Names{"I-NP", "B-NP"}));
  CHECK(LooksLikeBio(Names{"B-NP"}));
  CHECK_FALSE(LooksLikeBio(Names{}));
  CHECK_FALSE(LooksLikeBio(Names{"O"}));
  CHECK_FALSE(LooksLikeBio(Names{"B-NP", "I-NP", "I-VP", "O"}));  // IOB1: chunks begin with I
  CHECK_FALSE(LooksLikeBio(Names{"I-NP", "O"}));
  CHECK_FALSE(LooksLikeBio(Names{"B-NP", "E-NP", "O"}));
  CHECK_FALSE(LooksLikeBio(Names{"B-", "O"}));
  CHECK_FALSE(LooksLikeBio(Names{"B", "I", "O"}));
  CHECK_FALSE(LooksLikeBio(Names{"B-NP", "NN"}));
}

TEST_CASE("the first label that is not of IOB2 is named") {
  CHECK(WhyNotBio(Names{"B-NP", "I-NP", "O"}).empty());
  CHECK(WhyNotBio(Names{"B-NP", "E-NP", "S-NP"}) ==
        "label 'E-NP' is neither O nor B- or I- with a type");
  CHECK(WhyNotBio(Names{"B-NP", "I-VP", "E-NP"}) ==
        "label 'I-VP' can follow nothing: there is no label 'B-VP'");
  CHECK(WhyNotBio(Names{"O"}) == "no label begins a chunk");
}

TEST_CASE("in IOB2 a chunk continues only after a label of its type") {
  const Names names = {"O", "B-NP", "I-NP", "B-VP", "I-VP", "I-PP", "x"};
  const BioRules rules = BioAllowed(names);
  CHECK(rules.num_labels == 7);
  CHECK(rules.start == std::vector<bool>{true, true, false, true, false, false, true});
  for (Index from = 0; from < 7; ++from) {
    for (const Index to : {0, 1, 3, 6}) CHECK(rules.Allows(from, to));
    CHECK(rules.Allows(from, 2) == (from == 1 || from == 2));
    CHECK(rules.Allows(from, 4) == (from == 3 || from == 4));
    CHECK(rules.Allows(from, 5) == (from == 5));
  }
}

TEST_CASE("chunk labels are distinguished from others") {
  CHECK(LooksLikeChunks(Names{"B-NP", "I-NP", "O"}));
  CHECK(LooksLikeChunks(Names{"I-NP", "O"}));  // IOB1
  CHECK(LooksLikeChunks(Names{"S-X-Y", "E-Z", "U-Z", "L-Z"}));
  CHECK_FALSE(LooksLikeChunks(Names{"O"}));
  CHECK_FALSE(LooksLikeChunks(Names{}));
  CHECK_FALSE(LooksLikeChunks(Names{"a", "b", "B", "I"}));  // letters
  CHECK_FALSE(LooksLikeChunks(Names{"NN", "-LRB-", "O"}));
  CHECK_FALSE(LooksLikeChunks(Names{"B-NP", "B-"}));
  CHECK_FALSE(LooksLikeChunks(Names{"X-NP", "O"}));
}
