// SPDX-License-Identifier: BSD-3-Clause
//
// The methods of FactorBlocks that work on factors, and on features in general.
#include <algorithm>

#include <slackline/core/feature_map.h>
#include <slackline/learning/factor_blocks/factor_blocks.h>
#include <slackline/learning/factor_blocks/table_ops.h>

namespace slackline::internal {

void FactorBlocks::StepPairs(const Visit& visit, Index begin, Index end, double eta_step) {
  const PairGroup& pairs = visit.layout->pairs;
  if (begin == end) return;
  PairPlanes planes = Planes(*visit.layout, visit.state, begin, end, gathered_.data());
  if (pairs.contiguous) {
    planes.weights = weights_.data() + pairs.weight[begin];
  } else {
    for (Index k = 0; k < planes.count; ++k) {
      pair_weights_[k] = weights_[pairs.weight[begin + k]];
    }
    planes.weights = pair_weights_.data();
  }
  StepPlanes(planes, eta_step);
  if (pairs.contiguous) return;
  for (Index k = 0; k < planes.count; ++k) {
    weights_[pairs.weight[begin + k]] = pair_weights_[k];
  }
}

void FactorBlocks::PartScores(const Visit& visit, Index part, double* theta) const {
  const Structure& structure = *visit.layout->structure;
  std::fill(theta, theta + visit.graph().num_states(part), 0.0);
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    const Index* rows = map.rows.data();
    const auto states = static_cast<Index>(map.rows.size());
    if (term.kind == FeatureKind::kLinear) {
      const double* z = slot_scores_.data() + term.base;
      for (Index s = 0; s < states; ++s) {
        if (rows[s] != kAbsent) theta[s] += z[rows[s]];
      }
      continue;
    }
    const double* w = weights_.data() + structure.layout().block(term.block).offset + term.base;
    const double* values = term.kind == FeatureKind::kPotential
                               ? visit.example.potentials().data() + term.source
                           : map.values.empty() ? nullptr
                                                : map.values.data();
    for (Index s = 0; s < states; ++s) {
      if (rows[s] != kAbsent) theta[s] += (values == nullptr ? 1.0 : values[s]) * w[rows[s]];
    }
  }
}

void FactorBlocks::SubtractTableMessages(const Visit& visit, const TableBlock& table,
                                         double* theta) {
  const double* state = visit.state;
  for (const TableAxis& axis : table.axes) {
    double* delta = axis_message_.data();
    for (Index s = 0; s < axis.cardinality; ++s) {
      delta[s] = (state[axis.marginal + s] - state[axis.state + s]) * inverse_rho_;
      if (multipliers_) delta[s] += state[axis.eta + s];
    }
    SubtractMessage(delta, table.states, axis.cardinality, axis.stride, theta);
  }
}

/// Σ_i ‖A_ci d‖².
double FactorBlocks::TablePenalty(const Visit& visit, const TableBlock& table,
                                  const Direction& direction) {
  double sum = 0;
  for (const TableAxis& axis : table.axes) {
    const Index to = AxisState(direction.s, axis.cardinality, axis.stride);
    if (direction.v >= 0) {
      if (to != AxisState(direction.v, axis.cardinality, axis.stride)) sum += 2;
      continue;
    }
    for (Index s = 0; s < axis.cardinality; ++s) {
      const double d = (s == to ? 1.0 : 0.0) - visit.state[axis.marginal + s];
      sum += d * d;
    }
  }
  return sum;
}

void FactorBlocks::StepTable(const Visit& visit, const TableBlock& table) {
  if (table.slot >= 0) BeginSlot(visit, table.slot);
  const Index part = visit.graph().num_variables() + table.factor;
  double* mu = visit.state + table.mu;
  PartScores(visit, part, theta_.data());
  SubtractTableMessages(visit, table, theta_.data());
  for (Index y = 0; smoothing_ > 0 && y < table.states; ++y) theta_[y] -= smoothing_ * mu[y];
  const Direction direction = ChooseDirection(step_, theta_.data(), mu, table.states);
  if (direction.gap > 0) {
    const double input_norm =
        table.slot < 0 ? 0 : visit.example.input(visit.slot(table.slot).input).squared_norm;
    const double q =
        DirectionNorm(visit, part, direction, std::span(mu, table.states), input_norm) *
            inverse_lambda_m_ +
        TablePenalty(visit, table, direction) * inverse_rho_ +
        SquaredLength(direction, mu, table.states) * smoothing_;
    const double step = LineSearch(direction.gap, q, direction.limit);
    MoveFeatures(visit, step, table.slot, input_norm);
    MoveAlong(direction, step, table.states, mu);
    for (const TableAxis& axis : table.axes) {
      Direction shadow = direction;
      shadow.s = AxisState(direction.s, axis.cardinality, axis.stride);
      if (direction.v >= 0) shadow.v = AxisState(direction.v, axis.cardinality, axis.stride);
      MoveAlong(shadow, step, axis.cardinality, visit.state + axis.marginal);
    }
  }
  if (table.slot >= 0) EndSlot(visit, table.slot);
}

