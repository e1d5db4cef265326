// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/feature_table.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/factors/joint_states.h>

namespace slackline::internal {
namespace {

// Drops values that are all 1 (where there is a row), so that equal features have equal maps.
void DropUnitValues(StateMap* map) {
  for (std::size_t s = 0; s < map->rows.size(); ++s) {
    if (map->rows[s] != kAbsent && map->values[s] != 1) return;
  }
  map->values.clear();
}

}  // namespace

// The product is checked step by step because it may be too large for any integer type.
void CheckCardinalities(std::span<const Index> cardinalities) {
  SLACKLINE_CHECK(!cardinalities.empty(), "a factor needs at least one variable");
  Offset states = 1;
  for (const Index cardinality : cardinalities) {
    SLACKLINE_CHECK(cardinality >= 1,
                    "a variable needs at least one state, not " + std::to_string(cardinality));
    states *= cardinality;
    SLACKLINE_CHECK(states <= FactorGraphBuilder::kMaxTable,
                    "a factor's table would have more than 2^26 joint states");
  }
}

Index FeatureTable::num_states() const { return static_cast<Index>(NumJointStates(cardinalities)); }

bool operator==(const FeatureTable& a, const FeatureTable& b) {
  const auto same = [](const StateMap& x, const StateMap& y) {
    return x.rows == y.rows && x.values == y.values;
  };
  return a.cardinalities == b.cardinalities && a.num_weights == b.num_weights &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(), same);
}

FeatureTable OwnWeightPerState(std::vector<Index> cardinalities) {
  CheckCardinalities(cardinalities);
  FeatureTable table{std::move(cardinalities), 0, {StateMap()}};
  table.num_weights = table.num_states();
  table.terms[0] = IdentityMap(table.num_weights);
  return table;
}

void CheckFeatureTable(const FeatureTable& table) {
  CheckCardinalities(table.cardinalities);
  SLACKLINE_CHECK(table.num_weights >= 0, "the number of weights of a factor must not be negative");
  for (const StateMap& map : table.terms) {
    SLACKLINE_CHECK(static_cast<Index>(map.rows.size()) == table.num_states(),
                    "a state map of " + std::to_string(map.rows.size()) +
                        " states does not fit a factor with " + std::to_string(table.num_states()));
    SLACKLINE_CHECK(map.values.empty() || map.values.size() == map.rows.size(),
                    "a state map needs as many values as rows, or none");
    for (const Index row : map.rows) {
      SLACKLINE_CHECK(row >= kAbsent && row < table.num_weights,
                      "a state map reads weight " + std::to_string(row) + " of a factor with " +
                          std::to_string(table.num_weights));
    }
    for (const double value : map.values)
      SLACKLINE_CHECK(std::isfinite(value), "a feature is not a finite number");
  }
}

FeatureTableBuilder::FeatureTableBuilder(std::span<const Index> cardinalities, Index num_weights) {
  CheckCardinalities(cardinalities);
  SLACKLINE_CHECK(num_weights >= 0, "the number of weights of a factor must not be negative");
  table_.cardinalities.assign(cardinalities.begin(), cardinalities.end());
  table_.num_weights = num_weights;
  num_states_ = table_.num_states();
}

void FeatureTableBuilder::Append(std::span<const double> features) {
  SLACKLINE_CHECK(next_ < num_states_, "a factor's features were given for too many states");
  SLACKLINE_CHECK(static_cast<Index>(features.size()) == table_.num_weights,
                  "a feature vector has another length than the factor's weights");
  std::size_t k = 0;
  for (std::size_t row = 0; row < features.size(); ++row) {
    const double value = features[row];
    if (value == 0) continue;
    SLACKLINE_CHECK(std::isfinite(value), "a feature is not a finite number");
    if (k == table_.terms.size()) {
      table_.terms.push_back(
          {std::vector<Index>(num_states_, kAbsent), std::vector<double>(num_states_, 0.0)});
    }
    table_.terms[k].rows[next_] = static_cast<Index>(row);
    table_.terms[k].values[next_] = value;
    ++k;
  }
  ++next_;
}

FeatureTable FeatureTableBuilder::Finish() {
  SLACKLINE_CHECK(next_ == num_states_, "a factor's features are not complete");
  for (StateMap& map : table_.terms) DropUnitValues(&map);
  return std::move(table_);
}

}  // namespace slackline::internal
