// SPDX-License-Identifier: BSD-3-Clause
//
// slackline info
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cmd_common.h>
#include <slackline/apps/cmd_report.h>
#include <slackline/apps/matching_model.h>
#include <slackline/apps/multilabel_model.h>
#include <slackline/apps/segment_model.h>
#include <slackline/apps/sequence_model.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Shows what a model file contains, how it was trained, and what is certified.";
constexpr const char* kExamples =
    "Examples:\n"
    "  slackline info yeast.slk\n"
    "  slackline info yeast.slk --json";

struct InfoCommand {
  std::string model;
  bool json = false;
};

double Norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

using Lines = std::vector<std::pair<std::string, std::string>>;

/// What is known of the training.
void AddRecord(const TrainingRecord& record, const std::vector<double>& weights, Json* json) {
  Json options = Json::object();
  for (const auto& [name, value] : record.options) options[name] = value;
  json->update({{"weights", weights.size()},
                {"weights_norm", Norm(weights)},
                {"lambda", record.lambda},
                {"loss", record.loss},
                {"problem", Name(record.problem)},
                {"primal", record.primal},
                {"dual", record.dual},
                {"gap", record.gap},
                {"relative_gap", record.relative_gap},
                {"termination", Name(record.termination)},
                {"message", record.message},
                {"passes", record.passes},
                {"seconds", record.seconds},
                {"check_seconds", record.check_seconds},
                {"options", std::move(options)}});
}

void AddRecord(const TrainingRecord& record, const std::vector<double>& weights, Lines* lines) {
  std::string options;
  for (const auto& [name, value] : record.options)
    options += (options.empty() ? "" : " ") + name + "=" + value;
  const Lines common = {
      {"weights", std::to_string(weights.size()) + ", norm " + Number(Norm(weights))},
      {"objective",
       Number(record.primal, 8) + " (lambda " + Number(record.lambda) + ", loss " + record.loss + ")"},
      {"certified", std::string("the optimum of the ") +
                        (record.problem == CertifiedProblem::kExact ? "exact" : "LP-relaxed") +
                        " problem lies between " + Number(record.dual, 8) + " and " +
                        Number(record.primal, 8) + ", relative gap " + Number(100 * record.relative_gap, 3) +
                        " %"},
      {"ended", std::string(Name(record.termination)) + ": " + record.message},
      {"effort", Count(record.passes, "pass") + ", " + Number(record.seconds, 3) + " s of training and " +
                     Number(record.check_seconds, 3) + " s of checks"},
      {"options", options}};
  lines->insert(lines->end(), common.begin(), common.end());
}

/// What is the model's own, between what models of all tasks have.
template <class Model>
Json WithRecord(std::string_view task, const Model& model, const Json& own) {
  const TrainingRecord& record = model.record;
  Json json = {
      {"task", task}, {"program", record.program}, {"data", record.data}, {"examples", record.num_examples}};
  json.update(own);
  AddRecord(record, model.weights(), &json);
  return json;
}

/// noun: of an example.
template <class Model>
Lines WithRecord(std::string_view task, const std::string& noun, const Model& model, const Lines& own) {
  const TrainingRecord& record = model.record;
  Lines lines = {{"task", std::string(task)},
                 {"trained by", record.program},
                 {"data", record.data + ", " + Count(record.num_examples, noun)}};
  lines.insert(lines.end(), own.begin(), own.end());
  AddRecord(record, model.weights(), &lines);
  return lines;
}

/// What kernelized models have besides.
void AddSupport(const std::optional<KernelSupport>& support, Json* json) {
  if (!support) return;
  (*json)["kernel"] = support->kernel().description();
  (*json)["support_vectors"] = support->size();
}

void AddSupport(const std::optional<KernelSupport>& support, Lines* lines) {
  if (!support) return;
  lines->push_back(
      {"kernel", support->kernel().description() + "; " + Count(support->size(), "support vector")});
}

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + CsvCell(name);
  return text;
}

Json ToJson(const MultiLabelModel& model) {
  Json pairs = Json::array();
  for (const LabelPair& pair : model.pairs()) pairs.push_back({pair.a, pair.b});
  Json json = {{"labels", model.label_names()},
               {"features", model.num_features()},
               {"constant", model.has_constant()},
               {"feature_names", !model.feature_names().empty()},
               {"pairs", std::move(pairs)}};
  AddSupport(model.support(), &json);
  return WithRecord(kMultiLabelTask, model, json);
}

