// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel train
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <slackline/apps/cmd_common.h>
#include <slackline/apps/cmd_interrupt.h>
#include <slackline/apps/cmd_report.h>
#include <slackline/apps/multilabel_model.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/train_loop.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Trains a multi-label classifier and writes it to a model file.\n"
    "DATA is ARFF (Mulan; needs --labels) or LIBSVM (needs --labels or --num-labels), also gzip; - reads the "
    "standard "
    "input.\nCtrl-C ends training early and keeps the best model.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline multilabel train yeast-train.arff.gz --labels yeast.xml --model yeast.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --graph tree --lambda 0.001 --model r.slk\n"
    "  slackline multilabel train - --num-labels 30 --learner bcfw --time-limit 60 --log run.jsonl --model "
    "r.slk < "
    "reuters.svm";

struct TrainCommand {
  std::string data;
  std::string labels_xml;
  std::string num_labels;
  std::string model;
  std::string graph = "full";
  std::string loss = "mean";
  std::string bias = "1";
  std::string c;
  std::string log;
  bool quiet = false;
  TrainFlags flags;
};

void Register(CLI::App* app, TrainCommand* command) {
  app->add_option("DATA", command->data, "training data")->required()->type_name("");
  AddTextOption(app, "labels", &command->labels_xml, "FILE.xml", "names of the labels (Mulan's XML)");
  AddTextOption(app, "num-labels", &command->num_labels, "N",
                "number of labels of LIBSVM data, which count from 0");
  AddTextOption(app, "model", &command->model, "OUT.slk", "where to write the model")->required();
  AddTextOption(app, "graph", &command->graph, "full|none|tree|FILE",
                "pairs of labels that are joined: all, none, a maximum spanning tree of the labels' mutual "
                "information, "
                "or those of a file (two labels a line, by name or number from 0)",
                "full");
  AddTextOption(app, "loss", &command->loss, "mean|count",
                "Hamming loss: number of wrong labels, or that divided by the number of known ones", "mean");
  AddTextOption(app, "bias", &command->bias, "0|1", "add a constant feature", "1");
  CLI::Option* c =
      AddTextOption(app, "C", &command->c, "C", "instead of --lambda: λ = 1/(C·M) with M examples");
  AddTextOption(app, "log", &command->log, "RUN.jsonl",
                "write a JSON object per check; - is the standard output");
  app->add_flag("--quiet,-q", command->quiet, "say nothing but errors");
  command->flags.Register(app);
  c->excludes("--lambda");
  app->footer(kExamples);
}

/// What everything else is made from; all checks that need no data.
struct Settings {
  TrainOptions train;
  MultiLabelReadOptions read;
  LossOptions loss;
  double c = 0;  ///< 0 = not given
};

Settings ReadSettings(const TrainCommand& command) {
  Settings settings;
  settings.train = command.flags.Read();
  CheckChoice("loss", command.loss, {"mean", "count"});
  CheckChoice("bias", command.bias, {"0", "1"});
  settings.loss.scale = command.loss == "mean" ? LossScale::kMean : LossScale::kCount;
  settings.read.append_constant = command.bias == "1";
  settings.read.labels_xml = command.labels_xml;
  if (!command.num_labels.empty() &&
      (!ParseIndex(command.num_labels, &settings.read.num_labels) || settings.read.num_labels < 1)) {
    throw DataError("--num-labels: " + Quoted(command.num_labels) +
                    " is not allowed; it must be a whole number ≥ 1");
  }
  if (!command.c.empty() && (!ParseNumber(command.c, &settings.c) || settings.c <= 0)) {
    throw DataError("--C: " + Quoted(command.c) + " is not allowed; it must be a number > 0");
  }
  const std::vector<std::string> inputs = {command.data, command.labels_xml, command.graph};
  CheckOutput("model", command.model, inputs, false);
  if (!command.log.empty()) {
    std::vector<std::string> others = inputs;
    others.push_back(command.model);
    CheckOutput("log", command.log, others, true);
  }
  return settings;
}

double ChooseLambda(const Settings& settings, Index examples) {
  if (settings.train.lambda > 0) return settings.train.lambda;
  if (settings.c == 0) return 1.0 / examples;
  const double lambda = 1.0 / (settings.c * examples);
  if (std::isfinite(lambda) && lambda > 0) return lambda;
  throw DataError("--C: λ = 1/(C·M) is " + Number(lambda) + " with C = " + Number(settings.c) +
                  " and M = " + std::to_string(examples) + " examples; it must be a number > 0");
}

