// SPDX-License-Identifier: BSD-3-Clause
//
// What every command that trains models does around the training itself: one λ or a path,
// checkpoints, verification, the log and what is told on the terminal. Part of the program only.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_verify.h>
#include <slackline/apps/cli/training/cmd_checkpoint.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/run/fingerprint.h>

namespace slackline::internal::program {

struct SessionFlags {
  std::string model;
  std::string c;
  std::string lambda_path;
  std::string log;
  bool quiet = false;
  bool verbose = false;
  bool compact = false;
  CheckpointFlags checkpoint;
  CertificateCheck verify;
  TrainFlags train;

  void Register(CLI::App* app);
};

/// --compact.
void AddCompactFlag(CLI::App* app, bool* compact);

/// What the flags say; all checks that need no data.
struct SessionSettings {
  TrainOptions train;
  double c = 0;                     ///< 0 = not given
  bool default_lambda = false;      ///< λ is the default of the task; set by RunSession
  std::vector<double> lambdas;      ///< empty: to be found from the data
  std::vector<std::string> models;  ///< one per λ

  bool path() const { return lambdas.size() > 1; }
};
/// inputs: files that outputs must not replace. Throws DataError.
SessionSettings ReadSession(const SessionFlags& flags, const std::vector<std::string>& inputs);

/// Reads the value of --lambda-path.
std::vector<double> ReadLambdaPath(const std::string& text);

class SessionTask;
/// The default λ of the task. Throws DataError when that is out of range.
double UsableDefault(const TrainOptions& options, const SessionTask& task);
/// λ by --lambda, by --C, or the default of the task. Throws DataError when the λ of C is out of
/// range.
double ChooseLambda(const SessionSettings& settings, const SessionTask& task);

/// What an application trains: its problem, its model, and what its commands say of both.
class SessionTask {
 public:
  virtual ~SessionTask() = default;

  /// The training problem. Its λ has no meaning: callers set their own.
  virtual const Problem& problem() const = 0;
  /// λ where the user sets none.
  virtual double DefaultLambda(const TrainOptions& options) const {
    return Scales(options).DefaultLambda();
  }
  /// Sizes of losses and inputs, computed by the first call. Only the kernel is read from the
  /// options; it must be the same in all calls.
  const CostScales& Scales(const TrainOptions& options) const {
    if (!scales_) scales_ = ScalesOf(problem(), options);
    return *scales_;
  }
  /// What users call a variable: "label", "token".
  virtual std::string_view VariableNoun() const = 0;
  /// Sentences about what will make training slow.
  virtual std::vector<std::string> Warnings() const { return {}; }
  /// What a resumed run must share besides problem and options.
  virtual Fingerprint Context() const = 0;
  /// Tells about data and learner on the standard error. lambda: its value, or the values of a
  /// path, in words.
  virtual void Describe(const LearnerChoice& choice, const std::string& lambda) const = 0;
  /// Begins the training with one λ: fills record(), which has the C of that λ already, and returns
  /// the first object of the log.
  virtual Json Begin(const Problem& problem, const LearnerChoice& choice) = 0;
  /// The training record of the model.
  virtual TrainingRecord* record() = 0;
  /// Writes the trained model.
  virtual void Save(const TrainSummary& summary, const std::string& path) = 0;

 private:
  mutable std::optional<CostScales> scales_;
};

/// Write to the standard error: why the learner was chosen, if `auto` chose it; the task's
/// warnings.
void TellReason(const LearnerChoice& choice);
void TellWarnings(const SessionTask& task);

/// For tasks without kernelized models: throws DataError when the options ask for one. `task`:
/// "images".
void RefuseKernels(const TrainOptions& options, const std::string& task);

/// Trains, writes models, and returns the exit code.
int RunSession(const SessionFlags& flags, SessionSettings settings, SessionTask* task);

/// One more training at the end of a command that has chosen λ.
struct RefitOptions {
  TrainOptions train;  ///< with that λ
  std::string model;   ///< where to write it
  bool quiet = false;
  bool compact = false;                    ///< weights in single precision
  CrossValidationRecord cross_validation;  ///< how λ was chosen
};
/// Trains, writes the model, and tells about it on the standard error. *figures: what the command's
/// JSON says of it.
Termination Refit(const RefitOptions& options, const std::atomic<int>* interrupt, SessionTask* task,
                  Json* figures);

/// Puts what is known before training into a record, except for C. `first`: the application's own
/// options.
void BeginRecord(const std::string& data, const Problem& problem, const TrainOptions& options,
                 std::vector<std::pair<std::string, std::string>> first, TrainingRecord* record);
/// Puts the result of training into a model, and writes the model.
template <class Model>
void SaveTrained(const TrainSummary& summary, const std::string& path, Model* model) {
  FinishRecord(summary, &model->record);
  model->set_weights(summary.weights);
  model->Save(path);
}
/// A hash of the names in their order, for fingerprints.
std::string HashOfNames(const std::vector<std::string>& names);
/// The first object of the log, with the entries that all applications have.
Json StartJson(const TrainingRecord& record, const LearnerChoice& choice);

/// A line on the standard error: the learner and what it trains, as `lambda` and `model` put it in
/// words.
void DescribeLearner(const LearnerChoice& choice, const std::string& lambda,
                     const std::string& model);

/// Lines on the standard error: how training ended, and "model written to m.slk", or "best model so
/// far …" after an interrupt.
void DescribeResult(const TrainOptions& options, const TrainSummary& summary);
void DescribeModel(const TrainSummary& summary, const std::string& path);

}  // namespace slackline::internal::program
