// SPDX-License-Identifier: BSD-3-Clause
//
// Model files of all applications with valid checksums. A model that loads also predicts,
// explains its predictions, and shows its weights.
#include <slackline/apps/linear/linear_model.h>
#include <slackline/apps/linear/linear_weights.h>
#include <slackline/apps/matching/matching_predict.h>
#include <slackline/apps/matching/matching_weights.h>
#include <slackline/apps/multiclass/multiclass_predict.h>
#include <slackline/apps/multiclass/multiclass_task.h>
#include <slackline/apps/multiclass/multiclass_weights.h>
#include <slackline/apps/multilabel/multilabel_weights.h>
#include <slackline/apps/multilabel/prediction/multilabel_explain.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/segmentation/segment_weights.h>
#include <slackline/apps/sequence/data/conll_reader.h>
#include <slackline/apps/sequence/sequence_explain.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/apps/sequence/sequence_weights.h>
#include <slackline/core/feature_rows.h>
#include <slackline/learning/train_loop.h>

#include "tests/core/temporary_folder.h"
#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

constexpr std::string_view kArffText =
    "@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute a {0,1}\n@attribute b "
    "{0,1}\n"
    "@data\n1,0.5,1,0\n0,1,0,1\n-1,0,1,1\n";
constexpr std::string_view kXmlText = "<labels><label name=\"a\"/><label name=\"b\"/></labels>";
constexpr std::string_view kTableText =
    "x,colour,y,a,b\n1,red,0.5,1,0\n0,green,1,0,1\n-1,,NA,1,1\n";
constexpr std::string_view kConllText = "a B-X\nb I-X\na O\n\nb O\na B-Y\n";
constexpr std::string_view kAttributeText = "B-X\ta\tn:2\nI-X\tb\nO\ta\n\nO\tb\nB-Y\ta\n";
constexpr std::string_view kMatchingText =
    "2 2\n0 0 1 a:1\n0 1 0 a:0.2 b\n1 0 0 b:2\n1 1 1 a:0.7 b:0.1\n";
constexpr std::string_view kLetterText =
    "1\ta\t2\t1\t1\t0\t1\t0\t1\n2\tb\t-1\t1\t2\t0\t0\t1\t1\n3\ta\t-1\t2\t1\t1\t1\t1\t0\n";

constexpr WeightSummaryOptions kSummary{2, 3, 3};

template <class Model>
std::string Saved(const Model& model) {
  const test::TemporaryFolder folder;
  model.Save(folder.Path("m"));
  return test::ReadBytes(folder.Path("m"));
}

TrainOptions Brief(bool kernel) {
  TrainOptions options;
  options.max_passes = 3;
  if (kernel) options.kernel = KernelKind::kRbf;
  return options;
}

std::vector<std::string> MultiLabelSeeds() {
  std::vector<std::string> seeds;
  for (const std::string_view text : {kArffText, kTableText}) {
    for (const bool kernel : {false, true}) {
      MultiLabelReadOptions read;
      if (text == kArffText) read.labels_xml = PathOf(kXmlText, 1);
      if (text == kTableText) read.label_columns = "a,b";
      read.constant = !kernel;
      const MultiLabelData data = ReadMultiLabelData(PathOf(text), read);
      MultiLabelModel model(data.label_names, data.num_features, true, {{0, 1}}, kernel);
      model.set_feature_names(data.feature_names);
      model.set_input({data.fill_values, data.table});
      if (text == kTableText) {
        model.set_scaling(
            FeatureScaling::Learn(ScaleKind::kStandard, *data.rows, data.num_features));
        model.record.cost_per_variable = 2;
        model.set_label_counts({1, 1});
        model.set_loss_weights({1, 2, 1, 0.5});
        model.record.single_precision = !kernel;
        model.record.cross_validation = {
            "micro_f1", 5, {{"full", 0.1, 0.5, 0.01}, {"none", 0.01, 0.4, 0.02}}};
      }
      const Problem problem(MakeTrainingSet(model.MakeDataset(data), {}), 0.1);
      model.SetTrained(problem, Brief(kernel), Train(problem, Brief(kernel)).weights);
      seeds.push_back(Saved(model));
    }
  }
  return seeds;
}

/// A table with the columns of the schema, one row without any value and one of numbers.
std::string TableFor(const TableSchema& schema) {
  std::string names;
  std::string missing;
  std::string numbers;
  for (const TableColumn& column : schema.columns) {
    std::string name;
    for (const char c : column.name) name.append(c == '"' ? "\"\"" : std::string(1, c));
    names += "\"" + name + "\",";
    missing += "?,";
    numbers += "0.5,";
  }
  return names + "\n" + missing + "\n" + numbers + "\n";
}

