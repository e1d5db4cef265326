// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-label models.
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/common/choice.h>
#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/training/graph_choice.h>
#include <slackline/apps/multilabel/training/multilabel_training.h>
#include <slackline/core/check.h>
#include "src/bind_model.h"
#include "src/convert.h"
#include "src/module.h"
#include "src/python_ranks.h"
#include "src/run.h"

namespace slackline::python {
namespace {

using internal::MultiLabelData;
using internal::MultiLabelModel;

/// How predictions take blocks of examples, so that no copy of all inputs is made.
constexpr Index kLabelBlock = 4096;

/// Data for a model, or for training, without inputs.
MultiLabelData DataOf(std::vector<std::string> label_names, std::vector<std::string> feature_names,
                      Index examples, Index features, bool constant) {
  MultiLabelData data;
  data.source = "X";
  data.label_names = std::move(label_names);
  data.feature_names = std::move(feature_names);
  data.num_features = features;
  data.has_constant = constant;
  data.lines.resize(internal::Size(examples));
  return data;
}

/// What only multi-label models have.
struct OwnArguments {
  std::optional<std::vector<std::pair<Index, Index>>> edges;
  std::vector<double> loss_weights;  // two per label; empty: by options["loss-weights"]
  bool calibrate = false;
};

internal::MultiLabelTrainingOptions OptionsOf(const FitArguments& arguments,
                                              const OwnArguments& own,
                                              const internal::TrainOptions& train) {
  const auto text = [&](const char* name) { return arguments.text(name); };
  internal::MultiLabelTrainingOptions options;
  options.graph = text("graph");
  if (own.edges) {
    std::vector<internal::LabelPair> pairs;
    for (const auto& [a, b] : *own.edges) pairs.push_back({a, b});
    options.graph = internal::LabelGraph("given", std::move(pairs));
  }
  options.learner = train.learner;
  options.kernelized = internal::UsesKernel(train);
  options.ranks = internal::ExactRanks(train);
  internal::CheckChoice("loss", text("loss"), {"mean", "count", "f1"});
  options.loss = internal::MultiLabelLoss::Named(text("loss"));
  options.loss.weights = own.loss_weights.empty()
                             ? internal::LossWeights::Parse(text("loss-weights"))
                             : internal::LossWeights::Given(own.loss_weights);
  if (options.loss.form == internal::LossForm::kF1 && !options.loss.weights.equal())
    throw internal::DataError("--loss f1 cannot be combined with --loss-weights");
  options.constant = text("bias") == "1";
  options.label_counts = internal::ParseLabelCounts(text("label-counts"));
  options.texts.loss = text("loss");
  // In the order of the command line.
  for (const char* name : {"graph", "loss", "bias", "scale", "label-counts", "loss-weights"})
    options.texts.options.emplace_back(name, text(name));
  return options;
}

/// The graph that options.graph names, or chooses by cross-validation.
void ChooseGraph(const MultiLabelData& data, const internal::ScaledInputs& scaled,
                 const internal::TrainOptions& train, double c, const std::atomic<int>* interrupt,
                 internal::MultiLabelTrainingOptions* options, std::vector<std::string>* notes) {
  if (options->graph.pairs) return;
  std::string note;
  const std::vector<std::string> graphs =
      internal::GraphCandidates(options->graph.name, data, *options, &note);
  if (!note.empty()) notes->push_back(note);
  if (graphs.size() == 1) return;
  internal::MultiLabelTrainingOptions first = *options;
  first.graph = graphs.front();
  internal::TrainOptions with_lambda = train;
  with_lambda.lambda =
      internal::ChooseLambda(train, c, internal::MultiLabelTraining(data, scaled, first));
  const std::optional<internal::GraphChoice> choice =
      internal::ChooseGraph(data, *options, graphs, with_lambda, interrupt);
  // After an interrupt the first candidate is trained until the loop sees the interrupt.
  options->graph = choice ? choice->graph : graphs.front();
  if (choice) notes->push_back(choice->line);
  for (auto& [name, text] : options->texts.options) {
    if (name == "graph") text = options->graph.name;
  }
}

/// Trains a model. Y: examples × labels, 1, 0 or −1 (unknown). Empties `x` before training, so that
/// the inputs are not held twice if nothing else needs them.
std::pair<std::shared_ptr<MultiLabelModel>, py::dict> FitLabels(
    std::optional<Matrix> x, const FlagArray& y, std::vector<std::string> label_names,
    std::vector<std::string> feature_names, const OwnArguments& own,
    const FitArguments& arguments) {
  if (y.ndim() != 2 || y.shape(0) != x->rows() ||
      static_cast<std::size_t>(y.shape(1)) != label_names.size())
    throw py::value_error("Y has another shape than X and the names of the labels ask for");
  RunRequest request = arguments.Request();
  internal::Ranks& ranks = request.the_ranks();
  internal::MultiLabelTrainingOptions options = OptionsOf(arguments, own, request.options);
  const std::optional<internal::ScaleKind> scale = ScaleFrom(arguments.text("scale"));
  const bool constant = options.constant && !options.kernelized;
  MultiLabelData data =
      DataOf(std::move(label_names), std::move(feature_names), x->rows(), x->columns(), constant);
  data.labels.assign(y.data(), y.data() + y.size());
  internal::ScaledInputs scaled;
  std::vector<std::string> notes;
  std::unique_ptr<internal::MultiLabelTraining> training;
  std::optional<internal::Folds> folds;
  {
    const py::gil_scoped_release release;
    OnAllProcesses(ranks, [&] { data.rows = x->ToRows(constant); });
  }
  x.reset();
  {
    PythonObserver watch((py::none()));
    const py::gil_scoped_release release;
    scaled = internal::ScaleForTraining(scale, internal::ScaleInputsOf(data), options.ranks);
    data.rows = scaled.rows;
    if (own.calibrate)
      folds = internal::CalibrationFolds(data, internal::kCalibrationFolds, request.options.seed,
                                         internal::RanksOf(request.options));
    ChooseGraph(data, scaled, request.options, request.c, watch.interrupt(), &options, &notes);
    training = std::make_unique<internal::MultiLabelTraining>(data, scaled, std::move(options));
    if (folds) training->RecordCalibration(internal::kCalibrationFolds);
  }
  CheckSignals(ranks);  // nothing is trained yet
  py::dict result = Run(std::move(request), training.get());
  const bool stopped = ranks.Any(!result["exception"].is_none());
  if (folds && !stopped) {
    PythonObserver watch((py::none()));
    {
      const py::gil_scoped_release release;
      training->Calibrate(*folds, watch.interrupt());
    }
    result["exception"] = watch.TakeException();
  }
  for (const std::string& note : notes) result["notes"].cast<py::list>().append(note);
  result["scaling"] = scaled.line;
  result["graph"] = training->options().graph.name;
  return {std::make_shared<MultiLabelModel>(training->model()), std::move(result)};
}

/// Calls visit(data, first example) for blocks of examples, without the GIL.
template <class Visit>
void ForBlocks(const MultiLabelModel& model, const Matrix& x, const Visit& visit) {
  RequireColumns(x.columns(), model.num_features());
  const py::gil_scoped_release release;
  const bool constant = model.has_constant() && !model.kernelized();
  for (Index begin = 0; begin < x.rows(); begin += kLabelBlock) {
    const Index end = std::min<Index>(begin + kLabelBlock, x.rows());
    MultiLabelData data =
        DataOf(model.label_names(), model.feature_names(), end - begin, x.columns(), constant);
    const auto rows = x.ToRows(begin, end, constant);
    data.rows = model.scaling().active() ? model.scaling().Apply(*rows, x.columns()) : rows;
    data.labels.assign(internal::Size(end - begin) * internal::Size(model.num_labels()), -1);
    visit(data, begin);
  }
}

/// Results of type T, examples × labels: the member `result` of the predictions, which `options`
/// ask for.
template <class T>
py::array_t<T> PredictMatrix(const MultiLabelModel& model, const Matrix& x,
                             const internal::PredictOptions& options,
                             std::vector<T> internal::MultiLabelPredictions::*result) {
  const auto labels = static_cast<py::ssize_t>(model.num_labels());
  py::array_t<T> matrix({static_cast<py::ssize_t>(x.rows()), labels});
  T* out = matrix.mutable_data();
  ForBlocks(model, x, [&](const MultiLabelData& data, Index begin) {
    const internal::MultiLabelPredictions predictions = internal::Predict(model, data, options);
    std::copy((predictions.*result).begin(), (predictions.*result).end(), out + begin * labels);
  });
  return matrix;
}

internal::PredictOptions PredictOptionsOf(const std::string& decode, Index threads) {
  internal::PredictOptions options;
  options.decode = internal::ParseDecodeKind(decode);
  options.threads = threads;
  return options;
}

/// Label sets.
py::array_t<std::int8_t> PredictLabels(const MultiLabelModel& model, const Matrix& x,
                                       const std::string& decode, Index threads) {
  return PredictMatrix(model, x, PredictOptionsOf(decode, threads),
                       &internal::MultiLabelPredictions::labels);
}

/// Max-marginal differences.
py::array_t<double> LabelScores(const MultiLabelModel& model, const Matrix& x,
                                const std::string& decode, Index threads) {
  internal::PredictOptions options = PredictOptionsOf(decode, threads);
  options.labels = false;
  options.scores = true;
  return PredictMatrix(model, x, options, &internal::MultiLabelPredictions::scores);
}

py::array_t<double> Probabilities(const MultiLabelModel& model, const Matrix& x,
                                  const std::string& decode, Index threads) {
  if (!model.calibration())
    throw std::invalid_argument("the model is not calibrated: fit it with calibrate=True");
  py::array_t<double> scores = LabelScores(model, x, decode, threads);
  internal::ApplyCalibration(
      *model.calibration(),
      std::span<double>(scores.mutable_data(), internal::Size(scores.size())));
  return scores;
}

/// The weights by name, and "support" for the coefficients of support vectors (vectors × labels).
py::dict Weights(const MultiLabelModel& model) {
  py::dict weights = WeightsOf(model.structure()->layout(), model.weights());
  if (model.support())
    weights["support"] = MatrixOf(model.support()->coefficients(), model.support()->rows());
  return weights;
}

}  // namespace

void BindMultiLabel(py::module_* module) {
  BindModel<MultiLabelModel>(module, "MultiLabelModel")
      .def("predict",
           [](const MultiLabelModel& model, const py::object& x, const std::string& decode,
              Index threads) { return PredictLabels(model, Matrix(x), decode, threads); })
      .def("scores",
           [](const MultiLabelModel& model, const py::object& x, const std::string& decode,
              Index threads) { return LabelScores(model, Matrix(x), decode, threads); })
      .def("probabilities",
           [](const MultiLabelModel& model, const py::object& x, const std::string& decode,
              Index threads) { return Probabilities(model, Matrix(x), decode, threads); })
      .def_property_readonly("calibrated",
                             [](const MultiLabelModel& model) { return bool(model.calibration()); })
      .def_property_readonly("kernelized", &MultiLabelModel::kernelized)
      .def_property_readonly("label_names", &MultiLabelModel::label_names)
      .def_property_readonly("feature_names", &MultiLabelModel::feature_names)
      .def_property_readonly("num_features", &MultiLabelModel::num_features)
      .def_property_readonly("has_constant", &MultiLabelModel::has_constant)
      .def_property_readonly("pairs",
                             [](const MultiLabelModel& model) {
                               std::vector<std::pair<Index, Index>> pairs;
                               for (const internal::LabelPair& pair : model.pairs())
                                 pairs.emplace_back(pair.a, pair.b);
                               return pairs;
                             })
      .def_property_readonly("weights", &Weights)
      .def_property_readonly("loss_weights", &MultiLabelModel::loss_weights);
  module->def("check_decode",
              [](const std::string& name) { static_cast<void>(internal::ParseDecodeKind(name)); });
  module->def(
      "fit_multilabel",
      [](const py::list& holder, const FlagArray& y, std::vector<std::string> label_names,
         std::vector<std::string> feature_names,
         std::optional<std::vector<std::pair<Index, Index>>> edges,
         std::vector<double> loss_weights, bool calibrate, const FitArguments& arguments) {
        // No other reference to the matrix remains here.
        std::optional<Matrix> x(py::object(holder.attr("pop")()));
        return FitLabels(std::move(x), y, std::move(label_names), std::move(feature_names),
                         {std::move(edges), std::move(loss_weights), calibrate}, arguments);
      },
      py::arg("x"), py::arg("y"), py::arg("label_names"), py::arg("feature_names"),
      py::arg("edges"), py::arg("loss_weights"), py::arg("calibrate"), py::arg("arguments"));
}

}  // namespace slackline::python
