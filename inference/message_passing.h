// SPDX-License-Identifier: BSD-3-Clause
//
// The local polytope of any graph without an LP solver: dual block-coordinate ascent over messages, sequential and tree
// reweighted, with a certified bound at any moment and a labelling decoded on the way.
//
// Sources: Kolmogorov, "Convergent tree-reweighted message passing for energy minimization", PAMI 2006 (TRW-S); Kolmogorov,
// "A new look at reweighted message passing", PAMI 2015 (SRMP: factors of any order, section 4). Here for maximisation.
//
//   symbol        here                                     shape
//   δ_ci          messages[message_offset(edge)]           states of i
//   b_i           belief_: θ_i + Σ_c δ_ci                  states of i
//
// One iteration visits the variables in increasing and then in decreasing order. At variable i, forwards: every factor in
// which i is not the first variable hands its max-marginals over, δ_ci(s) = max over y_c with y_i = s of
// (θ_c − Σ_{j≠i} δ_cj)(y_c); then every factor in which i is not the last gets back the share 1/max(number not first, number
// not last) of b_i. Backwards with first and last exchanged. On forests one iteration is max-product and the bound is tight.
// The bound never gets worse; it may stop short of the optimum of the LP (fixed points of coordinate ascent).
//
// Cost of an iteration: two reads of all factor tables, and two operations per entry.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/map_solver.h>

namespace slackline {

/// Keeps work space for one graph; not to be shared between threads.
class MessagePassing {
 public:
  explicit MessagePassing(std::shared_ptr<const FactorGraph> graph);

  /// One iteration on the messages (total_messages entries). Scores as for MapSolver. With labels (one per variable), also
  /// decodes: variable after variable takes the best state given those before it and the messages of those after it.
  void Iterate(std::span<const double> scores, std::span<double> messages, std::span<Index> labels);

 private:
  struct Edge {
    Index factor;
    Index position;
    Offset message;
    bool first, last;  // whether the variable is the smallest, the largest, of the scope
    bool pair;
  };
  std::span<const Edge> edges(Index i) const {
    const auto k = static_cast<std::size_t>(i);
    return {edges_.data() + begin_[k], static_cast<std::size_t>(begin_[k + 1] - begin_[k])};
  }
  template <bool kForward>
  void Sweep(std::span<const double> scores, std::span<double> messages, std::span<Index> labels);
  void Collect(std::span<const double> scores, const Edge& edge, double* messages);
  void CollectTable(std::span<const double> scores, const Edge& edge, double* messages);
  Index DecodeVariable(std::span<const double> scores, Index i, const double* messages,
                       std::span<const Index> labels);

  std::shared_ptr<const FactorGraph> graph_;
  std::vector<Offset> begin_;
  std::vector<Edge> edges_;     // by variable
  std::vector<double> share_;   // per variable
  std::vector<double> belief_;  // of one variable
  std::vector<double> table_;   // of one factor
};

struct MessagePassingOptions {
  Index max_iterations = 100;
  /// Stops when bound − value ≤ tolerance · max(1, |value|), or when the bound has gained less than a tenth of that in an
  /// iteration.
  double tolerance = 1e-7;
};

/// A solver that returns labellings (points of the local polytope) with the bound of its messages. A WarmStart keeps the
/// messages. exact = the labelling reaches the bound within 1e-7 · max(1, |value|).
std::unique_ptr<MapSolver> MakeMessagePassingSolver(std::shared_ptr<const FactorGraph> graph,
                                                    const MessagePassingOptions& options = {});

}  // namespace slackline
