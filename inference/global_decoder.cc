// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/global_decoder.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <slackline/factors/joint_states.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/global_solver.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

/// γ is halved when the bound has not fallen for this number of iterations.
constexpr Index kPatience = 5;
/// Iterations end below this γ, where steps are too short to change anything.
constexpr double kSmallestStep = 1e-4;
/// Candidates are improved in the first kImproveFirst iterations, and then in every
/// kImproveEvery-th.
constexpr Index kImproveFirst = 8;
constexpr Index kImproveEvery = 8;
constexpr int kMaxSweeps = 100;
constexpr double kExactTolerance = 1e-9;

std::shared_ptr<const FactorGraph> TablesOf(const FactorGraph& graph) {
  FactorGraphBuilder builder;
  for (const Index cardinality : graph.cardinalities()) builder.AddVariable(cardinality);
  for (Index c = 0; c < graph.num_factors(); ++c) builder.AddFactor(graph.scope(c));
  return builder.Build();
}

}  // namespace

GlobalDecoder::GlobalDecoder(std::shared_ptr<const Structure> structure,
                             const GlobalDecodeOptions& options)
    : structure_(std::move(structure)), options_(options) {
  SLACKLINE_CHECK(structure_ != nullptr, "a decoder needs a structure");
  const FactorGraph& graph = structure_->graph();
  if (structure_->has_forbidden_states()) {
    throw DataError(
        "a GlobalDecoder does not support forbidden states of tables; let a global factor forbid "
        "them");
  }
  tables_ = TablesOf(graph);
  solver_ = MakeMapSolver(SolverKind::kAuto, tables_);
  if (HasExactGlobals(graph)) exact_ = MakeGlobalSolver(structure_);
  enumerates_ =
      options.enumerate > 0 && CountLabellings(graph, options.enumerate) <= options.enumerate;
  globals_of_.resize(graph.num_variables());
  begin_.push_back(0);
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    Offset states = 0;
    for (const Index i : graph.global_scope(g)) {
      globals_of_[i].push_back(g);
      states += graph.cardinality(i);
    }
    begin_.push_back(begin_.back() + states);
    states_.emplace_back(graph.global_scope(g).size(), 0);
  }
}

std::span<const double> GlobalDecoder::LocalWeights(Index g,
                                                    std::span<const double> weights) const {
  const GlobalPart& part = structure_->globals()[g];
  if (part.block < 0) return {};
  const Offset first = structure_->layout().block(part.block).at(part.base, 0);
  return weights.subspan(first, part.factor->num_weights());
}

double GlobalDecoder::GlobalScore(Index g, std::span<const double> weights,
                                  std::span<const Index> labels) const {
  const GlobalFactor& factor = *structure_->globals()[g].factor;
  std::vector<Index> states(structure_->graph().global_scope(g).size());
  GlobalStates(structure_->graph(), g, labels, states);
  return factor.Allows(states) ? factor.Score(LocalWeights(g, weights), states) : -kInfinity;
}

double GlobalDecoder::Score(std::span<const double> scores, std::span<const double> weights,
                            std::span<const Index> labels) const {
  double sum = LabellingScore(*tables_, scores, labels);
  for (Index g = 0; g < structure_->graph().num_global_factors(); ++g)
    sum += GlobalScore(g, weights, labels);
  return sum;
}

void GlobalDecoder::Decode(const ExampleView& example, std::span<const double> weights,
                           MapResult* result) {
  SLACKLINE_CHECK(&example.structure() == structure_.get(), "the example has another structure");
  own_scores_.resize(structure_->graph().total_states());
  ScoreTables(example, weights, own_scores_);
  Decode(own_scores_, weights, result);
}

