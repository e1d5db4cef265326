// SPDX-License-Identifier: BSD-3-Clause
//
// Scaling of input vectors: linear classifiers with a common regulariser need features of similar
// size. Otherwise large features dominate, and training takes many passes.
//
//   standard   x_f ↦ (x_f − mean_f) / deviation_f      (sparse vectors: x_f / deviation_f)
//   max-abs    x_f ↦ x_f / max |x_f|
//   norm       x   ↦ x / ‖x‖
//
// Sparse training vectors stay sparse: they are not centred, since that would fill them. Where the
// training vectors were dense, later sparse ones are filled and centred as well. A feature that is
// constant in the training data keeps the divisor 1.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

enum class ScaleKind { kUnscaled, kStandard, kMaxAbs, kNorm };
/// "none", "standard", "max-abs", "norm".
std::string_view Name(ScaleKind kind);

/// Thrown when a value is too large after scaling; the message names the feature.
class ScaleError : public std::invalid_argument {
 public:
  ScaleError(const std::string& message, Index row) : std::invalid_argument(message), row_(row) {}
  /// Number of the row among the rows being scaled; 0 for a single vector.
  Index row() const { return row_; }

 private:
  Index row_;
};

/// A scaling of the first num_features features of vectors. Features after these, such as a
/// constant, stay unchanged.
class FeatureScaling {
 public:
  /// Scales nothing.
  FeatureScaling() = default;
  /// Learns the scaling from all rows. Features from num_features on, such as a constant, are
  /// ignored. One sweep over the rows for kMaxAbs, three for kStandard, none for the other kinds.
  ///
  /// exactly: null, or ranks that each have some of the rows. The scaling is then learned from the
  /// rows of all ranks, and all of them must call it. Sums are exact, so the bits of the scaling do
  /// not depend on how the rows are dealt to ranks and shards.
  static FeatureScaling Learn(ScaleKind kind, const FeatureRows& rows, Index num_features,
                              Ranks* exactly = nullptr);
  /// The scaling with saved numbers: `shift` and `divisor` have one entry per feature, or none
  /// where the kind has no such numbers (`shift` may be empty for kStandard). Throws
  /// std::invalid_argument on sizes that do not fit, numbers that are not finite, and divisors that
  /// are not positive.
  static FeatureScaling FromNumbers(ScaleKind kind, std::vector<double> shift,
                                    std::vector<double> divisor);

  ScaleKind kind() const { return kind_; }
  bool active() const { return kind_ != ScaleKind::kUnscaled; }
  /// Whether the scaling applies to vectors with num_features features.
  bool Fits(Index num_features) const {
    return divisor_.empty() || std::ssize(divisor_) == num_features;
  }
  /// The means that are subtracted; empty if no means are subtracted.
  const std::vector<double>& shift() const { return shift_; }
  const std::vector<double>& divisor() const { return divisor_; }

  /// Scales the first num_features values of a dense vector in place. Throws ScaleError when a
  /// value becomes larger than kLargestValue (parse_number.h), and std::invalid_argument when the
  /// scaling has too few features.
  void ScaleDense(std::span<double> values, Index num_features) const;
  /// ScaleDense for a sparse vector: values[k] belongs to columns[k]. Requires that shift() is
  /// empty.
  void ScaleSparse(std::span<const Index> columns, std::span<double> values,
                   Index num_features) const;
  /// All rows scaled, in their order; sparse rows become dense when shift() is not empty. Throws
  /// ScaleError with the number of the row.
  std::shared_ptr<const FeatureRows> Apply(const FeatureRows& rows, Index num_features) const;

 private:
  ScaleKind kind_ = ScaleKind::kUnscaled;
  std::vector<double> shift_;
  std::vector<double> divisor_;
};

/// Statistics of the sizes of features, and the kind of scaling that they call for.
struct ScaleAdvice {
  ScaleKind kind = ScaleKind::kUnscaled;
  /// Sizes of features (root mean square of their non-zero values): smallest, median (of the
  /// logarithms), largest; 0 when all values are zero.
  double smallest = 0, middle = 0, largest = 0;
  Index smallest_feature = -1, largest_feature = -1;
  /// Whether the sizes of features differ from each other, and not only from the constant.
  bool differ = false;
};

/// Advises kUnscaled when the features have sizes similar to each other and to the constant 1 that
/// models add. That is: the largest size is at most kSimilarSizes times the median, nineteen of
/// twenty sizes are at least the median divided by kSimilarSizes, the median is at most
/// kLargestMiddle, and the root mean square length of the vectors is at least kShortestLength.
/// Otherwise advises kStandard, for sparse rows kMaxAbs. One sweep over the rows. `exactly` as in
/// FeatureScaling::Learn.
inline constexpr double kSimilarSizes = 20;
inline constexpr double kLargestMiddle = 5;
inline constexpr double kShortestLength = 0.25;
ScaleAdvice AdviseScaling(const FeatureRows& rows, Index num_features, Ranks* exactly = nullptr);

}  // namespace slackline::internal
