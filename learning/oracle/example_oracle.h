// SPDX-License-Identifier: BSD-3-Clause
//
// The loss-augmented oracle of a whole example: max over the solver's domain of H_m(y; w) = Δ_m(y)
// − w·ψ_m(y).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/map_solver.h>
#include <slackline/learning/oracle/count_loss_oracle.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// A corner of an example's domain, in the smallest form that training needs.
struct Corner {
  std::span<const double> coordinates;  ///< of φ_m(y^m) − φ_m(s): num_coordinates entries
  double loss = 0;                      ///< Δ_m(s)
  double value = 0;                     ///< H_m(s; w)
  double upper_bound = 0;               ///< certified bound on H_m over the domain, ≥ 0
};

/// Keeps one solver per structure and the work space for one thread.
class ExampleOracle {
 public:
  /// Throws DataError when `kind` does not apply to one of the problem's structures. lp_tolerance >
  /// 0: that of the simplex method (glpk_lp.h); requires kLp or kLpPolytope.
  ExampleOracle(const Problem& problem, SolverKind kind, double lp_tolerance = 0);

  /// Follows the learner to another λ: nothing but the training set matters here.
  void set_problem(const Problem& problem) { problem_ = problem; }

  /// Maximises example m at the weights scale·weights. `warm` may be null. The result is valid
  /// until the next call. Throws std::logic_error when the oracle's answer is worse than the ground
  /// truth, which every domain contains: then the oracle is wrong. offsets: empty, or one number
  /// for each state of each variable (as Problem::loss), which are added to the scores. They count
  /// in `value` and `upper_bound`, which may then be negative, not in `loss`.
  Corner Maximise(Index m, std::span<const double> weights, WarmStart* warm,
                  std::span<const double> offsets = {}, double scale = 1);
  /// The point itself that the last call found.
  const MapResult& result() const { return result_; }

  /// The same at weights of which only the coordinate scores u of the example are known
  /// (core/structure.h): kernelized ones. Not for structures with global factors. Offsets need
  /// losses that are sums. O(states + the solver's work).
  Corner MaximiseAt(Index m, std::span<const double> u, WarmStart* warm,
                    std::span<const double> offsets = {});

  /// Whether the domain is the local polytope (for all structures).
  bool relaxed() const;
  /// Names of the solvers in use.
  std::string solver_names() const;

 private:
  Problem problem_;
  void Solve(Index m, std::span<const double> u, WarmStart* warm, std::span<const double> offsets);

  std::unique_ptr<CountLossOracle> counts_;          // with the loss 1 − F1
  std::vector<std::unique_ptr<MapSolver>> solvers_;  // one per structure; none with counts_
  MapResult result_;
  std::vector<double> scores_;
  std::vector<double> given_;
  std::vector<double> coordinates_;
  std::vector<double> u_;
  std::vector<double> scaled_;
};

}  // namespace slackline::internal
