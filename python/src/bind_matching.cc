// SPDX-License-Identifier: BSD-3-Clause
//
// Models of bipartite matchings.
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/common/choice.h>
#include <slackline/apps/common/row_maker.h>
#include <slackline/apps/matching/matching_predict.h>
#include <slackline/apps/matching/matching_task.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include "src/bind_model.h"
#include "src/convert.h"
#include "src/features.h"
#include "src/module.h"
#include "src/python_ranks.h"
#include "src/run.h"

namespace slackline::python {
namespace {

using internal::FeatureDictionary;
using internal::MatchingData;
using internal::MatchingModel;

/// Examples as the Python side prepares and checks them.
struct Examples {
  OffsetArray sizes;  // examples × 3: left nodes, right nodes, edges
  IndexArray edges;   // edges × 2: left and right node
  IndexArray labels;  // per edge: 1, 0, 2 (possible) or −1 (unknown); empty: all unknown
  /// Per example a matrix as Matrix takes it, or a list with the features of each edge.
  py::list features;
  bool by_name = false;  // features are lists
};

std::string EdgePlace(Index example, Index edge) {
  return "features of X[" + std::to_string(example) + "], edge " + std::to_string(edge);
}

/// Sizes, edges and labels.
MatchingData DataOf(const Examples& examples) {
  MatchingData data;
  data.source = "X";
  const auto sizes = examples.sizes.unchecked<2>();
  const auto edges = examples.edges.unchecked<2>();
  for (py::ssize_t m = 0; m < sizes.shape(0); ++m) {
    internal::MatchingExample example;
    example.num_left = static_cast<Index>(sizes(m, 0));
    example.num_right = static_cast<Index>(sizes(m, 1));
    example.first_edge = data.num_edges();
    example.num_edges = static_cast<Index>(sizes(m, 2));
    data.examples.push_back(example);
    for (Index e = 0; e < example.num_edges; ++e) {
      const Index at = example.first_edge + e;
      internal::MatchingEdge edge;
      edge.left = edges(at, 0);
      edge.right = edges(at, 1);
      const Index label = examples.labels.size() == 0 ? -1 : examples.labels.data()[at];
      edge.possible = label == 2;
      edge.label = label < 0 || edge.possible ? internal::kUnlabelled : label;
      data.edges.push_back(edge);
    }
  }
  return data;
}

/// Rows of features by name. find(name): the column, or kAbsent to leave the feature out.
template <class Find>
std::shared_ptr<const internal::FeatureRows> RowsByName(const Examples& examples,
                                                        const Find& find) {
  internal::RowMaker rows;
  Index m = 0;
  for (const py::handle example : examples.features) {
    const auto list = py::reinterpret_borrow<py::list>(example);
    Index e = 0;
    for (const py::handle edge : list) {
      ForEachFeature(edge.ptr(), EdgePlace(m, e++), [&](std::string_view name, double value) {
        const Index column = find(name);
        if (column != internal::kAbsent) rows.Add(column, value);
      });
      rows.EndRow();
    }
    ++m;
  }
  return rows.Finish();
}

/// Rows of matrices, all stored as sparse ones. `columns`: their number in all of them.
std::shared_ptr<const internal::FeatureRows> RowsOfMatrices(const Examples& examples) {
  auto rows = std::make_shared<internal::FeatureRows>();
  for (const py::handle example : examples.features) {
    const Matrix matrix(py::reinterpret_borrow<py::object>(example));
    if (matrix.sparse()) {
      matrix.AppendRows(0, matrix.rows(), false, rows.get());
    } else {
      matrix.AppendSparse(rows.get(), [](std::span<const double>) { return true; });
    }
  }
  return rows;
}

/// Returns the dictionary, and sets the rows and their number of columns in *data. Processes that
/// train together must all call it, and get the same dictionary.
FeatureDictionary MakeFeatures(const Examples& examples,
                               const std::vector<std::string>& feature_names,
                               internal::Ranks& ranks, MatchingData* data) {
  internal::FeatureCounter counter;
  OnAllProcesses(ranks, [&] {
    if (examples.by_name) {
      data->rows = RowsByName(examples, [&](std::string_view name) { return counter.Add(name); });
    } else {
      for (const std::string& name : feature_names) counter.Add(name);
      data->rows = RowsOfMatrices(examples);
    }
  });
  std::vector<Index> columns;
  FeatureDictionary dictionary = counter.Finish(ranks, 1, &columns);
  if (examples.by_name && !ranks.alone()) {  // columns have other numbers than here alone
    data->rows = RowsByName(examples, [&](std::string_view name) { return dictionary.Find(name); });
  }
  data->num_features = dictionary.size();
  return dictionary;
}

std::pair<std::shared_ptr<MatchingModel>, py::dict> FitMatchings(
    const Examples& examples, const std::vector<std::string>& feature_names,
    const FitArguments& arguments) {
  RunRequest request = arguments.Request();
  internal::TaskOptions options(internal::MatchingTask::Options());
  for (std::size_t k = 0; k < options.records().size(); ++k)
    *options.value(k) = arguments.text(std::string(options.records()[k].name).c_str());
  options.Check();
  internal::Ranks& ranks = request.the_ranks();
  MatchingData data = DataOf(examples);
  FeatureDictionary dictionary = MakeFeatures(examples, feature_names, ranks, &data);
  std::optional<internal::TaskInput<internal::MatchingTask>> input;
  std::optional<internal::TaskTraining<internal::MatchingTask>> training;
  {
    const py::gil_scoped_release release;
    auto model = internal::MatchingTask::MakeModel(options, std::move(dictionary));
    input.emplace(internal::MakeTaskInput<internal::MatchingTask>(
        {{}, options}, std::move(data), std::move(model), internal::ExactRanks(request.options)));
    training.emplace(&*input);
  }
  CheckSignals(ranks);  // nothing is trained yet
  py::dict result = Run(std::move(request), &*training);
  result["scaling"] = input->scaled.line;
  return {std::make_shared<MatchingModel>(std::move(input->model)), std::move(result)};
}

/// Examples with the features of a model, scaled.
MatchingData DataFor(const MatchingModel& model, const Examples& examples) {
  MatchingData data = DataOf(examples);
  data.num_features = model.dictionary().size();
  data.rows = examples.by_name
                  ? RowsByName(examples,
                               [&](std::string_view name) { return model.dictionary().Find(name); })
                  : RowsOfMatrices(examples);
  if (model.scaling().active()) data.rows = model.scaling().Apply(*data.rows, data.num_features);
  return data;
}

/// (labels, scores), per edge.
py::tuple PredictMatchings(const MatchingModel& model, const Examples& examples, Index threads) {
  const MatchingData data = DataFor(model, examples);
  internal::MatchingPredictions predictions;
  {
    const py::gil_scoped_release release;
    predictions = internal::PredictMatchings(model, data, threads);
  }
  return py::make_tuple(ArrayOf(predictions.labels), ArrayOf(predictions.scores));
}

/// Agreement of labels per edge with those of the examples.
py::dict MatchingFigures(const MatchingModel& model, const Examples& examples,
                         const IndexArray& predicted) {
  const MatchingData data = DataOf(examples);
  const internal::MatchingMetrics metrics = internal::EvaluateMatchings(
      data, std::span(predicted.data(), static_cast<std::size_t>(predicted.size())), model.costs());
  py::dict dict;
  dict["examples"] = metrics.examples;
  dict["edges"] = metrics.edges;
  dict["true"] = metrics.truth;
  dict["predicted"] = metrics.predicted;
  dict["right"] = metrics.right;
  dict["possible"] = metrics.possible;
  dict["tolerated"] = metrics.tolerated;
  dict["precision"] = metrics.precision;
  dict["recall"] = metrics.recall;
  dict["f1"] = metrics.f1;
  dict["error_rate"] = metrics.error_rate;
  dict["exact"] = metrics.exact;
  dict["mean_loss"] = metrics.mean_loss;
  return dict;
}

std::vector<std::string> MatchingFeatureNames(const MatchingModel& model) {
  std::vector<std::string> names;
  for (Index f = 0; f < model.dictionary().size(); ++f)
    names.emplace_back(model.dictionary().name(f));
  return names;
}

}  // namespace

void BindMatching(py::module_* module) {
  py::class_<Examples>(*module, "MatchingExamples")
      .def(py::init<OffsetArray, IndexArray, IndexArray, py::list, bool>(), py::arg("sizes"),
           py::arg("edges"), py::arg("labels"), py::arg("features"), py::arg("by_name"));
  BindModel<MatchingModel>(module, "MatchingModel")
      .def("predict", &PredictMatchings, py::arg("examples"), py::arg("threads"))
      .def("metrics", &MatchingFigures, py::arg("examples"), py::arg("predicted"))
      .def_property_readonly("feature_names", &MatchingFeatureNames)
      .def_property_readonly("capacities",
                             [](const MatchingModel& model) {
                               return py::make_tuple(model.capacities().left,
                                                     model.capacities().right);
                             })
      .def_property_readonly("costs",
                             [](const MatchingModel& model) {
                               return py::make_tuple(model.costs().precision, model.costs().recall);
                             })
      .def_property_readonly("weights", [](const MatchingModel& model) {
        return WeightsOf(*model.layout(), model.weights());
      });
  module->def("fit_matching", &FitMatchings, py::arg("examples"), py::arg("feature_names"),
              py::arg("arguments"));
}

}  // namespace slackline::python
