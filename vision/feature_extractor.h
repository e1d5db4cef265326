// SPDX-License-Identifier: BSD-3-Clause
//
// From an image to superpixels with feature vectors: histograms of visual words and simple
// statistics, reduced by principal components. Vocabularies and components are learned from
// training images and stored in models.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/vision/step_check.h>
#include <slackline/vision/superpixels.h>

namespace slackline::internal {

enum class FeatureSet {
  kStandard,  ///< all descriptors, over the superpixel itself, its neighbours and the whole image
  kSmall      ///< fewer and smaller vocabularies: for tests and small machines
};

struct ExtractorOptions {
  Index fine = 200;  ///< superpixels per image, about
  Index coarse = 30;
  bool at_most = false;  ///< never more superpixels than these numbers
  FeatureSet features = FeatureSet::kStandard;
  std::uint64_t seed = 1;
};

/// Consecutive features of one kind.
struct FeatureBlock {
  /// "region/descriptor", for example "own/sift4", "neighbours/lab", "image/texton", "own/shape".
  std::string name;
  Index begin = 0;
  Index size = 0;
};

/// The superpixels and features of an image, without labels.
struct ImageFeatures {
  Superpixels fine, coarse;
  std::vector<Index> parent;              ///< per fine superpixel the number of a coarse one
  std::vector<NeighbourPair> neighbours;  ///< of fine superpixels
  /// fine.count × dimension, rounded to half precision (vision/half.h).
  std::vector<float> fine_rows;
  std::vector<float> coarse_rows;  ///< coarse.count × dimension, rounded likewise
};

/// Functions called during learning; either may be empty. An exception of either ends the learning.
struct LearnProgress {
  /// Receives (images done, images in all), from one thread at a time. Learning reads each image
  /// twice and counts both times.
  std::function<void(Index, Index)> image;
  StepCheck check;
};

/// Returns the image of a number.
using ImageSource = std::function<Image(Index)>;

class FeatureExtractor {
 public:
  /// Learns vocabularies and components from these images only. The result depends on the images,
  /// their order and the options, not on `threads`. Throws DataError for the first image that
  /// cannot be read, std::invalid_argument when there are no images.
  static FeatureExtractor Learn(const std::vector<std::string>& image_paths,
                                const ExtractorOptions& options, int threads,
                                const LearnProgress& progress);
  /// The same from `num_images` images that `image` returns, from several threads at once; learning
  /// asks for each of them twice.
  static FeatureExtractor Learn(Index num_images, const ImageSource& image,
                                const ExtractorOptions& options, int threads,
                                const LearnProgress& progress);

  /// The bytes of a learned extractor. Load throws DataError when they are damaged.
  std::string Save() const;
  static FeatureExtractor Load(std::string_view bytes);

  FeatureExtractor(FeatureExtractor&&) noexcept;
  FeatureExtractor& operator=(FeatureExtractor&&) noexcept;
  ~FeatureExtractor();

  /// The features of an image of any size ≥ 1 × 1. Deterministic. Several threads may call this
  /// function at once. Descriptors of images of more than 320 000 pixels come from a copy reduced
  /// by an integer factor, which bounds time and memory; objects shrink by the same factor.
  /// Features equal those of a feature file bit for bit.
  ImageFeatures Extract(const Image& image, const StepCheck& check = nullptr) const;

  const ExtractorOptions& options() const;
  /// Length of a feature vector, the same for fine and coarse superpixels.
  Index dimension() const;
  const std::vector<FeatureBlock>& blocks() const;

 private:
  struct State;
  explicit FeatureExtractor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace slackline::internal
