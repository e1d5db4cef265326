// SPDX-License-Identifier: BSD-3-Clause
//
// Example-block engine with one dual point per example, a mixture of the oracle's corners: the
// points, the weights, and steps on both. The steps are those of proximal SDCA with its l1 term σ
// and smoothed hinges γ (prox_sdca_learner.h has the formulas); without these terms and with step
// 2, they are those of block-coordinate Frank-Wolfe (plain_bcfw.h).
//
//   symbol        here           shape
//   v, w          v(), w()       num_weights (one vector without σ and constraints)
//   X_i α_i       points()       num_coordinates of the example's structure
//   −φ_i*         points()       one number per example (without the quadratic)
//   μ_i           marginals_     states of the variables; with γ > 0 only
//
// With constraints on signs (sign_constraints.h), w is also clipped to the allowed numbers: the
// regulariser g of the paper is then infinite outside of these.
//
// Cost of a visit: one oracle call, two sweeps over the input for scores and one to move v; l1 and
// constraints add a sweep over the weights that the step moves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/feature_gram.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/sign_constraints.h>
#include <slackline/learning/step/dual_points.h>
#include <slackline/learning/step/iterate_average.h>

namespace slackline::internal {

class PointBlocks {
 public:
  struct Terms {
    double l1 = 0;            ///< σ ≥ 0
    double smoothing = 0;     ///< γ ≥ 0
    Index step = 2;           ///< ProxSdcaOptions::sdca_step
    bool fixed_step = false;  ///< 2M/(νk+2M) instead of a step option; without σ and γ
    double quality = 1;       ///< ν
    bool slack = false;       ///< slack rescaling: corners are Δ(s)·ψ(s); without γ
    SignConstraints signs = {};
    /// Whether w differs from v.
    bool maps() const { return l1 > 0 || !signs.empty(); }
  };
  /// Starts at the ground truth: v = 0. oracle: of all visits, with dense corners (Ways::kSolvers);
  /// must outlive the blocks. Step 5 needs smoothing, and examples without factors.
  PointBlocks(const Problem& problem, const Terms& terms, ExampleOracle* oracle);

  /// The problem's examples become one shard of `total` examples (learning/shards): v and λM are
  /// those of all shards. caution ≥ 1: steps allow for changes of v by other shards as if their own
  /// change were so many times as large, and v moves by as much. A further call changes the
  /// caution. Rebuild must not be called then.
  void JoinShards(Index total, double caution);
  /// For a shard: v, which the shards change together; Replaced follows.
  std::span<double> shared_weights() { return v_; }
  /// For a shard: v was replaced, everywhere or in `count` weights.
  void Replaced() { Replaced(0, static_cast<Offset>(v_.size())); }
  void Replaced(Offset begin, Offset count);

  /// Steps on example m, one or with step 1 up to ten. average: null, or an average of v that moves
  /// with it. Returns whether the point has moved.
  bool Visit(Index m, IterateAverage* average = nullptr);
  /// One Frank-Wolfe step with a line search on all examples at once, as in
  /// reference/batch_frank_wolfe.cc, which is one iterate of the average. Nothing moves if `stop`
  /// ends it before. Requires that there are no shards, no σ and no γ.
  void BatchStep(const StopControl& stop, IterateAverage* average);

  std::span<const double> v() const { return v_; }
  std::span<const double> w() const { return terms_.maps() ? w_ : v_; }
  /// σ/λ, and w of any v: thresholded and clipped.
  double threshold() const { return terms_.l1 / problem_.lambda(); }
  void Map(std::vector<double>* v) const;
  /// Computes v and w from the points, which removes the accumulated rounding errors of steps.
  /// Learners do so every kRebuildEvery passes.
  void Rebuild();
  static constexpr Index kRebuildEvery = 64;

  /// Everything that visits of example m change besides the weights.
  DualPoints& points() { return points_; }
  const DualPoints& points() const { return points_; }
  /// μ_i of the example's variables; empty without smoothing.
  std::span<double> marginals(Index m);
  std::span<const double> marginals(Index m) const {
    return const_cast<PointBlocks*>(this)->marginals(m);
  }

