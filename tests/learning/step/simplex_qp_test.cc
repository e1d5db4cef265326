// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the quadratic program of cutting planes with an interior-point method.
#include <slackline/learning/step/simplex_qp.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/quadratic_program.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Program {
  RowMajor gram;
  std::vector<double> linear;
  double scale = 1;

  SimplexQp View() const { return {linear, gram.data(), Size(gram.cols()), scale}; }
  double Value(const std::vector<double>& alpha) const {
    const Eigen::Map<const Eigen::VectorXd> a(alpha.data(),
                                              static_cast<Eigen::Index>(alpha.size()));
    const Eigen::Map<const Eigen::VectorXd> b(linear.data(),
                                              static_cast<Eigen::Index>(linear.size()));
    return b.dot(a) - 0.5 * scale * a.dot(gram * a);
  }
  double Optimum() const {
    const auto n = static_cast<Eigen::Index>(linear.size());
    const Eigen::Map<const Eigen::VectorXd> b(linear.data(), n);
    return -SolveQp(scale * gram, -b, Eigen::MatrixXd::Ones(1, n), Eigen::VectorXd::Ones(1))
                .objective;
  }
};

double Uniform(Random& random) { return 2 * random.Uniform() - 1; }

/// n planes in `rank` dimensions, the first one zero; `repeat`: every second plane repeats its
/// predecessor.
Program RandomProgram(Random& random, Eigen::Index n, Eigen::Index rank, bool repeat) {
  Eigen::MatrixXd planes(rank, n);
  Program program;
  program.linear.assign(n, 0.0);
  for (Eigen::Index k = 0; k < n; ++k) {
    const bool same = repeat && k % 2 == 0 && k > 0;
    for (Eigen::Index r = 0; r < rank; ++r)
      planes(r, k) = same ? planes(r, k - 1) : k > 0 ? Uniform(random) : 0;
    if (k > 0) program.linear[k] = same ? program.linear[k - 1] : random.Uniform();
  }
  program.gram = planes.transpose() * planes;
  return program;
}

std::vector<double> FirstVertex(std::size_t n) {
  std::vector<double> alpha(n, 0.0);
  alpha[0] = 1;
  return alpha;
}

void CheckFeasible(const std::vector<double>& alpha) {
  double sum = 0;
  for (const double a : alpha) {
    CHECK(a >= 0);
    sum += a;
  }
  CHECK(Near(sum, 1, kExact));
}

}  // namespace

TEST_CASE("the solver reaches the optimum of an interior-point method") {
  Random random(1);
  int inner = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const auto n = static_cast<Eigen::Index>(1 + random.Below(30));
    const auto rank = static_cast<Eigen::Index>(1 + random.Below(12));
    Program program = RandomProgram(random, n, rank, trial % 3 == 0);
    program.scale = trial % 4 == 0 ? 1 : trial % 4 == 1 ? 100 : trial % 4 == 2 ? 0.01 : 1e4;
    std::vector<double> alpha = FirstVertex(program.linear.size());
    const SimplexQpResult result = MaximiseOverSimplex(program.View(), 1e-12, alpha);
    CAPTURE(trial);
    CheckFeasible(alpha);
    const double optimum = program.Optimum();
    CHECK(Near(program.Value(alpha), optimum, kTight));
    CHECK(result.gap <= 1e-11);
    CHECK(result.gap >= 0);
    int positive = 0;
    for (const double a : alpha) positive += a > 0 ? 1 : 0;
    inner += positive > 2 ? 1 : 0;
  }
  CHECK(inner > 20);  // not only vertices and edges
}

TEST_CASE("the gap bounds the suboptimality for any tolerance") {
  Random random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const Program program = RandomProgram(random, 25, 10, false);
    const double optimum = program.Optimum();
    for (const double tolerance : {1.0, 1e-2, 1e-4}) {
      std::vector<double> alpha = FirstVertex(program.linear.size());
      const SimplexQpResult result = MaximiseOverSimplex(program.View(), tolerance, alpha);
      CHECK(result.gap <= tolerance);
      CHECK(optimum - program.Value(alpha) <= result.gap + kTight);
      CHECK(program.Value(alpha) <= optimum + kTight);
    }
  }
}

