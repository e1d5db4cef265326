// SPDX-License-Identifier: BSD-3-Clause
//
// Between Python's objects and the library's. Functions throw pybind11::value_error with the name
// of the argument, and the row and column where one is to blame.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/model_file.h>
#include <slackline/core/weights.h>
#include <slackline/learning/options.h>

namespace slackline::python {

namespace py = pybind11;
using internal::Index;
using internal::Offset;

/// A C-contiguous array of doubles. Other arrays are refused, not converted, so that no call copies
/// by accident: the Python side prepares arrays.
using DoubleArray = py::array_t<double, py::array::c_style>;
using IndexArray = py::array_t<std::int32_t, py::array::c_style>;
using OffsetArray = py::array_t<std::int64_t, py::array::c_style>;
using FlagArray = py::array_t<std::int8_t, py::array::c_style>;

/// A matrix as the Python side prepares it: an array of doubles with two axes, or the tuple
/// (values, columns, row starts, number of columns) of a CSR matrix, as arrays of double, int32 and
/// int64. Columns ascend within a row, and none occurs twice.
class Matrix {
 public:
  /// Keeps the arrays alive. Requires the GIL.
  explicit Matrix(const py::object& object);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  bool sparse() const { return sparse_; }
  /// The values of a row, and the columns of a sparse row's values (none of a dense row).
  std::span<const double> values(Index row) const;
  std::span<const Index> columns(Index row) const;

  /// The rows as feature rows. Without `constant` they are views of the arrays and keep them
  /// alive; with it they are copies, in which feature columns() is 1. Throws std::invalid_argument,
  /// with the row and column, on values that are not finite. Neither this function nor the result
  /// needs the GIL.
  std::shared_ptr<internal::FeatureRows> ToRows(bool constant) const {
    return ToRows(0, rows_, constant);
  }
  /// The same for rows begin … end − 1 only.
  std::shared_ptr<internal::FeatureRows> ToRows(Index begin, Index end, bool constant) const;
  /// Appends copies of rows begin … end − 1.
  void AppendRows(Index begin, Index end, bool constant, internal::FeatureRows* rows) const;
  /// The same for all rows; rows for which `sparse(row)` is true are stored as sparse ones.
  /// Requires a dense matrix.
  void AppendSparse(internal::FeatureRows* rows,
                    const std::function<bool(std::span<const double>)>& sparse) const;
  /// The values of a dense matrix, by rows.
  std::span<const double> values() const { return values_; }

 private:
  /// The arrays of Python. The last reference to them may go with rows that do not hold the GIL.
  struct Arrays {
    DoubleArray values;
    IndexArray columns;
    OffsetArray starts;
  };
  void SetSparse(const py::tuple& parts, Arrays* arrays);
  /// The number of a row's first value; the row's values end before begin(row + 1).
  std::size_t begin(Index row) const;
  /// Throws std::invalid_argument unless the row's values are finite and its columns exist.
  void CheckRow(Index row) const;

  std::shared_ptr<const Arrays> arrays_;
  std::span<const double> values_;
  std::span<const Index> indices_;
  std::span<const Offset> starts_;
  Index rows_ = 0;
  Index columns_ = 0;
  bool sparse_ = false;
};

/// Throws pybind11::value_error unless X has the columns that a model was trained with.
void RequireColumns(Index columns, Index trained);

/// The numbers that are subtracted from the features, and those that divide the features; None
/// where the scaling has none.
py::tuple ScalingNumbers(const internal::FeatureScaling& scaling);

/// Training options from a dict of texts by name; 0 in place of a default λ.
internal::TrainOptions TrainOptionsFrom(const std::map<std::string, std::string>& options);

/// The kind of scaling with this name; nullopt for "auto".
std::optional<internal::ScaleKind> ScaleFrom(std::string_view name);

/// Copies of arrays.
template <class Number>
py::array_t<Number> ArrayOf(std::span<const Number> values) {
  return py::array_t<Number>(static_cast<py::ssize_t>(values.size()), values.data());
}
template <class Number>
py::array_t<Number> ArrayOf(const std::vector<Number>& values) {
  return ArrayOf(std::span<const Number>(values));
}
py::array_t<double> MatrixOf(std::span<const double> values, Index columns);

/// The blocks of a weight vector by name, as matrices (rows × columns). If there are fewer weights,
/// they belong to the last blocks: models with a kernel lack the first block.
py::dict WeightsOf(const internal::WeightLayout& layout, std::span<const double> weights);

/// The bytes of a model file, for pickle.
py::bytes BytesOf(const internal::ModelWriter& file);

}  // namespace slackline::python
