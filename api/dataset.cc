// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/dataset.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>

#include <slackline/api/dataset_impl.h>
#include <slackline/api/graph_impl.h>
#include <slackline/api/model_impl.h>
#include <slackline/core/check.h>

namespace slackline {
inline namespace v1 {
namespace {

void CheckNumbers(std::span<const double> numbers, std::size_t wanted, const std::string& what) {
  SLACKLINE_CHECK(numbers.empty() || numbers.size() == wanted,
                  std::to_string(numbers.size()) + " " + what +
                      " do not fit the graph, which has " + std::to_string(wanted));
  for (const double number : numbers)
    SLACKLINE_CHECK(std::isfinite(number) && number >= 0,
                    what + " must be finite and not negative");
}

void CheckInputCount(const Inputs& inputs, const internal::Structure& structure) {
  SLACKLINE_CHECK(inputs.size() == structure.num_inputs(),
                  "the graph needs " + std::to_string(structure.num_inputs()) +
                      " input rows, not " + std::to_string(inputs.size()));
}

void CheckLosses(const Example& example, const internal::FactorGraph& graph) {
  CheckNumbers(example.loss_weights, graph.num_variables(), "loss weights");
  CheckNumbers(example.losses, graph.variable_states(), "losses");
  if (example.losses.empty()) return;
  for (int i = 0; i < graph.num_variables(); ++i) {
    const int label = example.labels[i];
    const std::size_t at = graph.state_offset(i) + label;
    SLACKLINE_CHECK(label < 0 || example.losses[at] == 0,
                    "the loss of variable " + std::to_string(i) + "'s true state must be 0");
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Labelling& labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) out << (i == 0 ? "" : " ") << labels[i];
  return out;
}

Inputs::Inputs(std::initializer_list<std::vector<double>> rows) {
  for (const std::vector<double>& row : rows) Add(row);
}
Inputs::Inputs(const std::vector<std::vector<double>>& rows) {
  for (const std::vector<double>& row : rows) Add(row);
}
Inputs::Inputs(const std::vector<SparseRow>& rows) {
  for (const SparseRow& row : rows) Add(row);
}
Inputs::Inputs(std::span<const double> values, int columns) {
  SLACKLINE_CHECK(columns >= 1 && values.size() % columns == 0,
                  "the values do not fill rows of " + std::to_string(columns) + " features");
  const std::size_t length = columns;
  for (std::size_t at = 0; at < values.size(); at += length) Add(values.subspan(at, length));
}

void Inputs::Add(std::span<const double> dense) {
  rows_.push_back({values_.size(), columns_.size(), dense.size(), true});
  values_.insert(values_.end(), dense.begin(), dense.end());
}

void Inputs::Add(const SparseRow& sparse) {
  SLACKLINE_CHECK(sparse.columns.size() == sparse.values.size(),
                  "a sparse row needs as many columns as values");
  rows_.push_back({values_.size(), columns_.size(), sparse.values.size(), false});
  values_.insert(values_.end(), sparse.values.begin(), sparse.values.end());
  columns_.insert(columns_.end(), sparse.columns.begin(), sparse.columns.end());
}

std::span<const double> Inputs::values(int r) const {
  const Row& row = rows_.at(r);
  return {values_.data() + row.value, row.count};
}
std::span<const int> Inputs::columns(int r) const {
  const Row& row = rows_.at(r);
  return {columns_.data() + row.column, row.dense ? 0 : row.count};
}
bool Inputs::dense(int r) const { return rows_.at(r).dense; }

void AppendInputs(const Inputs& inputs, internal::FeatureRows* rows) {
  for (int r = 0; r < inputs.size(); ++r) {
    if (inputs.dense(r)) {
      rows->AddDense(inputs.values(r));
    } else {
      rows->AddSparse(inputs.columns(r), inputs.values(r));
    }
  }
}

DatasetImpl::DatasetImpl(std::shared_ptr<const internal::WeightLayout> layout,
                         const DatasetOptions& options)
    : rows(std::make_shared<internal::FeatureRows>(options.rows_folder)),
      data(std::move(layout), rows) {}

Dataset::Dataset(const Model& model, const DatasetOptions& options)
    : impl_(std::make_unique<DatasetImpl>(model.impl()->layout, options)) {}
Dataset::Dataset(Dataset&& other) noexcept = default;
Dataset& Dataset::operator=(Dataset&& other) noexcept = default;
Dataset::~Dataset() = default;

int Dataset::Add(const Graph& graph, const Example& example) {
  const std::shared_ptr<const internal::Structure>& structure = graph.impl()->joined;
  // All arguments are checked before rows are stored: after an exception the data set is unchanged.
  CheckInputCount(example.inputs, *structure);
  auto rows = std::make_shared<internal::FeatureRows>();
  AppendInputs(example.inputs, rows.get());
  internal::Dataset(impl_->data.shared_layout(), rows)
      .Add(structure, example.labels, 0, example.potentials);
  CheckLosses(example, structure->graph());

  const int first_input = impl_->rows->size();
  AppendInputs(example.inputs, impl_->rows.get());
  impl_->own_losses.push_back({example.loss_weights, example.losses});
  return impl_->data.Add(structure, example.labels, first_input, example.potentials);
}

int Dataset::AddAll(const std::function<std::optional<GraphExample>()>& next) {
  int added = 0;
  while (const std::optional<GraphExample> given = next()) {
    Add(given->graph, given->example);
    ++added;
  }
  return added;
}

int Dataset::size() const { return impl_->data.size(); }

internal::TrainingSet TrainingSetOf(const DatasetImpl& dataset,
                                    const internal::LossOptions& options) {
  internal::TrainingSet result = internal::MakeTrainingSet(dataset.data, options);
  int kept = 0;  // number of labelled examples so far
  for (int m = 0; m < dataset.data.size(); ++m) {
    const internal::ExampleView example = dataset.data.example(m);
    const std::span<const int> labels = example.labels();
    const bool labelled =
        std::any_of(labels.begin(), labels.end(), [](int label) { return label >= 0; });
    if (!labelled) continue;
    const DatasetImpl::OwnLoss& own = dataset.own_losses[m];
    double* out = result.losses.data() + result.loss_begin[kept++];
    if (own.weights.empty() && own.table.empty()) continue;
    SLACKLINE_CHECK(options.form == internal::LossForm::kSum,
                    "the loss 1 - F1 has no weights and no tables of examples");
    for (int i = 0; i < example.graph().num_variables(); ++i) {
      if (labels[i] < 0) continue;
      const double weight = own.weights.empty() ? 1 : own.weights[i];
      const double* table =
          own.table.empty() ? nullptr : own.table.data() + example.graph().state_offset(i);
      for (int s = 0; s < example.graph().cardinality(i); ++s, ++out)
        *out = weight * (table == nullptr ? *out : table[s]);
    }
  }
  return result;
}

internal::Dataset OneExample(const std::shared_ptr<const internal::Structure>& structure,
                             const Observation& observation) {
  CheckInputCount(observation.inputs, *structure);
  auto rows = std::make_shared<internal::FeatureRows>();
  AppendInputs(observation.inputs, rows.get());
  internal::Dataset one(structure->shared_layout(), std::move(rows));
  const std::vector<int> unknown(structure->graph().num_variables(), internal::kUnlabelled);
  one.Add(structure, unknown, 0, observation.potentials);
  return one;
}

}  // namespace v1
}  // namespace slackline