  /// −φ_m* of the point of example m: its loss, and with smoothing (γ/2) Σ_i (1 − ‖μ_i‖²).
  double Value(Index m) const;
  /// Σ_m of these.
  double TotalValue() const;

  /// Certified bounds on the maxima at any weights: their mean over the examples, and a further
  /// term that comes with the bounds, also divided by the number of examples.
  struct Hinges {
    double mean = 0;
    double rest = 0;
  };
  Hinges MeanHinges(std::span<const double> weights, ExampleEvaluator* evaluator, int threads);
  /// Whether maxima are smoothed and found by projections; then MeanHinges uses no oracle.
  bool projects() const { return projects_; }

  /// Sums over the examples of what the dual of a mixture with the ground truth depends on.
  struct MixtureTerms {
    double loss = 0;    ///< Σ_m Δ_m·μ_m
    double linear = 0;  ///< −Σ e·(μ − e), e: the ground truth; 0 without smoothing
    double square = 0;  ///< Σ ‖μ − e‖²
  };
  MixtureTerms SumOfTerms() const;
  /// The share θ ≤ 1 of the point, mixed with a share 1 − θ of the ground truth, that maximises the
  /// dual, which is concave in θ. v: of the point, clipped where signs are constrained; count: the
  /// number of examples.
  static double BestMixture(const MixtureTerms& sums, std::span<const double> v, const Terms& terms,
                            double lambda, Index count);
  /// Mixes all points with the ground truth; the weights remain to be computed.
  void ScalePoints(double theta);

  /// Changes λ of everything but the points and the weights; counts begin anew.
  void ChangeProblem(const Problem& problem);

  /// Archives the points, and what the oracle starts from.
  void Archive(StateArchive* archive);
  /// Archives v and w.
  void ArchiveWeights(StateArchive* archive);

  const Problem& problem() const { return problem_; }
  const Terms& terms() const { return terms_; }
  std::span<const WarmStart> warm() const { return warm_; }
  std::int64_t oracle_calls() const { return oracle_calls_; }
  std::int64_t steps() const { return steps_; }
  /// Array entries touched by visits so far, oracle included.
  std::int64_t work() const { return work_ + oracle_->work(); }
  void set_work(std::int64_t work) { work_ = work - oracle_->work(); }

 private:
  /// Makes one step. Returns the gap of the example before the step, times M.
  double Step(Index m, IterateAverage* average, bool* moved);
  double StepLength(Index m, double gap, double squared);
  double MapOne(Offset k, double v) const;
  void MapWhereMoved(const ExampleView& example);
  double Direct(Index m, double target_loss);
  void Move(Index m, double step, double target_loss, IterateAverage* average);
  double CornerTarget(Index m);
  double ProjectedTarget(Index m);
  double SmoothedMaximum(Index m, std::span<const double> weights);
  void StartMarginals();
  void BoundFeatures();
  void AddTruth(Index m, double scale, std::span<double> out) const;

  Problem problem_;
  Terms terms_;
  ExampleOracle* oracle_;
  bool projects_;    // the smoothed maximiser is a projection
  double total_;     // M, of all shards
  double lambda_m_;  // λM
  double caution_ = 1;
  DualPoints points_;
  std::vector<WarmStart> warm_;
  FeatureGram gram_;
  std::vector<double> v_;
  std::vector<double> w_;          // empty without l1 and constraints
  std::vector<double> marginals_;  // laid out as TrainingSet::losses; empty without smoothing
  // Per example, for steps 3 to 5: a bound on ‖X_i z‖², or on ‖X_i z‖²/‖z‖² if projects_.
  std::vector<double> bounds_;
  double largest_bound_ = 0;
  std::span<const double> goal_;   // u, in the coordinates of the example at hand
  std::vector<double> direction_;  // u − α
  std::vector<double> u_;          // coordinate scores of the example at hand
  std::vector<double> target_, offsets_, allowed_, scores_;
  std::int64_t oracle_calls_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
