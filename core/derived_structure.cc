// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/derived_structure.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>

namespace slackline::internal {
namespace {

/// For each state of a part the state of another part, which has the same variables or fewer; empty
/// where both have the same variables in the same order.
using StateOrder = std::vector<Index>;

template <class T>
std::vector<T> Ordered(const std::vector<T>& numbers, const StateOrder& order) {
  if (order.empty() || numbers.empty()) return numbers;
  std::vector<T> ordered;
  for (const Index s : order) ordered.push_back(numbers[s]);
  return ordered;
}

void AddTerm(const Structure& structure, const FeatureTerm& term, const StateOrder& order, Index to,
             StructureBuilder* builder) {
  const StateMap& given = structure.map(term.map);
  const Index map =
      builder->AddStateMap({Ordered(given.rows, order), Ordered(given.values, order)});
  switch (term.kind) {
    case FeatureKind::kLinear:
      builder->AddLinear(to, term.block, structure.slots()[term.source].input, map, term.base);
      break;
    case FeatureKind::kPotential:
      builder->AddPotential(to, term.block, term.source, map, term.base);
      break;
    case FeatureKind::kConstant:
      builder->AddConstant(to, term.block, map, term.base);
      break;
  }
}

void CopyForbidden(const Structure& structure, Index from, const StateOrder& order, Index to,
                   StructureBuilder* builder) {
  const std::span<const Index> forbidden = structure.forbidden_states(from);
  if (forbidden.empty()) return;
  std::vector<bool> flags(structure.graph().num_states(from), false);
  for (const Index s : forbidden) flags[s] = true;
  builder->ForbidStates(to, Ordered(flags, order));
}

/// Adds the features and forbidden states of part `from` to part `to` of the builder. Requires that
/// a part with potentials keeps its order.
void CopyPart(const Structure& structure, Index from, const StateOrder& order, Index to,
              StructureBuilder* builder) {
  for (const FeatureTerm& term : structure.terms(from))
    AddTerm(structure, term, order, to, builder);
  CopyForbidden(structure, from, order, to, builder);
}

bool HasTerm(const Structure& structure, Index part, FeatureKind kind) {
  const auto terms = structure.terms(part);
  return std::any_of(terms.begin(), terms.end(),
                     [kind](const FeatureTerm& term) { return term.kind == kind; });
}

std::vector<Index> SortedScope(const FactorGraph& graph, Index c) {
  std::vector<Index> scope(graph.scope(c).begin(), graph.scope(c).end());
  std::sort(scope.begin(), scope.end());
  return scope;
}

/// Whether two factors may have the same variables: true where hashes of two scopes are equal.
bool MayRepeatScopes(const FactorGraph& graph) {
  std::vector<std::uint64_t> hashes;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    std::uint64_t sum = 0;
    for (const Index i : graph.scope(c)) {
      // Does not depend on the order of the variables (mixing of splitmix64).
      std::uint64_t mixed = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15U;
      mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
      mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
      sum += mixed ^ (mixed >> 31U);
    }
    hashes.push_back(sum);
  }
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) != hashes.end();
}

/// Which states of the variables remain, see LeaveOutForbidden.
class AllowedStates {
 public:
  explicit AllowedStates(const Structure& structure) : structure_(structure) {
    const FactorGraph& graph = structure.graph();
    for (Index i = 0; i < graph.num_variables(); ++i) {
      allowed_.emplace_back(graph.cardinality(i), true);
      for (const Index s : structure.forbidden_states(i)) allowed_[i][s] = false;
    }
    while (Shrink()) {
    }
  }

  /// Whether all variables of the factor have states that remain.
  bool Joint(Index c, Index joint) {
    const std::span<const Index> scope = structure_.graph().scope(c);
    states_.resize(scope.size());
    JointToStates(structure_.graph(), c, joint, states_);
    for (std::size_t k = 0; k < scope.size(); ++k) {
      if (!allowed_[scope[k]][states_[k]]) return false;
    }
    return true;
  }
  std::vector<std::vector<Index>> Lists() const {
    std::vector<std::vector<Index>> lists;
    for (const std::vector<bool>& of_variable : allowed_) {
      lists.emplace_back();
      for (std::size_t s = 0; s < of_variable.size(); ++s) {
        if (of_variable[s]) lists.back().push_back(static_cast<Index>(s));
      }
    }
    return lists;
  }

