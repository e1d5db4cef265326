// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/online.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <slackline/api/dataset_impl.h>
#include <slackline/api/model_impl.h>
#include <slackline/api/train_impl.h>
#include <slackline/core/check.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline {
inline namespace v1 {
namespace {

const char* AverageName(OnlineAverage average) {
  switch (average) {
    case OnlineAverage::kNewest:
      return "none";
    case OnlineAverage::kUniform:
      return "uniform";
    case OnlineAverage::kWeighted:
      return "weighted";
    case OnlineAverage::kSuffix:
      return "suffix";
  }
  return "none";
}

/// Whether an option is about the visits of kept examples, or about the limits and checks of such a
/// run.
bool IsForKeptExamples(const std::string& name) {
  if (name == "learner" || name == "order" || name == "revisit") return true;
  const internal::OptionRecord* option = internal::FindOption(name);
  return option != nullptr && option->outer;
}

internal::TrainOptions LearnerOptionsOf(const OnlineOptions& options) {
  SLACKLINE_CHECK(std::isfinite(options.lambda) && options.lambda > 0,
                  "online training needs a lambda > 0");
  TrainOptions train;
  train.learner = "multi-sample";
  train.learner_options = {{"seed", std::to_string(options.seed)},
                           {"samples", std::to_string(options.samples)},
                           {"average", AverageName(options.average)},
                           {"online-loss", options.predict_first ? "on" : "off"}};
  for (const auto& [name, value] : options.learner_options) {
    SLACKLINE_CHECK(!IsForKeptExamples(name),
                    "examples that are not kept are visited once, in their order: the option " +
                        name + " does not apply");
    SLACKLINE_CHECK(name != "lambda" && train.learner_options.emplace(name, value).second,
                    "set " + name + " by its own field of OnlineOptions");
  }
  return InternalOptions(train);
}

}  // namespace

struct OnlineTrainerImpl {
  OnlineTrainerImpl(const Model& model, const OnlineOptions& given)
      : layout(model.impl()->layout),
        options(LearnerOptionsOf(given)),
        loss(InternalLoss(given.loss)),
        lambda(given.lambda),
        run(options, layout->size()) {}

  std::shared_ptr<const internal::WeightLayout> layout;
  internal::TrainOptions options;
  internal::LossOptions loss;
  double lambda;
  internal::OnlineRun run;
};

OnlineTrainer::OnlineTrainer(const Model& model, const OnlineOptions& options)
    : impl_(std::make_unique<OnlineTrainerImpl>(model, options)) {}
OnlineTrainer::OnlineTrainer(OnlineTrainer&& other) noexcept = default;
OnlineTrainer& OnlineTrainer::operator=(OnlineTrainer&& other) noexcept = default;
OnlineTrainer::~OnlineTrainer() = default;

std::int64_t OnlineTrainer::Learn(const Dataset& next, const std::atomic<int>* interrupt) {
  SLACKLINE_CHECK(next.impl().data.shared_layout() == impl_->layout,
                  "the examples are of another model than that of the trainer");
  internal::TrainingSet training = TrainingSetOf(next.impl(), impl_->loss);
  if (training.data.size() == 0) return 0;
  const internal::Problem problem(std::move(training), impl_->lambda);
  return internal::VisitNext(problem, impl_->options, &impl_->run, interrupt);
}

Weights OnlineTrainer::weights() const { return WeightsOf(impl_->layout, impl_->run.Output()); }

OnlineSummary OnlineTrainer::summary() const {
  const bool predicts = impl_->options.own<internal::MultiSampleOptions>().online_loss;
  const internal::OnlineFigures figures = impl_->run.sums.Figures(impl_->lambda, predicts);
  return {figures.steps, figures.mean_objective, figures.bound, figures.mean_loss};
}

}  // namespace v1
}  // namespace slackline
