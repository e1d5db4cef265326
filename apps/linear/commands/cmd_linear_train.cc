// SPDX-License-Identifier: BSD-3-Clause
//
// slackline linear train
#include <array>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/training/cmd_checkpoint.h>
#include <slackline/apps/cli/training/cmd_train_report.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/apps/linear/commands/cmd_linear.h>
#include <slackline/apps/linear/linear_training.h>
#include <slackline/apps/multiclass/class_table_options.h>
#include <slackline/apps/tasks/commands/cmd_task.h>
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

constexpr std::array kDataOptions = ClassTableOptions(
    "column of a table (CSV, TSV) with the classes or numbers: its name or position (3; -1 is the "
    "last column)",
    "columns that are neither classes or numbers nor features: names, patterns such as id_*, "
    "positions, or ranges (2:5), separated by commas");

using Kind = TaskOption::Kind;
constexpr TaskOption kLinearOptions[] = {
    kDataOptions[0],
    kDataOptions[1],
    kDataOptions[2],
    kDataOptions[3],
    kDataOptions[4],
    kDataOptions[5],
    kScaleOption,
    {.name = "loss",
     .placeholder = "hinge|smoothed-hinge|logistic|squared|absolute",
     .text = "loss of a score z. Two classes, y = -1 or 1: hinge max(0, 1 - yz); smoothed-hinge; "
             "logistic ln(1 + exp(-yz)). Numbers y: squared (z - y)^2/2; absolute |z - y|",
     .default_value = "hinge",
     .kind = Kind::kChoice},
    {.name = "smoothing",
     .placeholder = "G",
     .text = "smoothed-hinge: it is a quadratic where the hinge is between 0 and G",
     .default_value = "1"},
    {.name = "epsilon",
     .placeholder = "E",
     .text = "absolute: errors up to E cost nothing",
     .default_value = "0",
     .kind = Kind::kReal},
    {.name = "regulariser",
     .placeholder = "l2|l1|q-norm",
     .text = "l2: lambda/2 ||w||^2, and S ||w||_1 with --l1 S. l1: S ||w||_1 alone. q-norm: as l2 "
             "with a multiple of ||w||_q^2",
     .default_value = "l2",
     .kind = Kind::kChoice},
    {.name = "l1",
     .placeholder = "S",
     .text = "weight of the l1 term, which makes weights zero",
     .default_value = "",
     .default_text = "0; regulariser l1: a hundredth of what makes all weights zero"},
    {.name = "bias",
     .placeholder = "0|1",
     .text = "add a constant feature; for numbers, their mean is the model's offset",
     .default_value = "1",
     .kind = Kind::kChoice,
     .basic = false}};

