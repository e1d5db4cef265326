// SPDX-License-Identifier: BSD-3-Clause
//
// Scaling of the inputs of a training set.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/feature_scaling.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// The names of the kinds of scaling that a user can ask for, "auto" first.
std::vector<std::string_view> ScaleNames();
/// The kind with this position in ScaleNames(); nullopt for "auto".
std::optional<ScaleKind> ScaleChoice(std::size_t position);
/// The name that asks for this kind.
std::string_view ScaleName(std::optional<ScaleKind> wanted);

/// The option --scale in help texts.
inline constexpr std::string_view kScalePlaceholder = "auto|none|standard|max-abs|norm";
inline constexpr std::string_view kScaleText =
    "features get mean 0 and standard deviation 1, or are divided by their largest value, or "
    "inputs by their length; auto: only if sizes differ";

/// Returns the name of a feature in messages: its entry in `names`, which must outlive the
/// function, or without names its number, counted from 1.
std::function<std::string(Index)> FeatureNames(std::span<const std::string> names = {});

/// The inputs of a training set and the names of their features.
struct ScaleInputs {
  std::string source;  ///< where the inputs come from, for messages
  std::shared_ptr<const FeatureRows> rows;
  Index num_features = 0;                                   ///< without the constant
  std::function<std::string(Index)> name = FeatureNames();  ///< for messages
};

/// A scaling for training data, and a line that explains it.
struct ChosenScaling {
  FeatureScaling scaling;
  /// Empty if all features have the same size and are not scaled.
  std::string line;
  /// Warns that auto would have scaled features that --scale none leaves unscaled.
  std::vector<std::string> warnings;
};
/// `wanted`: nullopt for auto. `exactly`: as for ScaleForTraining.
ChosenScaling ChooseScaling(std::optional<ScaleKind> wanted, const ScaleInputs& inputs,
                            Ranks* exactly = nullptr);

/// The same, with the scaled inputs.
struct ScaledInputs : ChosenScaling {
  std::shared_ptr<const FeatureRows> rows;
};
/// `wanted`: nullopt for auto. Throws DataError when scaled values would be too large.
///
/// exactly: null, or the ranks that train together (ExactRanks of the training options), each with
/// its own rows. The scaling is then learned from the rows of all ranks; its bits do not depend on
/// how the rows are dealt (FeatureScaling::Learn), and an error on one rank is thrown on all.
ScaledInputs ScaleForTraining(std::optional<ScaleKind> wanted, const ScaleInputs& inputs,
                              Ranks* exactly = nullptr);

}  // namespace slackline::internal
