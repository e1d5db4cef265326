// SPDX-License-Identifier: BSD-3-Clause
//
// What the `cv` commands of all applications share: options, the table and JSON of a
// cross-validation (common/cross_validation.h), and the model at the end. Part of the program only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/common/cross_validation.h>

namespace slackline::internal::program {

/// The figures that λ can be chosen by.
struct CvMetrics {
  std::vector<FigureName> figures;
  std::string_view text;  ///< for the help
  std::string_view default_name;
};

/// The values of CvFlags, checked.
struct CvSettings {
  TrainOptions train;           ///< of every training; λ is not used
  std::vector<double> lambdas;  ///< falling; empty: around the default
  Index folds = 5;
  std::size_t metric = 0;  ///< number of its figure
  int threads = 1;
  bool limited = false;  ///< the user sets no limit, so that folds end after some passes
};

struct CvFlags {
  std::string lambda_path;
  std::string folds = "5";
  std::string metric;
  std::string model;
  bool no_refit = false;
  bool compact = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  TrainFlags train;

  /// all: what the model at the end is trained on, "all data".
  void Register(CLI::App* app, const CvMetrics& metrics, const std::string& all);
  /// All checks that need no data. inputs: files that the model must not replace. Throws DataError.
  CvSettings Read(const CvMetrics& metrics, const std::vector<std::string>& inputs) const;
};

/// What an application's command adds to its CvApplication: words, and the model at the end.
struct CvTask {
  std::string noun = "example";
  std::string key = "examples";     ///< of their number in JSON
  std::string all = "all data";     ///< what the model at the end is trained on
  std::vector<FigureName> figures;  ///< that the data have
  std::vector<std::size_t> shown;   ///< numbers of those in the table
  /// What is chosen besides λ, "graph" or "loss", and its names; one that is not shown where λ
  /// alone is.
  std::string candidate_key;
  std::vector<std::string> candidates = {""};
  /// The training of a candidate on all data.
  std::function<std::unique_ptr<SessionTask>(std::size_t candidate)> session;
  Json own;  ///< more entries for the result
};

/// Cross-validates, shows the table or JSON, trains the model; returns the exit code. Throws
/// DataError.
int RunCv(const CvFlags& flags, CvSettings settings, const CvApplication& application,
          const CvTask& task);

}  // namespace slackline::internal::program
