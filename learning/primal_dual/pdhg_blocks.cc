// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/primal_dual/pdhg_blocks.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/learning/oracle/shared_tables.h>
#include <slackline/learning/primal_dual/pdhg_kernel.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kLanes = PdhgLayout::kLanes;
/// Least number of factors in a batch of factors with one table, and of factors with like terms.
constexpr std::size_t kLeastShared = 4;
constexpr std::size_t kLeastAlike = 16;

/// Kinds and maps of the terms of a part.
using Likeness = std::vector<std::pair<FeatureKind, Index>>;

Likeness LikenessOf(const Structure& structure, Index part) {
  Likeness likeness;
  for (const FeatureTerm& term : structure.terms(part)) likeness.emplace_back(term.kind, term.map);
  return likeness;
}

/// Sets p to the nearest point of the simplex by the method of Michelot (1986): it drops entries
/// below the threshold and raises the threshold of the others. O(states²) at most.
void ProjectToSimplex(std::span<double> p) {
  double threshold = -kInfinity;
  double sum = 0;
  for (const double x : p) sum += x;
  auto count = static_cast<double>(p.size());
  for (;;) {
    const double next = (sum - 1) / count;
    if (next <= threshold) break;
    threshold = next;
    double left = 0;
    double kept = 0;
    for (const double x : p) {
      if (x <= threshold) continue;
      left += x;
      kept += 1;
    }
    if (kept == count || kept == 0) break;
    sum = left;
    count = kept;
  }
  for (double& x : p) x = std::max(0.0, x - threshold);
}

/// Sets p to a point of the simplex near it.
void Normalise(std::span<double> p) {
  double sum = 0;
  for (double& x : p) sum += x = std::max(0.0, x);
  for (double& x : p) x = sum > 0 ? x / sum : 1.0 / static_cast<double>(p.size());
}

/// Calls visit(position of a weight, |feature|) for the features of a state of a part.
template <class Visit>
void ForEachFeature(const ExampleView& example, Index part, Index state, const Visit& visit) {
  const Structure& structure = example.structure();
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    if (map.rows[state] == kAbsent) continue;
    const WeightBlock& block = structure.layout().block(term.block);
    const Offset row = block.offset + term.base + map.rows[state];
    switch (term.kind) {
      case FeatureKind::kLinear:
        ForEachValue(example.input(structure.slots()[term.source].input), block.cols,
                     [&](std::size_t f, double value) {
                       visit(row + static_cast<Offset>(f) * block.rows, std::abs(value));
                     });
        break;
      case FeatureKind::kPotential:
        visit(row, std::abs(example.potentials()[term.source + state]));
        break;
      case FeatureKind::kConstant:
        visit(row, map.values.empty() ? 1.0 : std::abs(map.values[state]));
        break;
    }
  }
}

