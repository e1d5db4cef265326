// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/training/converted_scaling.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

void Scale(const FeatureScaling& scaling, const ScaleInputs& inputs, bool has_constant,
           const ConversionProgress& progress, ConvertedWriter* writer) {
  if (!has_constant && !scaling.active()) return;
  try {
    ChangeRows("scaling", progress, writer,
               [&](std::span<Index> columns, std::span<double> values) {
                 if (columns.empty()) {
                   scaling.ScaleDense(values, inputs.num_features);
                   return;
                 }
                 if (has_constant) columns.back() = inputs.num_features;
                 scaling.ScaleSparse(columns, values, inputs.num_features);
               });
  } catch (const ScaleError& error) {
    throw DataError(inputs.source, 0, std::string("--scale: ") + error.what());
  }
}

}  // namespace

ConvertedValues ScaleConverted(std::optional<ScaleKind> wanted, ScaleInputs inputs,
                               bool has_constant, const ConversionProgress& progress,
                               ConvertedWriter* writer) {
  progress("learning scales", writer->num_examples());
  inputs.rows = writer->Rows();
  ChosenScaling chosen = ChooseScaling(wanted, inputs);
  inputs.rows.reset();
  Scale(chosen.scaling, inputs, has_constant, progress, writer);
  return {std::move(chosen.scaling), std::move(chosen.line), std::move(chosen.warnings), 0, {}};
}

ScaledInputs ScalingOfConverted(std::optional<ScaleKind> wanted, const ConvertedValues& values,
                                const std::string& source,
                                std::shared_ptr<const FeatureRows> rows) {
  if (wanted && *wanted != values.scaling.kind()) {
    const std::string name(Name(*wanted));
    throw DataError("--scale: " + Quoted(name) + ", but " + source + " was converted with " +
                    Quoted(Name(values.scaling.kind())) +
                    ": convert the data again, with --scale " + name);
  }
  return {{values.scaling, values.scaling_line, values.warnings}, std::move(rows)};
}

RecordTexts WithConversion(const ConvertedValues* values, RecordTexts texts) {
  if (values == nullptr) return texts;
  for (const auto& option : values->options) {
    const auto same = std::find_if(texts.options.begin(), texts.options.end(),
                                   [&](const auto& own) { return own.first == option.first; });
    if (same != texts.options.end()) {
      same->second = option.second;
    } else if (!option.second.empty()) {
      texts.options.push_back(option);
    }
  }
  return texts;
}

void AddWindows(const ConvertedValues* values, Fingerprint* context) {
  if (values == nullptr || values->window_bytes == 0) return;
  context->emplace_back("windows of the data", std::to_string(values->window_bytes));
}

}  // namespace slackline::internal
