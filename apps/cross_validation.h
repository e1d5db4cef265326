// SPDX-License-Identifier: BSD-3-Clause
//
// K-fold cross-validation of multi-label models over λ. In every fold the values are trained from the largest to the
// smallest, each from the solution of the one before (learning/lambda_path.h).
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/folds.h>
#include <slackline/apps/metrics.h>
#include <slackline/core/loss.h>
#include <slackline/core/multilabel_data.h>
#include <slackline/learning/options.h>
#include <slackline/learning/progress.h>

namespace slackline {

/// A figure of MultiLabelMetrics by which values of λ are compared.
struct MetricRecord {
  std::string_view name;  ///< on the command line
  std::string_view key;   ///< in JSON
  double MultiLabelMetrics::*member;
  bool smaller_is_better = false;
};
std::span<const MetricRecord> MetricRecords();

/// The data with these examples only, in this order.
MultiLabelData SelectExamples(const MultiLabelData& data, std::span<const Index> examples);

struct CrossValidationOptions {
  std::vector<double> lambdas;  ///< falling
  Index folds = 5;
  std::string graph =
      "full";  ///< of the labels, as MakeLabelGraph reads it; made anew from the examples of every fold
  LossOptions loss;
  /// With a kernel, whether labels have a constant weight; else the data say that.
  bool kernel_bias = true;
  /// Of every training; λ is not used. The seed is also that of the folds.
  TrainOptions train;
};

/// What is known about one λ in one fold.
struct FoldResult {
  MultiLabelMetrics metrics;  ///< on the examples of the fold, which training did not see
  ProgressRecord last;
  Termination termination = Termination::kMaxPasses;
};

struct CrossValidation {
  /// results[k][f]: λ number k, fold f. All of them, unless the run was interrupted.
  std::vector<std::vector<FoldResult>> results;
  bool interrupted = false;
};

/// Called after every training; `fold` and `k` count from 0.
using CrossValidationObserver = std::function<void(Index fold, std::size_t k, const FoldResult& result)>;

/// Throws DataError when a fold has nothing to train on or nothing to compare with. `interrupt` may be null. The result
/// depends on data, options and seed alone, unless there is a time limit.
CrossValidation CrossValidate(const MultiLabelData& data, const CrossValidationOptions& options,
                              const CrossValidationObserver& observer, const std::atomic<int>* interrupt);

/// Of one figure over the folds.
Spread SpreadOf(std::span<const FoldResult> folds, const MetricRecord& metric);

/// Number of the λ with the best mean; of equal ones, the first, which is the largest λ.
std::size_t BestLambda(const CrossValidation& validation, const MetricRecord& metric);

}  // namespace slackline
