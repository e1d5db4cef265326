// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/pair_kernel.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/simd.h>

#define SLACKLINE_INLINE inline __attribute__((always_inline))

namespace slackline {
namespace {

SLACKLINE_INLINE double Smaller(double a, double b) { return a < b ? a : b; }
SLACKLINE_INLINE double Larger(double a, double b) { return a > b ? a : b; }

template <bool kMultipliers, bool kPairwise>
SLACKLINE_INLINE void Steps(const PairPlanes& pairs, const PairScales& scales) {
  double* __restrict mu0 = pairs.mu[0];
  double* __restrict mu1 = pairs.mu[1];
  double* __restrict mu2 = pairs.mu[2];
  double* __restrict mu3 = pairs.mu[3];
  double* __restrict eta_i = pairs.eta[0];
  double* __restrict eta_j = pairs.eta[1];
  double* __restrict w = pairs.weights;
  const double* __restrict p_first = pairs.p_first;
  const double* __restrict p_second = pairs.p_second;
  const double inverse_rho = scales.inverse_rho;
  const double two_over_rho = 2 * scales.inverse_rho;
  const double inverse_lambda_m = scales.inverse_lambda_m;
  const double eta_step = scales.eta_step;
#pragma GCC ivdep
  for (Index k = 0; k < pairs.count; ++k) {
    const double m0 = mu0[k];
    const double m1 = mu1[k];
    const double m2 = mu2[k];
    const double m3 = mu3[k];
    double a = (m2 + m3 - p_first[k]) * inverse_rho;
    double b = (m1 + m3 - p_second[k]) * inverse_rho;
    if constexpr (kMultipliers) {
      a += eta_i[k];
      b += eta_j[k];
    }
    const double t0 = a + b;
    const double t1 = a - b;
    const double t2 = b - a;
    const double t3 = w[k] - t0;
    // s: the first maximum, as four numbers 0 or 1.
    const double high = Larger(Larger(t0, t1), Larger(t2, t3));
    const double s0 = t0 >= high ? 1.0 : 0.0;
    const double s1 = (t1 >= high ? 1.0 : 0.0) * (1 - s0);
    const double s2 = (t2 >= high ? 1.0 : 0.0) * (1 - s0 - s1);
    const double s3 = 1 - s0 - s1 - s2;
    double d0;
    double d1;
    double d2;
    double d3;
    double gap;
    double limit;
    if constexpr (kPairwise) {
      // v: the first minimum among the states with mass.
      constexpr double kHuge = 1e300;
      const double c0 = m0 > 0 ? t0 : kHuge;
      const double c1 = m1 > 0 ? t1 : kHuge;
      const double c2 = m2 > 0 ? t2 : kHuge;
      const double c3 = m3 > 0 ? t3 : kHuge;
      const double low = Smaller(Smaller(c0, c1), Smaller(c2, c3));
      const double v0 = c0 <= low ? 1.0 : 0.0;
      const double v1 = (c1 <= low ? 1.0 : 0.0) * (1 - v0);
      const double v2 = (c2 <= low ? 1.0 : 0.0) * (1 - v0 - v1);
      const double v3 = 1 - v0 - v1 - v2;
      d0 = s0 - v0;
      d1 = s1 - v1;
      d2 = s2 - v2;
      d3 = s3 - v3;
      gap = high - low;
      limit = v0 * m0 + v1 * m1 + v2 * m2 + v3 * m3;
    } else {
      d0 = s0 - m0;
      d1 = s1 - m1;
      d2 = s2 - m2;
      d3 = s3 - m3;
      gap = d0 * t0 + d1 * t1 + d2 * t2 + d3 * t3;
      limit = 1;
    }
    const double d_first = d2 + d3;
    const double d_second = d1 + d3;
    const double q = d3 * d3 * inverse_lambda_m + (d_first * d_first + d_second * d_second) * two_over_rho;
    // Without a direction q = 0 and gap = 0; the tiny number keeps the quotient a number.
    const double step = Smaller(Larger(gap, 0.0) / Larger(q, 1e-290), limit);
    const double n0 = m0 + step * d0;
    const double n1 = m1 + step * d1;
    const double n2 = m2 + step * d2;
    const double n3 = m3 + step * d3;
    mu0[k] = n0;
    mu1[k] = n1;
    mu2[k] = n2;
    mu3[k] = n3;
    w[k] -= step * d3 * inverse_lambda_m;
    if constexpr (kMultipliers) {
      eta_i[k] += eta_step * (n2 + n3 - p_first[k]);
      eta_j[k] += eta_step * (n1 + n3 - p_second[k]);
    }
  }
}

SLACKLINE_MULTIVERSION
void PairwisePlain(const PairPlanes& pairs, const PairScales& scales) { Steps<false, true>(pairs, scales); }
SLACKLINE_MULTIVERSION
void PairwiseMultipliers(const PairPlanes& pairs, const PairScales& scales) {
  Steps<true, true>(pairs, scales);
}
SLACKLINE_MULTIVERSION
void FrankWolfePlain(const PairPlanes& pairs, const PairScales& scales) {
  Steps<false, false>(pairs, scales);
}
SLACKLINE_MULTIVERSION
void FrankWolfeMultipliers(const PairPlanes& pairs, const PairScales& scales) {
  Steps<true, false>(pairs, scales);
}

}  // namespace

void PairPairwiseSteps(const PairPlanes& pairs, const PairScales& scales) {
  pairs.eta[0] == nullptr ? PairwisePlain(pairs, scales) : PairwiseMultipliers(pairs, scales);
}

void PairFrankWolfeSteps(const PairPlanes& pairs, const PairScales& scales) {
  pairs.eta[0] == nullptr ? FrankWolfePlain(pairs, scales) : FrankWolfeMultipliers(pairs, scales);
}

PairSums EvaluatePairs(const PairPlanes& pairs, const PairScales& scales) {
  PairSums sums;
  for (Index k = 0; k < pairs.count; ++k) {
    const double v_first = pairs.mu[2][k] + pairs.mu[3][k] - pairs.p_first[k];
    const double v_second = pairs.mu[1][k] + pairs.mu[3][k] - pairs.p_second[k];
    const double eta_first = pairs.eta[0] == nullptr ? 0 : pairs.eta[0][k];
    const double eta_second = pairs.eta[1] == nullptr ? 0 : pairs.eta[1][k];
    const double a = eta_first + v_first * scales.inverse_rho;
    const double b = eta_second + v_second * scales.inverse_rho;
    const double theta[4] = {a + b, a - b, b - a, pairs.weights[k] - a - b};
    const double high = *std::max_element(theta, theta + 4);
    double mean = 0;
    for (int y = 0; y < 4; ++y) mean += pairs.mu[y][k] * theta[y];
    sums.maxima += high;
    sums.gaps += high - mean;
    // Each end has two states with opposite entries: products count twice.
    sums.violation_sq += 2 * (v_first * v_first + v_second * v_second);
    sums.delta_v += 2 * (a * v_first + b * v_second);
    sums.eta_v += 2 * (eta_first * v_first + eta_second * v_second);
    sums.max_violation = std::max({sums.max_violation, std::abs(v_first), std::abs(v_second)});
  }
  return sums;
}

}  // namespace slackline