TEST_CASE("a warm start never loses value, and needs few steps") {
  Random random(3);
  Index warm_steps = 0;
  Index cold_steps = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Program program = RandomProgram(random, 40, 20, false);
    // First without the last plane, since cutting planes are added one by one.
    Program before = program;
    before.linear.pop_back();
    std::vector<double> alpha = FirstVertex(before.linear.size());
    MaximiseOverSimplex({before.linear, program.gram.data(), 40, 1}, 1e-12, alpha);
    alpha.push_back(0);
    const double start = program.Value(alpha);
    warm_steps += MaximiseOverSimplex(program.View(), 1e-12, alpha).steps;
    CHECK(program.Value(alpha) >= start - kExact);
    CHECK(Near(program.Value(alpha), program.Optimum(), kTight));
    std::vector<double> cold = FirstVertex(program.linear.size());
    cold_steps += MaximiseOverSimplex(program.View(), 1e-12, cold).steps;
  }
  CHECK(2 * warm_steps < cold_steps);
}

TEST_CASE("degenerate programs are solved to their optimum") {
  // No curvature: the best vertex is optimal.
  Program flat;
  flat.linear = {0, 0.5, 2, 1};
  flat.gram = RowMajor::Zero(4, 4);
  std::vector<double> alpha = FirstVertex(4);
  CHECK(MaximiseOverSimplex(flat.View(), 0, alpha).gap == 0);
  CHECK(alpha == std::vector<double>{0, 0, 1, 0});
  // One entry.
  std::vector<double> one = {1};
  const std::vector<double> linear = {3};
  const double gram = 2;
  CHECK(MaximiseOverSimplex({linear, &gram, 1, 1}, 0, one).gap == 0);
  CHECK(one[0] == 1);
  // All entries equal.
  Program same;
  same.linear.assign(5, 1);
  same.gram = RowMajor::Constant(5, 5, 1e8);
  std::vector<double> any = {0.2, 0.2, 0.2, 0.2, 0.2};
  CHECK(MaximiseOverSimplex(same.View(), 1e-12, any).gap <= 1e-7);
  CheckFeasible(any);
  // Curvatures of very different sizes.
  Program wide;
  wide.linear = {0, 1, 1, 1};
  wide.gram = RowMajor::Zero(4, 4);
  wide.gram.diagonal() << 0, 1e-12, 1, 1e12;
  std::vector<double> spread = FirstVertex(4);
  CHECK(MaximiseOverSimplex(wide.View(), 1e-12, spread).gap <= 1e-11);
  CHECK(spread[1] > 0.99);
}

TEST_CASE("small programs reach the same optimum") {
  Random random(11);
  int inner = 0;
  for (int trial = 0; trial < 60; ++trial) {
    // Few dimensions: singular, like Gram matrices of nearly equal points.
    const auto n = static_cast<Eigen::Index>(1 + random.Below(7));
    const auto rank = static_cast<Eigen::Index>(1 + random.Below(3));
    Program program = RandomProgram(random, n, rank, trial % 3 == 0);
    program.scale = trial % 2 == 0 ? 1 : 100;
    std::vector<double> alpha(program.linear.size(), -1.0);  // overwritten
    MaximiseSmallSimplexQp(program.View(), alpha);
    CAPTURE(trial);
    CheckFeasible(alpha);
    CHECK(Near(program.Value(alpha), program.Optimum(), kTight));
    int positive = 0;
    for (const double a : alpha) positive += a > 0 ? 1 : 0;
    inner += positive > 1 ? 1 : 0;
  }
  CHECK(inner > 20);  // not only vertices
}

TEST_CASE("small programs terminate when numbers overflow") {
  const std::vector<double> wild = {kInfinity, -kInfinity, std::nan(""), 1e308, -1e308, 1e200,
                                    1,         0};
  Random random(9);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t n = 1 + random.Below(4);
    std::vector<double> linear(n);
    std::vector<double> gram(n * n);
    for (double& value : linear) value = wild[random.Below(wild.size())];
    for (double& value : gram) value = wild[random.Below(wild.size())];
    std::vector<double> alpha(n, 0.0);
    MaximiseSmallSimplexQp({linear, gram.data(), n, 1}, alpha);
    CHECK(std::count(alpha.begin(), alpha.end(), 0.0) < static_cast<std::ptrdiff_t>(n));
  }
}

TEST_CASE("sizes that do not fit are refused") {
  const std::vector<double> linear = {1, 2};
  const double gram[4] = {1, 0, 0, 1};
  std::vector<double> alpha = {1};
  CHECK_THROWS_AS(MaximiseOverSimplex({linear, gram, 2, 1}, 0, alpha), std::invalid_argument);
  std::vector<double> none;
  CHECK_THROWS_AS(MaximiseOverSimplex({{}, gram, 2, 1}, 0, none), std::invalid_argument);
  CHECK_THROWS_AS(MaximiseSmallSimplexQp({linear, gram, 2, 1}, alpha), std::invalid_argument);
}
