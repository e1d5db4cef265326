// SPDX-License-Identifier: BSD-3-Clause
//
// What model files of all tasks have in common: how the weights came to be, and checked reading.
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

/// What cross-validation found, for models that it chose.
struct CrossValidationRecord {
  struct Point {
    std::string
        candidate;  ///< "full" of graphs, "balanced" of losses; empty where λ alone is chosen
    double lambda = 0;
    double mean = 0;       ///< of the figure over the folds
    double deviation = 0;  ///< standard deviation over the folds
  };
  std::string metric;  ///< the figure to choose by; empty: the model was not chosen so
  Index folds = 0;
  std::vector<Point> points;
  Index best = kAbsent;  ///< number of the chosen point; kAbsent: not kept (older versions)

  bool known() const { return !metric.empty(); }
};

/// Of what a model is made, and what is known about its weights. Kept in the model's file.
struct TrainingRecord {
  std::string program;  ///< name and version of what trained it
  std::string data;     ///< name of the training data
  /// names without dashes, values as text
  std::vector<std::pair<std::string, std::string>> options;
  Index num_examples = 0;  ///< M of the objective
  double lambda = 0;
  /// C of linear classifiers, per variable (learning/default_lambda.h); none in models of older
  /// versions.
  double cost_per_variable = kNone;
  std::string loss;               ///< "mean" or "count"
  bool single_precision = false;  ///< weights are kept so in the file (ModelWriter::AddWeights)

  CertifiedProblem problem = CertifiedProblem::kRelaxed;
  double primal = kNone;  ///< certified bounds around the optimum; the weights reach the upper one
  double dual = kNone;
  double gap = kNone;
  double relative_gap = kNone;
  Termination termination = Termination::kMaxPasses;
  std::string message;
  Index passes = 0;
  double seconds = 0;
  double check_seconds = 0;

  CrossValidationRecord cross_validation;
  /// The checks of training, since a resumed run was resumed; empty in models of older versions.
  std::vector<CurvePoint> curve;
};

/// Puts the result of training into a record.
void FinishRecord(const TrainSummary& summary, TrainingRecord* record);

/// The entry "task" of a model file, empty without one.
std::string ModelTask(const ModelReader& file);

/// The weights in a model file of any task. Throws DataError when the file is no model or is
/// damaged.
std::vector<double> ModelWeights(const std::string& path);

/// Reads entries of a model, and refuses what does not fit with a DataError that names the file.
class ModelEntries {
 public:
  /// Throws DataError when the model belongs to another task.
  ModelEntries(ModelReader file, std::string_view task);

  const ModelReader& file() const { return file_; }
  const std::string& path() const { return file_.path(); }

  void Require(bool good, const std::string& entry) const;
  /// A whole number from 0 on that an Index holds.
  Index ToIndex(const std::string& entry, std::int64_t value) const;
  /// So many numbers.
  std::span<const std::int64_t> Integers(const std::string& entry, std::size_t count) const;
  std::span<const double> Doubles(const std::string& entry, std::size_t count) const;
  /// Moves the weights out of the file: so many, all finite.
  std::vector<double> TakeWeights(std::size_t count);
  /// The candidate with this name.
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
