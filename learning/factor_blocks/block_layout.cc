// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/block_layout.h>

#include <algorithm>
#include <unordered_set>

namespace slackline::internal {
namespace {

Index LinearSlot(const Structure& structure, Index part) {
  for (const FeatureTerm& term : structure.terms(part)) {
    if (term.kind == FeatureKind::kLinear) return term.source;
  }
  return -1;
}

/// The weight coordinate of a factor that pair_kernel.h supports, or −1.
Index PairCoordinate(const Structure& structure, Index c) {
  const FactorGraph& graph = structure.graph();
  const auto scope = graph.scope(c);
  if (scope.size() != 2 || graph.cardinality(scope[0]) != 2 || graph.cardinality(scope[1]) != 2)
    return -1;
  const auto terms = structure.terms(graph.num_variables() + c);
  if (terms.size() != 1 || terms[0].kind != FeatureKind::kConstant) return -1;
  const StateMap& map = structure.map(terms[0].map);
  if (map.rows[0] != kAbsent || map.rows[1] != kAbsent || map.rows[2] != kAbsent ||
      map.rows[3] == kAbsent)
    return -1;
  if (!map.values.empty() && map.values[3] != 1) return -1;
  return terms[0].coordinate + map.rows[3];
}

void LayPairs(const Structure& structure, BlockLayout* layout) {
  const FactorGraph& graph = structure.graph();
  PairGroup& pairs = layout->pairs;
  // Pairs must be independent of each other and of other parts. A pair that shares its weight with
  // another part therefore becomes a table block.
  std::vector<Index> uses(structure.num_coordinates(), 0);
  for (Index a = 0; a < graph.num_parts(); ++a) {
    for (const FeatureTerm& term : structure.terms(a)) {
      if (term.kind == FeatureKind::kLinear) continue;
      std::unordered_set<Index> rows;
      for (const Index row : structure.map(term.map).rows) {
        if (row != kAbsent && rows.insert(row).second) ++uses[term.coordinate + row];
      }
    }
  }
  for (const GlobalBlock& global : layout->globals) {
    for (Index k = 0; k < global.num_weights; ++k) ++uses[global.coordinate + k];
  }
  pairs.degree.assign(graph.num_variables(), 0.0);
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const Index coordinate = PairCoordinate(structure, c);
    if (coordinate < 0 || uses[coordinate] != 1) continue;
    layout->places[c] = {true, pairs.count++};
    pairs.factor.push_back(c);
    pairs.first_state.push_back(static_cast<Index>(graph.state_offset(graph.scope(c)[0])) + 1);
    pairs.second_state.push_back(static_cast<Index>(graph.state_offset(graph.scope(c)[1])) + 1);
    for (const Index i : graph.scope(c)) pairs.degree[i] += 1;
    pairs.coordinate.push_back(coordinate);
    pairs.weight.push_back(layout->weight_of_coordinate[coordinate]);
  }
  pairs.contiguous = true;
  for (Index k = 1; k < pairs.count; ++k) {
    const std::size_t i = k;
    pairs.contiguous = pairs.contiguous && pairs.weight[i] == pairs.weight[i - 1] + 1;
  }
}

void LayTable(const Structure& structure, Index c, bool multipliers, BlockLayout* layout) {
  const FactorGraph& graph = structure.graph();
  TableBlock table;
  table.factor = c;
  table.states = graph.factor_states(c);
  table.slot = LinearSlot(structure, graph.num_variables() + c);
  table.mu = layout->size;
  layout->size += table.states;
  Index stride = table.states;
  for (const Index i : graph.scope(c)) {
    TableAxis axis;
    axis.variable = i;
    axis.cardinality = graph.cardinality(i);
    stride /= axis.cardinality;
    axis.stride = stride;
    axis.state = graph.state_offset(i);
    axis.marginal = layout->size;
    layout->size += axis.cardinality;
    if (multipliers) {
      axis.eta = layout->size;
      layout->size += axis.cardinality;
    }
    table.axes.push_back(axis);
  }
  layout->places[c] = {false, static_cast<Index>(layout->tables.size())};
  layout->tables.push_back(std::move(table));
}

/// Fills in everything about global blocks except their positions in memory (PlaceGlobals).
void DescribeGlobals(const Structure& structure, BlockLayout* layout) {
  const FactorGraph& graph = structure.graph();
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    const GlobalPart& part = structure.globals()[g];
    GlobalBlock global;
    global.factor = part.factor.get();
    global.num_weights = global.factor->num_weights();
    if (global.num_weights > 0) {
      global.weight = structure.layout().block(part.block).at(part.base, 0);
      global.coordinate = part.coordinate;
    }
    for (const Index i : graph.global_scope(g)) {
      TableAxis axis;
      axis.variable = i;
      axis.cardinality = graph.cardinality(i);
      axis.state = graph.state_offset(i);
      global.num_states += axis.cardinality;
      global.axes.push_back(axis);
      layout->degree[i] += 1;
    }
    layout->largest_global =
        std::max({layout->largest_global, global.num_states, global.num_weights});
    layout->globals.push_back(std::move(global));
  }
}

