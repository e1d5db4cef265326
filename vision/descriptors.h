// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptors of the surroundings of pixels: dense SIFT (Lowe 2004; by VLFeat) on grey and on
// opponent colours (van de Sande et al. 2010), colours, textons' filter responses (after Shotton et
// al. 2009), local binary patterns (Ojala et al. 2002).
#pragma once

#include <string_view>
#include <vector>

#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/image.h>

namespace slackline::internal {

enum class DescriptorKind { kSift, kOpponentSift, kLab, kTexton, kPattern };

/// One kind of descriptor, and how its words are made.
struct DescriptorSpec {
  std::string_view name;
  DescriptorKind kind;
  Index bin;    ///< of SIFT: pixels of one of its 4 × 4 cells
  Index step;   ///< between centres
  Index size;   ///< numbers of a descriptor; 0: it is a word already
  Index kept;   ///< numbers after reduction; 0: no reduction
  Index words;  ///< of the vocabulary
};
const std::vector<DescriptorSpec>& DescriptorSpecs(FeatureSet features);

inline constexpr Index kPatternWords = 59;

struct Descriptors {
  std::vector<Index> pixels;  ///< their centres
  std::vector<float> values;  ///< spec.size for each
  std::vector<Index> words;   ///< instead of values, for patterns
};

/// What descriptors are made from. `lab` is ToLab(image).
struct DescribedImage {
  const Image& image;
  const std::vector<float>& lab;
};

/// All descriptors of one kind.
Descriptors Describe(const DescribedImage& image, const DescriptorSpec& spec);

}  // namespace slackline::internal
