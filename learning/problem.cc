// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/problem.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/exact_sum.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/global_solver.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

std::unique_ptr<MapSolver> MakeLossSolver(const Structure& structure) {
  const std::shared_ptr<const FactorGraph>& graph = structure.shared_graph();
  constexpr Offset kFew = Offset{1} << 20;  // branch and bound does not give up on so few
  const bool search = !IsForest(*graph) && CountLabellings(*graph, kFew) <= kFew;
  return MakeMapSolver(search ? SolverKind::kBranchAndBound : SolverKind::kAuto, graph);
}

/// max Δ over the labellings that the global factors allow, found by the structure's own solver
/// (inference/global_solver.h).
double LargestAllowedLoss(const std::shared_ptr<const Structure>& structure,
                          std::span<const double> loss, std::unique_ptr<MapSolver>* solver) {
  const std::vector<double> weights(structure->layout().size(), 0.0);
  if (*solver == nullptr) *solver = MakeStructureSolver(SolverKind::kGlobal, structure);
  (*solver)->SetWeights(weights);
  MapResult best;
  (*solver)->Solve(loss, nullptr, &best);
  return best.upper_bound;
}

/// max Δ over the labellings without forbidden states; on graphs with cycles and more than 2^20
/// labellings an upper bound. Throws DataError where the solver has found no labelling.
double LargestAllowedLoss(const ExampleView& example, std::span<const double> loss,
                          MapSolver* solver) {
  const FactorGraph& graph = example.graph();
  std::vector<double> scores(graph.total_states(), 0.0);
  std::copy(loss.begin(), loss.end(), scores.begin());
  for (Index a = 0; a < graph.num_parts(); ++a) {
    for (const Index s : example.structure().forbidden_states(a))
      scores[graph.state_offset(a) + s] = -kInfinity;
  }
  MapResult best;
  solver->Solve(scores, nullptr, &best);
  return best.upper_bound;
}

/// Adds the terms of the sum in PrimalAtZeroWeights.
void AddLargestLosses(const Problem& problem, SumOverExamples* sum) {
  std::vector<std::unique_ptr<MapSolver>> solvers(problem.data().structures().size());
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    const FactorGraph& graph = example.graph();
    const std::span<const double> loss = problem.loss(m);
    if (example.structure().has_forbidden_states() && graph.num_global_factors() == 0) {
      auto& solver = solvers[problem.data().structure_of(m)];
      if (solver == nullptr) solver = MakeLossSolver(example.structure());
      sum->Add(LargestAllowedLoss(example, loss, solver.get()));
      continue;
    }
    if (!example.structure().has_forbidden_states() && HasExactGlobals(graph)) {
      const std::size_t number = problem.data().structure_of(m);
      sum->Add(LargestAllowedLoss(problem.data().structures()[number], loss, &solvers[number]));
      continue;
    }
    for (Index i = 0; i < graph.num_variables(); ++i) {
      const double* begin = loss.data() + graph.state_offset(i);
      sum->Add(*std::max_element(begin, begin + graph.cardinality(i)));
    }
  }
}

}  // namespace

Problem::Problem(TrainingSet training, double lambda, const Ranks* ranks)
    : training_(std::make_shared<const TrainingSet>(std::move(training))), lambda_(lambda) {
  SLACKLINE_CHECK(std::isfinite(lambda) && lambda > 0, "lambda must be positive");
  const bool alone = ranks == nullptr || ranks->alone();
  SLACKLINE_CHECK(training_->data.size() > 0 || !alone, "there is no labelled example to train on");
  for (Index m = 0; m < size(); ++m) num_parts_ += data().example(m).graph().num_blocks();
}

double Problem::mean_squared_range() const {
  std::call_once(range_->known, [this] {
    double total = 0;
    SquaredRanges ranges;
    for (Index m = 0; m < size(); ++m)
      ranges.VisitParts(data().example(m), [&total](double range, Index count) {
        total = PlusTimes(total, range, count);
      });
    range_->mean_square = total / static_cast<double>(num_parts_);
  });
  return range_->mean_square;
}

Problem Problem::WithLambda(double lambda) const {
  SLACKLINE_CHECK(std::isfinite(lambda) && lambda > 0, "lambda must be positive");
  Problem other = *this;
  other.lambda_ = lambda;
  return other;
}

double Problem::penalty_scale() const {
  return PenaltyScale(lambda_, mean_squared_range(), size());
}

double PrimalAtZeroWeights(const Problem& problem, Ranks* exactly) {
  if (problem.training().form == LossForm::kF1)
    return 1;  // every labelling is allowed (support_table.h)
  SumOverExamples sum(exactly);
  Ranks& ranks = RanksOrOne(exactly);
  OnAllRanks(ranks, [&] { AddLargestLosses(problem, &sum); });
  return sum.Total() / static_cast<double>(ranks.SumOf(problem.size()));
}

bool RelaxationExceedsZero(const Problem& problem) {
  const auto& structures = problem.data().structures();
  return std::any_of(structures.begin(), structures.end(), [](const auto& structure) {
    return structure->has_forbidden_states() && !IsForest(structure->graph());
  });
}

double ScoreScale(const Problem& problem) {
  return ScoreScale(problem, problem.mean_squared_range());
}

double Regulariser(double lambda, std::span<const double> weights) {
  double sum = 0;
  for (const double w : weights) sum += w * w;
  return 0.5 * lambda * sum;
}

double RelativeGap(double primal, double dual) {
  return (primal - dual) / std::max(1e-12, std::abs(primal));
}

}  // namespace slackline::internal
