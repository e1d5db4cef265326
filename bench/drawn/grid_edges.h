// SPDX-License-Identifier: BSD-3-Clause
//
// The edges of a grid of variables, numbered row by row.
#pragma once

#include <slackline/core/types.h>

namespace slackline::internal {

/// Calls visit(v, neighbour) for every variable v in order, for its right and its lower neighbour
/// where they exist.
template <class Visit>
void ForEachGridEdge(Index rows, Index cols, const Visit& visit) {
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) {
      const Index v = r * cols + c;
      if (c + 1 < cols) visit(v, v + 1);
      if (r + 1 < rows) visit(v, v + cols);
    }
  }
}

}  // namespace slackline::internal
