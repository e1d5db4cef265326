// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/dual_mixture.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/inner_product.h>
#include <slackline/learning/step/simplex_qp.h>

namespace slackline::internal {

double BestShare(double loss, double regulariser) {
  if (loss <= 0) return regulariser > 0 ? 0 : 1;
  return loss < 2 * regulariser ? loss / (2 * regulariser) : 1;
}

DualMixture::Change DualMixture::Add(std::vector<double> weights, double loss) {
  Change change;
  if (points_.size() >= kKept) {
    // The best mixture stays. Of the other points, the one with the least share in the newest
    // mixture is dropped.
    const auto least =
        std::min_element(points_.begin() + 1, points_.end(),
                         [](const Point& x, const Point& y) { return x.share < y.share; });
    change.dropped = least - points_.begin();
    for (Point& point : points_) point.products.erase(point.products.begin() + change.dropped);
    points_.erase(least);
  }
  Append(weights, loss);
  if (points_.size() == 1) Append(std::move(weights), loss);

  const std::size_t n = points_.size();
  std::vector<double> linear(n);
  std::vector<double> gram;
  for (std::size_t j = 0; j < n; ++j) {
    linear[j] = points_[j].loss;
    gram.insert(gram.end(), points_[j].products.begin(), points_[j].products.end());
  }
  change.shares.resize(n);
  MaximiseSmallSimplexQp({linear, gram.data(), n, lambda_}, change.shares);
  change.improved = Mix(change.shares);
  return change;
}

void DualMixture::Append(std::vector<double> weights, double loss) {
  Point added{std::move(weights), loss, 0, {}};
  for (Point& point : points_) {
    const double product = InnerProduct(point.weights, added.weights);
    point.products.push_back(product);
    added.products.push_back(product);
  }
  added.products.push_back(InnerProduct(added.weights, added.weights));
  points_.push_back(std::move(added));
}

bool DualMixture::Mix(std::span<const double> shares) {
  const std::size_t n = points_.size();
  Point mixture{std::vector<double>(points_[0].weights.size(), 0.0), 0, shares[0],
                std::vector<double>(n, 0.0)};
  for (std::size_t k = 0; k < n; ++k) {
    points_[k].share = shares[k];
    if (shares[k] == 0) continue;
    mixture.loss += shares[k] * points_[k].loss;
    for (std::size_t d = 0; d < mixture.weights.size(); ++d)
      mixture.weights[d] += shares[k] * points_[k].weights[d];
    for (std::size_t j = 0; j < n; ++j) mixture.products[j] += shares[k] * points_[k].products[j];
  }
  // The value is computed from the weights themselves, so products do not add rounding errors.
  mixture.products[0] = InnerProduct(mixture.weights, mixture.weights);
  const double value = mixture.loss - 0.5 * lambda_ * mixture.products[0];
  if (!(value > value_)) return false;
  value_ = value;
  for (std::size_t k = 1; k < n; ++k) points_[k].products[0] = mixture.products[k];
  points_[0] = std::move(mixture);
  return true;
}

double DualMixture::Value(std::span<const double> weights, double loss) const {
  return loss - 0.5 * lambda_ * InnerProduct(weights, weights);
}

void DualMixture::Archive(Offset num_weights, StateArchive* archive) {
  archive->Tag("mixture");
  archive->Real(&value_);
  points_.resize(archive->Length(points_.size(), 0, kKept));
  // Either there is no point, or there are the best mixture and at least one more point.
  archive->Require(points_.size() != 1, "a mixture has one point");
  for (Point& point : points_) {
    point.weights.resize(num_weights);
    point.products.resize(points_.size());
    archive->FiniteReals(point.weights);
    archive->FiniteReal(&point.loss);
    archive->FiniteReal(&point.share);
    archive->FiniteReals(point.products);
  }
  if (!archive->loading()) return;
  // The value of the best mixture can be computed again from its weights.
  const double loss = points_.empty() ? 0 : points_[0].loss;
  const double value = points_.empty() ? -kInfinity : Value(points_[0].weights, loss);
  StateReader::Require(value_ == value || std::abs(value_ - value) <= 1e-9 * (1 + std::abs(loss)),
                       "a mixture does not have its value");
}

}  // namespace slackline::internal
