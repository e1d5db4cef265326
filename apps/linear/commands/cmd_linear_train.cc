// SPDX-License-Identifier: BSD-3-Clause
//
// slackline linear train
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/training/cmd_checkpoint.h>
#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/cli/training/cmd_train_report.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/apps/linear/commands/cmd_linear.h>
#include <slackline/apps/linear/linear_training.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kLinearTrainDescription =
    "Trains a linear model that tells two classes apart or predicts a number, and writes it to a "
    "model file. The method is proximal\n"
    "stochastic dual coordinate ascent (Shalev-Shwartz and Zhang, 2012), with a certified gap.\n"
    "DATA is a table (CSV, TSV; needs --label-column) or LIBSVM, plain or gzip, or a folder with "
    "files part-...; - reads the standard\n"
    "input. The losses hinge, smoothed-hinge and logistic tell two classes apart, squared and "
    "absolute predict numbers. An example\n"
    "whose class or number is not known (empty, NA, ?) is left out. Ctrl-C ends training early and "
    "keeps the best model.";

constexpr const char* kLinearTrainExamples =
    "Examples:\n"
    "  slackline linear train mail.svm --loss logistic --model spam.slk\n"
    "  slackline linear train mail.svm --loss smoothed-hinge --l1 0.001 --gap-tolerance 1e-6 "
    "--model spam.slk\n"
    "  slackline linear train houses.csv --label-column price --loss squared --regulariser l1 "
    "--model price.slk\n"
    "  slackline linear train houses.csv --label-column -1 --loss absolute --epsilon 0.5 --model "
    "p.slk";

struct LinearTrainCommand {
  ClassDataFlags data;
  std::string loss = "hinge";
  std::string smoothing = "1";
  std::string epsilon = "0";
  std::string regulariser = "l2";
  std::string l1;
  std::string bias = "1";
  ScaleFlag scale;
  std::string c;
  std::string sdca_step = "1";
  std::string output = "newest";
  std::string order = "example";
  std::string model;
  std::string log;
  bool quiet = false;
  CheckpointFlags checkpoint;
  TrainFlags train;
};

LinearLoss LossOf(const LinearTrainCommand& command) {
  LinearLoss loss;
  loss.kind =
      ReadChoice("loss", command.loss,
                 {ScalarLossKind::kHinge, ScalarLossKind::kSmoothedHinge, ScalarLossKind::kLogistic,
                  ScalarLossKind::kSquared, ScalarLossKind::kAbsolute});
  const double smoothing = ReadReal("smoothing", command.smoothing, true);
  const double epsilon = ReadReal("epsilon", command.epsilon, false);
  const auto refuse = [&](ScalarLossKind kind, const char* option, bool given) {
    if (given && loss.kind != kind)
      throw DataError(std::string(option) + " is for --loss " + std::string(Name(kind)));
  };
  refuse(ScalarLossKind::kSmoothedHinge, "--smoothing", command.smoothing != "1");
  refuse(ScalarLossKind::kAbsolute, "--epsilon", command.epsilon != "0");
  if (loss.kind == ScalarLossKind::kSmoothedHinge) loss.parameter = smoothing;
  if (loss.kind == ScalarLossKind::kAbsolute) loss.parameter = epsilon;
  return loss;
}

/// The options, after all checks that need no data.
LinearTrainingOptions OptionsOf(const LinearTrainCommand& command, const TrainOptions& train) {
  LinearTrainingOptions options;
  options.loss = LossOf(command);
  options.regulariser =
      ReadChoice("regulariser", command.regulariser,
                 {LinearRegulariser::kL2, LinearRegulariser::kL1, LinearRegulariser::kQNorm});
  options.lambda = train.lambda;
  if (!command.c.empty()) options.c = ReadReal("C", command.c, true);
  if (!command.l1.empty()) {
    options.l1 =
        ReadReal("l1", command.l1, options.regulariser == LinearRegulariser::kL1, kLargestStrength);
  }
  options.constant = CheckChoice("bias", command.bias, {"0", "1"}) == 1;
  options.scale = command.scale.Read();
  options.learner.step = static_cast<SdcaStep>(ReadCount("sdca-step", command.sdca_step, 1, 5));
  const bool smooth =
      options.loss.kind != ScalarLossKind::kHinge && options.loss.kind != ScalarLossKind::kAbsolute;
  if (options.learner.step == SdcaStep::kSmooth && !smooth)
    throw DataError("--sdca-step: step 5 is for smooth losses, not for --loss " + command.loss);
  options.learner.output = ReadChoice(
      "output", command.output, {SdcaOutput::kNewest, SdcaOutput::kAverage, SdcaOutput::kRandom});
  options.learner.uniform = CheckChoice("order", command.order, {"example", "uniform"}) == 1;
  options.learner.seed = train.seed;
  return options;
}