void GlobalDecoder::Decode(std::span<const double> scores, std::span<const double> weights,
                           MapResult* result) {
  SLACKLINE_CHECK(std::ssize(scores) == structure_->graph().total_states(),
                  "scores do not fit the graph");
  SLACKLINE_CHECK(std::ssize(weights) == structure_->layout().size(),
                  "weights do not fit the structure");
  result->integral = true;
  result->marginals.clear();
  result->labels.clear();
  result->value = -kInfinity;
  result->upper_bound = kInfinity;
  ++num_decoded_;
  if (enumerates_) {
    Enumerate(scores, weights, result);
    ++num_certified_;
    return;
  }
  if (exact_ != nullptr) {
    exact_->SetWeights(weights);
    exact_->Solve(scores, nullptr, result);
    ++num_certified_;
    return;
  }
  messages_.assign(begin_.back(), 0.0);
  warm_.bytes.clear();
  seen_.clear();
  double gamma = 1;
  Index stalled = 0;
  for (Index iteration = 0; iteration < options_.max_iterations; ++iteration) {
    const double bound = SolveSlaves(scores, weights);
    stalled = bound < result->upper_bound ? 0 : stalled + 1;
    result->upper_bound = std::min(result->upper_bound, bound);
    Consider(scores, weights, iteration < kImproveFirst || iteration % kImproveEvery == 0, result);
    const double gap = result->upper_bound - result->value;  // ∞ while no labelling is allowed
    if (std::isfinite(gap) && gap <= options_.tolerance * (1 + std::abs(result->value))) break;
    if (stalled >= kPatience) {
      gamma /= 2;
      stalled = 0;
    }
    if (stop_ != nullptr && stop_->Reached()) break;
    const double norm = Subgradient();
    if (norm == 0 || gamma < kSmallestStep) break;
    // Until an allowed labelling is found, the step aims at a value slightly below the bound.
    const double fall = std::isfinite(gap) ? bound - result->value : 0.1 * (1 + std::abs(bound));
    for (std::size_t k = 0; k < v_.size(); ++k) messages_[k] -= gamma * fall / norm * v_[k];
  }
  result->upper_bound = std::max(result->upper_bound, result->value);
  result->exact = std::isfinite(result->value) &&
                  result->upper_bound - result->value <=
                      std::max(kExactTolerance, options_.tolerance) * (1 + std::abs(result->value));
  num_certified_ += result->exact;
}

void GlobalDecoder::SetStop(const StopCondition* stop) {
  stop_ = stop;
  if (solver_ != nullptr) solver_->SetStop(stop);
  if (exact_ != nullptr) exact_->SetStop(stop);
}

void GlobalDecoder::Enumerate(std::span<const double> scores, std::span<const double> weights,
                              MapResult* result) {
  labels_.assign(tables_->num_variables(), 0);
  result->labels = labels_;
  do {
    const double value = Score(scores, weights, labels_);
    if (value > result->value) {
      result->value = value;
      result->labels = labels_;
    }
  } while (NextJoint(tables_->cardinalities(), labels_));
  result->upper_bound = result->value;
  result->exact = true;
}

/// Solves all slaves at messages_; returns L(δ).
double GlobalDecoder::SolveSlaves(std::span<const double> scores, std::span<const double> weights) {
  const FactorGraph& graph = structure_->graph();
  slave_scores_.assign(scores.begin(), scores.end());
  double bound = 0;
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    const std::span<const double> own =
        std::span<const double>(messages_).subspan(begin_[g], begin_[g + 1] - begin_[g]);
    bound +=
        CheckedMaximum(*structure_->globals()[g].factor, LocalWeights(g, weights), own, states_[g]);
    const double* message = own.data();
    for (const Index i : graph.global_scope(g)) {
      for (Index s = 0; s < graph.cardinality(i); ++s)
        slave_scores_[graph.state_offset(i) + s] += *message++;
    }
  }
  solver_->Solve(slave_scores_, &warm_, &slave_);
  return bound + slave_.upper_bound;
}

/// Sets v_ from the slaves' solutions; returns ‖v‖².
double GlobalDecoder::Subgradient() {
  const FactorGraph& graph = structure_->graph();
  v_.assign(messages_.size(), 0.0);
  double norm = 0;
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    double* own = v_.data() + begin_[g];
    const std::span<const Index> scope = graph.global_scope(g);
    for (std::size_t k = 0; k < scope.size(); ++k) {
      const Index i = scope[k];
      if (slave_.integral) {
        own[slave_.labels[i]] += 1;
      } else {
        for (Index s = 0; s < graph.cardinality(i); ++s)
          own[s] += slave_.marginals[graph.state_offset(i) + s];
      }
      own[states_[g][k]] -= 1;
      for (Index s = 0; s < graph.cardinality(i); ++s) norm += own[s] * own[s];
      own += graph.cardinality(i);
    }
  }
  return norm;
}

/// Sets the labels of the scope of global factor g to `states`.
void GlobalDecoder::Overlay(Index g, std::span<const Index> states, std::span<Index> labels) const {
  const std::span<const Index> scope = structure_->graph().global_scope(g);
  for (std::size_t k = 0; k < scope.size(); ++k) labels[scope[k]] = states[k];
}

