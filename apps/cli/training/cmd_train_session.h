// SPDX-License-Identifier: BSD-3-Clause
//
// What every command that trains models shares: training with one λ or a path, checkpoints,
// verification, the log and messages on the terminal. Part of the program only.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_verify.h>
#include <slackline/apps/cli/training/cmd_checkpoint.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/run/checkpoint.h>

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

  /// names: the shared options that the command has, without --verify; empty: all, with --verify.
  void Register(Command* app, std::span<const std::string_view> names = {});
};

/// Adds the flag --compact.
void AddCompactFlag(Command* app, bool* compact);

/// The values of the flags, after all checks that need no data.
struct SessionSettings {
  TrainOptions train;
  double c = 0;                       ///< 0 = not given
  bool default_lambda = false;        ///< λ is the default of the task; set by RunSession
  bool open_shards = false;           ///< the program chooses the number of shards
  std::optional<Checkpoint> resumed;  ///< with --resume
  std::vector<double> lambdas;        ///< empty: determined from the data
  std::vector<std::string> models;    ///< one per λ

  bool path() const { return lambdas.size() > 1; }
};
/// `inputs`: files that outputs must not replace. Throws DataError.
SessionSettings ReadSession(const SessionFlags& flags, const std::vector<std::string>& inputs);

/// The values of --lambda-path, in the order of training. Throws DataError on bad values.
std::vector<double> ReadLambdaPath(const std::string& text);

/// What a command does with a model that has been trained and written to this file; null: nothing.
/// Called by all ranks.
using Completion = std::function<void(const TrainSummary& summary, const std::string& path)>;
/// A training, and what follows it.
struct CompletedTask {
  std::unique_ptr<TrainTask> training;
  Completion complete = {};
};

/// Describes data and learner on the standard error. `lambda`: its value, or the values of a path,
/// as text. With several ranks, all of them must call it.
void Describe(const TrainTask& task, const LearnerChoice& choice, const std::string& lambda);
/// A description as a JSON object.
Json EntriesJson(const TaskEntries& entries);

/// Print to the standard error why `auto` chose the learner, if it did; and the warnings of the
/// task.
void TellReason(const LearnerChoice& choice);
void TellWarnings(const TrainTask& task);

/// For tasks without kernelized models. Throws DataError when the options ask for a kernel. `task`:
/// "images".
void RefuseKernels(const TrainOptions& options, const std::string& task);

/// Trains, writes models, and returns the exit code.
int RunSession(const SessionFlags& flags, SessionSettings settings, TrainTask* task,
               const Completion& complete = {});

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
Termination Refit(const RefitOptions& options, const std::atomic<int>* interrupt,
                  const CompletedTask& task, Json* figures);

/// Print to the standard error how training ended, and "model written to m.slk", or "best model so
/// far …" after an interrupt.
void DescribeResult(const TrainOptions& options, const TrainSummary& summary);
void DescribeModel(const TrainSummary& summary, const std::string& path);
/// Warns of a wide gap, even in quiet runs: the model may be far from optimal.
void WarnOfGap(const TrainOptions& options, const TrainSummary& summary, const std::string& path);

}  // namespace slackline::internal::program
