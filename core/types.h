// SPDX-License-Identifier: BSD-3-Clause
//
// Names for the integers that the whole project uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace slackline::internal {

/// Counts and positions of variables, factors, states, features and examples.
using Index = std::int32_t;

/// Positions in the long flat arrays (states of all parts, weights, non-zeros of all examples).
using Offset = std::int64_t;

/// A count or position as the std::size_t of the standard library's containers, where the
/// conversion must be explicit: in comparisons with other sizes and in braces. Elsewhere a count
/// converts by itself, and products of two of them are computed as Offset. Requires n ≥ 0.
constexpr std::size_t Size(Offset n) { return static_cast<std::size_t>(n); }

/// The label of a variable whose true state is not known (docs/notation.md: it takes no part in
/// training).
inline constexpr Index kUnlabelled = -1;

/// In a state map: this state has no feature (and costs nothing).
inline constexpr Index kAbsent = -1;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace slackline::internal
