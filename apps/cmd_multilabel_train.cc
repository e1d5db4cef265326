// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel train
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <slackline/apps/cmd_checkpoint.h>
#include <slackline/apps/cmd_interrupt.h>
#include <slackline/apps/cmd_multilabel_common.h>
#include <slackline/apps/cmd_verify.h>
#include <slackline/core/check.h>
#include <slackline/learning/lambda_path.h>
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
    "reuters.svm\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --lambda-path 0.1:0.0001:7 --model r.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --verify --model r.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --checkpoint r.ckpt --model r.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --checkpoint r.ckpt --resume r.ckpt --model "
    "r.slk";

struct TrainCommand {
  DataFlags data;
  std::string model;
  std::string c;
  std::string lambda_path;
  std::string log;
  bool quiet = false;
  CheckpointFlags checkpoint;
  CertificateCheck verify;
  TrainFlags flags;
};

void Register(CLI::App* app, TrainCommand* command) {
  command->data.Register(app);
  AddTextOption(app, "model", &command->model, "OUT.slk", "where to write the model")->required();
  CLI::Option* c =
      AddTextOption(app, "C", &command->c, "C", "instead of --lambda: λ = 1/(C·M) with M examples");
  CLI::Option* path =
      AddTextOption(app, "lambda-path", &command->lambda_path, "L1,L2,...|FROM:TO:COUNT",
                    "instead of --lambda: train these values, or so many in a geometric sequence, from the "
                    "largest to the smallest, each from the solution of the one before. Models are written "
                    "to OUT-<lambda>.slk; stopping rules hold for each value");
  AddTextOption(app, "log", &command->log, "RUN.jsonl",
                "write a JSON object per check; - is the standard output");
  app->add_flag("--quiet,-q", command->quiet, "say nothing but errors");
  command->verify.Register(app);
  command->checkpoint.Register(app);
  command->flags.Register(app);
  c->excludes("--lambda");
  path->excludes("--lambda")->excludes(c);
  app->footer(kExamples);
}

/// m.slk becomes m-0.01.slk.
std::string PathModelName(const std::string& model, double lambda) {
  constexpr std::string_view kEnding = ".slk";
  std::string name = model;
  if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
  name.append("-").append(LambdaText(lambda));
  return model.ends_with(kEnding) ? name.append(kEnding) : name;
}

/// What everything else is made from; all checks that need no data.
struct Settings {
  TrainOptions train;
  DataSettings data;
  double c = 0;                     ///< 0 = not given
  std::vector<double> lambdas;      ///< empty: to be found from the data
  std::vector<std::string> models;  ///< one per λ
  bool path() const { return lambdas.size() > 1; }
};

Settings ReadSettings(const TrainCommand& command) {
  Settings settings;
  settings.train = command.flags.Read();
  settings.data = command.data.Read(settings.train.learner);
  if (!command.c.empty()) settings.c = ReadReal("C", command.c, true);
  settings.models = {command.model};
  if (!command.lambda_path.empty()) {
    settings.lambdas = ReadLambdaPath(command.lambda_path);
    if (settings.path() && !command.model.empty()) {
      settings.models.clear();
      for (const double lambda : settings.lambdas)
        settings.models.push_back(PathModelName(command.model, lambda));
    }
  }
  const std::vector<std::string> inputs = command.data.inputs();
  std::vector<std::string> others = inputs;
  if (!command.checkpoint.resume.empty()) others.push_back(command.checkpoint.resume);
  for (const std::string& model : settings.models) CheckOutput("model", model, others, false);
  others.insert(others.end(), settings.models.begin(), settings.models.end());
  if (!command.log.empty()) CheckOutput("log", command.log, others, true);
  // A resumed run may go on in its own checkpoint.
  others = inputs;
  others.insert(others.end(), settings.models.begin(), settings.models.end());
  if (!command.log.empty()) others.push_back(command.log);
  command.checkpoint.Check(others);
  return settings;
}

