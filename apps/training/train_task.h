// SPDX-License-Identifier: BSD-3-Clause
//
// What an application trains, and one run of its training.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <slackline/apps/common/training_curve.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/core/loss.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/run/fingerprint.h>
#include <slackline/learning/run/trainer.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal {

/// The texts of a model's record about the choices of its user.
struct RecordTexts {
  std::string data;  ///< name of the training data; TrainTask knows it
  std::string loss;  ///< "mean"
  /// The application's own options: names without dashes, values as text.
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<double> costs = {};  ///< of errors, as TrainingRecord has them
};

/// Names and values, in the order of a table or of JSON.
using TaskEntries = std::vector<std::pair<
    std::string, std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>>>;

/// The value of an option as records have it: "auto" where the program finds a positive number.
std::string RecordedOption(const OptionRecord& option, const TrainOptions& options);

/// A model of an application, and its training.
class TrainTask {
 public:
  /// data: name of the training data. `texts` without that name.
  TrainTask(std::string data, RecordTexts texts) : texts_(std::move(texts)) {
    texts_.data = std::move(data);
  }
  virtual ~TrainTask() = default;

  /// The learner for these options, whatever their λ.
  virtual LearnerChoice Choose(const TrainOptions& options) const = 0;
  /// The training with options.lambda > 0. The last two: as of PathTrainer.
  virtual std::unique_ptr<Trainer> MakeTrainer(
      const TrainOptions& options, double preparation_limit_seconds = 0,
      const std::atomic<int>* interrupt = nullptr) const = 0;
  /// The number of examples, of all ranks that train together.
  virtual Index TotalExamples(const TrainOptions& options) const = 0;
  /// The kernel of the options, as text. Requires that they have one.
  virtual std::string KernelText(const TrainOptions& /*options*/) const { return {}; }
  /// λ if the user sets none.
  virtual double DefaultLambda(const TrainOptions& options) const {
    return Scales(options).DefaultLambda();
  }
  /// Sizes of losses and inputs, computed by the first call. Only the kernel, the ranks and the
  /// shards are read from the options; they must be the same in all calls. Where several ranks
  /// train together, all of them must make the first call (ScalesOf).
  const CostScales& Scales(const TrainOptions& options) const {
    if (!scales_) scales_ = ComputeScales(options);
    return *scales_;
  }
  /// The word that users know for a variable: "label", "token".
  virtual std::string_view VariableNoun() const = 0;
  /// Lines about the data and how they were read; empty ones are not shown. Where several ranks
  /// train together, all of them must call it.
  virtual std::vector<std::string> DataLines() const { return {}; }
  /// What is trained, besides λ and kernel: "loss mean, graph full (91 pairs)". Ranks: as for
  /// DataLines.
  virtual std::string ModelText() const { return {}; }
  /// The entries of the application at the beginning of a log.
  virtual TaskEntries StartEntries() const { return {}; }
  /// Sentences about causes of slow training.
  virtual std::vector<std::string> Warnings() const { return {}; }
  /// What must match in a resumed run besides the trainer's fingerprint.
  virtual Fingerprint Context() const = 0;

  /// The training record of the model.
  virtual TrainingRecord* record() = 0;
  /// The texts of the record about the user's choices.
  virtual RecordTexts Texts() const { return texts_; }
  /// The shared options in the record.
  virtual bool Records(const OptionRecord& /*option*/) const { return true; }
  /// Sets the weights of the model from a training with these options; the record is complete by
  /// then.
  virtual void SetWeights(const TrainOptions& options, const std::vector<double>& weights) = 0;
  /// Writes the model file. Throws DataError.
  virtual void Save(const std::string& path) const = 0;

  /// Begins the training with one λ: writes all that is known before training into the record. All
  /// ranks must call it; their records are equal.
  void Begin(double lambda, const TrainOptions& chosen);
  /// Ends it: completes the record and sets the weights.
  void Finish(const TrainSummary& summary);

 protected:
  /// The options of the last training.
  const TrainOptions& trained() const { return trained_; }

 private:
  virtual CostScales ComputeScales(const TrainOptions& options) const = 0;

  mutable std::optional<CostScales> scales_;
  RecordTexts texts_;
  TrainOptions trained_;
};

/// A task whose examples have factor graphs.
class ProblemTask : public TrainTask {
 public:
  using TrainTask::TrainTask;

  /// The training problem. Its λ is meaningless: callers set their own.
  virtual const Problem& problem() const = 0;

  LearnerChoice Choose(const TrainOptions& options) const override {
    return ChooseLearner(problem(), options);
  }
  std::unique_ptr<Trainer> MakeTrainer(const TrainOptions& options,
                                       double preparation_limit_seconds = 0,
                                       const std::atomic<int>* interrupt = nullptr) const override;
  Index TotalExamples(const TrainOptions& options) const override;
  std::string KernelText(const TrainOptions& options) const override;

 private:
  CostScales ComputeScales(const TrainOptions& options) const override {
    return ScalesOf(problem(), options);
  }
};

/// Chooses the number of shards where the options of a single process leave it open (0), before
/// anything depends on it.
void SetOpenShards(const TrainTask& task, TrainOptions* options);

/// The default λ of the task. Throws DataError when it is out of range.
double UsableDefault(const TrainOptions& options, const TrainTask& task);
/// λ of the options, λ = 1/(C·M) where c > 0, or the default of the task. Throws DataError when it
/// is out of range. With several ranks, all must call it; M counts the examples of all ranks.
double ChooseLambda(const TrainOptions& options, double c, const TrainTask& task);

/// Collects the curve of a run and passes its checks on.
class CurveObserver final : public TrainObserver {
 public:
  /// `next` may be null.
  explicit CurveObserver(TrainObserver* next) : next_(next) {}

  void OnCheck(const ProgressRecord& record) override;
  void OnPass(Index pass) override;
  void OnNote(std::string_view note) override;

  std::vector<CurvePoint> points() const { return curve_.points(); }

 private:
  TrainObserver* next_;
  TrainingCurve curve_;
};

/// Where a training begins, and what is kept of it.
struct RunPlan {
  CheckpointPlan checkpoints = {};
  /// The state of a run with another λ, follow_lambda, and the same data and options
  /// (Continuation::kFollow); empty: none. Must live as long as the training. The learner continues
  /// from the dual point of this state if it can, else the run begins anew; a note of the summary
  /// says which.
  std::string_view follow = {};
  double follow_lambda = 0;
};

struct TrainedRun {
  LearnerChoice choice;
  TrainSummary summary;
};

/// Trains with options.lambda > 0, and sets the weights and the record of the task's model.
/// observer and interrupt may be null. Throws what ChooseLearner, FollowLambda and RunTraining
/// throw.
TrainedRun TrainModel(const TrainOptions& options, TrainObserver* observer,
                      const std::atomic<int>* interrupt, TrainTask* task, const RunPlan& plan = {});

/// "note: …" of each note.
std::vector<std::string> NoteLines(const std::vector<std::string>& notes);

/// A hash of the names in order, for fingerprints.
std::string HashOfNames(const std::vector<std::string>& names);

}  // namespace slackline::internal
