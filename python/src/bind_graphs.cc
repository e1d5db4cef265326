// SPDX-License-Identifier: BSD-3-Clause
//
// Own graphs: the public C++ interface (api/) for python/slackline/graphs.py, which documents it.
#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <slackline/api/dataset_impl.h>
#include <slackline/api/model_impl.h>
#include <slackline/api/train_impl.h>
#include <slackline/core/check.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/train_loop.h>
#include <slackline/slackline.h>
#include "src/convert.h"
#include "src/module.h"
#include "src/run.h"

namespace slackline::python {
namespace {

/// Runs `work` without the GIL. Errors of graphs that a call does not support become ValueError.
template <class Work>
auto WithoutGil(const Work& work) {
  const py::gil_scoped_release release;
  try {
    return work();
  } catch (const internal::CertificateError&) {
    throw;
  } catch (const internal::DataError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw py::value_error(error.what());
  }
}

std::vector<double> VectorOf(const DoubleArray& array) {
  return {array.data(), array.data() + array.size()};
}
std::span<const double> SpanOf(const DoubleArray& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}
Labelling LabellingOf(const IndexArray& array) {
  return std::vector<int>(array.data(), array.data() + array.size());
}

Scope ScopeOf(const std::vector<int>& variables) {
  std::vector<Variable> scope;
  for (const int variable : variables) scope.push_back({variable});
  return Scope(std::move(scope));
}

/// The rows of all matrices (Matrix), one after the other.
Inputs InputsOf(const py::list& matrices) {
  Inputs inputs;
  for (const py::handle& object : matrices) {
    const Matrix matrix(py::reinterpret_borrow<py::object>(object));
    for (Index r = 0; r < matrix.rows(); ++r) {
      const std::span<const double> values = matrix.values(r);
      if (matrix.sparse()) {
        const std::span<const Index> columns = matrix.columns(r);
        inputs.Add(SparseRow{{columns.begin(), columns.end()}, {values.begin(), values.end()}});
      } else {
        inputs.Add(values);
      }
    }
  }
  return inputs;
}

/// The weights of a model from all their values in one row.
Weights WeightsFrom(const Model& model, const DoubleArray& values) {
  Weights weights(model);
  if (values.size() != std::ssize(weights.values()))
    throw py::value_error("the weights are not those of the graph's model");
  std::copy_n(values.data(), values.size(), weights.values().begin());
  return weights;
}

py::tuple TupleOf(const Prediction& best) {
  return py::make_tuple(ArrayOf(std::span<const int>(best.labels)), best.score, best.bound,
                        best.optimal);
}

py::list ListOf(const StateTable& table) {
  py::list list;
  for (const std::vector<double>& row : table) list.append(ArrayOf(row));
  return list;
}

py::list BlocksOf(const std::vector<ScoreBlock>& blocks) {
  py::list list;
  for (const ScoreBlock& block : blocks)
    list.append(py::make_tuple(block.variables, block.begin, block.size));
  return list;
}

struct TrainArguments {
  std::map<std::string, std::string> options;
  double c = 0;
  Loss loss;
  py::object callback = py::none();
};

double LambdaOf(const internal::TrainOptions& options, double c, const internal::Problem& problem) {
  if (options.lambda > 0) return options.lambda;
  if (c > 0) return 1 / (c * problem.size());
  return internal::ScalesOf(problem, options).DefaultLambda();
}

py::dict TrainOn(const Dataset& data, const TrainArguments& arguments) {
  internal::TrainOptions options = TrainOptionsFrom(arguments.options);
  if (internal::UsesKernel(options))
    throw py::value_error("kernels have no weights: own graphs train linear models only");
  PythonObserver observer(arguments.callback);
  internal::LearnerChoice choice;
  internal::TrainSummary summary;
  std::shared_ptr<const internal::WeightLayout> layout;
  double lambda = 0;
  Index examples = 0;
  WithoutGil([&] {
    const internal::Problem any(TrainingSetOf(data.impl(), InternalLoss(arguments.loss)), 1.0);
    lambda = LambdaOf(options, arguments.c, any);
    const internal::Problem problem = any.WithLambda(lambda);
    choice = internal::ChooseLearner(problem, options);
    options.lambda = 0;  // the problem has it
    summary = internal::Train(problem, options, &observer, observer.interrupt());
    layout = problem.data().shared_layout();
    examples = problem.size();
  });
  py::dict result = SummaryDict(choice, lambda, summary, &observer);
  result["weights"] = WeightsOf(*layout, summary.weights);
  result["examples"] = examples;
  TrainResult report = ResultOf(summary);
  report.learner = internal::Name(choice.options.learner);
  report.lambda = lambda;
  report.num_examples = examples;
  if (!choice.reason.empty()) report.notes.insert(report.notes.begin(), choice.reason);
  result["report"] = report.Report();
  return result;
}

/// Results of inference as arrays with one row for each.
py::dict ArraysOf(const Graph& graph, const std::vector<InferResult>& results,
                  const InferOptions& options) {
  const auto rows = static_cast<py::ssize_t>(results.size());
  const auto numbers = [&](std::size_t size) { return static_cast<py::ssize_t>(size); };
  const ScoreLayout layout(graph);
  std::size_t states = 0;
  for (const ScoreBlock& block : layout.variables()) states += block.size;
  py::array_t<int> labels({rows, numbers(layout.variables().size())});
  py::array_t<double> score(rows), bound(rows);
  py::array_t<bool> optimal(rows), fractional(rows);
  py::array_t<double> marginals({options.marginals ? rows : 0, numbers(layout.size())});
  py::array_t<double> max_marginals({options.max_marginals ? rows : 0, numbers(states)});
  int* label = labels.mutable_data();
  double* marginal = marginals.mutable_data();
  double* max_marginal = max_marginals.mutable_data();
  for (py::ssize_t r = 0; r < rows; ++r) {
    const InferResult& result = results[static_cast<std::size_t>(r)];
    label = std::copy(result.labels.begin(), result.labels.end(), label);
    score.mutable_at(r) = result.score;
    bound.mutable_at(r) = result.bound;
    optimal.mutable_at(r) = result.optimal;
    fractional.mutable_at(r) = result.fractional;
    marginal = std::copy(result.marginals.begin(), result.marginals.end(), marginal);
    max_marginal =
        std::copy(result.max_marginals.begin(), result.max_marginals.end(), max_marginal);
  }
  py::dict dict;
  dict["labels"] = std::move(labels);
  dict["score"] = std::move(score);
  dict["bound"] = std::move(bound);
  dict["optimal"] = std::move(optimal);
  dict["fractional"] = std::move(fractional);
  dict["marginals"] = std::move(marginals);
  dict["max_marginals"] = std::move(max_marginals);
  return dict;
}

/// The options of infer with a time limit (0: none), which Ctrl-C ends.
InferOptions InferOptionsOf(std::string method, bool marginals, bool max_marginals, int threads,
                            double time_limit) {
  return {.method = std::move(method),
          .marginals = marginals,
          .max_marginals = max_marginals,
          .threads = threads,
          .time_limit_seconds = time_limit};
}

/// Runs work(interrupt) without the GIL, and then raises the exception of Ctrl-C or of the user's
/// own handler. Ctrl-C sets the flag.
template <class Work>
auto Interruptible(const Work& work, std::atomic<int>* interrupt = nullptr) {
  PythonObserver observer(py::none(), interrupt);
  auto result = WithoutGil([&] { return work(observer.interrupt()); });
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return result;
}

/// scores: rows × number of scores.
py::dict InferRows(const Graph& graph, const DoubleArray& scores, InferOptions options) {
  const std::vector<InferResult> results = Interruptible([&](const std::atomic<int>* interrupt) {
    options.interrupt = interrupt;
    return InferBatch(graph, SpanOf(scores), options);
  });
  return ArraysOf(graph, results, options);
}

/// A dict of arrays with one row for each graph.
py::list InferGraphs(const std::vector<Graph>& graphs, const std::vector<DoubleArray>& scores,
                     InferOptions options) {
  std::vector<GraphScores> batch;
  for (std::size_t k = 0; k < graphs.size(); ++k)
    batch.push_back({graphs[k], SpanOf(scores.at(k))});
  std::vector<InferResult> results = Interruptible([&](const std::atomic<int>* interrupt) {
    options.interrupt = interrupt;
    return InferBatch(batch, options);
  });
  py::list list;
  for (std::size_t k = 0; k < graphs.size(); ++k)
    list.append(ArraysOf(graphs[k], {std::move(results[k])}, options));
  return list;
}

WeightBlock Block(int number, int rows, int columns, int first_row) {
  return {number, rows, columns, first_row};
}

/// A builder, whose functions take a weight block as its four numbers.
using BlockPlace = std::array<int, 4>;
WeightBlock Block(const BlockPlace& place) { return Block(place[0], place[1], place[2], place[3]); }

void BindBuilder(py::module_* module) {
  py::class_<GraphBuilder>(*module, "GraphBuilder")
      .def(py::init<const Model&>())
      .def("add_variables",
           [](GraphBuilder& self, int count, int states) {
             const VariableRange range = self.AddVariables(count, states);
             return count == 0 ? 0 : range[0].number;
           })
      .def("add_input", [](GraphBuilder& self, int variable, const BlockPlace& weights,
                           int input) { self.AddInput({variable}, Block(weights), input); })
      .def("add_input_factor",
           [](GraphBuilder& self, const std::vector<int>& scope, const BlockPlace& weights,
              int input) { self.AddInputFactor(ScopeOf(scope), Block(weights), input); })
      .def("add_potentials",
           [](GraphBuilder& self, int variable, const BlockPlace& weights) {
             return self.AddPotentials({variable}, Block(weights));
           })
      .def("add_potential_factor",
           [](GraphBuilder& self, const std::vector<int>& scope, const BlockPlace& weights) {
             return self.AddPotentialFactor(ScopeOf(scope), Block(weights));
           })
      .def("add_factor",
           [](GraphBuilder& self, const std::vector<int>& scope, const Factor* factor,
              const BlockPlace& weights) {
             if (factor == nullptr) return self.AddFactor(ScopeOf(scope));
             self.AddFactor(ScopeOf(scope), *factor, Block(weights));
           })
      .def("forbid",
           [](GraphBuilder& self, const std::vector<int>& scope, const FlagArray& forbidden) {
             self.Forbid(ScopeOf(scope), [&](std::span<const int> states) {
               py::ssize_t at = 0;
               for (std::size_t k = 0; k < states.size(); ++k)
                 at = at * forbidden.shape(static_cast<py::ssize_t>(k)) + states[k];
               return forbidden.data()[at] != 0;
             });
           })
      .def("build", &GraphBuilder::Build);
}

void BindGraph(py::module_* module) {
  py::class_<Model>(*module, "Model")
      .def(py::init<>())
      .def("add_weights", [](Model& self, const std::string& name, int rows, int columns) {
        return self.AddWeights(name, rows, columns).number;
      });
  BindBuilder(module);
  py::class_<Graph>(*module, "Graph")
      .def_property_readonly("num_variables", &Graph::num_variables)
      .def("num_states", [](const Graph& self, int i) { return self.num_states(i); })
      .def_property_readonly("num_factors", &Graph::num_factors)
      .def_property_readonly("num_inputs", &Graph::num_inputs)
      .def_property_readonly("num_potentials", &Graph::num_potentials)
      .def_property_readonly("is_forest", &Graph::IsForest)
      .def("layout",
           [](const Graph& self) {
             const ScoreLayout layout(self);
             return py::make_tuple(layout.size(), BlocksOf(layout.variables()),
                                   BlocksOf(layout.tables()), BlocksOf(layout.oracles()));
           })
      .def("features", [](const Graph& self, const IndexArray& labels) {
        return ArrayOf(LabellingFeatures(self, LabellingOf(labels)));
      });
  py::class_<Dataset>(*module, "Dataset")
      .def(py::init([](const Model& model, const std::string& folder) {
        return std::make_unique<Dataset>(model, DatasetOptions{folder});
      }))
      .def("__len__", &Dataset::size)
      .def("add", [](Dataset& self, const Graph& graph, const py::list& inputs,
                     const IndexArray& labels, const DoubleArray& potentials,
                     const DoubleArray& loss_weights, const DoubleArray& losses) {
        return self.Add(graph, {InputsOf(inputs), LabellingOf(labels), VectorOf(potentials),
                                VectorOf(loss_weights), VectorOf(losses)});
      });
}

void BindFactors(py::module_* module) {
  py::class_<Factor>(*module, "Factor");
  module->def("potts", &Potts);
  module->def("agreement", &Agreement);
  module->def("table", [](std::vector<int> states) { return Table(std::move(states)); });
  module->def("tied_table", [](std::vector<int> states, int num_weights, std::vector<int> rows,
                               const DoubleArray& values) {
    return Table(std::move(states), num_weights, std::move(rows), VectorOf(values));
  });
  // features: joint states × weights
  module->def("feature_table", [](const std::vector<int>& states, const DoubleArray& features) {
    const auto weights = features.shape(1);
    return FunctionTable(states, static_cast<int>(weights),
                         [&](std::span<const int> y, std::span<double> out) {
                           py::ssize_t at = 0;
                           for (std::size_t k = 0; k < y.size(); ++k) at = at * states[k] + y[k];
                           std::copy_n(features.data() + at * weights, weights, out.begin());
                         });
  });
  module->def("at_most", &AtMost);
  module->def("at_least", &AtLeast);
  module->def("exactly", &Exactly);
  module->def("count", &Count);
  module->def("matching", [](const std::vector<std::pair<int, int>>& edges, std::vector<int> left,
                             std::vector<int> right) {
    std::vector<MatchingEdge> given;
    for (const auto& [a, b] : edges) given.push_back({a, b});
    return Matching(given, std::move(left), std::move(right));
  });
  module->def("chain", &Chain);
  module->def("tree", [](std::vector<int> states, const std::vector<std::pair<int, int>>& edges,
                         const Factor& pair) { return Tree(std::move(states), edges, pair); });
}

Loss LossFrom(const std::string& form, const DoubleArray& variable_weights,
              const DoubleArray& costs) {
  Loss loss;
  loss.form = form == "f1" ? LossForm::kF1 : form == "count" ? LossForm::kCount : LossForm::kMean;
  loss.variable_weights = VectorOf(variable_weights);
  loss.costs = VectorOf(costs);
  return loss;
}

OnlineAverage AverageFrom(const std::string& name) {
  if (name == "none") return OnlineAverage::kNewest;
  if (name == "uniform") return OnlineAverage::kUniform;
  return name == "suffix" ? OnlineAverage::kSuffix : OnlineAverage::kWeighted;
}

void BindOnline(py::module_* module) {
  py::class_<OnlineTrainer>(*module, "OnlineTrainer")
      .def(py::init([](const Model& model, double lam, int samples, const std::string& average,
                       bool predict_first, std::int64_t seed, const std::string& loss,
                       const DoubleArray& variable_weights, const DoubleArray& costs,
                       std::map<std::string, std::string> options) {
        return OnlineTrainer(model, {.lambda = lam,
                                     .samples = samples,
                                     .average = AverageFrom(average),
                                     .predict_first = predict_first,
                                     .seed = seed,
                                     .loss = LossFrom(loss, variable_weights, costs),
                                     .learner_options = std::move(options)});
      }))
      .def("learn",
           [](OnlineTrainer& self, const Dataset& next) {
             Interruptible(
                 [&](const std::atomic<int>* interrupt) { return self.Learn(next, interrupt); });
           })
      .def("weights",
           [](const OnlineTrainer& self) {
             const Weights weights = self.weights();
             return WeightsOf(*weights.impl()->layout, weights.values());
           })
      .def("summary", [](const OnlineTrainer& self) {
        const OnlineSummary summary = self.summary();
        return py::make_tuple(summary.num_examples, summary.mean_objective, summary.regret_bound,
                              summary.mean_loss);
      });
}

/// One object for a graph and weights: one thread at a time.
struct Predicting {
  std::unique_ptr<std::atomic<int>> interrupt;  // where the predictor sees it
  Predictor predictor;

