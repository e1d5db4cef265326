// SPDX-License-Identifier: BSD-3-Clause
//
// The two-layer segmentation model (docs/notation.md, section 8). An image is divided into
// superpixels twice; every fine and every coarse superpixel is a variable whose states are the K
// classes.
//   φ_i(x, y)  = (x_i, 1) in row y of "fine" or "coarse", with own weights per class; or, where the
//              inputs are class potentials,
//                x_{i,y} in row y of "class", one weight per class for both layers (the paper's
//                form: with Potts links d = K + 1)
//   link       fine i and the coarse j that contains it: one weight per pair of classes (table),
//              [y_i ≠ y_j] (Potts), or [y_i = y_j = k] for every class k (agreement)
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
#include <slackline/core/ranks.h>
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
enum class SegmentPairwise { kPotts, kTable, kAgreement };  ///< of the links between layers
/// kPixels: a wrong superpixel costs its share of the image's labelled pixels, in each layer.
/// kBalanced: this cost times the mean number of pixels of a class over that of the true class.
enum class SegmentLoss { kPixels, kBalanced };
std::string_view Name(SegmentInputs inputs);
std::string_view Name(SegmentLayers layers);
std::string_view Name(SegmentPairwise pairwise);
std::string_view Name(SegmentLoss loss);

/// Upper ends of the ranges of contrast (distance of mean Lab colours); the last range is open.
inline constexpr std::array<float, 7> kContrastEnds = {2, 4, 7, 11, 16, 23, 33};
inline constexpr Index kContrastBins = static_cast<Index>(kContrastEnds.size()) + 1;

/// Which superpixels of an image touch, and which coarse superpixel contains each fine one.
struct SegmentGraph {
  struct Border {
    Index first, second;  ///< fine superpixels
    float contrast;
  };
  Index num_fine = 0;
  Index num_coarse = 0;
  std::vector<Index> parent;  ///< per fine superpixel the number of a coarse one
  std::vector<Border> neighbours;
};

/// A prepared image for training. Numbers of pixels are per superpixel and class, by rows, without
/// void.
struct SegmentExample {
  SegmentGraph graph;
  Index first_row = 0;             ///< of the feature rows: fine superpixels, then coarse ones
  std::vector<double> potentials;  ///< instead of rows, per superpixel and class in the same order
  std::vector<std::int64_t> fine_pixels, coarse_pixels;
};

/// Per superpixel the class with the most pixels (the lowest of equals), or kUnlabelled without
/// any.
std::vector<Index> MajorityLabels(std::span<const std::int64_t> pixels, Index num_classes);

/// A range of the features in the file that the model was trained on.
struct FeatureRange {
  Index begin = 0;
  Index size = 0;

  bool operator==(const FeatureRange&) const = default;
};

class SegmentModel {
 public:
  /// A model with all weights zero. Requires 2 … 255 distinct class names, and ranges that are
  /// non-empty, in order, disjoint, and within file_dimension; else throws std::invalid_argument.
  SegmentModel(std::vector<std::string> classes, Index file_dimension,
               std::vector<FeatureRange> ranges, SegmentLayers layers, SegmentPairwise pairwise);
  /// A model of class potentials, which has no features, ranges or columns.
  static SegmentModel OfPotentials(std::vector<std::string> classes, SegmentLayers layers,
                                   SegmentPairwise pairwise);

  SegmentInputs inputs() const { return inputs_; }
  const std::vector<std::string>& classes() const { return classes_; }
  Index num_classes() const { return static_cast<Index>(classes_.size()); }
  SegmentLayers layers() const { return layers_; }
  SegmentPairwise pairwise() const { return pairwise_; }
  Index file_dimension() const { return file_dimension_; }
  const std::vector<FeatureRange>& ranges() const { return ranges_; }
  /// Number of features of a superpixel; 0 for potentials.
  Index num_features() const { return inputs_ == SegmentInputs::kFeatures ? num_columns_ - 1 : 0; }
  /// Length of an input row: the features in the ranges, and the constant 1.
  Index num_columns() const { return num_columns_; }
  const std::shared_ptr<const WeightLayout>& layout() const { return layout_; }

  /// The scaling of the features of superpixels; SelectFeatures applies it.
  const FeatureScaling& scaling() const { return scaling_; }
  /// Requires the numbers of every feature.
  void set_scaling(FeatureScaling scaling);

  /// Writes `row` (num_columns), scaled, from the superpixel's features in the file
  /// (file_dimension). Throws ScaleError.
  void SelectFeatures(std::span<const double> features, std::span<double> row) const;

