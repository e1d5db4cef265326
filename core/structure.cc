// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/structure.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// Records that a block is used with linear ('l') or with scalar features ('s'); throws
/// std::invalid_argument when it is used with both.
void UseBlock(const WeightLayout& layout, Index block, char kind, std::vector<char>* use) {
  char& known = (*use)[block];
  SLACKLINE_CHECK(known == 0 || known == kind,
                  "weight block '" + layout.block(block).name +
                      "' is used with linear and with scalar features");
  known = kind;
}

}  // namespace

StructureBuilder::StructureBuilder(std::shared_ptr<const FactorGraph> graph,
                                   std::shared_ptr<const WeightLayout> layout)
    : graph_(std::move(graph)), layout_(std::move(layout)) {
  SLACKLINE_CHECK(graph_ != nullptr && layout_ != nullptr,
                  "a structure needs a graph and a weight layout");
  globals_.resize(graph_->num_global_factors());
}

void StructureBuilder::SetGlobalFactor(Index g, std::shared_ptr<const GlobalFactor> factor,
                                       Index block, Index base) {
  SLACKLINE_CHECK(g >= 0 && g < graph_->num_global_factors(),
                  "unknown global factor " + std::to_string(g));
  SLACKLINE_CHECK(factor != nullptr, "a global factor needs an object that describes it");
  const std::string name(factor->name());
  const std::span<const Index> scope = graph_->global_scope(g);
  const std::span<const Index> cardinalities = factor->cardinalities();
  SLACKLINE_CHECK(cardinalities.size() == scope.size(),
                  "global factor '" + name + "' over " + std::to_string(cardinalities.size()) +
                      " variables does not fit a scope of " + std::to_string(scope.size()));
  for (std::size_t k = 0; k < scope.size(); ++k) {
    SLACKLINE_CHECK(cardinalities[k] == graph_->cardinality(scope[k]),
                    "global factor '" + name + "' with " + std::to_string(cardinalities[k]) +
                        " states on axis " + std::to_string(k) + " does not fit variable " +
                        std::to_string(scope[k]) + " with " +
                        std::to_string(graph_->cardinality(scope[k])));
  }
  const Index num_weights = factor->num_weights();
  SLACKLINE_CHECK(num_weights >= 0,
                  "global factor '" + name + "' has a negative number of weights");
  GlobalPart part{std::move(factor), -1, 0, 0};
  if (num_weights > 0) {
    SLACKLINE_CHECK(block >= 0 && block < layout_->num_blocks(),
                    "unknown weight block " + std::to_string(block));
    const WeightBlock& weights = layout_->block(block);
    SLACKLINE_CHECK(
        weights.cols == 1,
        "a global factor's weights need a block with one column, not '" + weights.name + "'");
    SLACKLINE_CHECK(base >= 0 && num_weights <= weights.rows - base,
                    "global factor '" + name + "' with " + std::to_string(num_weights) +
                        " weights reads past the rows of block '" + weights.name + "'");
    part.block = block;
    part.base = base;
  }
  globals_[g] = std::move(part);
}

StateMap IdentityMap(Index states) {
  StateMap map{std::vector<Index>(states), {}};
  std::iota(map.rows.begin(), map.rows.end(), 0);
  return map;
}

Index StructureBuilder::AddStateMap(StateMap map) {
  SLACKLINE_CHECK(map.values.empty() || map.values.size() == map.rows.size(),
                  "a state map needs as many values as rows, or none");
  for (const Index row : map.rows)
    SLACKLINE_CHECK(row >= kAbsent, "a state map has a negative row");
  SLACKLINE_CHECK(AllFinite(map.values), "a state map has a value that is not finite");
  const auto [known, added] = map_number_.try_emplace(std::make_pair(map.rows, map.values),
                                                      static_cast<Index>(maps_.size()));
  if (added) maps_.push_back(std::move(map));
  return known->second;
}

