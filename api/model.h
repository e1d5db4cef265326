// SPDX-License-Identifier: BSD-3-Clause
//
// A model is a list of named blocks of weights. Graphs say where the weights are used; training
// finds their values.
//
//     Model model;
//     const WeightBlock taste = model.AddWeights("taste", 3, 5);  // 3 states, 5 input features
//     const WeightBlock change = model.AddWeights("change");      // one weight
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <slackline/export.h>

namespace slackline {
inline namespace v1 {

struct ModelImpl;

/// A block of weights of a Model (rows × columns), or some rows of a block.
struct WeightBlock {
  int number = -1;  ///< −1: no weights
  int rows = 0;
  int columns = 0;
  int first_row = 0;

  /// Rows first … first + count − 1 of the block, for several factors whose weights share one
  /// block.
  WeightBlock Rows(int first, int count = 1) const {
    return {number, count, columns, first_row + first};
  }
};

/// Copies share their blocks. Add all blocks before making weights, data sets or graphs of the
/// model.
class SLACKLINE_EXPORT Model {
 public:
  Model();

  /// Adds a block with a new, non-empty name. Inputs (GraphBuilder::AddInput) need a row for each
  /// state and a column for each feature; factors need one column and as many rows as they have
  /// weights.
  WeightBlock AddWeights(std::string name, int rows = 1, int columns = 1);

  /// The block with this name. Throws std::invalid_argument when there is none.
  WeightBlock Find(std::string_view name) const;

  int num_blocks() const;
  /// Number of entries of all blocks.
  std::size_t num_weights() const;

  /// Used by the library itself.
  const std::shared_ptr<ModelImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<ModelImpl> impl_;
};

/// The values of one block, rows × columns. Valid as long as the Weights object it comes from.
/// operator() throws std::out_of_range.
template <class Number>
class WeightMatrix {
 public:
  WeightMatrix(Number* values, int rows, int columns)
      : values_(values), rows_(rows), columns_(columns) {}

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  Number& operator()(int row, int column = 0) const {
    if (row < 0 || row >= rows_ || column < 0 || column >= columns_)
      throw std::out_of_range("a block of weights has no such row or column");
    return values_[std::ptrdiff_t{column} * rows_ + row];
  }

 private:
  Number* values_;
  int rows_;
  int columns_;
};

/// Values of all weights of a model.
class SLACKLINE_EXPORT Weights {
 public:
  Weights();
  /// All weights zero.
  explicit Weights(const Model& model);
  Weights(const Weights& other);
  Weights& operator=(const Weights& other);
  Weights(Weights&& other) noexcept;
  Weights& operator=(Weights&& other) noexcept;
  ~Weights();

  /// The block with this name: weights["taste"](state, feature). Throws std::invalid_argument when
  /// there is none.
  WeightMatrix<double> operator[](std::string_view name);
  WeightMatrix<const double> operator[](std::string_view name) const;

  int num_blocks() const;
  const std::string& name(int block) const;

  /// All values in one row, block after block; within a block column after column. A program may
  /// store them and copy them back into weights of the same model.
  std::span<double> values();
  std::span<const double> values() const;

  /// Used by the library itself.
  struct Impl;
  const Impl* impl() const { return impl_.get(); }
  explicit Weights(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace slackline