/// name and text of every line.
Lines ToLines(const MultiLabelModel& model) {
  const Offset n = model.num_labels();
  Lines lines = {
      {"labels", std::to_string(n) + ": " + Join(model.label_names())},
      {"features", std::to_string(model.num_features()) + (model.has_constant() ? " and a constant" : "") +
                       (model.feature_names().empty() ? "" : ", with names")},
      {"pairs", std::to_string(model.pairs().size()) + " of " + std::to_string(n * (n - 1) / 2)}};
  AddSupport(model.support(), &lines);
  return WithRecord(kMultiLabelTask, "example", model, lines);
}

Json ToJson(const SegmentModel& model) {
  Json json = {{"classes", model.classes()},         {"inputs", Name(model.inputs())},
               {"features", model.num_features()},   {"layers", Name(model.layers())},
               {"pairwise", Name(model.pairwise())}, {"extractor_bytes", model.extractor.size()}};
  return WithRecord(kSegmentTask, model, json);
}

Lines ToLines(const SegmentModel& model) {
  Lines lines = {{"classes", std::to_string(model.num_classes()) + ": " + Join(model.classes())},
                 {"features", model.inputs() == SegmentInputs::kPotentials
                                  ? "class potentials"
                                  : std::to_string(model.num_features()) + " and a constant"},
                 {"model", "layers " + std::string(Name(model.layers())) + ", links " +
                               (model.has_coarse() ? std::string(Name(model.pairwise())) : "none")}};
  return WithRecord(kSegmentTask, "image", model, lines);
}

Json ToJson(const SequenceModel& model) {
  Json json = {{"format", Name(model.format())},
               {"labels", model.label_names()},
               {"features", model.num_features()},
               {"constraints", Name(model.constraints())}};
  if (model.format() == SequenceFormat::kConll) {
    const SequenceFeatures& features = model.features();
    json["columns"] = features.templates.num_columns();
    json["templates"] = features.templates.text();
    json["hash_bits"] = features.dictionary.hash_bits();
  }
  AddSupport(model.support(), &json);
  return WithRecord(kSequenceTask, model, json);
}

Lines ToLines(const SequenceModel& model) {
  std::string features = std::to_string(model.num_features());
  if (model.format() == SequenceFormat::kLetters) {
    features += " pixels";
  } else {
    const FeatureTemplates& templates = model.features().templates;
    features += (model.features().dictionary.hash_bits() > 0 ? ", hashed, of " : " of ") +
                Count(templates.size(), "template") + " over " + Count(templates.num_columns(), "column");
  }
  Lines lines = {{"format", std::string(Name(model.format()))},
                 {"labels", std::to_string(model.num_labels()) + ": " + Join(model.label_names())},
                 {"constraints", std::string(Name(model.constraints()))},
                 {"features", features}};
  AddSupport(model.support(), &lines);
  return WithRecord(kSequenceTask, "sequence", model, lines);
}

Json ToJson(const MatchingModel& model) {
  Json json = {{"features", model.dictionary().size()},
               {"left_capacity", model.capacities().left},
               {"right_capacity", model.capacities().right},
               {"precision_cost", model.costs().precision},
               {"recall_cost", model.costs().recall}};
  return WithRecord(kMatchingTask, model, json);
}

Lines ToLines(const MatchingModel& model) {
  const auto capacity = [](Index count) { return count == 0 ? "any number" : std::to_string(count); };
  Lines lines = {{"features", std::to_string(model.dictionary().size()) + " and a constant"},
                 {"edges", "left nodes have at most " + capacity(model.capacities().left) + ", right nodes " +
                               capacity(model.capacities().right)},
                 {"costs", Number(model.costs().precision) + " for an edge too many, " +
                               Number(model.costs().recall) + " for one too few"}};
  return WithRecord(kMatchingTask, "example", model, lines);
}

template <class Model>
std::string Text(const InfoCommand& command, ModelReader file) {
  const Model model = Model::Load(std::move(file));
  if (command.json) return JsonText(ToJson(model));
  std::string text;
  for (const auto& [name, value] : ToLines(model)) {
    text += name + std::string(12 - name.size(), ' ') + value + "\n";
  }
  return text;
}

int Run(const InfoCommand& command) {
  ModelReader file(command.model);  // read once: a pipe has nothing more to give
  const std::string task = ModelTask(file);
  WriteOutput("-", task == kSegmentTask    ? Text<SegmentModel>(command, std::move(file))
                   : task == kSequenceTask ? Text<SequenceModel>(command, std::move(file))
                   : task == kMatchingTask ? Text<MatchingModel>(command, std::move(file))
                                           : Text<MultiLabelModel>(command, std::move(file)));
  return 0;
}

}  // namespace

void AddInfo(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<InfoCommand>();
  CLI::App* app = parent->add_subcommand("info", kDescription);
  app->add_option("MODEL", command->model, "a model file")->required()->type_name("");
  app->add_flag("--json", command->json, "write JSON instead of text");
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
