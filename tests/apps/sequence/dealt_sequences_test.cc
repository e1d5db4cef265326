// SPDX-License-Identifier: BSD-3-Clause
//
// Sequences that several ranks read together: those of the ranks, one after the other, are those of
// one rank, and everything else is the same on all ranks.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/core/data_folder.h>
#include <tests/core/piped_input.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Token {
  std::string text;  // all columns
  Index label;
  std::vector<Index> columns;
  std::vector<double> values;
  bool operator==(const Token&) const = default;
};

struct Sequence {
  std::string file;
  long line;
  std::vector<Token> tokens;
  bool operator==(const Sequence&) const = default;
};

std::vector<Sequence> SequencesOf(const SequenceInput& input) {
  const SequenceData& data = input.data;
  std::vector<Sequence> sequences;
  for (Index m = 0; m < data.num_sequences(); ++m) {
    Sequence sequence{data.FileOf(m), data.lines[m], {}};
    for (Offset t = data.begin[m]; t < data.begin[m + 1]; ++t) {
      const FeatureRow row = data.rows->row(static_cast<Index>(t));
      Token token{"",
                  data.labels[t],
                  {row.columns, row.columns + row.count},
                  {row.values, row.values + row.count}};
      AppendInput(data, t, &token.text);
      sequence.tokens.push_back(std::move(token));
    }
    sequences.push_back(std::move(sequence));
  }
  CHECK(std::ssize(input.sequences) == data.num_sequences());
  return sequences;
}

std::string TextOf(const SequenceInput& input) {
  return input.features
             ? input.features->templates.text() + "\n" + input.features->dictionary.Text()
             : "";
}

SequenceInput ReadOn(Ranks& ranks, const std::string& path, SequenceReadOptions options,
                     int shards) {
  options.ranks = &ranks;
  options.shards = shards;
  return ReadTrainingSequences(path, options);
}

/// Checks the data of all deals; returns those of one rank.
SequenceInput CheckSequenceDeals(const std::string& path, const SequenceReadOptions& options) {
  SequenceInput one = ReadTrainingSequences(path, options);
  const std::vector<Sequence> sequences = SequencesOf(one);
  REQUIRE(sequences.size() >= 7);
  for (const Deal& deal : Deals()) {
    CAPTURE(path);
    CAPTURE(deal.ranks);
    CAPTURE(deal.shards);
    const std::vector<SequenceInput> parts = OnEachRank(
        deal.ranks, [&](ThreadRanks& ranks) { return ReadOn(ranks, path, options, deal.shards); });
    std::vector<Sequence> joined;
    for (int r = 0; r < deal.ranks; ++r) {
      const SequenceInput& part = parts[Size(r)];
      CHECK(std::ssize(joined) ==
            one.data.num_sequences() * (Offset{deal.shards} * r / deal.ranks) / deal.shards);
      for (Sequence& sequence : SequencesOf(part)) joined.push_back(std::move(sequence));
      CHECK(part.format == one.format);
      CHECK(part.data.source == one.data.source);
      CHECK(part.data.label_names == one.data.label_names);
      CHECK(part.data.num_model_labels == one.data.num_model_labels);
      CHECK(part.data.num_features == one.data.num_features);
      CHECK(part.data.tokens->separator == one.data.tokens->separator);
      CHECK(TextOf(part) == TextOf(one));
    }
    CHECK(joined == sequences);
  }
  return one;
}

std::string ReadError(const std::string& path, const SequenceReadOptions& options, int processes) {
  return ErrorOnRanks(processes, [&](ThreadRanks& ranks) { ReadOn(ranks, path, options, 0); });
}

SequenceReadOptions CountOptions(std::int64_t min_count, int hash_bits = 0) {
  SequenceReadOptions options;
  options.features = {min_count, hash_bits};
  return options;
}

/// Sentences whose first labels and words occur late in the text.
std::string LateText(int sentences, std::uint64_t seed) {
  Random random(seed);
  std::string text = seed % 2 == 0 ? "" : "\n\n";
  for (int m = 0; m < sentences; ++m) {
    for (std::uint64_t k = random.Below(6) + 1; k > 0; --k) {
      const std::uint64_t label = random.Below(static_cast<std::uint64_t>(2 + m / 4));
      text += "w" + std::to_string(random.Below(static_cast<std::uint64_t>(3 + m))) + " T" +
              std::to_string(random.Below(4)) +
              (label == 1 ? " ?" : " L" + std::to_string(9 - label)) + (k % 3 == 0 ? "\r\n" : "\n");
    }
    text += m % 4 == 0 ? " \t\r\n\n" : "\n";
  }
  return text;
}

