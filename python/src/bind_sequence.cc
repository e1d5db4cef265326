// SPDX-License-Identifier: BSD-3-Clause
//
// Models of sequences.
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/common/choice.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/apps/sequence/sequence_training.h>
#include <slackline/core/quoted.h>
#include "src/bind_model.h"
#include "src/convert.h"
#include "src/features.h"
#include "src/module.h"
#include "src/python_ranks.h"
#include "src/run.h"

namespace slackline::python {
namespace {

using internal::Quoted;
using internal::SequenceData;
using internal::SequenceFormat;
using internal::SequenceModel;

/// "X[3][5]"
std::string TokenPlace(Index sequence, Index token) {
  return "X[" + std::to_string(sequence) + "][" + std::to_string(token) + "]";
}

/// A sequence of Python as a list or tuple.
py::object Fast(py::handle object, const std::string& place, const char* what) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr()))
    throw py::value_error(place + " must be a list of " + what + ", not " + TypeName(object.ptr()));
  return py::reinterpret_borrow<py::object>(object);
}

std::string InX(Index sequence) { return "X[" + std::to_string(sequence) + "]"; }

/// The sequences that have tokens.
struct Given {
  SequenceData data;
  std::vector<Index> places;  ///< of each sequence in X
};

void EndSequence(Index place, Offset tokens, Given* given) {
  const Offset begin = given->data.begin.back();
  if (tokens == begin) return;
  given->data.begin.push_back(tokens);
  given->data.lines.push_back(static_cast<long>(begin) + 1);
  given->places.push_back(place);
}

/// Sequences from lists of dicts or lists of strings.
void AddAttributes(const py::list& x, Given* given) {
  auto table = std::make_shared<internal::AttributeTable>();
  Index m = -1;
  for (const py::handle sequence : x) {
    ++m;
    const py::object tokens = Fast(sequence, InX(m), "tokens");
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(tokens.ptr());
    for (Py_ssize_t i = 0; i < length; ++i) {
      ForEachFeature(PySequence_Fast_GET_ITEM(tokens.ptr(), i),
                     TokenPlace(m, static_cast<Index>(i)),
                     [&](std::string_view name, double value) { table->Add(name, value); });
      table->EndToken();
    }
    EndSequence(m, table->num_tokens(), given);
  }
  given->data.attributes = std::move(table);
}

/// Sequences from lists of tuples of texts, for templates over so many columns.
void AddColumns(const py::list& x, Index columns, Given* given) {
  auto table = std::make_shared<internal::TokenTable>();
  table->num_columns = columns;
  Index m = -1;
  for (const py::handle sequence : x) {
    ++m;
    const py::object tokens = Fast(sequence, InX(m), "tokens");
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(tokens.ptr());
    for (Py_ssize_t i = 0; i < length; ++i) {
      PyObject* token = PySequence_Fast_GET_ITEM(tokens.ptr(), i);
      const std::string place = TokenPlace(m, static_cast<Index>(i));
      const py::object cells = Fast(token, place, "columns");
      if (PySequence_Fast_GET_SIZE(token) != columns) {
        throw py::value_error(place + " has " + std::to_string(PySequence_Fast_GET_SIZE(token)) +
                              " columns, but the templates of the model use " +
                              std::to_string(columns));
      }
      for (Index c = 0; c < columns; ++c) {
        PyObject* cell = PySequence_Fast_GET_ITEM(token, c);
        if (!IsText(cell)) throw py::value_error(place + ": columns must be strings");
        table->cells.push_back(table->texts.Add(TextOf(cell)));
      }
    }
    EndSequence(m, given->data.begin.back() + length, given);
  }
  given->data.tokens = std::move(table);
}

/// How rows of arrays are stored.
enum class Storage {
  kDense,
  kBySet,  ///< all of them sparse if at most half of all values are not 0
  kByRow,  ///< each sparse if at most half of its values are not 0
};

std::size_t CountNonzero(std::span<const double> values) {
  return values.size() - static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.0));
}

bool FewNonzero(std::span<const double> row) { return 2 * CountNonzero(row) <= row.size(); }

