// SPDX-License-Identifier: BSD-3-Clause
//
// The loss-augmented oracle of a whole example: max over the domain of example m of
//
//   Δ_m(s) + w·φ_m(s)   or, less the score of the ground truth,   H_m(s; w) = Δ_m(s) − w·ψ_m(s),
//   ψ_m(s) = φ_m(y^m) − φ_m(s).
//
// Where the maximum lies is told in one of two forms: φ_m(s) as sparse lists, for active sets
// (active_set.h), or ψ_m(s) in all coordinates, for points that mix many corners (dual_points.h).
//
// Ways of the oracle, by structure. Multi-label models over binary pairs are solved by roof duality
// without score tables (multi_label_form.h). Forests of pairs (chains, stars) and message passing
// fill tables that factors share once per call, and branch and bound goes on from the messages
// where these leave a gap. Everything else goes through the solvers of inference/.
#pragma once

#include <memory>
#include <optional>
#include <span>
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

namespace slackline::internal {

/// A corner of an example's domain as its difference from the ground truth.
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
    /// the fastest way that a structure has; it finds sparse lists
    kFastest,
    /// the solvers of inference/ alone, which compute values and marginals of every point; for
    /// dense corners
    kSolvers
  };
  enum class Effort {
    /// iterative oracles stop early: any corner serves a step, and the next visit goes on from
    /// their messages
    kTraining,
    kChecking  ///< they go on while their bounds gain
  };
  /// More work where messages have not found the maximum.
  enum class Searches {
    /// with kMessagesBranchAndBound, a search in every call of Maximise whose labelling does not
    /// reach the bound
    kAlways,
    kOnDemand  ///< in calls of Search alone, which may cost many times a call of Maximise
  };
  struct Options {
    SolverKind solver = SolverKind::kAuto;
    Ways ways = Ways::kFastest;
    Effort effort = Effort::kTraining;
    Searches searches = Searches::kAlways;
    /// With slack rescaling labellings are enumerated (slack_oracle.h), whatever the solver.
    /// Requires kFastest.
    Rescaling rescaling = Rescaling::kMargin;
    /// > 0: that of the simplex method (glpk_lp.h). Requires kSolvers, and kLp or kLpPolytope.
    double lp_tolerance = 0;
  };

  /// Throws DataError when the solver does not apply to one of the problem's structures. The loss
  /// 1 − F1 has its own maximum (count_loss_oracle.h), whatever the solver.
  ExampleOracle(const Problem& problem, const Options& options);

  /// Follows the learner to another λ: nothing but the training set matters here.
  void set_problem(const Problem& problem) { problem_ = problem; }
  /// Whether the domain is the local polytope (for one of the structures).
  bool relaxed() const;
  /// Array entries touched so far.
  std::int64_t work() const;

  /// To be called when the weights have been replaced.
  void Refresh(std::span<const double> weights);
  /// To be called when one weight of a scalar feature has changed.
  void WeightChanged(Index position, double before, double after) {
    if (spare_changes_ > 0) ChangeSums(position, before, after);
  }
  /// What has gathered since the last Refresh.
  void Archive(StateArchive* archive);

  /// Maximises Δ_m(s) + w·φ_m(s) over the domain of example m. `slot_scores`: the coordinate scores
  /// of the slots at `weights`. `warm` may be null. Returns an upper bound on the maximum: a
  /// certified one with `bound` (then the corner may be left as it was), else what is known without
  /// more work, which may be nothing (−∞).
  double Maximise(Index m, std::span<const double> slot_scores, std::span<const double> weights,
                  WarmStart* warm, bool bound, SparseCorner* corner);

  /// Whether Search may be called for example m.
  bool SearchesOnDemand(Index m) const;
  /// As Maximise, with more work: branch and bound from the messages in `warm`
  /// (kMessagesBranchAndBound on graphs that fit; doublings: of its node limit, at most
  /// MessageBranchAndBound::kMostDoublings), else many iterations of message passing, kept in
  /// `warm`, and the best of several labellings. Returns a certified upper bound; corner: null, or
  /// what becomes the labelling; *complete: whether that is known to be a maximum.
  double Search(Index m, std::span<const double> slot_scores, std::span<const double> weights,
                Index doublings, WarmStart* warm, SparseCorner* corner, bool* complete);

  /// By how much the oracle multiplies scores of example m at most: 1, or 1 + the largest loss with
  /// slack rescaling.
  double score_factor(Index m) const;

  /// Maximises H_m at the weights scale·weights. Requires kSolvers. `warm` may be null. The result
  /// is valid until the next call. Throws std::logic_error when the oracle's answer is worse than
  /// the ground truth, which every domain contains: then the oracle is wrong. offsets: empty, or
  /// one number for each state of each variable (as Problem::loss), which are added to the scores.
  /// They count in `value` and `upper_bound`, which may then be negative, not in `loss`.
  Corner Maximise(Index m, std::span<const double> weights, WarmStart* warm,
                  std::span<const double> offsets = {}, double scale = 1);
  /// The same at weights of which only the coordinate scores u of the example are known
  /// (core/structure.h): kernelized ones. Not for structures with global factors. Offsets need
  /// losses that are sums. O(states + the solver's work).
  Corner MaximiseAt(Index m, std::span<const double> u, WarmStart* warm,
                    std::span<const double> offsets = {});
  /// The point itself that the last of these two calls found.
  const MapResult& result() const { return result_; }

 private:
  /// The way of a structure. One of `form` (with `roof`), `forest`, `passing`, `solver` is there.
  struct Entry {
    std::optional<MultiLabelForm> form;
    std::unique_ptr<RoofDuality> roof;
    std::unique_ptr<MessagePassing> passing;
    // besides `passing`, where searches are wanted and have a prospect
    std::unique_ptr<MessageBranchAndBound> search;
    std::unique_ptr<PairForest> forest;
    std::vector<Index> table_factor;  // per table of `passing` or `forest`: a factor that has it
    std::unique_ptr<MapSolver> solver;
    bool relaxed = false;  // the relaxation of a forest is the exact problem
  };
  static Entry MakeEntry(const std::shared_ptr<const Structure>& structure, SolverKind kind);
  static Entry MakeSolverEntry(const std::shared_ptr<const Structure>& structure,
                               const Options& options);
  void ChangeSums(Index position, double before, double after);

  double MaximiseSlack(Index m, std::span<const double> slot_scores,
                       std::span<const double> weights, SparseCorner* corner);
  double MaximiseCounts(Index m, std::span<const double> slot_scores,
                        std::span<const double> weights, SparseCorner* corner);
  double MaximiseForm(Entry* entry, Index m, std::span<const double> slot_scores,
                      std::span<const double> weights, bool bound, SparseCorner* corner);
  double MaximiseForest(Entry* entry, Index m, std::span<const double> slot_scores,
                        std::span<const double> weights, bool bound, SparseCorner* corner);
  double MaximiseByMessages(Entry* entry, Index m, std::span<const double> slot_scores,
                            std::span<const double> weights, WarmStart* warm, bool bound,
                            SparseCorner* corner);
  double MaximiseBySolver(Entry* entry, Index m, std::span<const double> slot_scores,
                          std::span<const double> weights, WarmStart* warm, SparseCorner* corner);
  double PassLonger(Entry* entry, Index m, std::span<const double> slot_scores,
                    std::span<const double> weights);
  /// Fills result_ with the maximum of the loss 1 − F1 plus scores.
  void SolveCounts(Index m, std::span<const double> u);

  void ReadCoordinates(const Structure& structure, std::span<const double> slot_scores,
                       std::span<const double> weights);
  /// The scores of variables and tables of `solver`, one of the entry's.
  template <class Solver>
  void FillScores(const Entry& entry, Index m, std::span<const double> slot_scores,
                  std::span<const double> weights, Solver* solver);
  /// Scores of all parts, losses and offsets included, into scores_.
  void FillAllScores(Index m, std::span<const double> u, std::span<const double> offsets = {});

  /// Adds scale · φ of result_ to the coordinates; returns its loss.
  double AddResult(Index m, double scale, std::span<double> coordinates) const;
  /// The corner of result_, and that of labels_.
  void ReadResult(Index m, SparseCorner* corner);
  void ReadLabelling(Index m, SparseCorner* corner);

  Problem problem_;
  Options options_;
  SlackOracle slack_;
  std::unique_ptr<CountLossOracle> counts_;  // with the loss 1 − F1
  std::vector<Entry> entries_;  // one per structure; none with slack rescaling or counts_
  bool keeps_sums_ = false;     // one structure, a form, contiguous weights
  RoofDuality::RowSums sums_;
  // changes of weights that sums_ still follow; 0: they are out of date, if they are kept at
  // all
  Index spare_changes_ = 0;
  std::vector<double> u_, t_, flows_;
  std::vector<double> coordinates_, scores_, messages_, scaled_;
  std::vector<Index> labels_;
  MapResult result_;
  std::int64_t table_work_ = 0;  // filling and reading score tables
};

}  // namespace slackline::internal
