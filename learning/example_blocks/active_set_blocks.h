// SPDX-License-Identifier: BSD-3-Clause
//
// Example-block engine with active sets: the dual point α (one simplex per example, over its active
// set), the weights w = Σ_m Σ_s α_ms ψ_m(s) / (λM), and steps on both.
//
// Sources: active_set.h; local pairwise steps while they promise more than an oracle call: Tsuji,
// Tanaka, Pokutta, "Pairwise conditional gradients without swap steps and sparser kernel herding",
// ICML 2022.
//
//   symbol        here                 shape
//   w             weights()            num_weights
//   α_m           sets_[m]             active set of example m
//   H_m(s; w)     scores_              per corner of the active set, up to a constant of the
//                                      example
//
// With a proximal centre c and κ > 0, the blocks maximise the dual of the problem with κ/2 ‖w − c‖²
// added, and w = (κ c + λ Ψα) / (κ + λ): steps are longer by (κ + λ) / λ. Ψα stays a dual point of
// the problem itself.
//
// With constraints on signs (sign_constraints.h), w is the nearest allowed point to that vector v,
// and v_k of constrained weights is kept beside w.
//
// Cost of a visit: one sweep over the weights of the example's inputs for the scores, and one to
// move these weights; a few operations per entry of the active set, and per corner and step; and
// the oracle, if it is called.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/sign_constraints.h>
#include <slackline/learning/step/active_set.h>
#include <slackline/learning/step/iterate_average.h>
#include <slackline/learning/step/proximal_centre.h>
#include <slackline/learning/step/shard_steps.h>
#include <slackline/learning/step/window_ahead.h>

namespace slackline::internal {

class ActiveSetBlocks {
 public:
  /// Starts at the ground truth: w = 0. The oracle is used by all visits and must outlive the
  /// blocks. step: kPairwise or kAway. threads: for examples with very many multiply-adds
  /// (core/slot_sweeps.h); results do not depend on their number. own_rows: for a shard, which must
  /// not depend on the other rows of the process: only the inputs of the problem's examples count
  /// where the blocks compare sizes.
  ActiveSetBlocks(const Problem& problem, ExampleOracle* oracle, StepKind step,
                  const AverageRule& average = {}, int threads = 1, bool own_rows = false);

  /// Constrains the signs of weights, which must be features of constants or potentials. Requires
  /// that no step was made, and that there are no shards.
  void Constrain(SignConstraints signs);

  /// The problem's examples become one shard of several. The blocks keep no centre then, and visits
  /// drop no corners. Rebuild, MoveCentre, CentreGap and ChangeLambda without a share must not be
  /// called. Requires that there is no average. A further call changes κ and caution.
  void JoinShards(const ShardSteps& shard);
  /// From now on visits note which slots they change, for moved_slot.
  void WatchSlots() { watches_slots_ = true; }
  /// For a shard: the weights, which the shards change together; WeightsReplaced follows.
  std::span<double> shared_weights() { return weights_; }
  void WeightsReplaced() { oracle_->Refresh(); }
  /// For a shard: the weights of the corners of example m, which the shards change together.
  std::span<double> alpha(Index m) { return sets_[m].alpha(); }
  /// After WatchSlots: whether the last visit has changed the weights of this slot of its
  /// example.
  bool moved_slot(std::size_t slot) const { return moved_slots_[slot] != 0; }
  /// For a shard: drops the corners of example m that had no weight for some visits.
  void DropIdle(Index m);

  /// History of the calls of ExampleOracle::Search for one example.
  struct SearchRecord {
    /// Whether the last search proved a maximum that messages had not reached; checks then search
    /// as well.
    bool needed = false;
    Index failures = 0;   ///< searches in a row that did not help
    Index doublings = 0;  ///< of the node limit of the next search
    Index rest = 0;       ///< visits until the next search
  };

  struct VisitResult {
    /// The duality gap of the example (times M) at the oracle call, as measured by the oracle's
    /// corner; 0 without a call.
    double gap = 0;
    /// The gap as measured by the oracle's bound, which is larger when the oracle stops early.
    double open = 0;
    double spread = 0;  ///< max H − min H over α > 0 of the earlier corners
    double gain = 0;    ///< increase of the dual, times M
  };

  /// Steps on the active set of example m; with `ask`, then an oracle call and steps that use its
  /// corner.
  VisitResult Visit(Index m, bool ask);