/// Whether at most half of the values of all arrays are not 0. Counts the arrays of all processes
/// that train together.
bool FewNonzeroInAll(const std::vector<Matrix>& matrices, internal::Ranks& ranks) {
  std::size_t size = 0;
  std::size_t nonzero = 0;
  for (const Matrix& matrix : matrices) {
    if (matrix.sparse()) continue;
    size += matrix.values().size();
    nonzero += CountNonzero(matrix.values());
  }
  return 2 * ranks.SumOf(static_cast<std::int64_t>(nonzero)) <=
         ranks.SumOf(static_cast<std::int64_t>(size));
}

void AppendMatrices(const std::vector<Matrix>& matrices, Storage storage, bool all_sparse,
                    internal::FeatureRows* rows) {
  for (const Matrix& matrix : matrices) {
    if (matrix.sparse() || storage == Storage::kDense) {
      matrix.AppendRows(0, matrix.rows(), false, rows);
    } else if (storage == Storage::kByRow) {
      matrix.AppendSparse(rows, FewNonzero);
    } else {
      matrix.AppendSparse(rows, [&](std::span<const double>) { return all_sparse; });
    }
  }
  rows->ShrinkToFit();
}

/// Sequences from matrices as Matrix takes them.
void AddMatrices(const py::list& x, Storage storage, internal::Ranks& ranks, Given* given) {
  SequenceData* const data = &given->data;
  std::vector<Matrix> matrices;
  OnAllProcesses(ranks, [&] {
    Index m = -1;
    for (const py::handle sequence : x) {
      ++m;
      if (PyList_Check(sequence.ptr()) && PyList_GET_SIZE(sequence.ptr()) == 0) continue;
      matrices.emplace_back(py::reinterpret_borrow<py::object>(sequence));
      const Matrix& matrix = matrices.back();
      if (matrix.columns() != matrices.front().columns()) {
        throw py::value_error(InX(m) + " has " + std::to_string(matrix.columns()) +
                              " features, but " + InX(given->places.front()) + " has " +
                              std::to_string(matrices.front().columns()));
      }
      EndSequence(m, data->begin.back() + matrix.rows(), given);
    }
  });
  const py::gil_scoped_release release;
  const bool all_sparse = storage == Storage::kBySet && FewNonzeroInAll(matrices, ranks);
  auto rows = std::make_shared<internal::FeatureRows>();
  OnAllProcesses(ranks, [&] { AppendMatrices(matrices, storage, all_sparse, rows.get()); });
  // A process without sequences takes the number from the others.
  data->num_features =
      static_cast<Index>(ranks.MaxOf(matrices.empty() ? 0 : matrices.front().columns()));
  data->rows = std::move(rows);
}

/// Sequences without labels. `columns`: of the templates, for SequenceFormat::kConll; storage: for
/// kLetters. Processes that train together must all call it.
Given DataOf(SequenceFormat format, const py::list& x, Index columns, Storage storage,
             internal::Ranks& ranks = internal::OneRank()) {
  Given given;
  SequenceData& data = given.data;
  data.source = "X";
  data.begin = {0};
  switch (format) {
    case SequenceFormat::kLetters:
      AddMatrices(x, storage, ranks, &given);
      break;
    case SequenceFormat::kConll:
      OnAllProcesses(ranks, [&] { AddColumns(x, columns, &given); });
      break;
    case SequenceFormat::kAttributes:
      OnAllProcesses(ranks, [&] { AddAttributes(x, &given); });
      break;
  }
  data.has_labels = false;
  data.labels.assign(internal::Size(data.begin.back()), internal::kUnlabelled);
  return given;
}

/// The numbers of all sequences.
std::vector<Index> All(const SequenceData& data) {
  std::vector<Index> all(internal::Size(data.num_sequences()));
  for (Index m = 0; m < data.num_sequences(); ++m) all[internal::Size(m)] = m;
  return all;
}

SequenceFormat FormatFrom(const std::string& name) {
  constexpr std::array kFormats = {SequenceFormat::kLetters, SequenceFormat::kConll,
                                   SequenceFormat::kAttributes};
  for (const SequenceFormat format : kFormats) {
    if (Name(format) == name) return format;
  }
  throw py::value_error("there is no format '" + name + "'");
}

