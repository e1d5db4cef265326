// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/feature_map.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/slot_sweeps.h>

namespace slackline::internal {
namespace {

double TermValue(const ExampleView& example, const FeatureTerm& term, const StateMap& map,
                 Index state) {
  switch (term.kind) {
    case FeatureKind::kPotential:
      return example.potentials()[term.source + state];
    case FeatureKind::kConstant:
      return map.values.empty() ? 1.0 : map.values[state];
    case FeatureKind::kLinear:
      break;
  }
  return 1.0;
}

}  // namespace

void CoordinateScores(const ExampleView& example, std::span<const double> weights,
                      std::span<double> u) {
  const Structure& structure = example.structure();
  SlotScores(example, weights, u);
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    const double* from = weights.data() + structure.layout().block(scalar.block).offset;
    std::copy(from, from + scalar.rows, u.data() + scalar.coordinate);
  }
}

void AddPartScores(const ExampleView& example, Index part, std::span<const double> u,
                   std::span<double> out) {
  const Structure& structure = example.structure();
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    for (std::size_t s = 0; s < map.rows.size(); ++s) {
      if (map.rows[s] == kAbsent) continue;
      out[s] +=
          TermValue(example, term, map, static_cast<Index>(s)) * u[term.coordinate + map.rows[s]];
    }
  }
  for (const Index s : structure.forbidden_states(part)) out[s] = -kInfinity;
}

void AddScores(const ExampleView& example, std::span<const double> u, std::span<double> out) {
  const FactorGraph& graph = example.graph();
  for (Index a = 0; a < graph.num_parts(); ++a) {
    AddPartScores(example, a, u, out.subspan(graph.state_offset(a), graph.num_states(a)));
  }
}

void ScoreTables(const ExampleView& example, std::span<const double> weights,
                 std::span<double> scores) {
  std::vector<double> u(example.structure().num_coordinates());
  CoordinateScores(example, weights, u);
  std::fill(scores.begin(), scores.end(), 0.0);
  AddScores(example, u, scores);
}

void AddStateFeatures(const ExampleView& example, Index part, Index state, double scale,
                      std::span<double> q) {
  const Structure& structure = example.structure();
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    const Index row = map.rows[state];
    if (row == kAbsent) continue;
    q[term.coordinate + row] += scale * TermValue(example, term, map, state);
  }
}

void AddMarginalFeatures(const ExampleView& example, Index part, std::span<const double> mu,
                         double scale, std::span<double> q) {
  const Structure& structure = example.structure();
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    for (std::size_t s = 0; s < map.rows.size(); ++s) {
      if (map.rows[s] == kAbsent || mu[s] == 0) continue;
      q[term.coordinate + map.rows[s]] +=
          scale * mu[s] * TermValue(example, term, map, static_cast<Index>(s));
    }
  }
}

void AddGlobalFeatures(const Structure& structure, Index g, std::span<const Index> states,
                       double scale, std::span<double> q) {
  const GlobalPart& part = structure.globals()[g];
  const std::size_t count = part.factor->num_weights();
  if (count == 0) return;
  part.factor->AddFeatures(states, scale, q.subspan(part.coordinate, count));
}

void AddLabellingFeatures(const ExampleView& example, std::span<const Index> labels, double scale,
                          std::span<double> q) {
  const FactorGraph& graph = example.graph();
  for (Index i = 0; i < graph.num_variables(); ++i) {
    AddStateFeatures(example, i, labels[i], scale, q);
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    AddStateFeatures(example, graph.num_variables() + c, JointState(graph, c, labels), scale, q);
  }
  std::vector<Index> states;
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    states.resize(graph.global_scope(g).size());
    GlobalStates(graph, g, labels, states);
    if (!example.structure().globals()[g].factor->Allows(states)) continue;
    AddGlobalFeatures(example.structure(), g, states, scale, q);
  }
}

void ScatterFeatures(const ExampleView& example, std::span<const double> q, double scale,
                     std::span<double> weights) {
  const Structure& structure = example.structure();
  if (!structure.slots().empty()) {
    const Slot& last = structure.slots().back();
    const std::span<const double> own = q.first(last.coordinate + last.rows);
    if (scale == 1) {
      AddSlots(example, own, weights);
    } else {
      std::vector<double> scaled(own.begin(), own.end());
      for (double& value : scaled) value *= scale;
      AddSlots(example, scaled, weights);
    }
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    double* block = weights.data() + structure.layout().block(scalar.block).offset;
    const double* coordinates = q.data() + scalar.coordinate;
    for (Index r = 0; r < scalar.rows; ++r) block[r] += scale * coordinates[r];
  }
}

}  // namespace slackline::internal
