// SPDX-License-Identifier: BSD-3-Clause
//
// Common part of the learners whose blocks are examples: the problem, the order of visits, and the
// evaluator that certifies weights with an oracle over whole examples. Learners that mix corners
// into one point per example derive from PointBlockLearner or DualPointLearner. A learner itself
// adds its steps, and chooses the weights to certify.
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
  /// oracle: options of the evaluator's oracle.
  ExampleBlockLearner(const Problem& problem, const TrainOptions& options,
                      const ExampleOracle::Options& oracle)
      : problem_(problem),
        options_(options),
        visits_(options, problem.data()),
        evaluator_(problem, oracle) {
    traits_.dual_point = this;
    traits_.lambda = this;
  }

  /// Replaces evaluated_ by `other` and evaluation->primal by primal(other), if the latter is
  /// smaller.
  template <class Primal>
  void TakeIfBetter(std::vector<double> other, const Primal& primal, Evaluation* evaluation) {
    const double value = primal(std::as_const(other));
    if (!(value < evaluation->primal)) return;
    evaluation->primal = value;
    evaluated_ = std::move(other);
  }

  /// The same for weights that are wanted instead of the newest iterate, such as an average. With
  /// keep_newest, they are taken in any case.
  template <class Primal>
  void TakeOutput(std::vector<double> output, const Primal& primal, Evaluation* evaluation) {
    if (options_.keep_newest) evaluation->primal = kInfinity;
    TakeIfBetter(std::move(output), primal, evaluation);
  }

  /// Changes λ before a new run.
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
