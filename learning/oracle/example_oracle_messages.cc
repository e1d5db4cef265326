// SPDX-License-Identifier: BSD-3-Clause
//
// Methods of ExampleOracle that fill a table once for all factors that share it: forests of pairs,
// and message passing with branch and bound.
#include <algorithm>
#include <cmath>

#include <slackline/core/feature_map.h>
#include <slackline/inference/message_passing.h>
#include <slackline/inference/rounding.h>
#include <slackline/learning/oracle/example_oracle.h>

namespace slackline::internal {
namespace {

/// Iterations of message passing in a call. On grids of 20 × 20 variables with 10 states, training
/// took as many passes to a certified gap with 8 iterations as with 100.
constexpr Index kTrainingIterations = 5;
constexpr Index kCheckingIterations = 30;

/// Iterations of PassLonger, and the number of iterations between its labellings.
constexpr Index kLongIterations = 30;
constexpr Index kDecodeEvery = 10;
constexpr double kMessageTolerance = 1e-5;  // of the value: least gain of an iteration
constexpr double kReached = 1e-9;           // of max(1, |value|): a gap not worth branch and bound

}  // namespace

template <class Solver>
void ExampleOracle::FillScores(std::span<const Index> table_factor, Index m,
                               std::span<const double> slot_scores, std::span<const double> weights,
                               Solver* solver) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  ReadCoordinates(example.structure(), slot_scores, weights);
  const std::span<const double> loss = problem_.loss(m);
  const std::span<double> scores = solver->variable_scores();
  std::copy(loss.begin(), loss.end(), scores.begin());
  for (Index i = 0; i < graph.num_variables(); ++i) {
    AddPartScores(example, i, coordinates_,
                  scores.subspan(graph.state_offset(i), graph.cardinality(i)));
  }
  for (std::size_t t = 0; t < table_factor.size(); ++t) {
    const Index c = table_factor[t];
    scores_.assign(graph.factor_states(c), 0.0);
    AddPartScores(example, graph.num_variables() + c, coordinates_, scores_);
    solver->SetTable(static_cast<Index>(t), scores_);
  }
  labels_.resize(graph.num_variables());
}

void ExampleOracle::ReadLabelling(Index m, SparseCorner* corner) {
  const ExampleView example = problem_.data().example(m);
  std::fill(coordinates_.begin(), coordinates_.end(), 0.0);
  AddLabellingFeatures(example, labels_, 1, coordinates_);
  SparsifyCorner(example.structure(), coordinates_, corner);
  corner->loss += problem_.training().LossOf(m, labels_);
}

double ExampleOracle::MaximiseForest(ForestMethod* method, Index m,
                                     std::span<const double> slot_scores,
                                     std::span<const double> weights, bool bound,
                                     SparseCorner* corner) {
  FillScores(method->table_factor, m, slot_scores, weights, method->forest.get());
  const double value = method->forest->Maximise(labels_);
  table_work_ += method->forest->work();
  if (!bound) ReadLabelling(m, corner);
  return value;
}

/// Makes a few iterations and a labelling for training; for checks only computes the bound.
double ExampleOracle::MaximiseByMessages(MessageMethod* method, Index m,
                                         std::span<const double> slot_scores,
                                         std::span<const double> weights, WarmStart* warm,
                                         bool bound, SparseCorner* corner) {
  const FactorGraph& graph = problem_.data().example(m).graph();
  MessagePassing& passing = *method->passing;
  FillScores(method->table_factor, m, slot_scores, weights, &passing);
  ReadMessages(graph, warm, &messages_);
  const Index iterations =
      options_.effort == Effort::kTraining ? kTrainingIterations : kCheckingIterations;
  double reached = kInfinity;
  for (Index k = 0; k < iterations; ++k) {
    const double before = reached;
    reached = std::min(reached, passing.Iterate(messages_));
    table_work_ += passing.iteration_work();
    if (before - reached <= kMessageTolerance * std::abs(reached)) break;
  }
  WriteMessages(messages_, warm);
  const bool searches = method->search && options_.searches == Searches::kAlways;
  if (bound && !searches) return passing.Bound(messages_);

  passing.Decode(messages_, labels_);
  passing.Improve(labels_);
  if (searches) {
    const double certified = passing.Bound(messages_);
    FillAllScores(m, coordinates_);  // coordinates_ are set by FillScores
    const double value = LabellingScore(graph, scores_, labels_);
    reached = std::max(value, certified);
    if (reached - value > kReached * std::max(1.0, std::abs(value))) {
      BranchAndBoundPlan plan = BranchAndBoundPlan::Read(graph, warm);
      method->search->Solve(scores_, messages_, &result_, plan.next_doublings());
      plan.Record(result_.exact);
      plan.Write(graph, warm);
      if (result_.value > value) labels_ = result_.labels;
      reached = std::max({value, result_.value, std::min(certified, result_.upper_bound)});
    }
    if (bound) return reached;
  }
  ReadLabelling(m, corner);
  return reached;
}

bool ExampleOracle::SearchesOnDemand(Index m) const {
  return options_.searches == Searches::kOnDemand &&
         std::holds_alternative<MessageMethod>(entries_[problem_.data().structure_of(m)].method);
}

double ExampleOracle::Search(Index m, std::span<const double> slot_scores,
                             std::span<const double> weights, Index doublings, WarmStart* warm,
                             SparseCorner* corner, bool* complete) {
  *complete = false;
  if (corner == nullptr && EndsEarly(m)) return kInfinity;
  auto& method = std::get<MessageMethod>(entries_[problem_.data().structure_of(m)].method);
  const FactorGraph& graph = problem_.data().example(m).graph();
  ReadMessages(graph, warm, &messages_);
  double bound = kInfinity;
  if (method.search) {
    ReadCoordinates(problem_.data().example(m).structure(), slot_scores, weights);
    FillAllScores(m, coordinates_);
    method.search->Solve(scores_, messages_, &result_, doublings);
    bound = result_.upper_bound;
    *complete = result_.exact;
  } else {
    bound = PassLonger(&method, m, slot_scores, weights);
    WriteMessages(messages_, warm);
  }
  if (corner != nullptr) {
    labels_ = result_.labels;
    ReadLabelling(m, corner);
  }
  return bound;
}

/// Makes many iterations from messages_; result_ becomes the best labelling found on the way.
double ExampleOracle::PassLonger(MessageMethod* method, Index m,
                                 std::span<const double> slot_scores,
                                 std::span<const double> weights) {
  MessagePassing& passing = *method->passing;
  FillScores(method->table_factor, m, slot_scores, weights, &passing);
  result_.value = -kInfinity;
  result_.labels.clear();
  for (Index k = 0; k < kLongIterations; ++k) {
    const bool cut = MustEnd();
    if (cut && !result_.labels.empty()) break;
    passing.Iterate(messages_);
    table_work_ += passing.iteration_work();
    if ((k + 1) % kDecodeEvery != 0 && !cut) continue;
    passing.Decode(messages_, labels_);
    passing.Improve(labels_);
    table_work_ += passing.iteration_work();
    const double value = passing.Score(labels_);
    if (value <= result_.value) continue;
    result_.value = value;
    result_.labels = labels_;
  }
  return passing.Bound(messages_);
}

}  // namespace slackline::internal
