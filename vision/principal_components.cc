// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/principal_components.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>

namespace slackline::internal {
namespace {

constexpr Index kRowsPerBlock = 2048;  // rows that are summed in single precision

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

Moments::Moments(Index size) : size_(size), sums_(size), products_(Offset{size} * size) {}

void Moments::Add(const float* rows, Index num_rows) {
  Eigen::Map<Eigen::VectorXd> sums(sums_.data(), size_);
  Eigen::Map<Eigen::MatrixXd> products(products_.data(), size_, size_);
  Eigen::MatrixXf block(size_, size_);
  for (Index begin = 0; begin < num_rows; begin += kRowsPerBlock) {
    const Index count = std::min(kRowsPerBlock, num_rows - begin);
    const Eigen::Map<const Rows> part(rows + Offset{begin} * size_, count, size_);
    block.setZero();
    block.selfadjointView<Eigen::Lower>().rankUpdate(part.transpose());
    products += block.cast<double>();
    sums += part.cast<double>().colwise().sum().transpose();
  }
  count_ += num_rows;
}

double Moments::Covariance(std::size_t d, std::size_t e) const {
  if (count_ == 0) return 0;
  // products_ holds the lower triangle, column by column.
  const double product = products_[std::min(d, e) * size_ + std::max(d, e)];
  const double covariance = product / count_ - Mean(d) * Mean(e);
  return d == e ? std::max(0.0, covariance) : covariance;
}

Spectrum Decompose(const Moments& moments) {
  const Index size = moments.size();
  Eigen::MatrixXd covariance(size, size);
  for (Index d = 0; d < size; ++d) {
    for (Index e = 0; e < size; ++e) {
      covariance(d, e) = moments.Covariance(d, e);
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  Spectrum spectrum;
  for (Index k = size - 1; k >= 0; --k) {  // the solver sorts eigenvalues in ascending order
    spectrum.values.push_back(std::max(0.0, solver.eigenvalues()[k]));
    for (Index d = 0; d < size; ++d) spectrum.vectors.push_back(solver.eigenvectors()(d, k));
  }
  return spectrum;
}

Index CountFor(const Spectrum& spectrum, double share) {
  const double wanted =
      share * std::accumulate(spectrum.values.begin(), spectrum.values.end(), 0.0);
  double sum = spectrum.values.front();
  std::size_t count = 1;
  while (sum < wanted && count < spectrum.values.size()) sum += spectrum.values[count++];
  return static_cast<Index>(count);
}

}  // namespace slackline::internal
