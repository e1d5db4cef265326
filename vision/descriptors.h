// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptors of the surroundings of pixels: dense SIFT (Lowe 2004; by VLFeat) on grey and on
// opponent colours (van de Sande et al. 2010), colours, filter responses of textons (after Shotton
// et al. 2009), and local binary patterns (Ojala et al. 2002).
#pragma once

#include <string_view>
#include <vector>

#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/image.h>

namespace slackline::internal {

enum class DescriptorKind { kSift, kOpponentSift, kLab, kTexton, kPattern };

/// One kind of descriptor, and how words are made of it.
struct DescriptorSpec {
  std::string_view name;
  DescriptorKind kind;
  Index bin;    ///< of SIFT: width in pixels of each of the 4 × 4 cells
  Index step;   ///< pixels between centres
  Index size;   ///< numbers per descriptor; 0: the descriptor is a word
  Index kept;   ///< numbers after reduction; 0: no reduction
  Index words;  ///< size of the vocabulary
};
const std::vector<DescriptorSpec>& DescriptorSpecs(FeatureSet features);

inline constexpr Index kPatternWords = 59;

struct Descriptors {
  std::vector<Index> pixels;  ///< the centres of the descriptors
  std::vector<float> values;  ///< spec.size numbers per descriptor
  std::vector<Index> words;   ///< for patterns, instead of values
};

/// What descriptors are computed from. `lab` is ToLab(image).
struct DescribedImage {
  const Image& image;
  const std::vector<float>& lab;
};

/// All descriptors of one kind.
Descriptors Describe(const DescribedImage& image, const DescriptorSpec& spec);

}  // namespace slackline::internal
