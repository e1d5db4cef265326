// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/model_builder.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {

ModelBuilder::ModelBuilder(std::shared_ptr<const WeightLayout> layout)
    : layout_(std::move(layout)) {
  SLACKLINE_CHECK(layout_ != nullptr, "a model needs a weight layout");
}

Index ModelBuilder::AddVariable(Index cardinality) {
  const Index variable = graph_.AddVariable(cardinality);
  cardinality_.push_back(cardinality);
  return variable;
}

void ModelBuilder::AddLinearFeatures(Index variable, Index block, Index input,
                                     std::span<const Index> rows, Index base) {
  AddRows({false, CheckVariable(variable)}, FeatureKind::kLinear, block, input, rows, base);
}

void ModelBuilder::AddPotentials(Index variable, Index block, Index first_potential,
                                 std::span<const Index> rows, Index base) {
  AddRows({false, CheckVariable(variable)}, FeatureKind::kPotential, block, first_potential, rows,
          base);
}

void ModelBuilder::AddVariableFeatures(Index variable, FactorType type, Index block, Index base) {
  CheckScope({&variable, 1}, type);
  AddTypeTerms({false, variable}, type, block, base);
}

Index ModelBuilder::AddFactor(std::span<const Index> scope) {
  const Index factor = graph_.AddFactor(scope);
  Index states = 1;
  for (const Index i : scope) states *= cardinality_[i];
  factor_states_.push_back(states);
  return factor;
}

Index ModelBuilder::AddFactor(std::span<const Index> scope, FactorType type, Index block,
                              Index base) {
  CheckScope(scope, type);
  CheckWeights(type, block, base);
  const Index factor = AddFactor(scope);
  AddTypeTerms({true, factor}, type, block, base);
  return factor;
}

Index ModelBuilder::AddGlobalFactor(std::span<const Index> scope,
                                    std::shared_ptr<const GlobalFactor> factor, Index block,
                                    Index base) {
  // A structure of this factor alone finds every error here that Build would find.
  FactorGraphBuilder graph;
  for (const Index i : scope) {
    graph.AddVariable(cardinality_[CheckVariable(i)]);
  }
  std::vector<Index> all(scope.size());
  std::iota(all.begin(), all.end(), 0);
  graph.AddGlobalFactor(all);
  StructureBuilder(graph.Build(), layout_).SetGlobalFactor(0, factor, block, base);
  const Index number = graph_.AddGlobalFactor(scope);
  globals_.push_back({std::move(factor), block, base});
  return number;
}

void ModelBuilder::AddFactorLinearFeatures(Index factor, Index block, Index input,
                                           std::span<const Index> rows, Index base) {
  AddRows({true, CheckFactorNumber(factor)}, FeatureKind::kLinear, block, input, rows, base);
}

void ModelBuilder::AddFactorPotentials(Index factor, Index block, Index first_potential,
                                       std::span<const Index> rows, Index base) {
  AddRows({true, CheckFactorNumber(factor)}, FeatureKind::kPotential, block, first_potential, rows,
          base);
}

void ModelBuilder::ForbidStates(Index variable, const std::vector<bool>& forbidden) {
  Forbid({false, CheckVariable(variable)}, forbidden);
}

void ModelBuilder::ForbidFactorStates(Index factor, const std::vector<bool>& forbidden) {
  Forbid({true, CheckFactorNumber(factor)}, forbidden);
}

void ModelBuilder::Forbid(PartRef part, const std::vector<bool>& flags) {
  SLACKLINE_CHECK(static_cast<Index>(flags.size()) == NumStates(part),
                  std::to_string(flags.size()) + " flags of forbidden states do not fit " +
                      std::to_string(NumStates(part)) + " states");
  SLACKLINE_CHECK(std::find(flags.begin(), flags.end(), false) != flags.end(),
                  "a variable or factor must keep a state that is not forbidden");
  forbidden_.push_back({part, flags});
}

std::shared_ptr<const Structure> ModelBuilder::Build() const {
  StructureBuilder builder(graph_.Build(), layout_);
  std::vector<Index> map_number;
  map_number.reserve(maps_.size());
  for (const StateMap& map : maps_) map_number.push_back(builder.AddStateMap(map));
  const auto number = [this](PartRef part) {
    return part.number + (part.is_factor ? num_variables() : 0);
  };
  for (const Forbidden& entry : forbidden_) builder.ForbidStates(number(entry.part), entry.flags);
  for (const Term& term : terms_) {
    const Index part = number(term.part);
    const Index map = map_number[term.map];
    switch (term.kind) {
      case FeatureKind::kLinear:
        builder.AddLinear(part, term.block, term.source, map, term.base);
        break;
      case FeatureKind::kPotential:
        builder.AddPotential(part, term.block, term.source, map, term.base);
        break;
      case FeatureKind::kConstant:
        builder.AddConstant(part, term.block, map, term.base);
        break;
    }
  }
  for (std::size_t g = 0; g < globals_.size(); ++g) {
    const Global& global = globals_[g];
    builder.SetGlobalFactor(static_cast<Index>(g), global.factor, global.block, global.base);
  }
  return builder.Build();
}

Index ModelBuilder::CheckVariable(Index variable) const {
  SLACKLINE_CHECK(variable >= 0 && variable < num_variables(),
                  "unknown variable " + std::to_string(variable));
  return variable;
}

