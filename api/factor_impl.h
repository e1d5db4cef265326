// SPDX-License-Identifier: BSD-3-Clause
//
// The implementation of Factor: an object that adds itself to a ModelBuilder.
#pragma once

#include <span>

#include <slackline/factor.h>
#include <slackline/factors/model_builder.h>

namespace slackline {
inline namespace v1 {

struct FactorImpl {
  virtual ~FactorImpl() = default;
  /// The number of weights that the factor reads over a scope of variables with these numbers of
  /// states. `none`: the factor is used without a block of weights.
  virtual int NumWeights(std::span<const int> states, bool none) const = 0;
  /// Adds the factor to the builder; block = −1: without weights. Throws std::invalid_argument when
  /// the factor does not fit the scope.
  virtual void Add(std::span<const int> scope, std::span<const int> states, int block, int base,
                   internal::ModelBuilder* builder) const = 0;
  /// The table of the factor's features. Throws std::invalid_argument when it has no table.
  virtual internal::FeatureTable FeatureTable() const;
};

}  // namespace v1
}  // namespace slackline
