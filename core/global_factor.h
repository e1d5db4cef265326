// SPDX-License-Identifier: BSD-3-Clause
//
// Global factors: factors over so many variables that they have no table, only a maximum. A
// cardinality factor over 30 binary variables has 2^30 joint states; the best of them is found by
// sorting.
//
// Source: Meshi, Srebro, Hazan, "Efficient training of structured SVMs via soft constraints",
// AISTATS 2015, section 5, third remark, and appendix D: a block of Algorithm 1 needs no more of a
// factor than its maximum, and what of its dual point is kept are the marginals of its variables
// and its features.
//
//     class AllEqual : public GlobalFactor { … };  // about 30 lines
//     // with a ModelBuilder (model_builder.h):
//     builder.AddGlobalFactor(scope, std::make_shared<AllEqual>(scope.size()), block);
//
// A factor object has no weights of its own: it reads num_weights() local ones, which a model
// places in one of its weight blocks, where other factors and examples may share them. It is not
// tied to an example; one object serves many scopes. Shipped: factors/cardinality_factor.h (counts,
// at most / exactly one), factors/tree_factor.h (chains and trees). Check your own with
// CheckGlobalFactor (factors/global_conformance.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// All methods are const, without side effects, give the same on every call, and may be called by
/// several threads at a time.
class GlobalFactor {
 public:
  virtual ~GlobalFactor() = default;

  /// A short word for messages and checkpoints ("cardinality").
  virtual std::string_view name() const = 0;
  /// States of each variable of the scope: at least one variable.
  virtual std::span<const Index> cardinalities() const = 0;
  /// How many local weights the factor reads, ≥ 0.
  virtual Index num_weights() const = 0;

  /// out += scale · φ(states); out has num_weights() entries. All features are finite. Not called
  /// for forbidden states.
  virtual void AddFeatures(std::span<const Index> states, double scale,
                           std::span<double> out) const = 0;

  /// Writes states that maximise w·φ(y) − Σ_k messages_k(y_k) over the allowed y, and returns that
  /// value, which certified bounds rest on: it must be the maximum, up to rounding errors. Of
  /// several best states any may be taken. messages: those of the axes one after the other, Σ
  /// cardinalities numbers, finite; states: one entry per axis.
  virtual double Maximize(std::span<const double> weights, std::span<const double> messages,
                          std::span<Index> states) const = 0;

  /// w·φ(states) for allowed states. The default goes by AddFeatures; override it where it takes
  /// less.
  virtual double Score(std::span<const double> weights, std::span<const Index> states) const;

  /// Whether some joint states are forbidden: then override both. Scores of forbidden states are −∞
  /// in every sense.
  virtual bool IsRestricted() const { return false; }
  virtual bool Allows(std::span<const Index> states) const {
    static_cast<void>(states);
    return true;
  }

  /// max ‖φ(y) − φ(y')‖² or a guess of it: sets where the search for ρ starts, and nothing else.
  /// The default looks at a few dozen states.
  virtual double SquaredRange() const;

 protected:
  GlobalFactor() = default;
  GlobalFactor(const GlobalFactor&) = default;
  GlobalFactor& operator=(const GlobalFactor&) = default;
};

/// Maximize with its outcome checked: the larger of its value and that of its states, which differ
/// by rounding. Throws std::invalid_argument that names the factor when a state is out of range or
/// forbidden, or the value differs from that of the states (by 1e-6 of the largest terms) or is no
/// number.
double CheckedMaximum(const GlobalFactor& factor, std::span<const double> weights,
                      std::span<const double> messages, std::span<Index> states);

/// Σ_k messages_k(states_k), messages of the axes one after the other.
double MessageSum(std::span<const Index> cardinalities, std::span<const double> messages,
                  std::span<const Index> states);

/// Some allowed joint states, always the same: what SquaredRange looks at and fingerprints of
/// problems hash. At most `count`.
std::vector<std::vector<Index>> ProbeStates(const GlobalFactor& factor, Index count);

}  // namespace slackline::internal