/// The largest sum of |features| of a state of the part.
double LargestFeatures(const ExampleView& example, Index part) {
  double largest = 0;
  for (Index s = 0; s < example.graph().num_states(part); ++s) {
    double sum = 0;
    ForEachFeature(example, part, s, [&](Offset, double size) { sum += size; });
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

PdhgLayout::PdhgLayout(std::shared_ptr<const Structure> structure)
    : structure_(std::move(structure)) {
  const FactorGraph& graph = structure_->graph();
  const std::vector<Index> table_of = SharedTables(*structure_);
  std::map<Index, std::size_t> uses;
  for (const Index table : table_of) ++uses[table];
  std::map<Likeness, std::size_t> alike;
  for (Index c = 0; c < graph.num_factors(); ++c)
    ++alike[LikenessOf(*structure_, graph.num_variables() + c)];
  // Factors with a table of their own are joined by their shape and by their terms.
  std::map<std::tuple<Index, std::vector<Index>, Likeness>, std::size_t> number;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const bool shared = uses[table_of[c]] >= kLeastShared;
    std::vector<Index> shape;
    for (const Index i : graph.scope(c)) shape.push_back(graph.cardinality(i));
    Likeness likeness = LikenessOf(*structure_, graph.num_variables() + c);
    if (shared || alike[likeness] < kLeastAlike) likeness.clear();
    const auto [found, added] =
        number.try_emplace({shared ? table_of[c] : Index{-1}, shape, likeness}, batches_.size());
    if (added) {
      Batch batch;
      batch.shared = shared;
      for (const auto& [kind, map] : likeness) batch.terms.push_back({kind, map, {}, {}});
      batch.order = static_cast<Index>(shape.size());
      batch.states = graph.factor_states(c);
      for (const Index states : shape) {
        batch.first_row.push_back(batch.rows);
        batch.rows += states;
      }
      batch.first_row.push_back(batch.rows);
      std::vector<Index> joint(shape.size());
      for (Index state = 0; state < batch.states; ++state) {
        JointToStates(graph, c, state, joint);
        for (std::size_t k = 0; k < joint.size(); ++k)
          batch.row_of.push_back(batch.first_row[k] + joint[k]);
      }
      batches_.push_back(std::move(batch));
    }
    Batch& batch = batches_[found->second];
    batch.factors.push_back(c);
    const std::span<const FeatureTerm> terms = structure_->terms(graph.num_variables() + c);
    for (std::size_t t = 0; t < batch.terms.size(); ++t) {
      batch.terms[t].coordinate.push_back(terms[t].coordinate);
      batch.terms[t].source.push_back(terms[t].source);
    }
  }
  Index widest = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) widest = std::max(widest, graph.cardinality(i));
  places_ = graph.variable_states() + widest;
  for (Batch& batch : batches_) {
    const std::size_t blocks = (batch.factors.size() + kLanes - 1) / kLanes;
    batch.blocks = static_cast<Index>(blocks);
    batch.table = entries_;
    batch.message = messages_;
    entries_ += static_cast<Offset>(blocks * kLanes) * batch.states;
    messages_ += static_cast<Offset>(blocks * kLanes) * batch.rows;
    batch.place.assign(blocks * batch.order * kLanes, graph.variable_states());
    for (std::size_t f = 0; f < batch.factors.size(); ++f) {
      const std::span<const Index> scope = graph.scope(batch.factors[f]);
      for (std::size_t k = 0; k < scope.size(); ++k)
        batch.place[((f / kLanes) * batch.order + k) * kLanes + f % kLanes] =
            graph.state_offset(scope[k]);
    }
    largest_table_ = std::max(largest_table_, batch.states);
    largest_rows_ = std::max(largest_rows_, batch.rows);
  }
}

PdhgBlocks::PdhgBlocks(const Problem& problem, Index m, std::shared_ptr<const PdhgLayout> layout)
    : problem_(problem),
      m_(m),
      layout_(std::move(layout)),
      variables_(layout_->num_places(), 0.0),
      tables_(layout_->num_entries(), 0.0),
      messages_(layout_->num_messages(), 0.0),
      message_sums_(layout_->num_places(), 0.0) {
  const ExampleView given = example();
  const FactorGraph& graph = given.graph();
  for (Index i = 0; i < graph.num_variables(); ++i)
    variables_[graph.state_offset(i) + given.labels()[i]] = 1;
  for (const PdhgLayout::Batch& batch : layout_->batches()) {
    for (std::size_t f = 0; f < batch.factors.size(); ++f) {
      const Index state = JointState(graph, batch.factors[f], given.labels());
      tables_[batch.table +
              static_cast<Offset>(((f / kLanes) * batch.states + state) * kLanes + f % kLanes)] = 1;
    }
  }
  // Losses are divided by the number of variables (or of their weights); so messages are, too.
  double losses = 0;
  const std::span<const double> loss = problem.loss(m);
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const auto begin = loss.begin() + graph.state_offset(i);
    losses += *std::max_element(begin, begin + graph.cardinality(i));
  }
  if (losses > 0) scale_ = graph.num_variables() / losses;
  FindSteps();
}

/// Sets the steps from the sums of |K| over rows and columns (Pock and Chambolle 2011, α = 1); all
/// states of a variable, and all entries of a factor, have one step.
void PdhgBlocks::FindSteps() {
  const ExampleView given = example();
  const FactorGraph& graph = given.graph();
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const double row = static_cast<double>(graph.factors_of(i).size()) + LargestFeatures(given, i);
    variable_steps_.push_back(scale_ / std::max(1.0, row));
  }
  for (const PdhgLayout::Batch& batch : layout_->batches()) {
    double features = 0;
    for (std::size_t f = 0; f < batch.blocks * kLanes; ++f) {
      const bool exists = f < batch.factors.size();
      if (exists && (f == 0 || !batch.shared))
        features = LargestFeatures(given, graph.num_variables() + batch.factors[f]);
      factor_steps_.push_back(exists ? scale_ / (batch.order + features) : 0.0);
    }
  }
}

