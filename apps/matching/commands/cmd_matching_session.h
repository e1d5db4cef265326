// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that train matching models share: the options of data and model, and the
// messages about a run. Part of the program only.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/training/cmd_scale.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/matching/matching_model.h>

namespace slackline::internal::program {

struct MatchingFlags {
  std::string data;
  std::string left = "1";
  std::string right = "1";
  std::string precision = "1";
  std::string recall = "3";
  std::string loss = "count";
  ScaleFlag scale;

  void Register(CLI::App* app);
  /// Does all checks that need no data. Throws DataError.
  void Check() const;
  MatchingCapacities Capacities() const;
  MatchingCosts Costs() const;
  LossScale Loss() const { return ReadLossScale(loss); }
};

struct MatchingTask {
  MatchingData data;
  MatchingModel model;
  ScaledInputs scaled;  ///< its rows replace those of the data
};
/// Reads the training data, makes a dictionary of their features, and scales the features.
MatchingTask LoadMatchingTask(const MatchingFlags& flags);

/// The training of a model on all the data. All arguments must outlive this object.
class MatchingSession : public SessionTask {
 public:
  /// Throws DataError when no edge has a known label.
  MatchingSession(const MatchingFlags& flags, MatchingTask* task);

  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return "edge"; }
  std::vector<std::string> Warnings() const override { return task_.scaled.warnings; }
  Fingerprint Context() const override;
  void Describe(const LearnerChoice& choice, const std::string& lambda) const override;
  TrainingRecord* record() override { return &task_.model.record; }
  Json Begin(const Problem& problem, const LearnerChoice& choice) override;
  void Save(const TrainSummary& summary, const std::string& path) override {
    SaveTrained(summary, path, &task_.model);
  }

 private:
  std::string LossText() const;

  const MatchingFlags& flags_;
  MatchingTask& task_;
  Problem problem_;
};

}  // namespace slackline::internal::program
