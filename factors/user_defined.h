// SPDX-License-Identifier: BSD-3-Clause
//
// The base class of factors that are chosen at run time. Where the type is known at compile time,
// modelling the concept of factor_concept.h is as short and has no virtual calls.
#pragma once

#include <span>

#include <slackline/factors/factor_concept.h>

namespace slackline::internal {

/// Derive, override the first three, and run CheckFactor (conformance.h) on it in a test.
class UserDefinedFactor {
 public:
  virtual ~UserDefinedFactor() = default;

  virtual std::span<const Index> cardinalities() const = 0;
  virtual Index num_weights() const = 0;
  /// weights_out += scale · φ(states).
  virtual void AddFeatures(std::span<const Index> states, double scale,
                           std::span<double> weights_out) const = 0;

  /// w·φ(states). Default: by AddFeatures.
  virtual double Score(std::span<const double> weights, std::span<const Index> states) const;

  /// The lowest of the best joint states of w·φ(y) − Σ_i messages_i(y_i). Default: by the score of
  /// every joint state.
  virtual FactorMax Maximize(std::span<const double> weights,
                             std::span<const double> messages) const;

 protected:
  UserDefinedFactor() = default;
  UserDefinedFactor(const UserDefinedFactor&) = default;
  UserDefinedFactor& operator=(const UserDefinedFactor&) = default;
};

}  // namespace slackline::internal
