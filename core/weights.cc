// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/weights.h>

#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {

Index WeightLayout::AddBlock(std::string name, Index rows, Index cols) {
  SLACKLINE_CHECK(!name.empty(), "a weight block needs a name");
  SLACKLINE_CHECK(Find(name) < 0, "there is already a weight block named '" + name + "'");
  SLACKLINE_CHECK(rows >= 1 && cols >= 1,
                  "weight block '" + name + "' needs at least one row and one column");
  WeightBlock block{std::move(name), rows, cols, size_};
  size_ += block.size();
  blocks_.push_back(std::move(block));
  return num_blocks() - 1;
}

Index WeightLayout::Find(std::string_view name) const {
  for (Index b = 0; b < num_blocks(); ++b) {
    if (block(b).name == name) return b;
  }
  return -1;
}

}  // namespace slackline::internal
