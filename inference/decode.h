// SPDX-License-Identifier: BSD-3-Clause
//
// Prediction: one labelling per example, and max-marginals of its labels, with certificates of
// optimality.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/count_range.h>
#include <slackline/core/ranks.h>
#include <slackline/inference/count_search.h>
#include <slackline/inference/map_solver.h>
#include <slackline/inference/roof_solver.h>

namespace slackline::internal {

/// How an example is decoded.
enum class DecodeKind {
  /// Exact where that is cheap (no cycles, or at most 2^20 labellings), else the LP, rounded and
  /// improved.
  kAuto,
  kLp  ///< exact without cycles, else the LP relaxation, rounded
};

/// The meaning of a max-marginal where no exact method is used. kValues: the value of the LP
/// solution, or of a labelling where the solver finds only labellings (message passing). kBounds:
/// the solver's certified bound. With exact methods the two are equal.
enum class MaxMarginalKind { kValues, kBounds };

/// Reads "auto" or "lp"; throws DataError that names the choices on anything else.
DecodeKind ParseDecodeKind(std::string_view name);

/// Decodes examples that share one graph. Keeps work space and counts: one object per thread.
class Decoder {
 public:
  /// counts: how many variables of a prediction may be 1. If it excludes a labelling, throws
  /// std::invalid_argument unless variables are binary and some labelling satisfies the bounds.
  /// Throws DataError on global factors.
  Decoder(DecodeKind kind, std::shared_ptr<const FactorGraph> graph, CountRange counts = {});

  /// Requires graph.total_states() scores; −∞ forbids a state. Throws as MapSolver::Solve.
  /// `result->labels` is the prediction. kLp leaves a fractional LP solution in the result
  /// (integral = false, value = its value); in all other cases the result describes the labelling.
  /// upper_bound is certified for all labellings within the bounds on the count, and exact says
  /// whether the labelling reaches upper_bound.
  void Decode(std::span<const double> scores, MapResult* result);

  /// For binary variables: differences[i] = max {value | y_i = 1} − max {value | y_i = 0}, one per
  /// variable. Exact methods give exact values (±∞ where all labellings with one of the states are
  /// forbidden), the LP gives values of its relaxation, and branch and bound the best values found
  /// where it gives up. Ignores the bounds on the count. Throws std::invalid_argument unless all
  /// variables have two states.
  void MaxMarginals(std::span<const double> scores, std::span<double> differences);

  /// The same per state: out[state_offset(i) + s] = max {value | y_i = s}, or with kBounds a
  /// certified upper bound on it. Forests take two sweeps, roof duality RoofMarginals. Other
  /// solvers are called once, and once more for every state that is not in their solution.
  void MaxMarginalTables(std::span<const double> scores, std::span<double> out,
                         MaxMarginalKind kind = MaxMarginalKind::kValues);

  /// As MapSolver::SetStop. The max-marginals not yet computed become the solver's bound for all
  /// labellings.
  void SetStop(const StopCondition* stop) {
    stop_ = stop;
    solver_->SetStop(stop);
  }

  /// Whether the LP solution behind the last Decode was fractional (false where no LP was solved).
  bool fractional() const { return fractional_; }

  Offset num_decoded() const { return num_decoded_; }
  /// Number of labellings that are known to be optimal.
  Offset num_certified() const { return num_certified_; }
  Offset num_fractional() const { return num_fractional_; }  ///< LP solutions that were fractional
  /// Adds the counts of another decoder (of another thread).
  void AddCounts(const Decoder& other) {
    num_decoded_ += other.num_decoded_;
    num_certified_ += other.num_certified_;
    num_fractional_ += other.num_fractional_;
  }
  /// Replaces the counts by their sums over all ranks. All ranks must call it.
  void AddUpCounts(Ranks& ranks);

  /// Whether Decode solves the LP relaxation.
  bool solves_lp() const { return method_ == Method::kLpRounded || method_ == Method::kLpImproved; }

  /// A text that names the method, and the share of certified results.
  std::string description() const;

 private:
  enum class Method { kTree, kBranchAndBound, kLpRounded, kLpImproved };

  Method ChooseMethod(DecodeKind kind) const;
  double SolveConditioned(Index variable, Index state, std::span<const double> scores,
                          MaxMarginalKind kind);

  std::shared_ptr<const FactorGraph> graph_;
  Method method_;
  std::unique_ptr<MapSolver> solver_;
  const StopCondition* stop_ = nullptr;
  std::unique_ptr<CountSearch> counts_;            // null without bounds on the count
  std::unique_ptr<RoofMarginals> roof_marginals_;  // made when roof duality first needs it
  bool fractional_ = false;
  Offset num_decoded_ = 0;
  Offset num_certified_ = 0;
  Offset num_fractional_ = 0;
  std::vector<double> conditioned_;  // scores with a penalty on the other states of a variable
  WarmStart warm_;                   // for the conditioned problems of one example
  MapResult work_;
};

}  // namespace slackline::internal
