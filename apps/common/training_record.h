// SPDX-License-Identifier: BSD-3-Clause
//
// What the model files of all tasks share: the record of how the weights were trained, and checked
// reading of entries.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/common/training_curve.h>
#include <slackline/core/model_file.h>
#include <slackline/core/types.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/termination.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal {

/// The result of cross-validation, in models that it chose.
struct CrossValidationRecord {
  struct Point {
    std::string candidate;  ///< "full" (graph), "balanced" (loss); empty if only λ was chosen.
    double lambda = 0;
    double mean = 0;       ///< of the metric over the folds
    double deviation = 0;  ///< standard deviation over the folds
  };
  std::string metric;  ///< the metric to choose by; empty: no cross-validation
  Index folds = 0;
  std::vector<Point> points;
  Index best = kAbsent;  ///< index of the chosen point; kAbsent: not stored (older versions)

  bool known() const { return !metric.empty(); }
};

/// What a model was trained on and how, and what is known about its weights. Stored in the model
/// file.
struct TrainingRecord {
  std::string program;  ///< name and version of the program that trained the model
  std::string data;     ///< name of the training data
  /// Names without dashes, values as text.
  std::vector<std::pair<std::string, std::string>> options;
  Index num_examples = 0;  ///< M of the objective
  double lambda = 0;
  /// C in the sense of linear classifiers, per variable (learning/default_lambda.h); kNone in
  /// models of older versions.
  double cost_per_variable = kNone;
  std::string loss;  ///< "mean" or "count"
  /// The costs of errors that the user gave, by rows of true states: K × K numbers for K states.
  /// Empty: none were given, or the model is of an older version.
  std::vector<double> costs;
  bool single_precision = false;  ///< of the weights in the file (ModelWriter::AddWeights)

  CertifiedProblem problem = CertifiedProblem::kRelaxed;
  double primal = kNone;  ///< certified bounds on the optimum; the weights reach `primal`
  double dual = kNone;
  double gap = kNone;
  double relative_gap = kNone;
  Termination termination = Termination::kMaxPasses;
  std::string message;
  Index passes = 0;
  double seconds = 0;
  double check_seconds = 0;

  CrossValidationRecord cross_validation;
  /// The checks of training; of a resumed run only the checks since it was resumed. Empty in models
  /// of older versions.
  std::vector<CurvePoint> curve;
};

/// Writes the result of training into a record.
void FinishRecord(const TrainSummary& summary, TrainingRecord* record);

/// The entry "task" of a model file; empty if it has none.
std::string ModelTask(const ModelReader& file);

/// The weights in a model file of any task. Throws DataError when the file is damaged or not a
/// model.
std::vector<double> ModelWeights(const std::string& path);

/// Reads entries of a model file. Throws DataError, which names the file, on entries that do not
/// fit.
class ModelEntries {
 public:
  /// Throws DataError when the model belongs to another task.
  ModelEntries(ModelReader file, std::string_view task);

  const ModelReader& file() const { return file_; }
  const std::string& path() const { return file_.path(); }

  void Require(bool good, const std::string& entry) const;
  /// Converts an integer ≥ 0 that fits an Index. Throws DataError on any other.
  Index ToIndex(const std::string& entry, std::int64_t value) const;
  /// The entry's numbers. Throw DataError unless there are `count` of them.
  std::span<const std::int64_t> Integers(const std::string& entry, std::size_t count) const;
  std::span<const double> Doubles(const std::string& entry, std::size_t count) const;
  /// Moves the weights out of the file. Throws DataError unless there are `count` finite ones.
  std::vector<double> TakeWeights(std::size_t count);
  /// The candidate whose name is the entry's value.
  template <class T>
  T Choose(const std::string& entry, std::initializer_list<T> candidates) const {
    const std::string& name = file_.String(entry);
    for (const T candidate : candidates) {
      if (Name(candidate) == name) return candidate;
    }
    Require(false, entry);
    return *candidates.begin();
  }

 private:
  ModelReader file_;
};

void SaveRecord(const TrainingRecord& record, ModelWriter* writer);
TrainingRecord LoadRecord(const ModelEntries& entries);

}  // namespace slackline::internal
