// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/step/sampling.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions SsgOptions(AverageKind average = AverageKind::kAuto) {
  TrainOptions options = Options(LearnerKind::kSubgradient, StepKind::kAuto, 0);
  options.absolute_gap = 0;
  options.oracle = SolverKind::kBruteForce;
  options.average = average;
  return options;
}

/// The subgradient method by its formulas, with dense weights.
class PlainSubgradient {
 public:
  PlainSubgradient(const Problem& problem, std::uint64_t seed)
      : problem_(problem),
        random_(seed),
        order_(problem.size()),
        oracle_(problem,
                {.solver = SolverKind::kBruteForce, .ways = ExampleOracle::Ways::kSolvers}),
        w_(problem.num_weights(), 0.0) {}

  void Pass() {
    const std::span<const Index> order = order_.Next(&random_);
    for (const Index m : order) {
      const Corner corner = oracle_.Maximise(m, w_, nullptr);
      ++k_;
      for (double& w : w_) w *= 1 - 1 / k_;
      ScatterFeatures(problem_.data().example(m), corner.coordinates, 1 / (problem_.lambda() * k_),
                      w_);
      iterates.push_back(w_);
    }
  }
  const std::vector<double>& w() const { return w_; }

  std::vector<double> Average(AverageKind kind, std::size_t start) const {
    std::vector<double> average(w_.size(), 0.0);
    double total = 0;
    for (std::size_t k = start; k < iterates.size(); ++k) {
      const double weight = kind == AverageKind::kWeighted ? static_cast<double>(k + 1) : 1.0;
      total += weight;
      for (std::size_t d = 0; d < average.size(); ++d) average[d] += weight * iterates[k][d];
    }
    for (double& value : average) value /= total;
    return average;
  }

  std::vector<std::vector<double>> iterates;

 private:
  Problem problem_;
  Random random_;
  ExampleOrder order_;
  ExampleOracle oracle_;
  std::vector<double> w_;
  double k_ = 0;
};

}  // namespace

TEST_CASE("iterates follow the formula") {
  Random random(81);
  for (const double lambda : {1.0, 0.3, 0.001, 1e-4}) {
    const Problem problem(RandomMultiLabelProblem(random, 8, 4, 3, true), lambda);
    PlainSubgradient plain(problem, 1);
    const auto learner = MakeLearner(problem, SsgOptions());
    for (int pass = 0; pass < 12; ++pass) {
      plain.Pass();
      learner->RunPass(kNever);
      learner->Evaluate(1);
      CheckNear(plain.w(), learner->weights());
    }
  }
}

TEST_CASE("averages are those of the iterates") {
  // No two labels are the same in all examples: otherwise oracles would see ties.
  Random random(81);
  constexpr std::size_t kExamples = 9;
  const TrainingSet training = RandomMultiLabelProblem(random, kExamples, 4, 3, true);
  int averages = 0;
  int worse = 0;
  for (const AverageKind kind :
       {AverageKind::kUniform, AverageKind::kWeighted, AverageKind::kSuffix}) {
    for (const double lambda : {1.0, 0.01, 1e-4}) {
      const Problem problem(training, lambda);
      PlainSubgradient plain(problem, 1);
      TrainOptions options = SsgOptions(kind);
      const auto learner = MakeLearner(problem, options);
      options.keep_newest = true;
      const auto stubborn = MakeLearner(problem, options);
      std::size_t newest_power = 1;  // of two
      for (std::size_t pass = 1; pass <= 12; ++pass) {
        plain.Pass();
        learner->RunPass(kNever);
        stubborn->RunPass(kNever);
        while (2 * newest_power <= pass * kExamples) newest_power *= 2;
        const std::vector<double> expected =
            plain.Average(kind, kind == AverageKind::kSuffix ? newest_power - 1 : 0);
        learner->Evaluate(1);
        // The better of average and iterate is certified, or the average in any case.
        const double primal = ExactPrimal(training, lambda, expected);
        const bool better = primal < ExactPrimal(training, lambda, plain.w());
        CAPTURE(lambda);
        CAPTURE(pass);
        CAPTURE(Name(kind));
        CheckNear(better ? expected : plain.w(), learner->weights());
        CHECK(Near(stubborn->Evaluate(1).primal, primal, kSolver));
        CheckNear(expected, stubborn->weights());
        averages += better;
        worse += !better;
      }
    }
  }
  CHECK(averages >= 5);
  CHECK(worse >= 5);
}

TEST_CASE("after whole passes the dual point is the newest iterate itself") {
  // Then θ = 1: the bound is mean loss − λ/2 ‖w‖² at the evaluated weights.
  Random random(84);
  const Problem problem(RandomMultiLabelProblem(random, 8, 4, 3, true), 0.3);
  const auto learner = MakeLearner(problem, SsgOptions());
  for (int pass = 0; pass < 10; ++pass) {
    learner->RunPass(kNever);
    const Evaluation evaluation = learner->Evaluate(1);
    double loss = 0;
    std::vector<double> coordinates;
    for (Index m = 0; m < problem.size(); ++m) {
      double own = 0;
      REQUIRE(learner->traits().dual_point->DualPoint(m, &coordinates, &own));
      loss += own / problem.size();
    }
    const double regulariser = Regulariser(problem.lambda(), learner->weights());
    if (loss > 2 * regulariser) CHECK(Near(evaluation.dual, loss - regulariser, kTight));
    if (pass >= 5) CHECK(loss > 2 * regulariser);
  }
}
