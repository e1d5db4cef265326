// SPDX-License-Identifier: BSD-3-Clause
//
// Shrinking of factor blocks: the pairs of one example on which steps are worth making, kept apart
// from the others.
//
// A pair of binary variables rests when all of its mass lies on (0,0) and both of its variables
// have no mass on state 1: then it violates nothing, its multipliers stand still, and it can only
// be woken by its weight. Where few labels are on, nearly all pairs rest. The planes of the others
// are copied into an array of their own, in which visits run; what the resting ones say to their
// variables is kept as a sum. When a variable gets mass on state 1, all of its pairs become active.
// A visit of all pairs now and then (ShrinkSchedule) wakes those whose weight has grown, as
// shrinking in SVM solvers does (Joachims, "Making large-scale SVM learning practical", 1999).
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/learning/factor_blocks/block_layout.h>
#include <slackline/learning/factor_blocks/pair_kernel.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class ActivePairs {
 public:
  /// What Collect found.
  struct Counts {
    Offset active = 0;
    Offset woken = 0;  ///< of these, the ones that rested before and were woken by their weight
  };

  /// Chooses the active pairs by the state of an example, all of whose pairs have just been
  /// visited. O(pairs).
  Counts Collect(const BlockLayout& layout, const double* state);
  /// The pairs are few enough for visits of them alone to pay.
  bool in_use() const { return in_use_; }
  Index count() const { return static_cast<Index>(pair_.size()); }
  /// Writes the active pairs back into the example's state.
  void WriteBack(const BlockLayout& layout, double* state) const;
  void Clear() { *this = ActivePairs(); }

  /// sums[s] = Σ_c (η_ci + A_ci μ_c/ρ)(s) over the pairs, for the states 1 of all variables.
  void SumMessages(const BlockLayout& layout, double inverse_rho, double* sums) const;
  /// Makes the pairs of those variables active that have mass on state 1. To be called after steps
  /// on variables.
  void Wake(const BlockLayout& layout, const double* state);
  /// The planes of the active pairs, with their marginals and weights gathered: `marginals` takes
  /// 2·count() and `weights` count() numbers.
  PairPlanes Planes(const BlockLayout& layout, const double* state,
                    const std::vector<double>& all_weights, double* marginals, double* weights);
  /// Writes the gathered weights back.
  void ScatterWeights(const BlockLayout& layout, const double* weights,
                      std::vector<double>* all_weights) const;

  /// The planes are not saved: they are those of the state, once written back.
  void Archive(const BlockLayout& layout, const double* state, StateArchive* archive);

 private:
  void CopyPlanes(const BlockLayout& layout, const double* state);
  void Append(const BlockLayout& layout, const double* state, Index k);
  double* plane(int p) { return planes_.data() + static_cast<std::size_t>(p) * capacity_; }
  const double* plane(int p) const {
    return planes_.data() + static_cast<std::size_t>(p) * capacity_;
  }

  bool in_use_ = false;
  std::size_t capacity_ = 0;
  std::vector<Index> pair_;
  std::vector<double> planes_;        // μ(00), μ(01), μ(10), μ(11), η_i, η_j; capacity_ each
  std::vector<double> resting_;       // per state of the variables: Σ η over the resting pairs
  std::vector<std::uint8_t> member_;  // per pair
  std::vector<std::uint8_t> full_;    // per variable: all of its pairs are active
};

/// Which passes visit all pairs, and not only the active ones: the fewer, the fewer pairs such
/// passes wake.
class ShrinkSchedule {
 public:
  /// To be asked once before every pass.
  bool VisitsAll() { return since_++ % every_ == 0; }
  /// After a pass over all: what Collect found in all examples together.
  void AfterAll(const ActivePairs::Counts& counts);
  /// The next pass visits all.
  void Restart() { *this = ShrinkSchedule(); }

  /// Passes from one over all pairs to the next.
  Index every() const { return every_; }

  void Archive(StateArchive* archive);

 private:
  Index every_ = 2;
  Index since_ = 0;
};

}  // namespace slackline::internal