struct LinearTrainCommand {
  std::string data;
  TaskOptions options{kLinearOptions};
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

LinearLoss LossOf(const TaskOptions& options) {
  constexpr ScalarLossKind kLosses[] = {ScalarLossKind::kHinge, ScalarLossKind::kSmoothedHinge,
                                        ScalarLossKind::kLogistic, ScalarLossKind::kSquared,
                                        ScalarLossKind::kAbsolute};
  LinearLoss loss;
  loss.kind = kLosses[options.Choice("loss")];
  const double smoothing = ReadReal("smoothing", options.Text("smoothing"), true);
  const double epsilon = options.Real("epsilon");
  const auto refuse = [&](ScalarLossKind kind, const char* option, bool given) {
    if (given && loss.kind != kind)
      throw DataError(std::string(option) + " is for --loss " + std::string(Name(kind)));
  };
  refuse(ScalarLossKind::kSmoothedHinge, "--smoothing", options.Text("smoothing") != "1");
  refuse(ScalarLossKind::kAbsolute, "--epsilon", options.Text("epsilon") != "0");
  if (loss.kind == ScalarLossKind::kSmoothedHinge) loss.parameter = smoothing;
  if (loss.kind == ScalarLossKind::kAbsolute) loss.parameter = epsilon;
  return loss;
}

/// The options, after all checks that need no data.
LinearTrainingOptions OptionsOf(const LinearTrainCommand& command, const TrainOptions& train) {
  constexpr LinearRegulariser kRegularisers[] = {LinearRegulariser::kL2, LinearRegulariser::kL1,
                                                 LinearRegulariser::kQNorm};
  const TaskOptions& given = command.options;
  LinearTrainingOptions options;
  options.loss = LossOf(given);
  options.regulariser = kRegularisers[given.Choice("regulariser")];
  options.lambda = train.lambda;
  if (!command.c.empty()) options.c = ReadReal("C", command.c, true);
  if (given.Given("l1")) {
    options.l1 = ReadReal("l1", given.Text("l1"), options.regulariser == LinearRegulariser::kL1,
                          kLargestStrength);
  }
  options.constant = given.Choice("bias") == 1;
  options.scale = given.Scale();
  options.learner.step = static_cast<SdcaStep>(ReadCount("sdca-step", command.sdca_step, 1, 5));
  const bool smooth =
      options.loss.kind != ScalarLossKind::kHinge && options.loss.kind != ScalarLossKind::kAbsolute;
  if (options.learner.step == SdcaStep::kSmooth && !smooth)
    throw DataError("--sdca-step: step 5 is for smooth losses, not for --loss " +
                    given.Text("loss"));
  options.learner.output = ReadChoice(
      "output", command.output, {SdcaOutput::kNewest, SdcaOutput::kAverage, SdcaOutput::kRandom});
  options.learner.uniform = CheckChoice("order", command.order, {"example", "uniform"}) == 1;
  options.learner.seed = train.seed;
  return options;
}

/// Throws DataError when an output cannot be written, or would replace another file.
void CheckFiles(const LinearTrainCommand& command) {
  std::vector<std::string> others = {command.data};
  if (!command.checkpoint.resume.empty()) others.push_back(command.checkpoint.resume);
  CheckOutput("model", command.model, others, false);
  others.push_back(command.model);
  if (!command.log.empty()) CheckOutput("log", command.log, others, true);
  // A resumed run may write to the checkpoint that it reads.
  others = {command.data, command.model};
  if (!command.log.empty()) others.push_back(command.log);
  command.checkpoint.Check(others);
}

/// What the record of the model says before training.
void BeginRecord(const LinearTrainCommand& command, const TrainOptions& train,
                 const LinearTraining& training, TrainingRecord* record) {
  const LinearProblem& problem = training.problem();
  record->program = ProgramVersion();
  record->data = training.data().source;
  record->loss = command.options.Text("loss");
  record->num_examples = problem.rows->size();
  record->lambda = problem.lambda;
  record->cost_per_variable = 1 / (problem.lambda * problem.rows->size());
  const auto add = [&](std::initializer_list<std::string_view> names) {
    for (auto& entry : command.options.Entries({names.begin(), names.end()}))
      record->options.push_back(std::move(entry));
  };
  record->options.clear();
  add({"loss", "smoothing", "epsilon", "regulariser"});
  record->options.emplace_back("l1", NumberText(problem.l1));
  add({"bias", "scale"});
  record->options.insert(
      record->options.end(),
      {{"sdca-step", command.sdca_step}, {"output", command.output}, {"order", command.order}});
  add({"label-column", "ignore-columns", "separator", "categories", "decimal-comma"});
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
                     (command.options.Text("bias") == "1" ? " and a constant" : "");
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
               RegulariserText(problem).c_str(), command.options.Text("loss").c_str(),
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
  const TaskRequest request{command.data, command.options};
  const MultiLabelReadOptions read = ClassReadOptions(request, options.constant);
  const bool numbers = TakesNumbers(options.loss.kind);
  LinearTraining training(ReadLinearData(command.data, read, numbers), options);
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
  RegisterTask(app, &command->data, &command->options);
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
