// SPDX-License-Identifier: BSD-3-Clause
//
// Common part of the learners that visit one example after the other and mix the oracle's corners
// into one point per example: the points, weights and steps (point_blocks.h), the average of the
// iterates, and the certificate.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <slackline/learning/example_blocks/example_block_learner.h>
#include <slackline/learning/example_blocks/point_blocks.h>
#include <slackline/learning/step/iterate_average.h>

namespace slackline::internal {

class PointBlockLearner : public ExampleBlockLearner {
 public:
  Evaluation Evaluate(int threads) override;
  WorkCounts work() const override { return {blocks_.oracle_calls(), blocks_.steps()}; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;
  void ChangeLambda(const Problem& problem) override;

 protected:
  /// Throws DataError when the oracle of the options does not apply to one of the problem's
  /// structures. Passes may have an inexact oracle (inexact_options.h), checks never have.
  PointBlockLearner(const Problem& problem, const TrainOptions& options,
                    const PointBlocks::Terms& terms);

  /// Visits the examples of a pass; after_visit() follows each visit.
  template <class AfterVisit>
  void VisitAll(const StopControl& stop, const AfterVisit& after_visit) {
    visits_.Pass(stop, [&](Index m) {
      blocks_.Visit(m, &average_);
      average_.EndStep();
      after_visit();
    });
    if (++pass_ % PointBlocks::kRebuildEvery == 0) blocks_.Rebuild();
  }

  /// A certified primal of any weights.
  double Primal(std::span<const double> weights, int threads);

  /// Archives warm starts, the average and counts, and forgets the evaluated weights when loading.
  void ArchiveCommon(StateArchive* archive);

  std::optional<ExampleOracle> inexact_;  // of the passes
  PointBlocks blocks_;
  IterateAverage average_;  // of v
};

}  // namespace slackline::internal
