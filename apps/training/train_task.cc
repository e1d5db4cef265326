// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/training/train_task.h>

#include <cmath>
#include <memory>

#include <slackline/apps/common/program_version.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {

void TrainTask::Begin(const Problem& problem, const LearnerChoice& choice) {
  trained_ = choice.options;
  RecordTexts texts = Texts();
  TrainingRecord& model = *record();
  model.cost_per_variable = Scales(choice.options).CostPerVariable(problem.lambda());
  model.program = ProgramVersion();
  model.data = std::move(texts.data);
  model.loss = std::move(texts.loss);
  model.options = std::move(texts.options);
  for (const OptionRecord& option : OptionRecords()) {
    std::string text = OptionText(option, choice.options);
    if (option.positive && text == "0") text = "auto";
    model.options.emplace_back(option.name, std::move(text));
  }
  model.num_examples = problem.size();
  model.lambda = problem.lambda();
}

void TrainTask::Finish(const TrainSummary& summary) {
  FinishRecord(summary, record());
  SetWeights(trained_, summary.weights);
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
  const Index examples = task.problem().size();
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
                      const std::atomic<int>* interrupt, TrainTask* task,
                      const CheckpointPlan& plan) {
  const Problem problem = task->problem().WithLambda(options.lambda);
  TrainedRun run;
  run.choice = ChooseLearner(problem, options);
  task->Begin(problem, run.choice);
  const std::unique_ptr<Learner> learner = MakeLearner(problem, run.choice.options);
  CurveObserver curve(observer);
  run.summary = RunTraining(problem, *learner, run.choice.options, &curve, interrupt, plan);
  task->record()->curve = curve.points();
  task->Finish(run.summary);
  return run;
}

std::string HashOfNames(const std::vector<std::string>& names) {
  DataHash hash;
  for (const std::string& name : names) hash.Add(name);
  return hash.Text();
}

}  // namespace slackline::internal
