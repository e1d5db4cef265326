// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/shared_tables.h>

#include <array>
#include <map>

namespace slackline::internal {

std::vector<Index> SharedTables(const Structure& structure) {
  using Term = std::array<Index, 4>;
  std::map<std::vector<Term>, Index> number;
  std::vector<Index> table_of;
  const FactorGraph& graph = structure.graph();
  for (Index c = 0; c < graph.num_factors(); ++c) {
    std::vector<Term> terms;
    for (const FeatureTerm& term : structure.terms(graph.num_variables() + c))
      terms.push_back({static_cast<Index>(term.kind), term.source, term.map, term.coordinate});
    terms.push_back({-2, structure.forbidden_list(graph.num_variables() + c), 0, 0});
    // The shape belongs to the key, since factors without features may differ in nothing else.
    for (const Index i : graph.scope(c)) terms.push_back({-1, graph.cardinality(i), 0, 0});
    table_of.push_back(
        number.try_emplace(std::move(terms), static_cast<Index>(number.size())).first->second);
  }
  return table_of;
}

}  // namespace slackline::internal
