// SPDX-License-Identifier: BSD-3-Clause
//
// The labellings of the planes of the whole training set (plane_bundle.h), in one active set per
// example, and new planes: from the oracle, or from these cached labellings alone (the constraint
// cache of Joachims, Finley, Yu, "Cutting-plane training of structural SVMs", Machine Learning 77,
// 2009, section 5).
//
// Cost of a plane: one sweep over the inputs for scores and one for the plane; for every example
// one oracle call, or a few operations per entry of the cached corners.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/planes/plane_bundle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// A plane that has just been made at weights w.
struct NewPlane {
  std::vector<double> direction;  ///< a
  double offset = 0;              ///< b
  double value = 0;               ///< b − w·a: a lower bound on the risk at w
  std::vector<Index> corners;     ///< per example: number of its corner in the active set
  bool whole = true;  ///< false: stopped early; the remaining examples have the ground truth
};

class PlaneLabellings {
 public:
  /// Throws as ExampleOracle does.
  PlaneLabellings(const Problem& problem, const TrainOptions& options);

  /// Makes the plane of the oracle's answers at `weights`, and adds the answers to the active sets.
  void Ask(std::span<const double> weights, const StopControl& stop, NewPlane* plane);
  /// Makes the plane of the best cached labellings at `weights`.
  void Recall(std::span<const double> weights, const StopControl& stop, NewPlane* plane);

  /// Appends H of all cached labellings of example m at the weights, the ground truth first.
  void AppendHinges(Index m, std::span<const double> weights, std::vector<double>* values);

  /// Drops the labellings that no plane of the bundle uses, and renumbers the others in the active
  /// sets and in the bundle.
  void DropUnused(PlaneBundle* bundle);

  /// Adds share · φ(corner) to the coordinates of example m. Returns share · Δ.
  double AddPoint(Index m, Index corner, double share, std::span<double> coordinates) const;

  /// Adds the labellings of other active sets of the same examples.
  void TakeOver(std::span<const ActiveSet> sets);

  /// Array entries touched so far, oracle included.
  std::int64_t work() const { return work_ + oracle_.work(); }
  bool relaxed() const { return oracle_.relaxed(); }
  std::int64_t oracle_calls() const { return oracle_calls_; }
  std::span<const ActiveSet> sets() const { return sets_; }
  std::span<const WarmStart> warm() const { return warm_; }

  /// Changes to another λ (Problem::WithLambda); the count of oracle calls begins anew.
  void set_problem(const Problem& problem);

  void Archive(StateArchive* archive);

 private:
  void Begin(NewPlane* plane) const;
  void AddToPlane(Index m, Index corner, NewPlane* plane);
  void ScoreSlots(Index m, std::span<const double> weights);
  /// H of corner a at the weights whose slot scores are in slot_scores_ (ScoreSlots).
  double Hinge(Index m, Index a, std::span<const double> weights) const;
  /// The number of the corner with the largest score; of several, the lowest.
  Index BestKept(Index m, std::span<const double> weights);

  Problem problem_;
  ExampleOracle oracle_;
  std::vector<ActiveSet> sets_;
  std::vector<WarmStart> warm_;
  CornerScratch scratch_;
  SparseCorner found_;
  std::vector<double> slot_scores_;
  std::vector<double> delta_;
  std::int64_t oracle_calls_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
