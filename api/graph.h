// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs: variables, the terms of their scores, and the factors that join variables. A graph has no
// data; examples of the same shape share one graph.
//
//     GraphBuilder chain(model);
//     const VariableRange word = chain.AddVariables(4, 3);      // 4 variables with 3 states
//     for (int t = 0; t < 4; ++t) chain.AddInput(word[t], taste, t);
//     for (int t = 1; t < 4; ++t) chain.AddFactor({word[t - 1], word[t]}, Potts(3), change);
//     const Graph graph = chain.Build();
//
// All functions throw std::invalid_argument when their arguments do not fit.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <slackline/export.h>
#include <slackline/factor.h>
#include <slackline/model.h>

namespace slackline {
inline namespace v1 {

/// A variable of a graph: its position among the labels.
struct Variable {
  int number = -1;
};

/// Variables with consecutive numbers.
class SLACKLINE_EXPORT VariableRange {
 public:
  class Iterator {
   public:
    explicit Iterator(int number) : number_(number) {}
    Variable operator*() const { return {number_}; }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    bool operator==(const Iterator& other) const = default;

   private:
    int number_;
  };

  VariableRange(int first, int size) : first_(first), size_(size) {}
  /// Variable k of the range. Throws std::out_of_range.
  Variable operator[](int k) const;
  int size() const { return size_; }
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(first_ + size_); }

 private:
  int first_;
  int size_;
};

/// The variables of a factor, in order.
class Scope {
 public:
  Scope(std::initializer_list<Variable> variables) : variables_(variables) {}
  Scope(Variable variable) : variables_{variable} {}                            // NOLINT: converts
  Scope(std::vector<Variable> variables) : variables_(std::move(variables)) {}  // NOLINT: converts
  Scope(const VariableRange& range) {                                           // NOLINT: converts
    for (const Variable variable : range) variables_.push_back(variable);
  }
  std::span<const Variable> variables() const { return variables_; }

 private:
  std::vector<Variable> variables_;
};

struct GraphImpl;

/// An immutable graph. A copy is cheap and shares the graph's data; several threads may use one
/// graph at once.
class SLACKLINE_EXPORT Graph {
 public:
  /// Used by the library itself.
  explicit Graph(std::shared_ptr<const GraphImpl> impl) : impl_(std::move(impl)) {}
  const std::shared_ptr<const GraphImpl>& impl() const { return impl_; }

  int num_variables() const;
  int num_states(Variable variable) const;
  int num_states(int variable) const { return num_states(Variable{variable}); }
  /// Number of factors over several variables.
  int num_factors() const;
  /// The numbers of input rows and of potentials that an example must bring.
  int num_inputs() const;
  int num_potentials() const;
  /// Whether all factors have tables and form no cycle, so that dynamic programming is exact.
  bool IsForest() const;

 private:
  std::shared_ptr<const GraphImpl> impl_;
};

class SLACKLINE_EXPORT GraphBuilder {
 public:
  explicit GraphBuilder(const Model& model);
  GraphBuilder(GraphBuilder&& other) noexcept;
  GraphBuilder& operator=(GraphBuilder&& other) noexcept;
  ~GraphBuilder();

  /// Adds a variable with the states 0 … states − 1.
  Variable AddVariable(int states);
  VariableRange AddVariables(int count, int states);

  /// Adds w_s·x to the score of each state s: w_s is row s of the weights, x the example's input
  /// row `input`. The row of a block with one row belongs to state 1 of a binary variable. At most
  /// once per variable.
  void AddInput(Variable variable, WeightBlock weights, int input);
  /// Adds a factor over the scope, with a score w_s·x for each of its joint states.
  void AddInputFactor(const Scope& scope, WeightBlock weights, int input);

  /// Adds w·p_s to the score of each state s. The potential p_s is a number of the example.
  /// `weights`: one column, and either one row for all states or a row for each. An example lists
  /// its potentials in the order of these calls, one for each (joint) state. Returns the position
  /// of the first one.
  int AddPotentials(Variable variable, WeightBlock weights);
  int AddPotentialFactor(const Scope& scope, WeightBlock weights);

  /// Adds a factor over the scope. In training, factors with the same variables count as one, so
  /// that an LP relaxation does not depend on how many factors a table is written in. `weights`:
  /// one column, and as many rows as the factor has weights; left out for factors without weights
  /// (Matching) and for hard bounds on counts.
  void AddFactor(const Scope& scope, const Factor& factor, WeightBlock weights = {});
  void AddFactor(const Scope& scope, std::shared_ptr<const GlobalFactor> factor,
                 WeightBlock weights = {}) {
    AddFactor(scope, MakeFactor(std::move(factor)), weights);
  }
  /// A factor of a user's own type (OwnFactor).
  template <class F>
  requires(!std::convertible_to<const F&, Factor> &&
           !std::convertible_to<const F&, std::shared_ptr<const GlobalFactor>>)  //
      void AddFactor(const Scope& scope, const F& factor, WeightBlock weights = {}) {
    static_assert(std::is_class_v<F>,
                  "AddFactor needs a factor: one of factor.h, such as Potts(3), or an object of a "
                  "user-defined type.");
    if constexpr (std::is_class_v<F> && std::derived_from<F, GlobalFactor>) {
      AddFactor(scope, MakeFactor(std::make_shared<F>(factor)), weights);
    } else if constexpr (std::is_class_v<F>) {
      AddFactor(scope, OwnFactor(factor), weights);
    }
  }

  /// Adds a factor over the scope whose joint states have no score of their own. Infer (infer.h)
  /// takes a score for each of them.
  void AddFactor(const Scope& scope);

  /// Forbids all labellings that give the variable one of these states, or the scope a joint state
  /// for which `forbidden` returns true.
  void Forbid(Variable variable, std::initializer_list<int> states);
  void Forbid(const Scope& scope, const std::function<bool(std::span<const int>)>& forbidden);

  /// The finished graph. The builder can be used further.
  Graph Build() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace slackline
