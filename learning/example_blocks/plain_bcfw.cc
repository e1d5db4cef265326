// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/plain_bcfw.h>

#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/point_block_learner.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/sign_constraints.h>

namespace slackline::internal {
namespace {

class PlainBcfwLearner : public PointBlockLearner {
 public:
  PlainBcfwLearner(const Problem& problem, const TrainOptions& options)
      : PointBlockLearner(problem, options,
                          {.fixed_step = options.fixed_step,
                           .quality = options.own<InexactOptions>().step_quality,
                           .signs = SignsOf(problem, options)}) {}

  void RunPass(const StopControl& stop) override {
    if (pass_ > 0 || !options_.own<BcfwOptions>().batch_start) return VisitAll(stop, [] {});
    blocks_.BatchStep(stop, &average_);
    ++pass_;
  }

  bool DualPointIsBest() const override { return !options_.fixed_step; }

  void Archive(StateArchive* archive) override {
    archive->Tag("bcfw");
    visits_.Archive(archive);
    blocks_.ArchiveWeights(archive);
    ArchiveCommon(archive);
  }
};

}  // namespace

std::unique_ptr<Learner> MakePlainBcfwLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<PlainBcfwLearner>(problem, options);
}

}  // namespace slackline::internal
