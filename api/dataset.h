// SPDX-License-Identifier: BSD-3-Clause
//
// Examples: the input of a graph's variables and their true states.
#pragma once

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <slackline/export.h>
#include <slackline/graph.h>
#include <slackline/model.h>

namespace slackline {
inline namespace v1 {

/// The label of a variable whose state is not known.
inline constexpr int kUnlabelled = -1;

/// One state per variable.
class Labelling : public std::vector<int> {
 public:
  using std::vector<int>::vector;
  Labelling() = default;
  Labelling(const std::vector<int>& labels) : std::vector<int>(labels) {}        // NOLINT: converts
  Labelling(std::vector<int>&& labels) : std::vector<int>(std::move(labels)) {}  // NOLINT: converts
};
/// The states, with blanks between them.
SLACKLINE_EXPORT std::ostream& operator<<(std::ostream& out, const Labelling& labels);

/// A sparse row of features: feature columns[k] has the value values[k], all others are 0. Columns
/// count from 0, in ascending order.
struct SparseRow {
  std::vector<int> columns;
  std::vector<double> values;
};

/// The input rows of one example, dense or sparse.
class SLACKLINE_EXPORT Inputs {
 public:
  Inputs() = default;
  Inputs(std::initializer_list<std::vector<double>> rows);  // NOLINT: converts
  Inputs(const std::vector<std::vector<double>>& rows);     // NOLINT: converts
  Inputs(const std::vector<SparseRow>& rows);               // NOLINT: converts
  /// Dense rows of `columns` features each, one after the other.
  Inputs(std::span<const double> values, int columns);

  void Add(std::span<const double> dense);
  void Add(const SparseRow& sparse);

  int size() const { return static_cast<int>(rows_.size()); }
  /// The values of row r and, for a sparse row, their columns (a dense row has none).
  std::span<const double> values(int r) const;
  std::span<const int> columns(int r) const;
  bool dense(int r) const;

 private:
  struct Row {
    std::size_t value;
    std::size_t column;
    std::size_t count;
    bool dense;
  };
  std::vector<Row> rows_;
  std::vector<double> values_;
  std::vector<int> columns_;
};

/// The input of an example to predict.
struct Observation {
  Inputs inputs = {};
  /// As many numbers as the graph has potentials (GraphBuilder::AddPotentials).
  std::vector<double> potentials = {};
};

/// An example to train on.
struct Example {
  Inputs inputs = {};
  /// The true states. Training leaves out a variable with state kUnlabelled and all its factors.
  Labelling labels = {};
  std::vector<double> potentials = {};
  /// For each variable the weight ≥ 0 of its loss; empty = 1 for all.
  std::vector<double> loss_weights = {};
  /// The example's own loss, in place of the loss of TrainOptions: the cost ≥ 0 of each state of
  /// each variable, variable after variable, 0 for the true states.
  std::vector<double> losses = {};
};

/// An example and its graph, as a stream of examples gives them.
struct GraphExample {
  Graph graph;
  Example example;
};

/// Where a data set keeps its examples.
struct DatasetOptions {
  /// "": rows of inputs are kept in memory. A folder: they are kept in files without names in this
  /// folder, which disappear with the data set. The system holds as many rows in memory as there is
  /// room for, so that they can exceed the machine's memory; the disk must have room for all.
  /// Training gives the same results, bit for bit. Graphs, labels, potentials and losses stay in
  /// memory.
  std::string rows_folder = {};
};

struct DatasetImpl;

/// Examples of graphs of one model. Rows of inputs are copied.
class SLACKLINE_EXPORT Dataset {
 public:
  /// Throws std::runtime_error when no file can be made in options.rows_folder.
  explicit Dataset(const Model& model, const DatasetOptions& options = {});
  Dataset(Dataset&& other) noexcept;
  Dataset& operator=(Dataset&& other) noexcept;
  ~Dataset();

  /// Adds an example and returns its number. Throws std::invalid_argument when the example does not
  /// fit the graph, and std::runtime_error when the disk of DatasetOptions::rows_folder is full. In
  /// both cases the data set stays unchanged.
  int Add(const Graph& graph, const Example& example);
  /// Adds the examples that `next` returns, until it returns none. Returns how many were added.
  /// Only one example at a time is in memory beside the data set. Throws what Add and `next` throw;
  /// the examples before the failing one stay in the data set.
  int AddAll(const std::function<std::optional<GraphExample>()>& next);

  int size() const;

  /// Used by the library itself.
  const DatasetImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<DatasetImpl> impl_;
};

}  // namespace v1
}  // namespace slackline
