// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace slackline::internal::test {

/// Whether the tests are compiled with sanitizers. These make them several times slower, so that a
/// test of many like cases goes through a part of them there; all are tested in other builds.
#ifdef SLACKLINE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Of a number of like trials, those that a test makes: three of them under sanitizers.
constexpr int Trials(int all) { return kSanitized && all > 3 ? 3 : all; }

/// Of a list of like cases, those that a test goes through: the first two under sanitizers.
template <typename T>
std::vector<T> Cases(std::vector<T> all) {
  if (kSanitized && all.size() > 2) all.resize(2);
  return all;
}

}  // namespace slackline::internal::test
