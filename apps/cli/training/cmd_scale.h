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
  /// None where the value is auto. Throws DataError on others that are no kind of scaling.
  std::optional<ScaleKind> Read() const;
};

/// The inputs of a training set, and their names.
struct ScaleInputs {
  std::string source;  ///< the file, for messages
  std::shared_ptr<const FeatureRows> rows;
  Index num_features = 0;                  ///< without the constant
  std::function<std::string(Index)> name;  ///< of a feature, for messages
};

/// A scaling for training data, the scaled inputs, and a line that says what was done and why.
struct ScaledInputs {
  FeatureScaling scaling;
  std::shared_ptr<const FeatureRows> rows;
  /// Empty where all features have one size and are left as they are.
  std::string line;
  /// Says that auto would have scaled the features which --scale none leaves as they are.
  std::vector<std::string> warnings;
};
/// `wanted` as ScaleFlag::Read gives it. Throws DataError when scaled values would be too large.
ScaledInputs ScaleForTraining(std::optional<ScaleKind> wanted, const ScaleInputs& inputs);

}  // namespace slackline::internal::program
