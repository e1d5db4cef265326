// SPDX-License-Identifier: BSD-3-Clause
//
// Global factors: factors over so many variables that they have no table, only a maximum. A
// cardinality factor over 30 binary variables has 2^30 joint states; the best of them is found by
// sorting.
//
// Source: Meshi, Srebro, Hazan, "Efficient training of structured SVMs via soft constraints",
// AISTATS 2015, section 5, third remark, and appendix D. A block step of Algorithm 1 only needs the
// maximum of a factor. Of the factor's dual point, only the marginals of its variables and its
// features are kept.
//
//     class AllEqual : public GlobalFactor { … };  // about 30 lines
//     // with a ModelBuilder (model_builder.h):
//     builder.AddGlobalFactor(scope, std::make_shared<AllEqual>(scope.size()), block);
//
// A factor object has no weights of its own: it reads num_weights() local ones, which a model
// places in one of its weight blocks, where other factors and examples may share them. The object
// is not tied to an example and serves many scopes. Shipped: factors/cardinality_factor.h (counts,
// at most / exactly one), factors/tree_factor.h (chains and trees). Check your own factors with
// CheckGlobalFactor (factors/global_conformance.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// All methods are const and without side effects, return the same on every call, and may be called
/// by several threads at a time.
class GlobalFactor {
 public:
  virtual ~GlobalFactor() = default;

  /// A short word for messages and checkpoints ("cardinality").
  virtual std::string_view name() const = 0;
  /// Number of states of each variable of the scope, which has at least one variable.
  virtual std::span<const Index> cardinalities() const = 0;
  /// How many local weights the factor reads, ≥ 0.
  virtual Index num_weights() const = 0;

  /// out += scale · φ(states); out has num_weights() entries. All features are finite. Not called
  /// for forbidden states.
  virtual void AddFeatures(std::span<const Index> states, double scale,
                           std::span<double> out) const = 0;

  /// Writes states that maximise w·φ(y) − Σ_k messages_k(y_k) over the allowed y, and returns the
  /// maximum. Certified bounds rest on the returned value, so it must be exact up to rounding
  /// errors. Ties may be broken in any way. messages: Σ cardinalities finite numbers, the axes'
  /// messages one after the other. states: one entry per axis.
  virtual double Maximize(std::span<const double> weights, std::span<const double> messages,
                          std::span<Index> states) const = 0;

  /// w·φ(states) for allowed states. The default calls AddFeatures; override it where that is slow.
  virtual double Score(std::span<const double> weights, std::span<const Index> states) const;

  /// Whether some joint states are forbidden, and whether `states` is allowed. A factor with
  /// forbidden states must override both. Forbidden states have the score −∞ everywhere.
  virtual bool IsRestricted() const { return false; }
  virtual bool Allows(std::span<const Index> states) const {
    static_cast<void>(states);
    return true;
  }

  /// max ‖φ(y) − φ(y')‖² or an estimate of it, used only for the start of the search for ρ. The
  /// default compares at most 24 joint states.
  virtual double SquaredRange() const;

 protected:
  GlobalFactor() = default;
  GlobalFactor(const GlobalFactor&) = default;
  GlobalFactor& operator=(const GlobalFactor&) = default;
};

/// Calls Maximize and checks the outcome. Returns the larger of the returned value and the score of
/// the states, which differ by rounding. Throws std::invalid_argument that names the factor when a
/// state is out of range or forbidden, when the value and the score differ by more than 1e-6 of the
/// largest terms, or when the value is not a number.
double CheckedMaximum(const GlobalFactor& factor, std::span<const double> weights,
                      std::span<const double> messages, std::span<Index> states);

/// Σ_k messages_k(states_k); `messages` has the axes' messages one after the other.
double MessageSum(std::span<const Index> cardinalities, std::span<const double> messages,
                  std::span<const Index> states);

/// At most `count` allowed joint states, the same on every call. SquaredRange compares them, and
/// fingerprints of problems hash them.
std::vector<std::vector<Index>> ProbeStates(const GlobalFactor& factor, Index count);

}  // namespace slackline::internal
