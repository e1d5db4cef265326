// SPDX-License-Identifier: BSD-3-Clause
//
// Builds a Structure from variables, features and factor objects: the graph together with its
// feature maps.
//
//     auto layout = std::make_shared<WeightLayout>();
//     const Index unary = layout->AddBlock("unary", 5, 130);   // 5 labels, 130 input features
//     const Index smooth = layout->AddBlock("smooth", 1);
//     ModelBuilder builder(layout);
//     const Index a = builder.AddVariable(5), b = builder.AddVariable(5);
//     builder.AddLinearFeatures(a, unary, 0);                  // the example's input vector 0
//     builder.AddLinearFeatures(b, unary, 1);
//     builder.AddFactor({a, b}, PottsFactor(5), smooth);
//     std::shared_ptr<const Structure> structure = builder.Build();
//
// All methods throw std::invalid_argument on arguments out of range. Where `rows` is given, state s
// reads row rows[s] + base of the block; kAbsent means none, and equal rows are tied. Where `rows`
// is empty, state s reads row s + base.
#pragma once

#include <any>
#include <concepts>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/structure.h>
#include <slackline/factors/factor_concept.h>

namespace slackline::internal {

/// A factor whose features a ModelBuilder has tabulated. Only valid with that builder.
struct FactorType {
  Index number = -1;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(std::shared_ptr<const WeightLayout> layout);

  /// Adds a variable with `cardinality` ≥ 1 states; returns its number.
  Index AddVariable(Index cardinality);

  /// φ_i(s) += x in the row of state s, where x is input vector number `input` of the example. At
  /// most once per variable or factor.
  void AddLinearFeatures(Index variable, Index block, Index input, std::span<const Index> rows = {},
                         Index base = 0);
  /// φ_i(s) += potentials[first_potential + s] of the example, in the row of state s.
  void AddPotentials(Index variable, Index block, Index first_potential,
                     std::span<const Index> rows = {}, Index base = 0);
  /// φ_i += the features of a factor over one variable. Its weight k is row k + base of the block.
  void AddVariableFeatures(Index variable, FactorType type, Index block, Index base = 0);
  template <Factor F>
  void AddVariableFeatures(Index variable, const F& factor, Index block, Index base = 0) {
    AddVariableFeatures(variable, Register(factor), block, base);
  }

  /// Adds a factor without features and returns its number. `scope` names distinct variables, the
  /// last one fastest.
  Index AddFactor(std::span<const Index> scope);
  Index AddFactor(std::initializer_list<Index> scope) { return AddFactor(Span(scope)); }
  /// Adds a factor with the features of `factor`, whose weight k is row k + base of the block (one
  /// column).
  Index AddFactor(std::span<const Index> scope, FactorType type, Index block, Index base = 0);
  Index AddFactor(std::initializer_list<Index> scope, FactorType type, Index block,
                  Index base = 0) {
    return AddFactor(Span(scope), type, block, base);
  }
  template <Factor F>
  Index AddFactor(std::span<const Index> scope, const F& factor, Index block, Index base = 0) {
    return AddFactor(scope, Register(factor), block, base);
  }
  template <Factor F>
  Index AddFactor(std::initializer_list<Index> scope, const F& factor, Index block,
                  Index base = 0) {
    return AddFactor(Span(scope), Register(factor), block, base);
  }

  /// Adds a global factor (core/global_factor.h) and returns its number; global factors have
  /// numbers of their own. Weight k of the factor is row k + base of the block (one column; ignored
  /// when the factor has no weights). Examples and scopes may share `factor` and weights. Learners
  /// soft and al train it, GlobalDecoder predicts with it.
  Index AddGlobalFactor(std::span<const Index> scope, std::shared_ptr<const GlobalFactor> factor,
                        Index block = -1, Index base = 0);

