// SPDX-License-Identifier: BSD-3-Clause
//
// The LP relaxation of binary pairwise models of any sign, solved by one maximum flow:
//
//   max  Σ_i u_i x_i + Σ_{t>0} t min(x_i, x_j) − Σ_{t<0} |t| max(0, x_i + x_j − 1),   x ∈ [0, 1]^n
//
// (inference/binary_pairs.h shows that this is the local polytope). The program has a half-integral
// solution, and its labels at 0 and 1 agree with some best labelling.
//
// Sources: Hammer, Hansen, Simeone (1984), roof duality; Boros and Hammer (2002); Kolmogorov and
// Rother (2007), the doubled graph. Three stages:
//   1. Bounds decide variables: u_i + Σ_j max(0, t_ij) ≤ 0 gives x_i = 0, u_i + Σ_j min(0, t_ij) ≥
//      0 gives x_i = 1. Every decision tightens the bounds of the neighbours; this is repeated
//      until no bound decides a variable.
//   2. The remaining problem is written with spins, a_i = u_i + ½ Σ_j t_ij and |t_ij|/2 · |x_i −
//      x_j| or |x_i + x_j − 1|. If the signs of the edges are balanced (no cycle with an odd number
//      of negative edges; the submodular case has only positive edges), flipping some variables
//      makes all edges positive. The solution is then integral, by a minimum cut on as many nodes
//      as variables.
//   3. Otherwise the solution is a minimum cut on the doubled graph, with one node for x_i and one
//      for 1 − x_i.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/inference/max_flow.h>

namespace slackline::internal {

/// Two different variables whose product has a coefficient t.
struct VariablePair {
  Index first = 0;
  Index second = 0;
};

/// Solves the program above for one set of pairs and changing coefficients. Keeps work space: one
/// object per thread.
class RoofDuality {
 public:
  /// Pairs may repeat. Throws std::invalid_argument unless 0 ≤ first, second < num_variables and
  /// first ≠ second.
  RoofDuality(Index num_variables, std::span<const VariablePair> pairs);

  /// Σ_j max(0, t_ij) and Σ_j min(0, t_ij) per variable: for callers whose t changes rarely.
  struct RowSums {
    std::vector<double> positive;
    std::vector<double> negative;
  };
  void ComputeRowSums(std::span<const double> t, RowSums* sums) const;

  /// Solves the program. Requires finite u (one per variable) and t (one per pair), which must live
  /// until the results have been read. `sums`: ComputeRowSums of t, or null. O(n + pairs) besides
  /// the flow; with sums, O(n + pairs of undecided variables).
  void Solve(std::span<const double> u, std::span<const double> t, const RowSums* sums = nullptr);

  // Results of the last Solve.
  /// 2·x_i: 0, 1 or 2.
  std::span<const std::uint8_t> doubled() const { return doubled_; }
  bool integral() const { return integral_; }
  /// The value of the program at x. O(n + pairs).
  double Value() const;
  /// The same with other coefficients u. O(n + pairs of the variables that are not 0).
  double ValueWith(std::span<const double> u) const;
  /// f of inference/binary_pairs.h, one entry per pair, in [0, |t|]: the dual solution. O(pairs).
  void DualFlows(std::span<double> f) const;

  /// Number of variables that stage 1 left undecided, over all calls.
  std::int64_t undecided() const { return undecided_; }
  /// Array entries read in stages 1 to 3, over all calls.
  std::int64_t work() const { return work_ + flow_.work(); }

 private:
  struct Neighbour {
    Index variable;
    Index pair;
  };
  std::span<const Neighbour> neighbours(Index i) const {
    return std::span(neighbours_.data() + begin_[i], begin_[i + 1] - begin_[i]);
  }
  double t(Index pair) const { return t_[pair]; }
  bool Decide();
  void Propagate();
  void RecomputeBounds();
  void SolveFlow();
  bool FindSwitching();
  void AddPairsOfFlow(bool doubled);
  void ReadCut(bool doubled);

  Index n_;
  std::vector<VariablePair> pairs_;
  std::vector<Offset> begin_;
  std::vector<Neighbour> neighbours_;

  std::span<const double> t_;
  std::span<const double> u_;
  std::vector<double> contracted_;  // u_i + Σ t_ij over the neighbours decided as 1
  std::vector<double> low_;         // contracted_ + Σ min(0, t) over the undecided neighbours
  std::vector<double> high_;        // contracted_ + Σ max(0, t) over the undecided neighbours
  std::vector<std::uint8_t> doubled_;
  std::vector<Index> decided_;  // round of stage 1 that decided the variable; 0: undecided
  Index round_ = 0;
  std::vector<Index> free_;     // undecided variables
  std::vector<Index> changed_;  // variables decided in this round
  std::vector<Index> node_;     // per undecided variable: number of its node in the flow
  std::vector<std::int8_t> flip_;
  struct FlowPair {
    Index pair;
    Index edge;  // number in the flow; the mirror edge of the doubled graph is edge + 1
  };
  std::vector<FlowPair> flow_pairs_;
  bool flow_doubled_ = false;
  MaxFlow flow_;
  bool integral_ = true;
  std::int64_t undecided_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
