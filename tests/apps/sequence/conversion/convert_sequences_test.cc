// SPDX-License-Identifier: BSD-3-Clause
//
// Converted sequences are those of the text: every number of them, on one rank and on several.
#include <slackline/apps/sequence/conversion/convert_sequences.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/sequence/converted_sequences.h>
#include <slackline/apps/sequence/sequence_training.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/apps/data_rows.h>
#include <tests/apps/sequence/sequence_data_texts.h>
#include <tests/core/data_folder.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Tokens with attributes of many values, some of them without any, or without a label.
std::string AttributesText(int sentences) {
  Random random(9);
  std::string text;
  for (int m = 0; m < sentences; ++m) {
    for (std::size_t k = 0; k <= random.Below(5); ++k) {
      text += random.Below(7) == 0 ? "" : random.Below(2) == 0 ? "yes" : "no";
      for (std::size_t i = random.Below(4); i > 0; --i)
        text +=
            "\tf" + std::to_string(random.Below(30)) + ":" + std::to_string(100 * random.Normal());
      text += "\n";
    }
    text += "\n";
  }
  return text;
}

SequenceReadOptions AttributeOptions() {
  SequenceReadOptions read;
  read.format = SequenceFormat::kAttributes;
  read.features.min_count = 1;
  return read;
}

std::string FeaturesOf(const SequenceInput& input) {
  if (!input.features) return {};
  return input.features->templates.text() + "\n" + input.features->dictionary.Text() + "\n" +
         std::to_string(input.features->dictionary.hash_bits());
}

void CheckSameRows(const SequenceData& a, const SequenceData& b) {
  REQUIRE(a.rows->size() == b.rows->size());
  for (Index r = 0; r < a.rows->size(); ++r) {
    CAPTURE(r);
    REQUIRE(!a.rows->row(r).dense());
    CheckSameRow(a.rows->row(r), b.rows->row(r));
  }
}

void CheckSameSequences(const SequenceInput& converted, const SequenceInput& text) {
  CHECK(converted.format == text.format);
  CHECK(converted.sequences == text.sequences);
  CHECK(FeaturesOf(converted) == FeaturesOf(text));
  const SequenceData& a = converted.data;
  const SequenceData& b = text.data;
  CHECK(a.label_names == b.label_names);
  CHECK(a.num_model_labels == b.num_model_labels);
  CHECK(a.has_labels == b.has_labels);
  CHECK(a.begin == b.begin);
  CHECK(a.labels == b.labels);
  CHECK(a.folds == b.folds);
  CHECK(a.num_features == b.num_features);
  CHECK(a.rows->in_file());
  CheckSameRows(a, b);
}

SequenceTask TaskOf(SequenceInput input, std::optional<ScaleKind> scale) {
  SequenceTrainingOptions options;
  options.scale = scale;
  return MakeSequenceTask(std::move(input), options);
}

/// Converts the text and compares; returns the path of the converted data.
std::string CheckSequenceConversion(const TemporaryFolder& folder, const std::string& path,
                                    const SequenceReadOptions& read,
                                    std::optional<ScaleKind> scale = {}) {
  const std::string out = folder.Path("converted");
  const SequenceTask text = TaskOf(ReadTrainingSequences(path, read), scale);
  SequenceConversionOptions options;
  options.read = read;
  options.scale = scale;
  const SequenceConversion conversion = ConvertSequences(path, {out}, options);
  CHECK(conversion.num_sequences == text.input.data.num_sequences());
  CHECK(conversion.num_tokens == text.input.data.num_tokens());
  const SequenceTask task = TaskOf(ReadTrainingSequences(out, {}), scale);
  CHECK(task.input.data.source == out);
  CheckSameSequences(task.input, text.input);
  CHECK(task.scaled.scaling.kind() == text.scaled.scaling.kind());
  CHECK(task.scaled.scaling.shift() == text.scaled.scaling.shift());
  CHECK(task.scaled.scaling.divisor() == text.scaled.scaling.divisor());
  CHECK(task.scaled.line == text.scaled.line);
  CHECK(task.scaled.warnings == text.scaled.warnings);
  return out;
}

SequenceConversionOptions For(const SequenceModel& model) {
  SequenceConversionOptions options;
  options.model = &model;
  return options;
}

}  // namespace

