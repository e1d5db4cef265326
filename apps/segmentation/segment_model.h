// SPDX-License-Identifier: BSD-3-Clause
//
// The two-layer segmentation model (docs/notation.md, section 8). An image is cut twice into
// superpixels; every fine and every coarse one is a variable whose states are the K classes.
//   φ_i(x, y)  = (x_i, 1) in row y of "fine" or "coarse", with own weights per class; or, where the
//              inputs are class potentials,
//                x_{i,y} in row y of "class", one weight per class for both layers (the paper's
//                form: with Potts links d = K + 1)
//   link       fine i and the coarse j that contains it: one weight per pair of classes (table), or
//              [y_i ≠ y_j] (Potts)
//   neighbours fine i and i': [y_i ≠ y_i'], with a weight for each of kContrastBins ranges of the
//   contrast across their border
// Without neighbour links the graph is a forest of stars; with them it has cycles. Source: Meshi,
// Srebro, Hazan, "Efficient training of structured SVMs via soft constraints", AISTATS 2015,
// section 6.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/common/training_record.h>
#include <slackline/core/dataset.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/loss.h>
#include <slackline/core/structure.h>
#include <slackline/inference/decode.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

enum class SegmentInputs { kFeatures, kPotentials };
enum class SegmentLayers {
  kTwo,
  kFine,
  kNeighbours
};  ///< kFine: no links. kNeighbours: two layers and neighbour links
enum class SegmentPairwise { kPotts, kTable };  ///< of the links between layers
/// Pixels: a wrong superpixel costs its share of the image's labelled pixels, in each layer.
/// Balanced: times the mean number of pixels of a class over that of its true class.
enum class SegmentLoss { kPixels, kBalanced };
std::string_view Name(SegmentInputs inputs);
std::string_view Name(SegmentLayers layers);
std::string_view Name(SegmentPairwise pairwise);
std::string_view Name(SegmentLoss loss);

/// Upper ends of the ranges of contrast (distance of mean Lab colours); the last range has none.
inline constexpr std::array<float, 7> kContrastEnds = {2, 4, 7, 11, 16, 23, 33};
inline constexpr Index kContrastBins = static_cast<Index>(kContrastEnds.size()) + 1;

/// Which superpixels of an image touch, and which contain which.
struct SegmentGraph {
  struct Border {
    Index first, second;  ///< fine superpixels
    float contrast;
  };
  Index num_fine = 0;
  Index num_coarse = 0;
  std::vector<Index> parent;  ///< per fine superpixel: a coarse one
  std::vector<Border> neighbours;
};

/// A prepared image for training. Pixels: per superpixel and class, row by row, without void.
struct SegmentExample {
  SegmentGraph graph;
  Index first_row = 0;             ///< of its feature rows: fine superpixels, then coarse ones
  std::vector<double> potentials;  ///< or these, per superpixel and class in the same order
  std::vector<std::int64_t> fine_pixels, coarse_pixels;
};

/// The class with most pixels (the lowest of equals), or kUnlabelled where there are none.
std::vector<Index> MajorityLabels(std::span<const std::int64_t> pixels, Index num_classes);

/// A range of the features of the file that the model was trained on.
struct FeatureRange {
  Index begin = 0;
  Index size = 0;
};

class SegmentModel {
 public:
  /// All weights zero. Requires 2 … 255 different class names, ranges that are not empty, in order
  /// and apart, within file_dimension; else std::invalid_argument.
  SegmentModel(std::vector<std::string> classes, Index file_dimension,
               std::vector<FeatureRange> ranges, SegmentLayers layers, SegmentPairwise pairwise);
  /// A model of class potentials: no features, no ranges, no columns.
  static SegmentModel OfPotentials(std::vector<std::string> classes, SegmentLayers layers,
                                   SegmentPairwise pairwise);

  SegmentInputs inputs() const { return inputs_; }
  const std::vector<std::string>& classes() const { return classes_; }
  Index num_classes() const { return static_cast<Index>(classes_.size()); }
  SegmentLayers layers() const { return layers_; }
  SegmentPairwise pairwise() const { return pairwise_; }
  Index file_dimension() const { return file_dimension_; }
  const std::vector<FeatureRange>& ranges() const { return ranges_; }
  /// Features of a superpixel, none for potentials.
  Index num_features() const { return inputs_ == SegmentInputs::kFeatures ? num_columns_ - 1 : 0; }
  /// Length of an input row: the features in the ranges, and the constant 1.
  Index num_columns() const { return num_columns_; }
  const std::shared_ptr<const WeightLayout>& layout() const { return layout_; }

