// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/training/input_scaling.h>

#include <array>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

constexpr std::array kKinds = {ScaleKind::kUnscaled, ScaleKind::kStandard, ScaleKind::kMaxAbs,
                               ScaleKind::kNorm};

/// What a kind of scaling does to the features, in words.
std::string Effect(const FeatureScaling& scaling) {
  switch (scaling.kind()) {
    case ScaleKind::kUnscaled:
      return "features are left as they are";
    case ScaleKind::kStandard:
      return scaling.shift().empty() ? "each is divided by its standard deviation"
                                     : "each gets mean 0 and standard deviation 1";
    case ScaleKind::kMaxAbs:
      return "each is divided by its largest absolute value";
    case ScaleKind::kNorm:
      return "each example's features get norm 1";
  }
  return {};
}

/// "sizes of features reach from 0.0084 ('Mean_Acc1298') to 156 ('BH_HighPeakBPM')"
std::string Sizes(const ScaleAdvice& advice, const ScaleInputs& inputs) {
  if (!advice.differ)
    return "features have sizes around " + NumberText(advice.middle, 3) +
           " next to a constant of 1";
  return "sizes of features reach from " + NumberText(advice.smallest, 3) + " (" +
         Quoted(inputs.name(advice.smallest_feature)) + ") to " + NumberText(advice.largest, 3) +
         " (" + Quoted(inputs.name(advice.largest_feature)) + ")";
}

/// Throws DataError when scaled values would be too large.
std::shared_ptr<const FeatureRows> ScaledRows(const FeatureScaling& scaling,
                                              const ScaleInputs& inputs) {
  if (!scaling.active()) return inputs.rows;
  try {
    return scaling.Apply(*inputs.rows, inputs.num_features);
  } catch (const ScaleError& error) {
    throw DataError(inputs.source, 0, std::string("--scale: ") + error.what());
  }
}

}  // namespace

std::function<std::string(Index)> FeatureNames(std::span<const std::string> names) {
  return [names](Index feature) {
    return names.empty() ? std::to_string(feature + 1) : names[Size(feature)];
  };
}

std::vector<std::string_view> ScaleNames() {
  std::vector<std::string_view> names = {"auto"};
  for (const ScaleKind kind : kKinds) names.push_back(Name(kind));
  return names;
}

std::optional<ScaleKind> ScaleChoice(std::size_t position) {
  if (position == 0) return std::nullopt;
  return kKinds.at(position - 1);
}

std::string_view ScaleName(std::optional<ScaleKind> wanted) {
  return wanted ? Name(*wanted) : "auto";
}

ChosenScaling ChooseScaling(std::optional<ScaleKind> wanted, const ScaleInputs& inputs,
                            Ranks* exactly) {
  const ScaleAdvice advice = AdviseScaling(*inputs.rows, inputs.num_features, exactly);
  const bool differ = advice.kind != ScaleKind::kUnscaled;
  ChosenScaling result;
  result.scaling = FeatureScaling::Learn(wanted.value_or(advice.kind), *inputs.rows,
                                         inputs.num_features, exactly);
  const std::string name(Name(result.scaling.kind()));
  if (wanted) {
    if (result.scaling.active()) result.line = "scaling: " + name + ", " + Effect(result.scaling);
  } else if (differ) {
    result.line =
        "scaling: " + name + ", since " + Sizes(advice, inputs) + "; " + Effect(result.scaling);
  } else if (advice.smallest < advice.largest) {
    result.line = "scaling: none, since features have similar sizes";
  }
  if (wanted == ScaleKind::kUnscaled && differ) {
    result.warnings.push_back(Sizes(advice, inputs) +
                              ", and --scale none keeps them: training may take many passes");
  }
  return result;
}

ScaledInputs ScaleForTraining(std::optional<ScaleKind> wanted, const ScaleInputs& inputs,
                              Ranks* exactly) {
  ScaledInputs result{ChooseScaling(wanted, inputs, exactly), nullptr};
  OnAllRanks(RanksOrOne(exactly), [&] { result.rows = ScaledRows(result.scaling, inputs); });
  return result;
}

}  // namespace slackline::internal