std::string AttributeText(int sentences) {
  Random random(4);
  std::string text;
  for (int m = 0; m < sentences; ++m) {
    for (std::uint64_t k = random.Below(5) + 1; k > 0; --k) {
      text += random.Below(7) == 0 ? "?" : "L" + std::to_string(9 - random.Below(Size(2 + m / 5)));
      for (std::uint64_t a = random.Below(6); a > 0; --a)
        text += "\ta" + std::to_string(random.Below(Size(4 + m))) + (a == 2 ? ":0.5" : "");
      text += "\n";
    }
    text += "\n";
  }
  return text;
}

/// A model of training data with drawn weights.
SequenceModel DrawnModel(const std::string& path, const SequenceReadOptions& options) {
  SequenceModel model = MakeSequenceModel(ReadTrainingSequences(path, options), LearnerKind::kBcfw);
  std::vector<double> weights(model.weights().size());
  Random random(11);
  for (double& weight : weights) weight = random.Normal();
  model.set_weights(std::move(weights));
  return model;
}

/// Checks that several ranks read, predict and evaluate these data as one does.
void CheckPredictions(const SequenceModel& model, const std::string& path,
                      const std::string& folds = "") {
  const SequenceInput one = ReadSequencesFor(model, path, folds);
  const std::vector<Index> labels = PredictSequences(model, one.data, one.sequences, {}).labels;
  const SequenceMetrics metrics = EvaluateSequences(one.data, one.sequences, labels);
  for (const int size : {1, 2, 3, 6}) {
    CAPTURE(path);
    CAPTURE(size);
    std::vector<std::vector<Index>> parts(Size(size));
    std::vector<std::string> texts(Size(size));
    OnThreadRanks(size, [&](ThreadRanks& ranks) {
      const SequenceInput mine = ReadSequencesFor(model, path, folds, ranks);
      CHECK(mine.data.label_names == one.data.label_names);
      CHECK(mine.data.num_model_labels == one.data.num_model_labels);
      CHECK(mine.data.tokens->separator == one.data.tokens->separator);
      CHECK(mine.unknown_features == one.unknown_features);
      std::vector<Index>& predicted = parts[Size(ranks.rank())];
      predicted = PredictSequences(model, mine.data, mine.sequences, {}).labels;
      for (const Index m : mine.sequences) {
        for (Offset t = mine.data.begin[m]; t < mine.data.begin[m + 1]; ++t)
          AppendInput(mine.data, t, &texts[Size(ranks.rank())]);
      }
      const SequenceMetrics joined = EvaluateSequences(mine.data, mine.sequences, predicted, ranks);
      const SequenceMetrics none;
      const SequenceMetrics& expected = ranks.first() ? metrics : none;
      CHECK(joined.sequences == expected.sequences);
      CHECK(joined.tokens == expected.tokens);
      CHECK(joined.token_accuracy == expected.token_accuracy);
      CHECK(joined.hamming_loss == expected.hamming_loss);
      CHECK(joined.chunks.f1 == expected.chunks.f1);
    });
    std::vector<Index> joined;
    for (const std::vector<Index>& part : parts)
      joined.insert(joined.end(), part.begin(), part.end());
    CHECK(joined == labels);
    std::string text, expected;
    for (const std::string& part : texts) text += part;
    for (const Index m : one.sequences) {
      for (Offset t = one.data.begin[m]; t < one.data.begin[m + 1]; ++t)
        AppendInput(one.data, t, &expected);
    }
    CHECK(text == expected);
  }
}

/// The message for a model, the same on all ranks.
std::string MessageFor(const SequenceModel& model, const std::string& path,
                       const std::string& folds, int processes) {
  std::vector<std::string> messages(Size(processes));
  OnThreadRanks(processes, [&](ThreadRanks& ranks) {
    messages[Size(ranks.rank())] =
        MessageOf<DataError>([&] { ReadSequencesFor(model, path, folds, ranks); });
  });
  for (const std::string& message : messages) CHECK(message == messages[0]);
  return messages[0];
}

}  // namespace

TEST_CASE("sequences in columns: plain, gzip and in a folder") {
  const TemporaryFolder folder;
  const std::string text = LateText(24, 1);
  for (const std::int64_t min_count : {1, 3}) {
    const SequenceInput one =
        CheckSequenceDeals(folder.Write("text", text), CountOptions(min_count));
    CHECK(one.data.num_sequences() == 24);
    CHECK(one.data.label_names.size() > 5);
    CheckSequenceDeals(folder.WriteGzip("text.gz", text), CountOptions(min_count));
    // The last sequence of a part needs no blank line.
    CheckSequenceDeals(WriteParts(folder, "parts" + std::to_string(min_count),
                                  {"\n", text, "", LateText(9, 2) + "end T0 L0", LateText(5, 4)}),
                       CountOptions(min_count));
  }
  CheckSequenceDeals(folder.Write("text", text), CountOptions(1, 8));
  SequenceReadOptions templates = CountOptions(1);
  templates.templates = folder.Write("templates", "U: %x[-1,0]/%x[1,1]\n");
  CheckSequenceDeals(folder.Write("text", text), templates);
}