void StructureBuilder::Add(Index part, Index input, FeatureTerm term) {
  SLACKLINE_CHECK(part >= 0 && part < graph_->num_parts(), "unknown part " + std::to_string(part));
  SLACKLINE_CHECK(term.block >= 0 && term.block < layout_->num_blocks(), "unknown weight block");
  SLACKLINE_CHECK(term.map >= 0 && term.map < static_cast<Index>(maps_.size()),
                  "unknown state map");
  const StateMap& map = maps_[term.map];
  const WeightBlock& block = layout_->block(term.block);
  SLACKLINE_CHECK(static_cast<Index>(map.rows.size()) == graph_->num_states(part),
                  "a state map of " + std::to_string(map.rows.size()) +
                      " states does not fit part " + std::to_string(part) + " with " +
                      std::to_string(graph_->num_states(part)));
  SLACKLINE_CHECK(term.kind == FeatureKind::kConstant || map.values.empty(),
                  "only constant features have values in their state map");
  SLACKLINE_CHECK(term.kind == FeatureKind::kLinear || block.cols == 1,
                  "scalar features need a weight block with one column, not '" + block.name + "'");
  SLACKLINE_CHECK(term.base >= 0, "the base row must not be negative");
  for (const Index row : map.rows) {
    SLACKLINE_CHECK(row == kAbsent || row < block.rows - term.base,
                    "a state map reads past the rows of weight block '" + block.name + "'");
  }
  terms_.push_back({part, input, term});
}

void StructureBuilder::AddLinear(Index part, Index block, Index input, Index map, Index base) {
  SLACKLINE_CHECK(input >= 0 && input < std::numeric_limits<Index>::max(),
                  "the number of an input must not be negative or too large");
  Add(part, input, {FeatureKind::kLinear, block, 0, map, base, 0});
}

void StructureBuilder::AddPotential(Index part, Index block, Index first_potential, Index map,
                                    Index base) {
  SLACKLINE_CHECK(part >= 0 && part < graph_->num_parts(), "unknown part " + std::to_string(part));
  SLACKLINE_CHECK(first_potential >= 0 && first_potential <= std::numeric_limits<Index>::max() -
                                                                 graph_->num_states(part),
                  "the position of a potential must not be negative or too large");
  Add(part, -1, {FeatureKind::kPotential, block, first_potential, map, base, 0});
}

void StructureBuilder::AddConstant(Index part, Index block, Index map, Index base) {
  Add(part, -1, {FeatureKind::kConstant, block, 0, map, base, 0});
}

void StructureBuilder::ForbidStates(Index part, const std::vector<bool>& forbidden) {
  SLACKLINE_CHECK(part >= 0 && part < graph_->num_parts(), "unknown part " + std::to_string(part));
  SLACKLINE_CHECK(std::ssize(forbidden) == graph_->num_states(part),
                  std::to_string(forbidden.size()) + " flags of forbidden states do not fit part " +
                      std::to_string(part) + " with " + std::to_string(graph_->num_states(part)));
  std::vector<bool> all = forbidden;
  if (forbidden_of_.empty()) forbidden_of_.assign(graph_->num_parts(), -1);
  Index& own = forbidden_of_[part];
  if (own >= 0) {
    for (const Index s : forbidden_lists_[own]) all[s] = true;
  }
  std::vector<Index> states;
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (all[s]) states.push_back(static_cast<Index>(s));
  }
  SLACKLINE_CHECK(states.size() < all.size(),
                  "all states of part " + std::to_string(part) + " are forbidden");
  if (states.empty()) return;
  const auto [known, added] =
      forbidden_number_.try_emplace(states, static_cast<Index>(forbidden_lists_.size()));
  if (added) forbidden_lists_.push_back(std::move(states));
  own = known->second;
}

