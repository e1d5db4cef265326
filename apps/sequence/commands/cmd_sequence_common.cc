// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>

#include <cstdio>
#include <utility>

#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/sequence/template_sets.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

/// Throws DataError on options that converted data have settled.
void CheckConverted(const SequenceFlags& flags, const std::string& source) {
  const auto refuse = [&](const std::string& value, const char* option) {
    if (value.empty()) return;
    throw DataError(source, 0,
                    "converted data, which have their features: leave --" + std::string(option) +
                        " out, or convert the data again with it");
  };
  refuse(flags.format, "format");
  refuse(flags.templates, "template");
  refuse(flags.min_count, "min-count");
  refuse(flags.hash_bits, "hash-bits");
}

/// Which templates are used, and why if they were chosen automatically.
std::string DescribeTemplates(const SequenceFlags& flags, const FeatureTemplates& templates) {
  const bool chosen = flags.templates.empty() || flags.templates == "auto";
  std::string text = chosen ? std::string(TemplateSetOf(templates)) : Printable(flags.templates);
  if (chosen && templates.num_columns() > 1)
    text += text == "chunking" ? ", since column 0 does not hold words"
                               : ", since column 0 holds words";
  return "templates: " + text + "; " + Count(templates.size(), "feature") + " per token";
}

/// What a user should know of how text was read.
std::vector<std::string> ReadingLines(const SequenceFlags& flags, const SequenceTask& task) {
  std::vector<std::string> lines;
  if (flags.format.empty())
    lines.push_back("format: " + std::string(Name(task.model.format())) + ", by the first line");
  if (task.model.format() != SequenceFormat::kConll) return lines;
  for (const std::string& line : NoteLines(FormNotes(task.input.data))) lines.push_back(line);
  lines.push_back(DescribeTemplates(flags, task.model.features().templates));
  return lines;
}

void AddFoldsOption(Command* app, std::string_view name, std::string* folds) {
  AddTextOption(app, name, folds, "LIST",
                "letters: use only words of these folds, such as 1-9 or 0,2,4-6", "all");
}

}  // namespace

void AddCommentsOption(Command* app, std::string* comments) {
  AddTextOption(app, "comments", comments, "PREFIX",
                "conll: leave out lines that begin with PREFIX, such as '#'", "none")
      ->SetAudience(Audience::kCommand);
}

void SequenceDataFlags::Register(Command* app, std::string_view what) {
  app->AddArgument("DATA", &data, std::string(what))->Required();
  AddFoldsOption(app, "folds", &folds);
  AddCommentsOption(app, &comments);
}

void SequenceFlags::RegisterReading(Command* app) {
  AddTextOption(
      app, "format", &format, "letters|conll|attributes",
      "letters: Kassel's letters with pixels. conll: a token a line, in columns of which the last "
      "is the label, or CoNLL-U. attributes: CRFsuite's: a label, then NAME or NAME:VALUE, with "
      "tabs between",
      "letters or conll, by the first line")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "template", &templates, "SET|FILE",
                "conll: features of the tokens: auto, chunking, spelling, chunking+spelling, or a "
                "file of templates (see `sequence template`)",
                "auto");
  AddTextOption(app, "min-count", &min_count, "N",
                "leave out features that occur fewer than N times",
                "conll: " + std::to_string(kDefaultMinCount) + "; attributes: 1")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "hash-bits", &hash_bits, "B",
                "2^B hashed features, without a dictionary; B from 1 to 30")
      ->SetAudience(Audience::kCommand);
  AddCommentsOption(app, &comments);
}

void SequenceFlags::Register(Command* app, const std::string& folds_option) {
  app->AddArgument("DATA", &data, "training data")->Required();
  RegisterReading(app);
  AddFoldsOption(app, folds_option, &folds);
  scale.Register(app);
  app->StartGroup(kModelGroup);
  AddTextOption(app, "loss", &loss, "mean|count",
                "share or number of a sequence's known labels that are wrong", "mean");
  AddTextOption(app, "costs", &costs, "FILE",
                "costs of errors: lines `given predicted cost`, where * as predicted stands for "
                "all other labels")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "constraints", &constraints, "none|bio",
                "bio: only labellings where I-X follows B-X or I-X, in training and predictions",
                "none");
}

void CheckFormat(const SequenceFlags& flags, SequenceFormat format) {
  if (format == SequenceFormat::kConll) return;
  const bool letters = format == SequenceFormat::kLetters;
  const auto refuse = [&](const std::string& value, const char* option) {
    if (value.empty()) return;
    throw DataError("--" + std::string(option) + ": " +
                    (letters ? "letters have their pixels" : "tokens have their attributes") +
                    " as features, and no templates");
  };
  refuse(flags.templates, "template");
  if (!letters) return;
  refuse(flags.min_count, "min-count");
  refuse(flags.hash_bits, "hash-bits");
  if (flags.ReadConstraints() != LabelConstraints::kAny)
    throw DataError("--constraints: bio needs labels of chunks, which letters do not have");
}