 private:
  /// Leaves out states without an allowed joint state in some factor; false where there are none.
  bool Shrink() {
    const FactorGraph& graph = structure_.graph();
    bool shrinks = false;
    for (Index c = 0; c < graph.num_factors(); ++c) {
      const std::span<const Index> forbidden =
          structure_.forbidden_states(graph.num_variables() + c);
      if (forbidden.empty()) continue;
      const std::span<const Index> scope = graph.scope(c);
      std::vector<std::vector<bool>> used;
      for (const Index i : scope) used.emplace_back(graph.cardinality(i), false);
      for (Index joint = 0; joint < graph.factor_states(c); ++joint) {
        if (std::binary_search(forbidden.begin(), forbidden.end(), joint) || !Joint(c, joint))
          continue;
        for (std::size_t k = 0; k < scope.size(); ++k) used[k][states_[k]] = true;
      }
      for (std::size_t k = 0; k < scope.size(); ++k) {
        for (std::size_t s = 0; s < used[k].size(); ++s) {
          if (used[k][s] || !allowed_[scope[k]][s]) continue;
          allowed_[scope[k]][s] = false;
          shrinks = true;
        }
      }
    }
    return shrinks;
  }

  const Structure& structure_;
  std::vector<std::vector<bool>> allowed_;  // per variable and state
  std::vector<Index> states_;
};

/// Factors that become one.
struct Group {
  std::vector<Index> scope;
  std::vector<Index> factors;
};

/// For each state of factor `to` of `joined` the state of factor `from` of `graph`. The scope of
/// `to` contains that of `from`.
StateOrder OrderOf(const FactorGraph& graph, Index from, const FactorGraph& joined, Index to) {
  if (std::ranges::equal(graph.scope(from), joined.scope(to))) return {};
  StateOrder order;
  std::vector<Index> labels(graph.num_variables());
  std::vector<Index> states(joined.scope(to).size());
  for (Index s = 0; s < joined.factor_states(to); ++s) {
    JointToStates(joined, to, s, states);
    for (std::size_t k = 0; k < states.size(); ++k) labels[joined.scope(to)[k]] = states[k];
    order.push_back(JointState(graph, from, labels));
  }
  return order;
}

/// Whether the factors of a group together forbid all states of factor `to` of `joined`.
bool ForbidAll(const Structure& structure, const Group& group, const FactorGraph& joined,
               Index to) {
  const FactorGraph& graph = structure.graph();
  std::vector<bool> forbidden(joined.factor_states(to), false);
  for (const Index c : group.factors) {
    std::vector<bool> own(graph.factor_states(c), false);
    for (const Index s : structure.forbidden_states(graph.num_variables() + c)) own[s] = true;
    own = Ordered(own, OrderOf(graph, c, joined, to));
    for (std::size_t s = 0; s < own.size(); ++s) forbidden[s] = forbidden[s] || own[s];
  }
  return std::find(forbidden.begin(), forbidden.end(), false) == forbidden.end();
}

/// The structure with one factor for each group; the object itself where no group has several
/// factors, or where the factors of a group together forbid all its states.
std::shared_ptr<const Structure> Joined(std::shared_ptr<const Structure> given,
                                        const std::vector<Group>& groups) {
  const Structure& structure = *given;
  const FactorGraph& graph = structure.graph();
  if (std::ssize(groups) == graph.num_factors()) return given;
  const Index variables = graph.num_variables();
  FactorGraphBuilder graph_builder;
  for (Index i = 0; i < variables; ++i) graph_builder.AddVariable(graph.cardinality(i));
  for (const Group& group : groups) graph_builder.AddFactor(group.scope);
  for (Index g = 0; g < graph.num_global_factors(); ++g)
    graph_builder.AddGlobalFactor(graph.global_scope(g));
  const std::shared_ptr<const FactorGraph> joined = graph_builder.Build();

  StructureBuilder builder(joined, structure.shared_layout());
  for (Index i = 0; i < variables; ++i) CopyPart(structure, i, {}, i, &builder);
  for (Index to = 0; to < joined->num_factors(); ++to) {
    const Group& group = groups[to];
    if (group.factors.size() > 1 && structure.has_forbidden_states() &&
        ForbidAll(structure, group, *joined, to))
      return given;
    for (const Index c : group.factors)
      CopyPart(structure, variables + c, OrderOf(graph, c, *joined, to), variables + to, &builder);
  }
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    const GlobalPart& part = structure.globals()[g];
    builder.SetGlobalFactor(g, part.factor, part.block, part.base);
  }
  return builder.Build();
}

