// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/sequence/template_sets.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/marginals/marginal_learner.h>

namespace slackline::internal::program {
namespace {

/// Throws DataError on options that only apply to CoNLL data.
void CheckFormat(const SequenceFlags& flags, SequenceFormat format) {
  if (format == SequenceFormat::kConll) return;
  const auto refuse = [](const std::string& value, const char* option) {
    if (value.empty()) return;
    throw DataError("--" + std::string(option) +
                    ": letters have their pixels as features, and no templates");
  };
  refuse(flags.templates, "template");
  refuse(flags.min_count, "min-count");
  refuse(flags.hash_bits, "hash-bits");
  if (flags.ReadConstraints() != LabelConstraints::kAny)
    throw DataError("--constraints: bio needs labels of chunks, which letters do not have");
}

std::string DescribeFeatures(const SequenceModel& model) {
  if (model.format() == SequenceFormat::kLetters) return Count(model.num_features(), "pixel");
  const SequenceFeatures& features = model.features();
  return Count(model.num_features(),
               features.dictionary.hash_bits() > 0 ? "hashed feature" : "feature") +
         " of " + Count(features.templates.size(), "template");
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

void DescribeData(const SequenceTask& task, const TrainingSet& training) {
  std::string line =
      "data: " + Count(static_cast<Offset>(task.input.sequences.size()), "sequence") + ", " +
      Count(task.input.num_tokens(), "token") + ", " + DescribeFeatures(task.model) + ", " +
      Count(task.model.num_labels(), "label") + ", " + Count(task.model.layout()->size(), "weight");
  if (training.skipped_variables > 0)
    line += ", " + Count(training.skipped_variables, "token") + " without a label";
  if (training.skipped_examples > 0)
    line += ", " + Count(training.skipped_examples, "sequence") + " without any label left out";
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

void AddFoldsOption(CLI::App* app, std::string_view name, std::string* folds) {
  AddTextOption(app, name, folds, "LIST",
                "letters: use only words of these folds, such as 1-9 or 0,2,4-6", "all");
}

void SequenceFlags::Register(CLI::App* app, const std::string& folds_option) {
  app->add_option("DATA", data, "training data")->required()->type_name("");
  AddTextOption(app, "format", &format, "letters|conll",
                "format of DATA. letters: Kassel's letters with pixels, one letter per line. "
                "conll: one token per line, in columns of which the last is the label, with blank "
                "lines between sequences",
                "decided by the first line");
  AddFoldsOption(app, folds_option, &folds);
  AddTextOption(app, "template", &templates, "SET|FILE",
                "conll: features of the tokens: one of the sets auto, chunking, spelling, "
                "chunking+spelling, or a file of templates (see `sequence template`; write ./NAME "
                "for a file with the name of a set)",
                "auto");
  AddTextOption(app, "min-count", &min_count, "N",
                "conll: leave out features that occur fewer than N times in DATA",
                std::to_string(kDefaultMinCount));
  AddTextOption(app, "hash-bits", &hash_bits, "B",
                "conll: 2^B hashed features, without a dictionary; B from 1 to 30");
  AddTextOption(app, "loss", &loss, "mean|count",
                "Hamming loss of each sequence: share (mean) or number (count) of its known labels "
                "that are wrong",
                "mean");
  AddTextOption(app, "costs", &costs, "FILE",
                "costs of errors in the loss: lines `given predicted cost`, where * as predicted "
                "stands for all labels without a line of their own. All other errors cost 1");
  AddTextOption(app, "constraints", &constraints, "none|bio",
                "conll: bio allows, in training and in all predictions, only labellings where I-X "
                "follows B-X or I-X",
                "none");
  scale.Register(app);
}

SequenceReadOptions SequenceFlags::Read() const {
  SequenceReadOptions options;
  if (!format.empty())
    options.format =
        ReadChoice("format", format, {SequenceFormat::kLetters, SequenceFormat::kConll});
  options.templates = templates;
  options.folds = folds;
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

SequenceTask LoadSequenceTask(const SequenceFlags& flags, LearnerKind learner) {
  const LabelConstraints constraints = flags.ReadConstraints();
  if (constraints != LabelConstraints::kAny && learner != LearnerKind::kAuto &&
      !UsesOracle(learner) && !UsesMarginals(learner)) {
    throw DataError("--constraints: " + flags.constraints + " needs --learner bcfw; " +
                    std::string(Name(learner)) +
                    " steps on single factors, and constraints hold for whole labellings");
  }
  SequenceInput input = ReadTrainingSequences(flags.data, flags.Read());
  CheckFormat(flags, input.format);
  SequenceModel model = MakeSequenceModel(input, learner, constraints);
  const auto name = [](Index feature) { return std::to_string(feature + 1); };
  ScaledInputs scaled = ScaleForTraining(
      flags.scale.Read(), {input.data.source, input.data.rows, input.data.num_features, name});
  input.data.rows = scaled.rows;
  model.set_scaling(scaled.scaling);
  LossOptions loss;
  loss.scale = ReadLossScale(flags.loss);
  if (!flags.costs.empty()) loss.costs = ReadLabelCosts(flags.costs, model.label_names());
  return {std::move(input), std::move(model), std::move(loss), std::move(scaled)};
}

Problem MakeSequenceProblem(const SequenceTask& task, std::span<const Index> sequences) {
  TrainingSet training =
      MakeTrainingSet(task.model.MakeDataset(task.input.data, sequences), task.loss);
  if (training.data.size() == 0)
    throw DataError(task.input.data.source, 0, "no sequence has a known label");
  return Problem(std::move(training), 1);
}

SequenceSession::SequenceSession(const SequenceFlags& flags, SequenceTask* task)
    : flags_(flags), task_(*task), problem_(MakeSequenceProblem(*task, task->input.sequences)) {}

Fingerprint SequenceSession::Context() const {
  Fingerprint context = {{"names of the labels", HashOfNames(task_.model.label_names())},
                         {"--constraints", std::string(Name(task_.model.constraints()))}};
  if (task_.model.format() == SequenceFormat::kConll) {
    const SequenceFeatures& features = task_.model.features();
    context.push_back({"names of the features",
                       HashOfNames({features.templates.text(), features.dictionary.Text()})});
  }
  return context;
}

void SequenceSession::Describe(const LearnerChoice& choice, const std::string& lambda) const {
  if (flags_.format.empty())
    std::fprintf(stderr, "format: %s, by the first line\n",
                 std::string(Name(task_.model.format())).c_str());
  if (task_.model.format() == SequenceFormat::kConll) {
    std::fprintf(stderr, "%s\n",
                 DescribeTemplates(flags_, task_.model.features().templates).c_str());
  }
  DescribeData(task_, problem_.training());
  if (!task_.scaled.line.empty()) std::fprintf(stderr, "%s\n", task_.scaled.line.c_str());
  const bool constrained = task_.model.constraints() != LabelConstraints::kAny;
  DescribeLearner(choice, lambda,
                  "loss " + flags_.loss + (flags_.costs.empty() ? "" : " with costs") +
                      (constrained ? ", constraints " + flags_.constraints : "") +
                      (UsesKernel(choice.options)
                           ? ", kernel " + KernelOf(choice.options, problem_.data()).description()
                           : ""));
}

Json SequenceSession::Begin(const Problem& problem, const LearnerChoice& choice) {
  trained_ = choice.options;
  const SequenceModel& model = task_.model;
  std::vector<std::pair<std::string, std::string>> options = {
      {"format", std::string(Name(model.format()))},
      {"loss", flags_.loss},
      {"constraints", flags_.constraints},
      {"scale", flags_.scale.scale}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) options.emplace_back(name, value);
  };
  add("costs", flags_.costs);
  add("folds", flags_.folds);
  if (model.format() == SequenceFormat::kConll) {
    add("template", flags_.templates);
    add("hash-bits", flags_.hash_bits);
    if (flags_.hash_bits.empty())
      add("min-count",
          flags_.min_count.empty() ? std::to_string(kDefaultMinCount) : flags_.min_count);
  }
  BeginRecord(task_.input.data.source, problem, choice.options, std::move(options),
              &task_.model.record);
  task_.model.record.loss = flags_.loss + (flags_.costs.empty() ? "" : " with costs");
  Json start = StartJson(model.record, choice);
  start["skipped_sequences"] = problem.training().skipped_examples;
  start["skipped_tokens"] = problem.training().skipped_variables;
  start["tokens"] = task_.input.num_tokens();
  start["features"] = model.num_features();
  start["labels"] = model.num_labels();
  start["constraints"] = Name(model.constraints());
  start["weights"] = model.weights().size();
  return start;
}

void SequenceSession::Save(const TrainSummary& summary, const std::string& path) {
  FinishRecord(summary, &task_.model.record);
  task_.model.SetTrained(problem_, trained_, summary.weights);
  task_.model.Save(path);
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

SequenceInput LoadSequences(const SequenceModel& model, const std::string& data,
                            const std::string& folds, bool quiet) {
  SequenceInput input = ReadSequencesFor(model, data, folds);
  if (!quiet) NoteUnknown(input.data, input.unknown_features);
  return input;
}

}  // namespace slackline::internal::program
