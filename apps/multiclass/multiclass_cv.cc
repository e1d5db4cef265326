// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_cv.h>

#include <array>
#include <vector>

#include <slackline/apps/multiclass/multiclass_metrics.h>
#include <slackline/apps/multiclass/multiclass_predict.h>
#include <slackline/core/check.h>
#include <slackline/core/loss.h>

namespace slackline::internal {
namespace {

class MulticlassTrial : public TrainedTrial {
 public:
  MulticlassTrial(const MulticlassData& data, const ScaledInputs& scaled,
                  const MulticlassTrainingOptions& options, const Fold& fold,
                  const TrainOptions& train)
      : TrainedTrial(train),
        labels_(data.labels),
        costs_(options.costs),
        rows_(*scaled.rows),
        held_out_(fold.held_out()),
        model_(MakeMulticlassModel(data, scaled.scaling, options)) {
    LossOptions loss;
    loss.costs = options.costs;
    const Dataset others =
        model_.MakeDataset(scaled.rows, data.labels, fold.Others(), options.kernelized);
    SetProblem(Problem(MakeTrainingSet(others, loss), 1));
  }

 private:
  std::vector<double> Figures(std::span<const double> weights) override {
    model_.SetTrained(problem(), options(), weights);
    const MulticlassPredictions predictions =
        PredictTrainingRows(model_, rows_, held_out_, options().threads);
    std::vector<Index> truth;
    for (const Index m : held_out_) truth.push_back(labels_[m]);
    const MulticlassMetrics metrics = ComputeClassMetrics(
        model_.num_classes(), model_.num_classes(), truth, predictions.labels, costs_);
    return {metrics.mean_cost, metrics.error_rate, metrics.macro_f1};
  }

  const std::vector<Index>& labels_;
  const std::vector<double>& costs_;
  const FeatureRows& rows_;
  const std::vector<Index>& held_out_;
  MulticlassModel model_;
};

}  // namespace

std::span<const FigureName> MulticlassFigures() {
  static const std::array<FigureName, 3> figures = {
      FigureName{"cost", "mean_cost", "mean cost", true},
      FigureName{"error", "error_rate", "error rate", true},
      FigureName{"macro-f1", "macro_f1", "macro F1"}};
  return figures;
}

std::unique_ptr<FoldTrial> MulticlassCv::MakeTrial(std::size_t, const Fold& fold,
                                                   const TrainOptions& options) const {
  SLACKLINE_CHECK(data_.weights.empty(), "cross-validation does not know weights of examples");
  return std::make_unique<MulticlassTrial>(data_, scaled_, options_, fold, options);
}

}  // namespace slackline::internal
