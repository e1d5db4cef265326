// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/training/train_task.h>

#include <cmath>
#include <memory>
#include <utility>

#include <slackline/apps/common/program_version.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

/// The learner that follows plan.follow, or begins from the beginning. *note: what a user should
/// know about that.
std::unique_ptr<Learner> LearnerFor(const Problem& problem, const TrainOptions& options,
                                    const RunPlan& plan, std::string* note) {
  if (!plan.follow.empty()) {
    std::unique_ptr<Learner> learner =
        FollowLambda(problem, options, plan.follow, plan.follow_lambda);
    if (learner != nullptr) {
      *note = "warm start: training continues from the solution for lambda " +
              NumberText(plan.follow_lambda, 6);
      return learner;
    }
    *note = "warm start: learner " + std::string(Name(options.learner)) +
            " cannot continue with another lambda, so training begins anew";
  }
  return MakeLearner(problem, options);
}

}  // namespace

std::string RecordedOption(const OptionRecord& option, const TrainOptions& options) {
  std::string text = OptionText(option, options);
  return option.positive && text == "0" ? "auto" : text;
}

void TrainTask::Begin(const Problem& problem, const LearnerChoice& choice) {
  trained_ = choice.options;
  RecordTexts texts = Texts();
  TrainingRecord& model = *record();
  model.cost_per_variable = Scales(choice.options).CostPerVariable(problem.lambda());
  model.program = ProgramVersion();
  model.data = std::move(texts.data);
  model.loss = std::move(texts.loss);
  model.options = std::move(texts.options);
  model.costs = std::move(texts.costs);
  for (const OptionRecord& option : OptionRecords())
    model.options.emplace_back(option.name, RecordedOption(option, choice.options));
  model.num_examples = NumExamples(problem, RanksOf(choice.options));
  model.lambda = problem.lambda();
}

void TrainTask::Finish(const TrainSummary& summary) {
  FinishRecord(summary, record());
  SetWeights(trained_, summary.weights);
}

void SetOpenShards(const TrainTask& task, TrainOptions* options) {
  if (options->shards == 0 && RanksOf(*options).alone())
    options->shards = ChooseLearner(task.problem(), *options).options.shards;
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
  const Index examples = NumExamples(task.problem(), RanksOf(options));
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
  const Problem problem = task->problem().WithLambda(options.lambda);
  TrainedRun run;
  // A preparation may end early where no other run needs the learner.
  const bool alone = plan.follow.empty() && !plan.checkpoints.write;
  StopRelay relay = alone ? StopRelay(options.time_limit_seconds, interrupt) : StopRelay();
  run.choice = ChooseLearner(problem, options);
  run.choice.options.stop = &relay;
  task->Begin(problem, run.choice);
  std::string note;
  const std::unique_ptr<Learner> learner = LearnerFor(problem, run.choice.options, plan, &note);
  CurveObserver curve(observer);
  run.summary =
      RunTraining(problem, *learner, run.choice.options, &curve, interrupt, plan.checkpoints);
  if (!note.empty()) run.summary.notes.insert(run.summary.notes.begin(), std::move(note));
  task->record()->curve = curve.points();
  task->Finish(run.summary);
  run.choice.options.stop = nullptr;
  return run;
}

std::string HashOfNames(const std::vector<std::string>& names) {
  DataHash hash;
  for (const std::string& name : names) hash.Add(name);
  return hash.Text();
}

}  // namespace slackline::internal
