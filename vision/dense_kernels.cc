// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/dense_kernels.h>

#include <algorithm>
#include <limits>

#include <slackline/core/check.h>
#include <slackline/core/simd.h>

namespace slackline::internal {
namespace {

// Vector types of the compiler, as in core/simd.h.
using Eight __attribute__((vector_size(32), aligned(4), may_alias)) = float;
using EightInts __attribute__((vector_size(32))) = std::int32_t;

constexpr int kRows = 4;      // points at once: 4 × 16 sums stay in registers
constexpr Index kBlock = 64;  // points for which a panel stays in the cache
constexpr Index kWidth = 8;
static_assert(PackedColumns::kPanel == 2 * kWidth);

struct Sums {
  Eight low[kRows], high[kRows];
};

/// The products of kRows points with a panel, plus bias. Points are `stride` numbers apart; a
/// stride of 0 repeats one point.
[[gnu::always_inline]] inline void PanelProduct(const float* points, std::size_t stride,
                                                const float* panel, const float* bias, Index size,
                                                Sums* sums) {
  const Eight low = *reinterpret_cast<const Eight*>(bias);
  const Eight high = *reinterpret_cast<const Eight*>(bias + kWidth);
  Eight a0 = low, a1 = low, a2 = low, a3 = low;
  Eight b0 = high, b1 = high, b2 = high, b3 = high;
  const float* p0 = points;
  const float* p1 = points + stride;
  const float* p2 = points + 2 * stride;
  const float* p3 = points + 3 * stride;
  for (Index d = 0; d < size; ++d, panel += PackedColumns::kPanel) {
    const Eight x = *reinterpret_cast<const Eight*>(panel);
    const Eight y = *reinterpret_cast<const Eight*>(panel + kWidth);
    a0 += x * p0[d];
    b0 += y * p0[d];
    a1 += x * p1[d];
    b1 += y * p1[d];
    a2 += x * p2[d];
    b2 += y * p2[d];
    a3 += x * p3[d];
    b3 += y * p3[d];
  }
  *sums = {{a0, a1, a2, a3}, {b0, b1, b2, b3}};
}

/// The products of a block of points with one panel; `out` has rows of `columns` numbers.
SLACKLINE_MULTIVERSION
void MultiplyPanel(const float* points, Index num_points, Index size, const float* panel,
                   const float* bias, Index first, Index columns, float* out) {
  const Index count = std::min(PackedColumns::kPanel, columns - first);
  for (Index p = 0; p < num_points; p += kRows) {
    const bool full = p + kRows <= num_points;
    for (Index q = p; q < (full ? p + 1 : num_points); ++q) {
      Sums sums;
      PanelProduct(points + Offset{q} * size, full ? size : 0, panel, bias, size, &sums);
      for (Index r = 0; r < (full ? kRows : 1); ++r) {
        float* to = out + Offset{q + r} * columns + first;
        for (Index k = 0; k < count; ++k) {
          to[k] = k < kWidth ? sums.low[r][k] : sums.high[r][k - kWidth];
        }
      }
    }
  }
}

/// The largest product so far and its position, in each of eight lanes.
struct Best {
  float value[kWidth];
  std::int32_t column[kWidth];
};

[[gnu::always_inline]] inline void Improve(const Eight& low, const Eight& high, std::int32_t first,
                                           Best* best) {
  const EightInts lane = {0, 1, 2, 3, 4, 5, 6, 7};
  Eight value;
  EightInts column;
  __builtin_memcpy(&value, best->value, sizeof(value));
  __builtin_memcpy(&column, best->column, sizeof(column));
  const EightInts better = low > value;
  value = better ? low : value;
  column = better ? lane + first : column;
  const EightInts still_better = high > value;
  value = still_better ? high : value;
  column = still_better ? lane + (first + kWidth) : column;
  __builtin_memcpy(best->value, &value, sizeof(value));
  __builtin_memcpy(best->column, &column, sizeof(column));
}

SLACKLINE_MULTIVERSION
void ImprovePanel(const float* points, Index num_points, Index size, const float* panel,
                  const float* bias, Index first, Best* best) {
  for (Index p = 0; p < num_points; p += kRows) {
    const bool full = p + kRows <= num_points;
    for (Index q = p; q < (full ? p + 1 : num_points); ++q) {
      Sums sums;
      PanelProduct(points + Offset{q} * size, full ? size : 0, panel, bias, size, &sums);
      for (Index r = 0; r < (full ? kRows : 1); ++r)
        Improve(sums.low[r], sums.high[r], first, &best[q + r]);
    }
  }
}

Index Largest(const Best& best) {
  int lane = 0;
  for (int k = 1; k < kWidth; ++k) {
    const bool better = best.value[k] > best.value[lane] ||
                        (best.value[k] == best.value[lane] && best.column[k] < best.column[lane]);
    if (better) lane = k;
  }
  return best.column[lane];
}

}  // namespace

PackedColumns::PackedColumns(const std::vector<float>& columns, const std::vector<float>& bias,
                             Index size)
    : size_(size), columns_(static_cast<Index>(bias.size())) {
  SLACKLINE_CHECK(columns.size() == bias.size() * size, "columns × size numbers are needed");
  const std::size_t length = size;
  panels_.resize(Offset{panels()} * kPanel * length);
  bias_.assign(Offset{panels()} * kPanel, std::numeric_limits<float>::lowest());
  for (std::size_t k = 0; k < bias.size(); ++k) {
    bias_[k] = bias[k];
    float* to = panels_.data() + k / kPanel * kPanel * length + k % kPanel;
    for (std::size_t d = 0; d < length; ++d) to[d * kPanel] = columns[k * length + d];
  }
}

PackedColumns PackedColumns::ForNearest(const std::vector<float>& columns, Index size) {
  const std::size_t length = size;
  std::vector<float> bias(columns.size() / length);
  for (std::size_t k = 0; k < bias.size(); ++k) {
    double norm = 0;
    for (std::size_t d = 0; d < length; ++d) {
      const double value = columns[k * length + d];
      norm += value * value;
    }
    bias[k] = static_cast<float>(-norm / 2);
  }
  return PackedColumns(columns, bias, size);
}

void Multiply(const PackedColumns& matrix, const float* points, Index num_points, float* out) {
  const std::size_t size = matrix.size();
  const std::size_t columns = matrix.columns();
  for (Index begin = 0; begin < num_points; begin += kBlock) {
    const Index count = std::min(kBlock, num_points - begin);
    for (Index p = 0; p < matrix.panels(); ++p) {
      MultiplyPanel(points + begin * size, count, matrix.size(), matrix.panel(p), matrix.bias(p),
                    p * PackedColumns::kPanel, matrix.columns(), out + begin * columns);
    }
  }
}

void NearestColumns(const PackedColumns& matrix, const float* points, Index num_points,
                    Index* words) {
  const std::size_t size = matrix.size();
  std::vector<Best> best(std::min(kBlock, num_points));
  Best nothing;
  std::fill(std::begin(nothing.value), std::end(nothing.value),
            -std::numeric_limits<float>::infinity());
  std::fill(std::begin(nothing.column), std::end(nothing.column), 0);
  for (Index begin = 0; begin < num_points; begin += kBlock) {
    const Index count = std::min(kBlock, num_points - begin);
    std::fill(best.begin(), best.end(), nothing);
    for (Index p = 0; p < matrix.panels(); ++p) {
      ImprovePanel(points + begin * size, count, matrix.size(), matrix.panel(p), matrix.bias(p),
                   p * PackedColumns::kPanel, best.data());
    }
    for (Index k = 0; k < count; ++k) words[begin + k] = Largest(best[k]);
  }
}

}  // namespace slackline::internal
