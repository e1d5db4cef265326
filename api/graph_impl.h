// SPDX-License-Identifier: BSD-3-Clause
//
// The implementation of Graph.
#pragma once

#include <memory>

#include <slackline/core/structure.h>
#include <slackline/graph.h>

namespace slackline {
inline namespace v1 {

struct GraphImpl {
  std::shared_ptr<const internal::Structure> structure;
  /// The same with factors of equal scope joined, for training.
  std::shared_ptr<const internal::Structure> joined;
  /// The same graph without its forbidden states, for the decoder of global factors, which does not
  /// support forbidden states. The same object when no state is forbidden.
  std::shared_ptr<const internal::Structure> open;
};

}  // namespace v1
}  // namespace slackline
