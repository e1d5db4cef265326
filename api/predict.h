// SPDX-License-Identifier: BSD-3-Clause
//
// Prediction on any graph: the best labelling with a bound on all others, the best few labellings,
// max-marginals and marginals.
//
// What is exact for which graph (a forest: no cycle of variables and factors with tables, and no
// factor with its own maximum; small: at most 65 536 labellings):
//
//   Predict       forests, small graphs, and graphs whose factors with their own maximum share no
//                 variable and stand alone; any other graph: a good labelling, a bound that holds
//                 for all labellings, and `optimal` where the two meet
//   MaxMarginals  the same; without factors with their own maximum any graph (else of the LP
//                 relaxation: upper bounds)
//   KBest         forests and small graphs only
//   Marginals     forests and small graphs only
//
// Where a graph does not allow a call, std::runtime_error says which graphs would.
#pragma once

#include <memory>
#include <vector>

#include <slackline/dataset.h>
#include <slackline/export.h>
#include <slackline/graph.h>
#include <slackline/model.h>

namespace slackline {
inline namespace v1 {

struct Prediction {
  Labelling labels;
  double score = 0;      ///< of the labels: w·φ
  double bound = 0;      ///< no labelling has a larger score
  bool optimal = false;  ///< the labels reach the bound, up to rounding
};

struct RankedLabelling {
  Labelling labels;
  double score = 0;
};

/// A number for each state of each variable: table[variable][state].
using StateTable = std::vector<std::vector<double>>;

struct MarginalTable {
  StateTable probabilities;
  double log_partition = 0;  ///< temperature · log Σ_y exp(score(y) / temperature)
};

/// Predicts examples of one graph, and keeps work space between calls: one object per thread. The
/// functions below make one for a single call.
class SLACKLINE_EXPORT Predictor {
 public:
  Predictor(const Graph& graph, const Weights& weights);
  Predictor(Predictor&& other) noexcept;
  Predictor& operator=(Predictor&& other) noexcept;
  ~Predictor();

  /// Throws std::runtime_error when no labelling is allowed, or none was found.
  Prediction Predict(const Observation& observation);
  /// w·φ of a labelling, −∞ where the graph forbids it.
  double Score(const Observation& observation, const Labelling& labels);
  /// The scores of the single variables, without factors that join them.
  StateTable Scores(const Observation& observation);
  /// The largest score of a labelling with this state; −∞ where there is none.
  StateTable MaxMarginals(const Observation& observation);
  /// At most k labellings, the best first.
  std::vector<RankedLabelling> KBest(const Observation& observation, int k);
  /// Of the distribution with probabilities in proportion to exp(score / temperature).
  MarginalTable Marginals(const Observation& observation, double temperature = 1);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

SLACKLINE_EXPORT Prediction Predict(const Graph& graph, const Observation& observation,
                                    const Weights& weights);
SLACKLINE_EXPORT double Score(const Graph& graph, const Observation& observation,
                              const Labelling& labels, const Weights& weights);
SLACKLINE_EXPORT StateTable Scores(const Graph& graph, const Observation& observation,
                                   const Weights& weights);
SLACKLINE_EXPORT StateTable MaxMarginals(const Graph& graph, const Observation& observation,
                                         const Weights& weights);
SLACKLINE_EXPORT std::vector<RankedLabelling> KBest(const Graph& graph,
                                                    const Observation& observation,
                                                    const Weights& weights, int k);
SLACKLINE_EXPORT MarginalTable Marginals(const Graph& graph, const Observation& observation,
                                         const Weights& weights, double temperature = 1);

}  // namespace v1
}  // namespace slackline
