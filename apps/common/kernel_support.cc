// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/kernel_support.h>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/row_kernels.h>

namespace slackline::internal {

KernelSupport::KernelSupport(const Kernel& kernel, Index rows) : kernel_(kernel), rows_(rows) {
  CheckKernel(kernel);
  SLACKLINE_CHECK(rows >= 1, "support vectors need at least one row of coefficients");
}

void KernelSupport::Add(const FeatureRow& x, std::span<const double> coefficients) {
  SLACKLINE_CHECK(std::ssize(coefficients) == rows_ && AllFinite(coefficients),
                  "a support vector needs a finite coefficient for every row");
  const std::size_t count = x.count;
  if (x.dense()) {
    vectors_.AddDense({x.values, count});
  } else {
    vectors_.AddSparse({x.columns, count}, {x.values, count});
  }
  coefficients_.insert(coefficients_.end(), coefficients.begin(), coefficients.end());
}

void KernelSupport::Scores(const FeatureRow& x, std::span<double> scores) const {
  std::vector<FeatureRow> vectors;
  vectors.reserve(size());
  for (Index j = 0; j < size(); ++j) vectors.push_back(vectors_.row(j));
  std::vector<double> values(vectors.size());
  KernelRow(kernel_, x, vectors, values);
  RowScores(coefficients_.data(), rows_, {values.data(), nullptr, size(), 0}, scores.data());
}

}  // namespace slackline::internal
