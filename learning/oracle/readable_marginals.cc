// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/readable_marginals.h>

#include <algorithm>
#include <cmath>

#include <slackline/inference/binary_pairs.h>

namespace slackline::internal {
namespace {

/// Whether the state has a feature in the term.
bool HasFeature(const StateMap& map, Index state) { return map.rows[state] != kAbsent; }

}  // namespace

std::optional<ReadableMarginals> ReadableMarginals::Make(const Structure& structure) {
  const FactorGraph& graph = structure.graph();
  if (!IsBinaryPairwise(graph)) return std::nullopt;
  std::vector<int> uses(structure.num_coordinates(), 0);
  for (Index a = 0; a < graph.num_parts(); ++a) {
    for (const FeatureTerm& term : structure.terms(a)) {
      for (const Index row : structure.map(term.map).rows) {
        if (row != kAbsent) ++uses[term.coordinate + row];
      }
    }
  }
  ReadableMarginals readable;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const Index last = graph.num_states(a) - 1;
    Index found = -1;
    for (const FeatureTerm& term : structure.terms(a)) {
      const StateMap& map = structure.map(term.map);
      const bool one =
          term.kind == FeatureKind::kLinear ||
          (term.kind == FeatureKind::kConstant && (map.values.empty() || map.values[last] == 1));
      if (!one || !HasFeature(map, last)) return std::nullopt;
      const Index coordinate = term.coordinate + map.rows[last];
      const auto present =
          std::count_if(map.rows.begin(), map.rows.end(), [](Index r) { return r != kAbsent; });
      if (present == 1 && uses[coordinate] == 1) found = coordinate;
    }
    if (found < 0) return std::nullopt;
    readable.coordinate_.push_back(found);
  }
  return readable;
}

double ReadableMarginals::Violation(const Structure& structure, std::span<const double> q,
                                    std::span<const double> delta, double loss,
                                    double smoothing) const {
  const FactorGraph& graph = structure.graph();
  double worst = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const double p = At(q, i);
    worst = std::max({worst, -p, p - 1});
    for (const Index s : structure.forbidden_states(i)) worst = std::max(worst, s == 1 ? p : 1 - p);
    const std::size_t state = graph.state_offset(i);
    loss -= delta[state] * (1 - p) + delta[state + 1] * p;
    loss -= smoothing * p * (1 - p);  // (γ/2)(1 − p² − (1 − p)²)
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> scope = graph.scope(c);
    const double both = At(q, graph.num_variables() + c);
    const double first = At(q, scope[0]);
    const double second = At(q, scope[scope.size() - 1]);
    worst = std::max({worst, both - first, both - second, -both});
    worst = std::max(worst, (scope.size() == 1 ? first : first + second - 1) - both);
    const double rest = 1 - first - second + both;
    const double of_pair[] = {rest, second - both, first - both, both};
    for (const Index s : structure.forbidden_states(graph.num_variables() + c))
      worst = std::max(worst, scope.size() == 2 ? of_pair[s] : s == 1 ? both : 1 - both);
  }
  return std::max(worst, std::abs(loss));
}

}  // namespace slackline::internal