/// Takes over labels (numbers of names, or −1), one per token of the `sequences` sequences of X.
void AddLabels(const IndexArray& labels, const OffsetArray& begin, std::size_t sequences,
               std::vector<std::string> label_names, Given* given) {
  SequenceData* const data = &given->data;
  const auto labelled = static_cast<std::size_t>(begin.size() - 1);
  if (labelled != sequences)
    throw py::value_error("X has " + std::to_string(sequences) + " sequences, but y has " +
                          std::to_string(labelled));
  std::vector<Offset> lengths(sequences, 0);
  for (Index k = 0; k < data->num_sequences(); ++k)
    lengths[internal::Size(given->places[internal::Size(k)])] = data->length(k);
  for (std::size_t m = 0; m < sequences; ++m) {
    const std::int64_t length = begin.data()[m + 1] - begin.data()[m];
    if (length == lengths[m]) continue;
    throw py::value_error(InX(static_cast<Index>(m)) + " has " + std::to_string(lengths[m]) +
                          " tokens, but y[" + std::to_string(m) + "] has " +
                          std::to_string(length) + " labels");
  }
  data->labels.assign(labels.data(), labels.data() + labels.size());
  data->has_labels = true;
  data->num_model_labels = static_cast<Index>(label_names.size());
  data->label_names = std::move(label_names);
}

/// The checks of constraints, with the place in y.
void CheckBio(const SequenceData& data, std::span<const Index> sequences,
              std::span<const Index> places) {
  const std::string why = internal::WhyNotBio(data.label_names);
  if (!why.empty()) throw py::value_error("constraints='bio' needs BIO labels, but " + why);
  const std::optional<internal::BioViolation> violation =
      internal::FindBioViolation(data, sequences);
  if (!violation) return;
  throw py::value_error("y[" + std::to_string(places[internal::Size(violation->sequence)]) + "][" +
                        std::to_string(violation->position) +
                        "]: constraints='bio' does not allow " + violation->text);
}

internal::RecordTexts TextsOf(const FitArguments& arguments, const std::vector<double>& costs,
                              SequenceFormat format) {
  internal::RecordTexts texts;
  texts.costs = costs;
  texts.loss = arguments.text("loss") + (costs.empty() ? "" : " with costs");
  texts.options.emplace_back("format", std::string(Name(format)));
  for (const char* name : {"loss", "constraints", "scale"})
    texts.options.emplace_back(name, arguments.text(name));
  if (!costs.empty()) texts.options.emplace_back("costs", "given");
  if (const auto type = arguments.options.find("class-type"); type != arguments.options.end())
    texts.options.emplace_back(*type);
  if (format == SequenceFormat::kLetters) return texts;
  const char* counted = arguments.text("hash-bits").empty() ? "min-count" : "hash-bits";
  texts.options.emplace_back(counted, arguments.text(counted));
  return texts;
}

internal::SequenceTrainingOptions OptionsOf(const FitArguments& arguments,
                                            const internal::TrainOptions& train) {
  internal::SequenceTrainingOptions options;
  options.learner = train.learner;
  options.constraints =
      internal::CheckChoice("constraints", arguments.text("constraints"), {"none", "bio"}) == 0
          ? internal::LabelConstraints::kAny
          : internal::LabelConstraints::kBio;
  options.scale = ScaleFrom(arguments.text("scale"));
  options.loss = internal::ReadLossScale(arguments.text("loss"));
  options.ranks = internal::ExactRanks(train);
  return options;
}

/// Makes the features of attributes. Processes that train together must all call it.
void LearnFeatures(const FitArguments& arguments, internal::Ranks& ranks,
                   internal::SequenceInput* input) {
  if (input->format != SequenceFormat::kAttributes) return;
  internal::SequenceFeatureOptions features;
  const std::string& bits = arguments.text("hash-bits");
  features.min_count = bits.empty() ? std::stoll(arguments.text("min-count")) : 1;
  if (!bits.empty()) features.hash_bits = std::stoi(bits);
  input->features.emplace(internal::SequenceFeatures{
      {}, internal::LearnAttributeFeatures(features, &input->data, ranks)});
}

