// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/kernels/kernel_map.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>
#include <slackline/learning/mapped_learner.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

/// Rounding error of a residual, as a share of k(x, x) and per input.
constexpr double kEigenvalueRounding = 4 * std::numeric_limits<double>::epsilon();

/// The layout with `columns` columns in the blocks that meet inputs.
std::shared_ptr<const WeightLayout> NewLayout(const WeightLayout& layout,
                                              const KernelExpansion& expansion, Index columns) {
  std::vector<bool> meets(layout.num_blocks(), false);
  for (const KernelExpansion::Block& block : expansion.blocks()) meets[block.block] = true;
  auto result = std::make_shared<WeightLayout>();
  for (Index b = 0; b < layout.num_blocks(); ++b) {
    const WeightBlock& block = layout.block(b);
    result->AddBlock(block.name, block.rows, meets[b] ? columns : block.cols);
  }
  return result;
}

/// A learner of the mapped problem as one of the original problem.
class KernelMapLearner final : public MappedLearner, public ScaleSource {
 public:
  KernelMapLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem), map_(problem, KernelOf(options, problem.data())) {
    Wrap(map_.problem(), WithoutKernel(options));
    traits_.scales = this;
  }

  ObjectiveScales Scales() const override {
    const ScaleSource* own = inner().traits().scales;
    return own == nullptr ? ScalesOf(mapped()) : own->Scales();
  }

 private:
  std::vector<double> WeightsOf(std::span<const double> inner) const override {
    return map_.Expand(inner);
  }

  Problem problem_;  // owns the inputs that map_ reads
  KernelMap map_;
};

}  // namespace

KernelMap::KernelMap(const Problem& problem, const Kernel& kernel) : expansion_(problem.data()) {
  const Dataset& data = problem.data();
  const double inputs = expansion_.num_inputs();
  if (inputs == 0) {
    throw DataError("--kernel: there are no input vectors to compare: all features are scalars");
  }
  const std::string excess = MemoryExcess(16 * inputs * inputs);
  if (!excess.empty()) {
    throw DataError("--kernel: " + std::to_string(expansion_.num_inputs()) + " inputs: " + excess +
                    "; use learner kernel-bcfw, which keeps no matrix");
  }
  Factorise(GramCache(kernel, {expansion_.inputs().begin(), expansion_.inputs().end()}, 0));
  const auto layout = NewLayout(data.layout(), expansion_, std::max<Index>(1, rank()));
  const auto rows = NewRows(*data.rows());
  std::vector<std::shared_ptr<const Structure>> structures;
  for (const auto& structure : data.structures())
    structures.push_back(WithLayout(*structure, layout));
  mapped_ = std::make_unique<Problem>(WithStructures(problem.training(), structures, layout, rows),
                                      problem.lambda());
}

void KernelMap::Factorise(const GramCache& gram) {
  const std::size_t n = gram.size();
  std::vector<double> own(n);
  for (std::size_t j = 0; j < n; ++j) {
    const FeatureRow& x = expansion_.inputs()[j];
    KernelRow(gram.kernel(), x, std::span(&x, 1), std::span(&own[j], 1));
  }
  std::vector<double> residual = own;
  const auto share = [&](std::size_t j) { return own[j] > 0 ? residual[j] / own[j] : 0.0; };
  const double stop = kEigenvalueRounding * static_cast<double>(n);
  while (pivots_.size() < n) {
    StopRelay::Preparation::Poll();
    std::size_t p = 0;
    for (std::size_t j = 1; j < n; ++j) {
      if (share(j) > share(p)) p = j;
    }
    if (!(share(p) > stop)) break;
    std::vector<double> column(n);
    gram.Compute(static_cast<Index>(p), column);
    for (const std::vector<double>& before : columns_) {
      const double factor = before[p];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) column[j] -= factor * before[j];
    }
    const double root = std::sqrt(residual[p]);
    for (double& value : column) value /= root;
    column[p] = root;
    for (const Index earlier : pivots_) column[earlier] = 0;  // removes rounding errors
    for (std::size_t j = 0; j < n; ++j) residual[j] -= column[j] * column[j];
    residual[p] = 0;
    pivots_.push_back(static_cast<Index>(p));
    columns_.push_back(std::move(column));
  }
}

std::shared_ptr<const FeatureRows> KernelMap::NewRows(const FeatureRows& rows) const {
  auto result = std::make_shared<FeatureRows>();
  std::vector<double> values;
  for (Index row = 0; row < rows.size(); ++row) {
    const Index input = expansion_.input_at(row);
    values.assign(std::max<std::size_t>(1, columns_.size()), 0.0);
    for (std::size_t t = 0; input >= 0 && t < columns_.size(); ++t) values[t] = columns_[t][input];
    result->AddDense(values);
  }
  return result;
}

std::vector<double> KernelMap::Expand(std::span<const double> weights) const {
  std::vector<double> result(expansion_.size(), 0.0);
  const WeightLayout& layout = mapped_->data().layout();
  for (const Index b : expansion_.scalar_blocks()) {
    std::copy_n(weights.data() + layout.block(b).offset, layout.block(b).rows,
                result.data() + expansion_.offset(b));
  }
  for (const KernelExpansion::Block& block : expansion_.blocks()) {
    const std::size_t rows = block.rows;
    const double* from = weights.data() + layout.block(block.block).offset;
    double* to = result.data() + block.offset;
    // Σ_i L[p_i][t] c[p_i] = w[t]: the rows of L at the pivots are a lower triangle.
    for (std::size_t t = pivots_.size(); t-- > 0;) {
      double* own = to + pivots_[t] * rows;
      for (std::size_t r = 0; r < rows; ++r) own[r] = from[t * rows + r];
      for (std::size_t i = t + 1; i < pivots_.size(); ++i) {
        const double factor = columns_[t][pivots_[i]];
        const double* other = to + pivots_[i] * rows;
        for (std::size_t r = 0; r < rows; ++r) own[r] -= factor * other[r];
      }
      for (std::size_t r = 0; r < rows; ++r) own[r] /= columns_[t][pivots_[t]];
    }
  }
  return result;
}

std::vector<double> KernelMap::Weights(std::span<const double> expansion) const {
  const WeightLayout& layout = mapped_->data().layout();
  std::vector<double> result(layout.size(), 0.0);
  for (const Index b : expansion_.scalar_blocks()) {
    std::copy_n(expansion.data() + expansion_.offset(b), layout.block(b).rows,
                result.data() + layout.block(b).offset);
  }
  for (const KernelExpansion::Block& block : expansion_.blocks()) {
    const std::size_t rows = block.rows;
    const double* from = expansion.data() + block.offset;
    double* to = result.data() + layout.block(block.block).offset;
    for (std::size_t t = 0; t < pivots_.size(); ++t) {
      for (std::size_t j = 0; j < columns_[t].size(); ++j) {
        const double factor = columns_[t][j];
        if (factor == 0) continue;
        for (std::size_t r = 0; r < rows; ++r) to[t * rows + r] += factor * from[j * rows + r];
      }
    }
  }
  return result;
}

std::unique_ptr<Learner> MakeKernelMapLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<KernelMapLearner>(problem, options);
}

TrainOptions WithoutKernel(TrainOptions options) {
  const TrainOptions defaults;
  options.kernel = defaults.kernel;
  options.kernel_gamma = defaults.kernel_gamma;
  options.kernel_degree = defaults.kernel_degree;
  options.kernel_offset = defaults.kernel_offset;
  return options;
}

}  // namespace slackline::internal
