// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/example_oracle.h>

#include <algorithm>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/learning/oracle/oracle_check.h>

namespace slackline::internal {
ExampleOracle::ExampleOracle(const Problem& problem, SolverKind kind, double lp_tolerance)
    : problem_(problem) {
  SLACKLINE_CHECK(lp_tolerance == 0 || kind == SolverKind::kLp || kind == SolverKind::kLpPolytope,
                  "only linear programs have a tolerance");
  const auto formulation =
      kind == SolverKind::kLpPolytope ? GlpkFormulation::kGeneral : GlpkFormulation::kAuto;
  if (problem.training().form == LossForm::kF1) {
    counts_ = std::make_unique<CountLossOracle>(problem);
    return;
  }
  for (const auto& structure : problem.data().structures()) {
    if (lp_tolerance > 0) RequireSolverFor(*structure, kind);
    solvers_.push_back(lp_tolerance > 0
                           ? MakeGlpkSolver(structure->shared_graph(), formulation, lp_tolerance)
                           : MakeStructureSolver(kind, structure));
  }
}

bool ExampleOracle::relaxed() const {
  return std::any_of(solvers_.begin(), solvers_.end(),
                     [](const auto& solver) { return solver->relaxed(); });
}

std::string ExampleOracle::solver_names() const {
  std::vector<std::string> names;
  for (const auto& solver : solvers_) {
    std::string name(solver->name());
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  if (counts_) names.emplace_back("counts");
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

Corner ExampleOracle::Maximise(Index m, std::span<const double> weights, WarmStart* warm,
                               std::span<const double> offsets, double scale) {
  const ExampleView example = problem_.data().example(m);
  u_.resize(example.structure().num_coordinates());
  CoordinateScores(example, weights, u_);
  if (scale != 1) {
    for (double& score : u_) score *= scale;
  }
  if (example.graph().num_global_factors() > 0) {
    MapSolver& solver = *solvers_[problem_.data().structure_of(m)];
    if (scale != 1) {
      scaled_.assign(weights.begin(), weights.end());
      for (double& weight : scaled_) weight *= scale;
    }
    solver.SetWeights(scale != 1 ? std::span<const double>(scaled_) : weights);
  }
  return MaximiseAt(m, u_, warm, offsets);
}

/// Fills result_.
void ExampleOracle::Solve(Index m, std::span<const double> u, WarmStart* warm,
                          std::span<const double> offsets) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  if (counts_) {
    SLACKLINE_CHECK(offsets.empty(), "offsets need losses that are sums");
    result_.labels.resize(graph.num_variables());
    result_.value = result_.upper_bound = counts_->Maximise(m, u, result_.labels);
    result_.integral = result_.exact = true;
    return;
  }
  scores_.assign(graph.total_states(), 0.0);
  const std::span<const double> loss = problem_.loss(m);
  std::copy(loss.begin(), loss.end(), scores_.begin());
  for (std::size_t s = 0; s < offsets.size(); ++s) scores_[s] += offsets[s];
  AddScores(example, u, scores_);
  solvers_[problem_.data().structure_of(m)]->Solve(scores_, warm, &result_);
}

Corner ExampleOracle::MaximiseAt(Index m, std::span<const double> u, WarmStart* warm,
                                 std::span<const double> offsets) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  const std::size_t num_coordinates = u.size();
  const std::span<const double> loss = problem_.loss(m);
  Solve(m, u, warm, offsets);

  Corner corner;
  coordinates_.assign(num_coordinates, 0.0);
  AddLabellingFeatures(example, example.labels(), 1, coordinates_);
  double given = 0;  // w·φ(y^m)
  for (std::size_t k = 0; k < num_coordinates; ++k) given += u[k] * coordinates_[k];
  if (result_.integral) {
    AddLabellingFeatures(example, result_.labels, -1, coordinates_);
    corner.loss = problem_.training().LossOf(m, result_.labels);
  } else {
    for (Index a = 0; a < graph.num_parts(); ++a) {
      AddMarginalFeatures(example, a,
                          std::span<const double>(result_.marginals)
                              .subspan(graph.state_offset(a), graph.num_states(a)),
                          -1, coordinates_);
    }
    for (std::size_t s = 0; s < loss.size(); ++s) corner.loss += loss[s] * result_.marginals[s];
  }
  corner.coordinates = coordinates_;
  corner.value = result_.value - given;
  double least = 0;
  if (!offsets.empty()) {
    for (Index i = 0; i < graph.num_variables(); ++i)
      least += offsets[graph.state_offset(i) + example.labels()[i]];
  }
  corner.upper_bound = CheckedHinge(m, {result_.upper_bound, given, least},
                                    [&] { return SizeOfScores(example, u, loss, offsets); });
  return corner;
}

}  // namespace slackline::internal
