// SPDX-License-Identifier: BSD-3-Clause
//
// Prediction on any graph: the best labelling with a bound on all others, the k best labellings,
// max-marginals and marginals.
//
// What is exact on which graph (forest: variables and factors with tables form no cycle, and no
// factor has its own max oracle; small: at most 65 536 labellings):
//
//   Predict       forests, small graphs without factors that have their own max oracle, graphs
//                 whose factors with their own max oracle share no variable and stand alone, and
//                 any graph with at most 4096 labellings; on any other graph a good labelling, a
//                 bound on all labellings, and `optimal` where the score reaches the bound
//   MaxMarginals  forests, small graphs, and graphs without forbidden states whose factors with
//                 their own max oracle share no variable and stand alone; on all other graphs
//                 without such factors the upper bounds of the LP relaxation
//   KBest         forests and small graphs only
//   Marginals     forests and small graphs only
//
// On a graph that a function does not support, it throws std::runtime_error and the message says
// which graphs it supports. Arguments that do not fit throw std::invalid_argument.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <slackline/dataset.h>
#include <slackline/export.h>
#include <slackline/graph.h>
#include <slackline/model.h>

namespace slackline {
inline namespace v1 {

/// Options of Predict, Predictor (method, limits) and Infer (all).
struct InferOptions {
  /// auto        exact where that is cheap, as listed above
  /// exact       an exact method whatever it costs; std::runtime_error where there is none. Branch
  ///             and bound gives up after 16 million nodes; `optimal` is false then
  /// lp          the LP relaxation, rounded: roof duality for binary pairs, else the LP solver for
  ///             small graphs if the build has it, else message passing; dynamic programming on
  ///             forests, and dual decomposition for factors with their own max oracle
  /// messages    message passing on the dual of the LP; tables only
  /// expansion   α-expansion for variables with the same number of states and associative factors
  ///             over pairs; std::runtime_error on others
  std::string method = "auto";
  /// For Infer: whether results have marginals, and max-marginals (on the graphs listed above,
  /// whatever the method). Marginals of method lp by message passing take up to some seconds, and
  /// may tighten the bound.
  bool marginals = false;
  bool max_marginals = false;
  /// For InferBatch: threads; 0 = all of the machine. Results do not depend on the number.
  int threads = 1;
  /// Seconds for a call (for a whole batch); 0 = no limit. At the limit a call ends within a
  /// second, plus one call of a factor's own max oracle. It returns the best labels found and a
  /// valid bound, also in place of max-marginals not yet computed. Throws std::runtime_error where
  /// no allowed labelling was found by then.
  double time_limit_seconds = 0;
  /// May be null. A value other than 0, set by any thread or signal handler, ends a call as the
  /// time limit does.
  const std::atomic<int>* interrupt = nullptr;
};

struct Prediction {
  Labelling labels;
  double score = 0;      ///< w·φ of the labels
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

/// Predicts examples of one graph and keeps its work space between calls; use one object per
/// thread. The free functions below make one for a single call.
class SLACKLINE_EXPORT Predictor {
 public:
  /// Throws std::invalid_argument on unknown methods, negative limits, and options of Infer alone;
  /// calls throw std::runtime_error when the method does not support the graph or its scores.
  Predictor(const Graph& graph, const Weights& weights, const InferOptions& options = {});
  Predictor(Predictor&& other) noexcept;
  Predictor& operator=(Predictor&& other) noexcept;
  ~Predictor();

  /// Throws std::runtime_error when no labelling is allowed or none was found.
  Prediction Predict(const Observation& observation);
  /// w·φ of a labelling, −∞ where the graph forbids it.
  double Score(const Observation& observation, const Labelling& labels);
  /// The score of each state of each variable alone, without the factors that join variables.
  StateTable Scores(const Observation& observation);
  /// For each state of each variable the largest score of a labelling with this state; −∞ where
  /// there is none.
  StateTable MaxMarginals(const Observation& observation);
  /// At most k labellings, the best first; k ≥ 1.
  std::vector<RankedLabelling> KBest(const Observation& observation, int k);
  /// Marginals of the distribution with probabilities proportional to exp(score / temperature);
  /// temperature > 0.
  MarginalTable Marginals(const Observation& observation, double temperature = 1);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

SLACKLINE_EXPORT Prediction Predict(const Graph& graph, const Observation& observation,
                                    const Weights& weights, const InferOptions& options = {});
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
