// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/slack_oracle.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/loss.h>
#include <slackline/factors/joint_states.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/message_branch_and_bound.h>
#include <slackline/learning/oracle/slack_search.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

/// Most table entries of a call that counts: some 50 ms. Beyond, solvers for sums are used: they
/// take a few calls, each linear in the number of variables.
constexpr double kMostCountWork = 5e7;

}  // namespace

SlackMethod SlackMethodOf(const Problem& problem, Index m, SolverKind solver) {
  return SlackOracle(problem, solver).MethodOf(m);
}

std::vector<bool> SlackNeedsSolver(const Problem& problem, SolverKind solver) {
  std::vector<bool> needs(problem.data().structures().size(), false);
  if (solver == SolverKind::kBruteForce) return needs;
  SlackOracle oracle(problem, solver);
  for (Index m = 0; m < problem.size(); ++m) {
    const std::size_t structure = problem.data().structure_of(m);
    if (!needs[structure]) needs[structure] = oracle.MethodOf(m) == SlackMethod::kMultipliers;
  }
  return needs;
}

SolverKind AutomaticSlackSolver(const FactorGraph& graph) {
  if (graph.num_global_factors() > 0 || IsForest(graph)) return AutomaticSolver(graph);
  if (MessageBranchAndBound::Fits(graph)) return SolverKind::kMessagesBranchAndBound;
  return IsBinaryPairwise(graph) ? SolverKind::kRoof : SolverKind::kMessages;
}

SlackOracle::SlackOracle(const Problem& problem, SolverKind solver)
    : problem_(problem), solver_(solver) {
  forests_.resize(problem.data().structures().size());
  if (solver != SolverKind::kBruteForce) return;
  for (const auto& structure : problem.data().structures()) {
    if (CountLabellings(structure->graph(), kMaxLabellings) > kMaxLabellings)
      throw DataError(
          "--oracle brute-force tries all labellings, but there are too many; use "
          "--oracle auto");
  }
}

CountForest& SlackOracle::ForestOf(Index m) {
  const std::size_t structure = problem_.data().structure_of(m);
  std::unique_ptr<CountForest>& forest = forests_[structure];
  if (!forest)
    forest = std::make_unique<CountForest>(problem_.data().structures()[structure]->shared_graph());
  return *forest;
}

/// Sets counts_ where the method is kCounts, and where it is kMultipliers and the loss has counts.
/// Otherwise counts_ has no values.
SlackMethod SlackOracle::MethodOf(Index m, SolverKind solver) {
  const FactorGraph& graph = problem_.data().example(m).graph();
  if (solver == SolverKind::kBruteForce) return SlackMethod::kEnumeration;
  if (!CountLosses(problem_, m, &counts_)) counts_.values.clear();
  // The loss 1 − F1 has no other method, and its solver is named `tree` as well as `auto`.
  if (problem_.training().form == LossForm::kF1) return SlackMethod::kCounts;
  if (solver != SolverKind::kAuto) return SlackMethod::kMultipliers;
  if (!counts_.values.empty() && CountForest::Fits(graph) &&
      ForestOf(m).CallWork(counts_.states) <= kMostCountWork)
    return SlackMethod::kCounts;
  return CountLabellings(graph, kMaxSlackLabellings) <= kMaxSlackLabellings
             ? SlackMethod::kEnumeration
             : SlackMethod::kMultipliers;
}

/// w·φ(labels); −∞ where a state or a global factor forbids the labelling.
double SlackOracle::ScoreOf(const Structure& structure, std::span<const double> u,
                            std::span<const Index> labels) {
  const FactorGraph& graph = structure.graph();
  double sum = 0;
  for (Index i = 0; i < graph.num_variables(); ++i)
    sum += scores_[graph.state_offset(i) + labels[i]];
  for (Index c = 0; c < graph.num_factors(); ++c)
    sum += scores_[graph.factor_offset(c) + JointState(graph, c, labels)];
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    const GlobalPart& part = structure.globals()[g];
    states_.resize(graph.global_scope(g).size());
    GlobalStates(graph, g, labels, states_);
    if (!part.factor->Allows(states_)) return -kInfinity;
    if (part.block < 0 || part.factor->num_weights() == 0) continue;
    sum += part.factor->Score(u.subspan(part.coordinate, part.factor->num_weights()), states_);
  }
  return sum;
}

