// SPDX-License-Identifier: BSD-3-Clause
//
// The primal-dual iteration of one example: a point of the local polytope that breaks its
// constraints a little, and the messages that mend it. See pdhg.h for the method.
//
//   symbol   here                    shape
//   μ_i      variables_              states of all variables, in the graph's order
//   μ_c      tables_                 per batch and block of eight factors: joint states × 8
//   δ_ci     messages_               per batch and block: rows × 8, a row for each state of each
//                                    variable of the scope
//
// A *batch* has factors of one shape that either share one score table or have tables of their own.
// A block is eight factors of a batch, whose numbers stand side by side, so that all loops run over
// eight factors in vector registers. Factors whose entries stay 0 fill up the last block.
//
// Bytes and operations of an iteration: every entry of μ_c is read and written once (16 bytes),
// every message too; an entry takes order + 6 operations. With features, gathers and scatters an
// iteration takes two to three nanoseconds for an entry on AVX2, and six where every factor has an
// input of its own: then its table is computed and its features are summed in every iteration.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// The batches of a structure, shared by its examples.
class PdhgLayout {
 public:
  static constexpr std::size_t kLanes = 8;

  /// A term of each factor of a batch, which read their coordinates in the same way.
  struct Term {
    FeatureKind kind = FeatureKind::kConstant;
    Index map = 0;
    std::vector<Index> coordinate;  ///< of row 0, per factor
    std::vector<Index> source;      ///< per factor
  };

  struct Batch {
    std::vector<Index> factors;
    bool shared = false;  ///< whether all factors have the score table of the first one
    /// Without a common table: the terms of all factors, or empty where these differ.
    std::vector<Term> terms;
    Index order = 0;               ///< variables of a factor
    Index states = 0;              ///< joint states
    Index rows = 0;                ///< Σ of the variables' numbers of states
    std::vector<Index> row_of;     ///< states × order: the rows of a joint state
    std::vector<Index> first_row;  ///< of each variable of the scope, and the end
    Index blocks = 0;
    Offset table = 0;    ///< begin in the arrays of entries
    Offset message = 0;  ///< begin in the arrays of messages
    /// blocks × order × 8: where the variable's states begin; filling factors have a place of zeros
    std::vector<Offset> place;
  };

  explicit PdhgLayout(std::shared_ptr<const Structure> structure);

  const Structure& structure() const { return *structure_; }
  std::span<const Batch> batches() const { return batches_; }
  Offset num_entries() const { return entries_; }
  Offset num_messages() const { return messages_; }
  /// Length of arrays over the states of variables, the place of zeros included.
  Offset num_places() const { return places_; }
  Index largest_table() const { return largest_table_; }
  Index largest_rows() const { return largest_rows_; }

 private:
  std::shared_ptr<const Structure> structure_;
  std::vector<Batch> batches_;
  Offset entries_ = 0;
  Offset messages_ = 0;
  Offset places_ = 0;
  Index largest_table_ = 0;
  Index largest_rows_ = 0;
};

/// Work space of one thread, for examples of any layout.
struct PdhgScratch {
  std::vector<double> u, q;           // coordinates
  std::vector<double> unary, mirror;  // per place
  std::vector<double> block, rows, sums, scores, table, marginals;
};

/// Array entries that an iteration on an example touches.
inline Offset WorkOfIteration(const FactorGraph& graph) {
  return 3 * graph.total_states() + 4 * graph.total_messages();
}

class PdhgBlocks {
 public:
  /// Begins at the ground truth, with messages 0. The training set of `problem` must outlive the
  /// object.
  PdhgBlocks(const Problem& problem, Index m, std::shared_ptr<const PdhgLayout> layout);

  /// The scale of the dual steps: steps of μ are scale() times as long as the norms of the
  /// constraints alone allow, and steps of messages scale() times shorter.
  double scale() const { return scale_; }
  /// sums[k] += scale() · Σ |φ_k(s)| over all states of all parts, for the steps of the weights.
  void AddFeatureSizes(std::span<double> sums) const;

  /// One iteration. scratch->u: the coordinate scores of the weights. Adds the coordinates of
  /// φ(μ̄), μ̄ = 2μ⁺ − μ, to scratch->q. relaxation: in [1, 2).
  void Iterate(double relaxation, PdhgScratch* scratch);

  /// Σ_a max_s of the reparametrised scores with losses, an upper bound on max Δ·μ + w·φ(μ) over
  /// the local polytope. scratch->u: the coordinate scores of the weights.
  double Bound(PdhgScratch* scratch) const;

  /// Repairs a copy of μ to a point of the local polytope, each factor alone. Adds its φ to
  /// scratch->q, and returns its loss.
  double Point(PdhgScratch* scratch) const;

  void Archive(StateArchive* archive);

 private:
  ExampleView example() const { return problem_.data().example(m_); }
  /// scratch->unary = losses + scores + messages of all variables.
  void FillUnary(PdhgScratch* scratch) const;
  void StepVariables(double relaxation, PdhgScratch* scratch);
  /// Calls visit(state, lane, coordinate, value) for the features of a block whose factors have
  /// common terms.
  template <class Visit>
  void ForEachTermOfLanes(const PdhgLayout::Batch& batch, Index block, const Visit& visit) const;
  /// The score tables of a block: shared ones (states numbers), or one for each factor (× 8).
  void FillScores(const PdhgLayout::Batch& batch, Index block, PdhgScratch* scratch) const;
  /// Adds the coordinates of the entries in scratch->sums (shared: states × 8 sums over blocks) or
  /// of one block's factors (states × 8).
  void AddFeatures(const PdhgLayout::Batch& batch, Index block, std::span<const double> entries,
                   PdhgScratch* scratch) const;
  void Gather(const PdhgLayout::Batch& batch, Index block, std::span<const double> from,
              double* rows) const;
  void FindSteps();
  void FindMessageSums();

  Problem problem_;
  Index m_;
  std::shared_ptr<const PdhgLayout> layout_;
  double scale_ = 1;
  std::vector<double> variable_steps_;  // σ of each variable
  std::vector<double> factor_steps_;    // σ of each factor, in the order of the batches, × 8
  std::vector<double> variables_;       // per place
  std::vector<double> tables_;
  std::vector<double> messages_;
  std::vector<double> message_sums_;  // Σ_c δ_ci, per place
};

}  // namespace slackline::internal
