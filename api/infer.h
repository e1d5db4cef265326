// SPDX-License-Identifier: BSD-3-Clause
//
// Inference with given scores: the best labelling of a graph whose variables and factors have
// scores from any source, for example a neural network. No weights are read and nothing is trained.
//
//     const ScoreLayout layout(graph);
//     std::vector<double> scores(layout.size());   // fill in from layout.variables(), …
//     const InferResult best = Infer(graph, scores, {.method = "lp", .marginals = true});
//
// All functions here take scores as one row of numbers:
//   1. for each variable, a number for each of its states;
//   2. for each factor with a table, in the order in which factors were added to the graph, a
//      number for each joint state, with the last variable of the scope fastest;
//   3. for each factor with its own max oracle, in that order, its weights (none for hard bounds on
//      counts and for matchings).
// The score of a labelling is the sum of its states' scores and of the factors' w·φ. A score of −∞
// forbids a state; states that the graph forbids are forbidden whatever their scores are. The
// graph's inputs, potentials and weights are not used.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <slackline/dataset.h>
#include <slackline/export.h>
#include <slackline/graph.h>
#include <slackline/predict.h>

namespace slackline {
inline namespace v1 {

/// Where the scores of a variable or factor are: scores[begin] … scores[begin + size − 1].
struct ScoreBlock {
  std::vector<int> variables;
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// The places of all scores of a graph.
class SLACKLINE_EXPORT ScoreLayout {
 public:
  explicit ScoreLayout(const Graph& graph);
  /// Number of scores.
  std::size_t size() const { return size_; }
  const std::vector<ScoreBlock>& variables() const { return variables_; }
  const std::vector<ScoreBlock>& tables() const { return tables_; }
  /// The places of the weights of factors with their own max oracle.
  const std::vector<ScoreBlock>& oracles() const { return oracles_; }

 private:
  std::vector<ScoreBlock> variables_, tables_, oracles_;
  std::size_t size_ = 0;
};

struct InferResult {
  Labelling labels;
  double score = 0;      ///< of the labels
  double bound = 0;      ///< no labelling has a larger score
  bool optimal = false;  ///< the labels reach the bound, up to rounding
  /// In the places of the scores: the solution of the relaxation if the method solves one and it is
  /// fractional, else the indicator of the labels (LabellingFeatures). The LP solver's solution is
  /// a corner, exact up to rounding. Method lp without the LP solver, or on a graph that is too
  /// large for it, gives a point near the optimum: its marginals agree to 1e-9. bound − scores ·
  /// marginals says how near the point is: at most a thousandth of the bound unless the work is
  /// limited (some thousandths on hard graphs, a hundredth on large ones). Method messages has
  /// labels only.
  std::vector<double> marginals;
  /// Whether the marginals are fractional; scores · marginals is then above the score of the
  /// labels, and not above the bound.
  bool fractional = false;
  /// For each state of each variable, the largest score of a labelling with it; −∞ without one.
  std::vector<double> max_marginals;
};

/// A graph and its scores, which must outlive the call.
struct GraphScores {
  Graph graph;
  std::span<const double> scores;
};

/// One result for each graph. Neighbours in the batch with the same graph share work space.
SLACKLINE_EXPORT std::vector<InferResult> InferBatch(std::span<const GraphScores> batch,
                                                     const InferOptions& options = {});

/// Infers on one graph and keeps its work space between calls; use one object per thread. The free
/// functions below make one object for a single call. Throws std::invalid_argument on an unknown
/// method, when the number of scores is not the layout's, and on scores that are NaN or +∞;
/// std::runtime_error when the method does not support the graph or its scores, and when no
/// labelling is allowed.
class SLACKLINE_EXPORT Inference {
 public:
  explicit Inference(const Graph& graph, const InferOptions& options = {});
  Inference(Inference&& other) noexcept;
  Inference& operator=(Inference&& other) noexcept;
  ~Inference();

  InferResult Infer(std::span<const double> scores);
  /// The score of a labelling, −∞ where it is forbidden.
  double Score(std::span<const double> scores, const Labelling& labels);

 private:
  friend std::vector<InferResult> InferBatch(std::span<const GraphScores> batch,
                                             const InferOptions& options);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

SLACKLINE_EXPORT InferResult Infer(const Graph& graph, std::span<const double> scores,
                                   const InferOptions& options = {});
/// One result for each row of scores; `scores` has a whole number of rows.
SLACKLINE_EXPORT std::vector<InferResult> InferBatch(const Graph& graph,
                                                     std::span<const double> scores,
                                                     const InferOptions& options = {});
/// The numbers that multiply the scores in the score of a labelling: 1 for its states and joint
/// states, the features φ for factors with their own max oracle, and 0 elsewhere. Throws
/// std::invalid_argument unless there is one state for each variable.
SLACKLINE_EXPORT std::vector<double> LabellingFeatures(const Graph& graph, const Labelling& labels);

}  // namespace v1
}  // namespace slackline
