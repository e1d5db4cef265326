// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/marginalization.h>

#include <algorithm>

#include <slackline/core/check.h>

namespace slackline::internal {

Marginalization::Marginalization(std::span<const Index> cardinalities, Index axis) {
  SLACKLINE_CHECK(axis >= 0 && axis < static_cast<Index>(cardinalities.size()),
                  "the table has no such axis");
  for (std::size_t k = 0; k < cardinalities.size(); ++k) {
    SLACKLINE_CHECK(cardinalities[k] >= 1, "an axis needs at least one state");
    const std::size_t here = axis;
    (k < here ? outer_ : k == here ? states_ : inner_) *= cardinalities[k];
  }
}

void Marginalization::Apply(std::span<const double> table, std::span<double> out) const {
  SLACKLINE_CHECK(
      static_cast<Index>(table.size()) == cols() && static_cast<Index>(out.size()) == rows(),
      "a marginalization matrix does not fit its vectors");
  std::fill(out.begin(), out.end(), 0.0);
  const double* from = table.data();
  for (Index o = 0; o < outer_; ++o) {
    for (double& sum : out) {
      for (Index r = 0; r < inner_; ++r) sum += *from++;
    }
  }
}

void Marginalization::ApplyTransposeAdd(std::span<const double> message, double scale,
                                        std::span<double> table) const {
  SLACKLINE_CHECK(
      static_cast<Index>(table.size()) == cols() && static_cast<Index>(message.size()) == rows(),
      "a marginalization matrix does not fit its vectors");
  double* to = table.data();
  for (Index o = 0; o < outer_; ++o) {
    for (const double value : message) {
      const double scaled = scale * value;
      for (Index r = 0; r < inner_; ++r) *to++ += scaled;
    }
  }
}

}  // namespace slackline::internal
