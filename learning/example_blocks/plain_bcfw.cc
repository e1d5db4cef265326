// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/plain_bcfw.h>

#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/dual_point_learner.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

class PlainBcfwLearner : public DualPointLearner {
 public:
  PlainBcfwLearner(const Problem& problem, const TrainOptions& options)
      : DualPointLearner(problem, options, options.own<BcfwOptions>().lp_tolerance),
        weights_(problem.num_weights(), 0.0) {}

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) {
      Step(m);
      average_.EndStep();
    });
    if (EndPass()) points_.Weights(problem_, &weights_);
  }

  Evaluation Evaluate(int threads) override {
    points_.Weights(problem_, &evaluated_);
    return Certify(points_.MeanLoss() - Regulariser(problem_.lambda(), evaluated_), weights_,
                   threads);
  }

  bool DualPointIsBest() const override { return !options_.fixed_step; }

  void Archive(StateArchive* archive) override {
    archive->Tag("bcfw");
    visits_.Archive(archive);
    archive->FiniteReals(weights_);
    points_.Archive(archive);
    ArchiveCommon(archive);
    archive->Passes(&pass_);
    archive->Count(&oracle_calls_);
  }

  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    points_.Weights(problem_, &weights_);
    points_.Scale(BestShare(points_.MeanLoss(), Regulariser(problem_.lambda(), weights_)));
    points_.Weights(problem_, &weights_);
  }

 private:
  /// Algorithm 4, lines 4–9, for example m.
  void Step(Index m) {
    const Corner corner = Ask(m, weights_);  // lines 4, 5
    // gap·M = H_m(s; w) − H_m(point; w), with the point's w·ψ from the coordinates; q·M = ‖w_s −
    // w_i‖² λM.
    const double gap = Direct(m, corner.coordinates, corner.loss, weights_);
    const double q =
        gram_.SquaredNorm(problem_.data().example(m), direction_) / problem_.lambda_m();
    const double step = options_.fixed_step
                            ? 2.0 * problem_.size() /
                                  (static_cast<double>(oracle_calls_ - 1) + 2.0 * problem_.size())
                            : LineSearch(gap, q, 1);      // line 6
    if (step != 0) Move(m, step, corner.loss, weights_);  // lines 7 to 9
  }

  std::vector<double> weights_;
};

}  // namespace

std::unique_ptr<Learner> MakePlainBcfwLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<PlainBcfwLearner>(problem, options);
}

}  // namespace slackline::internal
