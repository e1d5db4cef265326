// SPDX-License-Identifier: BSD-3-Clause
//
// Training with a joint kernel through the public header.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include <slackline/core/random.h>
#include <slackline/slackline.h>

namespace slackline {
namespace {

constexpr int kTrain = 30, kTest = 60;

/// Numbers whose class is 1 between −1 and 1, and 0 elsewhere, which no linear function tells.
class Intervals final : public JointKernel {
 public:
  Intervals() {
    internal::Random random(3);
    for (int m = 0; m < kTrain + kTest; ++m) inputs.push_back(2 * random.Normal());
  }
  double Value(int m, std::span<const int> y, int n, std::span<const int> z) const override {
    const double d = inputs[static_cast<std::size_t>(m)] - inputs[static_cast<std::size_t>(n)];
    return y[0] == z[0] ? std::exp(-d * d) : 0;
  }
  int Truth(int m) const { return std::abs(inputs[static_cast<std::size_t>(m)]) < 1 ? 1 : 0; }

  std::vector<double> inputs;
};

EnumeratedOutputs AllOutputs(const Intervals& kernel) {
  EnumeratedOutputs oracle;
  for (int m = 0; m < kTrain; ++m) oracle.Add({{{kernel.Truth(m)}, 0}, {{1 - kernel.Truth(m)}, 1}});
  return oracle;
}

}  // namespace

TEST_CASE("a joint kernel learns what a linear model cannot") {
  const Intervals kernel;
  EnumeratedOutputs oracle = AllOutputs(kernel);
  CHECK(oracle.num_examples() == kTrain);
  for (const char* step : {"pairwise", "fw"}) {
    const JointTrainResult result =
        Train(kernel, kTrain, oracle,
              {.lambda = 0.01, .gap_tolerance = 0.01, .learner_options = {{"step", step}}});
    CHECK(result.termination == Termination::kConverged);
    CHECK(result.certificate.problem == CertifiedProblem::kExact);
    CHECK(result.gap <= 0.01 * result.primal);
    CHECK(result.support_vectors >= 2);
    CHECK(result.support_vectors <= kTrain);
    CHECK(result.support_vectors <= result.support_vector_bound);
    CHECK(result.squared_radius == doctest::Approx(2));
    CHECK(result.joint_weights.terms.size() >= 2);
    int wrong = 0;
    for (int m = kTrain; m < kTrain + kTest; ++m) {
      const int zero[] = {0}, one[] = {1};
      const double margin =
          result.joint_weights.Score(kernel, m, one) - result.joint_weights.Score(kernel, m, zero);
      wrong += (margin > 0) != (kernel.Truth(m) == 1);
    }
    CHECK(wrong <= kTest / 10);
    CHECK(result.Report().find("joint-kernel-bcfw") != std::string::npos);
  }
}

TEST_CASE("joint kernels refuse options and outputs that do not fit") {
  const Intervals kernel;
  EnumeratedOutputs oracle = AllOutputs(kernel);
  CHECK_THROWS_AS(Train(kernel, kTrain, oracle, {}), std::invalid_argument);
  CHECK_THROWS_AS(Train(kernel, 0, oracle, {.lambda = 1}), std::invalid_argument);
  CHECK_THROWS_AS(Train(kernel, kTrain, oracle, {.lambda = 1, .learner = "bcfw"}),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      Train(kernel, kTrain, oracle, {.lambda = 1, .learner_options = {{"step", "away"}}}),
      std::invalid_argument);
  CHECK_THROWS_AS(
      Train(kernel, kTrain, oracle, {.lambda = 1, .learner_options = {{"shards", "2"}}}),
      std::invalid_argument);
  CHECK_THROWS_AS(oracle.Add({}), std::invalid_argument);
  CHECK_THROWS_AS(oracle.Add({{{1}, 0.5}}), std::invalid_argument);
  CHECK_THROWS_AS(oracle.Add({{{1}, 0}, {{0}, -1}}), std::invalid_argument);
}

}  // namespace slackline
