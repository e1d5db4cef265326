// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_input.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <slackline/apps/converted/converted_reader.h>
#include <slackline/apps/sequence/converted_sequences.h>
#include <slackline/apps/sequence/data/attribute_reader.h>
#include <slackline/apps/sequence/data/conll_reader.h>
#include <slackline/apps/sequence/data/letters_reader.h>
#include <slackline/apps/sequence/template_sets.h>
#include <slackline/core/check.h>
#include <slackline/core/data_source.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>
#include <slackline/core/record_deal.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

/// A lower bound on the memory for training. Per weight: one number in the learner's point, in the
/// newest and in the best evaluation, and in the model, and two copies while the model is saved.
constexpr double kBytesPerSequenceWeight = 48;
/// Per token and label: labels and losses of the training set, scores and messages of an oracle.
constexpr double kBytesPerState = 8;
/// Per pair of tokens and pair of labels: the tables of the learners al and soft.
constexpr double kBytesPerPairState = 8;
/// Per structure and transition: the table in both directions in the oracles of training and of
/// checks, and the table of the structure.
constexpr double kBytesPerTransition = 40;

/// The first line with text that is no comment; empty if there is none.
std::string_view FindFirstLine(LineReader* reader, const std::string& comments) {
  std::string_view line;
  while (reader->Next(&line)) {
    if (Trimmed(line).empty() || (!comments.empty() && line.starts_with(comments))) continue;
    RefuseConverted(reader->name(), line);
    return line;
  }
  return {};
}

std::vector<Index> WantedSequences(const SequenceData& data, const std::string& folds,
                                   Ranks& ranks) {
  std::vector<Index> wanted(data.num_sequences());
  std::iota(wanted.begin(), wanted.end(), 0);
  if (folds.empty()) return wanted;
  const std::vector<bool> selected = SelectFolds(folds, data, ranks);
  std::erase_if(wanted, [&](Index m) { return !selected[m]; });
  return wanted;
}

SequenceFeatures LearnFeatures(const SequenceReadOptions& options, SequenceData* data) {
  Ranks& ranks = RanksOrOne(options.ranks);
  if (data->attributes != nullptr)
    return {{}, LearnAttributeFeatures(options.features, data, ranks)};
  FeatureTemplates templates = ReadTemplates(options.templates, *data->tokens, ranks);
  FeatureDictionary dictionary = LearnSequenceFeatures(templates, options.features, data, ranks);
  return {std::move(templates), std::move(dictionary)};
}

/// An error at a token.
DataError ErrorAt(const SequenceData& data, Offset token, const std::string& message) {
  const auto after = std::upper_bound(data.begin.begin(), data.begin.end(), token);
  const auto m = static_cast<Index>(after - data.begin.begin() - 1);
  return DataError(data.FileOf(m), data.LineOf(m, token), message);
}

void ScaleRows(const FeatureScaling& scaling, SequenceData* data) {
  if (!scaling.active()) return;
  try {
    data->rows = scaling.Apply(*data->rows, data->num_features);
  } catch (const ScaleError& error) {
    throw ErrorAt(*data, error.row(), error.what());
  }
}

SequenceFormat FormatOf(const SequenceReadOptions& options, std::string_view line) {
  return options.format.value_or(LooksLikeLetter(line) ? SequenceFormat::kLetters
                                                       : SequenceFormat::kConll);
}

RecordRule RuleOf(SequenceFormat format, const TokenLines& lines) {
  const bool letters = format == SequenceFormat::kLetters;
  RecordRule rule;
  rule.role = [letters, lines](std::string_view line, bool) {
    return letters ? RoleOfLetterLine(line) : lines.RoleOf(line);
  };
  rule.no_records = letters ? "no words" : "no tokens";
  return rule;
}

/// How the data of several ranks, or of a folder, are dealt.
struct Deal {
  Ranks& ranks;
  Index shards;  // 0 = one per rank
  std::string comments;
};

/// Reads on from the first line until the form of CoNLL columns is decided, and makes the first
/// token the first line.
void DecideForm(LineReader* head, FirstLine* first) {
  std::string text = first->text;
  for (std::string_view line = text; !first->lines.Decide(line);) {
    if (!head->Next(&line)) {
      first->lines.Decide("");
      break;
    }
    text = line;
  }
  if (!first->lines.conllu()) return;
  first->text = text;
  first->number = head->line_number();
  first->file = head->name();
}

