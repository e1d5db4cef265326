// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/training/multilabel_training.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>

#include <slackline/apps/multilabel/data/joined_examples.h>
#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/apps/training/converted_scaling.h>
#include <slackline/apps/training/dealt_examples.h>
#include <slackline/core/check.h>
#include <slackline/core/kernel.h>
#include <slackline/core/number_text.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

/// Slower passes cause a warning.
constexpr double kSlowPassSeconds = 5;

/// A model for the training data, with all weights zero.
MultiLabelModel MakeModel(const MultiLabelTrainingOptions& options, const MultiLabelData& data,
                          const FeatureScaling& scaling, const LossOptions& loss) {
  Ranks& ranks = options.the_ranks();
  if (options.kernelized) RefuseKernelOnRanks(ranks);
  std::vector<LabelPair> pairs = MakeLabelGraph(options.graph, data, ranks);
  const MemoryShare memory = SharedMemory(ranks);
  OnAllRanks(ranks, [&] {
    const std::string excess =
        TrainingExcess({data.num_examples(), data.num_labels(),
                        Offset{data.num_features} + (data.has_constant ? 1 : 0),
                        static_cast<Offset>(pairs.size()), RestrictedPairs(data, pairs), memory},
                       options.learner);
    if (!excess.empty()) throw DataError(data.source, 0, excess);
  });
  if (options.kernelized && data.num_features == 0) {
    throw DataError(data.source, 0, "the data have no features that a kernel could compare");
  }
  const bool has_constant = options.kernelized ? options.constant : data.has_constant;
  MultiLabelModel model(data.label_names, data.num_features, has_constant, std::move(pairs),
                        options.kernelized);
  model.set_feature_names(data.feature_names);
  model.set_scaling(scaling);
  model.set_input({data.fill_values, data.table});
  model.set_loss_weights(loss.given_weights);
  model.set_label_counts(LabelCountsFor(options.label_counts, data, ranks));
  return model;
}

/// Throws DataError, with the label's name, on all ranks for a label that no example of any rank
/// knows.
void RequireKnownLabels(const MultiLabelData& data, Ranks& ranks) {
  std::vector<std::int64_t> known(data.num_labels(), 0);
  for (std::size_t k = 0; k < data.labels.size(); ++k) {
    if (data.labels[k] >= 0) known[k % known.size()] = 1;
  }
  ranks.AddUp(known);
  const auto missing = std::find(known.begin(), known.end(), 0);
  if (missing != known.end()) {
    throw DataError(
        data.source, 0,
        "label " + Quoted(data.label_names[missing - known.begin()]) + " has no known value");
  }
}

/// The training problem; its λ is meaningless.
Problem MakeProblem(const MultiLabelModel& model, const MultiLabelTrainingOptions& options,
                    const MultiLabelData& data, const LossOptions& loss) {
  Ranks& ranks = options.the_ranks();
  const CountRange counts = TrainingCounts(options.label_counts, model, data, loss.form, ranks);
  TrainingSet training = MakeTrainingSet(model.MakeDataset(data, counts), loss);
  RequireExamples({data.source, "example", "no example has a known label", training.data.size(),
                   training.skipped_examples},
                  ranks);
  RequireKnownLabels(data, ranks);
  return Problem(std::move(training), 1, &ranks);
}

/// Whether the learner has a dual point of the problem's examples, of which there may be none.
bool HasDualPoint(const Problem& problem, const DualPointSource& point) {
  std::vector<double> coordinates;
  double loss = 0;
  return problem.size() == 0 || point.DualPoint(0, &coordinates, &loss);
}

MultiLabelTotals TotalsOf(const MultiLabelData& data, Ranks& ranks) {
  std::int64_t counts[] = {
      data.num_examples(), std::count(data.labels.begin(), data.labels.end(), 1),
      std::count(data.labels.begin(), data.labels.end(), -1), std::ssize(data.labels)};
  ranks.AddUp(counts);
  return {static_cast<Index>(counts[0]), counts[1], counts[2], counts[3]};
}

}  // namespace

MultiLabelCvOptions CvOptionsOf(const MultiLabelTrainingOptions& options,
                                std::vector<LabelGraph> graphs) {
  return {std::move(graphs), options.loss, options.constant, options.label_counts};
}

