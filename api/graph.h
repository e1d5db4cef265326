// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs: variables, what their scores are made of, and the factors that join them. A graph has no
// data; examples of one shape share one.
//
//     GraphBuilder chain(model);
//     const VariableRange word = chain.AddVariables(4, 3);      // 4 variables with 3 states
//     for (int t = 0; t < 4; ++t) chain.AddInput(word[t], taste, t);
//     for (int t = 1; t < 4; ++t) chain.AddFactor({word[t - 1], word[t]}, Potts(3), change);
//     const Graph graph = chain.Build();
//
// All functions throw std::invalid_argument on arguments that do not fit.
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

/// A variable of a graph: its place among the labels.
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
  /// Throws std::out_of_range.
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

/// An immutable graph. Copies are cheap and share it; threads may use one graph at a time.
class SLACKLINE_EXPORT Graph {
 public:
  /// Used by the library itself.
  explicit Graph(std::shared_ptr<const GraphImpl> impl) : impl_(std::move(impl)) {}
  const std::shared_ptr<const GraphImpl>& impl() const { return impl_; }

  int num_variables() const;
  int num_states(Variable variable) const;
  int num_states(int variable) const { return num_states(Variable{variable}); }
  /// Factors over several variables.
  int num_factors() const;
  /// How many input rows and how many potentials an example must bring.
  int num_inputs() const;
  int num_potentials() const;
  /// Whether variables and factors have no cycle: then everything is found by dynamic programming.
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

  /// A variable whose states are 0 … states − 1.
  Variable AddVariable(int states);
  VariableRange AddVariables(int count, int states);

  /// The score of state s gets w_s·x, w_s row s of the weights and x the example's input row
  /// `input`. A block with one row is that of state 1 of a binary variable. Once per variable.
  void AddInput(Variable variable, WeightBlock weights, int input);
  /// The same for the joint states of a new factor over the scope.
  void AddInputFactor(const Scope& scope, WeightBlock weights, int input);

  /// The score of state s gets w·p_s, p_s a number that the example brings (a potential). weights:
  /// one column, and one row for all states or one for each. An example lists its potentials in the
  /// order of these calls, as many as there are (joint) states; the position of the first one is
  /// returned.
  int AddPotentials(Variable variable, WeightBlock weights);
  int AddPotentialFactor(const Scope& scope, WeightBlock weights);

  /// A factor over the scope. weights: one column, and as many rows as the factor has weights;
  /// none for factors that have none (Matching) and for hard bounds on counts.
  void AddFactor(const Scope& scope, const Factor& factor, WeightBlock weights = {});
  void AddFactor(const Scope& scope, std::shared_ptr<const GlobalFactor> factor,
                 WeightBlock weights = {}) {
    AddFactor(scope, MakeFactor(std::move(factor)), weights);
  }
  /// A factor of one's own type (OwnFactor).
  template <class F>
  requires(!std::convertible_to<const F&, Factor> &&
           !std::convertible_to<const F&, std::shared_ptr<const GlobalFactor>>)  //
      void AddFactor(const Scope& scope, const F& factor, WeightBlock weights = {}) {
    static_assert(std::is_class_v<F>,
                  "AddFactor needs a factor: one of factor.h, such as Potts(3), or an object of a "
                  "type of one's own.");
    if constexpr (std::is_class_v<F> && std::derived_from<F, GlobalFactor>) {
      AddFactor(scope, MakeFactor(std::make_shared<F>(factor)), weights);
    } else if constexpr (std::is_class_v<F>) {
      AddFactor(scope, OwnFactor(factor), weights);
    }
  }

  /// No labelling may give the variable one of these states, or the scope joint states for which
  /// `forbidden` is true.
  void Forbid(Variable variable, std::initializer_list<int> states);
  void Forbid(const Scope& scope, const std::function<bool(std::span<const int>)>& forbidden);

  /// The finished graph. The builder can go on after it.
  Graph Build() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace slackline