/// Reads the sequences of this rank. begin(line) returns the format of data with this first line
/// and may throw DataError. make(lines, first) makes the reader.
template <class Begin, class Make>
SequenceData ReadDealtSequences(const std::string& path, const Deal& deal, const Begin& begin,
                                const Make& make) {
  Ranks& ranks = deal.ranks;
  const DataSource source = FindDataSource(ranks, path);
  FirstLine first;
  RecordRule rule;
  OnAllRanks(ranks, [&] {
    LineReader head = ReaderOf(source);
    first.text = FindFirstLine(&head, deal.comments);
    first.number = head.line_number();
    first.file = head.name();
    first.lines = TokenLines(deal.comments);
    const SequenceFormat format = begin(first.text);
    if (format == SequenceFormat::kConll) DecideForm(&head, &first);
    rule = RuleOf(format, first.lines);
    if (first.text.empty()) throw DataError(source.name, 0, rule.no_records);
  });
  std::vector<FilePart> parts =
      DealRecords(ranks, source, rule, deal.shards > 0 ? deal.shards : Index{ranks.size()});
  const bool any = !parts.empty();
  LineReader lines(source.name, std::move(parts));
  std::unique_ptr<SequenceReader> reader;
  OnAllRanks(ranks, [&] {
    reader = make(&lines, first);
    while (any && reader->Next()) {
    }
  });
  reader->Agree(ranks);
  return reader->Take();
}

void RefuseDealtFolds(const std::string& path, const SequenceReadOptions& options) {
  if (!options.folds.empty() && !RanksOrOne(options.ranks).alone())
    throw DataError(path, 0, "several processes read all folds, not some of them");
}

SequenceInput ReadDealtTraining(const std::string& path, const SequenceReadOptions& options) {
  Ranks& ranks = RanksOrOne(options.ranks);
  SequenceInput input;
  const auto begin = [&](std::string_view line) {
    RefuseDealtFolds(path, options);
    return input.format = FormatOf(options, line);
  };
  input.data = ReadDealtSequences(path, {ranks, options.shards, options.comments}, begin,
                                  [&](LineReader* lines, const FirstLine& first) {
                                    return MakeTrainingReader(input.format, options, lines, &first);
                                  });
  input.sequences = WantedSequences(input.data, options.folds, OneRank());
  if (input.format != SequenceFormat::kLetters)
    input.features = LearnFeatures(options, &input.data);
  return input;
}

/// Throws DataError unless the labels are an IOB2 set and the selected sequences obey its rules.
void CheckBio(const SequenceInput& input) {
  const SequenceData& data = input.data;
  const std::string why = WhyNotBio(data.label_names);
  if (!why.empty()) throw DataError(data.source, 0, "constraints bio need BIO labels, but " + why);
  const std::optional<BioViolation> violation = FindBioViolation(data, input.sequences);
  if (!violation) return;
  throw ErrorAt(data, data.begin[violation->sequence] + violation->position,
                "constraints bio do not allow " + violation->text);
}

/// An upper bound on the number of structures with their own tables: one per length, and one per
/// sequence with unknown labels.
Offset NumStructures(const SequenceInput& input) {
  std::set<Index> lengths;
  Offset patterns = 0;
  for (const Index m : input.sequences) {
    const auto begin = input.data.labels.begin() + input.data.begin[m];
    const auto end = begin + input.data.length(m);
    lengths.insert(input.data.length(m));
    patterns += std::find(begin, end, kUnlabelled) != end ? 1 : 0;
  }
  return static_cast<Offset>(lengths.size()) + patterns;
}

/// Throws the DataErrors of MakeSequenceModel.
void CheckTraining(const SequenceInput& input, LearnerKind learner, LabelConstraints constraints,
                   const MemoryShare& memory) {
  const SequenceData& data = input.data;
  const Offset labels = data.num_labels();
  if (labels > kMostSequenceLabels) {
    throw DataError(data.source, 0,
                    std::to_string(labels) + " different labels, but at most " +
                        std::to_string(kMostSequenceLabels) +
                        " are possible: does the last column hold the labels?");
  }
  const auto k = static_cast<double>(labels);
  const auto tokens = static_cast<double>(input.num_tokens());
  const Offset weights = SequenceModel::NumWeights(labels, data.num_features);
  double bytes =
      kBytesPerSequenceWeight * static_cast<double>(weights) + kBytesPerState * tokens * k;
  const bool blocks = learner == LearnerKind::kAugmentedLagrangian || learner == LearnerKind::kSoft;
  if (blocks)
    bytes += kBytesPerPairState * (tokens - static_cast<double>(input.sequences.size())) * k * k;
  bytes += kBytesPerTransition * static_cast<double>(NumStructures(input)) * k * k;
  const std::string excess = MemoryExcess(bytes, memory);
  if (!excess.empty()) {
    throw DataError(data.source, 0,
                    std::to_string(labels) + " labels × " + std::to_string(data.num_features) +
                        " features on " + std::to_string(input.num_tokens()) + " tokens: " +
                        excess + (blocks ? "; --learner bcfw needs less" : "; use fewer features"));
  }
  if (weights > std::numeric_limits<Index>::max()) {
    throw DataError(data.source, 0,
                    std::to_string(labels) + " labels × " + std::to_string(data.num_features) +
                        " features are " + std::to_string(weights) + " weights; more than " +
                        std::to_string(std::numeric_limits<Index>::max()) + " are not possible");
  }
  if (constraints == LabelConstraints::kBio) CheckBio(input);
}

}  // namespace