void PdhgBlocks::AddFeatureSizes(std::span<double> sums) const {
  const ExampleView given = example();
  const FactorGraph& graph = given.graph();
  const auto add = [&](Index part, double times) {
    for (Index s = 0; s < graph.num_states(part); ++s)
      ForEachFeature(given, part, s,
                     [&](Offset k, double size) { sums[k] += times * scale_ * size; });
  };
  for (Index i = 0; i < graph.num_variables(); ++i) add(i, 1);
  for (const PdhgLayout::Batch& batch : layout_->batches()) {
    const std::size_t count = batch.shared ? 1 : batch.factors.size();
    for (std::size_t f = 0; f < count; ++f)
      add(graph.num_variables() + batch.factors[f],
          batch.shared ? static_cast<double>(batch.factors.size()) : 1.0);
  }
}

void PdhgBlocks::FillUnary(PdhgScratch* scratch) const {
  const ExampleView given = example();
  const FactorGraph& graph = given.graph();
  const std::span<const double> loss = problem_.loss(m_);
  scratch->unary.assign(message_sums_.begin(), message_sums_.end());
  for (std::size_t s = 0; s < loss.size(); ++s) scratch->unary[s] += loss[s];
  for (Index i = 0; i < graph.num_variables(); ++i)
    AddPartScores(given, i, scratch->u,
                  std::span(scratch->unary).subspan(graph.state_offset(i), graph.cardinality(i)));
}

void PdhgBlocks::StepVariables(double relaxation, PdhgScratch* scratch) {
  const ExampleView given = example();
  const FactorGraph& graph = given.graph();
  FillUnary(scratch);
  scratch->mirror.assign(variables_.size(), 0.0);
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const std::size_t begin = graph.state_offset(i);
    const std::size_t states = graph.cardinality(i);
    const std::span<double> next = std::span(scratch->unary).subspan(begin, states);
    for (std::size_t s = 0; s < states; ++s)
      next[s] = variables_[begin + s] + variable_steps_[i] * next[s];
    ProjectToSimplex(next);
    for (std::size_t s = 0; s < states; ++s) {
      double& p = variables_[begin + s];
      scratch->mirror[begin + s] = 2 * next[s] - p;
      p = (p + relaxation * (next[s] - p) + kPdhgFlush) - kPdhgFlush;
    }
    AddMarginalFeatures(given, i, std::span(scratch->mirror).subspan(begin, states), 1, scratch->q);
  }
}

template <class Visit>
void PdhgBlocks::ForEachTermOfLanes(const PdhgLayout::Batch& batch, Index block,
                                    const Visit& visit) const {
  const ExampleView given = example();
  const std::size_t begin = static_cast<std::size_t>(block) * kLanes;
  const std::size_t lanes = std::min(kLanes, batch.factors.size() - begin);
  for (const PdhgLayout::Term& term : batch.terms) {
    const StateMap& map = given.structure().map(term.map);
    const Index* const coordinate = term.coordinate.data() + begin;
    const Index* const source = term.source.data() + begin;
    for (std::size_t s = 0; s < map.rows.size(); ++s) {
      const Index row = map.rows[s];
      if (row == kAbsent) continue;
      if (term.kind == FeatureKind::kPotential) {
        for (std::size_t l = 0; l < lanes; ++l)
          visit(s, l, coordinate[l] + row, given.potentials()[source[l] + s]);
        continue;
      }
      const double value = map.values.empty() ? 1.0 : map.values[s];
      for (std::size_t l = 0; l < lanes; ++l) visit(s, l, coordinate[l] + row, value);
    }
  }
}

void PdhgBlocks::FillScores(const PdhgLayout::Batch& batch, Index block,
                            PdhgScratch* scratch) const {
  const ExampleView given = example();
  const Index first = given.graph().num_variables();
  const std::size_t states = batch.states;
  if (batch.shared) {
    scratch->scores.assign(states, 0.0);
    AddPartScores(given, first + batch.factors[0], scratch->u, scratch->scores);
    return;
  }
  scratch->scores.assign(states * kLanes, 0.0);
  if (!batch.terms.empty()) {
    const double* const u = scratch->u.data();
    double* const scores = scratch->scores.data();
    return ForEachTermOfLanes(batch, block,
                              [=](std::size_t s, std::size_t l, Index k, double value) {
                                scores[s * kLanes + l] += value * u[k];
                              });
  }
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::size_t f = block * kLanes + l;
    if (f >= batch.factors.size()) break;
    scratch->table.assign(states, 0.0);
    AddPartScores(given, first + batch.factors[f], scratch->u, scratch->table);
    for (std::size_t s = 0; s < states; ++s) scratch->scores[s * kLanes + l] = scratch->table[s];
  }
}

