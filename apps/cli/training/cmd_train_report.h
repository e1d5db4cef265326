// SPDX-License-Identifier: BSD-3-Clause
//
// What a training run reports while it runs: a line on the terminal, and a log of JSON objects.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_json_log.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/common/training_curve.h>
#include <slackline/core/timer.h>
#include <slackline/learning/progress.h>

namespace slackline::internal::program {

/// The figures of a record; NaN becomes null.
Json RecordJson(const ProgressRecord& record);

class TrainReport : public TrainObserver {
 public:
  /// show: whether to print progress to the standard error if that is a terminal.
  explicit TrainReport(bool show);

  /// Opens the log; an existing file is replaced, and "-" is the standard output. Throws DataError
  /// when the log cannot be opened.
  void OpenLog(const std::string& path) { log_.Open(path); }
  /// To be called before every run. Writes `start` to the log.
  void Begin(const Json& start);

  void OnCheck(const ProgressRecord& record) override;
  void OnPass(Index pass) override;

  /// The checks since Begin or since construction.
  std::vector<CurvePoint> curve() const { return curve_.points(); }

  /// Clears the line on the terminal.
  void ClearLine();
  /// To be called after every run. Writes the last object of its log, with the entries of `more` if
  /// that is an object. Throws DataError if any part of the log could not be written.
  void End(const TrainSummary& summary, const Json& more);

 private:
  void Draw(Index pass);

  TerminalLine line_;
  JsonLog log_;
  ProgressRecord last_;
  TrainingCurve curve_;
  WallTimer running_;
};

}  // namespace slackline::internal::program
