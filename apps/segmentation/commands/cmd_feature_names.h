// SPDX-License-Identifier: BSD-3-Clause
//
// Names of the features of segmentation models. Part of the program only.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/segmentation/segment_model.h>

namespace slackline::internal::program {

/// Names by the blocks of the model's extractor. Empty for models of potentials, and if the program
/// is built without image segmentation. Throws DataError when the extractor is damaged or does not
/// fit.
std::vector<std::string> FeatureNamesOf(const SegmentModel& model);

}  // namespace slackline::internal::program
