// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/validation/multilabel_cv.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include <slackline/apps/multilabel/label_counts.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>
#include <slackline/core/parallel.h>
#include <slackline/learning/auto/choose_learner.h>

namespace slackline::internal {
namespace {

class MultiLabelTrial : public TrainedTrial {
 public:
  MultiLabelTrial(const MultiLabelData& data, const MultiLabelCvOptions& options,
                  const LabelGraph& graph, const Fold& fold, const TrainOptions& train,
                  std::vector<double>* scores)
      : TrainedTrial(train),
        fold_(fold.held_out()),
        held_out_(SelectExamples(data, fold_)),
        scores_(scores) {
    const MultiLabelData training = SelectExamples(data, fold.Others());
    const bool kernelized = UsesKernel(train);
    model_ =
        std::make_unique<MultiLabelModel>(data.label_names, data.num_features,
                                          kernelized ? options.kernel_constant : data.has_constant,
                                          MakeLabelGraph(graph, training), kernelized);
    model_->set_label_counts(LabelCountsFor(options.label_counts, training));
    const CountRange counts =
        TrainingCounts(options.label_counts, *model_, training, options.loss.form);
    SetProblem(Problem(
        MakeTrainingSet(model_->MakeDataset(training, counts), options.loss.For(training)), 1));
  }

 private:
  std::vector<double> Figures(std::span<const double> weights) override {
    model_->SetTrained(problem(), options(), weights);
    PredictOptions predict;
    predict.threads = options().threads;
    predict.scores = scores_ != nullptr;
    const MultiLabelPredictions predictions = Predict(*model_, held_out_, predict);
    if (scores_ != nullptr) KeepScores(predictions.scores);
    const MultiLabelMetrics metrics =
        ComputeMetrics(model_->num_labels(), held_out_.labels, predictions.labels);
    std::vector<double> figures;
    for (const MultiLabelFigure& figure : MultiLabelFigures())
      figures.push_back(metrics.*figure.member);
    return figures;
  }

  void KeepScores(const std::vector<double>& scores) {
    const std::size_t labels = model_->num_labels();
    for (std::size_t k = 0; k < fold_.size(); ++k)
      std::copy_n(scores.data() + k * labels, labels, scores_->data() + fold_[k] * labels);
  }

  const std::vector<Index>& fold_;
  MultiLabelData held_out_;
  std::vector<double>* scores_;
  std::unique_ptr<MultiLabelModel> model_;
};

/// Gives all ranks the scores of all folds. One rank has each score, and the others have 0, whose
/// bits are all 0: the sum of the bits, read as whole numbers, is the score.
void ShareScores(Ranks& ranks, std::vector<double>* scores) {
  if (ranks.alone()) return;
  std::vector<std::int64_t> bits;
  bits.reserve(scores->size());
  for (const double score : *scores) bits.push_back(std::bit_cast<std::int64_t>(score));
  ranks.AddUp(bits);
  std::transform(bits.begin(), bits.end(), scores->begin(),
                 [](std::int64_t number) { return std::bit_cast<double>(number); });
}

}  // namespace

MultiLabelCv::MultiLabelCv(const MultiLabelData& data, MultiLabelCvOptions options,
                           std::vector<double>* scores)
    : data_(data), options_(std::move(options)), scores_(scores) {}

bool MultiLabelCv::HasKnownLabel(Index example) const {
  const std::size_t labels = data_.num_labels();
  const auto row = std::span(data_.labels).subspan(example * labels, labels);
  return std::any_of(row.begin(), row.end(), [](std::int8_t label) { return label >= 0; });
}

std::unique_ptr<FoldTrial> MultiLabelCv::MakeTrial(std::size_t candidate, const Fold& fold,
                                                   const TrainOptions& options) const {
  return std::make_unique<MultiLabelTrial>(data_, options_, options_.graphs[candidate], fold,
                                           options, scores_);
}

TrainOptions InOneProcess(const TrainOptions& train) {
  TrainOptions one = train;
  if (!RanksOf(train).alone()) one.shards = ShardsFor(train);
  one.ranks = nullptr;
  return one;
}

std::optional<std::vector<double>> OutOfFoldScores(const MultiLabelData& data,
                                                   const MultiLabelCvOptions& options,
                                                   const Folds& folds, const TrainOptions& train,
                                                   const std::atomic<int>* interrupt) {
  std::vector<double> scores(data.labels.size());
  Ranks& ranks = RanksOf(train);
  CvPlan plan;
  plan.lambdas = {train.lambda};
  plan.folds = folds;
  plan.candidates = {InOneProcess(train)};
  plan.threads = NumThreads(train.threads);
  plan.ranks = &ranks;
  if (CrossValidate(MultiLabelCv(data, options, &scores), plan, interrupt).interrupted)
    return std::nullopt;
  ShareScores(ranks, &scores);
  return scores;
}

}  // namespace slackline::internal