double PassSeconds(Offset pairs, Index examples) {
  constexpr double kSecondsPerVisit = 16e-9;  // for one pair of labels of one example
  return kSecondsPerVisit * static_cast<double>(pairs) * examples;
}

ScaleInputs ScaleInputsOf(const MultiLabelData& data) {
  return {data.source, data.rows, data.num_features, FeatureNames(data.feature_names)};
}

MultiLabelTraining::MultiLabelTraining(const MultiLabelData& data, const ScaledInputs& scaled,
                                       MultiLabelTrainingOptions options)
    : ProblemTask(data.source, WithConversion(data.converted.get(), options.texts)),
      data_(data),
      scaled_(scaled),
      options_(std::move(options)),
      loss_(options_.loss.For(data, options_.the_ranks())),
      model_(MakeModel(options_, data, scaled.scaling, loss_)),
      problem_(MakeProblem(model_, options_, data, loss_)),
      totals_(TotalsOf(data, options_.the_ranks())),
      num_examples_(NumExamples(problem_, options_.the_ranks())),
      most_examples_(static_cast<Index>(options_.the_ranks().MaxOf(problem_.size()))) {}

std::vector<LabelTriple> MultiLabelTraining::Tighten(const TrainOptions& options, Index count,
                                                     Index rounds,
                                                     const std::atomic<int>* interrupt) {
  Ranks& ranks = options_.the_ranks();
  if (totals_.unknown > 0)
    throw DataError(data_.source, 0, "--clusters needs data in which all labels are known");
  const Dataset plain = model_.MakeDataset(data_);
  for (Index round = 0; round < rounds && !ranks.Any(interrupt->load() != 0); ++round) {
    const Problem problem = problem_.WithLambda(options.lambda);
    const LearnerChoice choice = ChooseLearner(problem, options);
    const std::unique_ptr<Learner> learner = MakeLearner(problem, choice.options);
    DualPointSource* point = learner->traits().dual_point;
    if (point != nullptr) point->KeepDualPoint();
    RunTraining(problem, *learner, choice.options, nullptr, interrupt);
    if (ranks.Any(point == nullptr || !HasDualPoint(problem, *point)))
      throw DataError("--clusters: learner " + std::string(Name(choice.options.learner)) +
                      " has no dual point; use --learner al");
    const auto until = static_cast<Index>(Offset{count} * (round + 1) / rounds);
    const auto have = static_cast<Index>(clusters_.size());
    clusters_ = PickClusters(
        FindViolatedTriples(model_, problem.size(), *point, ExactRanks(choice.options)),
        until - have, clusters_);
    if (static_cast<Index>(clusters_.size()) == have) break;
    problem_ = Problem(
        MakeTrainingSet(WithStructure(plain, MakeClusteredStructure(model_, clusters_)), loss_), 1,
        &ranks);
  }
  return clusters_;
}

std::optional<std::vector<double>> MultiLabelTraining::Calibrate(
    const Folds& folds, const std::atomic<int>* interrupt) {
  Ranks& ranks = options_.the_ranks();
  const MultiLabelData all = JoinExamples(ranks, data_, "--calibrate");
  TrainOptions train = trained();
  train.lambda = model_.record.lambda;
  std::optional<std::vector<double>> scores =
      OutOfFoldScores(all, CvOptionsOf(options_, {options_.graph}), folds, train, interrupt);
  if (!scores) return std::nullopt;
  model_.set_calibration(FitCalibration(model_.num_labels(), *scores, all.labels));
  ApplyCalibration(*model_.calibration(), *scores);
  return scores;
}

std::vector<std::string> MultiLabelTraining::DataLines() const {
  std::vector<std::string> lines = NoteLines(data_.notes);
  const auto on = static_cast<double>(totals_.on);
  std::string& line = lines.emplace_back(
      "data: " + Count(totals_.examples, "example") + ", " + Count(data_.num_features, "feature") +
      (data_.has_constant ? " and a constant, " : ", ") + Count(data_.num_labels(), "label") +
      ", " + NumberText(on / totals_.examples, 3) + " labels per example (density " +
      NumberText(100.0 * on / static_cast<double>(totals_.entries), 3) + " %)");
  if (totals_.unknown > 0) line += ", " + Count(totals_.unknown, "unknown label entry");
  const Index skipped = problem_.training().skipped_examples;
  if (skipped > 0) line += ", " + Count(skipped, "example") + " without any known label left out";
  lines.push_back(scaled_.line);
  return lines;
}