  /// Calls the oracle for example m at the current weights and adds its corner with weight 0,
  /// without a step. `gap` as in Visit; `spread`: by how much H of the corner exceeds H of all
  /// earlier corners, at least 0. Drops corners that had no weight at more than idle_limit calls in
  /// a row (0: drops none).
  VisitResult Ask(Index m, Index idle_limit);

  /// The average of the weights after all visits. Requires an average kind and a visit.
  void ReadAverage(std::vector<double>* weights) const {
    average_.Read(weights_, weights);
    signs_.Clip(*weights);  // of allowed weights, up to rounding
  }
  bool averages() const { return average_.active(); }

  /// Computes w from scratch, which removes the accumulated rounding errors of steps. Learners do
  /// so every kRebuildEvery passes.
  static constexpr Index kRebuildEvery = 16;
  void Rebuild();
  /// Writes Ψα to *weights, with constraints the nearest allowed point; returns (1/M) Σ_m Σ_s α_ms
  /// Δ_m(s).
  double WeightsOfPoint(std::vector<double>* weights) const;

  /// The coordinates of Σ_s α_ms φ_m(s); returns Σ_s α_ms Δ_m(s).
  double PointOfExample(Index m, std::vector<double>* coordinates) const;

  /// What checks read of the blocks, copied for checks during a pass, which changes the blocks.
  struct CheckCopy {
    std::vector<ActiveSet> given;  ///< per example, a set of the ground truth alone
    std::vector<WarmStart> warm;
    std::vector<SearchRecord> searches;
  };
  using CheckScratch = HingeScratch;

  /// Certified upper bound on max_s H_m(s; weights) ≥ 0. `oracle` must have been refreshed since
  /// a call at other weights. Several threads may call HingeBound, each
  /// with its own oracle and scratch, and with a copy also during visits. Throws std::logic_error
  /// when the bound lies below the score of the ground truth, which shows that the oracle is wrong.
  double HingeBound(Index m, std::span<const double> weights, ExampleOracle* oracle,
                    CheckScratch* scratch, const CheckCopy* copy = nullptr) const;

  /// WeightsOfPoint, and in *hinge the mean of HingeBound at the weights `at` in so many chunks
  /// (SumPlan), bit for bit, on one thread in one sweep over the examples.
  double WeightsAndHinge(std::span<const double> at, int chunks, ExampleEvaluator* evaluator,
                         std::vector<double>* weights, double* hinge) const;

  /// Brings a copy up to date. Takes memory for one corner per example.
  void CopyForChecks(CheckCopy* copy) const;

  /// Sets c to the newest w and κ to kappa (0: no centre). Keeps Ψα and updates w. O(d).
  void MoveCentre(double kappa);
  double kappa() const { return shard_ ? shard_->kappa : centre_.kappa(); }
  /// The weights that the steps have reached: w, or the centre if no step was made since it moved.
  std::span<const double> reached() const { return centre_.Reached(weights_); }
  /// λ/2 ‖w − Ψα‖², which the certified gap at w contains besides the gaps of the blocks. O(d).
  double CentreGap() const { return centre_.Gap(problem_.lambda(), weights_); }

  /// Continues with another λ from the best mixture of the dual point and the ground truth;
  /// averages and counts start again.
  void ChangeLambda(const Problem& problem);
  /// The same with a given share θ of the dual point; the weights remain to be computed.
  void ChangeLambda(const Problem& problem, double share_of_point);

  void Archive(StateArchive* archive);

  const Problem& problem() const { return problem_; }
  std::span<const double> weights() const { return weights_; }
  /// Prefetches data of the examples that follow order[k]: of the furthest ones the entries, then
  /// the sets and labels, of the nearest ones the feature values; and rows of the next window of a
  /// file. To be called for k = 0, 1, … (WindowAhead).
  void PrefetchBehind(std::span<const Index> order, std::size_t k) {
    ahead_.Before(order, k);
    constexpr std::size_t kFar = 12, kMiddle = 8, kNear = 4;
    const Dataset& data = problem_.data();
    if (k + kFar < order.size()) {
      const Index m = order[k + kFar];
      data.PrefetchEntry(m);
      Prefetch(&sets_[m], sizeof(ActiveSet), 3);
    }
    if (k + kMiddle < order.size()) {
      const Index m = order[k + kMiddle];
      data.PrefetchLabels(m);
      Prefetch(problem_.loss(m).data());
      sets_[m].PrefetchParts();
    }
    if (k + kNear < order.size()) data.PrefetchValues(order[k + kNear]);
  }

