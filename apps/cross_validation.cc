// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cross_validation.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <slackline/apps/label_graph.h>
#include <slackline/apps/multilabel_model.h>
#include <slackline/apps/multilabel_predict.h>
#include <slackline/core/check.h>
#include <slackline/learning/path_trainer.h>

namespace slackline {
namespace {

std::size_t Size(Offset n) { return static_cast<std::size_t>(n); }

/// One fold: what is trained on, and what it is tried on.
class Fold {
 public:
  Fold(const MultiLabelData& data, const CrossValidationOptions& options,
       const std::vector<std::vector<Index>>& folds, std::size_t number)
      : options_(options),
        held_out_(SelectExamples(data, folds[number])),
        training_(Others(data, folds, number)) {
    const std::string name = FoldName(number, folds.size());
    const auto known = [](std::int8_t label) { return label >= 0; };
    if (std::none_of(held_out_.labels.begin(), held_out_.labels.end(), known)) {
      throw DataError(data.source, 0, name + " has no known label to compare predictions with");
    }
    if (std::none_of(training_.labels.begin(), training_.labels.end(), known)) {
      throw DataError(data.source, 0, name + " has no known label to train on");
    }
    const bool kernelized = UsesKernel(options.train);
    model_ = std::make_unique<MultiLabelModel>(data.label_names, data.num_features,
                                               kernelized ? options.kernel_bias : data.has_constant,
                                               MakeLabelGraph(options.graph, training_), kernelized);
    problem_.emplace(MakeTrainingSet(model_->MakeDataset(training_), options.loss), options.lambdas.front());
    trainer_.emplace(*problem_, options.train);
  }

  /// Values of λ in their order.
  FoldResult Run(double lambda, const std::atomic<int>* interrupt) {
    const TrainSummary summary = trainer_->Train(lambda, interrupt);
    FoldResult result;
    result.last = summary.last;
    result.termination = summary.termination;
    if (summary.termination == Termination::kInterrupted) return result;
    model_->SetTrained(*problem_, options_.train, summary.weights);
    PredictOptions predict;
    predict.threads = options_.train.threads;
    const MultiLabelPredictions predictions = Predict(*model_, held_out_, predict);
    result.metrics = ComputeMetrics(model_->num_labels(), held_out_.labels, predictions.labels);
    return result;
  }

 private:
  static MultiLabelData Others(const MultiLabelData& data, const std::vector<std::vector<Index>>& folds,
                               std::size_t number) {
    std::vector<Index> examples = ExamplesOutside(folds, number);
    std::sort(examples.begin(), examples.end());
    return SelectExamples(data, examples);
  }

  const CrossValidationOptions& options_;
  MultiLabelData held_out_;
  MultiLabelData training_;
  std::unique_ptr<MultiLabelModel> model_;
  std::optional<Problem> problem_;
  std::optional<PathTrainer> trainer_;
};

}  // namespace

std::span<const MetricRecord> MetricRecords() {
  using M = MultiLabelMetrics;
  static const MetricRecord records[] = {{"hamming", "hamming_loss", &M::hamming_loss, true},
                                         {"subset", "subset_accuracy", &M::subset_accuracy},
                                         {"micro-f1", "micro_f1", &M::micro_f1},
                                         {"macro-f1", "macro_f1", &M::macro_f1},
                                         {"example-f1", "example_f1", &M::example_f1},
                                         {"jaccard", "jaccard", &M::jaccard}};
  return records;
}

MultiLabelData SelectExamples(const MultiLabelData& data, std::span<const Index> examples) {
  MultiLabelData part;
  part.source = data.source;
  part.label_names = data.label_names;
  part.num_features = data.num_features;
  part.has_constant = data.has_constant;
  auto rows = std::make_shared<FeatureRows>();
  const std::size_t labels = data.label_names.size();
  for (const Index m : examples) {
    SLACKLINE_CHECK(m >= 0 && m < data.num_examples(), "there is no such example");
    const FeatureRow row = data.rows->row(m);
    const std::span<const double> values(row.values, Size(row.count));
    if (row.dense()) {
      rows->AddDense(values);
    } else {
      rows->AddSparse(std::span<const Index>(row.columns, Size(row.count)), values);
    }
    const auto begin = data.labels.begin() + static_cast<std::ptrdiff_t>(Size(m) * labels);
    part.labels.insert(part.labels.end(), begin, begin + static_cast<std::ptrdiff_t>(labels));
    part.lines.push_back(data.lines[Size(m)]);
  }
  part.rows = std::move(rows);
  return part;
}

CrossValidation CrossValidate(const MultiLabelData& data, const CrossValidationOptions& options,
                              const CrossValidationObserver& observer, const std::atomic<int>* interrupt) {
  SLACKLINE_CHECK(
      !options.lambdas.empty() && std::is_sorted(options.lambdas.rbegin(), options.lambdas.rend()),
      "values of lambda must fall");
  const auto folds =
      MakeFolds(data.num_examples(), options.folds, static_cast<std::uint64_t>(options.train.seed));
  CrossValidation validation;
  validation.results.resize(options.lambdas.size());
  for (std::size_t f = 0; f < folds.size(); ++f) {
    Fold fold(data, options, folds, f);
    for (std::size_t k = 0; k < options.lambdas.size(); ++k) {
      FoldResult result = fold.Run(options.lambdas[k], interrupt);
      if (result.termination == Termination::kInterrupted) {
        validation.interrupted = true;
        return validation;
      }
      if (observer) observer(static_cast<Index>(f), k, result);
      validation.results[k].push_back(std::move(result));
    }
  }
  return validation;
}

Spread SpreadOf(std::span<const FoldResult> folds, const MetricRecord& metric) {
  std::vector<double> values;
  for (const FoldResult& fold : folds) values.push_back(fold.metrics.*metric.member);
  return SpreadOf(values);
}

std::size_t BestLambda(const CrossValidation& validation, const MetricRecord& metric) {
  const double sign = metric.smaller_is_better ? -1 : 1;
  std::vector<double> means;
  for (const std::vector<FoldResult>& folds : validation.results)
    means.push_back(sign * SpreadOf(folds, metric).mean);
  return BestMean(means);
}

}  // namespace slackline
