// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/pair_kernel.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/simd.h>
#include <slackline/learning/step/smooth_maximum.h>

#define SLACKLINE_INLINE inline __attribute__((always_inline))

namespace slackline::internal {
namespace {

SLACKLINE_INLINE double Smaller(double a, double b) { return a < b ? a : b; }
SLACKLINE_INLINE double Larger(double a, double b) { return a > b ? a : b; }

/// Four numbers, one per joint state.
struct Quad {
  double y0, y1, y2, y3;
};

SLACKLINE_INLINE double Dot(const Quad& a, const Quad& b) {
  return a.y0 * b.y0 + a.y1 * b.y1 + a.y2 * b.y2 + a.y3 * b.y3;
}
SLACKLINE_INLINE Quad Minus(const Quad& a, const Quad& b) {
  return {a.y0 - b.y0, a.y1 - b.y1, a.y2 - b.y2, a.y3 - b.y3};
}

/// The first state that reaches `high` = max t, as an indicator.
SLACKLINE_INLINE Quad FirstMaximum(const Quad& t, double high) {
  Quad s;
  s.y0 = t.y0 >= high ? 1.0 : 0.0;
  s.y1 = (t.y1 >= high ? 1.0 : 0.0) * (1 - s.y0);
  s.y2 = (t.y2 >= high ? 1.0 : 0.0) * (1 - s.y0 - s.y1);
  s.y3 = 1 - s.y0 - s.y1 - s.y2;
  return s;
}

/// The first state with mass that reaches the minimum of t over such states, as an indicator.
SLACKLINE_INLINE Quad FirstMinimum(const Quad& t, const Quad& mu, double* low) {
  constexpr double kHuge = 1e300;
  const Quad c = {mu.y0 > 0 ? t.y0 : kHuge, mu.y1 > 0 ? t.y1 : kHuge, mu.y2 > 0 ? t.y2 : kHuge,
                  mu.y3 > 0 ? t.y3 : kHuge};
  *low = Smaller(Smaller(c.y0, c.y1), Smaller(c.y2, c.y3));
  Quad v;
  v.y0 = c.y0 <= *low ? 1.0 : 0.0;
  v.y1 = (c.y1 <= *low ? 1.0 : 0.0) * (1 - v.y0);
  v.y2 = (c.y2 <= *low ? 1.0 : 0.0) * (1 - v.y0 - v.y1);
  v.y3 = 1 - v.y0 - v.y1 - v.y2;
  return v;
}

template <bool kMultipliers, bool kPairwise, bool kSmooth>
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
  const double smoothing = scales.smoothing;
  SLACKLINE_INDEPENDENT_ITERATIONS
  for (Index k = 0; k < pairs.count; ++k) {
    const Quad mu = {mu0[k], mu1[k], mu2[k], mu3[k]};
    double a = (mu.y2 + mu.y3 - p_first[k]) * inverse_rho;
    double b = (mu.y1 + mu.y3 - p_second[k]) * inverse_rho;
    if constexpr (kMultipliers) {
      a += eta_i[k];
      b += eta_j[k];
    }
    Quad theta = {a + b, a - b, b - a, w[k] - (a + b)};
    if constexpr (kSmooth) {
      theta = {theta.y0 - smoothing * mu.y0, theta.y1 - smoothing * mu.y1,
               theta.y2 - smoothing * mu.y2, theta.y3 - smoothing * mu.y3};
    }
    const double high = Larger(Larger(theta.y0, theta.y1), Larger(theta.y2, theta.y3));
    const Quad s = FirstMaximum(theta, high);
    Quad d;
    double gap;
    double limit = 1;
    if constexpr (kPairwise) {
      double low;
      const Quad v = FirstMinimum(theta, mu, &low);
      d = Minus(s, v);
      gap = high - low;
      limit = Dot(v, mu);
    } else {
      d = Minus(s, mu);
      gap = Dot(d, theta);
    }
    const double d_first = d.y2 + d.y3;
    const double d_second = d.y1 + d.y3;
    double q =
        d.y3 * d.y3 * inverse_lambda_m + (d_first * d_first + d_second * d_second) * two_over_rho;
    if constexpr (kSmooth) q += smoothing * Dot(d, d);
    // For d = 0 both q and gap are 0; the tiny divisor avoids 0/0.
    const double step = Smaller(Larger(gap, 0.0) / Larger(q, 1e-290), limit);
    mu0[k] = mu.y0 + step * d.y0;
    mu1[k] = mu.y1 + step * d.y1;
    mu2[k] = mu.y2 + step * d.y2;
    mu3[k] = mu.y3 + step * d.y3;
    w[k] -= step * d.y3 * inverse_lambda_m;
    if constexpr (kMultipliers) {
      eta_i[k] += eta_step * (mu2[k] + mu3[k] - p_first[k]);
      eta_j[k] += eta_step * (mu1[k] + mu3[k] - p_second[k]);
    }
  }
}

SLACKLINE_MULTIVERSION
void PairwisePlain(const PairPlanes& pairs, const PairScales& scales) {
  Steps<false, true, false>(pairs, scales);
}
SLACKLINE_MULTIVERSION
void PairwiseMultipliers(const PairPlanes& pairs, const PairScales& scales) {
  Steps<true, true, false>(pairs, scales);
}
SLACKLINE_MULTIVERSION
void FrankWolfePlain(const PairPlanes& pairs, const PairScales& scales) {
  Steps<false, false, false>(pairs, scales);
}
SLACKLINE_MULTIVERSION
void PairwiseSmooth(const PairPlanes& pairs, const PairScales& scales) {
  Steps<false, true, true>(pairs, scales);
}
SLACKLINE_MULTIVERSION
void FrankWolfeSmooth(const PairPlanes& pairs, const PairScales& scales) {
  Steps<false, false, true>(pairs, scales);
}
SLACKLINE_MULTIVERSION
void FrankWolfeMultipliers(const PairPlanes& pairs, const PairScales& scales) {
  Steps<true, false, false>(pairs, scales);
}

}  // namespace

void PairPairwiseSteps(const PairPlanes& pairs, const PairScales& scales) {
  if (scales.smoothing > 0) return PairwiseSmooth(pairs, scales);
  pairs.eta[0] == nullptr ? PairwisePlain(pairs, scales) : PairwiseMultipliers(pairs, scales);
}

void PairFrankWolfeSteps(const PairPlanes& pairs, const PairScales& scales) {
  if (scales.smoothing > 0) return FrankWolfeSmooth(pairs, scales);
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
    if (scales.smoothing > 0) {
      double square = 0;
      for (const double* plane : pairs.mu) square += plane[k] * plane[k];
      const double lower = SmoothMaximum(theta, scales.smoothing) - high;
      sums.smoothed += lower;
      sums.squares += square;
      sums.gaps += lower + 0.5 * scales.smoothing * square;
    }
    sums.maxima += high;
    sums.gaps += high - mean;
    // The entries of v, δ and η for the two states of a variable are opposite, so that products
    // count twice.
    sums.violation_sq += 2 * (v_first * v_first + v_second * v_second);
    sums.delta_v += 2 * (a * v_first + b * v_second);
    sums.eta_v += 2 * (eta_first * v_first + eta_second * v_second);
    sums.max_violation = std::max({sums.max_violation, std::abs(v_first), std::abs(v_second)});
  }
  return sums;
}

}  // namespace slackline::internal
