// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/zero_learner.h>

#include <vector>

#include <slackline/core/feature_map.h>

namespace slackline::internal {
namespace {

class ZeroLearner final : public Learner, public DualPointSource {
 public:
  explicit ZeroLearner(const Problem& problem) : problem_(problem) { traits_.dual_point = this; }

  void RunPass(const StopControl& /*stop*/) override {}

  Evaluation Evaluate(int /*threads*/) override {
    evaluated_.assign(problem_.num_weights(), 0.0);
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
};

}  // namespace

std::unique_ptr<Learner> MakeZeroLearner(const Problem& problem) {
  return std::make_unique<ZeroLearner>(problem);
}

}  // namespace slackline::internal