TEST_CASE("sequences in columns") {
  const TemporaryFolder folder;
  const std::string text = ConllText(3000, 5);  // several pieces of text
  const std::string path = folder.Write("text", text);
  SequenceReadOptions read;
  CheckSequenceConversion(folder, path, read);
  read.templates = "spelling";
  read.features.min_count = 1;
  CheckSequenceConversion(folder, path, read, ScaleKind::kNorm);
  read.features.hash_bits = 4;  // features share columns
  const std::string out = CheckSequenceConversion(folder, path, read);
  const TemporaryFolder parts;
  const std::size_t border = text.find("\n\n", text.size() / 3) + 2;
  parts.Write("part-0", text.substr(0, border));
  parts.WriteGzip("part-1.gz", text.substr(border));
  const std::string joined = folder.Path("joined");
  SequenceConversionOptions options;
  options.read = read;
  ConvertSequences(parts.Path(""), {joined}, options);
  CHECK(ReadBytes(joined) == ReadBytes(out));
}

TEST_CASE("templates are chosen by the words of all of the text") {
  const TemporaryFolder folder;
  std::string text;
  for (int m = 0; m < 3000; ++m) text += std::to_string(m) + " x A\n\n";
  CheckSequenceConversion(folder, folder.Write("numbers", text), {});
  for (int m = 0; m < 3000; ++m) text += "word" + std::to_string(m) + " x A\n\n";
  CheckSequenceConversion(folder, folder.Write("words", text), {});
}

TEST_CASE("attributes, and labels that are first known late") {
  const TemporaryFolder folder;
  CheckSequenceConversion(folder, folder.Write("text", AttributesText(2500)), AttributeOptions());
  std::string text;
  for (int m = 0; m < 3000; ++m) text += "\ta:" + std::to_string(m) + "\n\n";
  CheckSequenceConversion(folder, folder.Write("late", text + AttributesText(20)),
                          AttributeOptions());
  SequenceConversionOptions options;
  options.read = AttributeOptions();
  CHECK(Contains(MessageOf<DataError>([&] {
                   ConvertSequences(folder.Write("none", text), {folder.Path("out")}, options);
                 }),
                 "no known labels"));
}

TEST_CASE("letters, with their folds") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("letters", TwoFolds(LettersText(150)));
  const std::string out = CheckSequenceConversion(folder, path, {});
  SequenceReadOptions read;
  read.folds = "7";
  CHECK(ReadTrainingSequences(out, read).sequences == ReadTrainingSequences(path, read).sequences);
}

TEST_CASE("ranks have their sequences of one file and of parts") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("text", ConllText(9000, 5));
  const std::string out = folder.Path("one");
  SequenceConversionOptions options;
  options.windows = {1200000};
  ConvertSequences(path, {out}, options);
  const std::string parts = folder.Path("parts");
  CHECK(ConvertSequences(path, {parts, 3}, options).num_files == 3);
  const SequenceInput text = ReadTrainingSequences(path, {});
  for (const std::string& source : {out, parts}) {
    CAPTURE(source);
    const SequenceInput whole = ReadTrainingSequences(source, {});
    CheckSameSequences(whole, text);
    CHECK(whole.data.lines.back() > 1);
    CHECK(whole.data.rows->window_ends().size() > 2);
    for (const Deal& deal : Deals()) {
      const std::vector<SequenceInput> shares = OnEachRank(deal.ranks, [&](ThreadRanks& ranks) {
        SequenceReadOptions read;
        read.ranks = &ranks;
        read.shards = deal.shards;
        return ReadTrainingSequences(source, read);
      });
      std::vector<Index> labels;
      Index sequences = 0;
      Index row = 0;
      for (const SequenceInput& share : shares) {
        labels.insert(labels.end(), share.data.labels.begin(), share.data.labels.end());
        sequences += share.data.num_sequences();
        CHECK(share.data.begin.back() == share.data.num_tokens());
        for (Index r = 0; r < share.data.rows->size(); ++r, ++row)
          REQUIRE(share.data.rows->row(r).squared_norm == text.data.rows->row(row).squared_norm);
      }
      CHECK(labels == text.data.labels);
      CHECK(sequences == text.data.num_sequences());
    }
  }
}

