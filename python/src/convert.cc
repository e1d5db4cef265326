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

/// "row 3, column 17 is nan"
[[noreturn]] void RefuseValue(Index row, Index column, double value) {
  throw std::invalid_argument("X: row " + std::to_string(row) + ", column " +
                              std::to_string(column) + " is " +
                              (std::isnan(value) ? "NaN" : "infinite"));
}

}  // namespace

Matrix::Matrix(const py::object& object) {
  if (!py::isinstance<py::tuple>(object)) {
    values_ = Require<DoubleArray>(object, 2, "a dense matrix");
    rows_ = static_cast<Index>(values_.shape(0));
    columns_ = static_cast<Index>(values_.shape(1));
    return;
  }
  const auto parts = py::reinterpret_borrow<py::tuple>(object);
  if (parts.size() != 4) throw py::type_error("a sparse matrix is a tuple of four");
  sparse_ = true;
  values_ = Require<DoubleArray>(parts[0], 1, "values");
  indices_ = Require<IndexArray>(parts[1], 1, "columns");
  starts_ = Require<OffsetArray>(parts[2], 1, "row starts");
  columns_ = parts[3].cast<Index>();
  if (starts_.size() == 0) throw py::type_error("a sparse matrix has no row starts");
  rows_ = static_cast<Index>(starts_.size() - 1);
  const std::int64_t* starts = starts_.data();
  for (Index r = 0; r < rows_; ++r) {
    if (starts[r] < 0 || starts[r + 1] < starts[r])
      throw py::value_error("X: the row starts of the sparse matrix do not ascend");
  }
  if (starts[rows_] > values_.size() || starts[rows_] > indices_.size())
    throw py::value_error("X: the sparse matrix has fewer values than its row starts say");
}

std::span<const double> Matrix::values(Index row) const {
  const std::size_t width = internal::Size(columns_);
  if (!sparse_) return {values_.data() + internal::Size(row) * width, width};
  const std::int64_t* starts = starts_.data() + row;
  return {values_.data() + starts[0], static_cast<std::size_t>(starts[1] - starts[0])};
}

std::span<const Index> Matrix::columns(Index row) const {
  if (!sparse_) return {};
  return {indices_.data() + starts_.data()[row], values(row).size()};
}

std::shared_ptr<internal::FeatureRows> Matrix::ToRows(bool append_constant) const {
  auto rows = std::make_shared<internal::FeatureRows>();
  AppendRows(0, rows_, append_constant, rows.get());
  return rows;
}

void Matrix::AppendRows(Index begin, Index end, bool append_constant,
                        internal::FeatureRows* rows) const {
  const Index constants = append_constant ? end - begin : 0;
  const Offset stored = sparse_ ? starts_.data()[end] - starts_.data()[begin]
                                : static_cast<Offset>(end - begin) * columns_;
  rows->Reserve(rows->size() + end - begin, rows->stored() + stored + constants,
                rows->stored_columns() + (sparse_ ? stored + constants : 0));
  std::vector<double> values;
  std::vector<Index> columns;
  for (Index r = begin; r < end; ++r) {
    const double* first = values_.data() + static_cast<Offset>(r) * columns_;
    std::size_t count = internal::Size(columns_);
    const Index* at = nullptr;
    if (sparse_) {
      first = values_.data() + starts_.data()[r];
      at = indices_.data() + starts_.data()[r];
      count = static_cast<std::size_t>(starts_.data()[r + 1] - starts_.data()[r]);
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (!std::isfinite(first[k]))
        RefuseValue(r, sparse_ ? at[k] : static_cast<Index>(k), first[k]);
    }
    std::span<const double> row(first, count);
    if (append_constant) {
      values.assign(row.begin(), row.end());
      values.push_back(1);
      row = values;
    }
    if (!sparse_) {
      rows->AddDense(row);
      continue;
    }
    if (count > 0 && (at[0] < 0 || at[count - 1] >= columns_))
      throw std::invalid_argument("X: row " + std::to_string(r) + " has a column outside the " +
                                  std::to_string(columns_) + " columns of the matrix");
    columns.assign(at, at + count);
    if (append_constant) columns.push_back(columns_);
    rows->AddSparse(columns, row);
  }
}

void Matrix::AppendSparse(internal::FeatureRows* rows,
                          const std::function<bool(std::span<const double>)>& sparse) const {
  const auto width = static_cast<std::size_t>(columns_);
  std::vector<double> kept;
  std::vector<Index> columns;
  for (Index r = 0; r < rows_; ++r) {
    const std::span<const double> row =
        values().subspan(static_cast<std::size_t>(r) * width, width);
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
