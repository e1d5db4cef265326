// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_multilabel_common.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/apps/training/converted_scaling.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/kernels/kernel_expansion.h>

namespace slackline::internal::program {
namespace {

/// The bounds on the number of labels as text: ", label sets of …" if training respects them too,
/// ", predictions of …" if only prediction does, and empty without bounds. With several ranks, all
/// of them must call it.
std::string CountsText(const MultiLabelModel& model, const Problem& problem, Ranks& ranks) {
  if (!model.label_counts().Restricts(model.num_labels())) return {};
  const auto& structures = problem.data().structures();
  const bool trained = ranks.Any(!structures.empty() && !structures.front()->globals().empty());
  return (trained ? ", label sets of " : ", predictions of ") +
         DescribeLabelCounts(model.label_counts(), model.num_labels());
}

/// With several ranks, all of them must call it.
void DescribeData(const MultiLabelData& data, const TrainingSet& training, Ranks& ranks) {
  const auto sum = [&](auto count) { return ranks.SumOf(static_cast<std::int64_t>(count)); };
  const std::int64_t on = sum(std::count(data.labels.begin(), data.labels.end(), 1));
  const std::int64_t unknown = sum(std::count(data.labels.begin(), data.labels.end(), -1));
  const auto entries = static_cast<double>(sum(data.labels.size()));
  const std::int64_t examples = sum(data.num_examples());
  std::string line =
      "data: " + Count(examples, "example") + ", " + Count(data.num_features, "feature") +
      (data.has_constant ? " and a constant, " : ", ") + Count(data.num_labels(), "label") + ", " +
      Number(static_cast<double>(on) / static_cast<double>(examples), 3) +
      " labels per example (density " + Number(100.0 * static_cast<double>(on) / entries, 3) +
      " %)";
  if (unknown > 0) line += ", " + Count(unknown, "unknown label entry");
  if (training.skipped_examples > 0) {
    line +=
        ", " + Count(training.skipped_examples, "example") + " without any known label left out";
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

/// The options for one graph, with their texts.
MultiLabelTrainingOptions WithGraph(MultiLabelTrainingOptions options, const std::string& graph) {
  options.graph = graph;
  for (auto& [name, text] : options.texts.options) {
    if (name == "graph") text = graph;
  }
  return options;
}

std::string TextOf(const RecordTexts& texts, std::string_view option) {
  for (const auto& [name, text] : texts.options) {
    if (name == option) return text;
  }
  return {};
}

}  // namespace

MultiLabelLoss ReadLoss(const std::string& loss, const std::string& loss_weights) {
  CheckChoice("loss", loss, {"mean", "count", "f1"});
  MultiLabelLoss result = MultiLabelLoss::Named(loss);
  result.weights = LossWeights::Parse(loss_weights);
  if (result.form == LossForm::kF1 && loss_weights != "equal")
    throw DataError("--loss f1 cannot be combined with --loss-weights");
  return result;
}

void DataFlags::Register(Command* app) {
  app->AddArgument("DATA", &data, "training data")->Required();
  RegisterFormat(app, &format);
  table.Register(app);
  AddTextOption(app, "labels", &labels_xml, "FILE.xml", "names of the labels (Mulan's XML)");
  AddTextOption(app, "num-labels", &num_labels, "N",
                "number of labels in LIBSVM data, where labels are numbered from 0");
  scale.Register(app);
  app->StartGroup(kModelGroup);
  AddTextOption(app, "graph", &graph, "full|none|tree|auto|FILE",
                "pairs of labels that are joined: all, none, a tree of dependent labels, the best "
                "of these by cross-validation (auto), or those in a file",
                "full");
  AddTextOption(app, "loss", &loss, "mean|count|f1",
                "share or number of wrong labels, or 1 - F1 (graph none or tree)", "mean");
  AddTextOption(app, "loss-weights", &loss_weights, "equal|inverse-frequency[:P]|FILE",
                "costs of errors: 1, more for missing a rare label, or those in a file", "equal")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "bias", &bias, "0|1", "add a constant feature", "1")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "label-counts", &label_counts, "auto|any|MIN-MAX",
                "number of labels of a prediction, such as 1- (at least one)",
                "auto: the least of an example or more")
      ->SetAudience(Audience::kCommand);
}

DataSettings DataFlags::Read(const TrainOptions& train) const {
  DataSettings settings;
  MultiLabelTrainingOptions& training = settings.training;
  training.graph = graph;
  training.learner = train.learner;
  training.kernelized = UsesKernel(train);
  training.ranks = ExactRanks(train);
  settings.read.ranks = train.ranks;
  settings.read.shards = ShardsFor(train);
  training.loss = ReadLoss(loss, loss_weights);
  training.bias = CheckChoice("bias", bias, {"0", "1"}) == 1;
  training.label_counts = ParseLabelCounts(label_counts);
  settings.scale = scale.Read();
  settings.read.bytes_per_weight = kBytesPerWeight;
  settings.read.bytes_per_label_entry = kBytesPerLabelEntry;
  settings.read.append_constant = training.bias && !training.kernelized;
  settings.read.format = ReadFormat(format);
  table.AddTo(&settings.read);
  settings.read.labels_xml = labels_xml;
  if (!num_labels.empty()) settings.read.num_labels = ReadCount("num-labels", num_labels, 1);
  // This check comes before the names of all labels are made.
  const Offset labels = settings.read.num_labels;
  const Offset pairs = graph == "full" ? labels * (labels - 1) / 2 : 0;
  Ranks& ranks = RanksOf(train);
  const MemoryShare memory = SharedMemory(ranks);
  OnAllRanks(ranks, [&] {
    const std::string excess = TrainingExcess({0, labels, 0, pairs, 0, memory}, training.learner);
    if (!excess.empty())
      throw DataError("--num-labels: " + Quoted(num_labels) + " is too large: " + excess);
  });
  training.texts.loss = loss;
  training.texts.options = {{"graph", graph},
                            {"loss", loss},
                            {"bias", bias},
                            {"scale", scale.scale},
                            {"label-counts", label_counts},
                            {"loss-weights", loss_weights}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) training.texts.options.emplace_back(name, value);
  };
  add("label-columns", table.label_columns);
  add("ignore-columns", table.ignore_columns);
  add("labels-in", table.labels_in);
  table.cells.AddTo(&training.texts.options);
  return settings;
}

