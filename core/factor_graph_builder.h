// SPDX-License-Identifier: BSD-3-Clause
//
// The only way to make a FactorGraph.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

class FactorGraphBuilder {
 public:
  /// Largest number of joint states that one factor's table may have.
  static constexpr Offset kMaxTable = Offset{1} << 26;

  /// Adds a variable with `cardinality` ≥ 1 states (else std::invalid_argument) and returns its
  /// number.
  Index AddVariable(Index cardinality);
  /// Adds `count` ≥ 0 variables with the same cardinality; returns the number of the first. Throws
  /// std::invalid_argument as AddVariable does.
  Index AddVariables(Index count, Index cardinality);

  /// Adds a factor over existing, pairwise different variables (at least one); returns its number.
  /// Throws std::invalid_argument when a variable is unknown or named twice (a self-loop), or the
  /// table exceeds kMaxTable.
  Index AddFactor(std::span<const Index> scope);
  Index AddFactor(std::initializer_list<Index> scope) {
    return AddFactor(std::span<const Index>(scope.begin(), scope.size()));
  }

  /// Adds a global factor (no table, any number of joint states) over existing, pairwise different
  /// variables (at least one); returns its number. Global factors have their own numbers. Throws
  /// std::invalid_argument as AddFactor does.
  Index AddGlobalFactor(std::span<const Index> scope);

  Index num_variables() const { return static_cast<Index>(cardinality_.size()); }
  Index num_factors() const { return static_cast<Index>(scope_begin_.size()) - 1; }
  Index num_global_factors() const { return static_cast<Index>(global_begin_.size()) - 1; }

  /// The finished graph. A graph without variables or without factors is allowed. The builder can
  /// still be used afterwards.
  std::shared_ptr<const FactorGraph> Build() const;

 private:
  void CheckScope(std::span<const Index> scope) const;

  std::vector<Index> cardinality_;
  std::vector<Offset> scope_begin_{0};
  std::vector<Index> scope_;
  std::vector<Offset> global_begin_{0};
  std::vector<Index> global_scope_;
};

}  // namespace slackline::internal
