// SPDX-License-Identifier: BSD-3-Clause
//
// slackline linear train and slackline linear cv
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/linear/commands/cmd_linear.h>
#include <slackline/apps/linear/linear_metrics.h>
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

constexpr const char* kLinearCvDescription =
    "Chooses lambda by cross-validation, then trains with it on all data.\n"
    "The examples are divided into K folds at random. For each fold, models are trained on the "
    "other folds for all values of\n"
    "lambda and evaluated on the fold. The table has mean and standard deviation over the folds. "
    "Ctrl-C ends cross-validation\n"
    "early. Features are scaled over all examples.";

constexpr const char* kLinearCvExamples =
    "Examples:\n"
    "  slackline linear cv mail.svm --loss logistic --metric auc --model spam.slk\n"
    "  slackline linear cv houses.csv --label-column price --loss squared --lambda-path "
    "0.1,0.01,0.001 --no-refit --json";

using Kind = TaskOption::Kind;
constexpr std::array kLinearOptions = WithTableOptions(
    "column of a table (CSV, TSV) with the classes or numbers: its name or position (3; -1 is the "
    "last column)",
    "columns that are neither classes or numbers nor features: names, patterns such as id_*, "
    "positions, or ranges (2:5), separated by commas",
    {{.name = "loss",
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
      .basic = false}});

/// What the commands that train have in common.
struct LinearFlags {
  std::string data;
  TaskOptions options{kLinearOptions};
  std::string sdca_step = "1";
  std::string output = "newest";
  std::string order = "example";

  void Register(Command* app);
  /// To be called after the training options.
  void RegisterSteps(Command* app);
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

RecordTexts TextsOf(const LinearFlags& command) {
  RecordTexts texts;
  texts.loss = command.options.Text("loss");
  const auto add = [&](std::initializer_list<std::string_view> names) {
    for (auto& entry : command.options.Entries({names.begin(), names.end()}))
      texts.options.push_back(std::move(entry));
  };
  add({"loss", "smoothing", "epsilon", "regulariser"});
  texts.options.emplace_back("l1", "");  // known when the data are
  add({"bias", "scale"});
  texts.options.insert(
      texts.options.end(),
      {{"sdca-step", command.sdca_step}, {"output", command.output}, {"order", command.order}});
  add({"label-column", "ignore-columns", "separator", "categories", "decimal-comma"});
  return texts;
}

/// The options, after all checks that need no data.
LinearTrainingOptions OptionsOf(const LinearFlags& command, std::int64_t seed) {
  constexpr LinearRegulariser kRegularisers[] = {LinearRegulariser::kL2, LinearRegulariser::kL1,
                                                 LinearRegulariser::kQNorm};
  const TaskOptions& given = command.options;
  LinearTrainingOptions options;
  options.loss = LossOf(given);
  options.regulariser = kRegularisers[given.Choice("regulariser")];
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
  options.learner.seed = seed;
  options.texts = TextsOf(command);
  return options;
}

LinearData Load(const LinearFlags& command, const LinearTrainingOptions& options) {
  const TaskRequest request{command.data, command.options};
  return ReadLinearData(command.data, ClassReadOptions(request, options.constant),
                        TakesNumbers(options.loss.kind));
}

struct LinearTrainCommand {
  LinearFlags linear;
  SessionFlags session;
};

int RunLinearTrain(const LinearTrainCommand& command) {
  SessionSettings settings = ReadSession(command.session, {command.linear.data});
  const LinearTrainingOptions options = OptionsOf(command.linear, settings.train.seed);
  LinearTraining training(Load(command.linear, options), options);
  return RunSession(command.session, std::move(settings), &training);
}

struct LinearCvCommand {
  LinearFlags linear;
  CvFlags cv;
};

/// The metrics of classes, then those of numbers, then "auto".
CvMetrics LinearCvMetrics() {
  CvMetrics metrics;
  for (const bool numbers : {false, true}) {
    for (const LinearFigure& figure : LinearFigures(numbers).first(numbers ? 3 : 6))
      metrics.figures.push_back(figure.name);
  }
  metrics.figures.push_back({"auto", "", ""});
  metrics.text =
      "what to choose by; auto: the error rate of classes, the root of the mean squared error of "
      "numbers. Of equal values, the largest lambda is chosen";
  metrics.default_name = "auto";
  return metrics;
}

/// The position of --metric among the figures.
std::size_t ChosenFigure(std::string_view name, std::span<const LinearFigure> figures) {
  if (name == "auto") return 0;
  for (std::size_t f = 0; f < figures.size(); ++f) {
    if (figures[f].name.name == name) return f;
  }
  throw DataError("--metric: " + std::string(name) + " is not known of " +
                  (figures[0].name.name == "rmse" ? "numbers" : "classes"));
}

int RunLinearCv(const LinearCvCommand& command) {
  CvSettings settings = command.cv.Read(LinearCvMetrics(), {command.linear.data});
  const LinearTrainingOptions options = OptionsOf(command.linear, settings.train.seed);
  if (options.regulariser == LinearRegulariser::kL1)
    throw DataError(
        "--regulariser l1 has no lambda to choose: with it, lambda changes the speed alone");
  const std::span<const LinearFigure> figures = LinearFigures(TakesNumbers(options.loss.kind));
  settings.metric = ChosenFigure(command.cv.metric, figures);
  const LinearData data = Load(command.linear, options);
  auto training = std::make_unique<LinearTraining>(data, options);
  const LinearCv application(*training, options);
  CvTask task;
  for (const LinearFigure& figure : figures) {
    task.shown.push_back(task.figures.size());
    task.figures.push_back(figure.name);
  }
  task.own = {{"loss", command.linear.options.Text("loss")}};
  task.session = [&](std::size_t) {
    return CompletedTask{std::make_unique<LinearTraining>(data, options)};
  };
  return RunCv(command.cv, settings, application, task);
}

void LinearFlags::Register(Command* app) { RegisterTask(app, &data, &options); }

void LinearFlags::RegisterSteps(Command* app) {
  app->StartGroup(kTrainingGroup);
  app->Get("lambda")->SetText(
      "weight of the regulariser (docs/reference/linear.md); with regulariser l1 it\n"
      "changes the speed alone [from the data]");
  AddTextOption(app, "sdca-step", &sdca_step, "1..5",
                "step option of the paper. 1: the best step, 2: line search towards a subgradient, "
                "3, 4: from bounds on the curvature, 5: fixed, for smooth losses",
                "1")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "output", &output, "newest|average|random",
                "also evaluate the average of the iterates since the last power of two of the "
                "passes, or one of them drawn at random, and keep the better weights",
                "newest")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "order", &order, "example|uniform",
                "order of the steps. example: all examples in a fresh random order. uniform: "
                "examples drawn with replacement, as in the paper",
                "example")
      ->SetAudience(Audience::kCommand);
}

}  // namespace

void AddLinearTrain(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"train", kLinearTrainDescription, kLinearTrainExamples}, RunLinearTrain);
  command->linear.Register(app);
  command->session.Register(app, kLinearTrainOptions);
  command->linear.RegisterSteps(app);
  app->ShowGroups();
}

void AddLinearCv(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"cv", kLinearCvDescription, kLinearCvExamples}, RunLinearCv);
  command->linear.Register(app);
  std::vector<std::string_view> names(std::begin(kLinearTrainOptions),
                                      std::end(kLinearTrainOptions));
  names.emplace_back("threads");
  command->cv.Register(app, LinearCvMetrics(), "all data", names);
  command->linear.RegisterSteps(app);
  app->ShowGroups();
}

}  // namespace slackline::internal::program
