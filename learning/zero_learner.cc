// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/zero_learner.h>

#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

/// The scales of the problem that all ranks have together.
ObjectiveScales ScalesOfAll(const Problem& problem, const TrainOptions& options) {
  if (RanksOf(options).alone()) return ScalesOf(problem);
  const JointScales joint = JointScalesOf(problem, options);
  return {joint.primal_at_zero, joint.score_scale, joint.relaxation_exceeds_zero};
}

class ZeroLearner final : public Learner, public DualPointSource, public ScaleSource {
 public:
  ZeroLearner(const Problem& problem, const TrainOptions& options, Offset num_weights)
      : problem_(problem), scales_(ScalesOfAll(problem, options)), num_weights_(num_weights) {
    traits_.dual_point = this;
    traits_.scales = this;
  }

  void RunPass(const StopControl& /*stop*/) override {}

  Evaluation Evaluate(int /*threads*/) override {
    evaluated_.assign(num_weights_, 0.0);
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kExact;
    evaluation.primal = scales_.primal_at_zero;
    evaluation.dual = 0;
    return evaluation;
  }

  ObjectiveScales Scales() const override { return scales_; }
  WorkCounts work() const override { return {}; }

  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    const ExampleView example = problem_.data().example(m);
    coordinates->assign(example.structure().num_coordinates(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, *coordinates);
    *loss = 0;
    return true;
  }

 private:
  Problem problem_;
  ObjectiveScales scales_;
  Offset num_weights_;
};

}  // namespace

std::unique_ptr<Learner> MakeZeroLearner(const Problem& problem, const TrainOptions& options,
                                         Offset num_weights) {
  return std::make_unique<ZeroLearner>(problem, options, num_weights);
}

}  // namespace slackline::internal