TEST_CASE("templates are chosen by the words of all ranks") {
  const TemporaryFolder folder;
  std::string text;
  for (int m = 0; m < 30; ++m) {
    // Few different words, many times; the numbers at the end are not words but more.
    text += (m < 20 ? "word" + std::to_string(m % 3) : std::to_string(m)) + " T L\n\n";
  }
  const SequenceInput numbers = CheckSequenceDeals(folder.Write("numbers", text), CountOptions(1));
  CHECK_FALSE(Contains(numbers.features->templates.text(), "%low"));
  for (int m = 0; m < 40; ++m) text += "other" + std::to_string(m) + " T L\n\n";
  const SequenceInput words = CheckSequenceDeals(folder.Write("words", text), CountOptions(1));
  CHECK(Contains(words.features->templates.text(), "%low"));
}

TEST_CASE("sequences of attributes: plain, gzip and in a folder") {
  const TemporaryFolder folder;
  const std::string text = AttributeText(25);
  SequenceReadOptions options = CountOptions(1);
  options.format = SequenceFormat::kAttributes;
  CheckSequenceDeals(folder.Write("text", text), options);
  CheckSequenceDeals(folder.WriteGzip("text.gz", text), options);
  CheckSequenceDeals(WriteParts(folder, "parts", {text, text + text, "L0\ta99"}), options);
  options.features.min_count = 4;
  CheckSequenceDeals(folder.Write("text", text), options);
}

TEST_CASE("words of letters") {
  const std::string letters = SLACKLINE_SOURCE_DIR "/data/letters/letter-fold0.data.gz";
  CheckSequenceDeals(letters, {});
  const TemporaryFolder folder;
  LineReader reader(letters);
  const std::string text = ReadAll(&reader).substr(0, 200000);
  const std::string some = text.substr(0, text.find('\n', text.find("\t-1\t", 190000)) + 1);
  CheckSequenceDeals(folder.Write("some", some), {});
  CheckSequenceDeals(WriteParts(folder, "parts", {some, "", some}), {});
  SequenceReadOptions folds;
  folds.folds = "0";
  CHECK(
      Contains(ReadError(letters, folds, 2), "several processes read all folds, not some of them"));
  const std::string cut = some.substr(0, some.rfind('\n', some.size() - 2) + 1);
  const std::string one =
      MessageOf<DataError>([&] { ReadTrainingSequences(folder.Write("cut", cut), {}); });
  CHECK(Contains(one, "the file ends within word"));
  CHECK(ReadError(folder.Path("cut"), {}, 3) == one);
  const std::string parts = WriteParts(folder, "cut_parts", {some, cut, some});
  CHECK(Contains(ReadError(parts, {}, 1), "part-1.gz"));
  CHECK(ReadError(parts, {}, 3) == ReadError(parts, {}, 1));
}

TEST_CASE("an error on one rank is the error of all, and that of one rank") {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& path, const SequenceReadOptions& options,
                         const std::string& part) {
    const std::string one = MessageOf<DataError>([&] { ReadTrainingSequences(path, options); });
    CHECK_MESSAGE(Contains(one, part), one);
    for (const int processes : {2, 3, 5}) CHECK(ReadError(path, options, processes) == one);
  };
  const std::string text = LateText(20, 2);
  check(folder.Write("a", text + "x y\n\n" + text), CountOptions(1),
        ": 2 columns at 'x', but line 1 has 3");
  check(folder.Write("b", "x\n" + text), CountOptions(1), "b:1: 1 column at 'x'");
  check(folder.Write("c", "\n\n"), CountOptions(1), "c: no tokens");
  check(folder.Write("d", "a ?\n\nb ?\n\nc ?\n\nd ?\n\ne ?\n"), CountOptions(1),
        "d: no known labels");
  check(folder.Write("e", text), CountOptions(1000000), "e: no feature occurs 1000000 times");
  const std::string parts = WriteParts(folder, "parts", {text, text, "\nx y\n", text});
  check(parts, CountOptions(1),
        "part-2:2: 2 columns at 'x', but line 1 of " + parts + "/part-0 has 3");
  SequenceReadOptions templates = CountOptions(1);
  templates.templates = folder.Write("templates", "U: %x[0,7]\n");
  check(folder.Write("f", text), templates, "templates:1: ");
  SequenceReadOptions attributes = CountOptions(1);
  attributes.format = SequenceFormat::kAttributes;
  const std::string items = AttributeText(20);
  check(folder.Write("g", items + "L1\ta:x\n" + items), attributes, "'x' is not a number");
  CHECK(ReadError(folder.Write("h", "a L\n\nb K\n"), CountOptions(1), 3) == "accepted");
}