  Index kept(Index m) const { return sets_[m].size(); }
  std::span<const ActiveSet> sets() const { return sets_; }
  std::span<const WarmStart> warm() const { return warm_; }
  WarmStart& warm(Index m) { return warm_[m]; }
  std::int64_t oracle_calls() const { return oracle_calls_; }
  std::int64_t steps() const { return steps_; }
  /// Whether several threads share the visits of most examples.
  bool threads_share_visits() const { return threads_ > 1; }
  /// Array entries touched so far, oracle included: the unit in which schedules compare costs.
  std::int64_t work() const { return work_ + oracle_->work(); }

 private:
  /// Adds the oracle's corner to the set, and that of a search when the oracle's bound shows that
  /// most of the gap is still open. Sets `gap` and `open` of *result, and scores_ of all corners.
  void AskOracle(Index m, ActiveSet* set, VisitResult* result);
  struct Local {
    double gap = 0;
    double gain = 0;
  };
  /// 1 / ((λ + κ) M), times the caution of a shard.
  double StepScale() const {
    const double scale = 1 / ((problem_.lambda() + kappa()) * total());
    return shard_ ? shard_->caution * scale : scale;
  }
  Index total() const { return shard_ ? shard_->total : problem_.size(); }
  /// Adds `change` to v of weight `position`, where w changes with it. Returns the change of w.
  double MoveWeight(Index position, double change);
  /// Sets v of the constrained weights to these of a vector v over all weights, and clips that.
  void TakeSigned(std::vector<double>* v);
  /// Sums Ψα, whatever the constraints, and the losses of the points, example by example in their
  /// order. The blocks must not change meanwhile.
  class PointSum {
   public:
    PointSum(const ActiveSetBlocks& blocks, std::vector<double>* weights);
    void Add(Index m);
    /// (1/M) Σ_m Σ_s α_ms Δ_m(s).
    double loss() const { return loss_ / blocks_.total(); }

   private:
    const ActiveSetBlocks& blocks_;
    std::vector<double>& weights_;
    double inverse_;
    double loss_ = 0;
    std::vector<double> delta_;
  };
  double SumOfPoint(std::vector<double>* weights) const;
  void ScoreSlots(const ExampleView& example);
  struct LocalStep {
    double gap = 0;     ///< directional derivative of the block's dual, times M
    double length = 0;  ///< 0: no step
    double curvature = 0;
  };
  void ScoreCorners(const ActiveSet& set);
  Local Improve(ActiveSet* set, double tolerance);
  LocalStep PairwiseStep(ActiveSet* set, std::size_t best, std::size_t worst);
  LocalStep AwayStep(ActiveSet* set, std::size_t best, std::size_t worst);
  void Apply(const ExampleView& example, const ActiveSet& set, bool update_scores);
  void NoteMovedSlots(const ExampleView& example);
  void FlushSlots(const ExampleView& example);
  void AddSlotChanges(const ExampleView& example);
  void MakeInputGrams(int threads, bool own_rows);
  const InputGram* Inputs(Index m) const;

  Problem problem_;
  ExampleOracle* oracle_;
  StepKind step_;
  int threads_;  // that share the sweeps of a visit
  std::optional<ShardSteps> shard_;
  ProximalCentre centre_;
  IterateAverage average_;
  WindowAhead ahead_;
  std::vector<ActiveSet> sets_;
  std::vector<double> weights_;
  SignConstraints signs_;
  std::vector<double> signed_;  // v of each entry of signs_
  std::vector<WarmStart> warm_;
  std::vector<SearchRecord> searches_;  // per example; empty without searches
  std::vector<InputGram> input_grams_;  // per example; empty where they do not pay
  std::vector<double> slot_change_;     // what steps changed in slot_scores_
  CornerScratch scratch_;
  SparseCorner found_;
  std::vector<double> slot_scores_;
  std::vector<double> slot_delta_;  // Σ of the changes of q, slots only; zero between visits
  bool watches_slots_ = false;
  std::vector<std::uint8_t> moved_slots_;  // in this visit, if it watches slots
  std::vector<double> scores_;             // H of the corners of the current set
  std::vector<double> alpha_before_;
  std::vector<double> direction_;  // G·d of an away or Frank-Wolfe step
  std::int64_t oracle_calls_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
