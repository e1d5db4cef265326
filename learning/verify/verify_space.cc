// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/verify/verify_space.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <slackline/core/check.h>
#include <slackline/learning/kernels/kernel_expansion.h>

namespace slackline::internal {
namespace {

/// Calls visit(position in the weight vector, coordinate, value of the feature) for all features of
/// an example.
template <class Visit>
void ForEachWeight(const ExampleView& example, const Visit& visit) {
  const Structure& structure = example.structure();
  for (const Slot& slot : structure.slots()) {
    const WeightBlock& block = structure.layout().block(slot.block);
    const FeatureRow x = example.input(slot.input);
    for (Index f = 0; f < x.count; ++f) {
      for (Index r = 0; r < slot.rows; ++r)
        visit(block.at(r, x.dense() ? f : x.columns[f]), slot.coordinate + r, x.values[f]);
    }
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    const WeightBlock& block = structure.layout().block(scalar.block);
    for (Index r = 0; r < scalar.rows; ++r) visit(block.at(r, 0), scalar.coordinate + r, 1.0);
  }
}

class LinearSpace final : public VerifySpace {
 public:
  LinearSpace(const Dataset& data, std::span<const double> weights)
      : data_(data), weights_(weights), point_(weights.size(), 0.0) {
    SLACKLINE_CHECK(std::ssize(weights) == data.layout().size(),
                    "the weights do not fit the problem");
  }

  void Scores(Index m, std::span<double> u) const override {
    std::fill(u.begin(), u.end(), 0.0);
    ForEachWeight(data_.example(m), [&](std::size_t position, std::size_t k, double x) {
      u[k] += weights_[position] * x;
    });
  }
  double SquaredNorm() const override {
    double sum = 0;
    for (const double w : weights_) sum += w * w;
    return sum;
  }
  double OneNorm() const override {
    double sum = 0;
    for (const double w : weights_) sum += std::abs(w);
    return sum;
  }
  void AddToPoint(Index m, std::span<const double> psi, double scale) override {
    ForEachWeight(data_.example(m), [&](std::size_t position, std::size_t k, double x) {
      point_[position] += scale * psi[k] * x;
    });
  }
  void AddUpPoint(Ranks& ranks) override {
    if (ranks.alone()) return;
    constexpr std::size_t kBlock = 1 << 16;  // limits the memory for the numbers of all ranks
    for (std::size_t begin = 0; begin < point_.size(); begin += kBlock) {
      const std::span<double> sums =
          std::span(point_).subspan(begin, std::min(kBlock, point_.size() - begin));
      const std::vector<double> all = ranks.Join(std::span<const double>(sums));
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t k = 0; k < all.size(); ++k) sums[k % sums.size()] += all[k];
    }
  }
  double PointSquaredNorm(double threshold, const SignConstraints& signs) const override {
    double sum = 0;
    for (std::size_t k = 0; k < point_.size(); ++k) {
      const double v = signs.ClipAt(static_cast<Offset>(k), point_[k]);
      const double w = std::max(0.0, std::abs(v) - threshold);
      sum += w * w;
    }
    return sum;
  }
  std::span<const double> weights() const override { return weights_; }

 private:
  const Dataset& data_;
  std::span<const double> weights_;
  std::vector<double> point_;
};

class KernelSpace final : public VerifySpace {
 public:
  KernelSpace(const Dataset& data, const Kernel& kernel, std::span<const double> weights)
      : data_(data),
        kernel_(kernel),
        layout_(data),
        weights_(weights),
        point_(weights.size(), 0.0) {
    SLACKLINE_CHECK(std::ssize(weights) == layout_.size(), "the weights do not fit the problem");
    for (const FeatureRow& x : layout_.inputs())
      lengths_.push_back(std::sqrt(KernelValue(kernel, x, x)));
    scores_ = TimesKernel(weights);
  }

  void Scores(Index m, std::span<double> u) const override {
    ForEachCoefficient(m, [&](std::size_t position, std::size_t k) { u[k] = scores_[position]; });
  }
  double SquaredNorm() const override { return Inner(weights_, scores_); }
  double OneNorm() const override { return 0; }
  void AddToPoint(Index m, std::span<const double> psi, double scale) override {
    ForEachCoefficient(
        m, [&](std::size_t position, std::size_t k) { point_[position] += scale * psi[k]; });
  }
  void AddUpPoint(Ranks& ranks) override { RefuseKernelOnRanks(ranks); }
  double PointSquaredNorm(double threshold, const SignConstraints& signs) const override {
    SLACKLINE_CHECK(threshold == 0 && signs.empty(),
                    "kernelized weights have neither a soft threshold nor constraints");
    return Inner(point_, TimesKernel(point_));
  }
  std::span<const double> weights() const override { return {}; }