TEST_CASE("sequences for a model have its features and scaling") {
  const TemporaryFolder folder;
  const std::string train = folder.Write("train", ConllText(40, 5));
  const SequenceTask task = TaskOf(ReadTrainingSequences(train, {}), ScaleKind::kMaxAbs);
  for (const bool labels : {true, false}) {
    std::string text = ConllText(20, 6, labels);
    if (labels) text += "new XX Z\n\n";
    const std::string path = folder.Write("text", text);
    const std::string out = folder.Path("out");
    const SequenceConversion conversion = ConvertSequences(path, {out}, For(task.model));
    const SequenceInput expected = ReadSequencesFor(task.model, path, "");
    const SequenceInput found = ReadSequencesFor(task.model, out, "");
    CHECK(expected.unknown_features > 0);
    CHECK(found.unknown_features == expected.unknown_features);
    CHECK(found.data.label_names == expected.data.label_names);
    CHECK(found.data.labels == expected.data.labels);
    CheckSameRows(found.data, expected.data);
    const std::vector<SequenceInput> shares = OnEachRank(
        3, [&](ThreadRanks& ranks) { return ReadSequencesFor(task.model, out, "", ranks); });
    CHECK(shares[0].unknown_features == expected.unknown_features);
    CHECK(shares[2].unknown_features == expected.unknown_features);
    if (labels)
      CHECK(Contains(MessageOf<DataError>([&] { ReadTrainingSequences(out, {}); }),
                     "was converted for a model, which does not know all of its labels"));
  }
  const std::string other = folder.Path("other");
  SequenceConversionOptions options;
  ConvertSequences(train, {other}, options);
  CHECK(Contains(MessageOf<DataError>([&] { ReadSequencesFor(task.model, other, ""); }),
                 "scaled in another way"));
  options.read.features.min_count = 1;
  ConvertSequences(train, {other}, options);
  CHECK(Contains(MessageOf<DataError>([&] { ReadSequencesFor(task.model, other, ""); }),
                 "has other features than the model: convert the data again, with --for"));
  ConvertSequences(folder.Write("letters", LettersText(9)), {other}, options);
  CHECK(Contains(MessageOf<DataError>([&] { ReadSequencesFor(task.model, other, ""); }),
                 "is letters, but the model is of conll"));
}

TEST_CASE("faults in the text, interrupts and changes leave no file") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("text", ConllText(50, 5));
  SequenceConversionOptions options;
  const auto message = [&](const std::string& from) {
    return MessageOf<DataError>([&] { ConvertSequences(from, {folder.Path("out")}, options); });
  };
  CHECK(Contains(message(folder.Write("bad", "a b C\n\na b\n")), "bad:3: 2 columns"));
  CHECK(Contains(message("-"), "<stdin>: sequences are read several times"));
  CHECK(Contains(message(folder.Path("none")), "none"));
  CHECK(Contains(message(folder.Write("empty", "\n")), "no tokens"));
  struct Stop {};
  for (const std::string_view end :
       {"reading labels", "counting features", "reading", "learning scales", "writing"}) {
    options.progress = [&](std::string_view stage, Index) {
      if (stage == end) throw Stop{};
    };
    CHECK_THROWS_AS(ConvertSequences(path, {folder.Path("out")}, options), Stop);
  }
  options.progress = [&](std::string_view stage, Index) {
    if (stage == "reading") folder.Write("text", ConllText(51, 5));
  };
  CHECK(message(path) == path + ": changed while it was converted: convert it again");
  CHECK(folder.NumFiles() == 3);
}

TEST_CASE("every changed bit of a file is found") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("text", "a x B\nb x C\n\na x B\n\n");
  SequenceConversionOptions options;
  options.read.features.min_count = 1;
  options.read.templates = "spelling";
  const std::string out = folder.Path("out");
  ConvertSequences(path, {out}, options);
  const std::string bytes = ReadBytes(out);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    CAPTURE(at);
    folder.Write("out", changed);
    bool refused = false;
    try {
      ReadConvertedSequences(out, {});
    } catch (const DataError&) {
      refused = true;
    }
    CHECK(refused);
  }
}
