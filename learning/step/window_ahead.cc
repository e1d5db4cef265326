// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/window_ahead.h>

#include <algorithm>

namespace slackline::internal {
namespace {

/// Examples that are read ahead together, so that system calls cost little: kAtOnce, or this part
/// of the group where a group has few, large examples.
constexpr std::size_t kAtOnce = 32;
constexpr std::size_t kPartsOfGroup = 16;

}  // namespace

/// The end of the longest run of examples that lie in at most kWindowsTogether windows. Where all
/// examples of a window are missing, the run has some of the next group, too.
std::size_t WindowAhead::EndOfGroup(std::span<const Index> order, std::size_t begin) {
  windows_.clear();
  std::size_t k = begin;
  for (; k < order.size(); ++k) {
    const std::size_t window =
        Size(std::upper_bound(ends_.begin(), ends_.end(), order[k]) - ends_.begin());
    if (std::find(windows_.begin(), windows_.end(), window) != windows_.end()) continue;
    if (windows_.size() == kWindowsTogether) break;
    windows_.push_back(window);
  }
  return k;
}

void WindowAhead::Plan(std::span<const Index> order) {
  read_ = 0;
  next_.clear();
  if (end_ == order.size()) return;
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(end_);
  next_.assign(begin, order.begin() + static_cast<std::ptrdiff_t>(EndOfGroup(order, end_)));
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
    end_ = EndOfGroup(order, k);
    Plan(order);
  }
  const std::size_t share = next_.size() * (k + 1 - begin_) / (end_ - begin_);
  if (share >= read_ + std::min(kAtOnce, next_.size() / kPartsOfGroup + 1)) ReadUpTo(share);
}

}  // namespace slackline::internal
