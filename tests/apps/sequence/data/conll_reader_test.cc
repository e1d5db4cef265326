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

TEST_CASE("blanks in any number separate columns, lines without text separate sequences") {
  const SequenceData data =
      ReadTagged("\n \t\r\n  a   A X  \r\n\r\nb \t B X\r\n\t\n\n \nc C X\n\n\n");
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
  AppendInput(ReadTagged("a\tA\tX\n"), 0, &line);
  CHECK(line == "a\tA");
}

TEST_CASE("where the first line has tabs, columns lie between tabs, and keep their blanks") {
  const SequenceData data = ReadTagged("New York\tNNP\tB-LOC\n is \t\tO\r\n\n# a\t#\t\nx\ty\t?\n");
  CHECK(data.num_sequences() == 2);
  CHECK(data.tokens->num_columns == 2);
  CHECK(data.tokens->text(0, 0) == "New York");
  CHECK(data.tokens->text(1, 0) == " is ");
  CHECK(data.tokens->text(1, 1) == "");
  CHECK(data.tokens->text(2, 0) == "# a");
  CHECK(data.labels == Labels{0, 1, kUnlabelled, kUnlabelled});
  CHECK_FALSE(data.conllu);
  std::string line;
  AppendInput(data, 1, &line);
  CHECK(line == " is \t");
  CHECK(ConllError("a\tA\tX\nb B X\n") ==
        "text.txt:2: 1 column at 'b B X', but line 1 has 3 between tabs");
  // The form is that of the first line without #.
  CHECK(ReadTagged("#\ta b\tX\nc\td e\tX\n").tokens->text(1, 1) == "d e");
}

TEST_CASE("CoNLL-U is recognised: words and their UPOS, without comments, ranges and empty nodes") {
  const auto token = [](const std::string& id, const std::string& form, const std::string& upos) {
    return id + "\t" + form + "\tlemma\t" + upos + "\t_\t_\t0\troot\t_\tSpaceAfter=No\n";
  };
  const std::string text = "# sent_id = 1\n# text = al mar\n" + token("1-2", "al", "_") +
                           token("1", "a", "ADP") + token("2", "el", "DET") +
                           token("2.1", "el", "DET") + token("3", "mar", "NOUN") +
                           "\n# sent_id = 2\n" + token("1", "#", "SYM") + "\n" +
                           token("1", "New York", "_") + "\n# newpar\n";
  const SequenceData data = ReadTagged(text);
  CHECK(data.conllu);
  CHECK(data.num_hash_lines == 0);
  CHECK(data.begin == std::vector<Offset>{0, 3, 4, 5});
  CHECK(data.tokens->num_columns == 1);
  CHECK(data.tokens->text(2, 0) == "mar");
  CHECK(data.tokens->text(3, 0) == "#");
  CHECK(data.tokens->text(4, 0) == "New York");
  CHECK(data.label_names == std::vector<std::string>{"ADP", "DET", "NOUN", "SYM"});
  CHECK(data.labels == Labels{0, 1, 2, 3, kUnlabelled});
  CHECK(data.lines == std::vector<long>{4, 10, 12});
  CHECK(data.LineOf(0, 1) == 5);
  CHECK(data.LineOf(0, 2) == 7);
  CHECK(data.LineOf(1, 3) == 10);
  CHECK(ReadTagged(text, KnownLabels(1)).has_labels);
  CHECK(ConllError(token("1", "a", "X") + "2\tb\n") ==
        "text.txt:2: 2 columns at '2', but CoNLL-U has 10");
  // Ten columns without numbers are columns.
  CHECK_FALSE(ReadTagged("a\tb\tc\td\te\tf\tg\th\ti\tX\n").conllu);
}

TEST_CASE("lines that begin with a prefix are left out, and messages propose it") {
  ConllReadOptions options;
  options.comments = "#";
  const std::string text = "# id 1\na A X\n# middle\nb B Y\n\n# id 2\n\nc C X\n";
  const SequenceData data = ReadTagged(text, options);
  CHECK(data.begin == std::vector<Offset>{0, 2, 3});
  CHECK(data.lines == std::vector<long>{2, 8});
  CHECK(data.LineOf(0, 1) == 4);
  CHECK(ConllError(text) ==
        "text.txt:3: 2 columns at '#', but line 1 has 3; --comments '#' leaves such lines out");
  CHECK(ConllError("# id 1 2\na A X\n") ==
        "text.txt:2: 3 columns at 'a', but line 1 has 4; --comments '#' leaves such lines out");
  CHECK(ReadTagged("# a O\nb c O\n\n# a O\n").num_hash_lines == 2);
  CHECK(ReadTagged("#a a O\nb c O\n\nb # O\n# a O\n").num_hash_lines == 0);
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
  LineReader lines(folder.Write("t.txt", "\na\tx\tA\n\n\nb\ty\tC\nc\tz\tD\n\nd\tx\tC"));
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