/// Trains a model. labels: one per token, a number of a name or −1; begin: where sequences begin in
/// them; costs: K × K by rows, [true, predicted], empty: 1 for every error.
std::pair<std::shared_ptr<SequenceModel>, py::dict> FitSequences(
    const std::string& format, const py::list& x, const IndexArray& labels,
    const OffsetArray& begin, std::vector<std::string> label_names, std::vector<double> costs,
    const FitArguments& arguments) {
  RunRequest request = arguments.Request();
  internal::Ranks& ranks = request.the_ranks();
  const internal::SequenceTrainingOptions options = OptionsOf(arguments, request.options);
  internal::SequenceInput input;
  input.format = FormatFrom(format);
  // Sparse rows are not centred, which is what "standard" would do to dense ones.
  Given given = DataOf(
      input.format, x, 0,
      options.scale == internal::ScaleKind::kStandard ? Storage::kDense : Storage::kBySet, ranks);
  OnAllProcesses(ranks, [&] {
    AddLabels(labels, begin, x.size(), std::move(label_names), &given);
    input.data = std::move(given.data);
    input.sequences = All(input.data);
    if (options.constraints == internal::LabelConstraints::kBio)
      CheckBio(input.data, input.sequences, given.places);
  });
  std::optional<internal::SequenceTask> task;
  std::optional<internal::SequenceTraining> training;
  {
    const py::gil_scoped_release release;
    LearnFeatures(arguments, ranks, &input);
    task.emplace(internal::MakeSequenceTask(std::move(input), options));
    task->loss.costs = std::move(costs);
    training.emplace(&*task, TextsOf(arguments, task->loss.costs, task->input.format));
  }
  CheckSignals(ranks);  // nothing is trained yet
  py::dict result = Run(std::move(request), &*training);
  result["scaling"] = task->scaled.line;
  return {std::make_shared<SequenceModel>(std::move(task->model)), std::move(result)};
}

/// Data for a model, with features.
SequenceData DataFor(const SequenceModel& model, const py::list& x) {
  const Index columns =
      model.format() == SequenceFormat::kConll ? model.features().templates.num_columns() : 0;
  // By rows, so that the scores of a sequence do not depend on other sequences.
  SequenceData data = DataOf(model.format(), x, columns, Storage::kByRow).data;
  if (model.format() == SequenceFormat::kLetters && data.num_sequences() > 0)
    RequireColumns(data.num_features, model.num_features());
  data.label_names = model.label_names();
  data.num_model_labels = model.num_labels();
  const py::gil_scoped_release release;
  if (data.num_sequences() > 0) internal::MakeRowsFor(model, &data);
  return data;
}

/// (where sequences begin, labels per token, scores tokens × K if wanted, best labellings if
/// wanted: per sequence a list of (labels, score)).
py::tuple PredictSequences(const SequenceModel& model, const py::list& x, bool scores, Index best,
                           Index threads) {
  const SequenceData data = DataFor(model, x);
  internal::SequencePredictOptions options;
  options.threads = threads;
  options.scores = scores;
  options.best = best;
  internal::SequencePredictions predictions;
  if (data.num_sequences() > 0) {
    const py::gil_scoped_release release;
    predictions = internal::PredictSequences(model, data, All(data), options);
  }
  py::list labellings;
  for (const auto& of_sequence : predictions.best) {
    py::list list;
    for (const internal::RankedLabelling& labelling : of_sequence)
      list.append(
          py::make_tuple(ArrayOf(std::span<const Index>(labelling.labels)), labelling.value));
    labellings.append(std::move(list));
  }
  return py::make_tuple(ArrayOf(std::span<const Offset>(data.begin)),
                        ArrayOf(std::span<const Index>(predictions.labels)),
                        MatrixOf(predictions.scores, model.num_labels()), labellings);
}