void PdhgBlocks::AddFeatures(const PdhgLayout::Batch& batch, Index block,
                             std::span<const double> entries, PdhgScratch* scratch) const {
  const ExampleView given = example();
  const Index first = given.graph().num_variables();
  const std::size_t states = batch.states;
  scratch->table.resize(states);
  if (batch.shared) {
    for (std::size_t s = 0; s < states; ++s) {
      double sum = 0;
      for (std::size_t l = 0; l < kLanes; ++l) sum += entries[s * kLanes + l];
      scratch->table[s] = sum;
    }
    AddMarginalFeatures(given, first + batch.factors[0], scratch->table, 1, scratch->q);
    return;
  }
  if (!batch.terms.empty()) {
    double* const q = scratch->q.data();
    return ForEachTermOfLanes(batch, block,
                              [=](std::size_t s, std::size_t l, Index k, double value) {
                                q[k] += value * entries[s * kLanes + l];
                              });
  }
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::size_t f = block * kLanes + l;
    if (f >= batch.factors.size()) break;
    for (std::size_t s = 0; s < states; ++s) scratch->table[s] = entries[s * kLanes + l];
    AddMarginalFeatures(given, first + batch.factors[f], scratch->table, 1, scratch->q);
  }
}

void PdhgBlocks::Gather(const PdhgLayout::Batch& batch, Index block, std::span<const double> from,
                        double* rows) const {
  const Offset* place = batch.place.data() + static_cast<Offset>(block) * batch.order * kLanes;
  for (Index k = 0; k < batch.order; ++k, place += kLanes) {
    for (Index s = 0; s < batch.first_row[k + 1] - batch.first_row[k]; ++s, rows += kLanes)
      for (std::size_t l = 0; l < kLanes; ++l) rows[l] = from[place[l] + s];
  }
}

namespace {

/// sums += the rows of a block, at the places of its factors' variables.
void ScatterRows(const PdhgLayout::Batch& batch, Index block, const double* rows,
                 std::span<double> sums) {
  const Offset* place = batch.place.data() + static_cast<Offset>(block) * batch.order * kLanes;
  // The last block ends with filling factors.
  const std::size_t lanes =
      std::min(kLanes, batch.factors.size() - static_cast<std::size_t>(block) * kLanes);
  for (Index k = 0; k < batch.order; ++k, place += kLanes) {
    for (Index s = 0; s < batch.first_row[k + 1] - batch.first_row[k]; ++s, rows += kLanes)
      for (std::size_t l = 0; l < lanes; ++l) sums[place[l] + s] += rows[l];
  }
}

PdhgBlock BlockOf(const PdhgLayout::Batch& batch) {
  PdhgBlock block;
  block.states = batch.states;
  block.order = batch.order;
  block.rows = batch.rows;
  block.row_of = batch.row_of.data();
  block.own_scores = !batch.shared;
  return block;
}

}  // namespace

void PdhgBlocks::Iterate(double relaxation, PdhgScratch* scratch) {
  StepVariables(relaxation, scratch);
  std::fill(message_sums_.begin(), message_sums_.end(), 0.0);
  const std::size_t rows = layout_->largest_rows();
  scratch->rows.resize(2 * rows * kLanes);
  scratch->block.resize(rows);
  const double* steps = factor_steps_.data();
  for (const PdhgLayout::Batch& batch : layout_->batches()) {
    PdhgBlock block = BlockOf(batch);
    block.relaxation = relaxation;
    block.mirrored = scratch->rows.data() + rows * kLanes;
    for (Index k = 0; k < batch.order; ++k) {
      const Index states = batch.first_row[k + 1] - batch.first_row[k];
      for (Index s = 0; s < states; ++s)
        scratch->block[batch.first_row[k] + s] =
            1 / (scale_ * (1 + static_cast<double>(batch.states) / states));
    }
    block.row_steps = scratch->block.data();
    if (batch.shared) FillScores(batch, 0, scratch);
    scratch->sums.assign(batch.states * kLanes, 0.0);
    for (Index b = 0; b < batch.blocks; ++b, steps += kLanes) {
      if (!batch.shared) FillScores(batch, b, scratch);
      block.scores = scratch->scores.data();
      block.entries = tables_.data() + batch.table + static_cast<Offset>(b) * batch.states * kLanes;
      double* const messages =
          messages_.data() + batch.message + static_cast<Offset>(b) * batch.rows * kLanes;
      block.steps = steps;
      Gather(batch, b, scratch->mirror, scratch->rows.data() + rows * kLanes);
      PdhgStep(block, messages, scratch->sums.data(), scratch->rows.data());
      ScatterRows(batch, b, messages, message_sums_);
      if (batch.shared) continue;
      AddFeatures(batch, b, scratch->sums, scratch);
      std::fill(scratch->sums.begin(), scratch->sums.end(), 0.0);
    }
    if (batch.shared) AddFeatures(batch, 0, scratch->sums, scratch);
  }
}