/// Finds the groups of JoinShortCycles.
class CycleSearch {
 public:
  CycleSearch(const Structure& structure, Index max_states)
      : graph_(structure.graph()), max_states_(max_states), neighbours_(graph_.num_variables()) {
    for (Index c = 0; c < graph_.num_factors(); ++c) {
      const std::span<const Index> scope = graph_.scope(c);
      const Index part = graph_.num_variables() + c;
      if (scope.size() != 2 || HasTerm(structure, part, FeatureKind::kPotential) ||
          HasTerm(structure, part, FeatureKind::kLinear))
        continue;
      neighbours_[scope[0]].push_back(scope[1]);
      neighbours_[scope[1]].push_back(scope[0]);
      pair_.emplace(std::minmax(scope[0], scope[1]), c);
    }
  }

  std::vector<Group> Groups() {
    std::vector<Group> groups;
    std::vector<bool> joined(graph_.num_factors(), false);
    for (Index c = 0; c < graph_.num_factors(); ++c) {
      if (joined[c]) continue;
      const std::span<const Index> scope = graph_.scope(c);
      Group group{{scope.begin(), scope.end()}, {c}};
      if (scope.size() == 2 && pair_.contains(std::minmax(scope[0], scope[1])))
        group = BestCycle(scope[0], scope[1], std::move(group));
      for (const Index other : group.factors) {
        joined[other] = true;
        const std::span<const Index> taken = graph_.scope(other);
        if (taken.size() == 2) pair_.erase(std::minmax(taken[0], taken[1]));
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  /// Neighbours of a variable that are tried; graphs with more pairs have short cycles everywhere.
  static constexpr std::size_t kMostNeighbours = 16;

  std::optional<Index> Pair(Index a, Index b) const {
    const auto found = pair_.find(std::minmax(a, b));
    return found == pair_.end() ? std::nullopt : std::optional(found->second);
  }
  /// The cycle through i and j with the most pairs, or `best`.
  Group BestCycle(Index i, Index j, Group best) const {
    ForEachNeighbour(i, [&](Index k) {
      if (k == j) return;
      if (Pair(j, k)) Try({i, j, k}, &best);
      ForEachNeighbour(j, [&](Index l) {
        if (l != i && l != k && Pair(k, l)) Try({i, j, k, l}, &best);
      });
    });
    return best;
  }
  template <class Visit>
  void ForEachNeighbour(Index i, const Visit& visit) const {
    std::size_t visited = 0;
    for (const Index neighbour : neighbours_[i]) {
      if (!Pair(i, neighbour)) continue;
      if (++visited > kMostNeighbours) return;
      visit(neighbour);
    }
  }
  void Try(std::vector<Index> scope, Group* best) const {
    Offset states = 1;
    for (const Index i : scope) states *= graph_.cardinality(i);
    if (states > max_states_) return;
    Group group{std::move(scope), {}};
    for (std::size_t a = 0; a < group.scope.size(); ++a) {
      for (std::size_t b = a + 1; b < group.scope.size(); ++b) {
        if (const std::optional<Index> c = Pair(group.scope[a], group.scope[b]))
          group.factors.push_back(*c);
      }
    }
    if (group.factors.size() > best->factors.size()) *best = std::move(group);
  }

  const FactorGraph& graph_;
  Index max_states_;
  std::vector<std::vector<Index>> neighbours_;     // per variable
  std::map<std::pair<Index, Index>, Index> pair_;  // the factors that are left
};

}  // namespace

RestrictedStructure Restrict(const Structure& structure, const std::vector<bool>& keep) {
  const FactorGraph& graph = structure.graph();
  SLACKLINE_CHECK(static_cast<Index>(keep.size()) == graph.num_variables(),
                  "one flag per variable is needed");
  RestrictedStructure result;
  std::vector<Index> renumbered(keep.size(), -1);
  FactorGraphBuilder graph_builder;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    if (!keep[i]) continue;
    renumbered[i] = graph_builder.AddVariable(graph.cardinality(i));
    result.variables.push_back(i);
  }
  std::vector<Index> scope;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    scope.clear();
    for (const Index i : graph.scope(c)) scope.push_back(renumbered[i]);
    if (std::find(scope.begin(), scope.end(), -1) != scope.end()) continue;
    graph_builder.AddFactor(scope);
    result.factors.push_back(c);
  }
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    scope.clear();
    for (const Index i : graph.global_scope(g)) scope.push_back(renumbered[i]);
    if (std::find(scope.begin(), scope.end(), -1) != scope.end()) continue;
    graph_builder.AddGlobalFactor(scope);
    result.globals.push_back(g);
  }

  StructureBuilder builder(graph_builder.Build(), structure.shared_layout());
  const Index n = static_cast<Index>(result.variables.size());
  for (Index i = 0; i < n; ++i) CopyPart(structure, result.variables[i], {}, i, &builder);
  for (std::size_t c = 0; c < result.factors.size(); ++c) {
    CopyPart(structure, graph.num_variables() + result.factors[c], {}, n + static_cast<Index>(c),
             &builder);
  }
  for (std::size_t g = 0; g < result.globals.size(); ++g) {
    const GlobalPart& part = structure.globals()[result.globals[g]];
    builder.SetGlobalFactor(static_cast<Index>(g), part.factor, part.block, part.base);
  }
  result.structure = builder.Build();
  return result;
}

