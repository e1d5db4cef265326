// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/standalone/prox_sdca.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/inner_product.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

double Largest(std::span<const double> a) {
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  return largest;
}

double Largest(const FeatureRow& x) { return Largest(std::span<const double>(x.values, x.count)); }

}  // namespace

RowFeatures::RowFeatures(std::shared_ptr<const FeatureRows> rows, Index outputs)
    : rows_(std::move(rows)), outputs_(outputs) {
  SLACKLINE_CHECK(outputs >= 1, "there must be an output");
  SLACKLINE_CHECK(rows_ != nullptr && rows_->dimension() >= 1, "there must be a feature");
}

void RowFeatures::Scores(Index i, std::span<const double> w, std::span<double> z) const {
  const FeatureRow x = rows_->row(i);
  const std::size_t dimension = rows_->dimension();
  for (std::size_t j = 0; j < z.size(); ++j) {
    const double* row = w.data() + j * dimension;
    double sum = 0;
    for (Index f = 0; f < x.count; ++f) sum += row[x.dense() ? f : x.columns[f]] * x.values[f];
    z[j] = sum;
  }
}

void RowFeatures::Add(Index i, std::span<const double> a, double scale, std::span<double> v) const {
  const FeatureRow x = rows_->row(i);
  const std::size_t dimension = rows_->dimension();
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (a[j] == 0) continue;
    double* row = v.data() + j * dimension;
    for (Index f = 0; f < x.count; ++f)
      row[x.dense() ? f : x.columns[f]] += scale * a[j] * x.values[f];
  }
}

void RowFeatures::Rows(Index i, std::vector<Offset>* rows) const {
  const FeatureRow x = rows_->row(i);
  rows->clear();
  for (Index j = 0; j < outputs_; ++j) {
    const Offset begin = static_cast<Offset>(j) * rows_->dimension();
    for (Index f = 0; f < x.count; ++f) rows->push_back(begin + (x.dense() ? f : x.columns[f]));
  }
}

double RowFeatures::SquaredNorm(Index i, std::span<const double> a, DualNorm norm) const {
  const FeatureRow x = rows_->row(i);
  if (norm == DualNorm::kEuclidean) return x.squared_norm * DotInOrder(a, a);
  const double largest = Largest(x) * Largest(a);
  return largest * largest;
}

double RowFeatures::SquaredBound(Index i, DualNorm norm) const {
  const FeatureRow x = rows_->row(i);
  if (norm == DualNorm::kEuclidean) return x.squared_norm;
  return Largest(x) * Largest(x);
}

double RowFeatures::EvenSquaredNorm(Index i, DualNorm norm) const {
  if (outputs_ > 1 && norm == DualNorm::kMaximum) return std::nan("");
  return SquaredBound(i, norm);
}

ProxSdca::ProxSdca(const SdcaFeatures& features, const SdcaLoss& loss,
                   const ProxRegulariser& regulariser, double lambda, SdcaStep step,
                   std::int64_t seed)
    : features_(features),
      loss_(loss),
      regulariser_(regulariser),
      lambda_n_(lambda * features.size()),
      lambda_(lambda),
      step_(step),
      random_(static_cast<std::uint64_t>(seed)),
      k_(features.outputs()) {
  SLACKLINE_CHECK(std::isfinite(lambda) && lambda > 0, "lambda must be positive");
  SLACKLINE_CHECK(features.size() >= 1, "there must be an example");
  SLACKLINE_CHECK(loss.size() == features.size() && loss.outputs() == features.outputs(),
                  "losses and features must have the same number of examples and outputs");
  SLACKLINE_CHECK(regulariser.dimension() == features.dimension(),
                  "the regulariser has another dimension");
  if (step == SdcaStep::kSmooth && loss.gamma() <= 0) {
    throw DataError("step option V is for smooth losses; use option I, II, III or IV");
  }
  for (Index i = 0; i < features.size(); ++i) {
    largest_bound_ = std::max(largest_bound_, features.SquaredBound(i, regulariser.norm()));
    if (step == SdcaStep::kMaximise &&
        std::isnan(features.EvenSquaredNorm(i, regulariser.norm()))) {
      throw DataError(
          "step option I needs features of even norm (one output, or classes with a Euclidean "
          "norm); use option II");
    }
  }
  alpha_.assign(features.size() * k_, 0.0);
  v_.assign(features.dimension(), 0.0);
  w_ = v_;
  z_.assign(k_, 0.0);
  direction_.assign(k_, 0.0);
  BeginOutput();
}