/// (where sequences begin, marginals: tokens × K).
py::tuple Marginals(const SequenceModel& model, const py::list& x, double temperature,
                    Index threads) {
  const SequenceData data = DataFor(model, x);
  std::vector<double> marginals;
  if (data.num_sequences() > 0) {
    const py::gil_scoped_release release;
    marginals = internal::SequenceMarginals(model, data, All(data), temperature, threads);
  }
  return py::make_tuple(ArrayOf(std::span<const Offset>(data.begin)),
                        MatrixOf(marginals, model.num_labels()));
}

py::dict ChunkDict(const internal::ChunkMetrics& chunks) {
  py::dict dict;
  dict["precision"] = chunks.precision;
  dict["recall"] = chunks.recall;
  dict["f1"] = chunks.f1;
  dict["true"] = chunks.truth;
  dict["predicted"] = chunks.predicted;
  dict["right"] = chunks.right;
  return dict;
}

/// Agreement of labels (numbers of names, or −1 for unknown true ones), one per token.
py::dict EvaluateSequences(const OffsetArray& begin, const IndexArray& truth,
                           const IndexArray& predicted,
                           const std::vector<std::string>& label_names) {
  const auto span = [](const auto& array) {
    return std::span(array.data(), static_cast<std::size_t>(array.size()));
  };
  const std::vector<Offset> offsets(begin.data(), begin.data() + begin.size());
  const internal::SequenceMetrics metrics =
      internal::ComputeSequenceMetrics(offsets, span(truth), span(predicted), label_names);
  py::dict dict;
  dict["token_accuracy"] = metrics.token_accuracy;
  dict["sequence_accuracy"] = metrics.sequence_accuracy;
  dict["hamming_loss"] = metrics.hamming_loss;
  dict["tokens"] = metrics.tokens;
  dict["sequences"] = metrics.sequences;
  dict["chunks"] = ChunkDict(metrics.chunks);
  py::dict types;
  for (const internal::ChunkMetrics& type : metrics.chunk_types)
    types[py::str(type.type)] = ChunkDict(type);
  dict["chunk_types"] = types;
  return dict;
}

/// The names of the features; None where they have none.
py::object SequenceFeatureNames(const SequenceModel& model) {
  if (model.format() == SequenceFormat::kLetters || model.features().dictionary.hash_bits() > 0)
    return py::none();
  py::list names;
  const internal::FeatureDictionary& dictionary = model.features().dictionary;
  for (Index f = 0; f < dictionary.size(); ++f)
    names.append(py::str(std::string(dictionary.name(f))));
  return names;
}

}  // namespace

void BindSequence(py::module_* module) {
  BindModel<SequenceModel>(module, "SequenceModel")
      .def("predict", &PredictSequences, py::arg("x"), py::arg("scores"), py::arg("best"),
           py::arg("threads"))
      .def("marginals", &Marginals, py::arg("x"), py::arg("temperature"), py::arg("threads"))
      .def_property_readonly(
          "format", [](const SequenceModel& model) { return std::string(Name(model.format())); })
      .def_property_readonly(
          "constraints",
          [](const SequenceModel& model) { return std::string(Name(model.constraints())); })
      .def_property_readonly("kernelized",
                             [](const SequenceModel& model) { return bool(model.support()); })
      .def_property_readonly("label_names", &SequenceModel::label_names)
      .def_property_readonly("num_features", &SequenceModel::num_features)
      .def_property_readonly("num_columns",
                             [](const SequenceModel& model) -> Index {
                               return model.format() == SequenceFormat::kConll
                                          ? model.features().templates.num_columns()
                                          : 0;
                             })
      .def_property_readonly("feature_names", &SequenceFeatureNames)
      .def_property_readonly("weights", [](const SequenceModel& model) {
        return WeightsOf(*model.layout(), model.weights());
      });
  module->def("fit_sequence", &FitSequences, py::arg("format"), py::arg("x"), py::arg("labels"),
              py::arg("begin"), py::arg("label_names"), py::arg("costs"), py::arg("arguments"));
  module->def("sequence_metrics", &EvaluateSequences, py::arg("begin"), py::arg("truth"),
              py::arg("predicted"), py::arg("label_names"));
}

}  // namespace slackline::python
