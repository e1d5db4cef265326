// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_metrics.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Labels = std::vector<Index>;

/// The metrics of labels given as texts: | separates sequences, ? is an unknown label.
SequenceMetrics Measure(const std::string& given, const std::string& predicted) {
  std::vector<std::string> names;
  std::vector<Offset> begin;
  const auto number = [&](const std::string& text, std::vector<Offset>* ends) {
    std::vector<Index> labels;
    std::istringstream words(text);
    ends->assign(1, 0);
    for (std::string word; words >> word;) {
      if (word == "|") {
        ends->push_back(static_cast<Offset>(labels.size()));
      } else if (word == "?") {
        labels.push_back(kUnlabelled);
      } else {
        auto at = std::find(names.begin(), names.end(), word);
        labels.push_back(static_cast<Index>(at - names.begin()));
        if (at == names.end()) names.push_back(word);
      }
    }
    ends->push_back(static_cast<Offset>(labels.size()));
    return labels;
  };
  std::vector<Offset> same;
  const std::vector<Index> truth = number(given, &begin);
  const std::vector<Index> guess = number(predicted, &same);
  REQUIRE(begin == same);
  return ComputeSequenceMetrics(begin, truth, guess, names);
}

struct Counts {
  std::int64_t given, predicted, right;
  friend bool operator==(const Counts&, const Counts&) = default;
};

Counts Chunks(const std::string& given, const std::string& predicted) {
  const ChunkMetrics all = Measure(given, predicted).chunks;
  return {all.truth, all.predicted, all.right};
}

}  // namespace

TEST_CASE("tokens and sequences") {
  const SequenceMetrics m = Measure("a b c d | a | b b", "a b c c | a | a b");
  CHECK(m.sequences == 3);
  CHECK(m.tokens == 7);
  CHECK(Near(m.token_accuracy, 5.0 / 7));
  CHECK(Near(m.sequence_accuracy, 1.0 / 3));
  CHECK(Near(m.hamming_loss, (1.0 / 4 + 0 + 1.0 / 2) / 3));
  CHECK(m.chunks.truth == 0);
  CHECK(m.chunk_types.empty());
}

TEST_CASE("unknown labels do not count, and cut chunks") {
  const SequenceMetrics m = Measure("a ? b | ? ? | b", "a a a | a a | b");
  CHECK(m.sequences == 2);
  CHECK(m.tokens == 3);
  CHECK(Near(m.token_accuracy, 2.0 / 3));
  CHECK(Near(m.sequence_accuracy, 0.5));
  CHECK(Near(m.hamming_loss, 0.25));
  CHECK(Chunks("B-X ? I-X", "B-X I-X I-X") == Counts{2, 2, 2});
  CHECK(Chunks("B-X I-X ?", "B-X I-X B-Y") == Counts{1, 1, 1});
  CHECK(Chunks("? ?", "B-X I-X") == Counts{0, 0, 0});
  const SequenceMetrics none = Measure("? | ?", "a | a");
  CHECK(none.sequences == 0);
  CHECK(none.token_accuracy == 0);
  CHECK(none.sequence_accuracy == 0);
  CHECK(none.hamming_loss == 0);
}

TEST_CASE("chunks are correct when both ends and the type are") {
  const SequenceMetrics m =
      Measure("B-NP I-NP O B-VP B-NP | O B-VP", "B-NP I-NP O B-NP B-NP | O O");
  CHECK(m.chunks.truth == 4);
  CHECK(m.chunks.predicted == 3);
  CHECK(m.chunks.right == 2);
  CHECK(Near(m.chunks.precision, 2.0 / 3));
  CHECK(Near(m.chunks.recall, 2.0 / 4));
  CHECK(Near(m.chunks.f1, 4.0 / 7));
  CHECK(m.chunks.type.empty());
  REQUIRE(m.chunk_types.size() == 2);
  CHECK(m.chunk_types[0].type == "NP");
  CHECK(m.chunk_types[0].truth == 2);
  CHECK(m.chunk_types[0].predicted == 3);
  CHECK(m.chunk_types[0].right == 2);
  CHECK(Near(m.chunk_types[0].f1, 4.0 / 5));
  CHECK(m.chunk_types[1].type == "VP");
  CHECK(m.chunk_types[1].truth == 2);
  CHECK(m.chunk_types[1].predicted == 0);
  CHECK(m.chunk_types[1].precision == 0);
  CHECK(m.chunk_types[1].f1 == 0);
}

