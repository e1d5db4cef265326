// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/window_ahead.h>

#include <algorithm>

namespace slackline::internal {
namespace {

/// Examples that are asked for together, so that calls of the system cost little.
constexpr std::size_t kAtOnce = 32;

}  // namespace

std::size_t WindowAhead::EndOfWindow(std::span<const Index> order, std::size_t begin) const {
  const auto window = std::upper_bound(ends_.begin(), ends_.end(), order[begin]) - ends_.begin();
  const Index first = window == 0 ? 0 : ends_[Size(window - 1)];
  const Index last = ends_[Size(window)] - 1;
  std::size_t end = begin + 1;
  while (end < order.size() && order[end] >= first && order[end] <= last) ++end;
  return end;
}

void WindowAhead::Plan(std::span<const Index> order) {
  read_ = 0;
  next_.clear();
  if (end_ == order.size()) return;
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(end_);
  next_.assign(begin, order.begin() + static_cast<std::ptrdiff_t>(EndOfWindow(order, end_)));
  std::sort(next_.begin(), next_.end());
}

void WindowAhead::ReadUpTo(std::size_t count) {
  while (read_ < count) {
    // Examples that follow each other in the file are read together.
    const Index first = next_[read_++];
    Index end = first + 1;
    while (read_ < count && next_[read_] == end) {
      ++end;
      ++read_;
    }
    data_->WillNeed(first, end);
    asked_ += Size(end - first);
  }
}

void WindowAhead::Advance(std::span<const Index> order, std::size_t k) {
  if (k == 0) {
    end_ = 0;
    asked_ = 0;
    Plan(order);
  }
  if (k == 0 || k >= end_) {
    ReadUpTo(next_.size());
    begin_ = k;
    end_ = EndOfWindow(order, k);
    Plan(order);
  }
  const std::size_t share = next_.size() * (k + 1 - begin_) / (end_ - begin_);
  if (share >= read_ + kAtOnce) ReadUpTo(share);
}

}  // namespace slackline::internal