/// Throws DataError when an output cannot be written, or would replace another file.
void CheckFiles(const LinearTrainCommand& command) {
  std::vector<std::string> others = {command.data.data};
  if (!command.checkpoint.resume.empty()) others.push_back(command.checkpoint.resume);
  CheckOutput("model", command.model, others, false);
  others.push_back(command.model);
  if (!command.log.empty()) CheckOutput("log", command.log, others, true);
  // A resumed run may write to the checkpoint that it reads.
  others = {command.data.data, command.model};
  if (!command.log.empty()) others.push_back(command.log);
  command.checkpoint.Check(others);
}

/// What the record of the model says before training.
void BeginRecord(const LinearTrainCommand& command, const TrainOptions& train,
                 const LinearTraining& training, TrainingRecord* record) {
  const LinearProblem& problem = training.problem();
  record->program = ProgramVersion();
  record->data = training.data().source;
  record->loss = command.loss;
  record->num_examples = problem.rows->size();
  record->lambda = problem.lambda;
  record->cost_per_variable = 1 / (problem.lambda * problem.rows->size());
  record->options = {{"loss", command.loss},         {"smoothing", command.smoothing},
                     {"epsilon", command.epsilon},   {"regulariser", command.regulariser},
                     {"l1", NumberText(problem.l1)}, {"bias", command.bias},
                     {"scale", command.scale.scale}, {"sdca-step", command.sdca_step},
                     {"output", command.output},     {"order", command.order}};
  command.data.AddTo(&record->options);
  for (const char* name :
       {"gap-tolerance", "absolute-gap", "max-passes", "time-limit", "check-every", "seed"})
    record->options.emplace_back(name, OptionText(OptionNamed(name), train));
}

std::string RegulariserText(const LinearProblem& problem) {
  const std::string l1 = problem.l1 > 0 ? Number(problem.l1, 4) + " |w|_1" : "";
  if (problem.regulariser == LinearRegulariser::kL1) return l1 + " alone";
  const std::string name = problem.regulariser == LinearRegulariser::kL2 ? "l2" : "q-norm";
  return "lambda " + Number(problem.lambda) + ", " + name + (l1.empty() ? "" : " + " + l1);
}

void Describe(const LinearTrainCommand& command, const TrainOptions& train,
              const LinearTraining& training) {
  const LinearData& data = training.data();
  TellNotes(data.notes);
  std::string line = "data: " + Count(data.rows->size(), "example") + ", " +
                     Count(data.num_features, "feature") +
                     (command.bias == "1" ? " and a constant" : "");
  if (!data.class_names.empty())
    line += ", classes " + data.class_names[0] + " (-1) and " + data.class_names[1] + " (1)";
  if (data.num_unknown > 0)
    line += ", " + Count(data.num_unknown, "example") + " without a known " +
            (data.class_names.empty() ? "number" : "class") + " left out";
  std::fprintf(stderr, "%s\n", line.c_str());
  if (!training.scaled().line.empty()) std::fprintf(stderr, "%s\n", training.scaled().line.c_str());
  for (const std::string& warning : training.scaled().warnings)
    std::fprintf(stderr, "note: %s\n", warning.c_str());
  const LinearProblem& problem = training.problem();
  std::fprintf(stderr, "training: %s, loss %s; ends at a certified gap of %s %%\n",
               RegulariserText(problem).c_str(), command.loss.c_str(),
               Number(100 * train.gap_tolerance, 3).c_str());
  if (problem.l1 >= training.largest_l1() && problem.l1 > 0) {
    std::fprintf(stderr,
                 "note: --l1 is so large that all weights are 0; they are not below %s for these "
                 "data\n",
                 Number(training.largest_l1(), 4).c_str());
  }
}

