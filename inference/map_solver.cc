// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/map_solver.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/alpha_expansion.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/global_solver.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/inference/message_branch_and_bound.h>
#include <slackline/inference/message_passing.h>
#include <slackline/inference/presolve.h>
#include <slackline/inference/roof_solver.h>
#include <slackline/inference/tree_dp.h>

namespace slackline::internal {
namespace {

using SolverName = std::pair<SolverKind, std::string_view>;
constexpr std::array<SolverName, 11> kSolverNames{{
    {SolverKind::kAuto, "auto"},
    {SolverKind::kRoof, "roof"},
    {SolverKind::kMessages, "messages"},
    {SolverKind::kMessagesBranchAndBound, "messages-branch-and-bound"},
    {SolverKind::kLp, "lp"},
    {SolverKind::kLpPolytope, "lp-polytope"},
    {SolverKind::kTree, "tree"},
    {SolverKind::kBruteForce, "brute-force"},
    {SolverKind::kBranchAndBound, "branch-and-bound"},
    {SolverKind::kExpansion, "expansion"},
    {SolverKind::kGlobal, "global"},
}};
/// Deprecated names, which command lines, option files and checkpoints may still use.
constexpr std::array<SolverName, 2> kOldSolverNames{{
    {SolverKind::kMessagesBranchAndBound, "messages-search"},
    {SolverKind::kBranchAndBound, "search"},
}};

/// A solver that may need finite scores of similar magnitudes.
std::unique_ptr<MapSolver> MakePlainSolver(SolverKind kind,
                                           std::shared_ptr<const FactorGraph> graph) {
  switch (kind) {
    case SolverKind::kRoof:
      return MakeRoofSolver(std::move(graph));
    case SolverKind::kMessages:
      return MakeMessagePassingSolver(std::move(graph));
    case SolverKind::kMessagesBranchAndBound:
      return MakeMessageBranchAndBoundSolver(std::move(graph));
    case SolverKind::kBranchAndBound:
      return std::make_unique<BranchAndBoundSolver>(std::move(graph));
    case SolverKind::kExpansion:
      return MakeExpansionSolver(std::move(graph));
    case SolverKind::kLpPolytope:
      return MakeGlpkSolver(std::move(graph), GlpkFormulation::kGeneral);
    default:
      return MakeGlpkSolver(std::move(graph));
  }
}

}  // namespace

SolverKind AutomaticSolver(const FactorGraph& graph) {
  if (HasExactGlobals(graph)) return SolverKind::kGlobal;
  if (IsForest(graph)) return SolverKind::kTree;
  if (IsBinaryPairwise(graph)) return SolverKind::kRoof;
  return HasGlpk() && graph.total_states() <= kSmallLpStates ? SolverKind::kLp
                                                             : SolverKind::kMessages;
}

SolverKind ParseSolverKind(std::string_view name) {
  std::string choices;
  for (const auto& [kind, text] : kSolverNames) {
    if (text == name) return kind;
    choices += (choices.empty() ? "" : ", ") + std::string(text);
  }
  for (const auto& [kind, text] : kOldSolverNames) {
    if (text == name) return kind;
  }
  throw DataError("unknown solver '" + std::string(name) + "'; choose from " + choices);
}

std::string_view SolverKindName(SolverKind kind) {
  for (const auto& [known, text] : kSolverNames) {
    if (known == kind) return text;
  }
  return "?";
}

std::string_view SolverKindNameInFiles(SolverKind kind) {
  for (const auto& [known, text] : kOldSolverNames) {
    if (known == kind) return text;
  }
  return SolverKindName(kind);
}

void RequireSolverFor(const Structure& structure) {
  if (structure.has_forbidden_states() && structure.graph().num_global_factors() > 0) {
    throw DataError(
        "forbidden states beside factors that have their own maximum are not supported by the "
        "solvers of whole examples; use learner al or soft, or write the factor as a table");
  }
}

void RequireFiniteScores(std::span<const double> scores, std::string_view solver) {
  SLACKLINE_CHECK(AllFinite(scores), std::string(solver) + " needs finite scores");
}

void RequireAllowedLabelling(double best_value) {
  if (best_value == -kInfinity) {
    throw DataError("no labelling is allowed: each has a forbidden state of a variable or factor");
  }
}

std::pair<double, double> AllowedRange(std::span<const double> scores) {
  double low = kInfinity;
  double high = -kInfinity;
  for (const double score : scores) {
    if (score == -kInfinity) continue;
    low = std::min(low, score);
    high = std::max(high, score);
  }
  return {low, high};
}

double FixingPenalty(const FactorGraph& graph, std::span<const double> scores) {
  double sum = 0;
  for (Index part = 0; part < graph.num_parts(); ++part) {
    const auto [low, high] =
        AllowedRange(scores.subspan(graph.state_offset(part), graph.num_states(part)));
    if (high > low) sum += high - low;
  }
  return 4 * sum + 1;
}

bool ReachesBound(double value, double upper_bound) {
  return value > -kInfinity && upper_bound - value <= 1e-7 * std::max(1.0, std::abs(value));
}

std::unique_ptr<MapSolver> MakeStructureSolver(SolverKind kind,
                                               const std::shared_ptr<const Structure>& structure) {
  SLACKLINE_CHECK(structure != nullptr, "a solver needs a structure");
  const FactorGraph& graph = structure->graph();
  if (kind == SolverKind::kAuto && HasExactGlobals(graph)) kind = SolverKind::kGlobal;
  RequireSolverFor(*structure);
  if (graph.num_global_factors() == 0) return MakeMapSolver(kind, structure->shared_graph());
  if (kind != SolverKind::kGlobal && HasExactGlobals(graph)) {
    throw DataError("solver " + std::string(SolverKindName(kind)) +
                    " does not support global factors; use solver global");
  }
  return MakeGlobalSolver(structure);
}

std::unique_ptr<MapSolver> MakeMapSolver(SolverKind kind,
                                         std::shared_ptr<const FactorGraph> graph) {
  SLACKLINE_CHECK(graph != nullptr, "a solver needs a graph");
  RequireTablesOnly(*graph, "a solver of whole examples");
  if (kind == SolverKind::kAuto) kind = AutomaticSolver(*graph);
  switch (kind) {
    case SolverKind::kTree:
      return std::make_unique<TreeSolver>(std::move(graph));
    case SolverKind::kBruteForce:
      return MakeBruteForceSolver(std::move(graph));
    case SolverKind::kGlobal:
      throw DataError(
          "solver global needs a global factor in each example, but there is none; let the solver "
          "be chosen automatically");
    default:
      return MakePresolvedSolver(
          std::move(graph), [kind](auto part) { return MakePlainSolver(kind, std::move(part)); });
  }
}

}  // namespace slackline::internal
