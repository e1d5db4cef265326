// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that train matching models share: the options of data and model, and the
// messages about a run. Part of the program only.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/matching/matching_model.h>
#include <slackline/apps/matching/matching_training.h>

namespace slackline::internal::program {

struct MatchingFlags {
  std::string data;
  std::string left = "1";
  std::string right = "1";
  std::string precision = "1";
  std::string recall = "3";
  std::string loss = "count";
  ScaleFlag scale;

  void Register(Command* app);
  /// Does all checks that need no data. Throws DataError.
  void Check() const;
  MatchingCapacities Capacities() const;
  MatchingCosts Costs() const;
  LossScale Loss() const { return ReadLossScale(loss); }
  /// What the record of a model says about the flags.
  RecordTexts Texts() const;
};

/// Reads the training data, makes a dictionary of their features, and scales the features.
MatchingTask LoadMatchingTask(const MatchingFlags& flags, const TrainOptions& train);

/// The training of a model on all the data. All arguments must outlive this object.
class MatchingSession : public SessionTask {
 public:
  /// Throws DataError when no edge has a known label.
  MatchingSession(const MatchingFlags& flags, MatchingTask* task);

  MatchingTraining& training() override { return training_; }
  void Describe(const LearnerChoice& choice, const std::string& lambda) const override;
  Json StartEntries(const Problem& problem, const LearnerChoice& choice) const override;

 private:
  std::string LossText() const;

  const MatchingFlags& flags_;
  MatchingTraining training_;
};

}  // namespace slackline::internal::program
