// SPDX-License-Identifier: BSD-3-Clause
//
// What a training run depends on, as short texts that tell whether a saved state belongs to a
// problem and its options.
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

/// A 64-bit hash of numbers and text that depends on their order. It guards against mistakes, not
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
  /// The hash as a number.
  std::uint64_t word() const { return state_; }
  /// Sixteen hexadecimal digits.
  std::string Text() const;

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

/// Names and values. Names of options begin with "--"; other values are counts and hashes.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

/// The fingerprint of the data (features, labels, structure, loss), λ, and all options but the
/// outer ones (OptionRecord::outer). O(size of the data).
///
/// Where several ranks train together (RanksOf(options)), each has a problem of its own examples,
/// and all of them must call this function. All get the fingerprint of the problem with all
/// examples in the order of the ranks, as one process with all examples would.
Fingerprint MakeFingerprint(const Problem& problem, const TrainOptions& options);

/// Appends λ and all options but the outer ones.
void AddOptions(const TrainOptions& options, Fingerprint* fingerprint);

/// Describes the differences in words; empty when there are none.
std::string Difference(const Fingerprint& saved, const Fingerprint& now);

}  // namespace slackline::internal
