// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_multilabel_common.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/multilabel/commands/cmd_reading.h>
#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/kernels/kernel_expansion.h>

namespace slackline::internal::program {
namespace {

/// Slower passes cause a warning.
constexpr double kSlowPassSeconds = 5;

MultiLabelLoss ReadLoss(const std::string& loss, const std::string& loss_weights) {
  CheckChoice("loss", loss, {"mean", "count", "f1"});
  MultiLabelLoss result = MultiLabelLoss::Named(loss);
  result.weights = LossWeights::Parse(loss_weights);
  if (result.form == LossForm::kF1 && loss_weights != "equal")
    throw DataError("--loss f1 cannot be combined with --loss-weights");
  return result;
}

/// A model for the training data, with all weights zero.
MultiLabelModel MakeModel(const DataFlags& flags, const DataSettings& settings,
                          const TrainingData& training, const LossOptions& loss) {
  const MultiLabelData& data = training.data;
  std::vector<LabelPair> pairs = MakeLabelGraph(flags.graph, data);
  const std::string excess =
      TrainingExcess({data.num_examples(), data.num_labels(),
                      Offset{data.num_features} + (data.has_constant ? 1 : 0),
                      static_cast<Offset>(pairs.size()), RestrictedPairs(data, pairs)},
                     settings.learner);
  if (!excess.empty()) throw DataError(data.source, 0, excess);
  if (settings.kernelized && data.num_features == 0) {
    throw DataError(data.source, 0, "the data have no features that a kernel could compare");
  }
  const bool has_constant = settings.kernelized ? settings.bias : data.has_constant;
  MultiLabelModel model(data.label_names, data.num_features, has_constant, std::move(pairs),
                        settings.kernelized);
  model.set_feature_names(data.feature_names);
  model.set_scaling(training.scaled.scaling);
  model.set_input({data.fill_values, data.table});
  model.set_loss_weights(loss.given_weights);
  model.set_label_counts(LabelCountsFor(settings.label_counts, data));
  return model;
}

/// The training problem; its λ is meaningless.
Problem MakeProblem(const MultiLabelModel& model, const DataSettings& settings,
                    const MultiLabelData& data, const LossOptions& loss) {
  const CountRange counts = TrainingCounts(settings.label_counts, model, data, loss.form);
  TrainingSet training = MakeTrainingSet(model.MakeDataset(data, counts), loss);
  if (training.data.size() == 0) throw DataError(data.source, 0, "no example has a known label");
  return Problem(std::move(training), 1);
}

/// The bounds on the number of labels as text: ", label sets of …" if training respects them too,
/// ", predictions of …" if only prediction does, and empty without bounds.
std::string CountsText(const MultiLabelModel& model, const Problem& problem) {
  if (!model.label_counts().Restricts(model.num_labels())) return {};
  const bool trained = !problem.data().example(0).structure().globals().empty();
  return (trained ? ", label sets of " : ", predictions of ") +
         DescribeLabelCounts(model.label_counts(), model.num_labels());
}

void DescribeData(const MultiLabelData& data, const TrainingSet& training) {
  const auto on = std::count(data.labels.begin(), data.labels.end(), 1);
  const auto unknown = std::count(data.labels.begin(), data.labels.end(), -1);
  const auto entries = static_cast<double>(data.labels.size());
  std::string line =
      "data: " + Count(data.num_examples(), "example") + ", " +
      Count(data.num_features, "feature") + (data.has_constant ? " and a constant, " : ", ") +
      Count(data.num_labels(), "label") + ", " +
      Number(static_cast<double>(on) / data.num_examples(), 3) + " labels per example (density " +
      Number(100.0 * static_cast<double>(on) / entries, 3) + " %)";
  if (unknown > 0) line += ", " + Count(unknown, "unknown label entry");
  if (training.skipped_examples > 0) {
    line +=
        ", " + Count(training.skipped_examples, "example") + " without any known label left out";
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

void DataFlags::Register(CLI::App* app) {
  app->add_option("DATA", data, "training data")->required()->type_name("");
  RegisterFormat(app, &format);
  AddTextOption(
      app, "label-columns", &label_columns, "LIST",
      "columns of a table (CSV, TSV) that are labels, separated by commas: names, patterns such as "
      "tag_*, positions (3; -1 is the last column), or ranges of positions (2:5; -3: for the last "
      "three). An exact column name takes precedence over a pattern or a position");
  AddTextOption(app, "ignore-columns", &ignore_columns, "LIST",
                "columns of a table that are neither labels nor features, in the same notation");
  AddTextOption(app, "labels", &labels_xml, "FILE.xml", "names of the labels (Mulan's XML)");
  AddTextOption(app, "num-labels", &num_labels, "N",
                "number of labels in LIBSVM data, where labels are numbered from 0");
  AddTextOption(
      app, "graph", &graph, "full|none|tree|auto|FILE",
      "pairs of labels that are joined: all pairs (full), none, a maximum spanning tree of the "
      "labels' mutual information (tree), the best of these three by cross-validation (auto; or of "
      "a list: full,none), or the pairs in a file. Each line of the file has two labels, by name "
      "or by number; numbers count from 0, in ARFF data in the order of the label columns",
      "full");
  AddTextOption(app, "loss", &loss, "mean|count|f1",
                "Hamming loss of each example: share (mean) or number (count) of the known labels "
                "that are wrong; or 1 - F1 of its labels (f1, with --graph none or tree)",
                "mean");
  AddTextOption(app, "loss-weights", &loss_weights, "equal|inverse-frequency[:P]|FILE",
                "cost of an error on a label. equal: 1. inverse-frequency: 1 for a false alarm, "
                "(largest frequency / its frequency)^P for a missed label, with P = 0.25 by "
                "default; this helps F1, above all macro F1. FILE: each line has a label, the cost "
                "of missing it and, if not 1, the cost of a false alarm",
                "equal");
  AddTextOption(app, "bias", &bias, "0|1", "add a constant feature", "1");
  AddTextOption(app, "label-counts", &label_counts, "auto|any|MIN-MAX",
                "number of labels of a prediction. auto: at least the smallest number of any "
                "training example. any: no bounds. MIN-MAX: bounds such as 1- (at least one) or 2 "
                "(exactly two). Training enforces MIN and MAX, too, if no labels are joined "
                "(--graph none) and all examples satisfy them",
                "auto");
  scale.Register(app);
}

DataSettings DataFlags::Read(const TrainOptions& train) const {
  const LearnerKind learner = train.learner;
  DataSettings settings;
  settings.learner = learner;
  settings.kernelized = UsesKernel(train);
  settings.read.bytes_per_weight = kBytesPerWeight;
  settings.read.bytes_per_label_entry = kBytesPerLabelEntry;
  settings.loss = ReadLoss(loss, loss_weights);
  settings.bias = CheckChoice("bias", bias, {"0", "1"}) == 1;
  settings.read.append_constant = settings.bias && !settings.kernelized;
  settings.scale = scale.Read();
  settings.label_counts = ParseLabelCounts(label_counts);
  settings.read.format = ReadFormat(format);
  settings.read.label_columns = label_columns;
  settings.read.ignore_columns = ignore_columns;
  settings.read.labels_xml = labels_xml;
  if (!num_labels.empty()) settings.read.num_labels = ReadCount("num-labels", num_labels, 1);
  // This check comes before the names of all labels are made.
  const Offset labels = settings.read.num_labels;
  const Offset pairs = graph == "full" ? labels * (labels - 1) / 2 : 0;
  const std::string excess = TrainingExcess({0, labels, 0, pairs}, learner);
  if (!excess.empty())
    throw DataError("--num-labels: " + Quoted(num_labels) + " is too large: " + excess);
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
  const auto name = [&data](Index feature) {
    return data.feature_names.empty() ? std::to_string(feature + 1) : data.feature_names[feature];
  };
  training.scaled =
      ScaleForTraining(settings.scale, {data.source, data.rows, data.num_features, name});
  data.rows = training.scaled.rows;
  return training;
}

MultiLabelSession::MultiLabelSession(const DataFlags& flags, const DataSettings& settings,
                                     const TrainingData& training)
    : flags_(flags),
      settings_(settings),
      data_(training.data),
      scaled_(training.scaled),
      loss_(settings.loss.For(training.data)),
      model_(MakeModel(flags, settings, training, loss_)),
      problem_(MakeProblem(model_, settings, training.data, loss_)) {}

std::vector<LabelTriple> MultiLabelSession::Tighten(const TrainOptions& options, Index count,
                                                    Index rounds,
                                                    const std::atomic<int>* interrupt) {
  if (std::find(data_.labels.begin(), data_.labels.end(), -1) != data_.labels.end())
    throw DataError(data_.source, 0, "--clusters needs data in which all labels are known");
  const Dataset plain = model_.MakeDataset(data_);
  for (Index round = 0; round < rounds && interrupt->load() == 0; ++round) {
    const Problem problem = problem_.WithLambda(options.lambda);
    const LearnerChoice choice = ChooseLearner(problem, options);
    const std::unique_ptr<Learner> learner = MakeLearner(problem, choice.options);
    DualPointSource* point = learner->traits().dual_point;
    if (point != nullptr) point->KeepDualPoint();
    RunTraining(problem, *learner, choice.options, nullptr, interrupt);
    std::vector<double> coordinates;
    double loss = 0;
    if (point == nullptr || !point->DualPoint(0, &coordinates, &loss))
      throw DataError("--clusters: learner " + std::string(Name(choice.options.learner)) +
                      " has no dual point; use --learner al");
    const auto until = static_cast<Index>(Offset{count} * (round + 1) / rounds);
    const auto have = static_cast<Index>(clusters_.size());
    clusters_ =
        PickClusters(FindViolatedTriples(model_, problem.size(), *point), until - have, clusters_);
    if (static_cast<Index>(clusters_.size()) == have) break;
    problem_ = Problem(
        MakeTrainingSet(WithStructure(plain, MakeClusteredStructure(model_, clusters_)), loss_), 1);
  }
  return clusters_;
}

Fingerprint MultiLabelSession::Context() const {
  return {{"names of the labels", HashOfNames(data_.label_names)}};
}

MultiLabelCvOptions CvOptionsOf(const DataSettings& settings, std::vector<std::string> graphs) {
  return {std::move(graphs), settings.loss, settings.bias, settings.label_counts};
}

double PassSeconds(Offset pairs, Index examples) {
  constexpr double kSecondsPerVisit = 16e-9;  // for one pair of labels of one example
  return kSecondsPerVisit * static_cast<double>(pairs) * examples;
}

std::vector<std::string> MultiLabelSession::Warnings() const {
  std::vector<std::string> warnings = scaled_.warnings;
  const double seconds = PassSeconds(static_cast<Offset>(model_.pairs().size()), problem_.size());
  if (seconds >= kSlowPassSeconds) {
    warnings.push_back(Count(static_cast<Offset>(model_.pairs().size()), "pair") +
                       " of labels and " + Count(problem_.size(), "example") +
                       ": a pass over the data may take some " + Number(seconds, 2) +
                       " s; --graph tree joins far fewer pairs");
  }
  return warnings;
}

void MultiLabelSession::Describe(const LearnerChoice& choice, const std::string& lambda) const {
  TellNotes(data_.notes);
  DescribeData(data_, problem_.training());
  if (!scaled_.line.empty()) std::fprintf(stderr, "%s\n", scaled_.line.c_str());
  DescribeLearner(
      choice, lambda,
      "loss " + flags_.loss +
          (model_.loss_weights().empty() ? "" : " (weights " + flags_.loss_weights + ")") +
          ", graph " + flags_.graph + " (" +
          Count(static_cast<Offset>(model_.pairs().size()), "pair") + ")" +
          (clusters_.empty()
               ? std::string()
               : ", " + Count(static_cast<Offset>(clusters_.size()), "cluster") + " of three") +
          CountsText(model_, problem_) +
          (model_.kernelized()
               ? ", kernel " + KernelOf(choice.options, problem_.data()).description()
               : ""));
}

Json MultiLabelSession::Begin(const Problem& problem, const LearnerChoice& choice) {
  trained_ = choice.options;
  std::vector<std::pair<std::string, std::string>> own = {{"graph", flags_.graph},
                                                          {"loss", flags_.loss},
                                                          {"bias", flags_.bias},
                                                          {"scale", flags_.scale.scale}};
  own.emplace_back("label-counts", flags_.label_counts);
  own.emplace_back("loss-weights", flags_.loss_weights);
  if (!clusters_.empty()) own.emplace_back("clusters", std::to_string(clusters_.size()));
  if (!flags_.label_columns.empty()) own.emplace_back("label-columns", flags_.label_columns);
  if (!flags_.ignore_columns.empty()) own.emplace_back("ignore-columns", flags_.ignore_columns);
  if (calibration_)
    own.emplace_back("calibrate", Count(static_cast<Offset>(calibration_->folds.size()), "fold"));
  BeginRecord(data_.source, problem, choice.options, std::move(own), &model_.record);
  model_.record.loss = flags_.loss;
  Json start = StartJson(model_.record, choice);
  start["skipped_examples"] = problem.training().skipped_examples;
  start["skipped_labels"] = problem.training().skipped_variables;
  start["features"] = model_.num_features();
  start["labels"] = model_.num_labels();
  start["loss_weights"] = flags_.loss_weights;
  start["pairs"] = model_.pairs().size();
  start["label_counts"] = {model_.label_counts().low,
                           model_.label_counts().Most(model_.num_labels())};
  start["weights"] = model_.weights().size();
  if (model_.kernelized()) start["kernel"] = KernelOf(choice.options, problem.data()).description();
  return start;
}

void MultiLabelSession::Save(const TrainSummary& summary, const std::string& path) {
  FinishRecord(summary, &model_.record);
  model_.SetTrained(problem_, trained_, summary.weights);
  model_.set_calibration(std::nullopt);
  // The model is saved even if calibration follows: an interrupt or a failure must not lose it.
  model_.Save(path);
  if (!calibration_ || summary.termination == Termination::kInterrupted) return;
  TrainOptions train = trained_;
  train.lambda = model_.record.lambda;
  const MultiLabelCvOptions options = CvOptionsOf(settings_, {flags_.graph});
  if (Calibrate(data_, options, train, *calibration_, &model_)) model_.Save(path);
}

}  // namespace slackline::internal::program
