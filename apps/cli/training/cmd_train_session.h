// SPDX-License-Identifier: BSD-3-Clause
//
// What every command that trains models shares: training with one λ or a path, checkpoints,
// verification, the log and messages on the terminal. Part of the program only.
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

/// Adds the flag --compact.
void AddCompactFlag(CLI::App* app, bool* compact);

/// The values of the flags, after all checks that need no data.
struct SessionSettings {
  TrainOptions train;
  double c = 0;                     ///< 0 = not given
  bool default_lambda = false;      ///< λ is the default of the task; set by RunSession
  std::vector<double> lambdas;      ///< empty: determined from the data
  std::vector<std::string> models;  ///< one per λ

  bool path() const { return lambdas.size() > 1; }
};
/// `inputs`: files that outputs must not replace. Throws DataError.
SessionSettings ReadSession(const SessionFlags& flags, const std::vector<std::string>& inputs);

/// The values of --lambda-path, in the order of training. Throws DataError on bad values.
std::vector<double> ReadLambdaPath(const std::string& text);

class SessionTask;
/// The default λ of the task. Throws DataError when it is out of range.
double UsableDefault(const TrainOptions& options, const SessionTask& task);
/// λ from --lambda, from --C, or the default of the task. Throws DataError when the λ of C is out
/// of range.
double ChooseLambda(const SessionSettings& settings, const SessionTask& task);

/// What an application trains: its problem, its model, and the texts of its commands about both.
class SessionTask {
 public:
  virtual ~SessionTask() = default;

  /// The training problem. Its λ is meaningless: callers set their own.
  virtual const Problem& problem() const = 0;
  /// λ if the user sets none.
  virtual double DefaultLambda(const TrainOptions& options) const {
    return Scales(options).DefaultLambda();
  }
  /// Sizes of losses and inputs, computed by the first call. Only the kernel is read from the
  /// options; it must be the same in all calls.
  const CostScales& Scales(const TrainOptions& options) const {
    if (!scales_) scales_ = ScalesOf(problem(), options);
    return *scales_;
  }
  /// The word that users know for a variable: "label", "token".
  virtual std::string_view VariableNoun() const = 0;
  /// Sentences about causes of slow training.
  virtual std::vector<std::string> Warnings() const { return {}; }
  /// What must match in a resumed run besides problem and options.
  virtual Fingerprint Context() const = 0;
  /// Describes data and learner on the standard error. `lambda` is its value, or the values of a
  /// path, as text.
  virtual void Describe(const LearnerChoice& choice, const std::string& lambda) const = 0;
  /// Begins the training with one λ. Fills record(), which already has the C of that λ, and returns
  /// the first object of the log.
  virtual Json Begin(const Problem& problem, const LearnerChoice& choice) = 0;
  /// The training record of the model.
  virtual TrainingRecord* record() = 0;
  /// Writes the trained model.
  virtual void Save(const TrainSummary& summary, const std::string& path) = 0;

 private:
  mutable std::optional<CostScales> scales_;
};

/// Print to the standard error why `auto` chose the learner, if it did; and the warnings of the
/// task.
void TellReason(const LearnerChoice& choice);
void TellWarnings(const SessionTask& task);

/// For tasks without kernelized models. Throws DataError when the options ask for a kernel. `task`:
/// "images".
void RefuseKernels(const TrainOptions& options, const std::string& task);

/// Trains, writes models, and returns the exit code.
int RunSession(const SessionFlags& flags, SessionSettings settings, SessionTask* task);

/// The final training of a command that has chosen λ.
struct RefitOptions {
  TrainOptions train;  ///< with the chosen λ
  std::string model;   ///< path of the model file
  bool quiet = false;
  bool compact = false;                    ///< weights in single precision
  CrossValidationRecord cross_validation;  ///< how λ was chosen
};
/// Trains, writes the model, and describes it on the standard error. *figures becomes the entries
/// of the command's JSON about the model.
Termination Refit(const RefitOptions& options, const std::atomic<int>* interrupt, SessionTask* task,
                  Json* figures);

/// Fills a record with what is known before training, except for C. `first`: the application's own
/// options.
void BeginRecord(const std::string& data, const Problem& problem, const TrainOptions& options,
                 std::vector<std::pair<std::string, std::string>> first, TrainingRecord* record);
/// Puts the result of training into a model and writes the model file.
template <class Model>
void SaveTrained(const TrainSummary& summary, const std::string& path, Model* model) {
  FinishRecord(summary, &model->record);
  model->set_weights(summary.weights);
  model->Save(path);
}
/// A hash of the names in order, for fingerprints.
std::string HashOfNames(const std::vector<std::string>& names);
/// The first object of the log, with the entries common to all applications.
Json StartJson(const TrainingRecord& record, const LearnerChoice& choice);

/// Prints a line to the standard error: the learner and what it trains, with the texts `lambda` and
/// `model`.
void DescribeLearner(const LearnerChoice& choice, const std::string& lambda,
                     const std::string& model);

/// Print to the standard error how training ended, and "model written to m.slk", or "best model so
/// far …" after an interrupt.
void DescribeResult(const TrainOptions& options, const TrainSummary& summary);
void DescribeModel(const TrainSummary& summary, const std::string& path);

}  // namespace slackline::internal::program
