// SPDX-License-Identifier: BSD-3-Clause
//
// Random numbers that are the same on every machine and compiler: the generator is xoshiro256**
// (Blackman and Vigna, 2018), seeded by splitmix64. The standard library's distributions are
// avoided, since they differ between implementations.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

namespace slackline::internal {

class Random {
 public:
  explicit Random(std::uint64_t seed = 1) {
    for (std::uint64_t& word : state_) word = SplitMix(seed);
  }

  /// The complete state of the generator: equal states yield equal sequences.
  using State = std::array<std::uint64_t, 4>;
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

  std::uint64_t NextBits() {
    const std::uint64_t result = Rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  /// Uniform in {0, …, bound − 1}, without bias (Lemire 2019). Requires bound ≥ 1.
  std::uint64_t Below(std::uint64_t bound) {
    unsigned __int128 product = static_cast<unsigned __int128>(NextBits()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = -bound % bound;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<unsigned __int128>(NextBits()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in [0, 1), 53 random bits.
  double Uniform() { return static_cast<double>(NextBits() >> 11) * 0x1.0p-53; }

  /// Standard normal (Marsaglia's polar method, one of its two values).
  double Normal() {
    double u = 0;
    double s = 0;
    do {
      u = 2 * Uniform() - 1;
      const double v = 2 * Uniform() - 1;
      s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * std::sqrt(-2 * std::log(s) / s);
  }

  /// A uniformly random order (Fisher and Yates).
  template <class T>
  void Shuffle(std::span<T> items) {
    for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[Below(k)]);
  }

 private:
  static std::uint64_t Rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t SplitMix(std::uint64_t& seed) {
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  State state_;
};

}  // namespace slackline::internal
