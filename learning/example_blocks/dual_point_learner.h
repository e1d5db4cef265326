// SPDX-License-Identifier: BSD-3-Clause
//
// What multi_sample_learner.h has around its steps: one dual point per example, a mixture of the
// oracle's corners, warm starts of the oracle, the average of the iterates, and counts. Learners
// with the steps of point_blocks.h derive from PointBlockLearner.
//
//   symbol        here          shape
//   ψ_m(μ_m)      points_       num_coordinates of the example's structure (core/structure.h)
//   Δ_m·μ_m       points_       one number per example
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/feature_gram.h>
#include <slackline/learning/example_blocks/example_block_learner.h>
#include <slackline/learning/step/dual_points.h>
#include <slackline/learning/step/iterate_average.h>

namespace slackline::internal {

class DualPointLearner : public ExampleBlockLearner {
 public:
  /// One step per oracle call.
  WorkCounts work() const override { return {oracle_calls_, oracle_calls_}; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;

 protected:
  /// Throws DataError when the oracle of the options does not apply to one of the problem's
  /// structures.
  DualPointLearner(const Problem& problem, const TrainOptions& options);

  /// The share of points_ in the dual point of example m; the ground truth has the rest.
  virtual double PointShare(Index /*m*/) const { return 1; }
  ExampleOracle& oracle() { return evaluator_.oracle(); }
  /// Calls the oracle for example m at scale · weights, and counts the call.
  Corner Ask(Index m, std::span<const double> weights, double scale);

  /// The certificate of evaluated_, or of the average of the iterates where that is better, or in
  /// any case with keep_newest. newest: the newest iterate.
  Evaluation Certify(double dual, std::span<const double> newest, int threads);

  /// Counts a pass. Returns true when the weights should be summed again from the points, which
  /// removes the accumulated rounding errors of steps.
  bool EndPass();

  /// Archives warm starts and the average.
  void ArchiveCommon(StateArchive* archive);
  /// Changes λ of everything but the points and the weights, which the learner itself must change.
  void ChangeProblem(const Problem& problem);

  DualPoints points_;
  std::vector<WarmStart> warm_;
  IterateAverage average_;
  FeatureGram gram_;
  std::vector<double> u_;  // coordinate scores of the example at hand
  std::int64_t oracle_calls_ = 0;
};

}  // namespace slackline::internal
