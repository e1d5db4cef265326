// SPDX-License-Identifier: BSD-3-Clause
//
// Weight vectors of kernelized models, as coefficients of a training set's inputs.
//
// With the kernel k(x, x')·[same block, same row] (core/kernel.h), row r of a block b that inputs
// are multiplied by ("meet") is
//   w_b[r] = Σ_j c_b[j][r] Φ(x_j)
// over the inputs x_1 … x_N of the training set, each counted once. All uses of w_b need only k:
//   w_b[r]·Φ(x) = Σ_j c_b[j][r] k(x_j, x),      ‖w_b[r]‖² = Σ_ij c_b[i][r] c_b[j][r] k(x_i, x_j).
// Blocks of scalar features keep their weights. Weights and coefficients form one vector, so that
// such vectors are added, averaged and copied like weights. In particular w(μ) = (1/(λM)) Σ_m
// [φ_m(y^m) − φ_m(μ_m)] has the coordinates of core/structure.h, divided by λM, as its
// coefficients, so that dual points need not be kept labelling by labelling.
//
//   [weights of the scalar blocks][c of the first block with inputs: N × rows][c of the second] …
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/kernels/gram_cache.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

class KernelExpansion {
 public:
  /// The data's rows must outlive the expansion. O(size of the data).
  explicit KernelExpansion(const Dataset& data);

  /// Length of a vector.
  Offset size() const { return size_; }

  /// The inputs that meet a weight block, each once, in the order of their rows.
  std::span<const FeatureRow> inputs() const { return inputs_; }
  Index num_inputs() const { return static_cast<Index>(inputs_.size()); }
  /// The number of the input in row `row` of the data set's FeatureRows; −1 if it meets no block.
  Index input_at(Index row) const { return number_[row]; }
  Index input_of(const Dataset& data, Index m, const Slot& slot) const {
    return input_at(data.first_input(m) + slot.input);
  }

  /// A block that meets inputs, and the position of its coefficients: c_b[j][r] is at offset +
  /// j·rows + r.
  struct Block {
    Index block = 0;
    Index rows = 0;
    Offset offset = 0;
  };
  std::span<const Block> blocks() const { return blocks_; }
  /// Blocks of scalar features.
  std::span<const Index> scalar_blocks() const { return scalar_blocks_; }
  /// Position of block b of the layout in a vector; −1 if no feature uses the block.
  Offset offset(Index b) const { return offset_[b]; }

  /// weights += scale · (the feature vector of example m with coordinates q).
  void AddFeatures(const Dataset& data, Index m, std::span<const double> q, double scale,
                   std::span<double> weights) const;

  /// scores = the kernel matrix times `weights`, block by block; scalar weights are copied. Hence
  /// ‖w‖² = weights·scores. Kernel rows that are not in the cache are computed without being kept.
  /// O(N² · rows of all blocks), or O(N · rows) where all weights are 0. It does not depend on
  /// `threads`. Returns false, with meaningless scores, if `stop` (may be null) ended it.
  bool Scores(const GramCache& gram, std::span<const double> weights, int threads,
              std::span<double> scores, const StopCondition* stop = nullptr) const;
  /// Reads the coordinate scores u of example m (core/structure.h) from these scores.
  void Gather(const Dataset& data, Index m, std::span<const double> scores,
              std::span<double> u) const;

 private:
  std::vector<Index> number_;
  std::vector<FeatureRow> inputs_;
  std::vector<Block> blocks_;
  std::vector<Offset> offset_;
  std::vector<Index> scalar_blocks_;
  Offset num_scalars_ = 0;
  Offset size_ = 0;
};

/// The kernel of the options for these data: `auto` means linear, and gamma 0 means 1 / the largest
/// number of columns of a block that meets inputs.
Kernel KernelOf(const TrainOptions& options, const Dataset& data);

}  // namespace slackline::internal
