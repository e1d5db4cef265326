// SPDX-License-Identifier: BSD-3-Clause
//
// The features of a factor, written down for every joint state: what a factor object tells about
// itself once, and what models keep of it (core/structure.h: one constant term per StateMap).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/structure.h>

namespace slackline::internal {

/// φ(y) = Σ_k terms[k].values[y] · e_{terms[k].rows[y]}, over the joint states y in their usual
/// order; rows are kAbsent where term k is zero, values empty when they are all 1. A
/// state with n features uses the first n terms.
struct FeatureTable {
  std::vector<Index> cardinalities;
  Index num_weights = 0;
  std::vector<StateMap> terms;

  Index num_states() const;
};

/// Same shape, same features, term by term.
bool operator==(const FeatureTable& a, const FeatureTable& b);

/// Each joint state has one weight of its own, in the order of the joint states.
FeatureTable OwnWeightPerState(std::vector<Index> cardinalities);

/// Throws std::invalid_argument when a cardinality is < 1, the table is too large
/// (FactorGraphBuilder::kMaxTable), a map has another size, a row is out of range or a value is not
/// finite.
void CheckFeatureTable(const FeatureTable& table);

/// Collects dense feature vectors, joint state after joint state.
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
