// SPDX-License-Identifier: BSD-3-Clause
//
// What the trials of all applications share: training on what a fold leaves, value of λ by value of
// λ.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <slackline/apps/common/lambda_search.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/run/path_trainer.h>

namespace slackline::internal {

class PathTrial : public FoldTrial {
 public:
  TrialResult Run(double lambda, const std::atomic<int>* interrupt) final;

 protected:
  /// options: of every training; λ is not used.
  explicit PathTrial(const TrainOptions& options) : options_(options) {}
  /// What is trained, with any λ; to be called by constructors.
  void SetProblem(Problem problem) { problem_.emplace(std::move(problem)); }

  const TrainOptions& options() const { return options_; }
  const Problem& problem() const { return *problem_; }

 private:
  /// The figures of these weights on the examples that the fold holds out.
  virtual std::vector<double> Figures(std::span<const double> weights) = 0;

  const TrainOptions options_;
  std::optional<Problem> problem_;
  std::optional<PathTrainer> trainer_;  // made with the first λ
};

}  // namespace slackline::internal
