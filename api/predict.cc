// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/predict.h>

#include <cmath>
#include <string>
#include <utility>

#include <slackline/api/dataset_impl.h>
#include <slackline/api/graph_impl.h>
#include <slackline/api/model_impl.h>
#include <slackline/api/score_solver_impl.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>

namespace slackline {
inline namespace v1 {
namespace {

StateTable TableOf(const internal::FactorGraph& graph, std::span<const double> flat) {
  StateTable table(graph.num_variables());
  for (int i = 0; i < graph.num_variables(); ++i) {
    const auto begin = flat.begin() + graph.state_offset(i);
    table[i].assign(begin, begin + graph.cardinality(i));
  }
  return table;
}

}  // namespace

struct Predictor::Impl {
  Impl(const Graph& g, const Weights& w, const InferOptions& options)
      : structure(g.impl()->structure), weights(w), solver(structure, g.impl()->open, options) {
    SLACKLINE_CHECK(!options.marginals && !options.max_marginals && options.threads == 1,
                    "marginals, max_marginals and threads are options of Infer; a Predictor has "
                    "functions for marginals, and serves one thread");
    RequireWeightsOf(weights, structure->layout());
    solver.SetWeights(weights.values());
  }

  const internal::FactorGraph& graph() const { return structure->graph(); }

  /// Computes the scores of all variables and factors, −∞ for forbidden states.
  std::span<const double> ScoresOf(const Observation& observation) {
    solver.StartClock();
    const internal::Dataset one = OneExample(structure, observation);
    internal::ScoreTables(one.example(0), weights.values(), solver.scores());
    solver.ScoresChanged();
    return solver.scores();
  }

  std::shared_ptr<const internal::Structure> structure;
  Weights weights;
  ScoreSolver solver;
};

Predictor::Predictor(const Graph& graph, const Weights& weights, const InferOptions& options)
    : impl_(std::make_unique<Impl>(graph, weights, options)) {}
Predictor::Predictor(Predictor&& other) noexcept = default;
Predictor& Predictor::operator=(Predictor&& other) noexcept = default;
Predictor::~Predictor() = default;

Prediction Predictor::Predict(const Observation& observation) {
  impl_->ScoresOf(observation);
  internal::MapResult result;
  impl_->solver.Solve(&result);
  return PredictionOf(&impl_->solver, std::move(result));
}

double Predictor::Score(const Observation& observation, const Labelling& labels) {
  RequireLabelling(impl_->graph(), labels);
  impl_->ScoresOf(observation);
  return impl_->solver.ScoreOf(labels);
}

StateTable Predictor::Scores(const Observation& observation) {
  return TableOf(impl_->graph(), impl_->ScoresOf(observation));
}

StateTable Predictor::MaxMarginals(const Observation& observation) {
  impl_->ScoresOf(observation);
  return TableOf(impl_->graph(), impl_->solver.MaxMarginals());
}

std::vector<RankedLabelling> Predictor::KBest(const Observation& observation, int k) {
  SLACKLINE_CHECK(k >= 1, "at least one labelling must be asked for");
  impl_->ScoresOf(observation);
  return impl_->solver.KBest(k);
}

MarginalTable Predictor::Marginals(const Observation& observation, double temperature) {
  SLACKLINE_CHECK(std::isfinite(temperature) && temperature > 0,
                  "a temperature must be positive and finite");
  impl_->ScoresOf(observation);
  std::vector<double> marginals(impl_->graph().total_states());
  MarginalTable result;
  result.log_partition = impl_->solver.Marginals(temperature, &marginals);
  result.probabilities = TableOf(impl_->graph(), marginals);
  return result;
}

Prediction Predict(const Graph& graph, const Observation& observation, const Weights& weights,
                   const InferOptions& options) {
  return Predictor(graph, weights, options).Predict(observation);
}
double Score(const Graph& graph, const Observation& observation, const Labelling& labels,
             const Weights& weights) {
  return Predictor(graph, weights).Score(observation, labels);
}
StateTable Scores(const Graph& graph, const Observation& observation, const Weights& weights) {
  return Predictor(graph, weights).Scores(observation);
}
StateTable MaxMarginals(const Graph& graph, const Observation& observation,
                        const Weights& weights) {
  return Predictor(graph, weights).MaxMarginals(observation);
}
std::vector<RankedLabelling> KBest(const Graph& graph, const Observation& observation,
                                   const Weights& weights, int k) {
  return Predictor(graph, weights).KBest(observation, k);
}
MarginalTable Marginals(const Graph& graph, const Observation& observation, const Weights& weights,
                        double temperature) {
  return Predictor(graph, weights).Marginals(observation, temperature);
}

}  // namespace v1
}  // namespace slackline
