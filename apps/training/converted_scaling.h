// SPDX-License-Identifier: BSD-3-Clause
//
// Training on converted data (apps/converted), whose rows are scaled in their file.
#pragma once

#include <optional>
#include <string_view>

#include <slackline/apps/converted/converted_values.h>
#include <slackline/apps/converted/converted_writer.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/learning/run/fingerprint.h>

namespace slackline::internal {

/// Rows between two calls of ConversionProgress.
inline constexpr Index kRowsPerCall = 1024;

/// A ConvertedWriter::Change that reports its progress.
template <class Function>
void ChangeRows(std::string_view stage, const ConversionProgress& progress, ConvertedWriter* writer,
                const Function& change) {
  Index row = 0;
  writer->Change([&](std::span<Index> columns, std::span<double> values) {
    if (row % kRowsPerCall == 0) progress(stage, row);
    ++row;
    change(columns, values);
  });
}

/// Learns a scaling of the rows that were written, and scales them. inputs: without rows. With a
/// constant, the last column of every sparse row becomes num_features. Throws DataError when scaled
/// values would be too large.
ConvertedValues ScaleConverted(std::optional<ScaleKind> wanted, ScaleInputs inputs,
                               bool has_constant, const ConversionProgress& progress,
                               ConvertedWriter* writer);

/// The scaling that converted data have. Throws DataError when another one is wanted.
ScaledInputs ScalingOfConverted(std::optional<ScaleKind> wanted, const ConvertedValues& values,
                                const std::string& source, std::shared_ptr<const FeatureRows> rows);

/// Gives the record of a model the texts that training on the original text would give: options of
/// the conversion replace those with the same name, and others are added, if they have a text.
/// values: null for data that are not converted.
RecordTexts WithConversion(const ConvertedValues* values, RecordTexts texts);

/// Adds the windows of converted data to the context of a run, since the order of visits depends on
/// them. values: null for data that are not converted.
void AddWindows(const ConvertedValues* values, Fingerprint* context);

}  // namespace slackline::internal
