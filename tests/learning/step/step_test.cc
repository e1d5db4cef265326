// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/step.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

using namespace slackline::internal;

TEST_CASE("the line search clips to the limit") {
  CHECK(LineSearch(1.0, 4.0, 1.0) == 0.25);
  CHECK(LineSearch(1.0, 4.0, 0.125) == 0.125);
  CHECK(LineSearch(0.0, 4.0, 1.0) == 0.0);
  CHECK(LineSearch(-1.0, 4.0, 1.0) == 0.0);
}

TEST_CASE("without curvature the line search goes to the end only uphill") {
  CHECK(LineSearch(1e-9, 0.0, 0.75) == 0.75);
  CHECK(LineSearch(0.0, 0.0, 0.75) == 0.0);
}

TEST_CASE("the direction breaks ties by the lowest state") {
  const std::vector<double> theta = {1, 3, 3, 0, 0};
  const std::vector<double> mu = {0.2, 0.2, 0.2, 0.2, 0.2};
  const Direction pairwise = ChooseDirection(StepKind::kPairwise, theta.data(), mu.data(), 5);
  CHECK(pairwise.s == 1);
  CHECK(pairwise.v == 3);
  CHECK(pairwise.gap == 3);
  CHECK(pairwise.limit == 0.2);
  const Direction frank_wolfe = ChooseDirection(StepKind::kFrankWolfe, theta.data(), mu.data(), 5);
  CHECK(frank_wolfe.s == 1);
  CHECK(frank_wolfe.v == -1);
  CHECK(frank_wolfe.gap == doctest::Approx(3 - 1.4));
  CHECK(frank_wolfe.limit == 1);
}

TEST_CASE("the pairwise direction moves away only from states with mass") {
  const std::vector<double> theta = {-5, 3, 1};
  const std::vector<double> mu = {0, 0.5, 0.5};
  const Direction direction = ChooseDirection(StepKind::kPairwise, theta.data(), mu.data(), 3);
  CHECK(direction.v == 2);
  CHECK(direction.gap == 2);
}

TEST_CASE("a full pairwise step empties the state exactly") {
  std::vector<double> mu = {0.1 + 0.2, 0.7};
  const Direction direction{1, 0, 1.0, mu[0]};
  MoveAlong(direction, direction.limit, 2, mu.data());
  CHECK(mu[0] == 0.0);
  CHECK(mu[1] == doctest::Approx(1.0));
}

TEST_CASE("a full Frank-Wolfe step ends in the corner") {
  std::vector<double> mu = {0.3, 0.3, 0.4};
  MoveAlong(Direction{2, -1, 1.0, 1.0}, 1.0, 3, mu.data());
  CHECK(mu == std::vector<double>{0, 0, 1});
}

TEST_CASE("NaN and infinite derivatives give no direction") {
  const double nan = std::nan("");
  CHECK(LineSearch(nan, 1, 1) == 0);
  CHECK(LineSearch(nan, 0, 1) == 0);
  CHECK(LineSearch(kInfinity, 1, 0.5) == 0.5);
  for (const double wild : {nan, kInfinity, -kInfinity}) {
    const std::vector<double> theta = {wild, 1, wild};
    for (std::vector<double> mu : {std::vector<double>{0, 0, 0}, {nan, nan, nan}, {-1, 0, nan}}) {
      const Direction direction = ChooseDirection(StepKind::kPairwise, theta.data(), mu.data(), 3);
      CHECK(direction.v == direction.s);
      CHECK(direction.gap == 0);
      const std::vector<double> before = mu;
      MoveAlong(direction, LineSearch(direction.gap, 1, direction.limit), 3, mu.data());
      for (std::size_t s = 0; s < 3; ++s) CHECK((mu[s] == before[s] || std::isnan(before[s])));
    }
  }
}
