// SPDX-License-Identifier: BSD-3-Clause
//
// Factors: scores of the joint states of several variables, w·φ(y) with weights w of a model.
//
// Ready-made factors come from the functions below. A user's own factor takes one of three forms:
//   1. Table or FunctionTable: φ for each joint state;
//   2. a type with the functions of OwnFactorType, and optionally its own max oracle;
//   3. a class derived from GlobalFactor, chosen at run time.
// A factor without its own max oracle is tabulated when it is added to a graph. A factor with its
// own max oracle never has a table: training and prediction call the oracle. (Prediction on graphs
// with at most 4096 labellings compares the scores of all of them instead.)
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/export.h>

namespace slackline {
inline namespace v1 {

struct FactorImpl;

/// A description of a factor, which any number of scopes may share. Cheap to copy.
class SLACKLINE_EXPORT Factor {
 public:
  /// Used by the library itself.
  explicit Factor(std::shared_ptr<const FactorImpl> impl) : impl_(std::move(impl)) {}
  const FactorImpl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const FactorImpl> impl_;
};

/// φ(y) = [y_0 ≠ y_1] for two variables with `states` states each. One weight; a negative weight
/// favours equal neighbours.
SLACKLINE_EXPORT Factor Potts(int states);

/// φ_k(y) = [y_0 = y_1 = k] for two variables with `states` states each: a weight per state, which
/// rewards agreement in this state where it is positive. The learner option "associative" keeps
/// these weights from becoming negative.
SLACKLINE_EXPORT Factor Agreement(int states);

/// A weight for each joint state of variables with these numbers of states (the last variable
/// fastest): Table({3}) is a constant per state, Table({3, 3}) a full table of pairs.
SLACKLINE_EXPORT Factor Table(std::vector<int> states);
/// φ of joint state y is values[y] at weight rows[y]. A row of −1 has no weight, equal rows are
/// tied, and empty `values` are all 1.
SLACKLINE_EXPORT Factor Table(std::vector<int> states, int num_weights, std::vector<int> rows,
                              std::vector<double> values = {});

/// A table with weights 0 … max(rows) whose numbers of states are known at compile time; the
/// compiler checks the number of entries. FixedTable<2, 2>({0, 1, 1, 0}) has one weight for equal
/// and one for different states.
template <int... kStates, std::size_t kEntries>
Factor FixedTable(const int (&rows)[kEntries]) {
  static_assert(((kStates >= 1) && ...), "A variable has at least one state.");
  static_assert(
      kEntries == (static_cast<std::size_t>(kStates) * ...),
      "A table over variables with these numbers of states has another number of entries.");
  return Table({kStates...}, 1 + std::max(0, *std::max_element(rows, rows + kEntries)),
               {rows, rows + kEntries});
}

/// fill(states, features) writes the features of a joint state that are not zero:
///     // the distance of two positions, at most 2
///     FunctionTable({5, 5}, 1, [](std::span<const int> y, std::span<double> features) {
///       features[0] = std::min(2, std::abs(y[0] - y[1]));
///     });
using FillFeatures = std::function<void(std::span<const int> states, std::span<double> features)>;
SLACKLINE_EXPORT Factor FunctionTable(std::vector<int> states, int num_weights,
                                      const FillFeatures& fill);

/// Factors over any number of variables that depend on how many of them have state `state`. Without
/// weights, such a factor forbids all other counts. With one weight, it is soft: φ is the number of
/// variables by which the count misses the bound.
SLACKLINE_EXPORT Factor AtMost(int count, int state = 1);
SLACKLINE_EXPORT Factor AtLeast(int count, int state = 1);
SLACKLINE_EXPORT Factor Exactly(int count, int state = 1);
/// A weight for each count from 0 to the number of variables.
SLACKLINE_EXPORT Factor Count(int state = 1);

/// An edge that a bipartite matching may choose. Variable e of the scope is 1 where edge e is
/// chosen. The factor has no weights.
struct MatchingEdge {
  int left = 0;
  int right = 0;
};
/// Each left node has at most left_capacity chosen edges, each right node at most right_capacity (1
/// and 1: a matching).
SLACKLINE_EXPORT Factor Matching(int num_left, int num_right,
                                 const std::vector<MatchingEdge>& edges, int left_capacity = 1,
                                 int right_capacity = 1);
/// The same with one capacity for each node.
SLACKLINE_EXPORT Factor Matching(const std::vector<MatchingEdge>& edges,
                                 std::vector<int> left_capacities,
                                 std::vector<int> right_capacities);

/// A chain over the whole scope as one factor. `pair` joins the neighbours; it must be a factor
/// with a table over two variables. Its max oracle is dynamic programming over the whole chain.
SLACKLINE_EXPORT Factor Chain(int length, const Factor& pair);
/// The same for a tree. `states` holds the number of states of each variable; edges name positions
/// in the scope.
SLACKLINE_EXPORT Factor Tree(std::vector<int> states, const std::vector<std::pair<int, int>>& edges,
                             const Factor& pair);

/// A factor over any number of variables with its own max oracle instead of a table. All functions
/// must be const, free of side effects and the same on every call; several threads may call them at
/// once. CheckFactor (below) tests them.
class SLACKLINE_EXPORT GlobalFactor {
 public:
  virtual ~GlobalFactor();

  /// A short name for messages.
  virtual std::string_view name() const = 0;
  /// The number of states of each variable of the scope.
  virtual std::span<const int> cardinalities() const = 0;
  virtual int num_weights() const = 0;
  /// out += scale · φ(states); out has num_weights() entries.
  virtual void AddFeatures(std::span<const int> states, double scale,
                           std::span<double> out) const = 0;
  /// Writes states that maximise w·φ(y) − Σ_k messages_k(y_k) over the allowed y, and returns the
  /// maximum. Certificates rest on this value. `messages` has the variables' messages one after the
  /// other.
  virtual double Maximize(std::span<const double> weights, std::span<const double> messages,
                          std::span<int> states) const = 0;
  /// w·φ(states). The default calls AddFeatures.
  virtual double Score(std::span<const double> weights, std::span<const int> states) const;
  /// Whether some joint states are forbidden. A factor that forbids any overrides both functions.
  virtual bool IsRestricted() const { return false; }
  virtual bool Allows(std::span<const int> states) const;

 protected:
  GlobalFactor() = default;
  GlobalFactor(const GlobalFactor&) = default;
  GlobalFactor& operator=(const GlobalFactor&) = default;
};

SLACKLINE_EXPORT Factor MakeFactor(std::shared_ptr<const GlobalFactor> factor);

/// A type that can be a factor: it has the functions cardinalities, num_weights and AddFeatures of
/// GlobalFactor. A Maximize makes it a factor with its own max oracle; only then may an Allows
/// forbid joint states.
template <class F>
concept HasCardinalities = requires(const F& factor) {
  { factor.cardinalities() } -> std::convertible_to<std::span<const int>>;
};
template <class F>
concept HasNumWeights = requires(const F& factor) {
  { factor.num_weights() } -> std::same_as<int>;
};
template <class F>
concept HasAddFeatures = requires(const F& factor, std::span<const int> states, double scale,
                                  std::span<double> out) {
  factor.AddFeatures(states, scale, out);
};
template <class F>
concept HasMaximize = requires {
  &F::Maximize;
};
template <class F>
concept HasFittingMaximize = requires(const F& factor, std::span<const double> numbers,
                                      std::span<int> states) {
  { factor.Maximize(numbers, numbers, states) } -> std::same_as<double>;
};
template <class F>
concept HasAllows = requires(const F& factor, std::span<const int> states) {
  { factor.Allows(states) } -> std::same_as<bool>;
};
template <class F>
concept OwnFactorType = HasCardinalities<F> && HasNumWeights<F> && HasAddFeatures<F> &&
    (!HasMaximize<F> || HasFittingMaximize<F>);

/// A factor of type F with its own max oracle, behind the interface of GlobalFactor.
template <OwnFactorType F>
class OwnGlobalFactor final : public GlobalFactor {
 public:
  explicit OwnGlobalFactor(F factor) : factor_(std::move(factor)) {
    const auto& states = factor_.cardinalities();
    cardinalities_.assign(states.begin(), states.end());
  }
  std::string_view name() const override { return "own"; }
  std::span<const int> cardinalities() const override { return cardinalities_; }
  int num_weights() const override { return factor_.num_weights(); }
  void AddFeatures(std::span<const int> states, double scale,
                   std::span<double> out) const override {
    factor_.AddFeatures(states, scale, out);
  }
  double Maximize(std::span<const double> weights, std::span<const double> messages,
                  std::span<int> states) const override {
    return factor_.Maximize(weights, messages, states);
  }
  bool IsRestricted() const override { return HasAllows<F>; }
  bool Allows(std::span<const int> states) const override {
    if constexpr (HasAllows<F>) {
      return factor_.Allows(states);
    } else {
      return GlobalFactor::Allows(states);
    }
  }

 private:
  F factor_;
  std::vector<int> cardinalities_;
};

/// Makes a factor of an object of a user's own type. The compiler prints one of these sentences
/// when a function is missing.
template <class F>
Factor OwnFactor(const F& factor) {
  static_assert(HasCardinalities<F>,
                "A factor needs `std::vector<int> cardinalities() const` (or a span): the number "
                "of states of each of its variables.");
  static_assert(HasNumWeights<F>,
                "A factor needs `int num_weights() const`: how many weights it reads.");
  static_assert(
      HasAddFeatures<F>,
      "A factor needs `void AddFeatures(std::span<const int> states, double scale, "
      "std::span<double> out) const`, which adds scale times the features of the joint state.");
  static_assert(!HasMaximize<F> || HasFittingMaximize<F>,
                "A factor's own max oracle is `double Maximize(std::span<const double> weights, "
                "std::span<const double> messages, std::span<int> states) const`, which writes the "
                "best states and returns their value.");
  if constexpr (OwnFactorType<F> && HasMaximize<F>) {
    return MakeFactor(std::make_shared<OwnGlobalFactor<F>>(factor));
  } else if constexpr (OwnFactorType<F>) {
    const auto& states = factor.cardinalities();
    return FunctionTable({states.begin(), states.end()}, factor.num_weights(),
                         [&factor](std::span<const int> y, std::span<double> features) {
                           factor.AddFeatures(y, 1.0, features);
                         });
  } else {
    return Table({1});
  }
}

/// Tests the functions of a global factor with random and extreme numbers, and compares its maximum
/// with all joint states, or with some of them where there are more than 65 536. Returns the faults
/// found, one sentence per line; empty when there are none. For tests.
SLACKLINE_EXPORT std::string CheckFactor(const GlobalFactor& factor);
/// Tests the features of a factor to be tabulated at every joint state. They must be finite,
/// proportional to the scale, added to the output and the same on every call.
using AddFeaturesFunction =
    std::function<void(std::span<const int> states, double scale, std::span<double> out)>;
SLACKLINE_EXPORT std::string CheckFeatures(std::vector<int> states, int num_weights,
                                           const AddFeaturesFunction& add_features);

/// The same for a user's own type, with or without a max oracle.
template <OwnFactorType F>
requires(!std::derived_from<F, GlobalFactor>)  //
    std::string CheckFactor(const F& factor) {
  if constexpr (HasMaximize<F>) {
    return CheckFactor(static_cast<const GlobalFactor&>(OwnGlobalFactor<F>(factor)));
  } else {
    const auto& states = factor.cardinalities();
    return CheckFeatures({states.begin(), states.end()}, factor.num_weights(),
                         [&factor](std::span<const int> y, double scale, std::span<double> out) {
                           factor.AddFeatures(y, scale, out);
                         });
  }
}

}  // namespace v1
}  // namespace slackline
