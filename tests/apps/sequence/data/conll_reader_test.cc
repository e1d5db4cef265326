// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/conll_reader.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

SequenceData ReadTagged(const std::string& text, const ConllReadOptions& options = {}) {
  const TemporaryFolder folder;
  return ReadConll(folder.Write("text.txt", text), options);
}

/// The message without the folder: "text.txt:3: message".
std::string ConllError(const std::string& text, const ConllReadOptions& options = {}) {
  return ErrorIn("text.txt", [&] { ReadTagged(text, options); });
}

ConllReadOptions KnownLabels(Index num_columns) {
  ConllReadOptions options;
  options.label_names = {"O", "B-NP"};
  options.num_columns = num_columns;
  return options;
}

using Labels = std::vector<Index>;

}  // namespace

TEST_CASE("tokens and sequences") {
  const SequenceData data = ReadTagged("He PRP B-NP\nreads VBZ B-VP\n\nYes UH O\n");
  CHECK(data.label_names == std::vector<std::string>{"B-NP", "B-VP", "O"});
  CHECK(data.num_model_labels == 3);
  CHECK(data.has_labels);
  CHECK(data.begin == std::vector<Offset>{0, 2, 3});
  CHECK(data.labels == Labels{0, 1, 2});
  CHECK(data.lines == std::vector<long>{1, 4});
  CHECK(data.folds.empty());
  CHECK(data.rows == nullptr);
  CHECK(data.tokens->num_columns == 2);
  CHECK(data.tokens->text(1, 0) == "reads");
  CHECK(data.tokens->text(2, 1) == "UH");
}

TEST_CASE("blanks and tabs in any number separate columns, lines without text separate sequences") {
  const SequenceData data =
      ReadTagged("\n \t\r\n  a \t A\tX  \r\n\r\nb  B X\r\n\t\n\n \nc C X\n\n\n");
  CHECK(data.begin == std::vector<Offset>{0, 1, 2, 3});
  CHECK(data.lines == std::vector<long>{3, 5, 9});
  CHECK(data.tokens->text(0, 0) == "a");
  CHECK(data.tokens->text(0, 1) == "A");
  CHECK(data.label_names == std::vector<std::string>{"X"});
}

TEST_CASE("the input is written with its own separator") {
  std::string line;
  AppendInput(ReadTagged("a A X\n"), 0, &line);
  CHECK(line == "a A");
  line.clear();
  AppendInput(ReadTagged("  a\tA X\n"), 0, &line);
  CHECK(line == "a\tA");
}

TEST_CASE("comments, documents and UTF-8 are tokens like others") {
  const SequenceData data = ReadTagged(
      "-DOCSTART- -X- O\n\n# # O\n\xC3\xBC"
      "ber\xC2\xA0x ? O\n");
  CHECK(data.num_sequences() == 2);
  CHECK(data.tokens->text(0, 0) == "-DOCSTART-");
  CHECK(data.tokens->text(1, 0) == "#");
  CHECK(data.tokens->text(2, 0) ==
        "\xC3\xBC"
        "ber\xC2\xA0x");
  CHECK(data.tokens->text(2, 1) == "?");
}

TEST_CASE("unknown labels") {
  CHECK(ReadTagged("a ?\nb X\n").labels == Labels{kUnlabelled, 0});
  CHECK(ConllError("a ?\nb ?\n") == "text.txt: no known labels");
  CHECK(ReadTagged("a b ?\n", KnownLabels(2)).labels == Labels{kUnlabelled});
}

TEST_CASE("for prediction labels are optional") {
  const SequenceData without = ReadTagged("a A\nb B\n", KnownLabels(2));
  CHECK_FALSE(without.has_labels);
  CHECK(without.labels == Labels{kUnlabelled, kUnlabelled});
  CHECK(without.label_names == std::vector<std::string>{"O", "B-NP"});
  CHECK(without.tokens->num_columns == 2);
  const SequenceData with = ReadTagged("a A B-NP\nb B I-XX\n", KnownLabels(2));
  CHECK(with.has_labels);
  CHECK(with.labels == Labels{1, 2});
  CHECK(with.label_names == std::vector<std::string>{"O", "B-NP", "I-XX"});
  CHECK(with.num_model_labels == 2);
  CHECK(with.tokens->num_columns == 2);
  CHECK(ReadTagged("word\n", KnownLabels(1)).tokens->text(0, 0) == "word");
}

