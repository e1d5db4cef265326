// SPDX-License-Identifier: BSD-3-Clause
//
// Example-block engine with active sets: the point α (one simplex per example, over its active
// sets), the weights w = Σ_m Σ_s α_ms ψ_m(s) / (λM), and steps on them.
//
// Sources: active_set.h; local pairwise steps as long as they promise more than the oracle: Tsuji,
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
// Cost of a visit: one sweep over the weights' columns of the example's inputs for the scores, one
// to move them; a few operations per entry of active sets; a few per corner and step; and the
// oracle, if it is asked.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>
#include <slackline/learning/step/iterate_average.h>
#include <slackline/learning/step/proximal_centre.h>

namespace slackline::internal {

class ActiveSetBlocks {
 public:
  /// Starts at the ground truth: w = 0. The oracle is used by all visits and must outlive the
  /// blocks. step: kPairwise or kAway. threads: for examples with very many multiply-adds
  /// (core/slot_sweeps.h); results do not depend on it.
  ActiveSetBlocks(const Problem& problem, ExampleOracle* oracle, StepKind step, AverageKind average,
                  int threads = 1);

  /// What is known of searches (ExampleOracle::Search) of an example.
  struct SearchRecord {
    /// one has found the maximum where messages had not; checks search as well
    bool needed = false;
    Index failures = 0;   ///< in a row
    Index doublings = 0;  ///< of the node limit of the next one
    Index rest = 0;       ///< visits to come without one
  };

  struct VisitResult {
    /// With the oracle: the example's duality gap (times M) when the oracle was asked, as far as
    /// its corner shows.
    double gap = 0;
    /// the same by the oracle's bound, which may be larger where the oracle stops early
    double open = 0;
    double spread = 0;  ///< max H − min H over α > 0 of the corners that were kept before
    double gain = 0;    ///< increase of the dual, times M
  };

  /// Steps among the active set of example m; with `ask`, then the oracle, and steps that use its
  /// corner.
  VisitResult Visit(Index m, bool ask);

  /// The oracle for example m at the weights as they are: its corner is kept, with weight 0, and no
  /// step is made. `gap` as in Visit; `spread`: by how much H of the corner exceeds those of all
  /// that were kept before. Drops corners that had no weight at the last idle_limit calls (0:
  /// none).
  VisitResult Ask(Index m, Index idle_limit);

  /// The average of the weights after all visits. Requires an average kind and a visit.
  void ReadAverage(std::vector<double>* weights) const { average_.Read(weights_, weights); }
  bool averages() const { return average_.active(); }

  /// w from scratch: takes away the rounding errors that steps gather.
  void Rebuild();
  /// Ψα into another vector; returns Σ α Δ / M as well.
  double WeightsOfPoint(std::vector<double>* weights) const;

  /// The coordinates of Σ_s α_ms φ_m(s); returns Σ_s α_ms Δ_m(s).
  double PointOfExample(Index m, std::vector<double>* coordinates) const;

  /// What checks need of blocks that change meanwhile.
  struct CheckCopy {
    std::vector<ActiveSet> given;  ///< the ground truth alone, per example
    std::vector<WarmStart> warm;
    std::vector<SearchRecord> searches;
  };
  using CheckScratch = HingeScratch;

  /// Certified upper bound on max_s H_m(s; weights) ≥ 0, by an oracle that has been shown these
  /// weights (Refresh). Several threads may call it, each with an oracle and scratch of its own,
  /// and with a copy also while visits are made. Throws std::logic_error when the bound lies below
  /// the score of the ground truth: then the oracle is wrong.
  double HingeBound(Index m, std::span<const double> weights, ExampleOracle* oracle,
                    CheckScratch* scratch, const CheckCopy* copy = nullptr) const;

  /// Brings a copy up to date. Costs memory for one corner an example.
  void CopyForChecks(CheckCopy* copy) const;

  /// From here on c = the newest w, and κ = kappa; 0: no centre. Ψα is kept, w follows. O(d).
  void MoveCentre(double kappa);
  double kappa() const { return centre_.kappa(); }
  /// The weights that the steps have reached: w, or the centre if no step was made since it moved.
  std::span<const double> reached() const { return centre_.Reached(weights_); }
  /// λ/2 ‖w − Ψα‖²: what the certified gap at w has besides the gaps of the blocks. O(d).
  double CentreGap() const;

  /// The best mixture of the point and the ground truth for another λ; averages and counts begin
  /// anew.
  void ChangeLambda(const Problem& problem);

  void Archive(StateArchive* archive);

  const Problem& problem() const { return problem_; }
  std::span<const double> weights() const { return weights_; }
  /// Hints before the visit of examples order[k]: of those behind it, further ahead first where
  /// they are, then what they hold.
  void PrefetchBehind(std::span<const Index> order, std::size_t k) const {
    constexpr std::size_t kFar = 12, kMiddle = 8, kNear = 4;
    const Dataset& data = problem_.data();
    if (k + kFar < order.size()) {
      const Index m = order[k + kFar];
      data.Prefetch(m, 0);
      Prefetch(&sets_[m], sizeof(ActiveSet), 3);
    }
    if (k + kMiddle < order.size()) {
      const Index m = order[k + kMiddle];
      data.Prefetch(m, 1);
      Prefetch(problem_.loss(m).data());
      sets_[m].PrefetchParts();
    }
    if (k + kNear < order.size()) data.Prefetch(order[k + kNear], 2);
  }

  Index kept(Index m) const { return sets_[m].size(); }
  std::span<const ActiveSet> sets() const { return sets_; }
  std::span<const WarmStart> warm() const { return warm_; }
  WarmStart& warm(Index m) { return warm_[m]; }
  std::int64_t oracle_calls() const { return oracle_calls_; }
  std::int64_t steps() const { return steps_; }
  /// Whether several threads make the visits of most examples.
  bool threads_share_visits() const { return threads_ > 1; }
  /// Array entries touched so far, oracle included: the unit in which schedules compare costs.
  std::int64_t work() const { return work_ + oracle_->work(); }

 private:
  /// Adds the oracle's corner to the set, and that of a search where the oracle's bound says that
  /// most is missing; `gap` and `open` of *result, scores_ of all corners.
  void AskOracle(Index m, ActiveSet* set, VisitResult* result);
  struct Local {
    double gap = 0;
    double gain = 0;
  };
  /// 1 / ((λ + κ) M).
  double StepScale() const { return 1 / ((problem_.lambda() + kappa()) * problem_.size()); }
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
  void FlushSlots(const ExampleView& example);
  void AddSlotChanges(const ExampleView& example);
  void MakeInputGrams(int threads);
  const InputGram* Inputs(Index m) const;

  Problem problem_;
  ExampleOracle* oracle_;
  StepKind step_;
  int threads_;  // that share the sweeps of a visit
  ProximalCentre centre_;
  IterateAverage average_;
  std::vector<ActiveSet> sets_;
  std::vector<double> weights_;
  std::vector<WarmStart> warm_;
  std::vector<SearchRecord> searches_;  // per example; none where nothing is searched
  std::vector<InputGram> input_grams_;  // per example; none at all where they do not pay
  std::vector<double> slot_change_;     // what steps changed in slot_scores_
  CornerScratch scratch_;
  SparseCorner found_;
  std::vector<double> slot_scores_;
  std::vector<double> slot_delta_;  // Σ of the changes of q, slots only; zero between visits
  std::vector<double> scores_;      // of the active sets
  std::vector<double> alpha_before_;
  std::vector<double> direction_;  // G·d of an away or Frank-Wolfe step
  std::int64_t oracle_calls_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
