// SPDX-License-Identifier: BSD-3-Clause
//
// Files of prepared images: classes, extractor, and for every image the superpixels' features (half
// precision), parents, neighbours and labelled pixels. Files are memory-mapped and may be larger
// than memory. Layout: docs/reference/feature_file.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/half.h>

namespace slackline::internal {

inline constexpr std::uint32_t kFeatureFileVersion = 2;

enum class ImageRole : std::uint8_t { kTrain = 0, kTest = 1 };

/// One prepared image: a view into the memory map.
struct PreparedImage {
  std::string_view name;
  ImageRole role = ImageRole::kTrain;
  Index width = 0;
  Index height = 0;
  Index num_fine = 0;
  Index num_coarse = 0;
  std::span<const std::int32_t> parent;       ///< num_fine
  std::span<const NeighbourPair> neighbours;  ///< of fine superpixels
  /// num_fine × (classes + 1): number of pixels of each class, void last.
  std::span<const std::int32_t> fine_pixels;
  std::span<const std::int32_t> coarse_pixels;     ///< num_coarse × (classes + 1)
  std::span<const std::uint16_t> fine_features;    ///< num_fine × dimension, IEEE half precision
  std::span<const std::uint16_t> coarse_features;  ///< num_coarse × dimension
};

class FeatureFile {
 public:
  /// Throws DataError when the file is missing, not a feature file, of a newer version, truncated
  /// or damaged. The checksums cover everything except the features, which CheckFeatures checks.
  explicit FeatureFile(const std::string& path);
  ~FeatureFile();
  FeatureFile(const FeatureFile&) = delete;
  FeatureFile& operator=(const FeatureFile&) = delete;

  const std::vector<std::string>& classes() const;
  /// The coding of the label images that the file was made from.
  const LabelCoding& coding() const;
  Index dimension() const;
  const std::vector<FeatureBlock>& blocks() const;
  /// What FeatureExtractor::Save returned for the extractor that made the file.
  std::string_view extractor() const;

  Index num_images() const;
  PreparedImage image(Index i) const;
  /// Throws DataError when the checksum of the image's features does not match.
  void CheckFeatures(Index i) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a feature file image by image. The file appears with Finish, complete, or not at all.
class FeatureFileWriter {
 public:
  /// Throws DataError when the file cannot be written.
  FeatureFileWriter(const std::string& path, std::vector<std::string> classes, Index dimension,
                    const std::vector<FeatureBlock>& blocks, std::string_view extractor);
  ~FeatureFileWriter();
  FeatureFileWriter(const FeatureFileWriter&) = delete;
  FeatureFileWriter& operator=(const FeatureFileWriter&) = delete;

  /// Stores what the values of label images meant; without this call they are class numbers. At
  /// most once, before Finish.
  void SetCoding(const LabelCoding& coding);
  /// Appends an image; `labels` has its size.
  void Add(const std::string& name, ImageRole role, const ImageFeatures& features,
           const LabelImage& labels);
  void Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slackline::internal
