// SPDX-License-Identifier: BSD-3-Clause
//
// Checks whether a factor object does what factor_concept.h asks of it. For tests of a user's own
// factors:
//
//     const ConformanceReport report = CheckFactor(MyFactor(3, 4));
//     if (!report.ok()) std::cerr << report.Text();
//
// The check calls AddFeatures for every joint state, with several scales and outputs, and compares
// the results with feature_table where the factor has one. global_conformance.h checks maxima.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <slackline/factors/factor_concept.h>

namespace slackline::internal {

struct ConformanceOptions {
  std::uint64_t seed = 1;
  int trials = 20;          ///< joint states (global factors: sets of numbers) to test closely
  double tolerance = 1e-9;  ///< relative to the size of the numbers that are compared
  Offset max_states = Offset{1} << 16;  ///< a factor with more joint states fails the check
};

/// The faults found, one sentence for each kind; empty when the factor conforms.
struct ConformanceReport {
  std::vector<std::string> failures;

  bool ok() const { return failures.empty(); }
  /// All failures, one per line.
  std::string Text() const;
};

/// A type-erased factor. `feature_table` is empty where the factor has none of its own.
struct FactorMethods {
  std::function<std::vector<Index>()> cardinalities;
  std::function<Index()> num_weights;
  std::function<void(std::span<const Index>, double, std::span<double>)> add_features;
  std::function<FeatureTable()> feature_table;
};

/// Runs the check. Exceptions of the factor's methods become failures.
ConformanceReport CheckFactorMethods(const FactorMethods& factor,
                                     const ConformanceOptions& options);

template <Factor F>
ConformanceReport CheckFactor(const F& factor, const ConformanceOptions& options = {}) {
  FactorMethods methods;
  methods.cardinalities = [&factor] {
    const std::span<const Index> cardinalities = factor.cardinalities();
    return std::vector<Index>(cardinalities.begin(), cardinalities.end());
  };
  methods.num_weights = [&factor] { return factor.num_weights(); };
  methods.add_features = [&factor](std::span<const Index> states, double scale,
                                   std::span<double> out) {
    factor.AddFeatures(states, scale, out);
  };
  if constexpr (FactorWithFeatureTable<F>) {
    methods.feature_table = [&factor]() -> FeatureTable { return factor.feature_table(); };
  }
  return CheckFactorMethods(methods, options);
}

}  // namespace slackline::internal