  /// As for variables; the states are the joint states of factor number `factor`.
  void AddFactorLinearFeatures(Index factor, Index block, Index input,
                               std::span<const Index> rows = {}, Index base = 0);
  void AddFactorPotentials(Index factor, Index block, Index first_potential,
                           std::span<const Index> rows = {}, Index base = 0);

  /// Forbids the states s with forbidden[s] = true of a variable, or the joint states of factor
  /// number `factor`: no labelling may use them (docs/notation.md, section 10). At least one state
  /// must stay allowed.
  void ForbidStates(Index variable, const std::vector<bool>& forbidden);
  void ForbidFactorStates(Index factor, const std::vector<bool>& forbidden);

  /// Tabulates the features of a factor; equal features are stored once. Factors that can be copied
  /// and compared (all of the library's own) are recognized by value, so adding one to 100 000
  /// edges costs one table. Any other factor is tabulated on every call: register it once and pass
  /// the FactorType.
  template <Factor F>
  FactorType Register(const F& factor);

  Index num_variables() const { return graph_.num_variables(); }
  Index num_factors() const { return graph_.num_factors(); }
  Index num_global_factors() const { return graph_.num_global_factors(); }

  /// The finished structure. The builder can be used further.
  std::shared_ptr<const Structure> Build() const;

 private:
  // A variable or factor, named before the total number of variables is known.
  struct PartRef {
    bool is_factor = false;
    Index number = 0;
  };
  struct Term {
    PartRef part;
    FeatureKind kind;
    Index block;
    Index source;  // linear: input; potential: first potential
    Index map;
    Index base;
  };
  struct Forbidden {
    PartRef part;
    std::vector<bool> flags;
  };
  struct Global {
    std::shared_ptr<const GlobalFactor> factor;
    Index block;
    Index base;
  };
  struct Type {
    std::vector<Index> cardinalities;
    Index num_weights;
    std::vector<Index> maps;
    std::any factor;  // a copy of the object, where it can be compared
  };

  static std::span<const Index> Span(std::initializer_list<Index> list) {
    return {list.begin(), list.size()};
  }

  // Polymorphic types are excluded: == of a base class may ignore members of a derived class.
  template <class F>
  static constexpr bool kComparable =
      std::equality_comparable<F>&& std::copy_constructible<F> && !std::is_polymorphic_v<F>;

  Index CheckVariable(Index variable) const;
  Index CheckFactorNumber(Index factor) const;
  void Forbid(PartRef part, const std::vector<bool>& flags);
  void AddRows(PartRef part, FeatureKind kind, Index block, Index source,
               std::span<const Index> rows, Index base);
  void AddTypeTerms(PartRef part, FactorType type, Index block, Index base);
  const Type& CheckType(FactorType type) const;
  void CheckScope(std::span<const Index> scope, FactorType type) const;
  void CheckWeights(FactorType type, Index block, Index base) const;
  Index NumStates(PartRef part) const;
  Index AddMap(StateMap map);
  Index IdentityMap(Index num_states);
  FactorType RegisterTable(FeatureTable table, std::any factor);

  std::shared_ptr<const WeightLayout> layout_;
  FactorGraphBuilder graph_;
  std::vector<Index> cardinality_;
  std::vector<Index> factor_states_;
  std::vector<StateMap> maps_;
  std::map<Index, Index> identity_map_;
  std::vector<Type> types_;
  std::vector<Term> terms_;
  std::vector<Forbidden> forbidden_;
  std::vector<Global> globals_;
};

template <Factor F>
FactorType ModelBuilder::Register(const F& factor) {
  if constexpr (kComparable<F>) {
    for (std::size_t t = types_.size(); t-- > 0;) {
      const F* known = std::any_cast<F>(&types_[t].factor);
      if (known != nullptr && *known == factor) return {static_cast<Index>(t)};
    }
    return RegisterTable(TabulateFeatures(factor), std::any(factor));
  } else {
    return RegisterTable(TabulateFeatures(factor), std::any());
  }
}

}  // namespace slackline::internal