Index ModelBuilder::CheckFactorNumber(Index factor) const {
  SLACKLINE_CHECK(factor >= 0 && factor < num_factors(),
                  "unknown factor " + std::to_string(factor));
  return factor;
}

Index ModelBuilder::NumStates(PartRef part) const {
  return (part.is_factor ? factor_states_ : cardinality_)[part.number];
}

void ModelBuilder::AddRows(PartRef part, FeatureKind kind, Index block, Index source,
                           std::span<const Index> rows, Index base) {
  const Index states = NumStates(part);
  SLACKLINE_CHECK(
      rows.empty() || static_cast<Index>(rows.size()) == states,
      std::to_string(rows.size()) + " rows do not fit " + std::to_string(states) + " states");
  SLACKLINE_CHECK(block >= 0 && block < layout_->num_blocks(),
                  "unknown weight block " + std::to_string(block));
  SLACKLINE_CHECK(kind == FeatureKind::kLinear || layout_->block(block).cols == 1,
                  "scalar features need a weight block with one column, not '" +
                      layout_->block(block).name + "'");
  SLACKLINE_CHECK(source >= 0, "the number of an input or potential must not be negative");
  SLACKLINE_CHECK(base >= 0, "the base row must not be negative");
  Index last = rows.empty() ? states - 1 : kAbsent;
  for (const Index row : rows) {
    SLACKLINE_CHECK(row >= kAbsent, "a row must not be negative");
    last = std::max(last, row);
  }
  SLACKLINE_CHECK(
      last == kAbsent || last < layout_->block(block).rows - base,
      "features read past the rows of weight block '" + layout_->block(block).name + "'");
  const Index map = rows.empty() ? IdentityMap(states) : AddMap({{rows.begin(), rows.end()}, {}});
  terms_.push_back({part, kind, block, source, map, base});
}

const ModelBuilder::Type& ModelBuilder::CheckType(FactorType type) const {
  SLACKLINE_CHECK(type.number >= 0 && type.number < static_cast<Index>(types_.size()),
                  "unknown factor type");
  return types_[type.number];
}

void ModelBuilder::CheckScope(std::span<const Index> scope, FactorType type) const {
  const std::vector<Index>& cardinalities = CheckType(type).cardinalities;
  SLACKLINE_CHECK(scope.size() == cardinalities.size(),
                  "a factor over " + std::to_string(cardinalities.size()) +
                      " variables does not fit a scope of " + std::to_string(scope.size()));
  for (std::size_t k = 0; k < scope.size(); ++k) {
    const Index states = cardinality_[CheckVariable(scope[k])];
    SLACKLINE_CHECK(states == cardinalities[k],
                    "a factor with " + std::to_string(cardinalities[k]) + " states on axis " +
                        std::to_string(k) + " does not fit variable " + std::to_string(scope[k]) +
                        " with " + std::to_string(states));
  }
}

void ModelBuilder::CheckWeights(FactorType type, Index block, Index base) const {
  const Index num_weights = CheckType(type).num_weights;
  SLACKLINE_CHECK(block >= 0 && block < layout_->num_blocks(),
                  "unknown weight block " + std::to_string(block));
  const WeightBlock& weights = layout_->block(block);
  SLACKLINE_CHECK(weights.cols == 1,
                  "a factor's weights need a block with one column, not '" + weights.name + "'");
  SLACKLINE_CHECK(base >= 0 && num_weights <= weights.rows - base,
                  "a factor with " + std::to_string(num_weights) +
                      " weights reads past the rows of block '" + weights.name + "'");
}

void ModelBuilder::AddTypeTerms(PartRef part, FactorType type, Index block, Index base) {
  const Type& features = CheckType(type);
  SLACKLINE_CHECK(static_cast<Index>(NumJointStates(features.cardinalities)) == NumStates(part),
                  "the features of a factor do not fit its number of states");
  CheckWeights(type, block, base);
  for (const Index map : features.maps)
    terms_.push_back({part, FeatureKind::kConstant, block, 0, map, base});
}

Index ModelBuilder::AddMap(StateMap map) {
  // The search starts at the newest map, which is the likeliest match.
  for (std::size_t m = maps_.size(); m-- > 0;) {
    if (maps_[m].rows == map.rows && maps_[m].values == map.values) return static_cast<Index>(m);
  }
  maps_.push_back(std::move(map));
  return static_cast<Index>(maps_.size()) - 1;
}

Index ModelBuilder::IdentityMap(Index num_states) {
  const auto [entry, is_new] = identity_map_.try_emplace(num_states, 0);
  if (is_new) entry->second = AddMap(slackline::internal::IdentityMap(num_states));
  return entry->second;
}

FactorType ModelBuilder::RegisterTable(FeatureTable table, std::any factor) {
  CheckFeatureTable(table);
  Type type{std::move(table.cardinalities), table.num_weights, {}, std::move(factor)};
  for (StateMap& map : table.terms) type.maps.push_back(AddMap(std::move(map)));
  if (!type.factor.has_value()) {
    for (std::size_t t = types_.size(); t-- > 0;) {
      const Type& known = types_[t];
      if (known.cardinalities == type.cardinalities && known.num_weights == type.num_weights &&
          known.maps == type.maps) {
        return {static_cast<Index>(t)};
      }
    }
  }
  types_.push_back(std::move(type));
  return {static_cast<Index>(types_.size()) - 1};
}

}  // namespace slackline::internal
