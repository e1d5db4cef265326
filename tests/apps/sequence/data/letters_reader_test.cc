// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/letters_reader.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

SequenceData ReadWords(const std::string& text, const LettersReadOptions& options = {}) {
  const TemporaryFolder folder;
  return ReadLetters(folder.Write("words.data", text), options);
}

/// The message without the folder: "words.data:3: message".
std::string WordError(const std::string& text, const LettersReadOptions& options = {}) {
  return ErrorIn("words.data", [&] { ReadWords(text, options); });
}

std::vector<Index> ColumnsOf(const SequenceData& data, Index token) {
  const FeatureRow row = data.rows->row(token);
  REQUIRE_FALSE(row.dense());
  for (Index k = 0; k < row.count; ++k) CHECK(row.values[k] == 1);
  return {row.columns, row.columns + row.count};
}

std::string RepeatedPixels(int count) {
  std::string pixels;
  for (int k = 0; k < count; ++k) pixels += k % 3 == 0 ? "\t1" : "\t0";
  return pixels;
}

const char* const kWords =
    "1\to\t2\t1\t1\t0\t0\t1\t1\t\n"
    "2\tm\t-1\t1\t2\t0\t0\t0\t0\t\n"
    "7\ta\t-1\t4\t1\t3\t1\t0\t0\n";

}  // namespace

TEST_CASE("letters are joined into words") {
  const SequenceData data = ReadWords(kWords);
  CHECK(data.label_names == std::vector<std::string>{"a", "m", "o"});
  CHECK(data.num_model_labels == 3);
  CHECK(data.has_labels);
  CHECK(data.num_sequences() == 2);
  CHECK(data.num_tokens() == 3);
  CHECK(data.begin == std::vector<Offset>{0, 2, 3});
  CHECK(data.length(0) == 2);
  CHECK(data.labels == std::vector<Index>{2, 1, 0});
  CHECK(data.folds == std::vector<Index>{0, 3});
  CHECK(data.lines == std::vector<long>{1, 3});
  CHECK(data.num_features == 3);
  CHECK(ColumnsOf(data, 0) == std::vector<Index>{1, 2});
  CHECK(ColumnsOf(data, 1).empty());
  CHECK(ColumnsOf(data, 2) == std::vector<Index>{0});
  std::string line = "> ";
  AppendInput(data, 1, &line);
  CHECK(line == "> 2\t1\t2");
}

TEST_CASE("carriage returns, gzip and lines without text change nothing") {
  const TemporaryFolder folder;
  std::string text = kWords;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, "\r");
  const SequenceData data = ReadLetters(folder.WriteGzip("w.gz", "\r\n" + text + "\t\r\n\r\n"));
  const SequenceData plain = ReadWords(kWords);
  CHECK(data.labels == plain.labels);
  CHECK(data.begin == plain.begin);
  CHECK(data.lines == std::vector<long>{2, 4});
  CHECK(ColumnsOf(data, 0) == ColumnsOf(plain, 0));
}

TEST_CASE("unknown letters are read as unlabelled") {
  const SequenceData data = ReadWords("1\t?\t2\t1\t1\t0\t1\n2\tb\t-1\t1\t2\t0\t1\n");
  CHECK(data.labels == std::vector<Index>{kUnlabelled, 0});
  CHECK(WordError("1\t?\t-1\t1\t1\t0\t1\n") == "words.data: no known letters");
  LettersReadOptions options;
  options.label_names = {"x", "b"};
  const SequenceData test = ReadWords("1\t?\t2\t1\t1\t0\t1\n2\ta\t-1\t1\t2\t0\t1\n", options);
  CHECK(test.labels == std::vector<Index>{kUnlabelled, 2});
  CHECK(test.label_names == std::vector<std::string>{"x", "b", "a"});
  CHECK(test.num_model_labels == 2);
  CHECK(ReadWords("1\t?\t-1\t1\t1\t0\t1\n", options).labels == std::vector<Index>{kUnlabelled});
}

TEST_CASE("lines that do not make a word name line and token") {
  const std::string first = "1\to\t2\t1\t1\t0\t0\t1\n";
  CHECK(WordError("") == "words.data: no words");
  CHECK(WordError(first) ==
        "words.data:1: the file ends within word 1: the letter with id 2 is missing");
  CHECK(WordError(first + "3\tm\t-1\t1\t2\t0\t0\t1\n") ==
        "words.data:2: id '3', but the next id in the line before is 2");
  CHECK(WordError(first + "2\tm\t-1\t1\t3\t0\t0\t1\n") == "words.data:2: position '3', expected 2");
  CHECK(WordError("1\to\t2\t1\t2\t0\t0\t1\n") == "words.data:1: position '2', expected 1");
  CHECK(WordError(first + "2\tm\t-1\t8\t2\t0\t0\t1\n") ==
        "words.data:2: word id '8' within word 1");
  CHECK(WordError(first + "2\tm\t-1\t1\t2\t9\t0\t1\n") ==
        "words.data:2: fold '9' within a word of fold 0");
}

