// SPDX-License-Identifier: BSD-3-Clause
//
// The weight vector w as named blocks. A block is a matrix of `rows` × `cols`:
//   - for linear features, one row per (label or class) and one column per input feature,
//   - for scalar features (pair tables, Potts, potentials), `rows` weights and one column.
// A block is stored with the rows of one column side by side (entry (r, c) at offset + c·rows + r),
// so that one sweep over the non-zeros of an input vector yields the scores of all labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

struct WeightBlock {
  std::string name;
  Index rows = 0;
  Index cols = 1;
  Offset offset = 0;  ///< position of entry (0, 0) in the weight vector

  Offset size() const { return static_cast<Offset>(rows) * cols; }
  Offset at(Index row, Index col) const { return offset + static_cast<Offset>(col) * rows + row; }
};

/// The blocks of the weight vector. Shared by all structures of a model.
class WeightLayout {
 public:
  /// Appends a block and returns its number. Requires a new, non-empty name, rows ≥ 1, cols ≥ 1;
  /// else std::invalid_argument.
  Index AddBlock(std::string name, Index rows, Index cols = 1);

  Index num_blocks() const { return static_cast<Index>(blocks_.size()); }
  const WeightBlock& block(Index b) const { return blocks_[b]; }
  const std::vector<WeightBlock>& blocks() const { return blocks_; }

  /// Length of the weight vector.
  Offset size() const { return size_; }

  /// Number of the block with this name, or −1.
  Index Find(std::string_view name) const;

 private:
  std::vector<WeightBlock> blocks_;
  Offset size_ = 0;
};

}  // namespace slackline::internal
