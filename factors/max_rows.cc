// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/max_rows.h>

#include <slackline/core/simd.h>

namespace slackline::internal {
namespace {

constexpr Index kLanes = 4;

// kSign is +1 to add a_r, −1 to subtract it.
template <int kSign, Index kFours>
inline __attribute__((always_inline)) void MaxStrip(const double* table, Index stride,
                                                    const double* a, Index rows, double* out) {
  Four best[kFours];
  for (Index k = 0; k < kFours; ++k)
    best[k] = *reinterpret_cast<const Four*>(table + kLanes * k) + kSign * a[0];
  for (Index r = 1; r < rows; ++r) {
    const double* row = table + static_cast<std::ptrdiff_t>(r) * stride;
    for (Index k = 0; k < kFours; ++k) {
      const Four value = *reinterpret_cast<const Four*>(row + kLanes * k) + kSign * a[r];
      best[k] = value > best[k] ? value : best[k];
    }
  }
  for (Index k = 0; k < kFours; ++k) *reinterpret_cast<Four*>(out + kLanes * k) = best[k];
}

/// All `stride` columns of a table; `stride` is a multiple of kLanes.
template <int kSign>
inline __attribute__((always_inline)) void MaxOverPadded(const double* table, Index stride,
                                                         const double* a, Index rows, double* out) {
  Index s = 0;
  for (; s + 4 * kLanes <= stride; s += 4 * kLanes)
    MaxStrip<kSign, 4>(table + s, stride, a, rows, out + s);
  switch ((stride - s) / kLanes) {
    case 3:
      return MaxStrip<kSign, 3>(table + s, stride, a, rows, out + s);
    case 2:
      return MaxStrip<kSign, 2>(table + s, stride, a, rows, out + s);
    case 1:
      return MaxStrip<kSign, 1>(table + s, stride, a, rows, out + s);
    default:
      return;
  }
}

}  // namespace

SLACKLINE_MULTIVERSION
void MaxOverPaddedRowsPlus(const double* table, Index stride, const double* add, Index rows,
                           double* out) {
  MaxOverPadded<+1>(table, stride, add, rows, out);
}

SLACKLINE_MULTIVERSION
void MaxOverPaddedRowsMinus(const double* table, Index stride, const double* shift, Index rows,
                            double* out) {
  MaxOverPadded<-1>(table, stride, shift, rows, out);
}

SLACKLINE_MULTIVERSION
void MaxOverRowsPlus(const double* table, const double* add, Index rows, Index size, double* out) {
  Index s = 0;
  for (; s + 4 * kLanes <= size; s += 4 * kLanes)
    MaxStrip<+1, 4>(table + s, size, add, rows, out + s);
  for (; s + kLanes <= size; s += kLanes) MaxStrip<+1, 1>(table + s, size, add, rows, out + s);
  for (; s < size; ++s) {
    double best = table[s] + add[0];
    for (Index r = 1; r < rows; ++r)
      best = Larger(table[static_cast<std::ptrdiff_t>(r) * size + s] + add[r], best);
    out[s] = best;
  }
}

SLACKLINE_MULTIVERSION
void MaxInRowsPlus(const double* table, const double* add, Index rows, Index size, double* out) {
  for (Index s = 0; s < rows; ++s, table += size) {
    Index r = 0;
    double best = -kInfinity;
    if (size >= kLanes) {
      Four lanes = *reinterpret_cast<const Four*>(table) + *reinterpret_cast<const Four*>(add);
      for (r = kLanes; r + kLanes <= size; r += kLanes) {
        const Four value =
            *reinterpret_cast<const Four*>(table + r) + *reinterpret_cast<const Four*>(add + r);
        lanes = value > lanes ? value : lanes;
      }
      best = Larger(Larger(lanes[0], lanes[1]), Larger(lanes[2], lanes[3]));
    }
    for (; r < size; ++r) best = Larger(table[r] + add[r], best);
    out[s] = best;
  }
}

}  // namespace slackline::internal
