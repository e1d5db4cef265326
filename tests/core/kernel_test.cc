// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/kernel.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>

#include "tests/support/kernel_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::vector<Kernel> Kernels() {
  return {{KernelKind::kLinear, 1, 3, 1},       {KernelKind::kPolynomial, 0.5, 1, 0},
          {KernelKind::kPolynomial, 0.5, 2, 1}, {KernelKind::kPolynomial, 2, 5, 0.25},
          {KernelKind::kRbf, 0.7, 3, 1},        {KernelKind::kRbf, 10, 3, 1}};
}

/// Dense and sparse vectors of different lengths, empty ones among them.
FeatureRows SomeRows(Random& random) {
  FeatureRows rows;
  for (int k = 0; k < 12; ++k) {
    std::vector<double> values(k % 5);
    for (double& value : values) value = random.Normal();
    if (k % 2 == 0) {
      rows.AddDense(values);
      continue;
    }
    std::vector<Index> columns;
    for (std::size_t f = 0; f < values.size(); ++f)
      columns.push_back(static_cast<Index>(2 * f + random.Below(2)));
    rows.AddSparse(columns, values);
  }
  return rows;
}

}  // namespace

TEST_CASE("kernel values follow the definitions") {
  Random random(1);
  const FeatureRows rows = SomeRows(random);
  for (const Kernel& kernel : Kernels()) {
    for (Index i = 0; i < rows.size(); ++i) {
      for (Index j = 0; j < rows.size(); ++j) {
        const double expected = PlainKernel(kernel, DenseInput(rows.row(i), rows.dimension()),
                                            DenseInput(rows.row(j), rows.dimension()));
        CHECK(Near(KernelValue(kernel, rows.row(i), rows.row(j)), expected, kExact));
        CHECK(KernelValue(kernel, rows.row(i), rows.row(j)) ==
              KernelValue(kernel, rows.row(j), rows.row(i)));
      }
    }
    CHECK(Near(KernelValue({KernelKind::kRbf, 3, 3, 1}, rows.row(3), rows.row(3)), 1, kExact));
  }
}

TEST_CASE("the RBF kernel distinguishes long vectors, dense and sparse") {
  const Kernel rbf{KernelKind::kRbf, 1, 3, 1};
  FeatureRows rows;
  rows.AddSparse(std::vector<Index>{0, 3}, std::vector<double>{1e8, 1});
  rows.AddSparse(std::vector<Index>{0, 2}, std::vector<double>{1e8 + 1, 0.5});
  rows.AddDense(std::vector<double>{1e8, 0, 0, 1});
  rows.AddDense(std::vector<double>{1e8 + 1, 0, 0.5});
  const double wanted = std::exp(-(1.0 + 1.0 + 0.25));
  for (const Index a : {0, 2}) {
    for (const Index b : {1, 3}) {
      CHECK(Near(KernelValue(rbf, rows.row(a), rows.row(b)), wanted, kExact));
      CHECK(KernelValue(rbf, rows.row(a), rows.row(b)) ==
            KernelValue(rbf, rows.row(b), rows.row(a)));
    }
    CHECK(KernelValue(rbf, rows.row(a), rows.row(2 - a)) == 1);
  }
}

TEST_CASE("a row has the values of all pairs") {
  Random random(2);
  const FeatureRows rows = SomeRows(random);
  std::vector<FeatureRow> inputs;
  for (Index j = 0; j < rows.size(); ++j) inputs.push_back(rows.row(j));
  std::vector<double> out(inputs.size());
  for (const Kernel& kernel : Kernels()) {
    KernelRow(kernel, rows.row(4), inputs, out);
    for (std::size_t j = 0; j < inputs.size(); ++j)
      CHECK(out[j] == KernelValue(kernel, rows.row(4), inputs[j]));
  }
}

TEST_CASE("values that overflow are refused") {
  FeatureRows rows;
  rows.AddDense(std::vector<double>{1e150});
  const FeatureRow x = rows.row(0);
  double out = 0;
  CHECK_THROWS_AS(
      KernelRow({KernelKind::kPolynomial, 1, 2, 0}, x, std::span(&x, 1), std::span(&out, 1)),
      DataError);
  CHECK_NOTHROW(KernelRow({KernelKind::kRbf, 1, 2, 0}, x, std::span(&x, 1), std::span(&out, 1)));
  CHECK(out == 1);
}

TEST_CASE("kernels out of range are refused") {
  CHECK_NOTHROW(CheckKernel({KernelKind::kPolynomial, 1, 1, 0}));
  CHECK_THROWS_AS(CheckKernel({KernelKind::kAuto, 1, 1, 0}), std::invalid_argument);
  CHECK_THROWS_AS(CheckKernel({KernelKind::kRbf, 0, 1, 0}), std::invalid_argument);
  CHECK_THROWS_AS(CheckKernel({KernelKind::kPolynomial, 1, 0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(CheckKernel({KernelKind::kPolynomial, 1, 2, -1}), std::invalid_argument);
}

TEST_CASE("descriptions name what a kernel reads") {
  CHECK(Kernel{KernelKind::kLinear, 2, 3, 1}.description() == "linear");
  CHECK(Kernel{KernelKind::kRbf, 0.5, 3, 1}.description() == "rbf, gamma 0.5");
  CHECK(Kernel{KernelKind::kPolynomial, 0.5, 2, 1}.description() ==
        "polynomial, gamma 0.5, degree 2, offset 1");
}
