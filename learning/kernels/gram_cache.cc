// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/kernels/gram_cache.h>

#include <algorithm>

#include <slackline/core/check.h>

namespace slackline::internal {
GramCache::GramCache(const Kernel& kernel, std::vector<FeatureRow> inputs, std::int64_t max_bytes)
    : kernel_(kernel), inputs_(std::move(inputs)), place_of_(inputs_.size(), -1) {
  CheckKernel(kernel);
  const std::int64_t row_bytes =
      std::max<std::int64_t>(1, 8 * static_cast<std::int64_t>(inputs_.size()));
  capacity_ = static_cast<Index>(
      std::clamp<std::int64_t>(max_bytes / row_bytes, 1, std::max<std::int64_t>(1, size())));
}

std::span<const double> GramCache::Find(Index j) const {
  const Index place = place_of_[j];
  if (place < 0) return {};
  return {rows_[place].get(), inputs_.size()};
}

std::span<const double> GramCache::Row(Index j) {
  SLACKLINE_CHECK(j >= 0 && j < size(), "there is no such input");
  Index place = place_of_[j];
  if (place >= 0) {
    Unlink(place);
  } else {
    if (kept() < capacity_) {
      place = kept();
      rows_.push_back(std::make_unique<double[]>(inputs_.size()));
      input_of_.push_back(-1);
      newer_.push_back(-1);
      older_.push_back(-1);
    } else {
      place = oldest_;
      Unlink(place);
      place_of_[input_of_[place]] = -1;
    }
    Compute(j, {rows_[place].get(), inputs_.size()});
    ++computed_;
    input_of_[place] = j;
    place_of_[j] = place;
  }
  PutFirst(place);
  return {rows_[place].get(), inputs_.size()};
}

void GramCache::Unlink(Index place) {
  const Index newer = newer_[place];
  const Index older = older_[place];
  (newer < 0 ? newest_ : older_[newer]) = older;
  (older < 0 ? oldest_ : newer_[older]) = newer;
}

void GramCache::PutFirst(Index place) {
  newer_[place] = -1;
  older_[place] = newest_;
  (newest_ < 0 ? oldest_ : newer_[newest_]) = place;
  newest_ = place;
}

}  // namespace slackline::internal