std::string MultiLabelTraining::LossWeightsText() const {
  for (const auto& [name, text] : options_.texts.options) {
    if (name == "loss-weights") return text;
  }
  return {};
}

std::string MultiLabelTraining::ModelText() const {
  std::string text = "loss " + options_.texts.loss;
  if (!model_.loss_weights().empty()) text += " (weights " + LossWeightsText() + ")";
  text += ", graph " + options_.graph.name + " (" +
          Count(static_cast<Offset>(model_.pairs().size()), "pair") + ")";
  if (!clusters_.empty())
    text += ", " + Count(static_cast<Offset>(clusters_.size()), "cluster") + " of three";
  if (!model_.label_counts().Restricts(model_.num_labels())) return text;
  const auto& structures = problem_.data().structures();
  const bool trained =
      options_.the_ranks().Any(!structures.empty() && !structures.front()->globals().empty());
  return text + (trained ? ", label sets of " : ", predictions of ") +
         DescribeLabelCounts(model_.label_counts(), model_.num_labels());
}

TaskEntries MultiLabelTraining::StartEntries() const {
  const std::int64_t most = model_.label_counts().Most(model_.num_labels());
  return {{"skipped_examples", problem_.training().skipped_examples},
          {"skipped_labels", problem_.training().skipped_variables},
          {"features", model_.num_features()},
          {"labels", model_.num_labels()},
          {"loss_weights", LossWeightsText()},
          {"pairs", std::ssize(model_.pairs())},
          {"label_counts", std::vector<std::int64_t>{model_.label_counts().low, most}},
          {"weights", std::ssize(model_.weights())}};
}

std::vector<std::string> MultiLabelTraining::Warnings() const {
  std::vector<std::string> warnings = scaled_.warnings;
  const auto pairs = static_cast<Offset>(model_.pairs().size());
  const double seconds = PassSeconds(pairs, most_examples_);
  if (seconds >= kSlowPassSeconds) {
    warnings.push_back(Count(pairs, "pair") + " of labels and " + Count(num_examples_, "example") +
                       ": a pass over the data may take some " + NumberText(seconds, 2) +
                       " s; --graph tree joins far fewer pairs");
  }
  return warnings;
}

Fingerprint MultiLabelTraining::Context() const {
  Fingerprint context = {{"names of the labels", HashOfNames(data_.label_names)}};
  AddWindows(data_.converted.get(), &context);
  return context;
}

RecordTexts MultiLabelTraining::Texts() const {
  RecordTexts texts = TrainTask::Texts();
  if (!clusters_.empty()) texts.options.emplace_back("clusters", std::to_string(clusters_.size()));
  if (calibration_folds_ > 0)
    texts.options.emplace_back("calibrate", Count(calibration_folds_, "fold"));
  return texts;
}

void MultiLabelTraining::SetWeights(const TrainOptions& options,
                                    const std::vector<double>& weights) {
  model_.SetTrained(problem_, options, weights);
  model_.set_calibration(std::nullopt);
}

Folds CalibrationFolds(const MultiLabelData& data, Index folds, std::int64_t seed, Ranks& ranks) {
  const auto examples = static_cast<Index>(ranks.SumOf(data.num_examples()));
  if (examples < folds) {
    throw DataError("--calibrate needs " + Count(folds, "example") + ", but " + data.source +
                    " has " + Count(examples, "example"));
  }
  Folds result = MakeFolds(examples, folds, static_cast<std::uint64_t>(seed));
  if (!ranks.alone()) return result;  // all examples of several ranks have known labels
  try {
    CheckFolds(MultiLabelCv(data, {}), result);
  } catch (const DataError& error) {
    throw DataError(std::string("--calibrate: ") + error.what());
  }
  return result;
}

}  // namespace slackline::internal
