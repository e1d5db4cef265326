// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of a kernel matrix, as many as a memory bound allows. A new row replaces the least recently
// used row. Cached and recomputed rows are the same, bit for bit, so that results do not depend on
// the bound.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <slackline/core/kernel.h>

namespace slackline::internal {

class GramCache {
 public:
  /// Keeps at most max_bytes / (8 · inputs) rows of 8 · inputs bytes, but at least one. Memory is
  /// allocated row by row. The inputs' data must outlive the cache.
  GramCache(const Kernel& kernel, std::vector<FeatureRow> inputs, std::int64_t max_bytes);

  Index size() const { return static_cast<Index>(inputs_.size()); }
  Index capacity() const { return capacity_; }  ///< most rows that are kept
  Index kept() const { return static_cast<Index>(rows_.size()); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(rows_.size()) * size() * 8; }
  /// Rows computed by Row so far.
  std::int64_t computed() const { return computed_; }
  const Kernel& kernel() const { return kernel_; }

  /// k(x_j, ·): `size()` numbers, valid until the next call. Throws DataError as KernelRow.
  std::span<const double> Row(Index j);

  /// Row j if it is kept, else an empty span. Changes nothing, so that several threads may call it
  /// at the same time.
  std::span<const double> Find(Index j) const;
  /// Computes row j into `out`, which has size() entries, without keeping it.
  void Compute(Index j, std::span<double> out) const {
    KernelRow(kernel_, inputs_[j], inputs_, out);
  }

 private:
  void Unlink(Index place);
  void PutFirst(Index place);

  Kernel kernel_;
  std::vector<FeatureRow> inputs_;
  Index capacity_;
  std::int64_t computed_ = 0;
  std::vector<std::unique_ptr<double[]>> rows_;  // per place
  std::vector<Index> input_of_;                  // per place
  std::vector<Index> place_of_;                  // per input, −1: not kept
  // Linked list of the places in the order of their last use.
  std::vector<Index> newer_, older_;
  Index newest_ = -1;
  Index oldest_ = -1;
};

}  // namespace slackline::internal
