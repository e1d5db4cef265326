// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that train multi-label models share: the options of data and model, and the
// messages about a run. Part of the program only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/multilabel/commands/cmd_calibrate.h>
#include <slackline/apps/multilabel/commands/cmd_reading.h>
#include <slackline/apps/multilabel/training/graph_choice.h>
#include <slackline/apps/multilabel/training/multilabel_training.h>
#include <slackline/apps/training/input_scaling.h>

namespace slackline::internal::program {

/// How data are read, and how the problem is made of them.
struct DataSettings {
  MultiLabelReadOptions read;
  MultiLabelTrainingOptions training;
  std::optional<ScaleKind> scale;  ///< nullopt: auto
};

/// The values of --loss and --loss-weights. Throws DataError.
MultiLabelLoss ReadLoss(const std::string& loss, const std::string& loss_weights);

struct DataFlags {
  std::string data;
  std::string format = "auto";
  TableFlags table;
  std::string labels_xml;
  std::string num_labels;
  std::string graph = "full";
  std::string loss = "mean";
  std::string loss_weights = "equal";
  std::string constant = "1";
  std::string label_counts = "auto";
  ScaleFlag scale;

  void Register(Command* app);
  /// Does all checks that need no data. `train`: the training options. Throws DataError.
  DataSettings Read(const TrainOptions& train) const;
  /// The input files, which outputs must not replace.
  std::vector<std::string> inputs() const { return {data, labels_xml, graph, loss_weights}; }
};

/// Training data with scaled features.
struct TrainingData {
  MultiLabelData data;
  ScaledInputs scaled;  ///< its rows replace those of `data`
};
/// Reads the training data, checks their number of labels, and scales their features.
TrainingData ReadTrainingData(const DataFlags& flags, const DataSettings& settings);

/// The training of a model on all the data, which must outlive it. graph: settings.training.graph,
/// or a graph that was chosen. Throws what MultiLabelTraining throws.
std::unique_ptr<MultiLabelTraining> MakeMultiLabelTraining(const DataSettings& settings,
                                                           const TrainingData& training,
                                                           const std::string& graph);

/// Makes the training say that its models are calibrated. The result calibrates a model that has
/// been written, and writes it again.
Completion CalibrateBy(const CalibrationPlan& plan, MultiLabelTraining* training);

/// Returns the candidates of --graph. Unless quiet, notes which candidates are not tried.
std::vector<std::string> TellGraphCandidates(const DataSettings& settings,
                                             const TrainingData& training, bool quiet);

}  // namespace slackline::internal::program
