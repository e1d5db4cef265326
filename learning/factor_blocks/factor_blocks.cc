// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/factor_blocks.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/row_kernels.h>
#include <slackline/learning/step/step.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {

FactorBlocks::FactorBlocks(const Problem& problem, StepKind step, bool multipliers)
    : problem_(&problem),
      step_(step == StepKind::kAuto ? StepKind::kPairwise : step),
      multipliers_(multipliers),
      num_examples_(problem.size()),
      weights_(problem.num_weights(), 0.0),
      globals_(step_) {
  std::size_t variable_states = 0;
  std::size_t part_states = 0;
  std::size_t rows = 0;
  std::size_t pairs = 0;
  std::size_t coordinates = 0;
  for (const auto& structure : problem.data().structures()) {
    layouts_.emplace_back(*structure, multipliers);
    const FactorGraph& graph = structure->graph();
    variable_states = std::max<std::size_t>(variable_states, graph.variable_states());
    for (Index a = 0; a < graph.num_parts(); ++a) {
      part_states = std::max<std::size_t>(part_states, graph.num_states(a));
    }
    for (const Slot& slot : structure->slots()) rows = std::max<std::size_t>(rows, slot.rows);
    pairs = std::max<std::size_t>(pairs, layouts_.back().pairs.count);
    coordinates = std::max<std::size_t>(coordinates, structure->num_coordinates());
  }
  messages_.resize(variable_states);
  theta_.resize(part_states);
  axis_message_.resize(part_states);
  slot_scores_.resize(rows);
  slot_delta_.resize(rows);
  pair_weights_.resize(pairs);
  gathered_.resize(2 * pairs);
  coordinates_.resize(coordinates, 0.0);
  touch_stamp_.resize(coordinates, 0);
  touched_.reserve(coordinates);

  ScaleSteps();
  StartAtGroundTruth();
}

void FactorBlocks::StartAtGroundTruth() {
  const Problem& problem = *problem_;
  Offset total = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    begin_.push_back(total);
    total += layout(m).size;
  }
  memory_.clear();
  memory_.reserve(total);
  active_.resize(problem.size());
  up_to_date_.assign(problem.size(), 1);
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    const FactorGraph& graph = example.graph();
    const BlockLayout& blocks = layout(m);
    StopRelay::Preparation::Poll();
    memory_.resize(begin_[m] + blocks.size, 0.0);
    double* state = memory_.data() + begin_[m];
    for (Index i = 0; i < graph.num_variables(); ++i) {
      state[graph.state_offset(i) + example.labels()[i]] = 1;
    }
    for (Index k = 0; k < blocks.pairs.count; ++k) {
      const Index given = JointState(graph, blocks.pairs.factor[k], example.labels());
      state[blocks.pairs.mu + static_cast<Offset>(given) * blocks.pairs.count + k] = 1;
    }
    for (const TableBlock& table : blocks.tables) {
      state[table.mu + JointState(graph, table.factor, example.labels())] = 1;
      for (const TableAxis& axis : table.axes) {
        state[axis.marginal + example.labels()[axis.variable]] = 1;
      }
    }
    globals_.Start(example, blocks, state);
  }
}

void FactorBlocks::set_rho(double rho) {
  rho_ = rho;
  inverse_rho_ = 1 / rho;
}

void FactorBlocks::ScaleSteps() {
  const double kappa = in_shard_ ? shard_kappa_ : centre_.kappa();
  inverse_lambda_m_ =
      caution_ / ((problem_->lambda() + kappa) * static_cast<double>(num_examples_));
}

void FactorBlocks::JoinShards(const ShardSteps& steps) {
  in_shard_ = true;
  num_examples_ = steps.total;
  shard_kappa_ = steps.kappa;
  caution_ = steps.caution;
  ScaleSteps();
}

void FactorBlocks::MoveCentre(double kappa) {
  centre_.Move(kappa, problem_->lambda(), &weights_);
  ScaleSteps();
}

void FactorBlocks::ChangeLambda(const Problem& problem) {
  problem_ = &problem;
  ScaleSteps();
  block_steps_ = 0;
  centre_.Leave();
  Rebuild();
}

