// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_scale.h>

#include <CLI/CLI.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

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
    return "features have sizes around " + Number(advice.middle, 3) + " next to a constant of 1";
  return "sizes of features reach from " + Number(advice.smallest, 3) + " (" +
         Quoted(inputs.name(advice.smallest_feature)) + ") to " + Number(advice.largest, 3) + " (" +
         Quoted(inputs.name(advice.largest_feature)) + ")";
}

}  // namespace

void ScaleFlag::Register(CLI::App* app) {
  AddTextOption(app, "scale", &scale, "auto|none|standard|max-abs|norm",
                "scaling of the features, kept in the model. standard: to mean 0 and standard "
                "deviation 1 (sparse data are not centred). max-abs: division by the largest "
                "absolute value. norm: division of every input by its length. auto: none if "
                "features have similar sizes; else standard, or max-abs for sparse data",
                "auto");
}

std::optional<ScaleKind> ScaleFlag::Read() const {
  constexpr ScaleKind kKinds[] = {ScaleKind::kUnscaled, ScaleKind::kStandard, ScaleKind::kMaxAbs,
                                  ScaleKind::kNorm};
  std::vector<std::string_view> names = {"auto"};
  for (const ScaleKind kind : kKinds) names.push_back(Name(kind));
  const std::size_t choice = CheckChoice("scale", scale, names);
  if (choice == 0) return std::nullopt;
  return kKinds[choice - 1];
}

ScaledInputs ScaleForTraining(std::optional<ScaleKind> wanted, const ScaleInputs& inputs) {
  const ScaleAdvice advice = AdviseScaling(*inputs.rows, inputs.num_features);
  const bool differ = advice.kind != ScaleKind::kUnscaled;
  ScaledInputs result;
  try {
    result.scaling =
        FeatureScaling::Learn(wanted.value_or(advice.kind), *inputs.rows, inputs.num_features);
    result.rows = result.scaling.active() ? result.scaling.Apply(*inputs.rows, inputs.num_features)
                                          : inputs.rows;
  } catch (const ScaleError& error) {
    throw DataError(inputs.source, 0, std::string("--scale: ") + error.what());
  }
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

}  // namespace slackline::internal::program
