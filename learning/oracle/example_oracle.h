// SPDX-License-Identifier: BSD-3-Clause
//
// The loss-augmented oracle of a whole example: max over the domain of example m of
//
//   Δ_m(s) + w·φ_m(s)   or, less the score of the ground truth,   H_m(s; w) = Δ_m(s) − w·ψ_m(s),
//   ψ_m(s) = φ_m(y^m) − φ_m(s).
//
// The maximiser is returned in one of two forms: φ_m(s) as sparse lists, for active sets
// (active_set.h), or ψ_m(s) in all coordinates, for points that mix many corners (dual_points.h).
//
// The method depends on the structure. Multi-label models over binary pairs are solved by roof
// duality without score tables (multi_label_form.h). Forests of pairs (chains, stars) and message
// passing fill each table that factors share once per call, and branch and bound continues from the
// messages where these leave a gap. All other structures go through the solvers of inference/.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include <slackline/inference/map_solver.h>
#include <slackline/inference/message_branch_and_bound.h>
#include <slackline/inference/message_passing.h>
#include <slackline/inference/pair_forest.h>
#include <slackline/inference/roof_duality.h>
#include <slackline/learning/options.h>
#include <slackline/learning/oracle/count_loss_oracle.h>
#include <slackline/learning/oracle/multi_label_form.h>
#include <slackline/learning/oracle/slack_oracle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {

/// A corner of an example's domain as its difference from the ground truth. With slack rescaling
/// the corner is Δ_m(s)·ψ_m(s), and H_m(s; w) = Δ_m(s)·(1 − w·ψ_m(s)).
struct Corner {
  std::span<const double> coordinates;  ///< of ψ_m(s): num_coordinates entries
  double loss = 0;                      ///< Δ_m(s)
  double value = 0;                     ///< H_m(s; w)
  double upper_bound = 0;               ///< certified bound on H_m over the domain, ≥ 0
};

/// One object per thread: it holds a solver for every structure, and their work space.
class ExampleOracle {
 public:
  enum class Ways {
    /// The fastest method for each structure; yields sparse lists.
    kFastest,
    /// The solvers of inference/ alone, which compute values and marginals of every point; for
    /// dense corners.
    kSolvers
  };
  enum class Effort {
    /// Iterative oracles stop early: any corner serves a step, and the next visit continues from
    /// their messages.
    kTraining,
    kChecking  ///< iterative oracles continue while their bounds improve
  };
  /// When to do more work where messages have not found the maximum.
  enum class Searches {
    /// With kMessagesBranchAndBound, branch and bound in every call of Maximise whose labelling
    /// does not reach the bound.
    kAlways,
    kOnDemand  ///< only in calls of Search, which may cost many times a call of Maximise
  };
  struct Options {
    SolverKind solver = SolverKind::kAuto;
    Ways ways = Ways::kFastest;
    Effort effort = Effort::kTraining;
    Searches searches = Searches::kAlways;
    /// With slack rescaling all corners and bounds come from slack_oracle.h, whatever the ways,
    /// efforts and searches: corners are labellings, and bounds hold for labellings.
    Rescaling rescaling = Rescaling::kMargin;
    /// If > 0, the tolerance of the simplex method (glpk_lp.h). Requires kSolvers, and kLp or
    /// kLpPolytope.
    double lp_tolerance = 0;
    /// If > 0, the most iterations of message passing in a call. Requires kSolvers and kMessages.
    Index message_iterations = 0;
    /// When the run must end, calls with `bound` and calls for dense corners return rough bounds at
    /// once (stop_relay.h), and solvers end early (MapSolver::SetStop). Null: never.
    StopRelay* stop = nullptr;
  };

  /// Throws DataError when the solver does not apply to one of the problem's structures, and
  /// std::invalid_argument when options contradict each other. With slack rescaling only the calls
  /// that need the solver throw the former. The loss 1 − F1 always has the oracle of
  /// count_loss_oracle.h, whatever the solver.
  ExampleOracle(const Problem& problem, const Options& options);

  /// Changes λ, which the oracle does not use: only the training set matters here.
  void set_problem(const Problem& problem) { problem_ = problem; }
  /// Whether the domain is the local polytope (for one of the structures).
  bool relaxed() const;
  /// Array entries touched so far.
  std::int64_t work() const;

  /// Must be called when the weights have been replaced. O(1): the next call that needs sums over
  /// the weights computes these sums.
  void Refresh();
  /// Must be called when one weight of a scalar feature has changed.
  void WeightChanged(Index position, double before, double after) {
    if (spare_changes_ > 0) ChangeSums(position, before, after);
  }
  /// Archives what has accumulated since the last Refresh.
  void Archive(StateArchive* archive);