void ProxSdca::BeginOutput() {
  first_ = steps_;
  sums_.assign(alpha_.size(), 0.0);
  since_.assign(features_.size(), steps_);
  random_alpha_.clear();
}

void ProxSdca::Run(Offset steps) {
  for (Offset t = 0; t < steps; ++t)
    Visit(static_cast<Index>(random_.Below(static_cast<std::uint64_t>(features_.size()))));
}

void ProxSdca::Visit(Index i) {
  Step(i);
  ++steps_;
  // Draws one of T − T₀ iterates, each with the same probability, without knowing T.
  if (random_.Below(static_cast<std::uint64_t>(steps_ - first_)) == 0) random_alpha_ = alpha_;
}

void ProxSdca::SetCentre(std::vector<double> centre) {
  SLACKLINE_CHECK(regulariser_.separable() && centre.size() == v_.size(),
                  "the centre does not fit the regulariser");
  centre_ = std::move(centre);
  v_ = ImageOf(alpha_);
  regulariser_.Gradient(v_, w_);
  BeginOutput();
}

void ProxSdca::Archive(StateArchive* archive) {
  archive->Tag("prox-sdca point");
  archive->FiniteReals(alpha_);
  archive->FiniteList(&centre_);
  archive->Require(centre_.empty() || (regulariser_.separable() && centre_.size() == v_.size()),
                   "the centre has another length");
  archive->FiniteReals(v_);
  archive->FiniteReals(sums_);
  archive->Count(&steps_);
  archive->Integer(&first_, 0, steps_);
  archive->Offsets(since_, steps_ + 1);
  archive->FiniteList(&random_alpha_);
  ArchiveRandom(&random_, archive);
  if (!archive->loading()) return;
  archive->Require(steps_ == first_ ? random_alpha_.empty() : random_alpha_.size() == alpha_.size(),
                   "the drawn iterate has another length");
  for (std::size_t e = 0; e < alpha_.size(); e += k_) {
    const auto i = static_cast<Index>(e / k_);
    const bool good = loss_.InDomain(i, alpha(i)) &&
                      (random_alpha_.empty() ||
                       loss_.InDomain(i, std::span<const double>(random_alpha_).subspan(e, k_)));
    archive->Require(good, "a dual variable is outside of its domain");
  }
  regulariser_.Gradient(v_, w_);
}

/// Adds α_i to its sum for all steps since α_i last changed.
void ProxSdca::Remember(Index i) {
  Offset& since = since_[i];
  const std::span<const double> own = alpha(i);
  double* sum = sums_.data() + i * k_;
  // The current step t still counts α^(t−1).
  const auto times = static_cast<double>(steps_ + 1 - since);
  for (std::size_t j = 0; j < k_; ++j) sum[j] += times * own[j];
  since = steps_ + 1;
}

