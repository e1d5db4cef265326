// SPDX-License-Identifier: BSD-3-Clause
//
// The two products behind descriptors and features: many short points times one matrix. Both cost
// points · size · columns multiply-adds, at close to the peak speed of the processor.
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// A matrix of `columns` columns of `size` numbers, and a number (bias) for each column. Stored in
/// panels of 16 columns; the rows of a panel are contiguous.
class PackedColumns {
 public:
  static constexpr Index kPanel = 16;

  PackedColumns() = default;
  /// columns: num_columns × size, one after the other. bias: num_columns numbers.
  PackedColumns(const std::vector<float>& columns, const std::vector<float>& bias, Index size);
  /// The matrix for NearestColumn, with bias = −|column|²/2.
  static PackedColumns ForNearest(const std::vector<float>& columns, Index size);

  Index size() const { return size_; }
  Index columns() const { return columns_; }
  Index panels() const { return (columns_ + kPanel - 1) / kPanel; }
  const float* panel(Index p) const { return panels_.data() + Offset{p} * kPanel * size_; }
  const float* bias(Index p) const { return bias_.data() + Offset{p} * kPanel; }

 private:
  Index size_ = 0;
  Index columns_ = 0;
  std::vector<float> panels_;
  std::vector<float> bias_;
};

/// out[p · columns + k] = point p · column k + bias k, for points of matrix.size() numbers each.
void Multiply(const PackedColumns& matrix, const float* points, Index num_points, float* out);

/// words[p] = the column with the largest product with point p plus bias (the first of equals).
/// With a matrix of ForNearest this is the nearest column.
void NearestColumns(const PackedColumns& matrix, const float* points, Index num_points,
                    Index* words);

}  // namespace slackline::internal
