// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/commands/cmd_feature_names.h>

#ifdef SLACKLINE_WITH_VISION
#include <slackline/apps/segmentation/segment_weights.h>
#include <slackline/core/check.h>
#include <slackline/vision/feature_extractor.h>
#endif

namespace slackline::internal::program {

#ifdef SLACKLINE_WITH_VISION

std::vector<std::string> FeatureNamesOf(const SegmentModel& model) {
  if (model.inputs() == SegmentInputs::kPotentials || model.extractor.empty()) return {};
  const FeatureExtractor extractor = FeatureExtractor::Load(model.extractor);
  if (extractor.dimension() != model.file_dimension())
    throw DataError("the model's feature extractor does not fit its features");
  std::vector<NamedRange> blocks;
  for (const FeatureBlock& block : extractor.blocks())
    blocks.push_back({block.name, block.begin, block.size});
  return SegmentFeatureNames(model, blocks);
}

#else

std::vector<std::string> FeatureNamesOf(const SegmentModel&) { return {}; }

#endif

}  // namespace slackline::internal::program
