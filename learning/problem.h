// SPDX-License-Identifier: BSD-3-Clause
//
// The definition of the training problem and of its scales.
//
//   exact    P(w)   = λ/2 ‖w‖² + (1/M) Σ_m max_y [Δ_m(y) − w·ψ_m(y)]
//   relaxed  G(w,δ) = the same with the maximum over the local polytope, written with messages δ
//            (dual_mixture.h)
//   dual     f(μ)   = (1/M) Σ_m Σ_i Δ_i·μ_i − λ/2 ‖w(μ)‖²,
//                     w(μ) = (1/(λM)) Σ_m [φ_m(y^m) − φ_m(μ_m)]
//
// All objectives are per example; gaps are differences of such objectives.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <slackline/core/loss.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// A training set with its regularisation. Immutable; learners only read it. Copies share the
/// training set.
class Problem {
 public:
  /// Requires a training set with at least one example, and lambda > 0 and finite. ranks: if not
  /// null, those that train together, each with its own examples, of which some may have none.
  Problem(TrainingSet training, double lambda, const Ranks* ranks = nullptr);
  /// The same training set with another λ.
  Problem WithLambda(double lambda) const;

  const Dataset& data() const { return training_->data; }
  const TrainingSet& training() const { return *training_; }
  Index size() const { return training_->data.size(); }  ///< M
  double lambda() const { return lambda_; }
  double lambda_m() const { return lambda_ * static_cast<double>(size()); }  ///< λM
  Offset num_weights() const { return data().layout().size(); }

  /// Δ_i(s) of example m, flat over the states of its variables. With training().form = kF1 the
  /// loss is not a sum of these values: use TrainingSet::LossOf.
  std::span<const double> loss(Index m) const { return training_->loss(m); }

  /// Number of parts (variables, factors and global factors) of all examples together: the blocks
  /// of factor-block learners.
  Offset num_parts() const { return num_parts_; }

  /// R²: the mean over all parts of max_{y,y'} ‖ψ_a(y) − ψ_a(y')‖² (docs/notation.md, section 5).
  /// Sets the scale s = λM/R² of ρ. Requires an example.
  /// The first call sweeps over all features; copies of the problem share its result. Several
  /// threads may call it at once.
  double mean_squared_range() const;
  /// s = λM/R², the natural scale of ρ (1 when all features are zero).
  double penalty_scale() const;

 private:
  struct Range {
    std::once_flag known;
    double mean_square = 0;
  };

  std::shared_ptr<const TrainingSet> training_;
  double lambda_;
  Offset num_parts_ = 0;
  std::shared_ptr<Range> range_ = std::make_shared<Range>();
};

/// P(0) = G(0): the mean over the examples of the largest loss, Σ_i max_s Δ_i(s), or 1 with the
/// loss 1 − F1. Where states are forbidden, the largest loss of an allowed labelling counts, found
/// by dynamic programming, or by branch and bound on graphs with cycles and at most 2^20
/// labellings; on larger ones, the value is an upper bound. Where global factors
/// forbid labellings, the value is exact if global_solver.h applies, else an upper bound.
///
/// exactly: null, or ranks (one process alone, too) of which each has a problem of its own
/// examples. The mean is then that of the examples of all ranks, with an exact sum. All ranks must
/// call it; a DataError on one rank is thrown on all.
double PrimalAtZeroWeights(const Problem& problem, Ranks* exactly = nullptr);

/// Whether the objective with LP-relaxed oracles may be larger at w = 0 than PrimalAtZeroWeights:
/// where states are forbidden on graphs with cycles.
bool RelaxationExceedsZero(const Problem& problem);

/// √(2/λ) · √(parts · Σ_a range_a²) / M, parts and sum over all examples. Multiplied by √P(w), an
/// upper estimate of the mean over the examples of Σ_a |w·φ_a|, because λ/2 ‖w‖² ≤ P(w); loose
/// where the lengths of the parts differ. Sums of scores round by about 1e-16 times this estimate.
double ScoreScale(const Problem& problem);

/// ½λ‖w‖².
double Regulariser(double lambda, std::span<const double> weights);

/// gap / max(1e-12, |primal|).
double RelativeGap(double primal, double dual);

}  // namespace slackline::internal