void PredictLabels(std::string_view bytes) {
  const auto model = MultiLabelModel::Load(PathOf(WithChecksum(bytes)));
  MultiLabelReadOptions read = model.ReadOptions();
  read.feature_names.clear();
  PredictOptions options;
  options.scores = model.num_labels() < 20;
  const std::string text = read.table ? TableFor(*read.table) : "0 1:1 2:-2\n 1:0.5\n";
  const MultiLabelData data = ReadMultiLabelData(PathOf(text, 1), read);
  const MultiLabelPredictions predictions = Predict(model, data, options);
  SummariseWeights(model, kSummary);
  const std::size_t labels = model.num_labels();
  ExplainLabels(model, data, 0, std::span(predictions.labels).first(labels), 2);
}

std::vector<std::string> SequenceModelSeeds() {
  std::vector<std::string> seeds;
  for (const std::string_view text : {kConllText, kLetterText, kAttributeText}) {
    for (const bool kernel : {false, true}) {
      SequenceReadOptions read;
      read.features.min_count = 1;
      if (text == kAttributeText) read.format = SequenceFormat::kAttributes;
      const SequenceInput input = ReadTrainingSequences(PathOf(text), read);
      const auto rules = text == kLetterText ? LabelConstraints::kAny : LabelConstraints::kBio;
      SequenceModel model = MakeSequenceModel(input, LearnerKind::kBcfw, rules);
      const Problem problem(MakeTrainingSet(model.MakeDataset(input.data, input.sequences), {}),
                            0.1);
      model.SetTrained(problem, Brief(kernel), Train(problem, Brief(kernel)).weights);
      seeds.push_back(Saved(model));
    }
  }
  return seeds;
}

void PredictTokens(std::string_view bytes) {
  const auto model = SequenceModel::Load(PathOf(WithChecksum(bytes)));
  if (model.num_labels() > 50) return;
  std::string_view text = kConllText;
  if (model.format() == SequenceFormat::kLetters) text = kLetterText;
  if (model.format() == SequenceFormat::kAttributes) text = kAttributeText;
  const SequenceInput input = ReadSequencesFor(model, PathOf(text, 1), "");
  SequencePredictOptions options;
  options.scores = true;
  options.best = 3;
  const SequencePredictions predictions =
      PredictSequences(model, input.data, input.sequences, options);
  SummariseWeights(model, kSummary);
  const std::size_t length = input.data.length(0);
  ExplainSequence(model, input.data, 0, std::span(predictions.labels).first(length), 2);
}

std::shared_ptr<const FeatureRows> Inputs() {
  auto rows = std::make_shared<FeatureRows>();
  for (const double x : {-1.0, 0.5, 2.0}) rows->AddDense(std::vector<double>{x, 1});
  return rows;
}

std::vector<std::string> MulticlassSeeds() {
  std::vector<std::string> seeds;
  for (const bool kernel : {false, true}) {
    MulticlassData data;
    data.class_names = {"a", "b", "c"};
    data.num_features = 2;
    data.rows = Inputs();
    data.labels = {0, 1, 2};
    if (!kernel) {
      data.feature_names = {"x", "y"};
      const TableSchema columns{{{"x", {}}, {"y", {}}}, {"id"}, ','};
      data.input = {{0, 1}, std::make_shared<const TableSchema>(columns)};
      data.class_column = "kind";
    }
    data.kernelized = kernel;
    TaskOptions options(MulticlassTask::Options());
    if (!kernel) options.Set("scale", "standard");
    MulticlassModel model = MulticlassTask::MakeModel(data, kernel);
    auto input =
        MakeTaskInput<MulticlassTask>({{}, options, kernel}, std::move(data), std::move(model));
    TaskTraining<MulticlassTask> training(&input);
    TrainOptions train = Brief(kernel);
    train.lambda = 0.1;
    TrainModel(train, nullptr, nullptr, &training);
    seeds.push_back(Saved(input.model));
  }
  return seeds;
}

void PredictClass(std::string_view bytes) {
  const auto model = MulticlassModel::Load(PathOf(WithChecksum(bytes)));
  SummariseWeights(model, kSummary);
  if (model.num_features() < 2 || model.num_classes() > 50) return;
  model.ReadOptions();
  PredictClasses(model, *Inputs(), 1);
}

