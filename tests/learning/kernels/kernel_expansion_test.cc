// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/kernels/kernel_expansion.h>

#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>

#include "tests/support/kernel_problems.h"
#include "tests/support/option_text.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

ProblemOptions Shape(Random& random, int trial) {
  ProblemOptions shape = RandomOptions(random);
  shape.inputs = trial % 2 == 0 ? InputKind::kDense : InputKind::kSparse;
  shape.unlabelled = trial % 3 == 0;
  return shape;
}

}  // namespace

TEST_CASE("expansions act like the weights that they represent") {
  // The same combination of feature vectors as an expansion, and as weights of the featurised
  // problem.
  Random random(71);
  const Kernel kernel{KernelKind::kRbf, 0.4, 3, 1};
  for (int trial = 0; trial < 12; ++trial) {
    const TrainingSet training = RandomProblem(random, Shape(random, trial));
    const TrainingSet linear = Featurised(training, kernel);
    const KernelExpansion expansion(training.data);
    const GramCache gram(kernel, {expansion.inputs().begin(), expansion.inputs().end()}, 0);
    std::vector<double> coefficients(expansion.size(), 0.0);
    std::vector<double> weights(linear.data.layout().size(), 0.0);
    for (Index m = 0; m < training.data.size(); ++m) {
      std::vector<double> q(training.data.example(m).structure().num_coordinates());
      for (double& value : q) value = random.Normal();
      expansion.AddFeatures(training.data, m, q, 0.7, coefficients);
      ScatterFeatures(linear.data.example(m), q, 0.7, weights);
    }
    std::vector<double> scores(coefficients.size());
    expansion.Scores(gram, coefficients, 1, scores);
    std::vector<double> again(coefficients.size());
    expansion.Scores(gram, coefficients, 3, again);
    CHECK(scores == again);
    CAPTURE(trial);
    CHECK(Near(std::inner_product(scores.begin(), scores.end(), coefficients.begin(), 0.0),
               std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0), 1e-10));
    for (Index m = 0; m < training.data.size(); ++m) {
      std::vector<double> u(training.data.example(m).structure().num_coordinates());
      std::vector<double> expected(u.size());
      expansion.Gather(training.data, m, scores, u);
      CoordinateScores(linear.data.example(m), weights, expected);
      for (std::size_t k = 0; k < u.size(); ++k) CHECK(Near(u[k], expected[k], 1e-10));
    }
  }
}

TEST_CASE("the kernel of the options has defaults from the data") {
  Random random(72);
  const TrainingSet training = RandomProblem(random, {.input_dimension = 5});
  TrainOptions options;
  CHECK(KernelOf(options, training.data).kind == KernelKind::kLinear);
  options.kernel = KernelKind::kRbf;
  CHECK(KernelOf(options, training.data).gamma == 0.2);
  Set(&options, "--kernel-gamma 3 --kernel-degree 2 --kernel-offset 0.5 --kernel polynomial");
  CHECK(KernelOf(options, training.data).description() ==
        "polynomial, gamma 3, degree 2, offset 0.5");
}