  /// Maximises Δ_m(s) + w·φ_m(s) over the domain of example m. `slot_scores`: the coordinate scores
  /// of the slots at `weights`. `warm` may be null. With `bound`, returns a certified upper bound
  /// on the maximum, and may leave *corner as it was. Without, returns an upper bound if one is
  /// known without more work, else −∞.
  double Maximise(Index m, std::span<const double> slot_scores, std::span<const double> weights,
                  WarmStart* warm, bool bound, SparseCorner* corner);

  /// Sets *corner to the ground truth, fast; returns false where the structure has no fast way.
  bool ReadTruth(Index m, SparseCorner* corner) const;

  /// Whether Search may be called for example m.
  bool SearchesOnDemand(Index m) const;
  /// Maximise with more work. For kMessagesBranchAndBound on graphs that fit: branch and bound from
  /// the messages in `warm`, with a node limit doubled `doublings` times (at most
  /// MessageBranchAndBound::kMostDoublings). Otherwise: many iterations of message passing, kept in
  /// `warm`, and the best of several labellings. Returns a certified upper bound. corner: receives
  /// the labelling, or null; *complete: whether the labelling is known to be a maximum.
  double Search(Index m, std::span<const double> slot_scores, std::span<const double> weights,
                Index doublings, WarmStart* warm, SparseCorner* corner, bool* complete);

  /// The largest factor by which the oracle multiplies scores of example m: 1, or 1 + the largest
  /// loss with slack rescaling.
  double score_factor(Index m) const;

  /// Maximises H_m at the weights scale·weights. Requires kSolvers. `warm` may be null. The result
  /// is valid until the next call. Throws std::logic_error when the oracle's bound is below the
  /// score of the ground truth, which every domain contains: the oracle is then wrong. offsets:
  /// empty, or one number for each state of each variable (as Problem::loss), which are added to
  /// the scores. Offsets count in `value` and `upper_bound`, which may then be negative, but not in
  /// `loss`.
  Corner Maximise(Index m, std::span<const double> weights, WarmStart* warm,
                  std::span<const double> offsets = {}, double scale = 1);
  /// Maximise when only the coordinate scores u of the example at the weights are known
  /// (core/structure.h), as with kernels. Structures with global factors need `weights` as well.
  /// Offsets need losses that are sums. O(states + the solver's work).
  Corner MaximiseAt(Index m, std::span<const double> u, WarmStart* warm,
                    std::span<const double> offsets = {}, std::span<const double> weights = {});
  /// The point found by the last call of MaximiseAt or of Maximise with dense corners.
  const MapResult& result() const { return result_; }

 private:
  struct FeatureCount {
    double terms = -1;            // of all parts; −1: not counted yet
    double largest_constant = 1;  // ≥ |value| of all constant features, and ≥ 1
  };
  static FeatureCount CountFeatures(const Structure& structure);

  /// Methods for a structure. table_factor: per score table, a factor that has it.
  struct FormMethod {
    MultiLabelForm form;
    std::unique_ptr<RoofDuality> roof;
  };
  struct ForestMethod {
    std::unique_ptr<PairForest> forest;
    std::vector<Index> table_factor;
  };
  struct MessageMethod {
    std::unique_ptr<MessagePassing> passing;
    std::unique_ptr<MessageBranchAndBound> search;  // null: not wanted, or too large a graph
    std::vector<Index> table_factor;
  };
  struct SolverMethod {
    std::unique_ptr<MapSolver> solver;
  };
  struct Entry {
    FeatureCount features;
    // monostate: with the loss 1 − F1, and until slack rescaling needs a solver.
    std::variant<std::monostate, FormMethod, ForestMethod, MessageMethod, SolverMethod> method;
    bool relaxed = false;  // the relaxation of a forest is the exact problem

    FormMethod* by_form() { return std::get_if<FormMethod>(&method); }
    const FormMethod* by_form() const { return std::get_if<FormMethod>(&method); }
  };
  static Entry MakeEntry(const std::shared_ptr<const Structure>& structure, const Options& options);
  static Entry MakeSolverEntry(const std::shared_ptr<const Structure>& structure,
                               const Options& options);
  void ChangeSums(Index position, double before, double after);