/// Makes candidates of the slaves' solutions.
void GlobalDecoder::Consider(std::span<const double> scores, std::span<const double> weights,
                             bool improve, MapResult* result) {
  const Index globals = structure_->graph().num_global_factors();
  labels_ = slave_.labels;
  Candidate(scores, weights, improve, result);
  // The tables' labelling overlaid by the states of all global factors (the last one wins where
  // they overlap). Then one candidate per global factor, overlaid alone.
  labels_ = slave_.labels;
  for (Index g = 0; g < globals; ++g) Overlay(g, states_[g], labels_);
  Candidate(scores, weights, improve, result);
  if (!improve || globals < 2) return;
  for (Index g = 0; g < globals; ++g) {
    labels_ = slave_.labels;
    Overlay(g, states_[g], labels_);
    Candidate(scores, weights, improve, result);
  }
}

/// Stores labels_ in the result if it is better than the labelling there. With `improve`, improves
/// it first, unless the same candidate was improved before.
void GlobalDecoder::Candidate(std::span<const double> scores, std::span<const double> weights,
                              bool improve, MapResult* result) {
  if (improve) {
    if (std::find(seen_.begin(), seen_.end(), labels_) != seen_.end()) return;
    seen_.push_back(labels_);
  }
  const double value =
      improve ? Improve(scores, weights, labels_) : Score(scores, weights, labels_);
  if (value <= result->value && !result->labels.empty()) return;
  result->value = value;
  result->labels = labels_;
}

double GlobalDecoder::Improve(std::span<const double> scores, std::span<const double> weights,
                              std::span<Index> labels) {
  const FactorGraph& graph = structure_->graph();
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool moved = false;
    for (Index i = 0; i < graph.num_variables(); ++i)
      moved = MoveVariable(i, scores, weights, labels) || moved;
    for (Index g = 0; g < graph.num_global_factors(); ++g)
      moved = MoveGlobal(g, scores, weights, labels) || moved;
    if (!moved) break;
  }
  return Score(scores, weights, labels);
}

/// out[s] = the score of all parts that contain variable i, except global factor `without`, with
/// variable i in state s and the others as in `labels`.
void GlobalDecoder::ConditionalScores(Index i, std::span<const double> scores,
                                      std::span<const double> weights, Index without,
                                      std::span<Index> labels, double* out) const {
  const FactorGraph& graph = *tables_;
  const Index before = labels[i];
  for (Index s = 0; s < graph.cardinality(i); ++s) {
    labels[i] = s;
    out[s] = scores[graph.state_offset(i) + s];
    for (const Incidence& at : graph.factors_of(i)) {
      out[s] += scores[graph.factor_offset(at.factor) + JointState(graph, at.factor, labels)];
    }
    for (const Index g : globals_of_[i]) {
      if (g != without) out[s] += GlobalScore(g, weights, labels);
    }
  }
  labels[i] = before;
}

bool GlobalDecoder::MoveVariable(Index i, std::span<const double> scores,
                                 std::span<const double> weights, std::span<Index> labels) {
  std::vector<double> own(tables_->cardinality(i));
  ConditionalScores(i, scores, weights, -1, labels, own.data());
  const auto best = std::max_element(own.begin(), own.end());
  const double now = own[labels[i]];
  // Smaller gains may be rounding errors.
  if (!(*best > now) || *best - now <= 1e-12 * (1 + std::abs(*best))) return false;
  labels[i] = static_cast<Index>(best - own.begin());
  return true;
}

/// Tries the best states of global factor g for conditional scores that keep all other variables
/// fixed. These scores are only an approximation if other parts join variables of the scope, so the
/// states are taken only if the total score gains.
bool GlobalDecoder::MoveGlobal(Index g, std::span<const double> scores,
                               std::span<const double> weights, std::span<Index> labels) {
  const FactorGraph& graph = structure_->graph();
  const std::span<const Index> scope = graph.global_scope(g);
  std::vector<double> messages(begin_[g + 1] - begin_[g]);
  double largest = 1;
  double* own = messages.data();
  for (const Index i : scope) {
    ConditionalScores(i, scores, weights, g, labels, own);
    for (Index s = 0; s < graph.cardinality(i); ++s) {
      if (std::isfinite(own[s])) largest += std::abs(own[s]);
    }
    own += graph.cardinality(i);
  }
  // A state that another factor forbids gets a penalty larger than all other scores together.
  for (double& message : messages) message = std::isfinite(message) ? -message : 2 * largest;
  std::vector<Index> states(scope.size());
  CheckedMaximum(*structure_->globals()[g].factor, LocalWeights(g, weights), messages, states);
  const std::vector<Index> before(labels.begin(), labels.end());
  const double old_score = Score(scores, weights, labels);
  Overlay(g, states, labels);
  const double score = Score(scores, weights, labels);
  if (score > old_score && !(score - old_score <= 1e-12 * (1 + std::abs(score)))) return true;
  std::copy(before.begin(), before.end(), labels.begin());
  return false;
}

}  // namespace slackline::internal
