// SPDX-License-Identifier: BSD-3-Clause
#include "src/convert.h"

#include <cmath>
#include <stdexcept>

#include <slackline/api/train_impl.h>
#include <slackline/apps/common/choice.h>
#include <slackline/apps/training/input_scaling.h>

namespace slackline::python {
namespace {

template <class Array>
Array Require(const py::object& object, int axes, const char* what) {
  if (!py::isinstance<Array>(object)) throw py::type_error(std::string(what) + " has another type");
  Array array = py::reinterpret_borrow<Array>(object);
  if (array.ndim() != axes) throw py::type_error(std::string(what) + " has another shape");
  return array;
}

template <class Number, int flags>
std::span<const Number> SpanOf(const py::array_t<Number, flags>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// "row 3, column 17 is nan"
[[noreturn]] void RefuseValue(Index row, Index column, double value) {
  throw std::invalid_argument("X: row " + std::to_string(row) + ", column " +
                              std::to_string(column) + " is " +
                              (std::isnan(value) ? "NaN" : "infinite"));
}

}  // namespace

Matrix::Matrix(const py::object& object) {
  std::shared_ptr<Arrays> arrays(new Arrays, [](const Arrays* last) {
    const py::gil_scoped_acquire gil;
    delete last;
  });
  if (py::isinstance<py::tuple>(object)) {
    SetSparse(py::reinterpret_borrow<py::tuple>(object), arrays.get());
  } else {
    arrays->values = Require<DoubleArray>(object, 2, "a dense matrix");
    rows_ = static_cast<Index>(arrays->values.shape(0));
    columns_ = static_cast<Index>(arrays->values.shape(1));
  }
  values_ = SpanOf(arrays->values);
  indices_ = SpanOf(arrays->columns);
  starts_ = SpanOf(arrays->starts);
  arrays_ = std::move(arrays);
}

void Matrix::SetSparse(const py::tuple& parts, Arrays* arrays) {
  if (parts.size() != 4) throw py::type_error("a sparse matrix is a tuple of four");
  sparse_ = true;
  arrays->values = Require<DoubleArray>(parts[0], 1, "values");
  arrays->columns = Require<IndexArray>(parts[1], 1, "columns");
  arrays->starts = Require<OffsetArray>(parts[2], 1, "row starts");
  columns_ = parts[3].cast<Index>();
  const std::span<const Offset> starts = SpanOf(arrays->starts);
  if (starts.empty()) throw py::type_error("a sparse matrix has no row starts");
  rows_ = static_cast<Index>(starts.size() - 1);
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    if (starts[r] < 0 || starts[r + 1] < starts[r])
      throw py::value_error("X: the row starts of the sparse matrix do not ascend");
  }
  if (starts.back() > arrays->values.size() || starts.back() > arrays->columns.size())
    throw py::value_error("X: the sparse matrix has fewer values than its row starts say");
}

std::size_t Matrix::begin(Index row) const {
  if (sparse_) return static_cast<std::size_t>(starts_[internal::Size(row)]);
  return internal::Size(row) * internal::Size(columns_);
}

std::span<const double> Matrix::values(Index row) const {
  return values_.subspan(begin(row), begin(row + 1) - begin(row));
}

std::span<const Index> Matrix::columns(Index row) const {
  if (!sparse_) return {};
  return indices_.subspan(begin(row), begin(row + 1) - begin(row));
}

void Matrix::CheckRow(Index row) const {
  const std::span<const double> numbers = values(row);
  const std::span<const Index> at = columns(row);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (!std::isfinite(numbers[k]))
      RefuseValue(row, sparse_ ? at[k] : static_cast<Index>(k), numbers[k]);
  }
  if (!at.empty() && (at.front() < 0 || at.back() >= columns_))
    throw std::invalid_argument("X: row " + std::to_string(row) + " has a column outside the " +
                                std::to_string(columns_) + " columns of the matrix");
}

std::shared_ptr<internal::FeatureRows> Matrix::ToRows(Index begin_row, Index end_row,
                                                      bool constant) const {
  if (constant || columns_ == 0) {
    auto rows = std::make_shared<internal::FeatureRows>();
    AppendRows(begin_row, end_row, constant, rows.get());
    return rows;
  }
  for (Index r = begin_row; r < end_row; ++r) CheckRow(r);
  if (sparse_) {
    const auto starts =
        starts_.subspan(internal::Size(begin_row), internal::Size(end_row - begin_row) + 1);
    return std::make_shared<internal::FeatureRows>(
        internal::FeatureRows::SparseView(starts, indices_, values_, arrays_));
  }
  const std::size_t first = begin(begin_row);
  return std::make_shared<internal::FeatureRows>(internal::FeatureRows::DenseView(
      values_.subspan(first, begin(end_row) - first), columns_, arrays_));
}

