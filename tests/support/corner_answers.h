// SPDX-License-Identifier: BSD-3-Clause
//
// Answers of the oracle of the active sets, with the reference values of enumeration.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_gram.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/oracle/example_oracle.h>

#include "tests/support/dense_labellings.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

namespace slackline::internal::test {

/// The oracle under test, which answers with sparse corners.
class Oracle : public ExampleOracle {
 public:
  Oracle(const Problem& problem, SolverKind solver, Effort effort = Effort::kTraining,
         Rescaling rescaling = Rescaling::kMargin, Searches searches = Searches::kAlways)
      : ExampleOracle(
            problem,
            {.solver = solver, .effort = effort, .searches = searches, .rescaling = rescaling}) {}
};
using Labellings = std::vector<DenseLabelling>;

struct Answer {
  double bound = 0;
  double value = 0;  // Δ + w·φ of the corner, from its dense features
  double loss = 0;
  Eigen::VectorXd features;
  SparseCorner corner;
};

inline std::vector<double> ScoresOfSlots(const ExampleView& example,
                                         std::span<const double> weights) {
  std::vector<double> slots(SlotCoordinates(example.structure()));
  SlotScores(example, weights, slots);
  return slots;
}

inline void ReadCorner(const ExampleView& example, std::span<const double> weights,
                       Answer* answer) {
  answer->features = DenseFeaturesOf(example, answer->corner);
  answer->loss = answer->corner.loss;
  answer->value = answer->loss + answer->features.dot(AsVector(weights));
}

inline Answer Ask(const Problem& problem, ExampleOracle* oracle, Index m,
                  std::span<const double> weights, WarmStart* warm = nullptr, bool bound = true) {
  const ExampleView example = problem.data().example(m);
  Answer answer;
  answer.bound =
      oracle->Maximise(m, ScoresOfSlots(example, weights), weights, warm, bound, &answer.corner);
  // A call for a bound may leave the corner unchanged.
  if (!bound) ReadCorner(example, weights, &answer);
  return answer;
}

/// Takes the bound from one call and the corner from another.
inline Answer AskBoundAndCorner(const Problem& problem, ExampleOracle* oracle, Index m,
                                std::span<const double> weights, WarmStart* warm = nullptr) {
  const double bound = Ask(problem, oracle, m, weights, warm).bound;
  Answer answer = Ask(problem, oracle, m, weights, warm, false);
  answer.bound = bound;
  return answer;
}

inline Answer AskSearch(const Problem& problem, ExampleOracle* oracle, Index m,
                        std::span<const double> weights, WarmStart* warm, bool* complete) {
  const ExampleView example = problem.data().example(m);
  Answer answer;
  answer.bound = oracle->Search(m, ScoresOfSlots(example, weights), weights, 0, warm,
                                &answer.corner, complete);
  ReadCorner(example, weights, &answer);
  return answer;
}

/// In turn: all zero, normal, large, whole numbers with many ties, all negative.
inline std::vector<double> SomeWeights(Random& random, const Problem& problem, int trial) {
  std::vector<double> weights(problem.num_weights());
  for (double& w : weights) {
    w = random.Normal();
    if (trial % 5 == 0) w = 0;
    if (trial % 5 == 2) w *= 1e4;
    if (trial % 5 == 3) w = std::round(w);
    if (trial % 5 == 4) w = -std::abs(w);
  }
  return weights;
}

inline bool IsLabelling(const Labellings& labellings, const Answer& answer) {
  return Contains(labellings, answer.features, answer.loss, kTight);
}

/// Checks that the corner is a labelling of the largest score, and that the bound is that score.
inline void CheckExact(const Problem& problem, Oracle* oracle, std::span<const double> weights) {
  oracle->Refresh();
  for (Index m = 0; m < problem.size(); ++m) {
    const Labellings labellings = DenseLabellings(problem, m);
    const double best = LargestScore(labellings, AsVector(weights));
    WarmStart warm;
    const Answer answer = AskBoundAndCorner(problem, oracle, m, weights, &warm);
    CAPTURE(m);
    CHECK(Near(answer.bound, best, kTight));
    CHECK(Near(answer.value, best, kTight));
    CHECK(IsLabelling(labellings, answer));
  }
}

inline double Room(double value) { return kTight * std::max(1.0, std::abs(value)); }

inline double TruthScore(const Problem& problem, Index m, std::span<const double> weights) {
  const ExampleView example = problem.data().example(m);
  return DenseFeaturesOf(example, example.labels()).dot(AsVector(weights));
}

inline ProblemOptions SmallForest(Random& random, int trial) {
  ProblemOptions shape = RandomOptions(random);
  shape.forest = true;
  shape.max_order = 2;
  shape.num_factors = 4;
  shape.forbidden = trial % 3 == 1;
  if (trial % 7 == 0) shape.num_variables = 1;
  return shape;
}

inline ProblemOptions SmallLoops(Random& random) {
  ProblemOptions shape = RandomOptions(random);
  shape.forest = shape.single_states = false;
  shape.num_variables = 4;
  shape.num_factors = 7;
  shape.max_order = 2;
  return shape;
}

}  // namespace slackline::internal::test
