// SPDX-License-Identifier: BSD-3-Clause
//
// What a training run depends on, as short texts: whether a saved state belongs to a problem and
// its options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// A sum over bytes that depends on each of them and on their order: 64 bits, against mistakes, not
/// against malice.
class DataHash {
 public:
  void Add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29;
  }
  void Add(std::span<const double> values);
  void Add(std::span<const Index> values);
  void Add(std::string_view text);
  /// Sixteen hexadecimal digits.
  std::string Text() const;

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

/// Names and values. Names of options begin with "--"; other values are hash sums.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

/// Of the data (features, labels, structure, loss), λ, and all options but the outer ones
/// (OptionRecord::outer). O(size of the data).
Fingerprint MakeFingerprint(const Problem& problem, const TrainOptions& options);

/// What differs, in words; empty when nothing does.
std::string Difference(const Fingerprint& saved, const Fingerprint& now);

}  // namespace slackline::internal
