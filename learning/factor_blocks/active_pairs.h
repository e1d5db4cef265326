// SPDX-License-Identifier: BSD-3-Clause
//
// Shrinking of factor blocks: the pairs of one example on which steps are worthwhile (active pairs)
// are stored apart from the others (resting pairs).
//
// A pair of binary variables rests when all of its mass lies on (0,0) and both of its variables
// have no mass on state 1. Such a pair violates no constraint, its multipliers do not change, and
// only a larger weight can make it active again. Where few labels are on, nearly all pairs rest.
// The planes of the active pairs are copied into an array of their own, on which visits work; the
// messages of the resting pairs to their variables are stored as a sum. When a variable gets mass
// on state 1, all of its pairs become active. Occasional visits of all pairs (ShrinkSchedule)
// activate those whose weight has grown, as shrinking in SVM solvers does (Joachims, "Making
// large-scale SVM learning practical", 1999).
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/learning/factor_blocks/block_layout.h>
#include <slackline/learning/factor_blocks/pair_kernel.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class ActivePairs {
 public:
  /// Numbers of pairs that Collect found.
  struct Counts {
    Offset active = 0;
    Offset woken = 0;  ///< active pairs that rested before and became active by their weight
  };

  /// Chooses the active pairs from the state of an example, all of whose pairs have just been
  /// visited. O(pairs).
  Counts Collect(const BlockLayout& layout, const double* state);
  /// Whether the active pairs are so few that it pays to visit only them.
  bool in_use() const { return in_use_; }
  Index count() const { return static_cast<Index>(pair_.size()); }
  /// Writes the active pairs back into the example's state.
  void WriteBack(const BlockLayout& layout, double* state) const;
  /// Reads the planes of the active pairs from the example's state again, after the state of active
  /// pairs has been changed elsewhere. The state of resting pairs must not have been changed.
  void ReadBack(const BlockLayout& layout, const double* state);
  void Clear() { *this = ActivePairs(); }

  /// sums[s] = Σ_c (η_ci + A_ci μ_c/ρ)(s) over all pairs, resting ones included, for state s = 1 of
  /// every variable. `sums` is flat over the states of the variables.
  void SumMessages(const BlockLayout& layout, double inverse_rho, double* sums) const;
  /// Makes all pairs of the variables with mass on state 1 active. To be called after steps on
  /// variables.
  void Wake(const BlockLayout& layout, const double* state);
  /// The planes of the active pairs. Gathers their variables' marginals into `marginals` (2·count()
  /// numbers) and their weights into `weights` (count() numbers).
  PairPlanes Planes(const BlockLayout& layout, const double* state,
                    const std::vector<double>& all_weights, double* marginals, double* weights);
  /// Writes the gathered weights back.
  void ScatterWeights(const BlockLayout& layout, const double* weights,
                      std::vector<double>* all_weights) const;

  /// The planes are not saved: after WriteBack the example's state contains them.
  void Archive(const BlockLayout& layout, const double* state, StateArchive* archive);

 private:
  void CopyPlanes(const BlockLayout& layout, const double* state);
  void Append(const BlockLayout& layout, const double* state, Index k);
  double* plane(int p) { return planes_.data() + p * capacity_; }
  const double* plane(int p) const { return planes_.data() + p * capacity_; }

  bool in_use_ = false;
  std::size_t capacity_ = 0;
  std::vector<Index> pair_;
  std::vector<double> planes_;        // μ(00), μ(01), μ(10), μ(11), η_i, η_j; capacity_ each
  std::vector<double> resting_;       // per state of the variables: Σ η over the resting pairs
  std::vector<std::uint8_t> member_;  // per pair: whether it is active
  std::vector<std::uint8_t> all_active_;  // per variable: all of its pairs are active
};

/// Decides which passes visit all pairs instead of the active ones only. Such passes become rarer
/// when they make few pairs active.
class ShrinkSchedule {
 public:
  /// Whether the next pass visits all pairs. To be called exactly once before every pass.
  bool VisitsAll() { return since_++ % every_ == 0; }
  /// To be called after a pass over all pairs, with the sums of Collect's counts over all examples.
  void AfterAll(const ActivePairs::Counts& counts);
  /// Makes the next pass visit all pairs.
  void Restart() { *this = ShrinkSchedule(); }

  /// Number of passes from one pass over all pairs to the next.
  Index every() const { return every_; }

  void Archive(StateArchive* archive);

 private:
  Index every_ = 2;
  Index since_ = 0;
};

}  // namespace slackline::internal
