// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/report/cmd_any_model.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/linear/linear_weights.h>
#include <slackline/apps/matching/matching_weights.h>
#include <slackline/apps/multiclass/multiclass_weights.h>
#include <slackline/apps/multilabel/label_counts.h>
#include <slackline/apps/multilabel/multilabel_weights.h>
#include <slackline/apps/segmentation/commands/cmd_feature_names.h>
#include <slackline/apps/segmentation/segment_weights.h>
#include <slackline/apps/sequence/sequence_weights.h>
#include <slackline/apps/sequence/template_sets.h>

namespace slackline::internal::program {
namespace {

double Norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

/// "hamming_loss over 5 folds: 0.19 ± 0.01 with lambda 0.01; 10 trials from 0.19 to 0.3".
std::string CrossValidationText(const CrossValidationRecord& record) {
  std::string text = record.metric + " over " + Count(record.folds, "fold") + ": ";
  if (record.best != kAbsent) {
    const auto& best = record.points[record.best];
    text += Number(best.mean, 4) + " ± " + Number(best.deviation, 2) + " with " +
            (best.candidate.empty() ? "" : best.candidate + " and ") + "lambda " +
            Number(best.lambda) + "; ";
  }
  double least = kInfinity;
  double most = -kInfinity;
  for (const CrossValidationRecord::Point& point : record.points) {
    least = std::min(least, point.mean);
    most = std::max(most, point.mean);
  }
  return text + Count(static_cast<Offset>(record.points.size()), "trial") + " from " +
         Number(least, 4) + " to " + Number(most, 4);
}

void AddRecord(const TrainingRecord& record, const std::vector<double>& weights, Json* json) {
  Json options = Json::object();
  for (const auto& [name, value] : record.options) options[name] = value;
  json->update({{"weights", weights.size()},
                {"weights_norm", Norm(weights)},
                {"single_precision", record.single_precision},
                {"lambda", record.lambda},
                {"cost_per_variable", record.cost_per_variable},
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
  if (record.cross_validation.known())
    (*json)["cross_validation"] = CrossValidationJson(record.cross_validation);
}

/// `variable`: the application's word for a variable, such as "label".
void AddRecord(const TrainingRecord& record, const std::vector<double>& weights,
               const std::string& variable, FactLines* lines) {
  const std::string cost = std::isnan(record.cost_per_variable)
                               ? ""
                               : ", C " + Number(record.cost_per_variable, 3) + " per " + variable;
  std::string options;
  for (const auto& [name, value] : record.options)
    options += (options.empty() ? "" : " ") + name + "=" + value;
  // Online training has no certificate.
  const bool certified = !std::isnan(record.primal);
  const FactLines common = {
      {"weights", std::to_string(weights.size()) + ", norm " + Number(Norm(weights)) +
                      (record.single_precision ? ", in single precision" : "")},
      {"objective", (certified ? Number(record.primal, 8) : std::string("not known")) +
                        " (lambda " + Number(record.lambda) + cost + ", loss " + record.loss + ")"},
      {"certified",
       !certified ? std::string("no")
                  : std::string("the optimum of the ") +
                        (record.problem == CertifiedProblem::kExact ? "exact" : "LP-relaxed") +
                        " problem lies between " + Number(record.dual, 8) + " and " +
                        Number(record.primal, 8) + ", relative gap " +
                        Number(100 * record.relative_gap, 3) + " %"},
      {"ended", std::string(Name(record.termination)) + ": " + record.message},
      {"effort", Count(record.passes, "pass") + ", " + Number(record.seconds, 3) +
                     " s of training and " + Number(record.check_seconds, 3) + " s of checks"},
      {"options", options}};
  lines->insert(lines->end(), common.begin(), common.end());
  if (record.cross_validation.known())
    lines->push_back({"chosen by", CrossValidationText(record.cross_validation)});
}

/// The words for an example and for a variable, the latter as in `train`.
struct Nouns {
  std::string example, variable;
};

/// The entries common to models of all tasks, with the model's own between them.
template <class Model>
Json WithRecord(std::string_view task, const Model& model, const Json& own) {
  const TrainingRecord& record = model.record;
  Json json = {{"task", task},
               {"program", record.program},
               {"data", record.data},
               {"examples", record.num_examples}};
  json.update(own);
  json["scaling"] = Name(model.scaling().kind());
  AddRecord(record, model.weights(), &json);
  return json;
}

template <class Model>
FactLines WithRecord(std::string_view task, const Nouns& nouns, const Model& model,
                     const FactLines& own) {
  const TrainingRecord& record = model.record;
  FactLines lines = {{"task", std::string(task)},
                     {"trained by", record.program},
                     {"data", record.data + ", " + Count(record.num_examples, nouns.example)}};
  lines.insert(lines.end(), own.begin(), own.end());
  lines.push_back({"scaling", std::string(Name(model.scaling().kind()))});
  AddRecord(record, model.weights(), nouns.variable, &lines);
  return lines;
}

/// Adds the entries that only kernelized models have.
void AddSupport(const std::optional<KernelSupport>& support, Json* json) {
  if (!support) return;
  (*json)["kernel"] = support->kernel().description();
  (*json)["support_vectors"] = support->size();
}

void AddSupport(const std::optional<KernelSupport>& support, FactLines* lines) {
  if (!support) return;
  lines->push_back({"kernel", support->kernel().description() + "; " +
                                  Count(support->size(), "support vector")});
}

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + CsvCell(name);
  return text;
}

/// Adds the columns of the table that the model was trained on, if any.
void AddColumns(const MultiLabelModel& model, Json* json) {
  if (!model.input().table) return;
  Json columns = Json::array();
  for (const TableColumn& column : model.input().table->columns)
    columns.push_back({{"name", column.name}, {"categories", column.categories}});
  (*json)["columns"] = std::move(columns);
}

void AddColumns(const MultiLabelModel& model, FactLines* lines) {
  if (!model.input().table) return;
  std::string text;
  for (const TableColumn& column : model.input().table->columns) {
    text += (text.empty() ? "" : ", ") + CsvCell(column.name);
    if (column.categorical()) text += " (" + Count(column.width(), "category") + ")";
  }
  lines->emplace_back("columns", text);
}

Json ToJson(const MultiLabelModel& model) {
  Json pairs = Json::array();
  for (const LabelPair& pair : model.pairs()) pairs.push_back({pair.a, pair.b});
  Json json = {
      {"labels", model.label_names()},
      {"features", model.num_features()},
      {"constant", model.has_constant()},
      {"feature_names", !model.feature_names().empty()},
      {"pairs", std::move(pairs)},
      {"label_counts", {model.label_counts().low, model.label_counts().Most(model.num_labels())}}};
  AddColumns(model, &json);
  AddSupport(model.support(), &json);
  return WithRecord(kMultiLabelTask, model, json);
}

/// The name and text of every line.
FactLines ToLines(const MultiLabelModel& model) {
  const Offset n = model.num_labels();
  FactLines lines = {
      {"labels", std::to_string(n) + ": " + Join(model.label_names())},
      {"features", std::to_string(model.num_features()) +
                       (model.has_constant() ? " and a constant" : "") +
                       (model.feature_names().empty() ? "" : ", with names")},
      {"pairs", std::to_string(model.pairs().size()) + " of " + std::to_string(n * (n - 1) / 2)},
      {"predicts", DescribeLabelCounts(model.label_counts(), model.num_labels())}};
  AddColumns(model, &lines);
  AddSupport(model.support(), &lines);
  return WithRecord(kMultiLabelTask, {"example", "label"}, model, lines);
}

Json ToJson(const SegmentModel& model) {
  Json json = {{"classes", model.classes()},         {"inputs", Name(model.inputs())},
               {"features", model.num_features()},   {"layers", Name(model.layers())},
               {"pairwise", Name(model.pairwise())}, {"extractor_bytes", model.extractor.size()}};
  return WithRecord(kSegmentTask, model, json);
}

FactLines ToLines(const SegmentModel& model) {
  FactLines lines = {
      {"classes", std::to_string(model.num_classes()) + ": " + Join(model.classes())},
      {"features", model.inputs() == SegmentInputs::kPotentials
                       ? "class potentials"
                       : std::to_string(model.num_features()) + " and a constant"},
      {"model", "layers " + std::string(Name(model.layers())) + ", links " +
                    (model.has_coarse() ? std::string(Name(model.pairwise())) : "none")}};
  return WithRecord(kSegmentTask, {"image", "superpixel"}, model, lines);
}

/// The name of the template set, or all templates if they are not a named set.
std::string TemplatesText(const FeatureTemplates& templates) {
  const std::string_view set = TemplateSetOf(templates);
  if (!set.empty())
    return std::string(set) + " (see `sequence template --template " + std::string(set) + "`)";
  std::string text = templates.text();
  if (text.ends_with('\n')) text.pop_back();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    text.replace(at, 1, "; ");
  return text;
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
    json["template_set"] = TemplateSetOf(features.templates);
  }
  if (model.format() != SequenceFormat::kLetters)
    json["hash_bits"] = model.features().dictionary.hash_bits();
  AddSupport(model.support(), &json);
  return WithRecord(kSequenceTask, model, json);
}

FactLines ToLines(const SequenceModel& model) {
  std::string features = std::to_string(model.num_features());
  if (model.format() == SequenceFormat::kLetters) {
    features += " pixels";
  } else if (model.format() == SequenceFormat::kAttributes) {
    features += model.features().dictionary.hash_bits() > 0 ? ", hashed attributes" : " attributes";
  } else {
    const FeatureTemplates& templates = model.features().templates;
    features += (model.features().dictionary.hash_bits() > 0 ? ", hashed, of " : " of ") +
                Count(templates.size(), "template") + " over " +
                Count(templates.num_columns(), "column");
  }
  FactLines lines = {
      {"format", std::string(Name(model.format()))},
      {"labels", std::to_string(model.num_labels()) + ": " + Join(model.label_names())},
      {"constraints", std::string(Name(model.constraints()))},
      {"features", features}};
  if (model.format() == SequenceFormat::kConll)
    lines.push_back({"templates", TemplatesText(model.features().templates)});
  AddSupport(model.support(), &lines);
  return WithRecord(kSequenceTask, {"sequence", "token"}, model, lines);
}

Json ToJson(const MatchingModel& model) {
  Json json = {{"features", model.dictionary().size()},
               {"left_capacity", model.capacities().left},
               {"right_capacity", model.capacities().right},
               {"precision_cost", model.costs().precision},
               {"recall_cost", model.costs().recall}};
  return WithRecord(kMatchingTask, model, json);
}

FactLines ToLines(const MatchingModel& model) {
  const auto capacity = [](Index count) {
    return count == 0 ? "any number" : std::to_string(count);
  };
  FactLines lines = {{"features", std::to_string(model.dictionary().size()) + " and a constant"},
                     {"edges", "left nodes have at most " + capacity(model.capacities().left) +
                                   ", right nodes " + capacity(model.capacities().right)},
                     {"costs", Number(model.costs().precision) + " for a false edge, " +
                                   Number(model.costs().recall) + " for a missed edge"}};
  return WithRecord(kMatchingTask, {"example", "edge"}, model, lines);
}

Json ToJson(const MulticlassModel& model) {
  Json json = {{"classes", model.class_names()},
               {"features", model.num_features()},
               {"constant", model.has_constant()},
               {"feature_names", !model.feature_names().empty()}};
  AddSupport(model.support(), &json);
  return WithRecord(kMulticlassTask, model, json);
}

FactLines ToLines(const MulticlassModel& model) {
  FactLines lines = {
      {"classes", std::to_string(model.num_classes()) + ": " + Join(model.class_names())},
      {"features", std::to_string(model.num_features()) +
                       (model.has_constant() ? " and a constant" : "") +
                       (model.feature_names().empty() ? "" : ", with names")}};
  AddSupport(model.support(), &lines);
  return WithRecord(kMulticlassTask, {"example", "example"}, model, lines);
}

Json ToJson(const LinearModel& model) {
  Json json = {{"classes", model.class_names()},
               {"features", model.inputs().num_features()},
               {"constant", model.has_constant()},
               {"offset", model.offset()},
               {"loss_parameter", model.loss().parameter},
               {"zero_weights", std::count(model.weights().begin(), model.weights().end(), 0.0)}};
  return WithRecord(kLinearTask, model, json);
}

FactLines ToLines(const LinearModel& model) {
  const auto zeros = std::count(model.weights().begin(), model.weights().end(), 0.0);
  FactLines lines = {
      {"predicts", model.predicts_numbers() ? "a number"
                                            : "classes " + Join(model.class_names()) +
                                                  ", the second for scores above 0"},
      {"features", std::to_string(model.inputs().num_features()) +
                       (model.has_constant() ? " and a constant" : "") + ", " +
                       Count(static_cast<Offset>(zeros), "weight") + " zero"}};
  return WithRecord(kLinearTask, {"example", "example"}, model, lines);
}

}  // namespace

Json CrossValidationJson(const CrossValidationRecord& record) {
  Json points = Json::array();
  for (const CrossValidationRecord::Point& point : record.points) {
    Json entry = Json::object();
    if (!point.candidate.empty()) entry["candidate"] = point.candidate;
    entry.update({{"lambda", point.lambda}, {"mean", point.mean}, {"deviation", point.deviation}});
    points.push_back(std::move(entry));
  }
  Json cv = {{"metric", record.metric}, {"folds", record.folds}, {"points", std::move(points)}};
  if (record.best != kAbsent) cv["best"] = record.best;
  return cv;
}

AnyModel LoadAnyModel(ModelReader file) {
  const std::string task = ModelTask(file);
  if (task == kSegmentTask) return SegmentModel::Load(std::move(file));
  if (task == kSequenceTask) return SequenceModel::Load(std::move(file));
  if (task == kMatchingTask) return MatchingModel::Load(std::move(file));
  if (task == kMulticlassTask) return MulticlassModel::Load(std::move(file));
  if (task == kLinearTask) return LinearModel::Load(std::move(file));
  return MultiLabelModel::Load(std::move(file));
}

const TrainingRecord& RecordOf(const AnyModel& model) {
  return std::visit([](const auto& m) -> const TrainingRecord& { return m.record; }, model);
}

FactLines FactsOf(const AnyModel& model) {
  return std::visit([](const auto& m) { return ToLines(m); }, model);
}

Json FactsJson(const AnyModel& model) {
  return std::visit([](const auto& m) { return ToJson(m); }, model);
}

WeightSummary WeightsOf(const AnyModel& model, const WeightSummaryOptions& options) {
  if (const auto* segment = std::get_if<SegmentModel>(&model))
    return SummariseWeights(*segment, FeatureNamesOf(*segment), options);
  if (const auto* sequence = std::get_if<SequenceModel>(&model))
    return SummariseWeights(*sequence, options);
  if (const auto* matching = std::get_if<MatchingModel>(&model))
    return SummariseWeights(*matching, options);
  if (const auto* multiclass = std::get_if<MulticlassModel>(&model))
    return SummariseWeights(*multiclass, options);
  if (const auto* linear = std::get_if<LinearModel>(&model))
    return SummariseWeights(*linear, options);
  return SummariseWeights(std::get<MultiLabelModel>(model), options);
}

}  // namespace slackline::internal::program
