// SPDX-License-Identifier: BSD-3-Clause
//
// Models of one class per example.
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/multiclass/multiclass_predict.h>
#include <slackline/apps/multiclass/multiclass_task.h>
#include <slackline/core/check.h>
#include "src/bind_model.h"
#include "src/convert.h"
#include "src/module.h"
#include "src/python_ranks.h"
#include "src/run.h"

namespace slackline::python {
namespace {

using internal::MulticlassModel;
using internal::MulticlassTask;

/// How predictions take blocks of examples, so that inputs are scaled without a copy of all.
constexpr Index kBlock = 4096;

/// Trains a model. y: the number of a class per example; costs: K × K by rows, [true, predicted],
/// empty: 1 for every error; sample_weights: > 0, or none for 1.
std::pair<std::shared_ptr<MulticlassModel>, py::dict> FitClasses(
    std::optional<Matrix> x, const IndexArray& y, std::vector<std::string> class_names,
    std::vector<std::string> feature_names, std::vector<double> costs,
    std::vector<double> sample_weights, const FitArguments& arguments) {
  if (y.ndim() != 1 || y.shape(0) != x->rows())
    throw py::value_error("y has another length than X");
  RunRequest request = arguments.Request();
  const bool constant = arguments.text("bias") == "1";
  const bool kernelized = internal::UsesKernel(request.options);
  if (kernelized && !sample_weights.empty())
    throw py::value_error("class_weight and sample_weight are not possible with a kernel");
  internal::TaskOptions options(MulticlassTask::Options());
  options.Set("scale", arguments.text("scale"));
  internal::MulticlassData data;
  data.source = "X";
  data.class_names = std::move(class_names);
  data.feature_names = std::move(feature_names);
  data.num_features = x->columns();
  data.labels.assign(y.data(), y.data() + y.size());
  data.weights = std::move(sample_weights);
  data.costs = std::move(costs);
  data.kernelized = kernelized;
  std::optional<internal::TaskInput<MulticlassTask>> input;
  std::optional<internal::TaskTraining<MulticlassTask>> training;
  {
    const py::gil_scoped_release release;
    OnAllProcesses(request.the_ranks(), [&] { data.rows = x->ToRows(constant && !kernelized); });
  }
  x.reset();  // the rows hold a copy, or keep the arrays alive themselves
  {
    const py::gil_scoped_release release;
    MulticlassModel model = MulticlassTask::MakeModel(data, constant);
    input.emplace(internal::MakeTaskInput<MulticlassTask>({{}, options, kernelized},
                                                          std::move(data), std::move(model),
                                                          internal::ExactRanks(request.options)));
    input->texts.loss = input->data.costs.empty() ? "0/1" : "costs";
    input->texts.options = {arguments.options.begin(), arguments.options.end()};
    training.emplace(&*input);
    input->data.rows.reset();
  }
  CheckSignals(request.the_ranks());  // nothing is trained yet
  py::dict result = Run(std::move(request), &*training);
  result["scaling"] = input->scaled.line;
  return {std::make_shared<MulticlassModel>(std::move(input->model)), std::move(result)};
}

/// (classes, scores: examples × K).
py::tuple PredictClasses(const MulticlassModel& model, const Matrix& x, Index threads) {
  RequireColumns(x.columns(), model.num_features());
  const auto examples = static_cast<py::ssize_t>(x.rows());
  const auto classes = static_cast<py::ssize_t>(model.num_classes());
  py::array_t<std::int32_t> labels(examples);
  py::array_t<double> scores({examples, classes});
  std::int32_t* label = labels.mutable_data();
  double* score = scores.mutable_data();
  const py::gil_scoped_release release;
  for (Index begin = 0; begin < x.rows(); begin += kBlock) {
    const auto rows = x.ToRows(begin, std::min<Index>(begin + kBlock, x.rows()), false);
    std::shared_ptr<const internal::FeatureRows> scaled = rows;
    if (model.scaling().active()) scaled = model.scaling().Apply(*rows, x.columns());
    const internal::MulticlassPredictions predictions =
        internal::PredictClasses(model, *scaled, threads);
    label = std::copy(predictions.labels.begin(), predictions.labels.end(), label);
    score = std::copy(predictions.scores.begin(), predictions.scores.end(), score);
  }
  const py::gil_scoped_acquire gil;
  return py::make_tuple(labels, scores);
}

}  // namespace

void BindMulticlass(py::module_* module) {
  BindModel<MulticlassModel>(module, "MulticlassModel")
      .def("predict", [](const MulticlassModel& model, const py::object& x,
                         Index threads) { return PredictClasses(model, Matrix(x), threads); })
      .def_property_readonly("kernelized",
                             [](const MulticlassModel& model) { return bool(model.support()); })
      .def_property_readonly("class_names", &MulticlassModel::class_names)
      .def_property_readonly("feature_names", &MulticlassModel::feature_names)
      .def_property_readonly("num_features", &MulticlassModel::num_features)
      .def_property_readonly("has_constant", &MulticlassModel::has_constant)
      .def_property_readonly("weights", [](const MulticlassModel& model) {
        return WeightsOf(*model.layout(), model.weights());
      });
  module->def(
      "fit_multiclass",
      [](const py::list& holder, const IndexArray& y, std::vector<std::string> class_names,
         std::vector<std::string> feature_names, std::vector<double> costs,
         std::vector<double> sample_weights, const FitArguments& arguments) {
        // No other reference to the matrix remains here.
        std::optional<Matrix> x(py::object(holder.attr("pop")()));
        return FitClasses(std::move(x), y, std::move(class_names), std::move(feature_names),
                          std::move(costs), std::move(sample_weights), arguments);
      },
      py::arg("x"), py::arg("y"), py::arg("class_names"), py::arg("feature_names"),
      py::arg("costs"), py::arg("sample_weights"), py::arg("arguments"));
}

}  // namespace slackline::python
