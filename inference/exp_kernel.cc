// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/exp_kernel.h>

#include <cstdint>
#include <cstring>

#include <slackline/core/simd.h>

namespace slackline::internal {
namespace {

using FourBits __attribute__((vector_size(32), aligned(8), may_alias)) = std::int64_t;

constexpr Index kLanes = 4;
constexpr double kSmallest = -700;  // 2^n stays a normal number

/// The exponentials of four numbers. Vectors are passed by pointer, because passing them by value
/// would need a different calling convention in every version of the function.
inline __attribute__((always_inline)) void ExpFour(Four* values) {
  const Four t = *values;
  const Four lowest = Four{} + kSmallest;
  const Four bounded = t > lowest ? t : lowest;
  // Adding 1.5 · 2^52 rounds to a whole number, which is in the lowest bits of the sum.
  const Four shifted = bounded * 0x1.71547652b82fep+0 + 0x1.8p52;
  const Four n = shifted - 0x1.8p52;
  const Four r = (bounded - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  constexpr double kInverseFactorials[] = {1.0 / 6227020800,
                                           1.0 / 479001600,
                                           1.0 / 39916800,
                                           1.0 / 3628800,
                                           1.0 / 362880,
                                           1.0 / 40320,
                                           1.0 / 5040,
                                           1.0 / 720,
                                           1.0 / 120,
                                           1.0 / 24,
                                           1.0 / 6,
                                           1.0 / 2,
                                           1.0,
                                           1.0};
  Four sum = Four{} + kInverseFactorials[0];
  for (int k = 1; k < 14; ++k) sum = sum * r + kInverseFactorials[k];
  const FourBits scaled = (FourBits)sum + ((FourBits)shifted << 52);
  *values = t > lowest ? (Four)scaled : Four{};
}

/// Loads fewer than kLanes entries; the other lanes become `rest`.
inline __attribute__((always_inline)) void Load(const double* from, Index count, double rest,
                                                Four* values) {
  *values = Four{} + rest;
  std::memcpy(values, from, count * sizeof(double));
}
inline __attribute__((always_inline)) void Store(const Four& values, Index count, double* to) {
  std::memcpy(to, &values, count * sizeof(double));
}

}  // namespace

SLACKLINE_MULTIVERSION
double ExpSum(double* x, Index size, double shift, double inverse) {
  Four sum = {};
  Four values;
  Index k = 0;
  for (; k + kLanes <= size; k += kLanes) {
    values = (*reinterpret_cast<const Four*>(x + k) - shift) * inverse;
    ExpFour(&values);
    *reinterpret_cast<Four*>(x + k) = values;
    sum += values;
  }
  if (k < size) {
    Load(x + k, size - k, -kInfinity, &values);
    values = (values - shift) * inverse;
    ExpFour(&values);
    Store(values, size - k, x + k);
    sum += values;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

SLACKLINE_MULTIVERSION
void ExpColumns(double* x, Index rows, Index size, const double* shift, double inverse,
                double* sum) {
  Four values;
  Index s = 0;
  for (; s + kLanes <= size; s += kLanes) {
    const Four own = *reinterpret_cast<const Four*>(shift + s);
    Four total = {};
    double* at = x + s;
    for (Index r = 0; r < rows; ++r, at += size) {
      values = (*reinterpret_cast<const Four*>(at) - own) * inverse;
      ExpFour(&values);
      *reinterpret_cast<Four*>(at) = values;
      total += values;
    }
    *reinterpret_cast<Four*>(sum + s) = total;
  }
  if (s == size) return;
  const Index rest = size - s;
  Four own;
  Load(shift + s, rest, 0.0, &own);
  Four total = {};
  double* at = x + s;
  for (Index r = 0; r < rows; ++r, at += size) {
    Load(at, rest, -kInfinity, &values);
    values = (values - own) * inverse;
    ExpFour(&values);
    Store(values, rest, at);
    total += values;
  }
  Store(total, rest, sum + s);
}

}  // namespace slackline::internal
