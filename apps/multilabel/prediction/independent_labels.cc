// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/prediction/independent_labels.h>

#include <memory>
#include <utility>

#include <slackline/apps/multilabel/loss_weights.h>
#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/core/check.h>
#include <slackline/core/loss.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/stop_relay.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal {
namespace {

/// The default options of training, with the kernel of the model if it has one.
TrainOptions OptionsLike(const MultiLabelModel& like, Index threads) {
  TrainOptions options;
  options.threads = threads;
  if (!like.support()) return options;
  const Kernel& kernel = like.support()->kernel();
  options.kernel = kernel.kind;
  if (kernel.kind != KernelKind::kLinear) options.kernel_gamma = kernel.gamma;
  if (kernel.kind == KernelKind::kPolynomial) {
    options.kernel_degree = kernel.degree;
    options.kernel_offset = kernel.offset;
  }
  return options;
}

}  // namespace

IndependentLabels TrainIndependentLabels(const MultiLabelModel& like, const MultiLabelData& data,
                                         Index threads, TrainObserver* observer,
                                         const std::atomic<int>* interrupt) {
  TrainOptions options = OptionsLike(like, threads);
  const Offset columns = Offset{data.num_features} + (data.has_constant ? 1 : 0);
  const std::string excess =
      TrainingExcess({data.num_examples(), data.num_labels(), columns, 0, 0}, options.learner);
  if (!excess.empty()) throw DataError(data.source, 0, excess);
  MultiLabelModel model(like.label_names(), like.num_features(), like.has_constant(), {},
                        like.kernelized());
  model.set_label_counts(like.label_counts());
  LossOptions loss = MultiLabelLoss::Named(like.record.loss).For(data);
  loss.given_weights = like.loss_weights();
  model.set_loss_weights(like.loss_weights());
  TrainingSet training = MakeTrainingSet(model.MakeDataset(data), loss);
  if (training.data.size() == 0) throw DataError(data.source, 0, "no example has a known label");
  Problem any(std::move(training), 1);
  options.lambda = ScalesOf(any, options).DefaultLambda();
  const Problem problem = any.WithLambda(options.lambda);
  LearnerChoice choice = ChooseLearner(problem, options);
  StopRelay relay(options.time_limit_seconds, interrupt);
  choice.options.stop = &relay;
  const std::unique_ptr<Learner> learner = MakeLearner(problem, choice.options);
  TrainSummary summary = RunTraining(problem, *learner, choice.options, observer, interrupt);
  model.SetTrained(problem, choice.options, summary.weights);
  return {std::move(model), options.lambda, std::move(summary)};
}

}  // namespace slackline::internal
