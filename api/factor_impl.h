// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind a Factor: something that adds itself to a ModelBuilder.
#pragma once

#include <span>

#include <slackline/factor.h>
#include <slackline/factors/model_builder.h>

namespace slackline {
inline namespace v1 {

struct FactorImpl {
  virtual ~FactorImpl() = default;
  /// How many weights the factor reads over a scope of variables with these numbers of states;
  /// none: whether it is used without a block of weights.
  virtual int NumWeights(std::span<const int> states, bool none) const = 0;
  /// Throws std::invalid_argument when the factor does not fit the scope. block = −1: no weights.
  virtual void Add(std::span<const int> scope, std::span<const int> states, int block, int base,
                   internal::ModelBuilder* builder) const = 0;
  /// The table of its features; throws std::invalid_argument when it has none.
  virtual internal::FeatureTable FeatureTable() const;
};

}  // namespace v1
}  // namespace slackline
