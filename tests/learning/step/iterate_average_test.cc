// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/iterate_average.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("lagged sums give the averages of the iterates") {
  Random random(51);
  for (const AverageKind kind :
       {AverageKind::kUniform, AverageKind::kWeighted, AverageKind::kSuffix}) {
    IterateAverage average({kind}, 3);
    std::vector<double> w(3, 0.0);
    std::vector<std::vector<double>> iterates;
    int start = 0;  // of the suffix
    int next = 1;
    for (int step = 1; step <= 50; ++step) {
      const std::size_t k = random.Below(3);
      const double change = random.Normal();
      w[k] += change;
      average.lag()[k] += average.scale() * change;
      average.EndStep();
      iterates.push_back(w);
      if (kind == AverageKind::kSuffix && step == next) {
        start = step - 1;
        next *= 2;
      }
      std::vector<double> expected(3, 0.0);
      double total = 0;
      for (int j = start; j < step; ++j) {
        const double weight = kind == AverageKind::kWeighted ? j + 1 : 1;
        total += weight;
        for (std::size_t c = 0; c < 3; ++c) expected[c] += weight * iterates[j][c];
      }
      std::vector<double> got;
      average.Read(w, &got);
      for (std::size_t c = 0; c < 3; ++c) CHECK(Near(got[c], expected[c] / total, kExact));
    }
  }
}

TEST_CASE("the share of a suffix sets the steps at which it begins anew") {
  // An average of 1, 2, 3, …: the mean of the first and the last step that it has.
  const auto first_steps = [](double share, int steps) {
    IterateAverage average({AverageKind::kSuffix, share}, 1);
    std::vector<int> firsts;
    std::vector<double> got;
    for (int step = 1; step <= steps; ++step) {
      average.lag()[0] += average.scale();
      average.EndStep();
      average.Read(std::vector<double>{static_cast<double>(step)}, &got);
      firsts.push_back(static_cast<int>(std::lround(2 * got[0])) - step);
    }
    return firsts;
  };
  CHECK(first_steps(0.5, 9) == std::vector<int>{1, 2, 2, 4, 4, 4, 4, 8, 8});
  CHECK(first_steps(0.25, 9) == std::vector<int>{1, 2, 3, 4, 4, 6, 6, 8, 8});
  CHECK(first_steps(0.75, 9) == std::vector<int>{1, 1, 1, 4, 4, 4, 4, 4, 4});
  CHECK(first_steps(0.001, 4) == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("an average that is restarted has the same rule and no steps") {
  IterateAverage average({AverageKind::kSuffix, 0.75}, 1);
  const auto read = [&] {
    std::vector<double> got;
    for (double step = 1; step <= 3; ++step) {
      average.lag()[0] += average.scale();
      average.EndStep();
      average.Read(std::vector<double>{step}, &got);
    }
    return got[0];
  };
  CHECK(read() == 2);
  average = average.Restarted();
  CHECK(read() == 2);
}

TEST_CASE("without averaging nothing is stored") {
  IterateAverage average({AverageKind::kOff}, 1000);
  CHECK_FALSE(average.active());
  CHECK(average.lag().empty());
}

TEST_CASE("iterates may be stored as a vector and a scale, which can be folded") {
  Random random(52);
  for (const AverageKind kind :
       {AverageKind::kUniform, AverageKind::kWeighted, AverageKind::kSuffix}) {
    IterateAverage average({kind}, 3);
    std::vector<double> vector(3, 0.0);
    std::vector<double> sum(3, 0.0);
    double total = 0;
    int next = 1;
    for (int step = 1; step <= 60; ++step) {
      const std::size_t k = random.Below(3);
      const double change = random.Normal();
      vector[k] += change;
      average.lag()[k] += average.scale() * change;
      if (step % 7 == 0) {  // another vector for the same iterates
        average.Fold(vector);
        for (double& value : vector) value *= 1e-9;
      }
      const double scale = 0.1 + random.Uniform();
      average.EndStep(scale);
      if (kind == AverageKind::kSuffix && step == next) {
        std::fill(sum.begin(), sum.end(), 0.0);
        total = 0;
        next *= 2;
      }
      const double weight = kind == AverageKind::kWeighted ? step : 1;
      for (std::size_t c = 0; c < 3; ++c) sum[c] += weight * scale * vector[c];
      total += weight;
      std::vector<double> got;
      average.Read(vector, &got);
      for (std::size_t c = 0; c < 3; ++c) CHECK(Near(got[c], sum[c] / total, kExact));
    }
  }
}