TEST_CASE("ranks read sequences of the standard input, and name it in messages") {
  const std::string text = LateText(20, 2);
  const std::string bad = text + "x y\n\n" + text;
  std::string one;
  {
    const PipedInput input(bad);
    one = MessageOf<DataError>([&] { ReadTrainingSequences("-", CountOptions(1)); });
  }
  CHECK(Contains(one, "<stdin>:"));
  {
    const PipedInput input(bad);
    CHECK(ReadError("-", CountOptions(1), 3) == one);
  }
  SequenceReadOptions options = CountOptions(1);
  const TemporaryFolder folder;
  const SequenceInput file = ReadTrainingSequences(folder.Write("text", text), options);
  const PipedInput input(text);
  std::vector<std::vector<Index>> labels(3);
  OnThreadRanks(3, [&](ThreadRanks& ranks) {
    SequenceReadOptions mine = options;
    mine.ranks = &ranks;
    const SequenceInput part = ReadTrainingSequences("-", mine);
    CHECK(part.data.label_names == file.data.label_names);
    CHECK(part.data.num_features == file.data.num_features);
    labels[Size(ranks.rank())].assign(part.data.labels.begin(), part.data.labels.end());
  });
  std::vector<Index> joined;
  for (const auto& some : labels) joined.insert(joined.end(), some.begin(), some.end());
  CHECK(joined == std::vector<Index>(file.data.labels.begin(), file.data.labels.end()));
}

TEST_CASE("several ranks predict and evaluate sequences as one does") {
  const TemporaryFolder folder;
  const SequenceModel model = DrawnModel(folder.Write("train", LateText(12, 1)), CountOptions(1));
  const std::string text = LateText(30, 2);  // more labels and words than in training
  CheckPredictions(model, folder.Write("text", text));
  CheckPredictions(model, folder.WriteGzip("text.gz", text));
  CheckPredictions(model, folder.Write("few", "w1 T1 L9\n\nw2 T0 other\n"));
  CheckPredictions(model, folder.Write("no_labels", "w1\tT1\nw0\tT2\n\nw2\tT0\n"));
  CheckPredictions(model, WriteParts(folder, "parts", {"\n", text, "", LateText(9, 4)}));

  SequenceReadOptions attributes = CountOptions(1);
  attributes.format = SequenceFormat::kAttributes;
  const SequenceModel items = DrawnModel(folder.Write("items", AttributeText(9)), attributes);
  CheckPredictions(items, folder.Write("more", AttributeText(25)));
  CheckPredictions(items, folder.Write("one", "L9\ta1\n"));

  const std::string letters = SLACKLINE_SOURCE_DIR "/data/letters/letter-fold0.data.gz";
  CheckPredictions(DrawnModel(letters, {}), letters, "0");
}

TEST_CASE("an error for a model on one rank is the error of all, and that of one rank") {
  const TemporaryFolder folder;
  const std::string text = LateText(20, 2);
  const SequenceModel model = DrawnModel(folder.Write("train", text), CountOptions(1));
  const auto check = [&](const SequenceModel& wanted, const std::string& path,
                         const std::string& folds, const std::string& part) {
    const std::string one = MessageOf<DataError>([&] { ReadSequencesFor(wanted, path, folds); });
    CHECK_MESSAGE(Contains(one, part), one);
    for (const int processes : {2, 3, 5}) CHECK(MessageFor(wanted, path, folds, processes) == one);
  };
  check(model, folder.Write("a", text + "x\n\n" + text), "", ": 1 column at 'x', but line 1 has 3");
  check(model, folder.Write("b", "x\n" + text), "", "b:1: 1 column at 'x', but the model needs 2");
  check(model, folder.Write("c", "\n\n"), "", "c: no tokens");
  check(model, folder.Path("train"), "0", "the data have no folds");
  check(model, WriteParts(folder, "parts", {text, "\nw1\n", text}), "", "part-1.gz:2: ");

  const std::string letters = "1\ta\t-1\t1\t1\t0\t0\t1\n2\tb\t-1\t2\t1\t3\t1\t0\n";
  SequenceReadOptions options;
  options.format = SequenceFormat::kLetters;
  const SequenceModel words = DrawnModel(folder.Write("letters", letters), options);
  CheckPredictions(words, folder.Path("letters"), "3");
  check(words, folder.Path("letters"), "0,4", "no sequence belongs to fold '4'");
  check(words, folder.Write("wide", "1\ta\t-1\t1\t1\t0\t0\t1\t1\n" + letters), "",
        "wide:1: 3 pixels, but the model has 2");
  check(words, folder.Write("later", letters + "3\ta\t-1\t1\t1\t0\t0\t1\t1\n"), "",
        "later:3: 3 pixels at letter 'a', but the lines before have 2");
}