TEST_CASE("chunks begin and end by the rules of conlleval") {
  CHECK(Chunks("B-X I-Y", "B-X B-Y") == Counts{2, 2, 2});          // the type changes without B
  CHECK(Chunks("I-X B-X I-X", "I-X I-X I-X") == Counts{2, 1, 0});  // B after I of the same type
  CHECK(Chunks("O B-X I-X", "O B-X I-X") == Counts{1, 1, 1});      // up to the end of a sequence
  // Chunks do not cross the end of a sequence.
  CHECK(Chunks("O B-X | I-X O", "O B-X | B-X O") == Counts{2, 2, 2});
  CHECK(Chunks("I-X I-X O", "B-X I-X O") == Counts{1, 1, 1});          // I at the beginning
  CHECK(Chunks("O B-X I-X O", "O B-X I-X I-X") == Counts{1, 1, 0});    // longer by one at the end
  CHECK(Chunks("O O B-X I-X", "O B-X I-X I-X") == Counts{1, 1, 0});    // longer by one at the start
  CHECK(Chunks("B-X I-X I-X O", "B-X B-X I-X O") == Counts{1, 2, 0});  // cut in two
  CHECK(Chunks("B-X I-X O", "B-Y I-Y O") == Counts{1, 1, 0});          // another type
  CHECK(Chunks("I-X O I-X", "B-X O B-X") == Counts{2, 2, 2});          // IOB1 and IOB2
}

TEST_CASE("some prefixes end chunks") {
  CHECK(Chunks("B-X I-X E-X S-X O", "B-X I-X I-X B-X O") == Counts{2, 2, 2});
  CHECK(Chunks("B-X L-X U-X", "B-X I-X B-X") == Counts{2, 2, 2});
  CHECK(Chunks("E-X E-X", "B-X B-X") == Counts{2, 2, 2});
  CHECK(Chunks("S-X I-X", "B-X B-X") == Counts{2, 2, 2});
  CHECK(Chunks("E-X I-X", "B-X I-X") == Counts{2, 1, 0});
}

TEST_CASE("labels without a dash are handled") {
  CHECK(Chunks("B I O I", "B I O B") == Counts{2, 2, 2});
  CHECK(Chunks("NN VB .", "NN NN .") == Counts{0, 0, 0});
}

TEST_CASE("zero divided by zero is 0") {
  const SequenceMetrics outside = Measure("O O", "O O");
  CHECK(outside.token_accuracy == 1);
  CHECK(outside.chunks.precision == 0);
  CHECK(outside.chunks.recall == 0);
  CHECK(outside.chunks.f1 == 0);
  CHECK(Measure("O O", "B-X O").chunks.f1 == 0);
  CHECK(Measure("B-X O", "O O").chunks.f1 == 0);
  const SequenceMetrics empty = ComputeSequenceMetrics(std::vector<Offset>{0}, {}, {}, {});
  CHECK(empty.sequences == 0);
  CHECK(empty.token_accuracy == 0);
  CHECK(empty.chunks.f1 == 0);
}

TEST_CASE("labels that do not fit are refused") {
  const std::vector<Offset> begin = {0, 2};
  const std::vector<std::string> names = {"a", "b"};
  CHECK_THROWS_AS(ComputeSequenceMetrics(begin, Labels{0, 1}, Labels{0}, names),
                  std::invalid_argument);
  CHECK_THROWS_AS(ComputeSequenceMetrics(begin, Labels{0}, Labels{0}, names),
                  std::invalid_argument);
  CHECK_THROWS_AS(ComputeSequenceMetrics(begin, Labels{0, 2}, Labels{0, 0}, names),
                  std::invalid_argument);
  CHECK_THROWS_AS(ComputeSequenceMetrics(begin, Labels{0, 1}, Labels{0, kUnlabelled}, names),
                  std::invalid_argument);
  CHECK_THROWS_AS(ComputeSequenceMetrics(begin, Labels{0, 1}, Labels{0, 2}, names),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      ComputeSequenceMetrics(std::vector<Offset>{0, 3, 2}, Labels{0, 1}, Labels{0, 0}, names),
      std::invalid_argument);
}