void Matrix::AppendRows(Index begin_row, Index end_row, bool constant,
                        internal::FeatureRows* rows) const {
  const Index constants = constant ? end_row - begin_row : 0;
  const auto stored = static_cast<Offset>(begin(end_row) - begin(begin_row));
  rows->Reserve(rows->size() + end_row - begin_row, rows->stored() + stored + constants,
                rows->stored_columns() + (sparse_ ? stored + constants : 0));
  std::vector<double> with_constant;
  std::vector<Index> at;
  for (Index r = begin_row; r < end_row; ++r) {
    CheckRow(r);
    std::span<const double> row = values(r);
    if (constant) {
      with_constant.assign(row.begin(), row.end());
      with_constant.push_back(1);
      row = with_constant;
    }
    if (!sparse_) {
      rows->AddDense(row);
      continue;
    }
    at.assign(columns(r).begin(), columns(r).end());
    if (constant) at.push_back(columns_);
    rows->AddSparse(at, row);
  }
}

void Matrix::AppendSparse(internal::FeatureRows* rows,
                          const std::function<bool(std::span<const double>)>& sparse) const {
  const auto width = static_cast<std::size_t>(columns_);
  std::vector<double> kept;
  std::vector<Index> columns;
  for (Index r = 0; r < rows_; ++r) {
    const std::span<const double> row = values(r);
    if (!sparse(row)) {
      AppendRows(r, r + 1, false, rows);
      continue;
    }
    kept.clear();
    columns.clear();
    for (std::size_t k = 0; k < width; ++k) {
      if (row[k] == 0) continue;
      if (!std::isfinite(row[k])) RefuseValue(r, static_cast<Index>(k), row[k]);
      columns.push_back(static_cast<Index>(k));
      kept.push_back(row[k]);
    }
    rows->AddSparse(columns, kept);
  }
}

void RequireColumns(Index columns, Index trained) {
  if (columns == trained) return;
  throw py::value_error("X has " + std::to_string(columns) +
                        " features, but the model was trained with " + std::to_string(trained) +
                        " features as input");
}

py::tuple ScalingNumbers(const internal::FeatureScaling& scaling) {
  const auto array = [](const std::vector<double>& numbers) -> py::object {
    if (numbers.empty()) return py::none();
    return ArrayOf(numbers);
  };
  return py::make_tuple(array(scaling.shift()), array(scaling.divisor()));
}

internal::TrainOptions TrainOptionsFrom(const std::map<std::string, std::string>& options) {
  internal::TrainOptions result;
  for (const auto& [name, value] : options) {
    try {
      SetByName(name, value, &result);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string("learner_options: ") + error.what());
    }
  }
  internal::CheckOptions(result);
  return result;
}

std::optional<internal::ScaleKind> ScaleFrom(std::string_view name) {
  return internal::ScaleChoice(internal::CheckChoice("scale", name, internal::ScaleNames()));
}

py::array_t<double> MatrixOf(std::span<const double> values, Index columns) {
  const auto width = static_cast<py::ssize_t>(columns);
  const auto size = static_cast<py::ssize_t>(values.size());
  return py::array_t<double>({width == 0 ? 0 : size / width, width}, values.data());
}

py::dict WeightsOf(const internal::WeightLayout& layout, std::span<const double> weights) {
  const Offset missing = layout.size() - std::ssize(weights);
  py::dict blocks;
  for (const internal::WeightBlock& block : layout.blocks()) {
    if (block.offset < missing) continue;
    py::array_t<double> matrix({block.rows, block.cols});
    auto out = matrix.mutable_unchecked<2>();
    for (Index r = 0; r < block.rows; ++r) {
      for (Index c = 0; c < block.cols; ++c)
        out(r, c) = weights[static_cast<std::size_t>(block.at(r, c) - missing)];
    }
    blocks[py::str(block.name)] = std::move(matrix);
  }
  return blocks;
}

py::bytes BytesOf(const internal::ModelWriter& file) { return py::bytes(file.Bytes()); }

}  // namespace slackline::python
