// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/converted_sequences.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <slackline/apps/converted/converted_reader.h>
#include <slackline/core/check.h>
#include <slackline/core/record_deal.h>

namespace slackline::internal {
namespace {

TokenLabel LabelAt(std::string_view bytes) {
  TokenLabel label;
  std::memcpy(&label, bytes.data(), sizeof(label));
  return label;
}

/// The columns of tokens that rows have.
struct SequenceColumns {
  Index count = 0;
  char separator = '\t';

  bool operator==(const SequenceColumns&) const = default;
};

std::optional<SequenceColumns> ColumnsOf(const ConvertedPart& part) {
  const auto numbers = part.entries.file().Integers("token_columns");
  if (numbers.empty()) return std::nullopt;
  part.entries.Require(numbers.size() == 2 && (numbers[1] == ' ' || numbers[1] == '\t'),
                       "token_columns");
  return SequenceColumns{part.entries.ToIndex("token_columns", numbers[0]),
                         static_cast<char>(numbers[1])};
}

const ConvertedKind& SequenceKind() {
  static const ConvertedKind kind{
      kConvertedSequences,
      [](const ConvertedPart& part) { return SequenceLabelBytes(ColumnsOf(part).has_value()); },
      [](std::string_view labels) {
        return labels.size() >= sizeof(TokenLabel) && LabelAt(labels).fold >= 0;
      }};
  return kind;
}

/// What a part says about the data, without its sequences.
struct AboutSequences {
  SequenceFormat format = SequenceFormat::kLetters;
  std::optional<SequenceFeatures> features;
  Index num_model_labels = 0;
  bool has_folds = false;
  bool has_labels = true;
  std::optional<SequenceColumns> columns;
};

AboutSequences AboutSequencesOf(const ConvertedPart& part) {
  const ModelEntries& entries = part.entries;
  AboutSequences about;
  about.format = entries.Choose(
      "format", {SequenceFormat::kLetters, SequenceFormat::kConll, SequenceFormat::kAttributes});
  about.features = LoadSequenceFeatures(entries, about.format);
  entries.Require(
      part.facts.num_features >= 1 && !part.facts.has_constant &&
          (!about.features || about.features->dictionary.size() == part.facts.num_features),
      "sizes");
  const auto numbers = entries.Integers("sequences", 3);
  about.num_model_labels = entries.ToIndex("sequences", numbers[0]);
  about.has_folds = numbers[1] != 0;
  about.has_labels = numbers[2] != 0;
  about.columns = ColumnsOf(part);
  entries.Require(
      about.num_model_labels >= 1 && about.num_model_labels <= std::ssize(part.facts.label_names),
      "sequences");
  return about;
}

bool SameFeatures(const std::optional<SequenceFeatures>& a, const SequenceFeatures* b) {
  if (!a || b == nullptr) return !a && b == nullptr;
  return a->templates.text() == b->templates.text() &&
         a->dictionary.hash_bits() == b->dictionary.hash_bits() &&
         a->dictionary.Text() == b->dictionary.Text();
}

const SequenceFeatures* FeaturesOf(const SequenceModel& model) {
  return model.format() == SequenceFormat::kLetters ? nullptr : &model.features();
}

void CheckFits(const std::string& path, const ConvertedFacts& facts, const AboutSequences& about,
               const SequenceModel& model) {
  const auto fail = [&](const std::string& what) {
    throw DataError(path, 0, what + ": convert the data again, with --for and this model");
  };
  if (about.format != model.format())
    fail("is " + std::string(Name(about.format)) + ", but the model is of " +
         std::string(Name(model.format())));
  const std::vector<std::string> known(facts.label_names.begin(),
                                       facts.label_names.begin() + about.num_model_labels);
  if (known != model.label_names()) fail("has other labels than the model");
  if (facts.num_features != model.num_features() ||
      !SameFeatures(about.features, FeaturesOf(model)))
    fail("has other features than the model");
  if (!SameScaling(facts.values.scaling, model.scaling()))
    fail("its values are scaled in another way than those that the model was trained on");
}

/// Throws DataError unless all parts can be one data set.
AboutSequences CommonOfSequences(const ConvertedParts& parts) {
  AboutSequences common = AboutSequencesOf(parts.first());
  const SequenceFeatures* const features = common.features ? &*common.features : nullptr;
  for (std::size_t k = 1; k < parts.parts.size(); ++k) {
    const ConvertedPart& part = parts.parts[k];
    const AboutSequences about = AboutSequencesOf(part);
    RequireAlike(parts, part, about.format == common.format, "kinds of sequences");
    RequireAlike(parts, part, SameFeatures(about.features, features), "features");
    RequireAlike(
        parts, part,
        about.num_model_labels == common.num_model_labels && about.has_labels == common.has_labels,
        "labels");
    RequireAlike(parts, part, about.has_folds == common.has_folds, "folds");
    RequireAlike(parts, part, about.columns == common.columns, "columns of tokens");
  }
  return common;
}

/// Appends the columns of a token. Returns whether there are as many as there must be.
bool AddColumns(std::string_view text, TokenTable* tokens) {
  if (tokens->num_columns == 0) return text.empty();
  for (Index c = 0; c < tokens->num_columns; ++c) {
    const std::size_t end = text.find('\n');
    const bool last = c + 1 == tokens->num_columns;
    if (last != (end == std::string_view::npos)) return false;
    tokens->cells.push_back(tokens->texts.Add(text.substr(0, end)));
    text.remove_prefix(last ? text.size() : end + 1);
  }
  return true;
}

/// Appends a token. Returns whether its label and its columns are valid.
bool AddToken(const ConvertedRow& row, bool has_folds, SequenceData* data, TokenTable* tokens) {
  if (row.labels.size() < sizeof(TokenLabel)) return false;
  const TokenLabel token = LabelAt(row.labels);
  if (row.begins_example) {
    if (row.path != data->source) data->files.Add(data->num_sequences(), row.path);
    if (!data->lines.empty()) data->begin.push_back(data->num_tokens());
    data->lines.push_back(row.number);
    if (has_folds) data->folds.push_back(token.fold);
  }
  data->labels.push_back(token.label);
  return token.label >= kUnlabelled && token.label < data->num_labels() &&
         AddColumns(row.labels.substr(sizeof(TokenLabel)), tokens);
}

void Load(const ConvertedParts& parts, Ranks::Piece mine, const AboutSequences& about,
          SequenceInput* input) {
  SequenceData& data = input->data;
  auto tokens = std::make_shared<TokenTable>();
  if (about.columns) {
    tokens->num_columns = about.columns->count;
    tokens->separator = about.columns->separator;
  }
  data.begin = {0};
  ConvertedValues values;
  data.rows = LoadConvertedRows(
      parts, SequenceKind(), mine,
      [&](const ConvertedRow& row) { return AddToken(row, about.has_folds, &data, tokens.get()); },
      &values);
  data.tokens = std::move(tokens);
  if (!data.lines.empty()) data.begin.push_back(data.num_tokens());
  data.converted = std::make_shared<const ConvertedValues>(std::move(values));
  input->sequences.resize(Size(data.num_sequences()));
  std::iota(input->sequences.begin(), input->sequences.end(), 0);
}

}  // namespace

SequenceInput ReadConvertedSequences(const std::string& path, const SequenceReadOptions& options,
                                     const SequenceModel* model) {
  Ranks& ranks = RanksOrOne(options.ranks);
  const std::vector<std::string> files = ConvertedFiles(ranks, path);
  SequenceInput input;
  OnAllRanks(ranks, [&] {
    const ConvertedParts parts = OpenConverted(files, SequenceKind());
    AboutSequences about = CommonOfSequences(parts);
    const ConvertedFacts& facts = parts.first().facts;
    if (model != nullptr) {
      CheckFits(path, facts, about, *model);
    } else if (about.num_model_labels < std::ssize(facts.label_names)) {
      throw DataError(path, 0, "was converted for a model, which does not know all of its labels");
    }
    input.format = about.format;
    input.features = std::move(about.features);
    for (const ConvertedPart& part : parts.parts)
      input.unknown_features += part.facts.unknown_features;
    SequenceData& data = input.data;
    data.source = path;
    data.label_names = facts.label_names;
    data.num_model_labels = about.num_model_labels;
    data.has_labels = about.has_labels;
    data.num_features = facts.num_features;
    const Index shards = options.shards > 0 ? options.shards : Index{ranks.size()};
    Load(parts, RecordsOfRank(ranks, parts.num_examples(), shards, ranks.rank()), about, &input);
  });
  return input;
}

void AppendColumns(const TokenTable& tokens, Offset token, std::string* bytes) {
  for (Index c = 0; c < tokens.num_columns; ++c) {
    if (c > 0) bytes->push_back('\n');
    bytes->append(tokens.text(token, c));
  }
}

void FinishConverted(const SequenceInput& about, bool has_folds, WindowChoice windows,
                     ConvertedWriter* writer) {
  const SequenceData& data = about.data;
  SLACKLINE_CHECK(data.converted != nullptr, "converted data need their scaling");
  ModelWriter directory;
  directory.Add("task", std::string(kConvertedSequences));
  directory.Add("format", std::string(Name(about.format)));
  SaveSequenceFeatures(about.features ? &*about.features : nullptr, &directory);
  directory.Add("sequences", std::vector<std::int64_t>{data.num_model_labels, has_folds ? 1 : 0,
                                                       data.has_labels ? 1 : 0});
  std::vector<std::int64_t> columns;
  if (data.tokens != nullptr) columns = {data.tokens->num_columns, data.tokens->separator};
  directory.Add("token_columns", columns);
  writer->Finish({data.label_names,
                  data.num_features,
                  false,
                  *data.converted,
                  windows,
                  {},
                  about.unknown_features},
                 directory);
}

}  // namespace slackline::internal