  /// The structure of an image: the fine superpixels with keep_fine, then the coarse ones (empty =
  /// all of them). Its inputs are the rows of all superpixels, kept or not: first the fine ones,
  /// then the coarse ones if the model has any.
  std::shared_ptr<const Structure> MakeStructure(const SegmentGraph& graph,
                                                 const std::vector<bool>& keep_fine,
                                                 const std::vector<bool>& keep_coarse) const;
  /// The block of the weights of features per class, for the fine or the coarse layer.
  Index class_block(bool fine) const { return fine ? fine_block_ : coarse_block_; }
  /// Whether the model has coarse variables.
  bool has_coarse() const { return layers_ != SegmentLayers::kFine; }

  const std::vector<double>& weights() const { return weights_; }
  /// Requires as many finite weights as the layout has.
  void set_weights(std::vector<double> weights);

  /// The values that mean void in label images, in ascending order; the other values are the
  /// classes in order. 255 by default.
  const std::vector<std::int64_t>& void_values() const { return void_values_; }
  /// Requires distinct values 0 … 255 in ascending order that leave enough values for the classes.
  void set_void_values(std::vector<std::int64_t> values);

  /// What FeatureExtractor::Save returned (vision/feature_extractor.h); empty for potentials.
  std::string extractor;
  TrainingRecord record;

  void Save(const std::string& path) const { File().Save(path); }
  /// The contents of that file.
  ModelWriter File() const;
  /// Throws DataError when the file is damaged, not a model, or of another task, or when its
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

/// What a model knows of images apart from their classes.
struct SavedImageFormat {
  Index dimension = 0;  ///< file_dimension()
  std::vector<FeatureRange> ranges;
  std::string extractor;
  std::vector<std::int64_t> void_values = {255};

  bool operator==(const SavedImageFormat&) const = default;
};
/// Adds the entries of a model that LoadImageFormat reads.
void SaveImageFormat(const SegmentModel& model, ModelWriter* writer);
/// Throws DataError when entries are missing, or contradict each other. features: whether the model
/// reads features; otherwise there are no ranges.
SavedImageFormat LoadImageFormat(const ModelEntries& entries, std::size_t num_classes,
                                 bool features);
/// Throws DataError unless these are 2 … 255 distinct names of classes.
void RequireClasses(const ModelEntries& entries, const std::string& entry,
                    const std::vector<std::string>& classes);

/// The entry "task" of the model files of this class.
inline constexpr std::string_view kSegmentTask = "segmentation";

/// The training problem. Superpixels without labelled pixels are left out with their links
/// (docs/notation.md, section 1), images without labelled pixels are skipped. `rows` have the
/// model's columns. Throws std::invalid_argument when arguments do not fit. With several ranks, all
/// of them must call it, each with its own images; the classes are counted on all images.
TrainingSet MakeSegmentTraining(const SegmentModel& model,
                                const std::vector<SegmentExample>& examples,
                                const std::shared_ptr<const FeatureRows>& rows, SegmentLoss loss,
                                Ranks& ranks = OneRank());

/// A default λ, rounded to three digits. scales: of the problem. For features: R²/(80 ℓ), with R²
/// the mean squared norm of a row and ℓ the mean loss of a wrong superpixel, which is 1/n with n
/// superpixels per image. Unlike the default of other models, it does not decrease with the number
/// of images: superpixels of an image are similar, and measurements with 55 and 335 images agree
/// (docs/notebook/defaults.md). For potentials: four times their mean square. exactly: null, or the
/// ranks that train together, each with its own images; all must call it and get the same λ.
double DefaultSegmentLambda(const SegmentModel& model, const std::vector<SegmentExample>& examples,
                            const CostScales& scales, Ranks* exactly = nullptr);

/// The class of every fine superpixel, and a bound on the value of all labellings.
struct SegmentPrediction {
  std::vector<Index> fine;
  double value = 0;        ///< the score of the labelling
  double upper_bound = 0;  ///< on all labellings

  /// Whether the labelling is proven optimal, up to rounding errors.
  bool certified() const { return upper_bound - value <= 1e-9 * (1 + std::abs(value)); }
};
/// Predicts an image; the numbers of its pixels may be unknown. `rows`: num_columns numbers each,
/// for a model of features.
SegmentPrediction PredictSegments(const SegmentModel& model, const SegmentExample& example,
                                  const std::shared_ptr<const FeatureRows>& rows,
                                  DecodeKind decode);

/// The class scores of `count` superpixels of a layer, without links: count × num_classes. Their
/// features begin at row first_row.
std::vector<double> ClassScores(const SegmentModel& model, bool fine, const FeatureRows& rows,
                                Index first_row, Index count);

}  // namespace slackline::internal
