// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/training/train_task.h>

#include <cmath>
#include <utility>

#include <slackline/apps/common/program_version.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/run/path_trainer.h>

namespace slackline::internal {
namespace {

/// Begins with plan.follow if there is one. Returns what a user should know about that.
std::string Follow(const RunPlan& plan, Trainer* trainer) {
  if (plan.follow.empty()) return {};
  if (trainer->Follow(plan.follow, plan.follow_lambda))
    return "warm start: training continues from the solution for lambda " +
           NumberText(plan.follow_lambda, 6);
  return "warm start: learner " + std::string(Name(trainer->choice().options.learner)) +
         " cannot continue with another lambda, so training begins anew";
}

}  // namespace

std::string RecordedOption(const OptionRecord& option, const TrainOptions& options) {
  std::string text = OptionText(option, options);
  return option.positive && text == "0" ? "auto" : text;
}

void TrainTask::Begin(double lambda, const TrainOptions& chosen) {
  trained_ = chosen;
  RecordTexts texts = Texts();
  TrainingRecord& model = *record();
  model.cost_per_variable = Scales(chosen).CostPerVariable(lambda);
  model.program = ProgramVersion();
  model.data = std::move(texts.data);
  model.loss = std::move(texts.loss);
  model.options = std::move(texts.options);
  model.costs = std::move(texts.costs);
  for (const OptionRecord& option : OptionRecords()) {
    if (Records(option)) model.options.emplace_back(option.name, RecordedOption(option, chosen));
  }
  model.num_examples = TotalExamples(chosen);
  model.lambda = lambda;
}

void TrainTask::Finish(const TrainSummary& summary) {
  FinishRecord(summary, record());
  SetWeights(trained_, summary.weights);
}

std::unique_ptr<Trainer> ProblemTask::MakeTrainer(const TrainOptions& options,
                                                  double preparation_limit_seconds,
                                                  const std::atomic<int>* interrupt) const {
  return std::make_unique<PathTrainer>(problem().WithLambda(options.lambda), options,
                                       preparation_limit_seconds, interrupt);
}

Index ProblemTask::TotalExamples(const TrainOptions& options) const {
  return NumExamples(problem(), RanksOf(options));
}

std::string ProblemTask::KernelText(const TrainOptions& options) const {
  return KernelOf(options, problem().data()).description();
}

void SetOpenShards(const TrainTask& task, TrainOptions* options) {
  if (options->shards == 0 && RanksOf(*options).alone())
    options->shards = task.Choose(*options).options.shards;
}

double UsableDefault(const TrainOptions& options, const TrainTask& task) {
  const double lambda = task.DefaultLambda(options);
  if (std::isfinite(lambda) && lambda >= kSmallestLambda) return lambda;
  throw DataError("--lambda: the default for these data would be " + NumberText(lambda, 6) +
                  ", since their features, or kernel values, have a mean square of " +
                  NumberText(task.Scales(options).mean_squared_norm, 6) + "; pass a value");
}

double ChooseLambda(const TrainOptions& options, double c, const TrainTask& task) {
  if (options.lambda > 0) return options.lambda;
  if (c == 0) return UsableDefault(options, task);
  const Index examples = task.TotalExamples(options);
  const double lambda = 1.0 / (c * examples);
  if (std::isfinite(lambda) && lambda >= kSmallestLambda) return lambda;
  throw DataError("--C: λ = 1/(C·M) is " + NumberText(lambda, 6) + " with C = " + NumberText(c, 6) +
                  " and M = " + std::to_string(examples) +
                  " examples; it must be a number of at least " + NumberText(kSmallestLambda, 6));
}

void CurveObserver::OnCheck(const ProgressRecord& record) {
  curve_.Add(record);
  if (next_ != nullptr) next_->OnCheck(record);
}

void CurveObserver::OnPass(Index pass) {
  if (next_ != nullptr) next_->OnPass(pass);
}

void CurveObserver::OnNote(std::string_view note) {
  if (next_ != nullptr) next_->OnNote(note);
}

TrainedRun TrainModel(const TrainOptions& options, TrainObserver* observer,
                      const std::atomic<int>* interrupt, TrainTask* task, const RunPlan& plan) {
  // A preparation may end early where no other run needs the learner.
  const bool alone = plan.follow.empty() && !plan.checkpoints.write;
  const std::unique_ptr<Trainer> trainer = task->MakeTrainer(
      options, alone ? options.time_limit_seconds : 0, alone ? interrupt : nullptr);
  task->Begin(options.lambda, trainer->choice().options);
  std::string note = Follow(plan, trainer.get());
  CurveObserver curve(observer);
  TrainedRun run{trainer->choice(), trainer->Run(&curve, interrupt, plan.checkpoints)};
  if (!note.empty()) run.summary.notes.insert(run.summary.notes.begin(), std::move(note));
  task->record()->curve = curve.points();
  task->Finish(run.summary);
  run.choice.options.stop = nullptr;
  return run;
}

std::vector<std::string> NoteLines(const std::vector<std::string>& notes) {
  std::vector<std::string> lines;
  for (const std::string& note : notes) lines.push_back("note: " + note);
  return lines;
}

std::string HashOfNames(const std::vector<std::string>& names) {
  DataHash hash;
  for (const std::string& name : names) hash.Add(name);
  return hash.Text();
}

}  // namespace slackline::internal
