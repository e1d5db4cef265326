// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace slackline::internal::test {

/// Whether the tests are compiled with sanitizers. These make them several times slower, so that a
/// test of many like cases goes through a part of them there; all are tested in other builds.
#ifdef SLACKLINE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace slackline::internal::test
