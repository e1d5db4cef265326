// SPDX-License-Identifier: BSD-3-Clause
//
// The best joint state of a score table. Ties always go to the lowest index. Scores may be −∞ (a
// forbidden state), never NaN or +∞; messages are finite. No allocation.
#pragma once

#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

/// A best joint state and its value. If all entries are −∞, joint = 0 and value = −∞.
struct FactorMax {
  Index joint = 0;
  double value = -kInfinity;
};

/// The largest entry of a table.
FactorMax TableMax(std::span<const double> table);

/// The largest entry of table(y) − Σ_i messages_i(y_i): θ_c − Σ_i A_ciᵀ δ_ci. `messages` holds the
/// messages of the axes one after the other. Requires at least one axis, table.size() = Π
/// cardinalities and messages.size() = Σ cardinalities. One addition and comparison per joint
/// state.
FactorMax ReparametrisedMax(std::span<const Index> cardinalities, std::span<const double> table,
                            std::span<const double> messages);

}  // namespace slackline::internal