Offset SequenceInput::num_tokens() const {
  Offset tokens = 0;
  for (const Index m : sequences) tokens += data.length(m);
  return tokens;
}

std::optional<BioViolation> FindBioViolation(const SequenceData& data,
                                             std::span<const Index> sequences) {
  const BioRules rules = BioAllowed(data.label_names);
  for (const Index m : sequences) {
    const Offset begin = data.begin[m];
    for (Index i = 0; i < data.length(m); ++i) {
      const Index label = data.labels[begin + i];
      if (label == kUnlabelled) continue;
      const Index before = i > 0 ? data.labels[begin + i - 1] : kUnlabelled;
      const bool allowed =
          i == 0 ? rules.start[label] : before == kUnlabelled || rules.Allows(before, label);
      if (allowed) continue;
      return BioViolation{
          m, i,
          Quoted(data.label_names[label]) +
              (i == 0 ? " to begin a sequence" : " after " + Quoted(data.label_names[before]))};
    }
  }
  return std::nullopt;
}

SequenceInput ReadTrainingSequences(const std::string& path, const SequenceReadOptions& options) {
  if (IsConverted(RanksOrOne(options.ranks), path)) {
    OnAllRanks(RanksOrOne(options.ranks), [&] { RefuseDealtFolds(path, options); });
    SequenceInput input = ReadConvertedSequences(path, options);
    input.sequences = WantedSequences(input.data, options.folds, OneRank());
    return input;
  }
  const bool alone = options.ranks == nullptr || options.ranks->alone();
  if (!alone || IsFolder(path)) return ReadDealtTraining(path, options);
  LineReader lines(path);
  const std::string_view line = FindFirstLine(&lines, options.comments);
  SequenceInput input;
  input.format = FormatOf(options, line);
  const std::unique_ptr<SequenceReader> reader = MakeTrainingReader(input.format, options, &lines);
  reader->ParseLine(line);
  input.data = ReadAllSequences(reader.get());
  input.sequences = WantedSequences(input.data, options.folds, OneRank());
  if (input.format != SequenceFormat::kLetters)
    input.features = LearnFeatures(options, &input.data);
  return input;
}

SequenceFormat SequenceFormatOf(const SequenceReadOptions& options, LineReader* lines) {
  return FormatOf(options, FindFirstLine(lines, options.comments));
}

std::unique_ptr<SequenceReader> MakeTrainingReader(SequenceFormat format,
                                                   const SequenceReadOptions& options,
                                                   LineReader* lines, const FirstLine* first) {
  if (format == SequenceFormat::kAttributes) return MakeAttributeReader(lines, {});
  if (format == SequenceFormat::kConll) {
    const ConllReadOptions columns{{}, -1, options.comments};
    return first == nullptr ? MakeConllReader(lines, columns)
                            : MakeConllReader(lines, columns, *first);
  }
  LettersReadOptions letters;
  letters.any_numbers = options.format.has_value();
  return first == nullptr ? MakeLettersReader(lines, letters)
                          : MakeLettersReader(lines, letters, *first);
}

std::int64_t MakeFeatureRows(const SequenceFeatures& features, SequenceData* data) {
  return features.templates.size() > 0
             ? MakeSequenceFeatures(features.templates, features.dictionary, data)
             : MakeAttributeFeatures(features.dictionary, data);
}

std::int64_t MakeRowsFor(const SequenceModel& model, SequenceData* data) {
  std::int64_t unknown = 0;
  if (model.format() != SequenceFormat::kLetters) unknown = MakeFeatureRows(model.features(), data);
  ScaleRows(model.scaling(), data);
  return unknown;
}

