// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/zero_learner.h>

#include <vector>

#include <slackline/core/feature_map.h>

namespace slackline::internal {
namespace {

class ZeroLearner final : public Learner, public DualPointSource {
 public:
  ZeroLearner(const Problem& problem, Offset num_weights)
      : problem_(problem), num_weights_(num_weights) {
    traits_.dual_point = this;
  }

  void RunPass(const StopControl& /*stop*/) override {}

  Evaluation Evaluate(int /*threads*/) override {
    evaluated_.assign(num_weights_, 0.0);
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kExact;
    evaluation.primal = PrimalAtZeroWeights(problem_);
    evaluation.dual = 0;
    return evaluation;
  }

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
  Offset num_weights_;
};

}  // namespace

std::unique_ptr<Learner> MakeZeroLearner(const Problem& problem, Offset num_weights) {
  return std::make_unique<ZeroLearner>(problem, num_weights);
}

}  // namespace slackline::internal