  /// Of the features of superpixels; SelectFeatures applies it.
  const FeatureScaling& scaling() const { return scaling_; }
  /// Requires numbers for every feature.
  void set_scaling(FeatureScaling scaling);

  /// `row` (num_columns), scaled, from the superpixel's features in the file (file_dimension).
  /// Throws ScaleError.
  void SelectFeatures(std::span<const double> features, std::span<double> row) const;

  /// The structure of an image: its fine superpixels for which keep_fine is true, then the coarse
  /// ones (empty = all). Its inputs are those of all superpixels, whatever is kept: the fine ones,
  /// then the coarse ones where the model has them.
  std::shared_ptr<const Structure> MakeStructure(const SegmentGraph& graph,
                                                 const std::vector<bool>& keep_fine,
                                                 const std::vector<bool>& keep_coarse) const;
  /// Weights of features per class, for either layer.
  Index class_block(bool fine) const { return fine ? fine_block_ : coarse_block_; }
  /// Whether the model has coarse variables.
  bool has_coarse() const { return layers_ != SegmentLayers::kFine; }

  const std::vector<double>& weights() const { return weights_; }
  /// Requires as many finite weights as the layout has.
  void set_weights(std::vector<double> weights);

  /// The values of label images that mean void, rising; the classes are the others in their order.
  /// 255 unless the training data say otherwise.
  const std::vector<std::int64_t>& void_values() const { return void_values_; }
  /// Requires different values 0 … 255 in rising order, which leave enough for the classes.
  void set_void_values(std::vector<std::int64_t> values);

  /// FeatureExtractor::Save of the extractor (vision/feature_extractor.h); empty for potentials.
  std::string extractor;
  TrainingRecord record;

  void Save(const std::string& path) const;
  /// Throws DataError when the file is no model, is damaged, belongs to another task, or its
  /// entries contradict each other.
  static SegmentModel Load(ModelReader file);
  static SegmentModel Load(const std::string& path) { return Load(ModelReader(path)); }

 private:
  SegmentModel(SegmentInputs inputs, std::vector<std::string> classes, Index file_dimension,
               std::vector<FeatureRange> ranges, SegmentLayers layers, SegmentPairwise pairwise);

  SegmentInputs inputs_;
  std::vector<std::string> classes_;
  std::vector<std::int64_t> void_values_ = {255};
  Index file_dimension_;
  std::vector<FeatureRange> ranges_;
  SegmentLayers layers_;
  SegmentPairwise pairwise_;
  FeatureScaling scaling_;
  Index num_columns_ = 0;
  Index fine_block_ = 0, coarse_block_ = 0, link_block_ = 0, neighbour_block_ = 0;
  std::shared_ptr<const WeightLayout> layout_;
  std::vector<double> weights_;
};

/// The entry "task" of the model files of this class.
inline constexpr std::string_view kSegmentTask = "segmentation";

/// The training problem: superpixels without labelled pixels are left out with their links
/// (docs/notation.md, section 1), images without labelled pixels are skipped. `rows` have the
/// model's columns. Throws std::invalid_argument when they do not fit.
TrainingSet MakeSegmentTraining(const SegmentModel& model,
                                const std::vector<SegmentExample>& examples,
                                const std::shared_ptr<const FeatureRows>& rows, SegmentLoss loss);

/// A λ to begin with, to three digits; scales: of the problem. Of features: R²/(80 ℓ), R² the mean
/// squared norm of a row and ℓ the mean loss of a wrong superpixel, 1/n with n superpixels an
/// image. It does not fall with the number of images, as that of other models does: superpixels of
/// an image are alike, and measurements with 55 and 335 images agree (docs/notebook/defaults.md).
/// Of potentials: four times their mean square.
double DefaultSegmentLambda(const SegmentModel& model, const std::vector<SegmentExample>& examples,
                            const CostScales& scales);

/// The class of every fine superpixel, and a bound.
struct SegmentPrediction {
  std::vector<Index> fine;
  double value = 0;        ///< of the labelling
  double upper_bound = 0;  ///< certified for all labellings

  /// Whether no labelling is better, but for rounding errors.
  bool certified() const { return upper_bound - value <= 1e-9 * (1 + std::abs(value)); }
};
/// Of an image whose pixels need not be known. rows: num_columns each, for a model of features.
SegmentPrediction PredictSegments(const SegmentModel& model, const SegmentExample& example,
                                  const std::shared_ptr<const FeatureRows>& rows,
                                  DecodeKind decode);

/// Scores of every class for `count` superpixels of a layer by their own features, from row
/// first_row on: count × num_classes, without links.
std::vector<double> ClassScores(const SegmentModel& model, bool fine, const FeatureRows& rows,
                                Index first_row, Index count);

}  // namespace slackline::internal
