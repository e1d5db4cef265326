// SPDX-License-Identifier: BSD-3-Clause
//
// The features of a factor at every joint state. A factor is tabulated once; models store the table
// as one constant term per StateMap (core/structure.h).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/structure.h>

namespace slackline::internal {

/// φ(y) = Σ_k terms[k].values[y] · e_{terms[k].rows[y]} over the joint states y in their usual
/// order. A row is kAbsent where term k is zero; `values` is empty when all are 1. A state with n
/// features uses the first n terms.
struct FeatureTable {
  std::vector<Index> cardinalities;
  Index num_weights = 0;
  std::vector<StateMap> terms;

  Index num_states() const;
};

/// Equal shapes and equal features, compared term by term.
bool operator==(const FeatureTable& a, const FeatureTable& b);

/// A table with one weight for each joint state, in the order of the joint states.
FeatureTable OwnWeightPerState(std::vector<Index> cardinalities);

/// Throws std::invalid_argument when there is no cardinality, one is < 1, or a table of these
/// variables is larger than FactorGraphBuilder::kMaxTable.
void CheckCardinalities(std::span<const Index> cardinalities);

/// Throws std::invalid_argument when a cardinality is < 1, the table is larger than
/// FactorGraphBuilder::kMaxTable, a map has the wrong size, a row is out of range or a value is not
/// finite.
void CheckFeatureTable(const FeatureTable& table);

/// Builds a table from dense feature vectors, one joint state after the other.
class FeatureTableBuilder {
 public:
  FeatureTableBuilder(std::span<const Index> cardinalities, Index num_weights);

  /// The features of the next joint state, num_weights values; zeros are not stored. Throws
  /// std::invalid_argument when a value is not finite or there are more states than the
  /// cardinalities allow.
  void Append(std::span<const double> features);

  /// Requires that all joint states have been appended.
  FeatureTable Finish();

 private:
  FeatureTable table_;
  std::size_t num_states_ = 0;
  std::size_t next_ = 0;
};

}  // namespace slackline::internal
