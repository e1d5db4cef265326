// SPDX-License-Identifier: BSD-3-Clause
//
// The labellings that the planes of the whole training set were made of (plane_bundle.h), each kept
// once per example, and new planes: by the oracle, or from the kept labellings alone (the
// constraint cache of Joachims, Finley, Yu, "Cutting-plane training of structural SVMs", Machine
// Learning 77, 2009, section 5).
//
// Cost of a plane: one sweep over the inputs for scores and one for the plane; one oracle call, or
// a few operations per entry of the kept corners, for every example.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/planes/plane_bundle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// A plane that has just been made at weights w.
struct NewPlane {
  std::vector<double> direction;  ///< a
  double offset = 0;              ///< b
  double value = 0;               ///< b − w·a: the risk at w, as far as the corners show it
  std::vector<Index> corners;     ///< per example
  bool whole = true;  ///< false: asked to stop, and the examples left have the ground truth
};

class PlaneLabellings {
 public:
  /// Throws as ExampleOracle does.
  PlaneLabellings(const Problem& problem, SolverKind kind, Rescaling rescaling);

  /// The plane of the oracle's answers at `weights`, which are kept from here on.
  void Ask(std::span<const double> weights, const StopControl& stop, NewPlane* plane);
  /// The plane of the best kept labellings at `weights`.
  void Recall(std::span<const double> weights, const StopControl& stop, NewPlane* plane);

  /// The k in [0, 1] that minimises λ/2 ‖w‖² + (1/M) Σ_m max over the kept labellings of H_m(·; w)
  /// at w = from + k (to − from): a piecewise quadratic, by bisection on its slope.
  double BestOnLine(std::span<const double> from, std::span<const double> to);

  /// Drops the labellings that no plane of the bundle has, and numbers the others anew.
  void DropUnused(PlaneBundle* bundle);

  /// Adds share · φ(corner) to the coordinates of example m. Returns share · Δ.
  double AddPoint(Index m, Index corner, double share, std::span<double> coordinates) const;

  /// Keeps the labellings of other sets of the same examples as well.
  void TakeOver(std::span<const ActiveSet> sets);

  /// Array entries touched so far, oracle included.
  std::int64_t work() const { return work_ + oracle_.work(); }
  bool relaxed() const { return oracle_.relaxed(); }
  std::int64_t oracle_calls() const { return oracle_calls_; }
  std::span<const ActiveSet> sets() const { return sets_; }
  std::span<const WarmStart> warm() const { return warm_; }

  /// Another λ (Problem::WithLambda); counts begin anew.
  void set_problem(const Problem& problem);

  void Archive(StateArchive* archive);

 private:
  void Begin(NewPlane* plane) const;
  void AddToPlane(Index m, Index corner, NewPlane* plane);
  void ScoreSlots(Index m, std::span<const double> weights);
  /// H of corner a at the weights whose slot scores are there.
  double Hinge(Index m, Index a, std::span<const double> weights) const;
  /// Number of the best corner; ties: the lowest.
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
