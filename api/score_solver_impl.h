// SPDX-License-Identifier: BSD-3-Clause
//
// Maximisation over the labellings of one graph for given scores: what Predictor and Inference have
// in common.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <slackline/core/stop_condition.h>
#include <slackline/core/structure.h>
#include <slackline/inference/decode.h>
#include <slackline/inference/global_decoder.h>
#include <slackline/predict.h>

namespace slackline {
inline namespace v1 {

/// Keeps work space between calls: one object per thread. No result depends on earlier calls.
class ScoreSolver {
 public:
  /// open: the structure without its forbidden states, or the same object when it has none. Throws
  /// as Require.
  ScoreSolver(std::shared_ptr<const internal::Structure> structure,
              std::shared_ptr<const internal::Structure> open, const InferOptions& options);

  const internal::FactorGraph& graph() const { return structure_->graph(); }
  const internal::Structure& structure() const { return *structure_; }
  const std::shared_ptr<const internal::FactorGraph>& shared_graph() const {
    return structure_->shared_graph();
  }

  /// The graph.total_states() scores for all later calls. The caller writes them, and then calls
  /// ScoresChanged. −∞ forbids a state.
  std::vector<double>& scores() { return scores_; }
  /// Sets the scores of the structure's forbidden states to −∞. Throws std::invalid_argument on
  /// scores that are NaN or +∞.
  void ScoresChanged();
  /// The weights of all blocks of the structure's layout. Only the weights of factors with their
  /// own max oracle are read. The numbers must outlive later calls.
  void SetWeights(std::span<const double> weights) { weights_ = weights; }

  /// Throws std::invalid_argument on an unknown method and a negative limit.
  static void Require(const InferOptions& options);

  /// Starts the time limit of the options. shared: a condition in place of this limit; may be null.
  void StartClock(const internal::StopCondition* shared = nullptr);

  bool has_globals() const { return has_globals_; }
  /// Whether the graph has no cycles and no factors with their own max oracle.
  bool forest() const { return forest_; }
  /// Whether there are at most 65 536 labellings.
  bool small() const { return small_; }
  /// Whether a score is −∞.
  bool restricted() const { return restricted_; }

  /// The score of a labelling; −∞ when it is forbidden.
  double ScoreOf(std::span<const int> labels);
  /// Finds a labelling, or a point of the relaxation, by the method of the options. The score is −∞
  /// when none was found.
  void Solve(internal::MapResult* result);
  /// The best of all labellings, by enumeration. Requires small().
  void Enumerate(internal::MapResult* result);

  /// As predict.h says about the functions of these names; throw std::runtime_error on graphs that
  /// they do not support. MaxMarginals: one number per state of each variable.
  std::vector<double> MaxMarginals();
  std::vector<RankedLabelling> KBest(int k);
  /// Writes the marginals of the variables' states to the front of `marginals`, which has
  /// graph.total_states() entries. Returns the log partition function times the temperature.
  double Marginals(double temperature, std::vector<double>* marginals);

 private:
  internal::GlobalDecoder& globals();
  internal::Decoder& decoder();
  void SolveAutomatically(internal::MapResult* result);
  void SolveGlobals(internal::MapResult* result);
  void SolveExactly(internal::MapResult* result);
  void SolveRelaxation(internal::MapResult* result);
  void SolveBy(internal::SolverKind kind, internal::MapResult* result);
  void ForEachLabelling(const std::function<void(const std::vector<int>&, double)>& visit);
  std::vector<double> MaxMarginalsByEnumeration();
  std::vector<double> MaxMarginalsByOracles();
  std::vector<RankedLabelling> KBestByPartition(int k);
  std::vector<RankedLabelling> KBestByEnumeration(int k);
  double MarginalsByEnumeration(double temperature, std::vector<double>* marginals);

  std::shared_ptr<const internal::Structure> structure_, open_;
  bool has_globals_ = false, forest_ = false, small_ = false, restricted_ = false;
  std::span<const double> weights_;
  std::unique_ptr<internal::Decoder> table_decoder_;
  std::unique_ptr<internal::GlobalDecoder> global_decoder_;
  enum class Method { kAuto, kExact, kLp, kMessages, kExpansion };
  static Method MethodNamed(const std::string& name);

  InferOptions options_;
  Method method_;
  std::optional<internal::DeadlineOrFlag> own_stop_;
  const internal::StopCondition* stop_ = nullptr;  // of this call; null without limits
  // For methods other than auto. All calls of own_solver_ are of one kind; search_ is the second
  // solver of exact.
  std::unique_ptr<internal::MapSolver> own_solver_, search_;
  std::unique_ptr<internal::GlobalDecoder> decomposition_;
  std::vector<double> scores_, penalised_;
};

/// The labelling of the result with its score and bound. Throws std::runtime_error when no allowed
/// labelling was found.
Prediction PredictionOf(ScoreSolver* solver, internal::MapResult result);

/// Throws std::invalid_argument unless there is one state for each variable of the graph.
void RequireLabelling(const internal::FactorGraph& graph, std::span<const int> labels);

}  // namespace v1
}  // namespace slackline
