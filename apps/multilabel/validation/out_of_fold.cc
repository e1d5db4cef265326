// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/validation/out_of_fold.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>

namespace slackline::internal {
namespace {

/// Known labels of these examples.
std::size_t KnownLabels(const MultiLabelData& data, const std::vector<Index>& examples) {
  const std::size_t labels = data.label_names.size();
  std::size_t known = 0;
  for (const Index m : examples) {
    const auto row =
        data.labels.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(m) * labels);
    known += static_cast<std::size_t>(std::count_if(row, row + static_cast<std::ptrdiff_t>(labels),
                                                    [](std::int8_t label) { return label >= 0; }));
  }
  return known;
}

/// A trial whose scores are kept after its one training.
class ScoredTrial : public FoldTrial {
 public:
  ScoredTrial(std::unique_ptr<MultiLabelTrial> trial, const std::vector<Index>& fold,
              std::vector<double>* scores)
      : trial_(std::move(trial)), fold_(fold), scores_(*scores) {}

  TrialResult Run(double lambda, const std::atomic<int>* interrupt) override {
    TrialResult result = trial_->Run(lambda, interrupt);
    if (result.termination == Termination::kInterrupted) return result;
    const std::vector<double>& held_out = trial_->HeldOutScores();
    const std::size_t labels = held_out.size() / fold_.size();
    for (std::size_t k = 0; k < fold_.size(); ++k)
      std::copy_n(held_out.data() + k * labels, labels,
                  scores_.data() + static_cast<std::size_t>(fold_[k]) * labels);
    return result;
  }

 private:
  std::unique_ptr<MultiLabelTrial> trial_;
  const std::vector<Index>& fold_;
  std::vector<double>& scores_;  // folds write different rows
};

}  // namespace

void CheckFolds(const MultiLabelData& data, const std::vector<std::vector<Index>>& folds) {
  std::size_t all = 0;
  std::vector<std::size_t> known;
  for (const std::vector<Index>& fold : folds) all += known.emplace_back(KnownLabels(data, fold));
  for (std::size_t f = 0; f < folds.size(); ++f) {
    if (known[f] > 0 && known[f] < all) continue;
    throw DataError(data.source, 0,
                    FoldName(f, folds.size()) +
                        (known[f] == 0 ? " has no known label" : " has all labels that are known"));
  }
}

std::optional<std::vector<double>> OutOfFoldScores(const MultiLabelData& data,
                                                   const MultiLabelTrialOptions& options,
                                                   const std::vector<std::vector<Index>>& folds,
                                                   double lambda,
                                                   const std::atomic<int>* interrupt) {
  std::vector<double> scores(data.labels.size());
  const int threads = NumThreads(options.train.threads);
  MultiLabelTrialOptions trial = options;
  trial.scores = true;
  trial.train.threads = std::max(1, threads / static_cast<int>(folds.size()));
  LambdaSearchTask task;
  task.lambdas = {lambda};
  task.num_folds = static_cast<Index>(folds.size());
  task.threads = threads;
  task.make = [&](std::size_t, std::size_t fold) -> std::unique_ptr<FoldTrial> {
    return std::make_unique<ScoredTrial>(
        std::make_unique<MultiLabelTrial>(data, trial, folds, fold), folds[fold], &scores);
  };
  if (SearchLambda(task, interrupt).interrupted) return std::nullopt;
  return scores;
}

}  // namespace slackline::internal
