// SPDX-License-Identifier: BSD-3-Clause
//
// Scaling of input vectors: linear classifiers with a common regulariser need features of similar
// size, or those of large size decide alone and training takes many passes.
//
//   standard   x_f ↦ (x_f − mean_f) / deviation_f      (sparse vectors: x_f / deviation_f)
//   max-abs    x_f ↦ x_f / max |x_f|
//   norm       x   ↦ x / ‖x‖
//
// Sparse training vectors stay sparse: they are not centred, since that would fill them. Where the
// training vectors were dense, later sparse ones are filled and centred as well. A feature that is
// constant in the training data is not divided by anything.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/feature_rows.h>

namespace slackline::internal {

enum class ScaleKind { kUnscaled, kStandard, kMaxAbs, kNorm };
/// "none", "standard", "max-abs", "norm".
std::string_view Name(ScaleKind kind);

/// A value is too large after scaling; the message names the feature.
class ScaleError : public std::invalid_argument {
 public:
  ScaleError(const std::string& message, Index row) : std::invalid_argument(message), row_(row) {}
  /// Number of the row among those that were to be scaled; 0 for a vector on its own.
  Index row() const { return row_; }

 private:
  Index row_;
};

/// A scaling of vectors with so many features. Features behind them, such as a constant, stay as
/// they are.
class FeatureScaling {
 public:
  /// Leaves everything as it is.
  FeatureScaling() = default;
  /// From all rows. Requires rows without columns beyond num_features and a constant behind them.
  /// Two sweeps over the rows.
  static FeatureScaling Learn(ScaleKind kind, const FeatureRows& rows, Index num_features);
  /// From numbers that were saved: shift and divisor have one entry per feature, or none where the
  /// kind has no such numbers (`shift` may be empty for kStandard). Throws std::invalid_argument on
  /// sizes that do not fit, numbers that are not finite, and divisors that are not positive.
  static FeatureScaling FromNumbers(ScaleKind kind, std::vector<double> shift,
                                    std::vector<double> divisor);

  ScaleKind kind() const { return kind_; }
  bool active() const { return kind_ != ScaleKind::kUnscaled; }
  /// Whether it applies to vectors with so many features.
  bool Fits(Index num_features) const {
    return divisor_.empty() || std::ssize(divisor_) == num_features;
  }
  /// Means that are subtracted; empty where nothing is.
  const std::vector<double>& shift() const { return shift_; }
  const std::vector<double>& divisor() const { return divisor_; }

  /// Scales the first num_features values of a dense vector in place. Throws ScaleError when a
  /// value becomes larger than kLargestValue (parse_number.h).
  void ScaleDense(std::span<double> values, Index num_features) const;
  /// The same for a sparse vector: values[k] belongs to columns[k]. Requires that shift() is empty.
  void ScaleSparse(std::span<const Index> columns, std::span<double> values,
                   Index num_features) const;
  /// All rows, in their order; sparse ones become dense where shift() is not empty. Throws
  /// ScaleError.
  std::shared_ptr<const FeatureRows> Apply(const FeatureRows& rows, Index num_features) const;

 private:
  ScaleKind kind_ = ScaleKind::kUnscaled;
  std::vector<double> shift_;
  std::vector<double> divisor_;
};

/// What the features look like, and the kind of scaling that they need.
struct ScaleAdvice {
  ScaleKind kind = ScaleKind::kUnscaled;
  /// Sizes of features (root mean square of their values other than 0): smallest, the middle one
  /// (geometrically), largest; 0 without any value.
  double smallest = 0, middle = 0, largest = 0;
  Index smallest_feature = -1, largest_feature = -1;
  /// Whether features differ among each other, and not from the constant alone.
  bool differ = false;
};

/// kUnscaled when features have similar sizes, and a constant 1 beside them, which models have,
/// too: the largest is at most kSimilarSizes times the middle one, nineteen of twenty are at least
/// the middle one divided by that; the middle one is at most kLargestMiddle, and vectors have a
/// root mean square length of at least kShortestLength. Otherwise kStandard, for sparse rows
/// kMaxAbs. One sweep.
inline constexpr double kSimilarSizes = 20;
inline constexpr double kLargestMiddle = 5;
inline constexpr double kShortestLength = 0.25;
ScaleAdvice AdviseScaling(const FeatureRows& rows, Index num_features);

}  // namespace slackline::internal
