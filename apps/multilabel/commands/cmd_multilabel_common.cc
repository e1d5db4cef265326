// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_multilabel_common.h>

#include <cstdio>
#include <utility>

#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/apps/training/converted_scaling.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

/// The options for one graph, with their texts.
MultiLabelTrainingOptions WithGraph(MultiLabelTrainingOptions options, const std::string& graph) {
  options.graph = graph;
  for (auto& [name, text] : options.texts.options) {
    if (name == "graph") text = graph;
  }
  return options;
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
  AddTextOption(app, "bias", &constant, "0|1", "add a constant feature", "1")
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
  training.constant = CheckChoice("bias", constant, {"0", "1"}) == 1;
  training.label_counts = ParseLabelCounts(label_counts);
  settings.scale = scale.Read();
  settings.read.bytes_per_weight = kBytesPerWeight;
  settings.read.bytes_per_label_entry = kBytesPerLabelEntry;
  settings.read.constant = training.constant && !training.kernelized;
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
                            {"bias", constant},
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

std::unique_ptr<MultiLabelTraining> MakeMultiLabelTraining(const DataSettings& settings,
                                                           const TrainingData& training,
                                                           const std::string& graph) {
  return std::make_unique<MultiLabelTraining>(training.data, training.scaled,
                                              WithGraph(settings.training, graph));
}

Completion CalibrateBy(const CalibrationPlan& plan, MultiLabelTraining* training) {
  training->RecordCalibration(static_cast<Index>(plan.folds.size()));
  return [plan, training](const TrainSummary& summary, const std::string& path) {
    // The model has been saved: an interrupt or a failure must not lose it.
    if (summary.termination == Termination::kInterrupted || !Calibrate(plan, training)) return;
    Ranks& ranks = training->options().the_ranks();
    OnAllRanks(ranks, [&] {
      if (ranks.first()) training->Save(path);
    });
  };
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