TrainingData ReadTrainingData(const DataFlags& flags, const DataSettings& settings) {
  TrainingData training;
  MultiLabelData& data = training.data;
  data = ReadMultiLabelData(flags.data, settings.read);
  if (settings.read.num_labels > 0 && settings.read.num_labels != data.num_labels()) {
    throw DataError("--num-labels: " + Quoted(flags.num_labels) + ", but " + data.source + " has " +
                    Count(data.num_labels(), "label"));
  }
  training.scaled =
      data.converted != nullptr
          ? ScalingOfConverted(settings.scale, *data.converted, data.source, data.rows)
          : ScaleForTraining(settings.scale, ScaleInputsOf(data), settings.training.ranks);
  data.rows = training.scaled.rows;
  return training;
}

MultiLabelSession::MultiLabelSession(const DataSettings& settings, const TrainingData& training,
                                     const std::string& graph)
    : training_(training.data, training.scaled, WithGraph(settings.training, graph)),
      loss_(settings.training.texts.loss),
      loss_weights_(TextOf(settings.training.texts, "loss-weights")) {}

void MultiLabelSession::CalibrateBy(CalibrationPlan plan) {
  training_.RecordCalibration(static_cast<Index>(plan.folds.size()));
  calibration_ = std::move(plan);
}

void MultiLabelSession::Describe(const LearnerChoice& choice, const std::string& lambda) const {
  const MultiLabelModel& model = training_.model();
  const Problem& problem = training_.problem();
  TellNotes(training_.data().notes);
  DescribeData(training_.data(), problem.training(), training_.options().the_ranks());
  if (!training_.scaled().line.empty())
    std::fprintf(stderr, "%s\n", training_.scaled().line.c_str());
  const auto clusters = static_cast<Offset>(training_.clusters().size());
  DescribeLearner(
      choice, lambda,
      "loss " + loss_ + (model.loss_weights().empty() ? "" : " (weights " + loss_weights_ + ")") +
          ", graph " + training_.options().graph.name + " (" +
          Count(static_cast<Offset>(model.pairs().size()), "pair") + ")" +
          (clusters == 0 ? std::string() : ", " + Count(clusters, "cluster") + " of three") +
          CountsText(model, problem, training_.options().the_ranks()) +
          (model.kernelized() ? ", kernel " + KernelOf(choice.options, problem.data()).description()
                              : ""));
}

Json MultiLabelSession::StartEntries(const Problem& problem, const LearnerChoice& choice) const {
  const MultiLabelModel& model = training_.model();
  Json start;
  start["skipped_examples"] = problem.training().skipped_examples;
  start["skipped_labels"] = problem.training().skipped_variables;
  start["features"] = model.num_features();
  start["labels"] = model.num_labels();
  start["loss_weights"] = loss_weights_;
  start["pairs"] = model.pairs().size();
  start["label_counts"] = {model.label_counts().low, model.label_counts().Most(model.num_labels())};
  start["weights"] = model.weights().size();
  if (model.kernelized()) start["kernel"] = KernelOf(choice.options, problem.data()).description();
  return start;
}

void MultiLabelSession::Complete(const TrainSummary& summary, const std::string& path) {
  // The model has been saved: an interrupt or a failure must not lose it.
  if (!calibration_ || summary.termination == Termination::kInterrupted) return;
  if (!Calibrate(*calibration_, &training_)) return;
  Ranks& ranks = training_.options().the_ranks();
  OnAllRanks(ranks, [&] {
    if (ranks.first()) training_.Save(path);
  });
}

std::vector<std::string> TellGraphCandidates(const DataSettings& settings,
                                             const TrainingData& training, bool quiet) {
  std::string note;
  std::vector<std::string> candidates =
      GraphCandidates(settings.training.graph.name, training.data, settings.training, &note);
  if (!note.empty() && !quiet) std::fprintf(stderr, "note: %s\n", note.c_str());
  return candidates;
}

}  // namespace slackline::internal::program
