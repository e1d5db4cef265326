// SPDX-License-Identifier: BSD-3-Clause
//
// How long buffers for reading are.
#pragma once

#include <cstddef>

namespace slackline::internal {

/// `bytes`; under fuzz targets so few that short inputs, too, reach the code between two reads.
constexpr std::size_t BufferBytes(std::size_t bytes) {
#ifdef SLACKLINE_FUZZING
  return bytes < 64 ? bytes : 64;
#else
  return bytes;
#endif
}

}  // namespace slackline::internal