  bool MustEnd() const { return options_.stop != nullptr && options_.stop->Reached(); }
  /// Whether calls for example m return rough bounds, because the run must end.
  bool EndsEarly(Index m) const;
  /// Σ_a max θ_a, or for labels and pairs a somewhat smaller bound.
  double RoughBound(Index m, std::span<const double> slot_scores, std::span<const double> weights);
  double SumOfMaxima(const FactorGraph& graph) const;
  /// An upper bound on |w·φ_m(s)| that needs no tables: the number of terms of features, times the
  /// largest |u_k|, times the largest |feature|. The u_k are the entries of u and `more`.
  double CrudeScore(Index m, std::span<const double> u, std::span<const double> more = {});
  /// An upper bound on max_s of the score plus the loss of s, from a bound on |w·φ_m(s)|.
  double CrudeBound(Index m, double score) const;
  double MaximiseSlack(Index m, std::span<const double> slot_scores,
                       std::span<const double> weights, WarmStart* warm, SparseCorner* corner);
  double MaximiseCounts(Index m, std::span<const double> slot_scores,
                        std::span<const double> weights, SparseCorner* corner);
  double MaximiseForm(FormMethod* method, Index m, std::span<const double> slot_scores,
                      std::span<const double> weights, bool bound, SparseCorner* corner);
  double MaximiseForest(ForestMethod* method, Index m, std::span<const double> slot_scores,
                        std::span<const double> weights, bool bound, SparseCorner* corner);
  double MaximiseByMessages(MessageMethod* method, Index m, std::span<const double> slot_scores,
                            std::span<const double> weights, WarmStart* warm, bool bound,
                            SparseCorner* corner);
  double MaximiseBySolver(MapSolver* solver, Index m, std::span<const double> slot_scores,
                          std::span<const double> weights, WarmStart* warm, SparseCorner* corner);
  void SolveUnlessCut(Index m, MapSolver* solver, WarmStart* warm);
  void RoughResult(Index m, std::span<const double> u, std::span<const double> offsets = {});
  void ResultOfTruth(Index m);
  /// The corner of the ground truth with a bound that needs no tables.
  Corner CornerOfTruth(Index m, std::span<const double> u, std::span<const double> offsets);
  double PassLonger(MessageMethod* method, Index m, std::span<const double> slot_scores,
                    std::span<const double> weights);
  /// Fills result_ with slack rescaling. weights: for global factors; may be empty without them.
  void SolveSlack(Index m, std::span<const double> u, std::span<const double> weights,
                  WarmStart* warm);
  /// Adds `scale` times φ(y) + Δ(s)·(φ(s) − φ(y)) for the labelling of result_. Returns Δ(s).
  double AddSlackResult(Index m, double scale, std::span<double> coordinates);
  /// Fills result_ with the maximum of scores plus the loss 1 − F1.
  void SolveCounts(Index m, std::span<const double> u);

  void ReadCoordinates(const Structure& structure, std::span<const double> slot_scores,
                       std::span<const double> weights);
  /// Fills the scores of variables and the tables of `solver`.
  template <class Solver>
  void FillScores(std::span<const Index> table_factor, Index m, std::span<const double> slot_scores,
                  std::span<const double> weights, Solver* solver);
  /// Writes the scores of all parts, losses and offsets included, to scores_.
  void FillAllScores(Index m, std::span<const double> u, std::span<const double> offsets = {});

  /// Adds scale · φ of result_ to the coordinates; returns its loss.
  double AddResult(Index m, double scale, std::span<double> coordinates);
  /// Write the corner of result_, and the corner of labels_, to *corner.
  void ReadResult(Index m, SparseCorner* corner);
  void ReadLabelling(Index m, SparseCorner* corner);

  Problem problem_;
  Options options_;
  std::unique_ptr<SlackOracle> slack_;       // with slack rescaling
  std::unique_ptr<CountLossOracle> counts_;  // with the loss 1 − F1
  // One per structure; none with counts_. With slack rescaling an entry has at most a solver for
  // sums, which is made for the first example that needs it.
  std::vector<Entry> entries_;
  bool keeps_sums_ = false;  // one structure, a form, contiguous weights
  RoofDuality::RowSums sums_;
  // How many more changes of weights sums_ can follow. At 0 sums_ are out of date or not in use.
  Index spare_changes_ = 0;
  std::vector<double> u_, t_, flows_;
  std::vector<double> coordinates_, scores_, messages_, scaled_, truth_, difference_;
  std::vector<Index> labels_;
  MapResult result_;
  std::int64_t table_work_ = 0;  // filling and reading score tables
};

}  // namespace slackline::internal