void FactorBlocks::TouchState(const Visit& visit, Index part, Index state, double scale) {
  const Structure& structure = *visit.layout->structure;
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    const Index row = map.rows[state];
    if (row == kAbsent) continue;
    double value = scale;
    if (term.kind == FeatureKind::kPotential) {
      value *= visit.example.potentials()[term.source + state];
    } else if (!map.values.empty()) {
      value *= map.values[state];
    }
    const std::size_t coordinate = term.coordinate + row;
    if (touch_stamp_[coordinate] != stamp_) {
      touch_stamp_[coordinate] = stamp_;
      coordinates_[coordinate] = 0;
      touched_.push_back(static_cast<Index>(coordinate));
    }
    coordinates_[coordinate] += value;
  }
}

/// ‖φ(d)‖² of the direction d. Leaves the coordinates of φ(d) in touched_ and coordinates_ for
/// MoveFeatures. A part has at most one linear term, so that its coordinates are orthogonal.
double FactorBlocks::DirectionNorm(const Visit& visit, Index part, const Direction& direction,
                                   std::span<const double> mu, double input_norm) {
  ++stamp_;
  touched_.clear();
  TouchState(visit, part, direction.s, 1);
  if (direction.v >= 0) {
    TouchState(visit, part, direction.v, -1);
  } else {
    for (Index s = 0; s < static_cast<Index>(mu.size()); ++s) {
      if (mu[s] != 0) TouchState(visit, part, s, -mu[s]);
    }
  }
  double norm = 0;
  for (const Index c : touched_) {
    const double value = coordinates_[c];
    const bool scalar = visit.layout->weight_of_coordinate[c] >= 0;
    norm += value * value * (scalar ? 1.0 : input_norm);
  }
  return norm;
}

/// w −= step · φ(d)/(λM): scalar weights directly, rows of the slot through slot_delta_, which
/// EndSlot applies.
void FactorBlocks::MoveFeatures(const Visit& visit, double step, Index slot, double input_norm) {
  for (const Index c : touched_) {
    const double move = step * coordinates_[c];
    const Offset weight = visit.layout->weight_of_coordinate[c];
    if (weight >= 0) {
      weights_[weight] -= move * inverse_lambda_m_;
    } else {
      const std::size_t row = c - visit.slot(slot).coordinate;
      slot_delta_[row] += move;
      slot_scores_[row] -= move * input_norm * inverse_lambda_m_;
    }
  }
}

void FactorBlocks::RebuildMarginals() {
  for (Index m = 0; m < problem_->size(); ++m) {
    WriteBackActive(m);
    const Visit visit = Enter(m);
    for (const TableBlock& table : visit.layout->tables) {
      for (const TableAxis& axis : table.axes) {
        AxisMarginal(visit.state + table.mu, table.states, axis.cardinality, axis.stride,
                     visit.state + axis.marginal);
      }
    }
    globals_.Rebuild(m, *visit.layout, visit.state);
  }
}

void FactorBlocks::WeightsOfPoint(std::vector<double>* weights) const {
  weights->assign(Size(problem_->num_weights()), 0.0);
  std::vector<double> q;
  for (Index m = 0; m < problem_->size(); ++m) {
    const ExampleView example = problem_->data().example(m);
    q.assign(example.structure().num_coordinates(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, q);
    AddPointFeatures(example, layout(m), state(m), -1, q);
    ScatterFeatures(example, q, 1 / lambda_m(), *weights);
  }
}

void FactorBlocks::Rebuild() {
  RebuildMarginals();
  WeightsOfPoint(&weights_);
  centre_.Blend(problem_->lambda(), weights_);
}

void AddPointFeatures(const ExampleView& example, const BlockLayout& layout, const double* state,
                      double scale, std::span<double> q) {
  const FactorGraph& graph = example.graph();
  for (Index i = 0; i < graph.num_variables(); ++i) {
    AddMarginalFeatures(example, i, std::span(state + graph.state_offset(i), graph.cardinality(i)),
                        scale, q);
  }
  const PairGroup& pairs = layout.pairs;
  const double* both = state + pairs.mu + 3 * static_cast<Offset>(pairs.count);
  for (Index k = 0; k < pairs.count; ++k) {
    q[pairs.coordinate[k]] += scale * both[k];
  }
  for (const TableBlock& table : layout.tables) {
    AddMarginalFeatures(example, graph.num_variables() + table.factor,
                        std::span(state + table.mu, table.states), scale, q);
  }
  for (const GlobalBlock& global : layout.globals) {
    for (Index k = 0; k < global.num_weights; ++k) {
      q[global.coordinate + k] += scale * state[global.features + k];
    }
  }
}

}  // namespace slackline::internal