/// All options that the model was trained with, as text.
std::vector<std::pair<std::string, std::string>> OptionTexts(const TrainCommand& command,
                                                             const TrainOptions& options) {
  std::vector<std::pair<std::string, std::string>> texts = {
      {"graph", command.graph}, {"loss", command.loss}, {"bias", command.bias}};
  for (const OptionRecord& record : OptionRecords()) {
    std::string text = OptionText(record, options);
    if (record.positive && text == "0") text = "auto";
    texts.emplace_back(record.name, std::move(text));
  }
  return texts;
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

void DescribeLearner(const TrainCommand& command, const MultiLabelModel& model, const LearnerChoice& choice) {
  const TrainOptions& options = choice.options;
  if (!choice.reason.empty()) std::fprintf(stderr, "learner: %s\n", choice.reason.c_str());
  std::fprintf(stderr, "training: %s, lambda %s, loss %s, graph %s (%s), relative gap wanted %s\n",
               std::string(Name(options.learner)).c_str(), Number(options.lambda).c_str(),
               command.loss.c_str(), command.graph.c_str(),
               Count(static_cast<Offset>(model.pairs().size()), "pair").c_str(),
               Number(options.gap_tolerance).c_str());
}

Json StartJson(const TrainingRecord& record, const MultiLabelModel& model, const TrainingSet& training,
               const LearnerChoice& choice) {
  Json options = Json::object();
  for (const auto& [name, value] : record.options) options[name] = value;
  return {{"program", record.program},
          {"data", record.data},
          {"examples", record.num_examples},
          {"skipped_examples", training.skipped_examples},
          {"skipped_labels", training.skipped_variables},
          {"features", model.num_features()},
          {"labels", model.num_labels()},
          {"pairs", model.pairs().size()},
          {"weights", model.weights().size()},
          {"lambda", record.lambda},
          {"choice", choice.reason},
          {"options", std::move(options)}};
}

void FillRecord(const TrainSummary& summary, TrainingRecord* record) {
  record->problem = summary.last.problem;
  record->primal = summary.last.primal;
  record->dual = summary.last.dual;
  record->gap = summary.last.gap;
  record->relative_gap = summary.last.relative_gap;
  record->termination = summary.termination;
  record->message = summary.message;
  record->passes = summary.last.pass;
  record->seconds = summary.last.seconds;
  record->check_seconds = summary.last.check_seconds;
}

void DescribeResult(const TrainCommand& command, const TrainOptions& options, const TrainSummary& summary) {
  const ProgressRecord& last = summary.last;
  for (const std::string& note : summary.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  std::fprintf(stderr, "%s: %s\n", std::string(Name(summary.termination)).c_str(), summary.message.c_str());
  std::fprintf(stderr,
               "objective %s; the optimum of the %s problem is certified to lie between %s and %s (relative "
               "gap %s %%)\n",
               Number(last.primal, 7).c_str(),
               last.problem == CertifiedProblem::kExact ? "exact" : "LP-relaxed",
               Number(last.dual, 7).c_str(), Number(last.primal, 7).c_str(),
               Number(100 * last.relative_gap, 3).c_str());
  if (options.learner == LearnerKind::kSoft) {
    std::fprintf(
        stderr,
        "soft objective %s, soft gap %s (rho %s); the certified gap stays open: soft constraints solve "
        "a softer problem\n",
        Number(last.soft_primal, 7).c_str(), Number(last.soft_gap, 3).c_str(), Number(last.rho, 4).c_str());
  }
  std::fprintf(stderr, "%s, %s s of training and %s s of checks\n", Count(last.pass, "pass").c_str(),
               Number(last.seconds, 3).c_str(), Number(last.check_seconds, 3).c_str());
  const char* best = summary.termination == Termination::kInterrupted ? "best model so far" : "model";
  std::fprintf(stderr, "%s written to %s\n", best, command.model.c_str());
}

MultiLabelData ReadData(const TrainCommand& command, const Settings& settings) {
  MultiLabelData data = ReadMultiLabelData(command.data, settings.read);
  if (settings.read.num_labels > 0 && settings.read.num_labels != data.num_labels()) {
    throw DataError("--num-labels: " + Quoted(command.num_labels) + ", but " + data.source + " has " +
                    Count(data.num_labels(), "label"));
  }
  return data;
}

int Run(const TrainCommand& command) {
  Settings settings = ReadSettings(command);
  const MultiLabelData data = ReadData(command, settings);
  MultiLabelModel model(data.label_names, data.num_features, data.has_constant,
                        MakeLabelGraph(command.graph, data));
  TrainingSet training = MakeTrainingSet(model.MakeDataset(data), settings.loss);
  const Index examples = training.data.size();
  if (examples == 0) throw DataError(data.source, 0, "no example has a known label");
  settings.train.lambda = ChooseLambda(settings, examples);
  const Problem problem(std::move(training), settings.train.lambda);
  const LearnerChoice choice = ChooseLearner(problem, settings.train);
  const TrainOptions& options = choice.options;

  TrainingRecord& record = model.record;
  record.program = ProgramVersion();
  record.data = data.source;
  record.options = OptionTexts(command, options);
  record.num_examples = examples;
  record.lambda = options.lambda;
  record.loss = command.loss;
  const Json start = StartJson(record, model, problem.training(), choice);
  const std::unique_ptr<Learner> learner = MakeLearner(problem, options);
  if (!command.quiet) {
    DescribeData(data, problem.training());
    DescribeLearner(command, model, choice);
  }

  // From here on the input is known to be good.
  TrainReport report(!command.quiet);
  if (!command.log.empty()) report.OpenLog(command.log, start);
  const std::atomic<int>* interrupt = CatchInterrupts();
  const TrainSummary summary = RunTraining(*learner, options, &report, interrupt);
  report.ClearLine();
  FillRecord(summary, &record);
  model.set_weights(summary.weights);
  model.Save(command.model);
  report.End(summary);
  if (!command.quiet) DescribeResult(command, options, summary);
  return summary.termination == Termination::kInterrupted ? 128 + interrupt->load() : 0;
}

}  // namespace

void AddMultiLabelTrain(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<TrainCommand>();
  CLI::App* app = parent->add_subcommand("train", kDescription);
  Register(app, command.get());
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