void FactorBlocks::Archive(StateArchive* archive) {
  archive->Tag("factor blocks");
  const bool loading = archive->loading();
  if (!loading) {
    for (Index m = 0; m < problem_->size(); ++m) WriteBackActive(m);
  }
  double rho = rho_;
  archive->PositiveReal(&rho);
  if (loading) set_rho(rho);
  archive->FiniteReals(memory_);
  if (loading) {
    for (Index m = 0; m < problem_->size(); ++m) CheckShares(m);
  }
  if (!in_shard_) {
    archive->FiniteReals(weights_);
    centre_.Archive(problem_->num_weights(), problem_->lambda(), archive);
    if (loading) ScaleSteps();
  }
  globals_.Archive([this](Index m) -> const BlockLayout& { return layout(m); }, archive);
  if (loading) std::fill(up_to_date_.begin(), up_to_date_.end(), std::uint8_t{1});
  for (Index m = 0; m < problem_->size(); ++m) active_[m].Archive(layout(m), state(m), archive);
  archive->Count(&block_steps_);
}

/// Throws DataError unless all marginals in the memory of example m are distributions over states.
void FactorBlocks::CheckShares(Index m) const {
  const BlockLayout& blocks = layout(m);
  const FactorGraph& graph = blocks.structure->graph();
  const double* state = memory_.data() + begin_[m];
  const auto check = [&](Offset begin, Index count, Index stride) {
    StateReader::RequireShares(state + begin, count, stride);
  };
  for (Index i = 0; i < graph.num_variables(); ++i)
    check(graph.state_offset(i), graph.cardinality(i), 1);
  for (Index k = 0; k < blocks.pairs.count; ++k) check(blocks.pairs.mu + k, 4, blocks.pairs.count);
  for (const TableBlock& table : blocks.tables) {
    check(table.mu, table.states, 1);
    for (const TableAxis& axis : table.axes) check(axis.marginal, axis.cardinality, 1);
  }
  for (const GlobalBlock& global : blocks.globals) {
    for (const TableAxis& axis : global.axes) check(axis.marginal, axis.cardinality, 1);
  }
}

void FactorBlocks::WriteBackActive(Index m) const {
  std::uint8_t& up_to_date = up_to_date_[m];
  if (up_to_date != 0) return;
  up_to_date = 1;
  active_[m].WriteBack(layout(m), memory_.data() + begin_[m]);
}

FactorBlocks::Visit FactorBlocks::Enter(Index m) {
  return {problem_->data().example(m), &layout(m), memory_.data() + begin_[m], problem_->loss(m)};
}

void FactorBlocks::StepPlanes(const PairPlanes& planes, double eta_step) const {
  const PairScales scales = {inverse_rho_, inverse_lambda_m_, eta_step, smoothing_};
  step_ == StepKind::kPairwise ? PairPairwiseSteps(planes, scales)
                               : PairFrankWolfeSteps(planes, scales);
}

PairPlanes FactorBlocks::Planes(const BlockLayout& layout, const double* state, Index begin,
                                Index end, double* gathered) {
  const PairGroup& pairs = layout.pairs;
  auto* mutable_state = const_cast<double*>(state);  // evaluations only read through the planes
  PairPlanes planes;
  planes.count = end - begin;
  for (int y = 0; y < 4; ++y) {
    planes.mu[y] = mutable_state + pairs.plane(y) + begin;
  }
  if (pairs.eta >= 0) {
    planes.eta[0] = mutable_state + pairs.plane(4) + begin;
    planes.eta[1] = mutable_state + pairs.plane(5) + begin;
  }
  for (Index k = 0; k < planes.count; ++k) {
    const std::size_t from = begin + k;
    gathered[k] = state[pairs.first_state[from]];
    gathered[planes.count + k] = state[pairs.second_state[from]];
  }
  planes.p_first = gathered;
  planes.p_second = gathered + planes.count;
  return planes;
}

void FactorBlocks::VisitExample(Index m, double eta_step) {
  WriteBackActive(m);
  const Visit visit = Enter(m);
  const BlockLayout& blocks = *visit.layout;
  centre_.Leave();
  SumMessages(visit);
  for (const VariableGroup& group : blocks.variable_groups) StepVariableGroup(visit, group);
  StepPairs(visit, 0, blocks.pairs.count, eta_step);
  StepOthers(visit, m, eta_step);
  block_steps_ += visit.graph().num_blocks();
}

void FactorBlocks::StepOthers(const Visit& visit, Index m, double eta_step) {
  for (const TableBlock& table : visit.layout->tables) StepTable(visit, table);
  for (Index g = 0; g < visit.graph().num_global_factors(); ++g) StepGlobal(m, g);
  if (eta_step > 0) UpdateTableMultipliers(visit, eta_step);
}

