// SPDX-License-Identifier: BSD-3-Clause
//
// A model of any task, and what `info` and `report` show of it. Part of the program only.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/common/weight_summary.h>
#include <slackline/apps/linear/linear_model.h>
#include <slackline/apps/matching/matching_model.h>
#include <slackline/apps/multiclass/multiclass_model.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/sequence/sequence_model.h>

namespace slackline::internal::program {

using AnyModel = std::variant<MultiLabelModel, SequenceModel, SegmentModel, MatchingModel,
                              MulticlassModel, LinearModel>;

/// Loads the model of the task that the file names. Throws DataError.
AnyModel LoadAnyModel(ModelReader file);

const TrainingRecord& RecordOf(const AnyModel& model);

/// Name and text of each line of `info`.
using FactLines = std::vector<std::pair<std::string, std::string>>;
FactLines FactsOf(const AnyModel& model);
/// The entry "cross_validation" of FactsJson. Requires record.known().
Json CrossValidationJson(const CrossValidationRecord& record);
/// The JSON object that `info --json` writes.
Json FactsJson(const AnyModel& model);

/// The weights of the model by name. Throws DataError when a segmentation model's extractor is
/// damaged.
WeightSummary WeightsOf(const AnyModel& model, const WeightSummaryOptions& options);

}  // namespace slackline::internal::program
