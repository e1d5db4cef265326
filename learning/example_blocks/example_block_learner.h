// SPDX-License-Identifier: BSD-3-Clause
//
// What learners have in common whose blocks are examples: the problem, the order of visits, and the
// evaluator that certifies weights with an oracle over whole examples. Learners that mix corners in
// one point per example go on from DualPointLearner, learners with an active set per example from
// ActiveSetBlockLearner. What is left to a learner are its steps, and which weights it certifies.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {

class ExampleBlockLearner : public Learner, public DualPointSource, public LambdaFollower {
 protected:
  /// oracle: of the evaluator.
  ExampleBlockLearner(const Problem& problem, const TrainOptions& options,
                      const ExampleOracle::Options& oracle)
      : problem_(problem),
        options_(options),
        visits_(options, problem.size()),
        evaluator_(problem, oracle) {
    traits_.dual_point = this;
    traits_.lambda = this;
  }

  /// Takes `other` for evaluated_ where primal(other) is smaller than evaluation->primal, which it
  /// then becomes.
  template <class Primal>
  void TakeIfBetter(std::vector<double> other, const Primal& primal, Evaluation* evaluation) {
    const double value = primal(std::as_const(other));
    if (!(value < evaluation->primal)) return;
    evaluation->primal = value;
    evaluated_ = std::move(other);
  }

  /// The same with another λ, as a run begins.
  void ChangeProblem(const Problem& problem) {
    problem_ = problem;
    evaluator_.set_problem(problem);
    pass_ = 0;
  }

  Problem problem_;
  TrainOptions options_;
  ExampleVisits visits_;
  ExampleEvaluator evaluator_;
  Index pass_ = 0;  // passes made
};

}  // namespace slackline::internal
