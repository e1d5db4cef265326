// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/exact_sum.h>

#include <cmath>
#include <cstddef>
#include <utility>

namespace slackline::internal {
namespace {

/// a + b = sum + error exactly.
struct TwoSum {
  double sum;
  double error;
};

TwoSum AddExactly(double a, double b) {
  if (std::abs(a) < std::abs(b)) std::swap(a, b);
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

}  // namespace

void ExactSum::Add(double x) {
  std::size_t kept = 0;
  for (const double part : parts_) {
    const auto [sum, error] = AddExactly(x, part);
    if (error != 0) parts_[kept++] = error;
    x = sum;
  }
  parts_.resize(kept);
  if (x != 0) parts_.push_back(x);
}

double ExactSum::Rounded() const {
  double sum = 0;
  double error = 0;
  std::size_t rest = parts_.size();  // parts that are not yet added
  while (rest > 0 && error == 0) {
    const TwoSum next = AddExactly(sum, parts_[--rest]);
    sum = next.sum;
    error = next.error;
  }
  // What remains is smaller than the error. It matters only where the error is half of the distance
  // to the next double, which rounded it to even: then its sign decides.
  if (rest == 0 || (error < 0) != (parts_[rest - 1] < 0)) return sum;
  const double next = sum + 2 * error;
  return next - sum == 2 * error ? next : sum;
}

}  // namespace slackline::internal
