// SPDX-License-Identifier: BSD-3-Clause
//
// Principal components of rows that are read once, in batches.
#pragma once

#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The sums of rows of `size` numbers and of their products. They do not depend on threads, but
/// their last bits depend on how the rows are divided into calls of Add.
class Moments {
 public:
  explicit Moments(Index size);

  void Add(const float* rows, Index num_rows);

  Index size() const { return size_; }
  double count() const { return count_; }
  double Mean(std::size_t d) const { return count_ > 0 ? sums_[d] / count_ : 0; }
  double Covariance(std::size_t d, std::size_t e) const;

 private:
  Index size_;
  double count_ = 0;
  std::vector<double> sums_;
  std::vector<double> products_;
};

/// The eigenvalues of the covariance in descending order, none below 0, and their unit
/// eigenvectors, one after the other.
struct Spectrum {
  std::vector<double> values;
  std::vector<double> vectors;
};
Spectrum Decompose(const Moments& moments);

/// How many of the largest eigenvalues make up this share of their sum; at least 1.
Index CountFor(const Spectrum& spectrum, double share);

}  // namespace slackline::internal
