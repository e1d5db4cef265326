// SPDX-License-Identifier: BSD-3-Clause
//
// Sums of real numbers without rounding errors. Their bits depend neither on the order of the
// numbers nor on which process has which number.
//
// A sum is kept as numbers that do not overlap: each is larger than all bits of the smaller ones
// together. J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates, 1997, Grow-Expansion (figure 6). Adding a number is O(partial sums). There are two or
// three partial sums where the numbers have similar sizes, and at most 40.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/ranks.h>

namespace slackline::internal {

/// Requires that the numbers are finite, and that no sum of some of them overflows.
class ExactSum {
 public:
  void Add(double number);
  /// Adds all numbers of another sum.
  void Add(const ExactSum& other);
  /// The double nearest to the sum; of two equally near ones, the even one. 0 without numbers.
  double Round() const;

  /// Numbers whose sum is exactly this sum: finite, not zero, of increasing magnitude.
  const std::vector<double>& partial_sums() const { return partial_sums_; }

 private:
  std::vector<double> partial_sums_;
};

/// Replaces every sum by the sum over all ranks, which have equally many sums. All ranks then have
/// the same bits. Each rank sends all its partial sums to all others.
void AddUp(Ranks& ranks, std::span<ExactSum> sums);

/// sum + number + … + number, `count` times, each rounded: the bits of a loop. If the last bit of
/// the sum divides the number (1 and 2, say), it takes a few operations for each power of two that
/// the sum passes. Requires sum ≥ 0, number ≥ 0 and count ≥ 0.
double PlusTimes(double sum, double number, std::int64_t count);

/// A sum over all examples. Without ranks, it adds the numbers of this process in the order in
/// which they come. With ranks (which may be one process alone), the sum is exact and covers the
/// numbers of all ranks.
class SumOverExamples {
 public:
  /// exactly: the ranks, or null.
  explicit SumOverExamples(Ranks* exactly) : ranks_(exactly) {}

  void Add(double number) {
    if (ranks_ != nullptr) {
      exact_.Add(number);
    } else {
      plain_ += number;
    }
  }
  /// The same as `count` calls of Add. Requires count ≥ 0.
  void AddTimes(double number, std::int64_t count);
  /// With ranks, all of them must call it, once, after their last number.
  double Total();

 private:
  Ranks* ranks_;
  double plain_ = 0;
  ExactSum exact_;
};

/// SumOverExamples for each of several sums, such as one for every feature. Exact sums take several
/// times as long.
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
  /// With ranks, all of them must call it, once, after their last number.
  std::vector<double> Finish();

 private:
  Ranks* ranks_;
  std::vector<double> plain_;
  std::vector<ExactSum> exact_;
};

}  // namespace slackline::internal
