// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/iterate_average.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("lagged sums give the averages of the iterates") {
  Random random(51);
  for (const AverageKind kind :
       {AverageKind::kUniform, AverageKind::kWeighted, AverageKind::kSuffix}) {
    constexpr int kFirst = 4;
    IterateAverage average(kind, 3, kFirst);
    std::vector<double> w(3, 0.0);
    std::vector<std::vector<double>> iterates;
    int start = 0;  // of the suffix
    int next = kFirst;
    for (int step = 1; step <= 50; ++step) {
      const std::size_t k = random.Below(3);
      const double change = random.Normal();
      w[k] += change;
      average.lag()[k] += average.scale() * change;
      average.EndStep();
      iterates.push_back(w);
      if (kind == AverageKind::kSuffix && step == next) {
        start = step;
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
      for (std::size_t c = 0; c < 3; ++c)
        CHECK(Near(got[c], total > 0 ? expected[c] / total : w[c], kExact));
    }
  }
}

TEST_CASE("without averaging nothing is stored") {
  IterateAverage average(AverageKind::kOff, 1000, 1);
  CHECK_FALSE(average.active());
  CHECK(average.lag().empty());
}

TEST_CASE("iterates may be stored as a vector and a scale, which can be folded") {
  Random random(52);
  for (const AverageKind kind :
       {AverageKind::kUniform, AverageKind::kWeighted, AverageKind::kSuffix}) {
    constexpr int kFirst = 4;
    IterateAverage average(kind, 3, kFirst);
    std::vector<double> vector(3, 0.0);
    std::vector<double> sum(3, 0.0);
    double total = 0;
    int next = kFirst;
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
      const double weight = kind == AverageKind::kWeighted ? step : 1;
      for (std::size_t c = 0; c < 3; ++c) sum[c] += weight * scale * vector[c];
      total += weight;
      const bool restarts = kind == AverageKind::kSuffix && step == next;
      if (restarts) {
        std::fill(sum.begin(), sum.end(), 0.0);
        total = 0;
        next *= 2;
      }
      std::vector<double> got;
      average.Read(vector, &got);
      for (std::size_t c = 0; c < 3; ++c)
        CHECK(Near(got[c], restarts ? scale * vector[c] : sum[c] / total, kExact));
    }
  }
}
