// SPDX-License-Identifier: BSD-3-Clause
//
// What every command that trains models does around the training itself: one λ or a path, checkpoints, verification, the log
// and what is told on the terminal. Part of the program only.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <slackline/apps/cmd_checkpoint.h>
#include <slackline/apps/cmd_common.h>
#include <slackline/apps/cmd_report.h>
#include <slackline/apps/cmd_verify.h>
#include <slackline/apps/training_record.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/fingerprint.h>

namespace slackline::program {

struct SessionFlags {
  std::string model;
  std::string c;
  std::string lambda_path;
  std::string log;
  bool quiet = false;
  CheckpointFlags checkpoint;
  CertificateCheck verify;
  TrainFlags train;

  void Register(CLI::App* app);
};

/// What the flags say; all checks that need no data.
struct SessionSettings {
  TrainOptions train;
  double c = 0;                     ///< 0 = not given
  std::vector<double> lambdas;      ///< empty: to be found from the data
  std::vector<std::string> models;  ///< one per λ

  bool path() const { return lambdas.size() > 1; }
};
/// inputs: files that outputs must not replace. Throws DataError.
SessionSettings ReadSession(const SessionFlags& flags, const std::vector<std::string>& inputs);

/// Reads the value of --lambda-path.
std::vector<double> ReadLambdaPath(const std::string& text);

class SessionTask;
/// The value of --lambda, that of --C, or the task's own. Throws DataError when C leads to none that is allowed.
double ChooseLambda(const SessionSettings& settings, const SessionTask& task);

/// What is trained.
class SessionTask {
 public:
  virtual ~SessionTask() = default;

  /// With any λ.
  virtual const Problem& problem() const = 0;
  /// λ where the user gives none.
  virtual double DefaultLambda() const { return 1.0 / problem().size(); }
  /// What a resumed run must share besides problem and options.
  virtual Fingerprint Context() const = 0;
  /// Tells about data and learner on the standard error. lambda: its value, or the values of a path, in words.
  virtual void Describe(const LearnerChoice& choice, const std::string& lambda) const = 0;
  /// To be called before each λ is trained; returns what the log says of it at first.
  virtual Json Begin(const Problem& problem, const LearnerChoice& choice) = 0;
  /// Writes the model that training gave.
  virtual void Save(const TrainSummary& summary, const std::string& path) = 0;
};

/// For tasks without kernelized models: throws DataError when the options ask for one. `task`: "images".
void RefuseKernels(const TrainOptions& options, const std::string& task);

/// Trains, writes models, and returns the exit code.
int RunSession(const SessionFlags& flags, SessionSettings settings, SessionTask* task);

/// One more training at the end of a command that has chosen λ.
struct RefitOptions {
  TrainOptions train;  ///< with that λ
  std::string model;   ///< where to write it
  bool quiet = false;
};
/// Trains, writes the model, and tells about it on the standard error. *figures: what the command's JSON says of it.
Termination Refit(const RefitOptions& options, const std::atomic<int>* interrupt, SessionTask* task,
                  Json* figures);

/// Puts what is known before training into a record. `first`: the options that are not of training.
void BeginRecord(const std::string& data, const Problem& problem, const TrainOptions& options,
                 std::vector<std::pair<std::string, std::string>> first, TrainingRecord* record);
/// Puts the result of training into a model, and writes it.
template <class Model>
void SaveTrained(const TrainSummary& summary, const std::string& path, Model* model) {
  FinishRecord(summary, &model->record);
  model->set_weights(summary.weights);
  model->Save(path);
}
/// Names in their order, as a fingerprint has them.
std::string HashOfNames(const std::vector<std::string>& names);
/// The entries of Begin's object that all tasks have.
Json StartJson(const TrainingRecord& record, const LearnerChoice& choice);

/// Lines on the standard error: the learner with its reason and what it trains, as `lambda` and `model` put it in words.
void DescribeLearner(const LearnerChoice& choice, const std::string& lambda, const std::string& model);

/// Lines on the standard error: how training ended, and "model written to m.slk", or "best model so far …" after an interrupt.
void DescribeResult(const TrainOptions& options, const TrainSummary& summary);
void DescribeModel(const TrainSummary& summary, const std::string& path);

}  // namespace slackline::program
