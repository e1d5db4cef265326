// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/problem.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/global_solver.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

/// max over pairs of states of ‖φ_a(s) − φ_a(s')‖². Where the part has several terms, the maximum
/// of every term is added up, which bounds the whole from above.
double SquaredRange(const ExampleView& example, Index part) {
  const Structure& structure = example.structure();
  double range = 0;
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    // The squared distance of two states in different rows is |value|² + |value'|², so that the
    // largest values of two different rows decide.
    double best = 0;
    double second = 0;
    Index best_row = kAbsent;
    for (std::size_t s = 0; s < map.rows.size(); ++s) {
      double value = 0;
      if (map.rows[s] != kAbsent) {
        switch (term.kind) {
          case FeatureKind::kLinear:
            value = example.input(structure.slots()[term.source].input).squared_norm;
            break;
          case FeatureKind::kPotential: {
            const double x = example.potentials()[term.source + s];
            value = x * x;
            break;
          }
          case FeatureKind::kConstant:
            value = map.values.empty() ? 1.0 : map.values[s] * map.values[s];
            break;
        }
      }
      if (value > best) {
        if (map.rows[s] != best_row) second = best;
        best = value;
        best_row = map.rows[s];
      } else if (map.rows[s] != best_row) {
        second = std::max(second, value);
      }
    }
    range += best + second;
  }
  return range;
}

std::unique_ptr<MapSolver> MakeLossSolver(const Structure& structure) {
  const std::shared_ptr<const FactorGraph>& graph = structure.shared_graph();
  return MakeMapSolver(IsForest(*graph) ? SolverKind::kTree : SolverKind::kBranchAndBound, graph);
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

/// max Δ over the labellings without forbidden states, or an upper bound on it where branch and
/// bound gives up after it has found a labelling. Throws DataError where branch and bound has found
/// none.
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

}  // namespace

Problem::Problem(TrainingSet training, double lambda)
    : training_(std::make_shared<const TrainingSet>(std::move(training))), lambda_(lambda) {
  SLACKLINE_CHECK(std::isfinite(lambda) && lambda > 0, "lambda must be positive");
  SLACKLINE_CHECK(training_->data.size() > 0, "there is no labelled example to train on");
  double total = 0;
  // Squared ranges by factor, because the same factor object may serve many examples.
  std::map<const GlobalFactor*, double> known;
  const auto squared_range = [&known](const GlobalFactor* factor) {
    const auto [entry, is_new] = known.try_emplace(factor, 0.0);
    if (is_new) entry->second = factor->SquaredRange();
    return entry->second;
  };
  for (Index m = 0; m < size(); ++m) {
    const ExampleView example = data().example(m);
    num_parts_ += example.graph().num_blocks();
    for (Index a = 0; a < example.graph().num_parts(); ++a) total += SquaredRange(example, a);
    for (const GlobalPart& part : example.structure().globals())
      total += squared_range(part.factor.get());
  }
  mean_squared_range_ = total / static_cast<double>(num_parts_);
}

Problem Problem::WithLambda(double lambda) const {
  SLACKLINE_CHECK(std::isfinite(lambda) && lambda > 0, "lambda must be positive");
  Problem other = *this;
  other.lambda_ = lambda;
  return other;
}

double Problem::penalty_scale() const {
  return mean_squared_range_ > 0 ? lambda_m() / mean_squared_range_ : 1.0;
}

double PrimalAtZeroWeights(const Problem& problem) {
  if (problem.training().form == LossForm::kF1)
    return 1;  // every labelling is allowed (support_table.h)
  std::vector<std::unique_ptr<MapSolver>> solvers(problem.data().structures().size());
  double sum = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    const FactorGraph& graph = example.graph();
    const std::span<const double> loss = problem.loss(m);
    if (example.structure().has_forbidden_states() && graph.num_global_factors() == 0) {
      auto& solver = solvers[problem.data().structure_of(m)];
      if (solver == nullptr) solver = MakeLossSolver(example.structure());
      sum += LargestAllowedLoss(example, loss, solver.get());
      continue;
    }
    if (!example.structure().has_forbidden_states() && HasExactGlobals(graph)) {
      const std::size_t number = problem.data().structure_of(m);
      sum += LargestAllowedLoss(problem.data().structures()[number], loss, &solvers[number]);
      continue;
    }
    for (Index i = 0; i < graph.num_variables(); ++i) {
      const double* begin = loss.data() + graph.state_offset(i);
      sum += *std::max_element(begin, begin + graph.cardinality(i));
    }
  }
  return sum / problem.size();
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
