// SPDX-License-Identifier: BSD-3-Clause
//
// Names of the features of segmentation models. Part of the program only.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/segmentation/segment_model.h>

namespace slackline::internal::program {

/// By the blocks of the model's extractor; empty for models of potentials, and where the program is
/// built without image segmentation. Throws DataError when the extractor is damaged or does not
/// fit.
std::vector<std::string> FeatureNamesOf(const SegmentModel& model);

}  // namespace slackline::internal::program