std::unique_ptr<SequenceReader> MakeReaderOf(const KnownSequences& known, LineReader* lines,
                                             const FirstLine* first) {
  if (known.format == SequenceFormat::kLetters) {
    const LettersReadOptions options{known.label_names, known.columns, true};
    return first == nullptr ? MakeLettersReader(lines, options)
                            : MakeLettersReader(lines, options, *first);
  }
  if (known.format == SequenceFormat::kAttributes)
    return MakeAttributeReader(lines, known.label_names);
  const ConllReadOptions options{known.label_names, known.columns, known.comments};
  return first == nullptr ? MakeConllReader(lines, options)
                          : MakeConllReader(lines, options, *first);
}

std::unique_ptr<SequenceReader> MakeReaderFor(const SequenceModel& model, LineReader* lines,
                                              const FirstLine* first, const std::string& comments) {
  const bool conll = model.format() == SequenceFormat::kConll;
  const Index columns = conll ? model.features().templates.num_columns() : model.num_features();
  return MakeReaderOf({model.format(), model.label_names(), columns, comments}, lines, first);
}

SequenceInput ReadSequencesFor(const SequenceModel& model, const std::string& path,
                               const std::string& folds, Ranks& ranks,
                               const std::string& comments) {
  SequenceInput input;
  if (IsConverted(ranks, path)) {
    SequenceReadOptions options;
    options.ranks = &ranks;
    input = ReadConvertedSequences(path, options, &model);
    input.sequences = WantedSequences(input.data, folds, ranks);
    return input;
  }
  input.format = model.format();
  if (ranks.alone() && !IsFolder(path)) {
    LineReader lines(path);
    input.data = ReadAllSequences(MakeReaderFor(model, &lines, nullptr, comments).get());
  } else {
    input.data = ReadDealtSequences(
        path, {ranks, 0, comments}, [&](std::string_view) { return model.format(); },
        [&](LineReader* lines, const FirstLine& first) {
          return MakeReaderFor(model, lines, &first, comments);
        });
  }
  OnAllRanks(ranks, [&] { input.unknown_features = MakeRowsFor(model, &input.data); });
  input.unknown_features = ranks.SumOf(input.unknown_features);
  input.sequences = WantedSequences(input.data, folds, ranks);
  return input;
}

SequenceModel MakeSequenceModel(const SequenceInput& input, LearnerKind learner,
                                LabelConstraints constraints, Ranks& ranks) {
  const MemoryShare memory = SharedMemory(ranks);
  OnAllRanks(ranks, [&] { CheckTraining(input, learner, constraints, memory); });
  const SequenceData& data = input.data;
  if (input.features) return SequenceModel(data.label_names, *input.features, constraints);
  return SequenceModel(data.label_names, data.num_features, constraints);
}

std::vector<double> ReadLabelCosts(const std::string& path,
                                   std::span<const std::string> label_names) {
  const std::size_t k = label_names.size();
  std::vector<double> costs(k * k, 1.0);
  for (std::size_t label = 0; label < k; ++label) costs[label * k + label] = 0;
  // A pair with its own line overrides a line for all other labels.
  std::vector<bool> one(k * k, false);
  std::vector<bool> all(k, false);
  LineReader reader(path);
  std::string_view line;
  std::vector<std::string_view> fields;
  while (reader.Next(&line)) {
    SplitAtBlanks(line, &fields);
    if (fields.empty()) continue;
    const auto fail = [&](const std::string& message) {
      throw DataError(reader.name(), reader.line_number(), message);
    };
    const auto label = [&](std::string_view name) -> std::size_t {
      const auto found = std::find(label_names.begin(), label_names.end(), name);
      if (found == label_names.end()) fail("there is no label " + Quoted(name) + " in the data");
      return found - label_names.begin();
    };
    if (fields.size() != 3) fail("expected a given label, a predicted label and a cost");
    double cost = 0;
    if (!ParseNumber(fields[2], &cost) || cost < 0 || cost > kLargestValue)
      fail("cost " + Quoted(fields[2]) + " is not a number ≥ 0");
    const std::size_t given = label(fields[0]);
    if (fields[1] == "*") {
      if (all[given]) fail("label " + Quoted(fields[0]) + " already has a cost for all others");
      all[given] = true;
      for (std::size_t other = 0; other < k; ++other) {
        if (other != given && !one[given * k + other]) costs[given * k + other] = cost;
      }
      continue;
    }
    const std::size_t predicted = label(fields[1]);
    if (predicted == given && cost != 0)
      fail("label " + Quoted(fields[0]) + " itself must cost nothing");
    if (one[given * k + predicted])
      fail("label " + Quoted(fields[0]) + " predicted as " + Quoted(fields[1]) +
           " has a cost already");
    one[given * k + predicted] = true;
    costs[given * k + predicted] = cost;
  }
  return costs;
}

}  // namespace slackline::internal
