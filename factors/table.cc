// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/table.h>

namespace slackline::internal {

TableFactor::TableFactor(FeatureTable table) {
  CheckFeatureTable(table);
  table_ = std::make_shared<const FeatureTable>(std::move(table));
}

void TableFactor::AddFeatures(std::span<const Index> states, double scale,
                              std::span<double> weights_out) const {
  const std::size_t joint = JointIndex(table_->cardinalities, states);
  for (const StateMap& map : table_->terms) {
    if (map.rows[joint] == kAbsent) continue;
    weights_out[map.rows[joint]] += scale * (map.values.empty() ? 1 : map.values[joint]);
  }
}

}  // namespace slackline::internal