void ProxSdca::Step(Index i) {
  features_.Scores(i, w_, z_);
  const std::span<double> own = alpha(i);
  const DualNorm norm = regulariser_.norm();
  double step = 1;
  if (step_ == SdcaStep::kMaximise) {
    direction_.assign(own.begin(), own.end());
    loss_.Maximise(i, z_, features_.EvenSquaredNorm(i, norm) / lambda_n_, direction_);
  } else {
    loss_.Target(i, z_, direction_);
  }
  for (std::size_t j = 0; j < k_; ++j) direction_[j] -= own[j];
  if (step_ != SdcaStep::kMaximise)
    step = StepSize(i, features_.SquaredNorm(i, direction_, norm) / lambda_n_);
  if (step == 0 || Largest(direction_) == 0) return;
  Remember(i);
  for (std::size_t j = 0; j < k_; ++j) own[j] += step * direction_[j];
  features_.Add(i, direction_, step / lambda_n_, v_);
  if (!regulariser_.separable()) {
    regulariser_.Gradient(v_, w_);
    return;
  }
  features_.Rows(i, &rows_);
  for (const Offset r : rows_) {
    w_[r] = SoftThreshold(v_[r], regulariser_.threshold());
  }
}

/// s of Options II to V, for the direction z = u − α.
double ProxSdca::StepSize(Index i, double curvature) const {
  const std::span<const double> own(alpha_.data() + i * k_, k_);
  const double gamma = loss_.gamma();
  if (step_ == SdcaStep::kLineSearch) {
    return loss_.LineSearch(i, {own, direction_, DotInOrder(z_, direction_), curvature});
  }
  if (step_ == SdcaStep::kSmooth) return lambda_n_ * gamma / (largest_bound_ + lambda_n_ * gamma);
  const double bound = step_ == SdcaStep::kOwnBound ? features_.SquaredBound(i, regulariser_.norm())
                                                    : largest_bound_;
  const double squared = DotInOrder(direction_, direction_);
  const double gap =
      loss_.Value(i, z_) + loss_.Conjugate(i, own) + DotInOrder(z_, own) + 0.5 * gamma * squared;
  const double q = squared * (gamma + bound / lambda_n_);
  if (gap <= 0) return 0;
  return gap < q ? gap / q : 1.0;
}

/// v(α)
std::vector<double> ProxSdca::ImageOf(std::span<const double> alpha) const {
  std::vector<double> v = centre_;
  v.resize(v_.size(), 0.0);
  for (Index i = 0; i < features_.size(); ++i)
    features_.Add(i, alpha.subspan(i * k_, k_), 1 / lambda_n_, v);
  return v;
}

SdcaPoint ProxSdca::Evaluate(std::vector<double> alpha) const {
  SdcaPoint point;
  std::vector<double> v = ImageOf(alpha);
  double conjugates = 0;
  for (Index i = 0; i < features_.size(); ++i)
    conjugates += loss_.Conjugate(i, std::span<const double>(alpha).subspan(i * k_, k_));
  point.weights.resize(v.size());
  regulariser_.Gradient(v, point.weights);
  double losses = 0;
  std::vector<double> z(k_);
  for (Index i = 0; i < features_.size(); ++i) {
    features_.Scores(i, point.weights, z);
    losses += loss_.Value(i, z);
  }
  point.primal = losses / features_.size() + lambda_ * regulariser_.Value(point.weights);
  point.dual = -conjugates / features_.size() - lambda_ * regulariser_.Conjugate(v);
  if (!centre_.empty()) {
    const double half = DotInOrder(centre_, centre_) / 2;
    point.primal += lambda_ * (half - DotInOrder(centre_, point.weights));
    point.dual += lambda_ * half;
  }
  point.alpha = std::move(alpha);
  point.v = std::move(v);
  return point;
}

SdcaPoint ProxSdca::Newest() const { return Evaluate(alpha_); }

SdcaPoint ProxSdca::AverageOutput() const {
  SLACKLINE_CHECK(steps_ > first_, "there is no step to average");
  std::vector<double> average = sums_;
  const auto count = static_cast<double>(steps_ - first_);
  for (std::size_t e = 0; e < average.size(); ++e) {
    average[e] = (average[e] + static_cast<double>(steps_ - since_[e / k_]) * alpha_[e]) / count;
  }
  return Evaluate(std::move(average));
}

SdcaPoint ProxSdca::RandomOutput() const {
  SLACKLINE_CHECK(steps_ > first_, "there is no step to draw from");
  return Evaluate(random_alpha_);
}

}  // namespace slackline::internal
