// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/calibration.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/multilabel/validation/reliability.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Sample {
  std::vector<double> scores;
  std::vector<std::int8_t> truth;
};

/// Draws labels that are on with probability 1/(1 + exp(−(slope·s + intercept))), and a few unknown
/// ones.
Sample DrawSample(int examples, double slope, double intercept, std::uint64_t seed) {
  Random random(seed);
  Sample sample;
  for (int m = 0; m < examples; ++m) {
    const double s = random.Normal();
    const bool on = random.Uniform() < 1 / (1 + std::exp(-(slope * s + intercept)));
    sample.scores.push_back(s);
    sample.truth.push_back(m % 10 == 9 ? -1 : (on ? 1 : 0));
  }
  return sample;
}

/// The minimum in [low, high] of a convex function of one variable, by golden-section search.
double Golden(const std::function<double(double)>& f, double low, double high) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  for (int k = 0; k < 65; ++k) {
    const double a = high - ratio * (high - low);
    const double b = low + ratio * (high - low);
    (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
  }
  return f((low + high) / 2);
}

/// The minimum of the cross entropy over all intercepts and all slopes ≥ 0, by nested searches.
double DirectMinimum(const Sample& sample) {
  return Golden(
      [&](double a) {
        return Golden(
            [&](double b) {
              return CrossEntropy({a, b}, sample.scores, sample.truth);
            },
            -20, 20);
      },
      0, 20);
}

}  // namespace

TEST_CASE("the fit reaches the minimum found by a direct search") {
  for (const double slope : {0.3, 1.0, 4.0}) {
    for (const double intercept : {-2.0, 0.0, 1.0}) {
      for (const int seed : {7, 8}) {
        const Sample sample = DrawSample(60, slope, intercept, static_cast<std::uint64_t>(seed));
        const Sigmoid fitted = FitSigmoid(sample.scores, sample.truth);
        CHECK(
            Near(CrossEntropy(fitted, sample.scores, sample.truth), DirectMinimum(sample), kTight));
      }
    }
  }
}

TEST_CASE("many examples recover the sigmoid that they were drawn from") {
  const Sample sample = DrawSample(100000, 1.5, -0.5, 3);
  const Sigmoid fitted = FitSigmoid(sample.scores, sample.truth);
  CHECK(std::abs(fitted.slope - 1.5) < 0.04);
  CHECK(std::abs(fitted.intercept + 0.5) < 0.04);
}

TEST_CASE("scale and offset of scores do not matter") {
  const Sample sample = DrawSample(100, 1, 0.3, 5);
  const Sigmoid plain = FitSigmoid(sample.scores, sample.truth);
  for (const double unit : {1e-9, 1e-3, 1e6}) {
    Sample other = sample;
    for (double& s : other.scores) s = unit * (s + 10);
    const Sigmoid scaled = FitSigmoid(other.scores, other.truth);
    for (std::size_t k = 0; k < sample.scores.size(); ++k)
      CHECK(Near(scaled.Probability(other.scores[k]), plain.Probability(sample.scores[k]), 1e-7));
  }
}

TEST_CASE("probabilities do not fall with scores, and lie between 0 and 1") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sample sample = DrawSample(30, seed % 2 == 0 ? 1 : -1, 0, seed);
    const Sigmoid fitted = FitSigmoid(sample.scores, sample.truth);
    CHECK(fitted.slope >= 0);
    double before = 0;
    for (double s = -1e4; s <= 1e4; s += 97) {
      const double p = fitted.Probability(s);
      CHECK(p > 0);
      CHECK(p < 1);
      CHECK(p >= before);
      before = p;
    }
  }
  CHECK(Sigmoid{1, 0}.Probability(std::numeric_limits<double>::max()) == 1 - kSmallestProbability);
  CHECK(Sigmoid{1, 0}.Probability(std::numeric_limits<double>::lowest()) == kSmallestProbability);
}

TEST_CASE("scores with a negative slope give a constant, the mean of the targets") {
  const std::vector<double> scores = {1, 2, 3, 4};
  const std::vector<std::int8_t> truth = {1, 1, 0, 0};
  const Sigmoid fitted = FitSigmoid(scores, truth);
  CHECK(fitted.slope == 0);
  CHECK(Near(fitted.Probability(7), 0.5, kExact));
}

