// SPDX-License-Identifier: BSD-3-Clause
//
// What the `cv` commands of all applications share: options, the table and JSON of a
// cross-validation (common/cross_validation.h), and the final model. Part of the program only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/common/cross_validation.h>

namespace slackline::internal::program {

/// The metrics by which λ can be chosen.
struct CvMetrics {
  std::vector<FigureName> figures;
  std::string_view text;  ///< for the help
  std::string_view default_name;
};

/// The checked values of CvFlags.
struct CvSettings {
  TrainOptions train;           ///< of every training; λ is not used
  std::vector<double> lambdas;  ///< descending; empty: around the default
  Index folds = 5;
  std::size_t metric = 0;  ///< index of the metric
  int threads = 1;
  bool limited = false;  ///< the user sets no limit, so trainings in folds have a pass limit
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

  /// `all` names the data of the final model: "all data". names: as of SessionFlags; they have
  /// lambda, threads and max-passes.
  void Register(Command* app, const CvMetrics& metrics, const std::string& all,
                std::span<const std::string_view> names = {});
  /// Does all checks that need no data. `inputs`: files that the model must not replace; if the
  /// standard input ("-") is one, all ranks can read it afterwards. Throws DataError.
  CvSettings Read(const CvMetrics& metrics, const std::vector<std::string>& inputs) const;
};

/// What an application's command adds to its CvApplication: words, and the training of the final
/// model.
struct CvTask {
  std::string noun = "example";
  std::string key = "examples";     ///< name of their number in JSON
  std::string all = "all data";     ///< the data of the final model
  std::vector<FigureName> figures;  ///< the metrics that the data have
  std::vector<std::size_t> shown;   ///< indices of the metrics in the table
  /// What is chosen besides λ ("graph" or "loss") and the names of the candidates. Where only λ is
  /// chosen, there is one candidate without a name.
  std::string candidate_key;
  std::vector<std::string> candidates = {""};
  /// Makes the training of a candidate on all data.
  std::function<CompletedTask(std::size_t candidate)> session;
  Json own;  ///< further entries of the JSON result
};

/// Cross-validates, prints the table or JSON, and trains the final model. Returns the exit code.
/// Throws DataError.
int RunCv(const CvFlags& flags, CvSettings settings, const CvApplication& application,
          const CvTask& task);

}  // namespace slackline::internal::program