int RunLinearTrain(const LinearTrainCommand& command) {
  TrainOptions train = command.train.Read();
  const LinearTrainingOptions options = OptionsOf(command, train);
  CheckFiles(command);
  std::optional<Checkpoint> resumed = command.checkpoint.Resumed(ProcessRanks());
  MultiLabelReadOptions read = command.data.ReadOptions();
  read.append_constant = options.constant;
  const bool numbers = TakesNumbers(options.loss.kind);
  LinearTraining training(ReadLinearData(command.data.data, read, numbers), options);
  train.l1 = training.problem().l1;  // DescribeResult counts zeros
  CheckpointKeeper keeper(command.checkpoint, std::move(resumed), training.Context(),
                          ProcessRanks());
  const CheckpointPlan plan = keeper.Begin(0, {});
  const std::unique_ptr<Learner> learner = MakeLinearLearner(training.problem(), options.learner);
  if (!command.quiet) Describe(command, train, training);
  if (!command.quiet && !plan.resume.empty())
    std::fprintf(stderr, "resumed from %s\n", command.checkpoint.resume.c_str());
  TrainingRecord& record = training.model()->record;
  BeginRecord(command, train, training, &record);
  TrainReport report(!command.quiet);
  if (!command.log.empty()) report.OpenLog(command.log);
  Json start = {{"program", record.program},       {"data", record.data},
                {"examples", record.num_examples}, {"features", training.data().num_features},
                {"lambda", record.lambda},         {"l1", training.problem().l1},
                {"options", Json::object()}};
  for (const auto& [name, value] : record.options) start["options"][name] = value;
  const std::atomic<int>* interrupt = CatchInterrupts();
  report.Begin(start);
  const TrainSummary summary = RunTraining(*learner, train, &report, interrupt, plan);
  report.ClearLine();
  record.curve = report.curve();
  FinishRecord(summary, &record);
  training.SetWeights(summary.weights);
  training.model()->Save(command.model);
  report.End(summary, Json());
  if (!command.quiet) {
    DescribeResult(train, summary);
    DescribeModel(summary, command.model);
  }
  WarnOfGap(train, summary, command.model);
  keeper.CheckWritten();
  return summary.termination == Termination::kInterrupted ? 128 + interrupt->load() : 0;
}

void RegisterModelOptions(Command* app, LinearTrainCommand* command) {
  command->scale.Register(app);
  app->StartGroup(kModelGroup);
  AddTextOption(
      app, "loss", &command->loss, "hinge|smoothed-hinge|logistic|squared|absolute",
      "loss of a score z. Two classes, y = -1 or 1: hinge max(0, 1 - yz); smoothed-hinge; "
      "logistic ln(1 + exp(-yz)). Numbers y: squared (z - y)^2/2; absolute |z - y|",
      "hinge");
  AddTextOption(app, "smoothing", &command->smoothing, "G",
                "smoothed-hinge: it is a quadratic where the hinge is between 0 and G", "1");
  AddTextOption(app, "epsilon", &command->epsilon, "E", "absolute: errors up to E cost nothing",
                "0");
  AddTextOption(app, "regulariser", &command->regulariser, "l2|l1|q-norm",
                "l2: lambda/2 ||w||^2, and S ||w||_1 with --l1 S. l1: S ||w||_1 alone. q-norm: as "
                "l2 with a multiple of ||w||_q^2",
                "l2");
  AddTextOption(app, "l1", &command->l1, "S", "weight of the l1 term, which makes weights zero",
                "0; regulariser l1: a hundredth of what makes all weights zero");
  AddTextOption(app, "bias", &command->bias, "0|1",
                "add a constant feature; for numbers, their mean is the model's offset", "1")
      ->SetAudience(Audience::kCommand);
}

void RegisterTraining(Command* app, LinearTrainCommand* command) {
  app->StartGroup(kTrainingGroup);
  Option* c =
      AddTextOption(app, "C", &command->c, "C", "instead of --lambda: λ = 1/(C·M) with M examples")
          ->SetAudience(Audience::kCommand);
  command->train.Register(app, {"lambda", "gap-tolerance", "absolute-gap", "max-passes",
                                "time-limit", "check-every", "seed"});
  app->Get("lambda")->SetText(
      "weight of the regulariser (docs/reference/linear.md); with regulariser l1 it\n"
      "changes the speed alone [from the data]");
  c->Excludes("lambda");
  AddTextOption(app, "sdca-step", &command->sdca_step, "1..5",
                "step option of the paper. 1: the best step, 2: line search towards a subgradient, "
                "3, 4: from bounds on the curvature, 5: fixed, for smooth losses",
                "1")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "output", &command->output, "newest|average|random",
                "also evaluate the average of the iterates since the last power of two of the "
                "passes, or one of them drawn at random, and keep the better weights",
                "newest")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "order", &command->order, "example|uniform",
                "order of the steps. example: all examples in a fresh random order. uniform: "
                "examples drawn with replacement, as in the paper",
                "example")
      ->SetAudience(Audience::kCommand);
}

}  // namespace

void AddLinearTrain(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"train", kLinearTrainDescription, kLinearTrainExamples}, RunLinearTrain);
  command->data.Register(app, "the classes or numbers", "classes or numbers");
  RegisterModelOptions(app, command);
  app->StartGroup(kOutputGroup);
  AddTextOption(app, "model", &command->model, "OUT.slk", "where to write the model")->Required();
  AddTextOption(app, "log", &command->log, "RUN.jsonl",
                "write a JSON object per check; - is the standard output");
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
  command->checkpoint.Register(app);
  RegisterTraining(app, command);
  app->ShowGroups();
}

}  // namespace slackline::internal::program
