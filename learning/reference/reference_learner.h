// SPDX-License-Identifier: BSD-3-Clause
//
// Common part of the learners of this folder that keep one dual point per example: the points, the
// oracle with its warm starts, counts of work, and the certificate.
//
//   symbol        here          shape
//   ψ_m(μ_m)      points_       num_coordinates of the example's structure (core/structure.h)
//   Δ_m·μ_m       points_       one number per example
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/step/dual_points.h>

namespace slackline::internal {

class ReferenceLearner : public Learner, public DualPointSource {
 public:
  WorkCounts work() const override { return {oracle_calls_, block_steps_}; }
  /// The point of the last certificate: share_ of points_ and the rest of the ground truth.
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;

 protected:
  /// oracle: of passes and checks. Throws DataError when it does not apply to one of the problem's
  /// structures.
  ReferenceLearner(const Problem& problem, const TrainOptions& options,
                   const ExampleOracle::Options& oracle);

  /// Calls the oracle for example m at scale · weights, and counts the call and a step.
  Corner Ask(Index m, std::span<const double> weights, double scale = 1);

  /// The certificate of these weights, which weights() returns from then on.
  Evaluation Certify(std::vector<double> weights, double dual, int threads);

  Problem problem_;
  TrainOptions options_;
  ExampleEvaluator evaluator_;
  DualPoints points_;
  double share_ = 1;
  std::vector<WarmStart> warm_;
  std::int64_t oracle_calls_ = 0;
  std::int64_t block_steps_ = 0;
};

}  // namespace slackline::internal
