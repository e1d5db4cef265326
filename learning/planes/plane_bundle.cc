// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/planes/plane_bundle.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <slackline/core/inner_product.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/simplex_qp.h>

namespace slackline::internal {
namespace {

/// A sparse entry takes 12 bytes, a dense one 8.
bool SparseIsShorter(std::size_t nonzeros, std::size_t size) {
  return 12 * nonzeros < 8 * size && size <= std::numeric_limits<Index>::max();
}

/// weights += scale · a.
void AddTo(std::span<const Index> index, std::span<const double> value, double scale,
           std::span<double> weights) {
  if (index.empty()) {
    for (std::size_t k = 0; k < value.size(); ++k) weights[k] += scale * value[k];
  } else {
    for (std::size_t e = 0; e < index.size(); ++e) weights[index[e]] += scale * value[e];
  }
}

}  // namespace

PlaneBundle::PlaneBundle(Offset num_weights, Index num_examples, double lambda)
    : num_weights_(num_weights),
      lambda_(lambda),
      dense_(num_weights, 0.0),
      weights_(num_weights, 0.0) {
  Add(weights_, 0, std::vector<Index>(num_examples, 0));
  alpha_[0] = 1;
}

double PlaneBundle::At(std::span<const double> direction, double offset,
                       std::span<const double> weights) {
  return offset - InnerProduct(direction, weights);
}

void PlaneBundle::Add(std::span<const double> direction, double offset,
                      std::vector<Index> corners) {
  Plane plane;
  plane.corners = std::move(corners);
  const std::size_t zeros = std::count(direction.begin(), direction.end(), 0.0);
  const std::size_t nonzeros = direction.size() - zeros;
  // A plane with a = 0 has no entries at all, neither sparse nor dense.
  if (nonzeros > 0 && SparseIsShorter(nonzeros, direction.size())) {
    for (std::size_t k = 0; k < direction.size(); ++k) {
      if (direction[k] == 0) continue;
      plane.index.push_back(static_cast<Index>(k));
      plane.value.push_back(direction[k]);
    }
  } else if (nonzeros > 0) {
    plane.value.assign(direction.begin(), direction.end());
  }
  planes_.push_back(std::move(plane));
  linear_.push_back(offset);
  alpha_.push_back(0);
  AddGramRow(planes_.size() - 1);
}

bool PlaneBundle::Has(std::span<const Index> corners) const {
  return std::any_of(planes_.begin(), planes_.end(), [corners](const Plane& plane) {
    return std::equal(plane.corners.begin(), plane.corners.end(), corners.begin(), corners.end());
  });
}

double PlaneBundle::Product(const Plane& a, const Plane& b) {
  if (a.value.empty() || b.value.empty()) return 0;
  if (a.index.empty() && b.index.empty()) return InnerProduct(a.value, b.value);
  const Plane& sparse = a.index.empty() ? b : a;
  const Plane& other = a.index.empty() ? a : b;
  std::span<const double> values = other.value;
  if (!other.index.empty()) {
    AddTo(other.index, other.value, 1, dense_);
    values = dense_;
  }
  double sum = 0;
  for (std::size_t e = 0; e < sparse.index.size(); ++e)
    sum += sparse.value[e] * values[sparse.index[e]];
  for (const Index k : other.index) dense_[k] = 0;
  return sum;
}

/// Fills row and column k of the inner products, for the planes 0 to k.
void PlaneBundle::AddGramRow(std::size_t k) {
  if (k >= capacity_) {
    const std::size_t capacity = std::max<std::size_t>(16, 2 * capacity_);
    std::vector<double> gram(capacity * capacity, 0.0);
    for (std::size_t j = 0; j < k; ++j)
      std::copy_n(gram_.data() + j * capacity_, k, gram.data() + j * capacity);
    gram_ = std::move(gram);
    capacity_ = capacity;
  }
  for (std::size_t j = 0; j <= k; ++j) {
    work_ +=
        static_cast<std::int64_t>(std::min(planes_[j].value.size(), planes_[k].value.size())) / 4;
    gram_[k * capacity_ + j] = gram_[j * capacity_ + k] = Product(planes_[j], planes_[k]);
  }
}

void PlaneBundle::Solve(double tolerance) {
  const std::vector<double> before = alpha_;
  const double value = value_;
  const SimplexQpResult result =
      MaximiseOverSimplex({linear_, gram_.data(), capacity_, 1 / lambda_}, tolerance, alpha_);
  work_ += result.work / 4;
  ReadPoint();
  if (value_ >= value) return;
  // Where planes of huge norm cancel, the program works with inaccurate inner products and may
  // return a worse point; value_, computed from w, is accurate.
  alpha_ = before;
  ReadPoint();
}

void PlaneBundle::set_lambda(double lambda) {
  lambda_ = lambda;
  ReadPoint();
}

void PlaneBundle::ReadPoint() {
  std::fill(weights_.begin(), weights_.end(), 0.0);
  double loss = 0;
  for (std::size_t k = 0; k < planes_.size(); ++k) {
    if (alpha_[k] == 0) continue;
    loss += alpha_[k] * linear_[k];
    if (planes_[k].value.empty()) continue;
    AddTo(planes_[k].index, planes_[k].value, alpha_[k] / lambda_, weights_);
  }
  value_ = loss - Regulariser(lambda_, weights_);
  cut_ = -kInfinity;
  for (std::size_t k = 0; k < planes_.size(); ++k) {
    double value = linear_[k];
    for (std::size_t j = 0; j < planes_.size(); ++j) {
      if (alpha_[j] > 0) value -= alpha_[j] / lambda_ * gram_[j * capacity_ + k];
    }
    cut_ = std::max(cut_, value);
  }
}

bool PlaneBundle::DropIdle(Index limit) {
  std::size_t kept = 0;
  const std::size_t count = planes_.size();
  for (std::size_t k = 0; k < count; ++k) {
    planes_[k].idle = alpha_[k] > 0 ? 0 : planes_[k].idle + 1;
    if (k > 0 && limit > 0 && planes_[k].idle > limit) continue;
    if (kept != k) {
      planes_[kept] = std::move(planes_[k]);
      linear_[kept] = linear_[k];
      alpha_[kept] = alpha_[k];
      for (std::size_t j = 0; j < count; ++j)
        gram_[j * capacity_ + kept] = gram_[j * capacity_ + k];
      std::copy_n(gram_.data() + k * capacity_, count, gram_.data() + kept * capacity_);
    }
    ++kept;
  }
  planes_.resize(kept);
  linear_.resize(kept);
  alpha_.resize(kept);
  return kept != count;
}

void PlaneBundle::Archive(StateArchive* archive) {
  constexpr std::int64_t kPlaneBytes = 4 * 8;
  constexpr auto kMost = std::numeric_limits<Index>::max();
  const std::size_t examples = planes_[0].corners.size();
  archive->Tag("planes");
  const std::size_t count = archive->Length(planes_.size(), 1, kMost, kPlaneBytes);
  if (archive->loading()) planes_.assign(count, Plane());
  for (Plane& plane : planes_) {
    archive->Indices(&plane.index, 0,
                     static_cast<Index>(std::min<Offset>(kMost, num_weights_ - 1)));
    archive->FiniteList(&plane.value);
    archive->Indices(&plane.corners, 0, kMost);
    archive->Integer(&plane.idle, 0, kMost);
    const bool dense =
        plane.index.empty() && (plane.value.empty() || plane.value.size() == weights_.size());
    archive->Require(dense || plane.index.size() == plane.value.size(), "a plane does not add up");
    archive->Require(plane.corners.size() == examples, "a plane is of other examples");
  }
  if (archive->loading()) {
    linear_.assign(planes_.size(), 0.0);
    alpha_.assign(planes_.size(), 0.0);
  }
  archive->FiniteReals(linear_);
  archive->Shares(alpha_);
  if (archive->loading()) {
    gram_.clear();
    capacity_ = 0;
    for (std::size_t k = 0; k < planes_.size(); ++k) AddGramRow(k);
  }
  archive->Count(&work_);  // after AddGramRow, which counts the rows a second time
  if (archive->loading()) ReadPoint();
}

}  // namespace slackline::internal
