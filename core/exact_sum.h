// SPDX-License-Identifier: BSD-3-Clause
//
// Sums of real numbers without rounding errors. Their bits depend neither on the order of the
// numbers nor on how they are dealt to several processes.
//
// A sum is kept as numbers that do not overlap: each is larger than all bits of those before it
// together. J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates, 1997, Grow-Expansion (figure 6). A number is added in O(partial sums), of which there
// are two or three where the numbers have similar sizes, and at most 40.
#pragma once

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
  /// The double nearest to the sum, the even one of two; 0 without numbers.
  double Round() const;

  /// Numbers whose sum is exactly this sum: finite, not zero, of increasing magnitude.
  const std::vector<double>& partial_sums() const { return partial_sums_; }

 private:
  std::vector<double> partial_sums_;
};

/// Replaces every sum by that of its numbers on all ranks, which have equally many sums. All ranks
/// have the same bits afterwards. Each rank sends all its partial sums to all others.
void AddUp(Ranks& ranks, std::span<ExactSum> sums);

/// sum + number + … + number, `count` times, each rounded: the bits of a loop, in a few operations
/// for each power of two that the sum passes if the last bit of the sum divides the number (1 and
/// 2, say). Requires sum ≥ 0, number ≥ 0 and count ≥ 0.
double PlusTimes(double sum, double number, std::int64_t count);

/// A sum over all examples. Without ranks, the numbers of this process are added in the order in
/// which they come. With ranks (which may be one process alone), the sum is exact and has the
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
  /// With ranks: to be called by all of them, once, after their last number.
  double Total();

 private:
  Ranks* ranks_;
  double plain_ = 0;
  ExactSum exact_;
};

}  // namespace slackline::internal
