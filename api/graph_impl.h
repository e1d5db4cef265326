// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind a Graph.
#pragma once

#include <memory>

#include <slackline/core/structure.h>
#include <slackline/graph.h>

namespace slackline {
inline namespace v1 {

struct GraphImpl {
  std::shared_ptr<const internal::Structure> structure;
  /// The same without forbidden states; another object only where the graph has global factors as
  /// well, whose decoder does not see them.
  std::shared_ptr<const internal::Structure> open;
};

}  // namespace v1
}  // namespace slackline
