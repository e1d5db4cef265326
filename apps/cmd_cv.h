// SPDX-License-Identifier: BSD-3-Clause
//
// What the `cv` commands of all applications share: options, texts, JSON, and the model at the end. Part of the program only.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cmd_train_session.h>
#include <slackline/apps/folds.h>

namespace slackline::program {

/// The figures that λ can be chosen by.
struct CvMetrics {
  std::vector<std::string_view> names;
  std::string_view text;  ///< for the help
  std::string_view default_name;
};

/// What the flags say, besides the options of training.
struct CvSettings {
  std::vector<double> lambdas;  ///< falling
  Index folds = 5;
  std::size_t metric = 0;  ///< number of its name

  /// "0.1 to 0.001 (7 values, 5 folds)"
  std::string LambdaRange() const;
};

struct CvFlags {
  std::string lambda_path;
  std::string folds = "5";
  std::string metric;
  std::string model;
  bool no_refit = false;
  bool json = false;
  bool quiet = false;
  TrainFlags train;

  /// all: what the model at the end is trained on, "all data".
  void Register(CLI::App* app, const CvMetrics& metrics, const std::string& all);
  /// All checks that need no data, but those of `train`. inputs: files that the model must not replace. Throws DataError.
  CvSettings Read(const CvMetrics& metrics, const std::vector<std::string>& inputs) const;
  /// Throws DataError when there are more folds than examples, which are called `noun`.
  void CheckFolds(const CvSettings& settings, const std::string& source, Index examples,
                  const std::string& noun) const;
  /// After an interrupt: says that no λ is chosen, and returns the exit code.
  int NothingChosen(const std::atomic<int>* interrupt) const;
  /// Trains `task` with the best λ, tells so with the words `announcement`, and adds the entry "refit" to *result. False
  /// when it was interrupted.
  bool RefitBest(const TrainOptions& options, double lambda, const std::string& announcement,
                 const std::atomic<int>* interrupt, SessionTask* task, Json* result) const;
};

/// The last columns of a table of values of λ, with the end of the line: their names, and what all trainings of one took together.
void AppendTotalsHead(std::string* text);
void AppendTotals(const FoldTotals& totals, const CvSettings& settings, bool best, std::string* text);

/// One figure: {"mean", "deviation", "folds": values}.
Json SpreadJson(const std::vector<double>& values);
/// Adds what all trainings took together.
void AddTotals(const FoldTotals& totals, Json* json);

}  // namespace slackline::program
