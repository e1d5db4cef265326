// SPDX-License-Identifier: BSD-3-Clause
//
// What a FeatureExtractor has learned, and the steps from an image to rows of histograms.
#pragma once

#include <string>
#include <vector>

#include <slackline/vision/descriptors.h>
#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/region_histograms.h>
#include <slackline/vision/shape_values.h>
#include <slackline/vision/vocabulary.h>

namespace slackline::internal {

/// An image, its Lab colours and the image that descriptors are computed from: a smaller copy where
/// the image has more than kMostDescribedPixels pixels.
class WorkingImage {
 public:
  explicit WorkingImage(const Image& image);

  DescribedImage described() const {
    return {factor_ > 1 ? small_ : image_, factor_ > 1 ? small_lab_ : lab_};
  }
  const std::vector<float>& lab() const { return lab_; }
  const Image& image() const { return image_; }
  /// The superpixel at each pixel of described().image.
  std::vector<Index> SuperpixelOfDescribed(const Superpixels& superpixels) const;

 private:
  const Image& image_;
  std::vector<float> lab_;
  Index factor_ = 1;
  Image small_;
  std::vector<float> small_lab_;
};

/// The words of one kind of descriptor in one image.
struct ImageWords {
  Index num_words = 0;
  std::vector<Index> pixels;  ///< of the described image
  std::vector<Index> words;
};

/// A linear map from the rows of a region, or from shape values, to a block of features.
struct BlockMap {
  std::vector<float> mean;  ///< of the rows
  std::vector<float> axes;  ///< features × length of a row
  float scale = 0;
  PackedColumns packed;

  Index inputs() const { return static_cast<Index>(mean.size()); }
  Index outputs() const { return static_cast<Index>(axes.size() / mean.size()); }
  /// Computes `packed` from the other members.
  void Pack();
};

/// The histograms of one layer of superpixels, by Region and kind of descriptor. Region::kImage has
/// a single row.
using LayerRows = std::array<std::vector<std::vector<float>>, kRegionNames.size()>;

struct ExtractorState {
  const std::vector<DescriptorSpec>& specs() const { return DescriptorSpecs(options.features); }
  std::size_t num_maps() const { return kRegionNames.size() * specs().size() + 1; }

  std::vector<ImageWords> FindWords(const WorkingImage& working, const StepCheck& check) const;
  static LayerRows MakeRows(const WorkingImage& working, const Superpixels& superpixels,
                            const std::vector<NeighbourPair>& neighbours,
                            const std::vector<ImageWords>& words);
  /// The feature rows of one layer.
  std::vector<float> Features(const WorkingImage& working, const Superpixels& superpixels,
                              const std::vector<NeighbourPair>& neighbours,
                              const std::vector<ImageWords>& words) const;
  /// Sets blocks and dimension from `maps`.
  void NameBlocks();

  ExtractorOptions options;
  std::vector<Vocabulary> vocabularies;  ///< by kind of descriptor; empty for patterns
  std::vector<BlockMap> maps;  ///< by region and then kind of descriptor; shape values last
  std::vector<FeatureBlock> blocks;
  Index dimension = 0;
};

struct FeatureExtractor::State : ExtractorState {};

}  // namespace slackline::internal