void FactorBlocks::VisitActive(Index m, double eta_step) {
  ActivePairs& active = active_[m];
  if (!active.in_use()) return VisitExample(m, eta_step);
  const Visit visit = Enter(m);
  const BlockLayout& blocks = *visit.layout;
  centre_.Leave();
  up_to_date_[m] = 0;
  active.SumMessages(blocks, inverse_rho_, messages_.data());
  FinishMessages(visit);
  for (const VariableGroup& group : blocks.variable_groups) StepVariableGroup(visit, group);
  active.Wake(blocks, visit.state);
  const PairPlanes planes =
      active.Planes(blocks, visit.state, weights_, gathered_.data(), pair_weights_.data());
  StepPlanes(planes, eta_step);
  active.ScatterWeights(blocks, pair_weights_.data(), &weights_);
  StepOthers(visit, m, eta_step);
  block_steps_ += visit.graph().num_blocks() - blocks.pairs.count + active.count();
}

ActivePairs::Counts FactorBlocks::Shrink(Index m) {
  return active_[m].Collect(layout(m), Enter(m).state);
}

void FactorBlocks::StepGlobal(Index m, Index g) {
  globals_.Step(m, g, layout(m), {inverse_rho_, inverse_lambda_m_}, memory_.data() + begin_[m],
                weights_);
}

void FactorBlocks::StepBlock(Index m, Index part) {
  const Visit visit = Enter(m);
  const FactorGraph& graph = visit.graph();
  WriteBackActive(m);
  active_[m].Clear();
  centre_.Leave();
  ++block_steps_;
  if (part < graph.num_variables()) {
    StepSingleVariable(visit, part);
    return;
  }
  if (part >= graph.num_parts()) {
    StepGlobal(m, part - graph.num_parts());
    return;
  }
  const FactorPlace place = visit.layout->places[part - graph.num_variables()];
  if (place.pair) {
    StepPairs(visit, place.index, place.index + 1, 0);
  } else {
    StepTable(visit, visit.layout->tables[place.index]);
  }
}

void FactorBlocks::UpdateMultipliers(Index m, double eta_step) {
  WriteBackActive(m);
  active_[m].Clear();
  AddViolations(m, eta_step);
}

void FactorBlocks::EndRound(Index m, const ExamplePoint& before, double share, double eta_step) {
  if (share == 1 && eta_step == 0) return;
  WriteBackActive(m);
  const Visit visit = Enter(m);
  if (share < 1) {
    double* const state = visit.state;
    for (std::size_t k = 0; k < before.state.size(); ++k)
      state[k] = before.state[k] + share * (state[k] - before.state[k]);
    globals_.Mix(m, before.corners, *visit.layout, share);
  }
  if (eta_step > 0) AddViolations(m, eta_step);
  if (active_[m].in_use()) active_[m].ReadBack(*visit.layout, visit.state);
}

/// η_ci += eta_step · v_ci.
void FactorBlocks::AddViolations(Index m, double eta_step) {
  const Visit visit = Enter(m);
  const PairGroup& pairs = visit.layout->pairs;
  double* state = visit.state;
  for (Index k = 0; k < pairs.count; ++k) {
    const double* mu = state + pairs.mu + k;
    const double both = mu[3 * static_cast<Offset>(pairs.count)];
    const double first = mu[2 * static_cast<Offset>(pairs.count)] + both;
    const double second = mu[pairs.count] + both;
    state[pairs.eta + k] += eta_step * (first - state[pairs.first_state[k]]);
    state[pairs.eta + pairs.count + k] += eta_step * (second - state[pairs.second_state[k]]);
  }
  UpdateTableMultipliers(visit, eta_step);
}

void FactorBlocks::UpdateTableMultipliers(const Visit& visit, double eta_step) {
  double* state = visit.state;
  for (const TableBlock& table : visit.layout->tables) {
    for (const TableAxis& axis : table.axes) {
      for (Index s = 0; s < axis.cardinality; ++s) {
        state[axis.eta + s] += eta_step * (state[axis.marginal + s] - state[axis.state + s]);
      }
    }
  }
  GlobalBlocks::UpdateMultipliers(*visit.layout, eta_step, state);
}

void FactorBlocks::SumMessages(const Visit& visit) {
  SumPairMessages(visit);
  FinishMessages(visit);
}