ReducedStructure LeaveOutForbidden(const std::shared_ptr<const Structure>& given) {
  const Structure& structure = *given;
  const FactorGraph& graph = structure.graph();
  AllowedStates allowed(structure);
  ReducedStructure result;
  result.states = allowed.Lists();
  if (!structure.has_forbidden_states()) {
    result.structure = given;
    result.potentials = IdentityMap(structure.num_potentials()).rows;
    return result;
  }
  SLACKLINE_CHECK(graph.num_global_factors() == 0, "global factors have states of their own");
  FactorGraphBuilder graph_builder;
  for (const std::vector<Index>& states : result.states)
    graph_builder.AddVariable(static_cast<Index>(states.size()));
  for (Index c = 0; c < graph.num_factors(); ++c) graph_builder.AddFactor(graph.scope(c));
  StructureBuilder builder(graph_builder.Build(), structure.shared_layout());
  StateOrder kept;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    if (a < graph.num_variables()) {
      kept = result.states[a];
    } else {
      kept.clear();
      for (Index joint = 0; joint < graph.num_states(a); ++joint) {
        if (allowed.Joint(a - graph.num_variables(), joint)) kept.push_back(joint);
      }
    }
    for (const FeatureTerm& term : structure.terms(a)) {
      if (term.kind != FeatureKind::kPotential) {
        AddTerm(structure, term, kept, a, &builder);
        continue;
      }
      const auto first = static_cast<Index>(result.potentials.size());
      for (const Index s : kept) result.potentials.push_back(term.source + s);
      const Index map = builder.AddStateMap({Ordered(structure.map(term.map).rows, kept), {}});
      builder.AddPotential(a, term.block, first, map, term.base);
    }
    CopyForbidden(structure, a, kept, a, &builder);
  }
  result.structure = builder.Build();
  return result;
}

bool ForbidsJointStates(const Structure& structure) {
  if (!structure.has_forbidden_states()) return false;
  const FactorGraph& graph = structure.graph();
  AllowedStates allowed(structure);
  for (Index c = 0; c < graph.num_factors(); ++c) {
    for (const Index joint : structure.forbidden_states(graph.num_variables() + c)) {
      if (allowed.Joint(c, joint)) return true;
    }
  }
  return false;
}

bool ForbidsJointStates(const Dataset& data) {
  const auto& structures = data.structures();
  return std::any_of(structures.begin(), structures.end(),
                     [](const auto& structure) { return ForbidsJointStates(*structure); });
}

std::shared_ptr<const Structure> JoinFactors(std::shared_ptr<const Structure> structure) {
  const FactorGraph& graph = structure->graph();
  if (!MayRepeatScopes(graph)) return structure;
  std::vector<Group> groups;
  std::map<std::vector<Index>, std::size_t> group_of;
  std::vector<bool> has_input;  // per group: a part has one input
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> scope = graph.scope(c);
    const auto [found, added] = group_of.try_emplace(SortedScope(graph, c), groups.size());
    const bool input = HasTerm(*structure, graph.num_variables() + c, FeatureKind::kLinear);
    const bool fits = !added && !(input && has_input[found->second]) &&
                      (!HasTerm(*structure, graph.num_variables() + c, FeatureKind::kPotential) ||
                       std::ranges::equal(groups[found->second].scope, scope));
    if (fits) {
      groups[found->second].factors.push_back(c);
      has_input[found->second] = has_input[found->second] || input;
    } else {
      groups.push_back({{scope.begin(), scope.end()}, {c}});
      has_input.push_back(input);
    }
  }
  return Joined(std::move(structure), groups);
}

std::shared_ptr<const Structure> JoinShortCycles(std::shared_ptr<const Structure> structure,
                                                 Index max_states) {
  const std::vector<Group> groups = CycleSearch(*structure, max_states).Groups();
  return Joined(std::move(structure), groups);
}

}  // namespace slackline::internal