double PdhgBlocks::Bound(PdhgScratch* scratch) const {
  const FactorGraph& graph = example().graph();
  FillUnary(scratch);
  double sum = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const auto begin = scratch->unary.begin() + static_cast<std::ptrdiff_t>(graph.state_offset(i));
    sum += *std::max_element(begin, begin + graph.cardinality(i));
  }
  double maxima[kLanes];
  for (const PdhgLayout::Batch& batch : layout_->batches()) {
    PdhgBlock block = BlockOf(batch);
    if (batch.shared) FillScores(batch, 0, scratch);
    for (Index b = 0; b < batch.blocks; ++b) {
      if (!batch.shared) FillScores(batch, b, scratch);
      block.scores = scratch->scores.data();
      const Offset at = batch.message + static_cast<Offset>(b) * batch.rows * kLanes;
      PdhgMaxima(block, messages_.data() + at, maxima);
      const std::size_t lanes =
          std::min(kLanes, batch.factors.size() - static_cast<std::size_t>(b) * kLanes);
      for (std::size_t l = 0; l < lanes; ++l) sum += maxima[l];
    }
  }
  return sum;
}

double PdhgBlocks::Point(PdhgScratch* scratch) const {
  const ExampleView given = example();
  const FactorGraph& graph = given.graph();
  const std::span<const double> loss = problem_.loss(m_);
  scratch->marginals = variables_;
  double lost = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const std::size_t begin = graph.state_offset(i);
    const std::span<double> p = std::span(scratch->marginals).subspan(begin, graph.cardinality(i));
    Normalise(p);
    for (std::size_t s = 0; s < p.size(); ++s) lost += p[s] * loss[begin + s];
    AddMarginalFeatures(given, i, p, 1, scratch->q);
  }
  const std::size_t rows = layout_->largest_rows();
  scratch->rows.resize(3 * rows * kLanes);
  double* const wanted = scratch->rows.data();
  for (const PdhgLayout::Batch& batch : layout_->batches()) {
    const std::size_t entries = static_cast<std::size_t>(batch.states) * kLanes;
    scratch->sums.assign(entries, 0.0);
    scratch->block.resize(entries);
    for (Index b = 0; b < batch.blocks; ++b) {
      std::copy_n(tables_.begin() + batch.table + static_cast<Offset>(b * entries), entries,
                  scratch->block.begin());
      const std::size_t lanes =
          std::min(kLanes, batch.factors.size() - static_cast<std::size_t>(b) * kLanes);
      if (batch.order == 2) {
        Gather(batch, b, scratch->marginals, wanted);
        RepairPairs(batch.first_row[1], batch.rows - batch.first_row[1], wanted,
                    scratch->block.data(), wanted + rows * kLanes);
      } else {
        scratch->table.resize(batch.states);
        for (std::size_t l = 0; l < lanes; ++l) {
          for (Index s = 0; s < batch.states; ++s)
            scratch->table[s] = scratch->block[s * kLanes + l];
          RepairFactor(graph, batch.factors[b * kLanes + l], scratch->marginals, scratch->table);
          for (Index s = 0; s < batch.states; ++s)
            scratch->block[s * kLanes + l] = scratch->table[s];
        }
      }
      if (!batch.shared) {
        AddFeatures(batch, b, scratch->block, scratch);
        continue;
      }
      for (std::size_t s = 0; s < entries; ++s) scratch->sums[s] += scratch->block[s];
    }
    if (batch.shared) AddFeatures(batch, 0, scratch->sums, scratch);
  }
  return lost;
}

void PdhgBlocks::FindMessageSums() {
  std::fill(message_sums_.begin(), message_sums_.end(), 0.0);
  for (const PdhgLayout::Batch& batch : layout_->batches()) {
    for (Index b = 0; b < batch.blocks; ++b)
      ScatterRows(batch, b,
                  messages_.data() + batch.message + static_cast<Offset>(b) * batch.rows * kLanes,
                  message_sums_);
  }
}

void PdhgBlocks::Archive(StateArchive* archive) {
  archive->Tag("pdhg");
  archive->FiniteReals(variables_);
  archive->FiniteReals(tables_);
  archive->FiniteReals(messages_);
  if (archive->loading()) FindMessageSums();
}

}  // namespace slackline::internal