  template <class Work>
  auto Run(const Work& work) {
    *interrupt = 0;
    return Interruptible([&](const std::atomic<int>*) { return work(predictor); }, interrupt.get());
  }
};

void BindPrediction(py::module_* module) {
  py::class_<Predicting>(*module, "Predictor")
      .def(py::init([](const Graph& graph, const Model& model, const DoubleArray& weights,
                       std::string method, double time_limit) {
        auto interrupt = std::make_unique<std::atomic<int>>(0);
        const InferOptions options{.method = std::move(method),
                                   .time_limit_seconds = time_limit,
                                   .interrupt = interrupt.get()};
        return Predicting{std::move(interrupt),
                          Predictor(graph, WeightsFrom(model, weights), options)};
      }))
      .def("predict",
           [](Predicting& self, const py::list& inputs, const DoubleArray& potentials) {
             const Observation given{InputsOf(inputs), VectorOf(potentials)};
             return TupleOf(
                 self.Run([&](Predictor& predictor) { return predictor.Predict(given); }));
           })
      .def("score",
           [](Predicting& self, const py::list& inputs, const DoubleArray& potentials,
              const IndexArray& labels) {
             const Observation given{InputsOf(inputs), VectorOf(potentials)};
             const Labelling labelling = LabellingOf(labels);
             return self.Run(
                 [&](Predictor& predictor) { return predictor.Score(given, labelling); });
           })
      .def("scores",
           [](Predicting& self, const py::list& inputs, const DoubleArray& potentials) {
             const Observation given{InputsOf(inputs), VectorOf(potentials)};
             return ListOf(self.Run([&](Predictor& predictor) { return predictor.Scores(given); }));
           })
      .def("max_marginals",
           [](Predicting& self, const py::list& inputs, const DoubleArray& potentials) {
             const Observation given{InputsOf(inputs), VectorOf(potentials)};
             return ListOf(
                 self.Run([&](Predictor& predictor) { return predictor.MaxMarginals(given); }));
           })
      .def("k_best",
           [](Predicting& self, const py::list& inputs, const DoubleArray& potentials, int k) {
             const Observation given{InputsOf(inputs), VectorOf(potentials)};
             py::list list;
             for (const RankedLabelling& ranked :
                  self.Run([&](Predictor& predictor) { return predictor.KBest(given, k); }))
               list.append(
                   py::make_tuple(ArrayOf(std::span<const int>(ranked.labels)), ranked.score));
             return list;
           })
      .def("marginals", [](Predicting& self, const py::list& inputs, const DoubleArray& potentials,
                           double temperature) {
        const Observation given{InputsOf(inputs), VectorOf(potentials)};
        const MarginalTable table =
            self.Run([&](Predictor& predictor) { return predictor.Marginals(given, temperature); });
        return py::make_tuple(ListOf(table.probabilities), table.log_partition);
      });
}

}  // namespace

void BindGraphs(py::module_* module) {
  py::module_ graphs = module->def_submodule("graphs");
  BindGraph(&graphs);
  BindFactors(&graphs);
  BindOnline(&graphs);
  BindPrediction(&graphs);
  graphs.def("train", [](const Dataset& data, std::map<std::string, std::string> options, double c,
                         const std::string& loss, const DoubleArray& variable_weights,
                         const DoubleArray& costs, py::object callback) {
    TrainArguments arguments;
    arguments.options = std::move(options);
    arguments.c = c;
    arguments.loss = LossFrom(loss, variable_weights, costs);
    arguments.callback = std::move(callback);
    return TrainOn(data, arguments);
  });
  graphs.def("infer_rows", [](const Graph& graph, const DoubleArray& scores, std::string method,
                              bool marginals, bool max_marginals, int threads, double time_limit) {
    return InferRows(
        graph, scores,
        InferOptionsOf(std::move(method), marginals, max_marginals, threads, time_limit));
  });
  graphs.def(
      "infer_graphs",
      [](const std::vector<Graph>& graphs_given, const std::vector<DoubleArray>& scores,
         std::string method, bool marginals, bool max_marginals, int threads, double time_limit) {
        return InferGraphs(
            graphs_given, scores,
            InferOptionsOf(std::move(method), marginals, max_marginals, threads, time_limit));
      });
}

}  // namespace slackline::python