std::vector<std::string> LinearSeeds() {
  std::vector<std::string> seeds;
  for (const ScalarLossKind kind : {ScalarLossKind::kSmoothedHinge, ScalarLossKind::kAbsolute}) {
    const bool numbers = TakesNumbers(kind);
    ModelInputs inputs(2);
    if (numbers) {
      inputs.set_feature_names({"x", "y"});
      const TableSchema columns{{{"x", {}}, {"y", {}}}, {"id"}, ','};
      inputs.set_input({{0, 1}, std::make_shared<const TableSchema>(columns)}, "price");
    }
    const std::vector<std::string> classes =
        numbers ? std::vector<std::string>() : std::vector<std::string>{"a", "b"};
    LinearModel model(std::move(inputs), {kind, 0.5}, classes, !numbers);
    model.SetTrained({0.5, -1}, numbers ? 100 : 0);
    seeds.push_back(Saved(model));
  }
  return seeds;
}

void PredictLinear(std::string_view bytes) {
  const auto model = LinearModel::Load(PathOf(WithChecksum(bytes)));
  SummariseWeights(model, kSummary);
  if (model.inputs().num_features() < 2) return;
  model.ReadOptions();
  model.Scores(*Inputs());
}

std::vector<std::string> MatchingSeeds() {
  FeatureDictionary dictionary;
  const MatchingData data = ReadMatchings(PathOf(kMatchingText), nullptr, &dictionary);
  MatchingModel model(std::move(dictionary), {1, 2});
  const Problem problem(
      MakeTrainingSet(model.MakeTrainingData(data), model.Loss(LossScale::kCount)), 0.1);
  model.set_weights(Train(problem, Brief(false)).weights);
  return {Saved(model)};
}

void PredictEdges(std::string_view bytes) {
  const auto model = MatchingModel::Load(PathOf(WithChecksum(bytes)));
  SummariseWeights(model, kSummary);
  const MatchingData data = ReadMatchings(PathOf(kMatchingText, 1), &model.dictionary(), nullptr);
  EvaluateMatchings(data, PredictMatchings(model, data, 1).labels, model.costs());
}

SegmentExample PictureExample() {
  SegmentExample example;
  example.graph = {3, 2, {0, 0, 1}, {{0, 1, 3.f}, {1, 2, 40.f}}};
  return example;
}

std::vector<std::string> SegmentSeeds() {
  std::vector<std::string> seeds;
  for (const SegmentLayers layers :
       {SegmentLayers::kTwo, SegmentLayers::kFine, SegmentLayers::kNeighbours}) {
    SegmentModel model({"sky", "grass"}, 4, {{0, 1}, {2, 2}}, layers, SegmentPairwise::kTable);
    std::vector<double> weights(model.layout()->size());
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = k % 3 == 0 ? 0.5 : -0.25;
    model.set_weights(weights);
    seeds.push_back(Saved(model));
    seeds.push_back(
        Saved(SegmentModel::OfPotentials({"a", "b", "c"}, layers, SegmentPairwise::kPotts)));
  }
  return seeds;
}

void PredictPixels(std::string_view bytes) {
  const auto model = SegmentModel::Load(PathOf(WithChecksum(bytes)));
  SummariseWeights(model, {}, kSummary);
  SegmentExample example = PictureExample();
  if (model.inputs() == SegmentInputs::kPotentials) {
    const std::size_t count = 5 * model.num_classes();
    for (std::size_t k = 0; k < count; ++k)
      example.potentials.push_back(0.1 * static_cast<double>(k));
    PredictSegments(model, example, nullptr, DecodeKind::kAuto);
    return;
  }
  const std::vector<double> features(model.file_dimension(), 0.5);
  std::vector<double> row(model.num_columns());
  model.SelectFeatures(features, row);
  const auto rows = std::make_shared<FeatureRows>();
  for (int k = 0; k < 5; ++k) rows->AddDense(row);
  PredictSegments(model, example, rows, DecodeKind::kAuto);
}

const FuzzTarget kMultiLabel({"model_multilabel", PredictLabels, MultiLabelSeeds});
const FuzzTarget kSequence({"model_sequence", PredictTokens, SequenceModelSeeds});
const FuzzTarget kMulticlass({"model_multiclass", PredictClass, MulticlassSeeds});
const FuzzTarget kLinear({"model_linear", PredictLinear, LinearSeeds});
const FuzzTarget kMatchingModel({"model_matching", PredictEdges, MatchingSeeds});
const FuzzTarget kSegment({"model_segment", PredictPixels, SegmentSeeds});

}  // namespace
}  // namespace slackline::internal::fuzz
