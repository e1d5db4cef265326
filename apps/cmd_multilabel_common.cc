// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cmd_multilabel_common.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <slackline/apps/multilabel_memory.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::program {
namespace {

/// Without weights.
MultiLabelModel MakeModel(const DataFlags& flags, const DataSettings& settings, const MultiLabelData& data) {
  std::vector<LabelPair> pairs = MakeLabelGraph(flags.graph, data);
  const std::string excess = TrainingExcess(
      {data.num_examples(), data.num_labels(), Offset{data.num_features} + (data.has_constant ? 1 : 0),
       static_cast<Offset>(pairs.size()), RestrictedPairs(data, pairs)},
      settings.learner);
  if (!excess.empty()) throw DataError(data.source, 0, excess);
  MultiLabelModel model(data.label_names, data.num_features, data.has_constant, std::move(pairs));
  model.set_feature_names(data.feature_names);
  return model;
}

/// With any λ.
Problem MakeProblem(const MultiLabelModel& model, const DataSettings& settings, const MultiLabelData& data) {
  TrainingSet training = MakeTrainingSet(model.MakeDataset(data), settings.loss);
  if (training.data.size() == 0) throw DataError(data.source, 0, "no example has a known label");
  return Problem(std::move(training), 1);
}

void DescribeData(const MultiLabelData& data, const TrainingSet& training) {
  const auto on = std::count(data.labels.begin(), data.labels.end(), 1);
  const auto unknown = std::count(data.labels.begin(), data.labels.end(), -1);
  const auto entries = static_cast<double>(data.labels.size());
  std::string line =
      "data: " + Count(data.num_examples(), "example") + ", " + Count(data.num_features, "feature") +
      (data.has_constant ? " and a constant, " : ", ") + Count(data.num_labels(), "label") + ", " +
      Number(static_cast<double>(on) / data.num_examples(), 3) + " labels per example (density " +
      Number(100.0 * static_cast<double>(on) / entries, 3) + " %)";
  if (unknown > 0) line += ", " + Count(unknown, "unknown label entry");
  if (training.skipped_examples > 0) {
    line += ", " + Count(training.skipped_examples, "example") + " without any known label left out";
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

void DataFlags::Register(CLI::App* app) {
  app->add_option("DATA", data, "training data")->required()->type_name("");
  AddTextOption(app, "labels", &labels_xml, "FILE.xml", "names of the labels (Mulan's XML)");
  AddTextOption(app, "num-labels", &num_labels, "N", "number of labels of LIBSVM data, which count from 0");
  AddTextOption(
      app, "graph", &graph, "full|none|tree|FILE",
      "pairs of labels that are joined: all, none, a maximum spanning tree of the labels' mutual "
      "information, "
      "or those of a file: two labels a line, by name or by number, which counts from 0 in the order of "
      "the labels' columns in ARFF data",
      "full");
  AddTextOption(app, "loss", &loss, "mean|count",
                "Hamming loss: number of wrong labels, or that divided by the number of known ones", "mean");
  AddTextOption(app, "bias", &bias, "0|1", "add a constant feature", "1");
}

DataSettings DataFlags::Read(LearnerKind learner) const {
  DataSettings settings;
  settings.learner = learner;
  settings.read.bytes_per_weight = kBytesPerWeight;
  settings.read.bytes_per_label_entry = kBytesPerLabelEntry;
  settings.loss.scale =
      CheckChoice("loss", loss, {"mean", "count"}) == 0 ? LossScale::kMean : LossScale::kCount;
  settings.read.append_constant = CheckChoice("bias", bias, {"0", "1"}) == 1;
  settings.read.labels_xml = labels_xml;
  if (!num_labels.empty()) settings.read.num_labels = ReadCount("num-labels", num_labels, 1);
  // Before the names of so many labels are made.
  const Offset labels = settings.read.num_labels;
  const Offset pairs = graph == "full" ? labels * (labels - 1) / 2 : 0;
  const std::string excess = TrainingExcess({0, labels, 0, pairs}, learner);
  if (!excess.empty()) throw DataError("--num-labels: " + Quoted(num_labels) + " is too large: " + excess);
  return settings;
}

MultiLabelData ReadTrainingData(const DataFlags& flags, const DataSettings& settings) {
  MultiLabelData data = ReadMultiLabelData(flags.data, settings.read);
  if (settings.read.num_labels > 0 && settings.read.num_labels != data.num_labels()) {
    throw DataError("--num-labels: " + Quoted(flags.num_labels) + ", but " + data.source + " has " +
                    Count(data.num_labels(), "label"));
  }
  return data;
}

MultiLabelSession::MultiLabelSession(const DataFlags& flags, const DataSettings& settings,
                                     const MultiLabelData& data)
    : flags_(flags),
      data_(data),
      model_(MakeModel(flags, settings, data)),
      problem_(MakeProblem(model_, settings, data)) {}

Fingerprint MultiLabelSession::Context() const {
  DataHash names;
  for (const std::string& name : data_.label_names) names.Add(name);
  return {{"names of the labels", names.Text()}};
}

void MultiLabelSession::Describe(const LearnerChoice& choice, const std::string& lambda) const {
  DescribeData(data_, problem_.training());
  DescribeLearner(choice, lambda,
                  "loss " + flags_.loss + ", graph " + flags_.graph + " (" +
                      Count(static_cast<Offset>(model_.pairs().size()), "pair") + ")");
}

Json MultiLabelSession::Begin(const Problem& problem, const LearnerChoice& choice) {
  BeginRecord(data_.source, problem, choice.options,
              {{"graph", flags_.graph}, {"loss", flags_.loss}, {"bias", flags_.bias}}, &model_.record);
  model_.record.loss = flags_.loss;
  Json start = StartJson(model_.record, choice);
  start["skipped_examples"] = problem.training().skipped_examples;
  start["skipped_labels"] = problem.training().skipped_variables;
  start["features"] = model_.num_features();
  start["labels"] = model_.num_labels();
  start["pairs"] = model_.pairs().size();
  start["weights"] = model_.weights().size();
  return start;
}

void MultiLabelSession::Save(const TrainSummary& summary, const std::string& path) {
  FinishRecord(summary, &model_.record);
  model_.set_weights(summary.weights);
  model_.Save(path);
}

}  // namespace slackline::program
