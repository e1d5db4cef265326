// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/inner_product.h>

#include <slackline/core/check.h>

namespace slackline::internal {

double InnerProduct(std::span<const double> a, std::span<const double> b) {
  SLACKLINE_CHECK(a.size() == b.size(), "an inner product of vectors of two lengths");
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t k = 0;
  for (; k + kSums <= a.size(); k += kSums) {
    for (std::size_t s = 0; s < kSums; ++s) sums[s] += a[k + s] * b[k + s];
  }
  for (std::size_t s = 0; k + s < a.size(); ++s) sums[s] += a[k + s] * b[k + s];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace slackline::internal
