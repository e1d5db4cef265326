// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that train multi-label models share: the options of data and model, and what is told about a run. Part
// of the program only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/cmd_common.h>
#include <slackline/apps/cmd_report.h>
#include <slackline/apps/cmd_train_session.h>
#include <slackline/apps/multilabel_model.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/problem.h>

namespace slackline::program {

/// What data are read, and what problem is made of them.
struct DataSettings {
  MultiLabelReadOptions read;
  LossOptions loss;
  LearnerKind learner = LearnerKind::kAuto;  ///< decides how much memory is needed
};

struct DataFlags {
  std::string data;
  std::string labels_xml;
  std::string num_labels;
  std::string graph = "full";
  std::string loss = "mean";
  std::string bias = "1";

  void Register(CLI::App* app);
  /// All checks that need no data. `learner`: which one is asked for. Throws DataError.
  DataSettings Read(LearnerKind learner) const;
  /// The files that outputs must not replace.
  std::vector<std::string> inputs() const { return {data, labels_xml, graph}; }
};

/// Reads the training data, and checks their number of labels.
MultiLabelData ReadTrainingData(const DataFlags& flags, const DataSettings& settings);

/// A model without weights, and the problem whose solution they will be. λ is for the caller to change.
struct MultiLabelTask {
  MultiLabelModel model;
  Problem problem;
};
/// Throws DataError when no example has a known label, and when training would need more memory than there is.
MultiLabelTask MakeTask(const DataFlags& flags, const DataSettings& settings, const MultiLabelData& data);

/// Put what is known before training into the model's record, and the result of training into the model.
void BeginMultiLabelRecord(const DataFlags& flags, const MultiLabelData& data, const Problem& problem,
                           const TrainOptions& options, MultiLabelModel* model);
void FinishMultiLabelModel(const TrainSummary& summary, MultiLabelModel* model);

/// Lines on the standard error.
void DescribeData(const MultiLabelData& data, const TrainingSet& training);
/// lambda: its value, or the values of a path, in words.
void DescribeLearner(const DataFlags& flags, const MultiLabelModel& model, const LearnerChoice& choice,
                     const std::string& lambda);
}  // namespace slackline::program