TEST_CASE("gzip and the standard input give the same data") {
  const TemporaryFolder folder;
  const std::string text = "a A X\nb B Y\n\nc C X\n";
  CHECK(ReadConll(folder.WriteGzip("t.gz", text)).labels == Labels{0, 1, 0});
  const std::string path = folder.Write("t", text);
  const int saved = dup(STDIN_FILENO);
  const int file = open(path.c_str(), O_RDONLY);
  REQUIRE(dup2(file, STDIN_FILENO) >= 0);
  const SequenceData data = ReadConll("-");
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(file);
  CHECK(data.labels == Labels{0, 1, 0});
  CHECK(data.source == "<stdin>");
}

TEST_CASE("lines with other columns name line and token") {
  CHECK(ConllError("a A X\n\nb B\n") == "text.txt:3: 2 columns at 'b', but line 1 has 3");
  CHECK(ConllError("\na A X\nb\n") == "text.txt:3: 1 column at 'b', but line 2 has 3");
  CHECK(ConllError("a A X\nb B C X\n") == "text.txt:2: 4 columns at 'b', but line 1 has 3");
  CHECK(ConllError("a\n") == "text.txt:1: 1 column at 'a', but training needs tokens and labels");
  CHECK(ConllError("\na\n", KnownLabels(2)) ==
        "text.txt:2: 1 column at 'a', but the model needs 2 columns, and one more where there are "
        "labels");
  CHECK(ConllError("a b c d\n", KnownLabels(2)) ==
        "text.txt:1: 4 columns at 'a', but the model needs 2 columns, and one more where there are "
        "labels");
  CHECK(ConllError("a A X\nb B\n", KnownLabels(2)) ==
        "text.txt:2: 2 columns at 'b', but line 1 has 3");
}

TEST_CASE("files without tokens are refused") {
  CHECK(ConllError("") == "text.txt: no tokens");
  CHECK(ConllError("\n \r\n\t\n") == "text.txt: no tokens");
  CHECK(ConllError("", KnownLabels(1)) == "text.txt: no tokens");
}

TEST_CASE("labels and columns must fit the model") {
  ConllReadOptions options;
  options.num_columns = 2;
  CHECK_THROWS_AS(ReadTagged("a A\n", options), std::invalid_argument);
  options.num_columns = -1;
  options.label_names = {"O"};
  CHECK_THROWS_AS(ReadTagged("a A\n", options), std::invalid_argument);
}

TEST_CASE("a very long sequence stores its texts once") {
  constexpr Index kLength = 300000;
  std::string text;
  for (Index t = 0; t < kLength; ++t)
    text += "w" + std::to_string(t % 7) + " L" + std::to_string(t % 3) + "\n";
  const SequenceData data = ReadTagged(text);
  CHECK(data.num_sequences() == 1);
  CHECK(data.length(0) == kLength);
  CHECK(data.tokens->texts.size() == 7);
  CHECK(data.tokens->text(kLength - 1, 0) == "w" + std::to_string((kLength - 1) % 7));
  CHECK(data.labels.back() == (kLength - 1) % 3);
}

TEST_CASE("sequences are read one by one, with the label numbers of the whole file") {
  const TemporaryFolder folder;
  LineReader lines(folder.Write("t.txt", "\na\tx\tA\n\n\nb\ty\tC\nc z D\n\nd x C"));
  const auto reader = MakeConllReader(&lines, {{"A", "B"}, 2});
  REQUIRE(reader->Next());
  CHECK(lines.line_number() == 3);  // including the blank line behind the sequence, and no more
  SequenceData data = reader->Take();
  CHECK(data.num_sequences() == 1);
  CHECK(data.labels == std::vector<Index>{0});
  CHECK(data.tokens->text(0, 1) == "x");
  REQUIRE(reader->Next());
  data = reader->Take();
  CHECK(data.lines == std::vector<long>{5});
  CHECK(data.begin == std::vector<Offset>{0, 2});
  CHECK(data.labels == std::vector<Index>{2, 3});
  CHECK(data.label_names == std::vector<std::string>{"A", "B", "C", "D"});
  CHECK(data.num_model_labels == 2);
  CHECK(data.tokens->separator == '\t');
  CHECK(data.tokens->texts.size() == 4);
  REQUIRE(reader->Next());
  data = reader->Take();
  CHECK(data.labels == std::vector<Index>{2});
  CHECK(data.tokens->separator == '\t');  // the separator of the first line of the file
  CHECK_FALSE(reader->Next());
  CHECK_FALSE(reader->Next());
}