TEST_CASE("labels that are constant, perfectly separated or unknown have finite fits") {
  const std::vector<double> scores = {-2, -1, 1, 2};
  const auto fit = [&](const std::vector<std::int8_t>& truth) { return FitSigmoid(scores, truth); };
  // All targets are 1/(4 + 2).
  CHECK(Near(fit({0, 0, 0, 0}).Probability(-2), 1.0 / 6, 1e-6));
  CHECK(Near(fit({0, 0, 0, 0}).Probability(2), 1.0 / 6, 1e-6));
  CHECK(Near(fit({1, 1, 1, 1}).Probability(0), 5.0 / 6, 1e-6));
  CHECK(Near(fit({1, -1, -1, -1}).Probability(0), 2.0 / 3, 1e-6));
  const Sigmoid separated = fit({0, 0, 1, 1});
  CHECK(std::isfinite(separated.slope));
  CHECK(separated.slope > 0);
  CHECK(fit({-1, -1, -1, -1}).Probability(5) == 0.5);
  CHECK(FitSigmoid({}, {}).Probability(5) == 0.5);
  const std::vector<double> equal(4, 0.7);
  CHECK(Near(FitSigmoid(equal, std::vector<std::int8_t>{1, 0, 0, 0}).Probability(0.7),
             (2.0 / 3 + 3 * 0.2) / 4, kExact));
}

TEST_CASE("each label has a sigmoid fitted to its column") {
  const Sample a = DrawSample(50, 1, 0, 1);
  const Sample b = DrawSample(50, 2, -1, 2);
  std::vector<double> scores;
  std::vector<std::int8_t> truth;
  for (std::size_t m = 0; m < 50; ++m) {
    scores.insert(scores.end(), {a.scores[m], b.scores[m]});
    truth.insert(truth.end(), {a.truth[m], b.truth[m]});
  }
  const LabelCalibration calibration = FitCalibration(2, scores, truth);
  REQUIRE(calibration.size() == 2);
  CHECK(calibration[0].slope == FitSigmoid(a.scores, a.truth).slope);
  CHECK(calibration[1].intercept == FitSigmoid(b.scores, b.truth).intercept);
  std::vector<double> probabilities = scores;
  ApplyCalibration(calibration, probabilities);
  CHECK(probabilities[3] == calibration[1].Probability(b.scores[1]));
  CHECK_THROWS_AS(FitCalibration(3, scores, truth), std::invalid_argument);
  CHECK_THROWS_AS(FitSigmoid(std::vector<double>{NAN}, std::vector<std::int8_t>{1}),
                  std::invalid_argument);
}

TEST_CASE("the reliability of four entries is right") {
  const Reliability r = ComputeReliability(std::vector<double>{0.25, 0.21, 0.9, 0.5, 0.3},
                                           std::vector<std::int8_t>{0, 1, 1, 0, -1});
  CHECK(r.bins[2].count == 2);
  CHECK(Near(r.bins[2].mean_predicted, 0.23, kExact));
  CHECK(r.bins[2].share_true == 0.5);
  CHECK(r.bins[9].count == 1);
  CHECK(r.bins[5].count == 1);
  CHECK(r.bins[3].count == 0);
  CHECK(Near(r.brier_score, (0.0625 + 0.6241 + 0.01 + 0.25) / 4, kExact));
  CHECK(Near(r.log_loss, -std::log(0.75 * 0.21 * 0.9 * 0.5) / 4, kExact));
  CHECK(Near(r.calibration_error, (2 * 0.27 + 0.1 + 0.5) / 4, kExact));
  CHECK(ComputeReliability({}, {}).brier_score == 0);
  CHECK_THROWS_AS(ComputeReliability(std::vector<double>{1}, std::vector<std::int8_t>{1}),
                  std::invalid_argument);
}

TEST_CASE("model files keep the calibration, and refuse one that does not fit") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  MultiLabelModel model({"a", "b"}, 1, true, {});
  model.record.loss = "mean";
  model.Save(path);
  CHECK_FALSE(MultiLabelModel::Load(path).calibration());
  model.set_calibration(LabelCalibration{{1.5, -0.25}, {0, 2}});
  model.Save(path);
  const MultiLabelModel loaded = MultiLabelModel::Load(path);
  REQUIRE(loaded.calibration());
  CHECK((*loaded.calibration())[0].slope == 1.5);
  CHECK((*loaded.calibration())[1].intercept == 2);
  CHECK_THROWS_AS(model.set_calibration(LabelCalibration(3)), std::invalid_argument);
  model.set_calibration(LabelCalibration{{-1, 0}, {0, 2}});
  model.Save(path);
  CHECK_THROWS_WITH_AS(MultiLabelModel::Load(path),
                       doctest::Contains("entry 'calibration_slope' does not fit"), DataError);
  model.set_calibration(LabelCalibration{{1, INFINITY}, {0, 2}});
  model.Save(path);
  CHECK_THROWS_WITH_AS(MultiLabelModel::Load(path),
                       doctest::Contains("entry 'calibration_intercept' does not fit"), DataError);
}
