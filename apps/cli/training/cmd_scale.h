// SPDX-License-Identifier: BSD-3-Clause
//
// --scale of the commands that train. Part of the program only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <slackline/core/feature_scaling.h>

namespace CLI {
class App;
}  // namespace CLI

namespace slackline::internal::program {

struct ScaleFlag {
  std::string scale = "auto";

  void Register(CLI::App* app);
  /// nullopt if the value is auto. Throws DataError on a value that is not a kind of scaling.
  std::optional<ScaleKind> Read() const;
};

/// The inputs of a training set and the names of their features.
struct ScaleInputs {
  std::string source;  ///< the file name, for messages
  std::shared_ptr<const FeatureRows> rows;
  Index num_features = 0;                  ///< without the constant
  std::function<std::string(Index)> name;  ///< name of a feature, for messages
};

/// A scaling for training data, the scaled inputs, and a line that explains the scaling.
struct ScaledInputs {
  FeatureScaling scaling;
  std::shared_ptr<const FeatureRows> rows;
  /// Empty if all features have the same size and are not scaled.
  std::string line;
  /// Warns that auto would have scaled features that --scale none leaves unscaled.
  std::vector<std::string> warnings;
};
/// `wanted` is the result of ScaleFlag::Read. Throws DataError when scaled values would be too
/// large.
ScaledInputs ScaleForTraining(std::optional<ScaleKind> wanted, const ScaleInputs& inputs);

}  // namespace slackline::internal::program
