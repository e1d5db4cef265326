// SPDX-License-Identifier: BSD-3-Clause
//
// The active set of an example block: its corners in compact form, and what the small quadratic
// program over their convex hull needs.
//
// A corner s enters training through φ_m(s), its loss Δ_m(s) and nothing else. φ_m(s) is kept as
// the list of its non-zero coordinates (core/structure.h), of which nearly all are 1: 4 bytes each,
// 12 for the others. (Six labels with all their pairs are 84 bytes, whatever the number of features
// and labels.) Inner products of corners are kept as well, so that steps within an active set cost
// a few operations per corner and touch neither weights nor features.
//
// Sources: Shah, Kolmogorov, Lampert, "A multi-plane block-coordinate Frank-Wolfe algorithm for
// training structural SVMs with a costly max-oracle", CVPR 2015 (kept planes, Gram cache); Osokin
// et al., "Minding the gaps for block Frank-Wolfe optimization of structured SVMs", ICML 2016
// (pairwise steps on blocks).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/feature_gram.h>
#include <slackline/core/input_gram.h>
#include <slackline/core/prefetch.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// Work of a visit of an example, whatever its size, in array entries.
inline constexpr std::int64_t kVisitWork = 50;

/// φ_m(s) as lists. Entries are of slots (`index` = coordinate of the slot) or of scalar features
/// (`index` = position in the weight vector), and have value 1 or a value of their own.
struct SparseCorner {
  std::vector<Index> slot_ones, slot_index, scalar_ones, scalar_index;
  std::vector<double> slot_value, scalar_value;
  double loss = 0;

  void Clear();
};

/// Writes a dense vector of coordinates to *corner as sorted lists; sets its loss to 0.
void SparsifyCorner(const Structure& structure, std::span<const double> coordinates,
                    SparseCorner* corner);

/// Work space for inner products and for moves, shared by all blocks of one thread: dense arrays
/// that are zero between uses.
struct CornerScratch {
  std::vector<double> slot;     ///< by coordinate
  std::vector<double> product;  ///< the same; not zero between uses
  std::vector<double> scalar;   ///< by position in the weight vector, less `scalar_begin`
  Offset scalar_begin = 0;
  FeatureGram gram;
  const InputGram* inputs = nullptr;  ///< of the current example; used in place of `gram` if set
};

/// Work space for examples of this data set.
CornerScratch MakeCornerScratch(const Dataset& data);

/// The active set of one example. Corner 0 is the ground truth and is never dropped.
class ActiveSet {
 public:
  /// keeps_products: whether the inner products of gram() are kept.
  explicit ActiveSet(bool keeps_products = true) : keeps_products_(keeps_products) {}

  struct View {
    std::span<const Index> slot_ones, slot_index, scalar_ones, scalar_index;
    std::span<const double> slot_value, scalar_value;
  };

  Index size() const { return static_cast<Index>(heads_.size()); }
  View corner(Index a) const;
  double loss(Index a) const { return heads_[a].loss; }
  /// The weights of the corners: ≥ 0, sum 1.
  std::span<double> alpha() { return alpha_; }
  std::span<const double> alpha() const { return alpha_; }
  /// ⟨φ(a), φ(b)⟩.
  double gram(Index a, Index b) const { return gram_[a * capacity_ + b]; }
  /// A set with corner 0 alone, at weight 1.
  ActiveSet First() const;
  const double* gram_row(Index a) const { return gram_.data() + a * capacity_; }

  /// Prefetches the first cache lines of the set's arrays. Reads the members of the set itself.
  void PrefetchParts() const {
    Prefetch(heads_.data(), heads_.size() * sizeof(Head), 4);
    Prefetch(alpha_.data(), alpha_.size() * sizeof(double), 2);
    Prefetch(index_.data(), index_.size() * sizeof(Index), 4);
    Prefetch(gram_.data(), gram_.size() * sizeof(double), 4);
    Prefetch(value_.data(), value_.size() * sizeof(double), 2);
  }

  /// Calls visit(coordinate, value), or visit(position in the weight vector, value), for the
  /// non-zero entries of φ(a).
  template <class Visit>
  void ForEachSlotEntry(Index a, const Visit& visit) const {
    const View view = corner(a);
    for (const Index k : view.slot_ones) visit(k, 1.0);
    for (std::size_t e = 0; e < view.slot_index.size(); ++e)
      visit(view.slot_index[e], view.slot_value[e]);
  }
  template <class Visit>
  void ForEachScalarEntry(Index a, const Visit& visit) const {
    const View view = corner(a);
    for (const Index k : view.scalar_ones) visit(k, 1.0);
    for (std::size_t e = 0; e < view.scalar_index.size(); ++e)
      visit(view.scalar_index[e], view.scalar_value[e]);
  }
  Index entries(Index a) const { return heads_[a].entries(); }

  /// Appends a corner with weight 0 and computes its inner products, unless the set has an equal
  /// corner. Returns the number of the corner in the set.
  Index Add(const ExampleView& example, const SparseCorner& corner, CornerScratch* scratch);

  /// Δ(a) + w·φ(a), from the slots' scores and the weight vector.
  double Score(Index a, std::span<const double> slot_scores, std::span<const double> weights) const;

  /// Corner a as it was added.
  void Read(Index a, SparseCorner* corner) const;

  /// Adds one to the idle count of the corners of weight 0, resets the other counts, and drops the
  /// corners that have been idle for longer than `limit`.
  void DropIdle(Index limit);

  /// Drops the corners a with keep[a] = 0, except corner 0. keep has one flag per corner. The other
  /// corners keep their order.
  void Retain(std::span<const std::uint8_t> keep);

  /// coordinates += share · φ(a), in all coordinates of the structure.
  void AddCoordinates(const Structure& structure, Index a, double share,
                      std::span<double> coordinates) const;

  /// Archives corners and their weights; inner products are computed again on loading.
  void Archive(const ExampleView& example, CornerScratch* scratch, StateArchive* archive);

 private:
  struct Head {
    Index begin = 0;
    Index value_begin = 0;
    Index slot_ones = 0, slot_values = 0, scalar_ones = 0, scalar_values = 0;
    Index idle = 0;
    double loss = 0;

    Index entries() const { return slot_ones + slot_values + scalar_ones + scalar_values; }
  };
  Index Find(const SparseCorner& corner) const;
  template <class Keep>
  void Compact(const Keep& keep);
  void CheckEntries(const ExampleView& example, const CornerScratch& scratch) const;
  void Grow();
  void ComputeGram(const ExampleView& example, Index a, CornerScratch* scratch);

  std::vector<Head> heads_;
  std::vector<double> alpha_;
  std::vector<Index> index_;
  std::vector<double> value_;
  std::vector<double> gram_;
  std::size_t capacity_ = 0;
  bool keeps_products_ = true;
};

}  // namespace slackline::internal