void FactorBlocks::SumPairMessages(const Visit& visit) {
  const BlockLayout& blocks = *visit.layout;
  const PairGroup& pairs = blocks.pairs;
  const FactorGraph& graph = visit.graph();
  const double* state = visit.state;
  std::fill(messages_.begin(), messages_.begin() + graph.variable_states(), 0.0);
  const double* mu1 = state + pairs.mu + pairs.count;
  const double* mu2 = mu1 + pairs.count;
  const double* mu3 = mu2 + pairs.count;
  // Consecutive pairs mostly share their first variable, whose sum stays in a register.
  const Index* first_state = pairs.first_state.data();
  const Index* second_state = pairs.second_state.data();
  double* sums = messages_.data();
  for (Index k = 0; k < pairs.count;) {
    const Index shared = first_state[k];
    double sum = 0;
    for (; k < pairs.count && first_state[k] == shared; ++k) {
      double first = (mu2[k] + mu3[k]) * inverse_rho_;
      double second = (mu1[k] + mu3[k]) * inverse_rho_;
      if (multipliers_) {
        first += state[pairs.eta + k];
        second += state[pairs.eta + pairs.count + k];
      }
      sum += first;
      sums[second_state[k]] += second;
    }
    sums[shared] += sum;
  }
}

void FactorBlocks::FinishMessages(const Visit& visit) {
  const BlockLayout& blocks = *visit.layout;
  const PairGroup& pairs = blocks.pairs;
  const FactorGraph& graph = visit.graph();
  const double* state = visit.state;
  if (pairs.count > 0) {
    // η for state 0 is the negative of η for state 1, and A_ci μ_c(0) = 1 − A_ci μ_c(1). A pair's
    // sum for state 0 is therefore 1/ρ minus its sum for state 1.
    for (Index i = 0; i < graph.num_variables(); ++i) {
      const double degree = pairs.degree[i];
      if (degree == 0) continue;
      double* own = messages_.data() + graph.state_offset(i);
      own[0] = degree * inverse_rho_ - own[1];
    }
  }
  for (const TableBlock& table : blocks.tables) {
    for (const TableAxis& axis : table.axes) {
      double* own = messages_.data() + axis.state;
      for (Index s = 0; s < axis.cardinality; ++s) {
        own[s] += state[axis.marginal + s] * inverse_rho_;
        if (multipliers_) own[s] += state[axis.eta + s];
      }
    }
  }
  GlobalBlocks::AddMessages(blocks, state, inverse_rho_, messages_.data());
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const double scale = blocks.degree[i] * inverse_rho_;
    for (Offset s = graph.state_offset(i); s < graph.state_offset(i + 1); ++s) {
      messages_[s] -= scale * state[s];
    }
  }
}

void FactorBlocks::SumMessagesOf(const Visit& visit, Index i) {
  const FactorGraph& graph = visit.graph();
  const double* state = visit.state;
  const Offset base = graph.state_offset(i);
  const Index cardinality = graph.cardinality(i);
  double* own = messages_.data() + base;
  std::fill(own, own + cardinality, 0.0);
  GlobalBlocks::AddMessagesOf(*visit.layout, i, state, inverse_rho_, own);
  const PairGroup& pairs = visit.layout->pairs;
  for (const Incidence& incidence : graph.factors_of(i)) {
    const FactorPlace place = visit.layout->places[incidence.factor];
    if (place.pair) {
      const double* mu = state + pairs.mu + place.index;
      const Offset other = static_cast<Offset>(incidence.position == 0 ? 2 : 1) * pairs.count;
      double delta =
          (mu[other] + mu[3 * static_cast<Offset>(pairs.count)] - state[base + 1]) * inverse_rho_;
      if (multipliers_)
        delta +=
            state[pairs.eta + static_cast<Offset>(incidence.position) * pairs.count + place.index];
      own[1] += delta;
      own[0] -= delta;
    } else {
      const TableBlock& table = visit.layout->tables[place.index];
      const TableAxis& axis = table.axes[incidence.position];
      for (Index s = 0; s < cardinality; ++s) {
        own[s] += (state[axis.marginal + s] - state[base + s]) * inverse_rho_;
        if (multipliers_) own[s] += state[axis.eta + s];
      }
    }
  }
}

void FactorBlocks::BeginSlot(const Visit& visit, Index slot_number) {
  const Slot& slot = visit.slot(slot_number);
  RowScores(weights_.data() + visit.layout->structure->layout().block(slot.block).offset, slot.rows,
            visit.example.input(slot.input), slot_scores_.data());
  std::fill(slot_delta_.begin(), slot_delta_.begin() + slot.rows, 0.0);
}

void FactorBlocks::EndSlot(const Visit& visit, Index slot_number) {
  const Slot& slot = visit.slot(slot_number);
  bool moved = false;
  for (Index r = 0; r < slot.rows; ++r) {
    double& delta = slot_delta_[r];
    moved = moved || delta != 0;
    delta *= -inverse_lambda_m_;
  }
  if (!moved) return;
  RowUpdate(weights_.data() + visit.layout->structure->layout().block(slot.block).offset, slot.rows,
            visit.example.input(slot.input), slot_delta_.data());
}

