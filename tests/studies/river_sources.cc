// SPDX-License-Identifier: BSD-3-Clause
//
// Study: block-coordinate Frank-Wolfe without a support vector machine. A river carries water of
// four springs, each with its own minerals, and every day a sample is analysed. The task is to find
// the shares of the springs. The shares of a day are a point of a simplex (one block), and the
// shares of successive days are similar:
//     f(x) = ½ Σ_day ‖B x_day − sample_day‖² + ½ κ Σ_day ‖x_day − x_(day−1)‖².
#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/learning/reference/frank_wolfe.h>

using namespace slackline::internal;

constexpr std::size_t kSprings = 4, kMinerals = 6, kDays = 12;
constexpr double kAlike = 0.5;  // κ
using Minerals = std::array<double, kMinerals>;

struct River {
  std::array<Minerals, kSprings> springs;
  std::array<Minerals, kDays> samples;
  Minerals Mixture(std::span<const double> shares) const {
    Minerals sum{};
    for (std::size_t s = 0; s < kSprings; ++s)
      for (std::size_t k = 0; k < kMinerals; ++k) sum[k] += shares[s] * springs[s][k];
    return sum;
  }
  // The objective for Frank-Wolfe: the blocks, the gradient of a day, and the spring with the
  // smallest gradient …
  Index num_blocks() const { return kDays; }
  Index block_size(Index /*day*/) const { return kSprings; }
  void Gradient(Index block, std::span<const double> x, std::span<double> out) const {
    const std::size_t day = block;
    const auto shares = [x](std::size_t d) { return x.subspan(d * kSprings, kSprings); };
    const Minerals mixture = Mixture(shares(day));
    for (std::size_t s = 0; s < kSprings; ++s) {
      out[s] = 0;
      for (std::size_t k = 0; k < kMinerals; ++k)
        out[s] += springs[s][k] * (mixture[k] - samples[day][k]);
      if (day > 0) out[s] += kAlike * (shares(day)[s] - shares(day - 1)[s]);
      if (day + 1 < kDays) out[s] += kAlike * (shares(day)[s] - shares(day + 1)[s]);
    }
  }
  void Minimise(Index /*day*/, std::span<const double> gradient, std::span<double> out) const {
    const auto best = std::min_element(gradient.begin(), gradient.end()) - gradient.begin();
    for (std::size_t s = 0; s < kSprings; ++s) out[s] = s == static_cast<std::size_t>(best) ? 1 : 0;
  }
  // … and, since f is quadratic, the step of optimal length from the curvature along a direction.
  double LineSearch(Index day, std::span<const double> /*x*/, std::span<const double> direction,
                    double slope) const {
    double sum = 0;
    for (const double mineral : Mixture(direction)) sum += mineral * mineral;
    const double neighbours = day == 0 || day + 1 == num_blocks() ? 1 : 2;
    for (const double change : direction) sum += kAlike * neighbours * change * change;
    return -slope < sum ? -slope / sum : 1;
  }
};

int main() {
  // The water changes from the first spring's to the third's; a fifth of it comes from the fourth.
  River river;
  Random random(3);
  for (Minerals& spring : river.springs)
    for (double& mineral : spring) mineral = 2 * random.Uniform();
  for (std::size_t day = 0; day < kDays; ++day) {
    const double late = 0.8 * static_cast<double>(day) / (kDays - 1);
    river.samples[day] = river.Mixture(std::array{0.8 - late, 0.0, late, 0.2});
    for (double& mineral : river.samples[day]) mineral += 0.05 * random.Normal();
  }
  FrankWolfeOptions options;
  options.order = OrderKind::kExample;
  FrankWolfe method(&river, std::vector<double>(kDays * kSprings, 1.0 / kSprings), options);
  for (int pass = 0; pass < 400; ++pass) method.Pass();
  std::printf("no shares have an f that is smaller by more than %.3f\n", method.Gap());
  for (const std::size_t day : {0, 4, 7, 11}) {
    std::printf("day %d :", static_cast<int>(day) + 1);
    for (const double share : method.point().subspan(day * kSprings, kSprings))
      std::printf(" %.2f", share);
    std::printf("\n");
  }
}
