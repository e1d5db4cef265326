// SPDX-License-Identifier: BSD-3-Clause
//
// Many sums over all examples at once, such as one for every feature.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <slackline/core/exact_sum.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// SumOverExamples (exact_sum.h) for each of several sums: adds numbers in the order in which they
/// come or, with ranks, exactly and over all ranks. Exact sums take several times as long.
class ExampleSums {
 public:
  ExampleSums(std::size_t count, Ranks* exactly)
      : ranks_(exactly),
        plain_(exactly == nullptr ? count : 0),
        exact_(exactly == nullptr ? 0 : count) {}

  void Add(std::size_t sum, double number) {
    if (ranks_ == nullptr) {
      plain_[sum] += number;
    } else {
      exact_[sum].Add(number);
    }
  }
  /// To be called once; with ranks, all of them must call it after their last number.
  std::vector<double> Finish() {
    if (ranks_ == nullptr) return std::move(plain_);
    AddUp(*ranks_, exact_);
    std::vector<double> sums;
    for (const ExactSum& sum : exact_) sums.push_back(sum.Round());
    return sums;
  }

 private:
  Ranks* ranks_;
  std::vector<double> plain_;
  std::vector<ExactSum> exact_;
};

}  // namespace slackline::internal
