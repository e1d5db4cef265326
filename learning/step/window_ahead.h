// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the rows of the next windows of a file (FeatureRows::SetWindows) while examples of some
// windows are visited: in the order of the file, and only those that will be visited.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// Windows whose examples are visited together. Every pass puts other windows together: with a
/// fixed division of the examples into large windows, passes are worth half as much.
inline constexpr std::size_t kWindowsTogether = 16;

class WindowAhead {
 public:
  /// The data must outlive this object.
  explicit WindowAhead(const Dataset& data) : data_(&data), ends_(data.WindowEnds()) {}

  /// To be called before the visit of order[k], for k = 0, 1, …, up to any k. `order` has the
  /// examples of kWindowsTogether windows, then those of the next ones (ExampleOrder); examples may
  /// be missing. Changes no results; does nothing where the data have no windows.
  void Before(std::span<const Index> order, std::size_t k) {
    if (ends_.size() > 1) Advance(order, k);
  }

  /// The number of examples whose rows have been asked for since the last k = 0.
  std::size_t asked() const { return asked_; }

 private:
  void Advance(std::span<const Index> order, std::size_t k);
  std::size_t EndOfGroup(std::span<const Index> order, std::size_t begin);
  void Plan(std::span<const Index> order);
  void ReadUpTo(std::size_t count);

  const Dataset* data_;
  std::vector<Index> ends_;           // of the windows, in examples
  std::vector<std::size_t> windows_;  // of the group that is looked for
  std::size_t begin_ = 0;  // the group that is visited: order[begin_] … order[end_ − 1]
  std::size_t end_ = 0;
  std::vector<Index> next_;  // the examples that will be visited in the next group, ascending
  std::size_t read_ = 0;     // how many of them have been asked for
  std::size_t asked_ = 0;
};

}  // namespace slackline::internal
