// SPDX-License-Identifier: BSD-3-Clause
//
// The local polytope of any graph without an LP solver: dual block-coordinate ascent over messages,
// sequential and tree reweighted, with a certified bound and a decoded labelling after every
// iteration.
//
// Sources: Kolmogorov, "Convergent tree-reweighted message passing for energy minimization", PAMI
// 2006 (TRW-S); Kolmogorov, "A new look at reweighted message passing", PAMI 2015 (SRMP: factors of
// any order, section 4). Here for maximisation.
//
//   symbol        here                                     shape
//   δ_ci          messages[message_offset(edge)]           states of i
//   b_i           belief_: θ_i + Σ_c δ_ci                  states of i
//
// One iteration visits the variables in increasing and then in decreasing order. At variable i,
// forwards: every factor in which i is not the first variable hands its max-marginals over, δ_ci(s)
// = max over y_c with y_i = s of (θ_c − Σ_{j≠i} δ_cj)(y_c); then every factor in which i is not the
// last variable gets back the share 1/max(number not first, number not last) of b_i. Backwards,
// first and last change roles. On chains numbered from end to end one iteration is max-product, and
// the bound is tight. The bound never gets worse, but may converge to a value above the optimum of
// the LP (a fixed point of coordinate ascent).
//
// Cost of an iteration: two reads of all pairwise tables and two operations per entry, less for
// Potts tables (pair_tables.h); for factors of order k > 2, 2(k − 1) times k + 1 sweeps over the
// table. Factors with equal tables may share one table.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/map_solver.h>
#include <slackline/inference/pair_tables.h>

namespace slackline::internal {

/// Keeps scores and work space for one graph: one object per thread.
class MessagePassing {
 public:
  /// table_of: per factor, the number of its score table; empty: every factor has a table of its
  /// own. Throws std::invalid_argument unless tables are numbered from 0 in the order of their
  /// first use, and factors with the same table have equal cardinalities.
  explicit MessagePassing(std::shared_ptr<const FactorGraph> graph,
                          std::span<const Index> table_of = {});

  Index num_tables() const { return static_cast<Index>(tables_.size()); }
  /// Scores of all states of all variables, in the graph's order, which the caller writes.
  std::span<double> variable_scores() { return variable_scores_; }
  /// Sets the scores of all joint states of a table.
  void SetTable(Index table, std::span<const double> scores);
  /// Sets all scores at once, in the graph's order. Throws std::invalid_argument if factors share
  /// tables.
  void SetScores(std::span<const double> scores);

  /// Makes one iteration on the messages (total_messages entries). Returns an upper bound on the
  /// maximum, certified up to the rounding errors that messages accumulate.
  double Iterate(std::span<double> messages);

  /// Writes a labelling in which every variable, one after the other, takes the best state given
  /// the labels of earlier variables and the messages of later ones. `labels`: one per variable. To
  /// be called after Iterate.
  void Decode(std::span<const double> messages, std::span<Index> labels);

  /// Changes single variables to the best state given all others as long as the score gains, in at
  /// most kImproveSweeps sweeps over the variables (iterated conditional modes). A sweep: a few
  /// operations per state and factor of the variables.
  void Improve(std::span<Index> labels);
  static constexpr Index kImproveSweeps = 10;

  /// Σ_i θ_i(y_i) + Σ_c θ_c(y_c).
  double Score(std::span<const Index> labels) const;

  /// Σ_i max b_i + Σ_c max (θ_c − Σ δ_ci): valid for any messages.
  double Bound(std::span<const double> messages);

  /// The approximate nanoseconds of an iteration, counted by entries of tables and messages.
  std::int64_t iteration_work() const { return iteration_work_; }

 private:
  struct Edge {
    Index factor;
    Index position;
    Offset message;
    bool first, last;  // whether the variable is the smallest, or the largest, of the scope
    bool pair;
    Index other;            // pairs only: the other variable
    Offset other_message;   // pairs only: begin of the other variable's message
    PairTables::View view;  // pairs only: the table
  };
  struct Table {
    Index factor;     // a factor that has this table
    Index uses = 0;   // number of factors that have it
    Index pair = -1;  // pairs: number in pairs_
    Offset scores;    // other factors: begin of the scores in table_scores_
  };
  std::span<const Edge> edges(Index i) const {
    return std::span(edges_.data() + begin_[i], begin_[i + 1] - begin_[i]);
  }
  void AddTables(std::span<const Index> table_of);
  void AddEdges(Index i);
  template <bool kForward>
  double Sweep(double* messages);
  void Collect(const Edge& edge, double* messages);
  void MaxMarginals(const Edge& edge, const double* messages);
  /// Adds to belief_ the scores of a factor for the states of i, given the labels of its other
  /// variables.
  void AddGiven(const Edge& edge, std::span<const Index> labels);
  void AddDecoded(const Edge& edge, Index i, const double* messages, std::span<const Index> labels);

  std::shared_ptr<const FactorGraph> graph_;
  std::vector<Table> tables_;
  std::vector<Index> table_of_;
  PairTables pairs_;
  std::vector<double> table_scores_;
  std::vector<double> variable_scores_;
  std::vector<Offset> begin_;
  std::vector<Edge> edges_;     // by variable
  std::vector<double> share_;   // per variable
  std::vector<double> belief_;  // work space for one variable, padded
  std::vector<double> maxima_;  // work space for one variable, padded
  std::vector<double> table_;   // work space for one factor
  std::int64_t iteration_work_ = 0;
};

inline constexpr std::size_t kBranchAndBoundPlanBytes = 4;

/// Reads the messages of a warm start, or zeros if it is null, empty, of another graph's size, or
/// not finite. A BranchAndBoundPlan may follow the messages (message_branch_and_bound.h).
void ReadMessages(const FactorGraph& graph, const WarmStart* warm, std::vector<double>* messages);
/// Writes the messages into a warm start, unless it is null. Keeps a BranchAndBoundPlan behind
/// them.
void WriteMessages(std::span<const double> messages, WarmStart* warm);

struct MessagePassingOptions {
  Index max_iterations = 100;
  /// Iterations stop when bound − value ≤ tolerance · max(1, |value|), or when an iteration
  /// improves the bound by at most a tenth of that tolerance.
  double tolerance = 1e-7;
};

/// A solver that returns labellings (points of the local polytope) with the bound of its messages.
/// A WarmStart keeps the messages. exact = the labelling reaches the bound within 1e-7 · max(1,
/// |value|). Throws DataError on graphs with global factors.
std::unique_ptr<MapSolver> MakeMessagePassingSolver(std::shared_ptr<const FactorGraph> graph,
                                                    const MessagePassingOptions& options = {});

}  // namespace slackline::internal
