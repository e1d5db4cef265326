// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes of read buffers.
#pragma once

#include <cstddef>

namespace slackline::internal {

/// `bytes`; at most 64 in fuzzing builds, so that short inputs also reach the code between two
/// reads.
constexpr std::size_t BufferBytes(std::size_t bytes) {
#ifdef SLACKLINE_FUZZING
  return bytes < 64 ? bytes : 64;
#else
  return bytes;
#endif
}

}  // namespace slackline::internal