std::shared_ptr<const Structure> StructureBuilder::Build() const {
  std::shared_ptr<Structure> structure(new Structure());
  structure->graph_ = graph_;
  structure->layout_ = layout_;
  structure->maps_ = maps_;
  if (!forbidden_lists_.empty()) {
    structure->forbidden_lists_ = forbidden_lists_;
    structure->forbidden_of_ = forbidden_of_;
  }
  structure->globals_ = globals_;

  std::vector<PartTerm> terms = terms_;
  std::stable_sort(terms.begin(), terms.end(), [](const PartTerm& a, const PartTerm& b) {
    return a.part != b.part ? a.part < b.part
                            : a.term.kind < b.term.kind;  // a linear term comes first
  });

  // Coordinates: slots in the order of (block, input), then scalar blocks.
  std::vector<std::pair<Index, Index>> slot_keys;
  std::vector<char> use(layout_->num_blocks(), 0);
  for (const PartTerm& t : terms) {
    const bool linear = t.term.kind == FeatureKind::kLinear;
    UseBlock(*layout_, t.term.block, linear ? 'l' : 's', &use);
    if (linear) slot_keys.emplace_back(t.term.block, t.input);
  }
  for (const GlobalPart& part : globals_) {
    SLACKLINE_CHECK(part.factor != nullptr, "a global factor of the graph was not set");
    if (part.block >= 0) UseBlock(*layout_, part.block, 's', &use);
  }
  std::sort(slot_keys.begin(), slot_keys.end());
  slot_keys.erase(std::unique(slot_keys.begin(), slot_keys.end()), slot_keys.end());
  Index coordinate = 0;
  for (const auto& [block, input] : slot_keys) {
    if (!structure->slots_.empty() && structure->slots_.back().block == block)
      structure->slots_are_orthogonal_ = false;
    structure->slots_.push_back({block, input, coordinate, layout_->block(block).rows});
    coordinate += layout_->block(block).rows;
    structure->num_inputs_ = std::max(structure->num_inputs_, input + 1);
  }
  std::vector<Index> scalar_coordinate(use.size(), 0);
  for (Index b = 0; b < layout_->num_blocks(); ++b) {
    if (use[b] != 's') continue;
    scalar_coordinate[b] = coordinate;
    structure->scalar_blocks_.push_back({b, coordinate, layout_->block(b).rows});
    coordinate += layout_->block(b).rows;
  }
  structure->num_coordinates_ = coordinate;
  for (GlobalPart& part : structure->globals_) {
    if (part.block >= 0) part.coordinate = scalar_coordinate[part.block] + part.base;
  }

  structure->term_begin_.assign(Offset{graph_->num_parts()} + 1, 0);
  structure->terms_.reserve(terms.size());
  for (const PartTerm& t : terms) {
    FeatureTerm term = t.term;
    if (term.kind == FeatureKind::kLinear) {
      const auto slot =
          std::lower_bound(slot_keys.begin(), slot_keys.end(), std::make_pair(term.block, t.input));
      term.source = static_cast<Index>(slot - slot_keys.begin());
      term.coordinate = structure->slots_[term.source].coordinate + term.base;
      SLACKLINE_CHECK(structure->terms_.empty() || structure->term_begin_[t.part + 1] == 0 ||
                          structure->terms_.back().kind != FeatureKind::kLinear,
                      "part " + std::to_string(t.part) + " has two linear terms");
    } else {
      term.coordinate = scalar_coordinate[term.block] + term.base;
      if (term.kind == FeatureKind::kPotential) {
        structure->num_potentials_ =
            std::max(structure->num_potentials_, term.source + graph_->num_states(t.part));
      }
    }
    ++structure->term_begin_[t.part + 1];
    structure->terms_.push_back(term);
  }
  for (std::size_t p = 1; p < structure->term_begin_.size(); ++p) {
    structure->term_begin_[p] += structure->term_begin_[p - 1];
  }
  return structure;
}

Index FirstForbiddenPart(const Structure& structure, std::span<const Index> labels) {
  const FactorGraph& graph = structure.graph();
  SLACKLINE_CHECK(static_cast<Index>(labels.size()) == graph.num_variables(),
                  "one label per variable is needed");
  if (!structure.has_forbidden_states()) return -1;
  const auto forbids = [&](Index part, Index state) {
    const std::span<const Index> states = structure.forbidden_states(part);
    return std::binary_search(states.begin(), states.end(), state);
  };
  for (Index i = 0; i < graph.num_variables(); ++i) {
    if (forbids(i, labels[i])) return i;
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> scope = graph.scope(c);
    const bool labelled =
        std::none_of(scope.begin(), scope.end(), [&](Index i) { return labels[i] == kUnlabelled; });
    if (labelled && forbids(graph.num_variables() + c, JointState(graph, c, labels)))
      return graph.num_variables() + c;
  }
  return -1;
}

std::shared_ptr<const Structure> WithLayout(const Structure& structure,
                                            std::shared_ptr<const WeightLayout> layout) {
  const WeightLayout& old = structure.layout();
  SLACKLINE_CHECK(layout != nullptr && layout->num_blocks() == old.num_blocks(),
                  "the layout has other blocks than the structure");
  for (Index b = 0; b < old.num_blocks(); ++b) {
    SLACKLINE_CHECK(layout->block(b).rows == old.block(b).rows,
                    "weight block '" + old.block(b).name + "' has other rows in the layout");
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    SLACKLINE_CHECK(
        layout->block(scalar.block).cols == 1,
        "scalar features need a block with one column, not '" + old.block(scalar.block).name + "'");
  }
  const std::shared_ptr<Structure> copy(new Structure(structure));
  copy->layout_ = std::move(layout);
  return copy;
}

}  // namespace slackline::internal