void FactorBlocks::StepVariableGroup(const Visit& visit, const VariableGroup& group) {
  if (group.slot < 0) {
    for (const Index i : group.variables) StepVariable(visit, i, -1);
    return;
  }
  BeginSlot(visit, group.slot);
  const double input_norm = visit.example.input(visit.slot(group.slot).input).squared_norm;
  for (const Index i : group.variables) {
    if (visit.layout->single_row[i] != kAbsent) {
      StepBinaryLinear(visit, i, input_norm);
    } else {
      StepVariable(visit, i, group.slot);
    }
  }
  EndSlot(visit, group.slot);
}

void FactorBlocks::StepSingleVariable(const Visit& visit, Index i) {
  SumMessagesOf(visit, i);
  Index slot_number = -1;
  for (const FeatureTerm& term : visit.layout->structure->terms(i)) {
    if (term.kind == FeatureKind::kLinear) slot_number = term.source;
  }
  const Index row = visit.layout->single_row[i];
  if (row != kAbsent) {
    // Only one row of the slot matters, which a strided sweep reads.
    const Slot& slot = visit.slot(slot_number);
    const FeatureRow x = visit.example.input(slot.input);
    double* column =
        weights_.data() + visit.layout->structure->layout().block(slot.block).at(row, 0);
    double score = 0;
    for (Index k = 0; k < x.count; ++k) {
      score += x.values[k] * column[static_cast<Offset>(x.dense() ? k : x.columns[k]) * slot.rows];
    }
    slot_scores_[row] = score;
    slot_delta_[row] = 0;
    StepBinaryLinear(visit, i, x.squared_norm);
    const double delta = -inverse_lambda_m_ * slot_delta_[row];
    if (delta == 0) return;
    for (Index k = 0; k < x.count; ++k) {
      column[static_cast<Offset>(x.dense() ? k : x.columns[k]) * slot.rows] += delta * x.values[k];
    }
    return;
  }
  if (slot_number >= 0) BeginSlot(visit, slot_number);
  StepVariable(visit, i, slot_number);
  if (slot_number >= 0) EndSlot(visit, slot_number);
}

void FactorBlocks::StepBinaryLinear(const Visit& visit, Index i, double input_norm) {
  // On two states the Frank-Wolfe step and the pairwise step are the same: along e_1 − e_0, up to
  // the boundary of the simplex.
  const std::size_t row = visit.layout->single_row[i];
  const std::size_t base = visit.graph().state_offset(i);
  double* mu = visit.state + base;
  const double slope = visit.loss[base + 1] - visit.loss[base] + slot_scores_[row] +
                       messages_[base + 1] - messages_[base] - smoothing_ * (mu[1] - mu[0]);
  // Clipping the end point clips the step without branches. Without curvature (q = 0) the sign of
  // the slope decides.
  const double q =
      input_norm * inverse_lambda_m_ + 2 * (inverse_rho_ * visit.layout->degree[i] + smoothing_);
  const double end = std::clamp(mu[1] + slope / std::max(q, 1e-290), 0.0, 1.0);
  const double step = end - mu[1];
  mu[1] = end;
  mu[0] = 1 - end;
  slot_delta_[row] += step;
  slot_scores_[row] -= step * input_norm * inverse_lambda_m_;
}

void FactorBlocks::StepVariable(const Visit& visit, Index i, Index slot) {
  const FactorGraph& graph = visit.graph();
  const std::size_t base = graph.state_offset(i);
  const Index states = graph.cardinality(i);
  double* mu = visit.state + base;
  PartScores(visit, i, theta_.data());
  for (std::size_t s = 0; s < static_cast<std::size_t>(states); ++s)
    theta_[s] += visit.loss[base + s] + messages_[base + s] - smoothing_ * mu[s];

  const Direction direction = ChooseDirection(step_, theta_.data(), mu, states);
  if (direction.gap <= 0) return;
  const double input_norm = slot < 0 ? 0 : visit.example.input(visit.slot(slot).input).squared_norm;
  const double d_norm = SquaredLength(direction, mu, states);
  const double q =
      DirectionNorm(visit, i, direction, std::span(mu, states), input_norm) * inverse_lambda_m_ +
      d_norm * (inverse_rho_ * visit.layout->degree[i] + smoothing_);
  const double step = LineSearch(direction.gap, q, direction.limit);
  MoveFeatures(visit, step, slot, input_norm);
  MoveAlong(direction, step, states, mu);
}

}  // namespace slackline::internal
