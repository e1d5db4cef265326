// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/active_pairs.h>

#include <algorithm>

namespace slackline::internal {
namespace {

/// Above this share of active pairs, copies of their planes save no time.
constexpr double kLargestShare = 0.35;

// Shares of woken pairs among the active ones. Passes over all pairs become rarer below the first,
// and more frequent above the second.
constexpr double kFewWoken = 0.02;
constexpr double kManyWoken = 0.125;
constexpr Index kMostEvery = 16;
constexpr Index kLeastEvery = 2;

}  // namespace

ActivePairs::Counts ActivePairs::Collect(const BlockLayout& layout, const double* state) {
  const PairGroup& pairs = layout.pairs;
  const FactorGraph& graph = layout.structure->graph();
  const std::size_t count = pairs.count;
  const bool was_in_use = in_use_;
  member_.resize(count, 0);
  pair_.clear();
  const double* mu1 = state + pairs.plane(1);
  const double* mu2 = state + pairs.plane(2);
  const double* mu3 = state + pairs.plane(3);
  Counts counts;
  for (std::size_t k = 0; k < count; ++k) {
    const bool variables_off =
        state[pairs.first_state[k]] == 0 && state[pairs.second_state[k]] == 0;
    const bool rests = variables_off && mu1[k] == 0 && mu2[k] == 0 && mu3[k] == 0;
    if (!rests) pair_.push_back(static_cast<Index>(k));
    if (was_in_use && !rests && variables_off && member_[k] == 0) ++counts.woken;
    member_[k] = rests ? 0 : 1;
  }
  counts.active = static_cast<Offset>(pair_.size());
  in_use_ = static_cast<double>(pair_.size()) <= kLargestShare * static_cast<double>(count);
  if (!in_use_) {
    pair_.clear();
    return counts;
  }
  CopyPlanes(layout, state);
  all_active_.resize(graph.num_variables());
  for (Index i = 0; i < graph.num_variables(); ++i)
    all_active_[i] = graph.cardinality(i) == 2 && state[graph.state_offset(i) + 1] != 0;
  resting_.assign(graph.variable_states(), 0.0);
  if (pairs.eta < 0) return counts;
  const double* eta_first = state + pairs.eta;
  const double* eta_second = eta_first + pairs.count;
  for (std::size_t k = 0; k < count; ++k) {
    if (member_[k] != 0) continue;
    resting_[pairs.first_state[k]] += eta_first[k];
    resting_[pairs.second_state[k]] += eta_second[k];
  }
  return counts;
}

void ActivePairs::CopyPlanes(const BlockLayout& layout, const double* state) {
  // Leaves room for the pairs of at least one variable that may become active.
  capacity_ = pair_.size() + layout.structure->graph().num_variables();
  planes_.resize(layout.pairs.num_planes() * capacity_);
  ReadBack(layout, state);
}

void ActivePairs::WriteBack(const BlockLayout& layout, double* state) const {
  const int planes = layout.pairs.num_planes();
  for (int p = 0; p < planes; ++p) {
    double* to = state + layout.pairs.plane(p);
    const double* from = plane(p);
    for (std::size_t a = 0; a < pair_.size(); ++a) to[pair_[a]] = from[a];
  }
}

void ActivePairs::ReadBack(const BlockLayout& layout, const double* state) {
  for (int p = 0; p < layout.pairs.num_planes(); ++p) {
    const double* from = state + layout.pairs.plane(p);
    double* to = plane(p);
    for (std::size_t a = 0; a < pair_.size(); ++a) to[a] = from[pair_[a]];
  }
}

void ActivePairs::SumMessages(const BlockLayout& layout, double inverse_rho, double* sums) const {
  const PairGroup& pairs = layout.pairs;
  std::copy(resting_.begin(), resting_.end(), sums);
  const double* mu1 = plane(1);
  const double* mu2 = plane(2);
  const double* mu3 = plane(3);
  const double* eta_first = pairs.eta >= 0 ? plane(4) : nullptr;
  const double* eta_second = pairs.eta >= 0 ? plane(5) : nullptr;
  for (std::size_t a = 0; a < pair_.size(); ++a) {
    const Index k = pair_[a];
    double first = (mu2[a] + mu3[a]) * inverse_rho;
    double second = (mu1[a] + mu3[a]) * inverse_rho;
    if (eta_first != nullptr) {
      first += eta_first[a];
      second += eta_second[a];
    }
    sums[pairs.first_state[k]] += first;
    sums[pairs.second_state[k]] += second;
  }
}

void ActivePairs::Wake(const BlockLayout& layout, const double* state) {
  const FactorGraph& graph = layout.structure->graph();
  for (Index i = 0; i < graph.num_variables(); ++i) {
    if (all_active_[i] != 0 || graph.cardinality(i) != 2 || state[graph.state_offset(i) + 1] == 0)
      continue;
    all_active_[i] = 1;
    for (const Incidence& incidence : graph.factors_of(i)) {
      const FactorPlace place = layout.places[incidence.factor];
      if (place.pair && member_[place.index] == 0) Append(layout, state, place.index);
    }
  }
}

void ActivePairs::Append(const BlockLayout& layout, const double* state, Index k) {
  const PairGroup& pairs = layout.pairs;
  const int planes = pairs.num_planes();
  const std::size_t a = pair_.size();
  if (a == capacity_) {
    const std::size_t larger = std::min<std::size_t>(pairs.count, 2 * capacity_ + 8);
    std::vector<double> moved(planes * larger);
    for (int p = 0; p < planes; ++p)
      std::copy(plane(p), plane(p) + a, moved.begin() + static_cast<std::ptrdiff_t>(larger) * p);
    planes_ = std::move(moved);
    capacity_ = larger;
  }
  member_[k] = 1;
  pair_.push_back(k);
  for (int p = 0; p < planes; ++p) plane(p)[a] = state[pairs.plane(p) + k];
  if (pairs.eta < 0) return;
  resting_[pairs.first_state[k]] -= plane(4)[a];
  resting_[pairs.second_state[k]] -= plane(5)[a];
}

PairPlanes ActivePairs::Planes(const BlockLayout& layout, const double* state,
                               const std::vector<double>& all_weights, double* marginals,
                               double* weights) {
  const PairGroup& pairs = layout.pairs;
  PairPlanes planes;
  planes.count = count();
  for (int p = 0; p < 4; ++p) planes.mu[p] = plane(p);
  if (pairs.eta >= 0) {
    planes.eta[0] = plane(4);
    planes.eta[1] = plane(5);
  }
  for (std::size_t a = 0; a < pair_.size(); ++a) {
    const std::size_t k = pair_[a];
    marginals[a] = state[pairs.first_state[k]];
    marginals[pair_.size() + a] = state[pairs.second_state[k]];
    weights[a] = all_weights[pairs.weight[k]];
  }
  planes.p_first = marginals;
  planes.p_second = marginals + pair_.size();
  planes.weights = weights;
  return planes;
}

void ActivePairs::ScatterWeights(const BlockLayout& layout, const double* weights,
                                 std::vector<double>* all_weights) const {
  for (std::size_t a = 0; a < pair_.size(); ++a) {
    const Offset position = layout.pairs.weight[pair_[a]];
    (*all_weights)[position] = weights[a];
  }
}

void ActivePairs::Archive(const BlockLayout& layout, const double* state, StateArchive* archive) {
  bool in_use = in_use_;
  archive->Flag(&in_use);
  if (archive->loading()) Clear();
  if (!in_use) return;
  const FactorGraph& graph = layout.structure->graph();
  in_use_ = true;
  archive->Indices(&pair_, 0, layout.pairs.count - 1);
  resting_.resize(graph.variable_states());
  if (archive->loading()) {
    member_.assign(layout.pairs.count, 0);
    for (const Index k : pair_) {
      StateReader::Require(member_[k] == 0, "a pair is active twice");
      member_[k] = 1;
    }
  }
  archive->FiniteReals(resting_);
  archive->Bytes(&all_active_);
  if (!archive->loading()) return;
  StateReader::Require(std::ssize(all_active_) == graph.num_variables(),
                       "active pairs do not fit their example");
  CopyPlanes(layout, state);
}

void ShrinkSchedule::AfterAll(const ActivePairs::Counts& counts) {
  since_ = 1;
  const auto active = static_cast<double>(counts.active);
  const auto woken = static_cast<double>(counts.woken);
  if (woken <= kFewWoken * active) every_ = std::min(kMostEvery, 2 * every_);
  if (woken > kManyWoken * active) every_ = std::max(kLeastEvery, every_ / 2);
}

void ShrinkSchedule::Archive(StateArchive* archive) {
  archive->Integer(&every_, kLeastEvery, kMostEvery);
  archive->Integer(&since_, 0, kMostEvery);
}

}  // namespace slackline::internal
