// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/plain_bcfw.h>

#include <algorithm>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/dual_points.h>
#include <slackline/learning/step/iterate_average.h>
#include <slackline/learning/step/sampling.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

constexpr Index kRebuildEvery = 64;

class PlainBcfwLearner : public Learner, public DualPointSource, public LambdaFollower {
 public:
  PlainBcfwLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        visits_(options, problem.size()),
        weights_(problem.num_weights(), 0.0),
        points_(problem),
        warm_(problem.size()),
        average_(options.average, problem.num_weights(), problem.size()),
        evaluator_(problem, options.oracle, options.own<BcfwOptions>().lp_tolerance) {
    traits_ = {.dual_point = this, .lambda = this};
  }

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) {
      Step(m);
      average_.EndStep();
    });
    if (++pass_ % kRebuildEvery == 0) points_.Weights(problem_, &weights_);
  }

  Evaluation Evaluate(int threads) override {
    points_.Weights(problem_, &evaluated_);
    Evaluation evaluation;
    evaluation.problem = evaluator_.certified();
    evaluation.dual = points_.MeanLoss() - Regulariser(problem_.lambda(), evaluated_);
    evaluation.primal = evaluator_.Primal(evaluated_, warm_, threads);
    evaluator_.TryAverage(average_, weights_, warm_, threads, &evaluated_, &evaluation);
    return evaluation;
  }

  WorkCounts work() const override { return {oracle_calls_, oracle_calls_}; }

  bool DualPointIsBest() const override { return !options_.fixed_step; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = points_.Read(problem_.data().example(m), m, 1, coordinates);
    return true;
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("bcfw");
    visits_.Archive(archive);
    archive->FiniteReals(weights_);
    points_.Archive(archive);
    for (WarmStart& warm : warm_) archive->Bytes(&warm.bytes);
    average_.Archive(archive);
    archive->Passes(&pass_);
    archive->Count(&oracle_calls_);
    if (archive->loading()) evaluated_.clear();
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    evaluator_.set_problem(problem);
    points_.Weights(problem_, &weights_);
    points_.Scale(BestShare(points_.MeanLoss(), Regulariser(problem_.lambda(), weights_)));
    points_.Weights(problem_, &weights_);
    average_ = IterateAverage(average_.kind(), problem.num_weights(), problem.size());
    pass_ = 0;
    oracle_calls_ = 0;
  }

 private:
  /// Algorithm 4, lines 4–9, for example m.
  void Step(Index m) {
    const ExampleView example = problem_.data().example(m);
    const Corner corner = evaluator_.oracle().Maximise(m, weights_, &warm_[m]);  // lines 4, 5
    ++oracle_calls_;
    // gap·M = H_m(s; w) − H_m(point; w), with the point's w·ψ from the coordinates; q·M = ‖w_s −
    // w_i‖² λM.
    points_.Towards(m, corner.coordinates, &direction_);
    u_.resize(direction_.size());
    CoordinateScores(example, weights_, u_);
    double gap = corner.loss - points_.loss(m);
    for (std::size_t k = 0; k < u_.size(); ++k) gap -= u_[k] * direction_[k];
    const double q = gram_.SquaredNorm(example, direction_) / problem_.lambda_m();
    const double step = options_.fixed_step
                            ? 2.0 * problem_.size() /
                                  (static_cast<double>(oracle_calls_ - 1) + 2.0 * problem_.size())
                            : LineSearch(gap, q, 1);  // line 6
    if (step == 0) return;
    points_.Move(m, step, direction_, corner.loss);                              // lines 7, 8
    ScatterFeatures(example, direction_, step / problem_.lambda_m(), weights_);  // line 9
    if (average_.active()) {
      ScatterFeatures(example, direction_, average_.scale() * step / problem_.lambda_m(),
                      average_.lag());
    }
  }

  Problem problem_;
  TrainOptions options_;
  ExampleVisits visits_;
  std::vector<double> weights_;
  DualPoints points_;
  std::vector<WarmStart> warm_;
  IterateAverage average_;
  ExampleEvaluator evaluator_;
  std::vector<double> direction_;
  FeatureGram gram_;
  std::vector<double> u_;
  Index pass_ = 0;
  std::int64_t oracle_calls_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakePlainBcfwLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<PlainBcfwLearner>(problem, options);
}

}  // namespace slackline::internal
