// SPDX-License-Identifier: BSD-3-Clause
//
// The interface of maximisation over whole examples,
//     max_μ Σ_a θ_a · μ_a
// over labellings or over the local polytope L (docs/notation.md, section 2), for prediction and
// for loss-augmented oracles.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/core/stop_condition.h>
#include <slackline/core/structure.h>

namespace slackline::internal {

struct MapResult {
  /// A labelling, one state per variable: the solution itself when `integral`, else its rounding.
  std::vector<Index> labels;

  /// Whether the solution is `labels`; otherwise it is `marginals`.
  bool integral = true;

  /// The fractional solution in the flat order of the graph (total_states entries): a point of the
  /// local polytope, with marginalisation constraints satisfied to 1e-12. Empty when integral.
  std::vector<double> marginals;

  /// Σ_a θ_a · μ_a at the solution (of the labelling when integral, of the marginals otherwise).
  double value = 0;

  /// Certified upper bound on the values of all points of the solver's domain (up to rounding
  /// errors of the sum).
  double upper_bound = 0;

  /// True when `labels` is known to be a maximiser over all labellings (up to rounding errors).
  bool exact = false;
};

/// State that a solver keeps for one example between two calls (a basis, messages). Opaque to
/// callers; empty at the beginning. Valid only for solvers of the same kind on the same graph.
struct WarmStart {
  std::vector<std::uint8_t> bytes;
};

/// Maximises over the labellings or the local polytope of one graph. A solver keeps work space
/// between calls, so that two threads must not use one object at the same time.
class MapSolver {
 public:
  virtual ~MapSolver() = default;

  /// Requires scores.size() == graph.total_states(), none NaN or +∞ (else std::invalid_argument).
  /// −∞ forbids a state: the domain is then the labellings, or points of the local polytope,
  /// without forbidden states. Throws DataError when no labelling is allowed. `warm` may be null.
  /// (MakeMapSolver and MakeStructureSolver make such solvers; other functions may not.)
  virtual void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) = 0;

  virtual std::string_view name() const = 0;

  /// Sets the weight vector for later calls of Solve. Solvers that call global factors read their
  /// weights; other solvers need none. The vector must not change during calls of Solve.
  virtual void SetWeights(std::span<const double> weights) { static_cast<void>(weights); }

  /// Work of all calls so far (tables read and written, simplex iterations, …), in units of about a
  /// nanosecond. It is the same in every run, so that schedules can compare costs by it.
  virtual std::int64_t work() const = 0;

  /// Whether the domain is the local polytope: values are then values of the relaxation, and
  /// solutions may be fractional.
  virtual bool relaxed() const = 0;

  /// Makes Solve return soon once stop->Reached(): within a few hundredths of a second plus the
  /// time to read the graph a few times. It returns a labelling and a valid bound, which may be
  /// loose. Null: never, as at first. The condition must outlive later calls of Solve. Dynamic
  /// programming and roof duality, which take little time, ignore it.
  virtual void SetStop(const StopCondition* stop) { stop_ = stop; }

 protected:
  const StopCondition* stop() const { return stop_; }
  bool ShouldStop() const { return stop_ != nullptr && stop_->Reached(); }

 private:
  const StopCondition* stop_ = nullptr;
};

/// Kinds of solvers. kAuto: AutomaticSolver.
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
  kExpansion,
  kGlobal
};

/// Reads "auto", "roof", "messages", "messages-branch-and-bound", "lp", "lp-polytope", "tree",
/// "brute-force", "branch-and-bound", "expansion", "global", and the deprecated "messages-search"
/// and "search". Throws DataError that names the choices on anything else.
SolverKind ParseSolverKind(std::string_view name);
std::string_view SolverKindName(SolverKind kind);
/// The name in checkpoints, which never changes: "messages-search" for kMessagesBranchAndBound,
/// "search" for kBranchAndBound, and SolverKindName for all others.
std::string_view SolverKindNameInFiles(SolverKind kind);

/// Largest number of states of all parts with which GLPK answers within milliseconds.
inline constexpr Offset kSmallLpStates = 2000;

/// kGlobal where nothing couples the global factors (HasExactGlobals), kTree on forests, kRoof on
/// binary pairwise graphs, else kLp if the build has GLPK and the graph is small (kSmallLpStates),
/// else kMessages.
SolverKind AutomaticSolver(const FactorGraph& graph);

/// Throws DataError when the structure has both forbidden states and global factors, whose solvers
/// do not support forbidden states.
void RequireSolverFor(const Structure& structure);

/// For solvers that need ordinary scores: std::invalid_argument on scores that are not finite.
/// solver: its name, for the message.
void RequireFiniteScores(std::span<const double> scores, std::string_view solver);

/// Throws DataError when the best value is −∞, which means that every labelling has a forbidden
/// state.
void RequireAllowedLabelling(double best_value);

/// Makes a solver for the structure: as MakeMapSolver, or on structures with global factors as
/// MakeGlobalSolver (global_solver.h), which needs the weights (SetWeights). Throws DataError when
/// the kind does not apply, and as RequireSolverFor.
std::unique_ptr<MapSolver> MakeStructureSolver(SolverKind kind,
                                               const std::shared_ptr<const Structure>& structure);

/// Makes a solver for the graph. Throws DataError when the kind does not apply, with the reason and
/// an alternative: on graphs with global factors (for which there is global_decoder.h), a tree
/// solver on graphs with cycles, brute force with too many labellings, the LP without GLPK.
std::unique_ptr<MapSolver> MakeMapSolver(SolverKind kind, std::shared_ptr<const FactorGraph> graph);

/// Whether this build has the GLPK solver.
bool HasGlpk();

/// Lowest and highest of the scores that are not −∞; {∞, −∞} when all scores are −∞.
std::pair<double, double> AllowedRange(std::span<const double> scores);

/// A penalty larger than any gain or loss from changing one variable's state, also in the
/// relaxation. Subtracted from the scores of all other states of a variable, it fixes the variable.
double FixingPenalty(const FactorGraph& graph, std::span<const double> scores);

/// Whether a labelling of this value counts as reaching the bound: upper_bound − value ≤ 1e-7 ·
/// max(1, |value|).
bool ReachesBound(double value, double upper_bound);

}  // namespace slackline::internal