void SlackOracle::Maximise(Index m, std::span<const double> u, MapSolver* sums, WarmStart* warm,
                           MapResult* result) {
  const ExampleView example = problem_.data().example(m);
  const std::span<const Index> truth = example.labels();
  scores_.assign(example.graph().total_states(), 0.0);
  AddScores(example, u, scores_);
  work_ += 2 * example.graph().total_states();
  const double truth_score = ScoreOf(example.structure(), u, truth);
  result->labels.assign(truth.begin(), truth.end());
  result->marginals.clear();
  result->integral = true;
  double bound = -kInfinity;
  const SlackMethod method = MethodOf(m);
  switch (method) {
    case SlackMethod::kCounts:
      bound = ByCounts(m, truth_score, result->labels);
      break;
    case SlackMethod::kEnumeration:
      bound = ByEnumeration(m, u, truth_score, result->labels);
      break;
    case SlackMethod::kMultipliers:
      bound = ByMultipliers(m, u, truth_score, sums, warm, result->labels);
      break;
  }
  result->value = Value(truth_score, problem_.training().LossOf(m, result->labels),
                        ScoreOf(example.structure(), u, result->labels));
  if (!(result->value > truth_score)) {
    result->value = truth_score;
    result->labels.assign(truth.begin(), truth.end());
  }
  result->upper_bound = std::max(bound, result->value);
  result->exact = method != SlackMethod::kMultipliers || result->upper_bound == result->value;
}

double SlackOracle::ByCounts(Index m, double truth, std::span<Index> labels) {
  // Δ(1 + score − truth) + truth
  add_.clear();
  for (const double loss : counts_.values) add_.push_back(Value(truth, loss, 0));
  return ForestOf(m).Maximise(scores_, counts_.states, {add_, counts_.values}, labels);
}

double SlackOracle::ByEnumeration(Index m, std::span<const double> u, double truth,
                                  std::span<Index> labels) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  double best = truth;
  labels_.assign(graph.num_variables(), 0);
  do {
    const double score = ScoreOf(example.structure(), u, labels_);
    work_ += graph.num_parts();
    if (score == -kInfinity) continue;  // forbidden
    const double value = Value(truth, problem_.training().LossOf(m, labels_), score);
    if (value > best) {
      best = value;
      std::copy(labels_.begin(), labels_.end(), labels.begin());
    }
  } while (NextJoint(graph.cardinalities(), labels_));
  return best;
}

double SlackOracle::ByMultipliers(Index m, std::span<const double> u, double truth, MapSolver* sums,
                                  WarmStart* warm, std::span<Index> labels) {
  SLACKLINE_CHECK(sums != nullptr, "the example needs a solver for sums");
  const ExampleView example = problem_.data().example(m);
  const std::span<const double> loss = problem_.loss(m);
  double best = 0;
  const SlackBounds bounds = SearchMultipliers(
      LargestLoss(problem_, m), counts_.values, [&](double multiplier) -> MultiplierAnswer {
        sum_scores_ = scores_;
        for (std::size_t s = 0; s < loss.size(); ++s) sum_scores_[s] += multiplier * loss[s];
        sums->Solve(sum_scores_, warm, &answer_);
        const double score = ScoreOf(example.structure(), u, answer_.labels) - truth;
        const double found = problem_.training().LossOf(m, answer_.labels);
        if (found * (1 + score) > best) {
          best = found * (1 + score);
          std::copy(answer_.labels.begin(), answer_.labels.end(), labels.begin());
        }
        return {answer_.upper_bound - truth, score, found};
      });
  return truth + bounds.upper_bound;
}

std::int64_t SlackOracle::work() const {
  std::int64_t work = work_;
  for (const auto& forest : forests_) work += forest ? forest->work() : 0;
  return work;
}

}  // namespace slackline::internal