  /// The absolute values of the terms of Σ_ij c_i c_j k_ij sum to at most (Σ_j |c_j| √k_jj)², for
  /// every row of a block.
  Rounding WeightsRounding() const override {
    double longest = 0;
    for (const double length : lengths_) longest = std::max(longest, length);
    double largest = 0;
    const double squared = Epsilon() * SumOfSizes(weights_, &largest);
    return {squared, Epsilon() * longest * largest};
  }
  double PointRounding() const override {
    double unused = 0;
    return Epsilon() * SumOfSizes(point_, &unused);
  }

 private:
  /// Relative rounding error of a sum over all inputs.
  double Epsilon() const {
    return std::numeric_limits<double>::epsilon() * std::max<Index>(1, layout_.num_inputs());
  }

  /// Σ over blocks and rows of (Σ_j |c_j| √k_jj)²; *largest: the largest Σ_j |c_j| √k_jj.
  double SumOfSizes(std::span<const double> expansion, double* largest) const {
    double total = 0;
    for (const KernelExpansion::Block& block : layout_.blocks()) {
      for (Index r = 0; r < block.rows; ++r) {
        double sum = 0;
        for (Index j = 0; j < layout_.num_inputs(); ++j)
          sum += lengths_[j] *
                 std::abs(expansion[block.offset + static_cast<Offset>(j) * block.rows + r]);
        total += sum * sum;
        *largest = std::max(*largest, sum);
      }
    }
    return total;
  }

  /// Calls visit(position in an expansion, coordinate) for all coordinates of example m.
  template <class Visit>
  void ForEachCoefficient(Index m, const Visit& visit) const {
    const Structure& structure = data_.example(m).structure();
    for (const Slot& slot : structure.slots()) {
      const Offset rows = data_.layout().block(slot.block).rows;
      const Offset first = layout_.offset(slot.block) + layout_.input_of(data_, m, slot) * rows;
      for (Index r = 0; r < slot.rows; ++r) visit(first + r, slot.coordinate + r);
    }
    for (const ScalarBlock& scalar : structure.scalar_blocks()) {
      for (Index r = 0; r < scalar.rows; ++r)
        visit(layout_.offset(scalar.block) + r, scalar.coordinate + r);
    }
  }

  /// The kernel matrix times an expansion, one row at a time; scalar weights are copied.
  std::vector<double> TimesKernel(std::span<const double> expansion) const {
    std::vector<double> product(expansion.begin(), expansion.end());
    std::vector<double> row(layout_.num_inputs());
    for (Index j = 0; j < layout_.num_inputs(); ++j) {
      KernelRow(kernel_, layout_.inputs()[j], layout_.inputs(), row);
      for (const KernelExpansion::Block& block : layout_.blocks()) {
        for (Index r = 0; r < block.rows; ++r) {
          double sum = 0;
          for (Index i = 0; i < layout_.num_inputs(); ++i)
            sum += row[i] * expansion[block.offset + static_cast<Offset>(i) * block.rows + r];
          product[block.offset + static_cast<Offset>(j) * block.rows + r] = sum;
        }
      }
    }
    return product;
  }

  static double Inner(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return std::max(0.0, sum);
  }

  const Dataset& data_;
  Kernel kernel_;
  KernelExpansion layout_;
  std::span<const double> weights_;
  std::vector<double> scores_;
  std::vector<double> point_;
  std::vector<double> lengths_;  // √k(x_j, x_j)
};

}  // namespace

std::unique_ptr<VerifySpace> MakeLinearSpace(const Dataset& data, std::span<const double> weights) {
  return std::make_unique<LinearSpace>(data, weights);
}

std::unique_ptr<VerifySpace> MakeKernelSpace(const Dataset& data, const Kernel& kernel,
                                             std::span<const double> weights) {
  return std::make_unique<KernelSpace>(data, kernel, weights);
}

}  // namespace slackline::internal
