// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/dual_points.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {

namespace {

/// Throws DataError where there is not enough memory for so many numbers.
void Reserve(Offset count, Index num_examples, std::vector<double>* numbers) {
  try {
    numbers->reserve(count);
  } catch (const std::bad_alloc&) {
    const double gigabytes = static_cast<double>(count) * sizeof(double) / 1e9;
    throw DataError("the learner keeps a point with all coordinates of each example: " +
                    NumberText(gigabytes, 2) + " GB for " + std::to_string(num_examples) +
                    " examples, more than the memory holds; the learner auto keeps sparse "
                    "corners instead");
  }
}

}  // namespace

DualPoints::DualPoints(const Problem& problem) : begin_{0}, losses_(problem.size(), 0.0) {
  for (Index m = 0; m < problem.size(); ++m) {
    begin_.push_back(begin_.back() + problem.data().example(m).structure().num_coordinates());
  }
  Reserve(begin_.back(), problem.size(), &coordinates_);
  for (Index m = 0; m < problem.size(); ++m) {
    StopRelay::Preparation::Poll();
    coordinates_.resize(begin_[m + 1], 0.0);
  }
}

void DualPoints::Set(Index m, std::span<const double> coordinates, double loss) {
  std::copy(coordinates.begin(), coordinates.end(), this->coordinates(m).begin());
  set_loss(m, loss);
}

void DualPoints::SetFeatures(const ExampleView& example, Index m, std::span<const double> features,
                             double loss) {
  const std::span<double> own = coordinates(m);
  for (std::size_t k = 0; k < own.size(); ++k) own[k] = -features[k];
  AddLabellingFeatures(example, example.labels(), 1, own);
  set_loss(m, loss);
}

double DualPoints::TotalLoss() const {
  return std::accumulate(losses_.begin(), losses_.end(), 0.0);
}

void DualPoints::Weights(const Problem& problem, std::vector<double>* weights) const {
  weights->assign(problem.num_weights(), 0.0);
  AddFeatures(problem, 1 / problem.lambda_m(), *weights);
}

void DualPoints::AddFeatures(const Problem& problem, double scale,
                             std::span<double> weights) const {
  for (Index m = 0; m < problem.size(); ++m) {
    problem.data().PrefetchSweep(0, m, problem.size());
    ScatterFeatures(problem.data().example(m), coordinates(m), scale, weights);
  }
}

void DualPoints::Mix(double share, const DualPoints& other) {
  SLACKLINE_CHECK(other.begin_ == begin_, "the points belong to different examples");
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    coordinates_[k] = (1 - share) * coordinates_[k] + share * other.coordinates_[k];
  }
  for (std::size_t m = 0; m < losses_.size(); ++m) {
    losses_[m] = (1 - share) * losses_[m] + share * other.losses_[m];
  }
}

void DualPoints::Scale(double factor) {
  for (double& coordinate : coordinates_) coordinate *= factor;
  for (double& loss : losses_) loss *= factor;
}

void DualPoints::Scale(Index m, double factor) {
  for (double& coordinate : coordinates(m)) coordinate *= factor;
  losses_[m] *= factor;
}

void DualPoints::Add(Index m, double scale, std::span<const double> coordinates, double loss) {
  const std::span<double> own = this->coordinates(m);
  for (std::size_t k = 0; k < own.size(); ++k) own[k] += scale * coordinates[k];
  losses_[m] += scale * loss;
}

void DualPoints::Towards(Index m, std::span<const double> target,
                         std::vector<double>* direction) const {
  const std::span<const double> own = coordinates(m);
  direction->resize(own.size());
  for (std::size_t k = 0; k < own.size(); ++k) (*direction)[k] = target[k] - own[k];
}

void DualPoints::Move(Index m, double step, std::span<const double> direction, double target_loss) {
  const std::span<double> own = coordinates(m);
  for (std::size_t k = 0; k < own.size(); ++k) own[k] += step * direction[k];
  double& own_loss = losses_[m];
  own_loss += step * (target_loss - own_loss);
}

double DualPoints::Read(const ExampleView& example, Index m, double share,
                        std::vector<double>* coordinates) const {
  const std::span<const double> own = this->coordinates(m);
  coordinates->assign(own.size(), 0.0);
  AddLabellingFeatures(example, example.labels(), 1, *coordinates);
  for (std::size_t k = 0; k < own.size(); ++k) (*coordinates)[k] -= share * own[k];
  return share * loss(m);
}

void DualPoints::Archive(StateArchive* archive) {
  archive->FiniteReals(coordinates_);
  archive->FiniteReals(losses_);
  if (!archive->loading()) return;
  // Losses are ≥ 0 up to the rounding errors of steps.
  const double largest = *std::max_element(losses_.begin(), losses_.end());
  for (const double loss : losses_)
    StateReader::Require(loss >= -1e-6 * (1 + largest), "a dual point has a negative loss");
}

}  // namespace slackline::internal