void PlaceGlobals(bool multipliers, BlockLayout* layout) {
  for (GlobalBlock& global : layout->globals) {
    global.marginals = layout->size;
    layout->size += global.num_states;
    if (multipliers) {
      global.eta = layout->size;
      layout->size += global.num_states;
    }
    global.features = layout->size;
    layout->size += global.num_weights;
    Offset before = 0;
    for (TableAxis& axis : global.axes) {
      axis.marginal = global.marginals + before;
      if (multipliers) axis.eta = global.eta + before;
      before += axis.cardinality;
    }
  }
}

void GroupVariables(const Structure& structure, BlockLayout* layout) {
  const FactorGraph& graph = structure.graph();
  const auto num_slots = static_cast<Index>(structure.slots().size());
  std::vector<VariableGroup> groups(structure.slots().size() + 1);
  for (Index s = 0; s < num_slots; ++s) groups[s].slot = s;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const Index slot = LinearSlot(structure, i);
    groups[slot < 0 ? num_slots : slot].variables.push_back(i);
    const auto terms = structure.terms(i);
    Index row = kAbsent;
    if (graph.cardinality(i) == 2 && terms.size() == 1 && slot >= 0) {
      const StateMap& map = structure.map(terms[0].map);
      if (map.rows[0] == kAbsent && map.rows[1] != kAbsent) row = map.rows[1] + terms[0].base;
    }
    layout->single_row.push_back(row);
    layout->degree.push_back(static_cast<double>(graph.factors_of(i).size()));
  }
  std::erase_if(groups, [](const VariableGroup& group) { return group.variables.empty(); });
  layout->variable_groups = std::move(groups);
}

}  // namespace

BlockLayout::BlockLayout(const Structure& the_structure, bool multipliers)
    : structure(&the_structure) {
  const FactorGraph& graph = structure->graph();
  weight_of_coordinate.assign(structure->num_coordinates(), -1);
  for (const ScalarBlock& scalar : structure->scalar_blocks()) {
    for (Index r = 0; r < scalar.rows; ++r) {
      weight_of_coordinate[scalar.coordinate + r] =
          structure->layout().block(scalar.block).offset + r;
    }
  }
  places.resize(graph.num_factors(), FactorPlace{false, -1});
  GroupVariables(*structure, this);
  DescribeGlobals(*structure, this);
  size = graph.variable_states();
  LayPairs(*structure, this);
  pairs.mu = size;
  size += 4 * static_cast<Offset>(pairs.count);
  if (multipliers) {
    pairs.eta = size;
    size += 2 * static_cast<Offset>(pairs.count);
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    if (!places[c].pair) LayTable(*structure, c, multipliers, this);
  }
  PlaceGlobals(multipliers, this);
}

}  // namespace slackline::internal