double ChooseLambda(const Settings& settings, Index examples) {
  if (settings.train.lambda > 0) return settings.train.lambda;
  if (settings.c == 0) return 1.0 / examples;
  const double lambda = 1.0 / (settings.c * examples);
  if (std::isfinite(lambda) && lambda >= kSmallestLambda) return lambda;
  throw DataError("--C: λ = 1/(C·M) is " + Number(lambda) + " with C = " + Number(settings.c) +
                  " and M = " + std::to_string(examples) + " examples; it must be a number of at least " +
                  Number(kSmallestLambda));
}

Json StartJson(const MultiLabelModel& model, const TrainingSet& training, const LearnerChoice& choice) {
  const TrainingRecord& record = model.record;
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

/// Exit code when --verify finds a certificate that does not hold.
constexpr int kCertificateFails = 1;

/// What the table of a path shows of one λ, and how checkpoints keep it.
struct PathRow {
  double lambda = 0, primal = 0, relative_gap = 0, passes = 0, seconds = 0;
};
constexpr std::size_t kRowFigures = 5;

void PrintRow(const PathRow& row) {
  std::fprintf(stderr, "%12s %14s %10s %9.0f %10.2f\n", LambdaText(row.lambda).c_str(),
               Number(row.primal, 7).c_str(), Number(100 * row.relative_gap, 3).c_str(), row.passes,
               row.seconds);
}

/// The command once its input is known to be good: one run per λ.
class Training {
 public:
  Training(const TrainCommand& command, const Settings& settings, const MultiLabelData& data,
           MultiLabelTask* task)
      : command_(command),
        settings_(settings),
        data_(data),
        model_(task->model),
        base_(task->problem),
        verify_(command.verify),
        keeper_(command.checkpoint, Context()),
        figures_(keeper_.figures()),
        report_(!command.quiet) {
    first_ = static_cast<std::size_t>(keeper_.stage());
    if (first_ >= settings.lambdas.size() || figures_.size() != first_ * kRowFigures) {
      throw DataError("--resume: " + command.checkpoint.resume +
                      " belongs to another run: --lambda-path differs");
    }
    problem_ = std::make_unique<Problem>(base_.WithLambda(settings.lambdas[first_]));
    choice_ = ChooseLearner(*problem_, OptionsFor(first_));
    plan_ = keeper_.Begin(*problem_, choice_.options, keeper_.stage(), figures_);
    learner_ = MakeLearner(*problem_, choice_.options);
    if (verify_.wanted()) learner_->KeepDualPoint();
  }

  int Run() {
    if (!command_.quiet) Announce();
    if (!command_.log.empty()) report_.OpenLog(command_.log);
    const std::atomic<int>* interrupt = CatchInterrupts();
    bool interrupted = false;
    for (std::size_t k = first_; k < settings_.lambdas.size() && !interrupted; ++k) {
      if (k > first_) MoveTo(k);
      interrupted = TrainOne(k, interrupt) == Termination::kInterrupted;
      // While a certificate was verified: the values of λ after it are not trained.
      interrupted = interrupted || (interrupt->load() != 0 && k + 1 < settings_.lambdas.size());
    }
    keeper_.CheckWritten();
    if (verify_.failed()) return kCertificateFails;
    return interrupted ? 128 + interrupt->load() : 0;
  }

 private:
  /// What a resumed run must share besides problem and options.
  Fingerprint Context() const {
    DataHash names;
    for (const std::string& name : data_.label_names) names.Add(name);
    std::string path;
    for (const double lambda : settings_.lambdas) path += (path.empty() ? "" : ",") + LambdaText(lambda);
    return {{"names of the labels", names.Text()}, {"--lambda-path", settings_.path() ? path : "none"}};
  }

  TrainOptions OptionsFor(std::size_t k) const {
    TrainOptions options = settings_.train;
    options.lambda = settings_.lambdas[k];
    return options;
  }

  void Announce() const {
    DescribeData(data_, base_.training());
    std::string lambda = Number(settings_.lambdas[0]);
    if (settings_.path()) {
      lambda += " to " + Number(settings_.lambdas.back()) + " (" +
                Count(static_cast<Offset>(settings_.lambdas.size()), "value") + ")";
    }
    DescribeLearner(command_.data, model_, choice_, lambda);
    if (!plan_.resume.empty()) std::fprintf(stderr, "resumed from %s\n", command_.checkpoint.resume.c_str());
    if (!settings_.path()) return;
    std::fprintf(stderr, "%12s %14s %10s %9s %10s\n", "lambda", "objective", "gap %", "passes", "seconds");
    for (std::size_t r = 0; r < figures_.size(); r += kRowFigures) {
      PrintRow({figures_[r], figures_[r + 1], figures_[r + 2], figures_[r + 3], figures_[r + 4]});
    }
  }

  void MoveTo(std::size_t k) {
    auto next = std::make_unique<Problem>(base_.WithLambda(settings_.lambdas[k]));
    learner_->ChangeLambda(*next);
    problem_ = std::move(next);
    choice_ = ChooseLearner(*problem_, OptionsFor(k));
    plan_ = keeper_.Begin(*problem_, choice_.options, static_cast<std::int64_t>(k), figures_);
  }

  Termination TrainOne(std::size_t k, const std::atomic<int>* interrupt) {
    BeginRecord(command_.data, data_, *problem_, choice_.options, &model_);
    Json start = StartJson(model_, base_.training(), choice_);
    if (!plan_.resume.empty()) start["resumed"] = command_.checkpoint.resume;
    report_.Begin(start);
    const TrainSummary summary = RunTraining(*learner_, choice_.options, &report_, interrupt, plan_);
    report_.ClearLine();
    FinishModel(summary, &model_);
    model_.Save(settings_.models[k]);
    verify_.Run(*problem_, choice_.options, summary, *learner_, settings_.models[k], command_.quiet,
                interrupt);
    report_.End(summary, verify_.Figures());
    const PathRow row{settings_.lambdas[k], summary.last.primal, summary.last.relative_gap,
                      static_cast<double>(summary.last.pass),
                      summary.last.seconds + summary.last.check_seconds};
    figures_.insert(figures_.end(), {row.lambda, row.primal, row.relative_gap, row.passes, row.seconds});
    if (!command_.quiet) Tell(k, row, summary);
    verify_.Tell(settings_.models[k], command_.quiet);
    return summary.termination;
  }

  void Tell(std::size_t k, const PathRow& row, const TrainSummary& summary) const {
    if (!settings_.path()) {
      DescribeResult(choice_.options, summary);
      DescribeModel(summary, settings_.models[k]);
      return;
    }
    PrintRow(row);
    if (summary.termination == Termination::kInterrupted) {
      std::fprintf(stderr, "interrupted: %s\n", summary.message.c_str());
      DescribeModel(summary, settings_.models[k]);
    } else if (k + 1 == settings_.lambdas.size()) {
      std::fprintf(stderr, "models written to %s ... %s\n", settings_.models.front().c_str(),
                   settings_.models.back().c_str());
    }
  }

  const TrainCommand& command_;
  const Settings& settings_;
  const MultiLabelData& data_;
  MultiLabelModel& model_;
  Problem base_;
  CertificateCheck verify_;
  CheckpointKeeper keeper_;
  std::vector<double> figures_;  // of the λ done
  TrainReport report_;
  std::size_t first_ = 0;
  std::unique_ptr<Problem> problem_;
  LearnerChoice choice_;
  CheckpointPlan plan_;
  std::unique_ptr<Learner> learner_;
};

int Run(const TrainCommand& command) {
  Settings settings = ReadSettings(command);
  const MultiLabelData data = ReadTrainingData(command.data, settings.data);
  MultiLabelTask task = MakeTask(command.data, settings.data, data);
  if (settings.lambdas.empty()) settings.lambdas = {ChooseLambda(settings, task.problem.size())};
  return Training(command, settings, data, &task).Run();
}

}  // namespace

void AddMultiLabelTrain(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<TrainCommand>();
  CLI::App* app = parent->add_subcommand("train", kDescription);
  Register(app, command.get());
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