TEST_CASE("wrong fields are refused") {
  CHECK(WordError("1\to\t2\t1\t1\t0\n") ==
        "words.data:1: 6 fields, but a line has id, letter, next id, word id, position, fold and "
        "pixels, with tabs between");
  CHECK(WordError("1 o 2 1 1 0 1\n").find("words.data:1: 1 field,") == 0);
  CHECK(WordError("x\to\t-1\t1\t1\t0\t1\n") == "words.data:1: id 'x' is not a whole number from 0");
  CHECK(WordError("1\to\t-2\t1\t1\t0\t1\n") ==
        "words.data:1: next id '-2' is not a whole number from 0");
  CHECK(WordError("1\to\t-1\t\t1\t0\t1\n") ==
        "words.data:1: word id '' is not a whole number from 0");
  CHECK(WordError("1\to\t-1\t1\t1.0\t0\t1\n") ==
        "words.data:1: position '1.0' is not a whole number from 0");
  CHECK(WordError("1\to\t-1\t1\t1\tz\t1\n") ==
        "words.data:1: fold 'z' is not a whole number from 0");
  CHECK(WordError("1\t\t-1\t1\t1\t0\t1\n") == "words.data:1: no letter");
  CHECK(WordError("1\to\t-1\t1\t1\t0\t1\t2\n") == "words.data:1: pixel 2 is '2', not 0 or 1");
  CHECK(WordError("1\to\t-1\t1\t1\t0\t1\t\t\n") == "words.data:1: pixel 2 is '', not 0 or 1");
  CHECK(WordError("1\to\t-1\t1\t1\t0\t1\t0\n2\tp\t-1\t2\t1\t0\t1\n") ==
        "words.data:2: 1 pixels at letter 'p', but the lines before have 2");
  LettersReadOptions options;
  options.label_names = {"a"};
  options.num_features = 3;
  CHECK(WordError("1\to\t-1\t1\t1\t0\t1\t0\n", options) ==
        "words.data:1: 2 pixels, but the model has 3");
}

TEST_CASE("the shipped words are read") {
  const SequenceData data = ReadLetters(SLACKLINE_SOURCE_DIR "/data/letters/letter-fold0.data.gz");
  CHECK(data.num_sequences() == 626);
  CHECK(data.num_tokens() == 4617);
  CHECK(data.num_features == 128);
  CHECK(data.num_labels() == 26);
  CHECK(data.label_names.front() == "a");
  CHECK(data.label_names.back() == "z");
  CHECK(std::count(data.folds.begin(), data.folds.end(), 0) == 626);
  CHECK(std::filesystem::file_size(SLACKLINE_SOURCE_DIR "/data/letters/letter-fold0.data.gz") <
        400000);
}

TEST_CASE("lines of letters are distinguished from other text") {
  CHECK(LooksLikeLetter("1\to\t2\t1\t1\t0\t0\t1\t1\t"));
  CHECK(LooksLikeLetter("2\tm\t-1\t1\t2\t0\t0"));
  // Recognised; the reader refuses it with a reason.
  CHECK(LooksLikeLetter("2\t\t-1\t1\t2\t0\t1\t0"));
  CHECK_FALSE(LooksLikeLetter("2\tm\t-1\t1\t2\t0"));     // no pixels
  CHECK_FALSE(LooksLikeLetter("2\tm\t-1\t1\t2\t0\t2"));  // not a pixel
  CHECK_FALSE(LooksLikeLetter("2\tm\t-2\t1\t2\t0\t1"));  // not an id
  CHECK_FALSE(LooksLikeLetter("2\tm\t3\tx\t2\t0\t1"));   // not a word
  CHECK_FALSE(LooksLikeLetter("2 m -1 1 2 0 1"));        // no tabs
  CHECK_FALSE(LooksLikeLetter("Confidence\tNN\tB-NP"));
  CHECK_FALSE(LooksLikeLetter(""));
  // With many pixels one field may be wrong; the reader then reports it.
  const std::string many = RepeatedPixels(30);
  CHECK(LooksLikeLetter("x\tm\t-1\t1\t2\t0" + many));
  CHECK(LooksLikeLetter("2\tm\t-1\t1\t2\t0" + many + "\t7"));
  CHECK_FALSE(LooksLikeLetter("x\tm\ty\t1\t2\t0" + many));
  CHECK_FALSE(LooksLikeLetter("x\tm\t-1\t1\t2\t0" + RepeatedPixels(29)));
}

TEST_CASE("words are read one by one") {
  const TemporaryFolder folder;
  LineReader lines(folder.Write(
      "t.data", "1\to\t2\t1\t1\t0\t0\t1\n2\tm\t-1\t1\t2\t0\t0\t0\n7\ta\t-1\t4\t1\t3\t1\t0\n"));
  const auto reader = MakeLettersReader(&lines, {{"m", "o"}, 2});
  REQUIRE(reader->Next());
  CHECK(lines.line_number() == 2);
  SequenceData data = reader->Take();
  CHECK(data.labels == std::vector<Index>{1, 0});
  CHECK(data.folds == std::vector<Index>{0});
  CHECK(data.rows->size() == 2);
  REQUIRE(reader->Next());
  data = reader->Take();
  CHECK(data.labels == std::vector<Index>{2});
  CHECK(data.folds == std::vector<Index>{3});
  CHECK(data.num_features == 2);
  CHECK(data.rows->size() == 1);
  CHECK(data.tokens->text(0, 1) == "4");
  CHECK_FALSE(reader->Next());
}
