// SPDX-License-Identifier: BSD-3-Clause
//
// Oracles for example blocks that keep active sets: the best corner of an example as sparse lists,
// and a certified bound on its value. Multi-label models over binary pairs take a direct way by
// roof duality, without score tables; forests of pairs (chains, stars) and message passing fill
// tables that factors share once per call, and searches go on from the messages where these leave a
// gap; everything else goes through the solvers of inference/.
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
#include <slackline/learning/oracle/slack_oracle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// The direct way: state 1 of every (binary) variable may have one linear feature and constant
/// ones, state 0 has none; every factor joins two variables and has one weight of its own, at (1,
/// 1).
class MultiLabelForm {
 public:
  /// Empty when the structure is of another kind, or has forbidden states.
  static std::optional<MultiLabelForm> Make(const Structure& structure);

  Index num_variables() const { return static_cast<Index>(slot_coordinate_.size()); }
  std::span<const VariablePair> pairs() const { return pairs_; }
  /// Per pair: position of its weight. Pair e has first_weight() + e when they are contiguous.
  std::span<const Index> pair_weight() const { return pair_weight_; }
  bool contiguous() const { return contiguous_; }

  /// u_i = Δ_i(1) − Δ_i(0) + w·φ_i(1).
  void UnaryCoefficients(std::span<const double> loss, std::span<const double> slot_scores,
                         std::span<const double> weights, std::span<double> u) const;
  /// t per pair; a view of the weights where they are contiguous, else of `buffer`.
  std::span<const double> PairCoefficients(std::span<const double> weights,
                                           std::vector<double>* buffer) const;
  /// φ and Δ of a solution.
  void ReadCorner(const RoofDuality& roof, std::span<const double> t, std::span<const double> loss,
                  SparseCorner* corner) const;

 private:
  struct Constant {
    Index variable;
    Index weight;
    double value;
  };
  std::vector<Index> slot_coordinate_;  // per variable; −1: no linear feature
  std::vector<Constant> constants_;
  std::vector<VariablePair> pairs_;
  std::vector<Index> pair_weight_;
  std::vector<std::vector<std::pair<Index, Index>>>
      later_;  // per variable: (neighbour, pair), neighbour the larger
  bool contiguous_ = false;
};

class CornerOracle {
 public:
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
  /// Throws DataError when `kind` does not apply to one of the problem's structures. One object per
  /// thread. With slack rescaling labellings are enumerated (slack_oracle.h), and the loss 1 − F1
  /// has its own maximum (count_loss_oracle.h), whatever `kind`.
  CornerOracle(const Problem& problem, SolverKind kind, Effort effort,
               Rescaling rescaling = Rescaling::kMargin, Searches searches = Searches::kAlways);

  /// To be called when the weights have been replaced.
  void Refresh(std::span<const double> weights);
  /// Follows the learner to another λ: nothing but the training set matters here.
  void set_problem(const Problem& problem) { problem_ = problem; }
  /// What has gathered since the last Refresh.
  void Archive(StateArchive* archive);

  /// To be called when one weight of a scalar feature has changed.
  void WeightChanged(Index position, double before, double after) {
    if (spare_changes_ > 0) ChangeSums(position, before, after);
  }

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

  bool relaxed() const;
  std::int64_t work() const;

 private:
  struct Entry {
    std::optional<MultiLabelForm> form;
    std::unique_ptr<RoofDuality> roof;
    std::unique_ptr<MessagePassing> passing;
    std::unique_ptr<MessageBranchAndBound>
        search;  // besides `passing`, where searches are wanted and have a prospect
    std::unique_ptr<PairForest> forest;
    std::vector<Index> table_factor;  // per table of `passing` or `forest`: a factor that has it
    std::unique_ptr<MapSolver> solver;
    bool relaxed = false;  // the relaxation of a forest is the exact problem
  };
  void ChangeSums(Index position, double before, double after);
  double MaximiseSlack(Index m, std::span<const double> slot_scores,
                       std::span<const double> weights, SparseCorner* corner);
  double MaximiseCounts(Index m, std::span<const double> slot_scores,
                        std::span<const double> weights, SparseCorner* corner);
  double MaximiseForm(Entry* entry, Index m, std::span<const double> slot_scores,
                      std::span<const double> weights, bool bound, SparseCorner* corner);
  static Entry MakeEntry(const std::shared_ptr<const Structure>& structure, SolverKind kind);
  double MaximiseByMessages(Entry* entry, Index m, std::span<const double> slot_scores,
                            std::span<const double> weights, WarmStart* warm, bool bound,
                            SparseCorner* corner);
  double MaximiseForest(Entry* entry, Index m, std::span<const double> slot_scores,
                        std::span<const double> weights, bool bound, SparseCorner* corner);
  /// The scores of variables and tables of `solver`, one of the entry's.
  template <class Solver>
  void FillScores(const Entry& entry, Index m, std::span<const double> slot_scores,
                  std::span<const double> weights, Solver* solver);
  /// The corner of labels_.
  void ReadLabelling(Index m, SparseCorner* corner);
  double PassLonger(Entry* entry, Index m, std::span<const double> slot_scores,
                    std::span<const double> weights);
  /// Scores of all parts, losses included, into scores_.
  void FillAllScores(Index m, std::span<const double> slot_scores, std::span<const double> weights);
  void ReadCoordinates(const Structure& structure, std::span<const double> slot_scores,
                       std::span<const double> weights);
  double MaximiseGeneral(Entry* entry, Index m, std::span<const double> slot_scores,
                         std::span<const double> weights, WarmStart* warm, SparseCorner* corner);

  Problem problem_;
  Effort effort_;
  Rescaling rescaling_;
  Searches searches_;
  SlackOracle slack_;
  std::unique_ptr<CountLossOracle> counts_;  // with the loss 1 − F1
  std::vector<Entry> entries_;  // one per structure; none with slack rescaling or counts_
  bool keeps_sums_ = false;     // one structure, direct way, contiguous weights
  RoofDuality::RowSums sums_;
  // changes of weights that sums_ still follow; 0: they are out of date, if they are kept at
  // all
  Index spare_changes_ = 0;
  std::vector<double> u_, t_, flows_;
  std::vector<double> coordinates_, scores_, messages_;
  std::vector<Index> labels_;
  MapResult result_;
  std::int64_t table_work_ = 0;  // filling and reading score tables
};

}  // namespace slackline::internal
