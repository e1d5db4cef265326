// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/validation/multilabel_trial.h>

#include <algorithm>
#include <utility>

#include <slackline/apps/multilabel/label_counts.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/validation/cross_validation.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

MultiLabelData Others(const MultiLabelData& data, const std::vector<std::vector<Index>>& folds,
                      std::size_t number) {
  std::vector<Index> examples = ExamplesOutside(folds, number);
  std::sort(examples.begin(), examples.end());
  return SelectExamples(data, examples);
}

bool HasKnownLabel(const MultiLabelData& data) {
  return std::any_of(data.labels.begin(), data.labels.end(),
                     [](std::int8_t label) { return label >= 0; });
}

}  // namespace

MultiLabelTrial::MultiLabelTrial(const MultiLabelData& data, const MultiLabelTrialOptions& options,
                                 const std::vector<std::vector<Index>>& folds, std::size_t number)
    : PathTrial(options.train),
      held_out_(SelectExamples(data, folds[number])),
      keeps_scores_(options.scores) {
  const MultiLabelData training = Others(data, folds, number);
  const std::string name = FoldName(number, folds.size());
  if (!HasKnownLabel(held_out_))
    throw DataError(data.source, 0, name + " has no known label to compare predictions with");
  if (!HasKnownLabel(training))
    throw DataError(data.source, 0, name + " has no known label to train on");
  const bool kernelized = UsesKernel(options.train);
  model_ = std::make_unique<MultiLabelModel>(data.label_names, data.num_features,
                                             kernelized ? options.kernel_bias : data.has_constant,
                                             MakeLabelGraph(options.graph, training), kernelized);
  model_->set_label_counts(LabelCountsFor(options.label_counts, training));
  const CountRange counts =
      TrainingCounts(options.label_counts, *model_, training, options.loss.form);
  SetProblem(Problem(
      MakeTrainingSet(model_->MakeDataset(training, counts), options.loss.For(training)), 1));
}

std::vector<double> MultiLabelTrial::Figures(std::span<const double> weights) {
  model_->SetTrained(problem(), options(), weights);
  PredictOptions predict;
  predict.threads = options().threads;
  predict.scores = keeps_scores_;
  MultiLabelPredictions predictions = Predict(*model_, held_out_, predict);
  held_out_scores_ = std::move(predictions.scores);
  const MultiLabelMetrics metrics =
      ComputeMetrics(model_->num_labels(), held_out_.labels, predictions.labels);
  std::vector<double> figures;
  for (const MetricRecord& record : MetricRecords()) figures.push_back(metrics.*record.member);
  return figures;
}

}  // namespace slackline::internal