SequenceReadOptions SequenceFlags::Read() const {
  SequenceReadOptions options;
  if (!format.empty())
    options.format =
        ReadChoice("format", format,
                   {SequenceFormat::kLetters, SequenceFormat::kConll, SequenceFormat::kAttributes});
  if (options.format == SequenceFormat::kAttributes) options.features.min_count = 1;
  options.templates = templates;
  options.folds = folds;
  options.comments = comments;
  if (!min_count.empty()) options.features.min_count = ReadCount("min-count", min_count, 1);
  if (!hash_bits.empty()) {
    if (!min_count.empty())
      throw DataError("--hash-bits: hashed features are not counted; leave out --min-count");
    options.features.min_count = 1;
    options.features.hash_bits =
        ReadCount("hash-bits", hash_bits, 1, FeatureDictionary::kMaxHashBits);
  }
  ReadConstraints();
  scale.Read();
  if (options.format) CheckFormat(*this, *options.format);
  ReadLossScale(loss);
  return options;
}

std::vector<std::string> SequenceFlags::inputs() const {
  return {data, IsTemplateSet(templates) ? "" : templates, costs};
}

LabelConstraints SequenceFlags::ReadConstraints() const {
  return ReadChoice("constraints", constraints, {LabelConstraints::kAny, LabelConstraints::kBio});
}

RecordTexts SequenceFlags::Texts(const SequenceInput& input) const {
  const SequenceFormat model = input.format;
  RecordTexts texts;
  texts.loss = loss + (costs.empty() ? "" : " with costs");
  texts.options = {{"format", std::string(Name(model))},
                   {"loss", loss},
                   {"constraints", constraints},
                   {"scale", scale.scale}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) texts.options.emplace_back(name, value);
  };
  add("costs", costs);
  add("folds", folds);
  add("comments", comments);
  // Converted data have the options of their conversion (WithConversion).
  if (model != SequenceFormat::kLetters && input.data.converted == nullptr) {
    const bool conll = model == SequenceFormat::kConll;
    add("template", templates);
    add("hash-bits", hash_bits);
    if (hash_bits.empty())
      add("min-count",
          min_count.empty() ? std::to_string(conll ? kDefaultMinCount : 1) : min_count);
  }
  return texts;
}

SequenceTask LoadSequenceTask(const SequenceFlags& flags, const TrainOptions& train) {
  SequenceTrainingOptions options;
  options.learner = train.learner;
  options.ranks = ExactRanks(train);
  options.constraints = flags.ReadConstraints();
  CheckConstraints(options.constraints, train.learner);
  SequenceReadOptions read = flags.Read();
  read.ranks = train.ranks;
  read.shards = ShardsFor(train);
  SequenceInput input = ReadTrainingSequences(flags.data, read);
  if (input.data.converted != nullptr) {
    OnAllRanks(RanksOrOne(train.ranks), [&] { CheckConverted(flags, input.data.source); });
  }
  CheckFormat(flags, input.format);
  options.scale = flags.scale.Read();
  options.loss = ReadLossScale(flags.loss);
  SequenceTask task = MakeSequenceTask(std::move(input), options);
  if (task.input.data.converted == nullptr) task.lines = ReadingLines(flags, task);
  if (!flags.costs.empty()) task.loss.costs = ReadLabelCosts(flags.costs, task.model.label_names());
  return task;
}

void NoteUnknown(const SequenceData& data, std::int64_t features) {
  const Index labels = data.num_labels() - data.num_model_labels;
  if (labels > 0) {
    std::fprintf(stderr, "note: %s that the model does not know and never predicts: %s%s\n",
                 Count(labels, "label").c_str(),
                 Quoted(data.label_names[data.num_model_labels]).c_str(), labels > 1 ? ", …" : "");
  }
  if (features > 0) {
    std::fprintf(stderr, "note: %s of tokens unknown to the model left out\n",
                 Count(features, "feature").c_str());
  }
}

std::vector<std::string> FormNotes(const SequenceData& data) {
  std::vector<std::string> notes;
  if (data.conllu)
    notes.push_back(data.source +
                    " is CoNLL-U: FORM is the word and UPOS its label; comments, ranges (1-2) and "
                    "empty nodes (5.1) are left out");
  if (data.num_hash_lines > data.num_sequences() / 20)
    notes.push_back(Count(data.num_hash_lines, "sequence") +
                    (data.num_hash_lines == 1 ? " begins" : " begin") +
                    " with a line '# …', which counts as a token; --comments '#' leaves such "
                    "lines out");
  return notes;
}

SequenceInput LoadSequences(const SequenceModel& model, const SequenceDataFlags& flags,
                            bool quiet) {
  SequenceInput input =
      ReadSequencesFor(model, flags.data, flags.folds, ProcessRanks(), flags.comments);
  if (quiet) return input;
  TellNotes(FormNotes(input.data));
  NoteUnknown(input.data, input.unknown_features);
  return input;
}

}  // namespace slackline::internal::program
