// SPDX-License-Identifier: BSD-3-Clause
//
// Joint states of a list of variables, numbered with the last variable fastest. All tables follow
// this convention.
#pragma once

#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The number of joint states: the product of the cardinalities (1 for an empty list). Requires
/// that the product fits an Offset.
inline Offset NumJointStates(std::span<const Index> cardinalities) {
  Offset count = 1;
  for (const Index cardinality : cardinalities) count *= cardinality;
  return count;
}

/// The number of a joint state.
inline Index JointIndex(std::span<const Index> cardinalities, std::span<const Index> states) {
  Index joint = 0;
  for (std::size_t k = 0; k < cardinalities.size(); ++k)
    joint = joint * cardinalities[k] + states[k];
  return joint;
}

/// Writes the states of the single variables in joint state number `joint`; `states` has one entry
/// per variable.
inline void SplitJoint(std::span<const Index> cardinalities, Index joint, std::span<Index> states) {
  for (std::size_t k = cardinalities.size(); k-- > 0;) {
    states[k] = joint % cardinalities[k];
    joint /= cardinalities[k];
  }
}

/// Steps to the next joint state. After the last one, sets all states to zero and returns false.
inline bool NextJoint(std::span<const Index> cardinalities, std::span<Index> states) {
  for (std::size_t k = cardinalities.size(); k-- > 0;) {
    if (++states[k] < cardinalities[k]) return true;
    states[k] = 0;
  }
  return false;
}

}  // namespace slackline::internal
