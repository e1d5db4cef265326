// SPDX-License-Identifier: BSD-3-Clause
//
// One interface for the whole-example maximisation
//     max_μ Σ_a θ_a · μ_a
// over labellings or over the local polytope L (docs/notation.md, section 2): prediction and
// loss-augmented oracles alike.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/core/structure.h>

namespace slackline::internal {

struct MapResult {
  /// A labelling, one state per variable: the solution itself when `integral`, else a rounding of
  /// it.
  std::vector<Index> labels;

  /// True when the solution is the labelling. False: the solution is `marginals`.
  bool integral = true;

  /// The fractional solution in the flat order of the graph (total_states entries): a point of the
  /// local polytope, marginalization constraints met to 1e-12. Empty when integral.
  std::vector<double> marginals;

  /// Σ_a θ_a · μ_a at the solution (of the labelling when integral, of the marginals otherwise).
  double value = 0;

  /// Certified: no point of the solver's domain has a larger value (up to rounding errors of the
  /// sum).
  double upper_bound = 0;

  /// True when `labels` is known to be a maximiser over all labellings (up to rounding errors).
  bool exact = false;
};

/// What a solver wants to remember about one example between two calls (a basis, messages). Opaque
/// to callers; empty at the beginning. May only be handed to solvers of the same kind for the same
/// graph.
struct WarmStart {
  std::vector<std::uint8_t> bytes;
};

/// Maximises over the labellings or the local polytope of one graph. A solver keeps work space
/// between calls: one object must not be used by two threads at a time.
class MapSolver {
 public:
  virtual ~MapSolver() = default;

  /// Requires scores.size() == graph.total_states(), all finite, or −∞ for forbidden states where
  /// SeesForbiddenStates(kind): the domain is then the labellings without them. Throws DataError
  /// when the solver does not see them, or when no labelling is left. `warm` may be null.
  virtual void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) = 0;

  virtual std::string_view name() const = 0;

  /// The weight vector from here on, of which solvers that call global factors read theirs; the
  /// others need none. Must stay as it is during calls of Solve.
  virtual void SetWeights(std::span<const double> weights) { static_cast<void>(weights); }

  /// A count of the work done by all calls so far, in units of about a nanosecond, that is the same
  /// in every run: what schedules compare costs by. (Tables read and written, simplex iterations,
  /// …)
  virtual std::int64_t work() const = 0;

  /// True when the domain is the local polytope (values are those of the relaxation, fractional
  /// solutions occur).
  virtual bool relaxed() const = 0;
};

/// Ways to solve. kAuto: AutomaticSolver.
enum class SolverKind {
  kAuto,
  kRoof,
  kMessages,
  kMessagesBranchAndBound,
  kLp,
  kLpPolytope,
  kTree,
  kBruteForce,
  kBranchAndBound,
  kGlobal
};

/// "auto", "roof", "messages", "messages-branch-and-bound", "lp", "lp-polytope", "tree",
/// "brute-force", "branch-and-bound", "global", and the names of before, "messages-search" and
/// "search". Throws DataError on anything else, naming the choices.
SolverKind ParseSolverKind(std::string_view name);
std::string_view SolverKindName(SolverKind kind);
/// The name in checkpoints, which never changes: "messages-search" and "search" for branch and
/// bound.
std::string_view SolverKindNameInFiles(SolverKind kind);

/// States of all parts up to which GLPK answers within milliseconds.
inline constexpr Offset kSmallLpStates = 2000;

/// kGlobal where global factors fit global_solver.h (HasExactGlobals), kTree on forests, kRoof on
/// binary pairwise graphs, otherwise kLp (GLPK) where it is there and the graph is small, else
/// kMessages.
SolverKind AutomaticSolver(const FactorGraph& graph);

/// Whether solvers of the kind may be given scores of −∞: tree, brute-force and branch-and-bound,
/// which maximise over labellings. (Message passing and linear programs would have to leave the
/// states out.)
bool SeesForbiddenStates(SolverKind kind);

/// Throws DataError when the structure has forbidden states and the solver does not see them
/// (kAuto: the automatic choice).
void RequireSolverFor(const Structure& structure, SolverKind kind);

/// For solvers that do not see forbidden states. Throws DataError on a score of −∞,
/// std::invalid_argument on others that are not finite.
void RequireFiniteScores(std::span<const double> scores, std::string_view who);

/// Throws DataError when the best value is −∞: every labelling has a forbidden state.
void RequireAllowedLabelling(double best_value);

/// Makes a solver for the structure: as below, and on structures with global factors that of
/// global_solver.h, to which the weights must be shown (SetWeights). Throws DataError when the kind
/// does not apply, or the structure has forbidden states that it does not see.
std::unique_ptr<MapSolver> MakeStructureSolver(SolverKind kind,
                                               const std::shared_ptr<const Structure>& structure);

/// Makes a solver for the graph. Throws DataError when the kind does not apply (any solver on a
/// graph with global factors: global_decoder.h, a tree solver on one with cycles, too many
/// labellings for brute force, the LP in a build without GLPK), saying why and what would.
std::unique_ptr<MapSolver> MakeMapSolver(SolverKind kind, std::shared_ptr<const FactorGraph> graph);

/// Whether this build has the GLPK solver.
bool HasGlpk();

/// Lowest and highest of the scores that are not −∞; {∞, −∞} when all are.
std::pair<double, double> AllowedRange(std::span<const double> scores);

/// More than any change of one variable's state can gain or cost, also in the relaxation: taken off
/// the scores of a variable's other states, it fixes the variable.
double FixingPenalty(const FactorGraph& graph, std::span<const double> scores);

/// Whether a labelling of this value is as good as one that reaches the bound: within 1e-7 of
/// max(1, |value|).
bool ReachesBound(double value, double upper_bound);

}  // namespace slackline::internal
