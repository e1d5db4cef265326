// SPDX-License-Identifier: BSD-3-Clause
//
// Frank-Wolfe for any smooth convex function on a product of compact convex domains: min f(x), x ∈
// M_1 × … × M_n.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013: Algorithm 3 (C.2 with averages), which with one block is Algorithm
// 1. The learners `fw` and `bcfw` make the same steps on the dual of the structural SVM, whose x is
// too long to be stored; a test compares them with this file.
//
//   symbol       here
//   x            point()
//   ∇_(i) f(x)   Objective::Gradient
//   s_(i)        Objective::Minimise, through the `Corners`
//   g(x)         Gap() = Σ_i max_s ⟨x_(i) − s, ∇_(i) f(x)⟩ ≥ f(x) − f(x*), (16)
//   γ            2n/(νk + 2n), or the exact minimum along the line
//   C_f^(i)      the curvature of block i, (17)
//
// With fixed steps or line search E[f(x_k)] − f* ≤ 2n/(k + 2n) (Σ_i C_f^(i) + f(x_0) − f*) for
// blocks drawn uniformly (Theorem C.1). For n = 1 there is no expectation, and f(x_0) − f* can be
// left out for k ≥ 1. With a corner s of block i for which (11)–(13)
//     ⟨x − s, ∇_(i) f⟩ ≥ ν · max_s' ⟨x − s', ∇_(i) f⟩ − ½ δ γ̃_k C_f^(i),   γ̃_k = 2n/(νk + 2n),
// the bound is 2n/(νk + 2n) · (Σ_i C_f^(i) (1 + δ)/ν + f(x_0) − f*), with line search or with steps
// γ̃_k (FrankWolfeOptions::quality = ν). Permuted orders have no such proof but are as good in
// practice. Cost of a step: one Gradient, one Minimise and O(size of x); memory O(size of x).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/options.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {

/// The block number that stands for all blocks together (AsOneBlock).
inline constexpr Index kAllBlocks = -1;

/// What a user provides. x is one vector, in which the blocks lie one after the other.
///   num_blocks()                         n ≥ 1
///   block_size(i)                        ≥ 1
///   Gradient(i, x, out)                  out = ∇_(i) f(x), block_size(i) entries
///   Minimise(i, gradient, out)           out = a point of M_i that minimises ⟨s, gradient⟩
///   LineSearch(i, x, direction, slope)   the γ ∈ [0, 1] that minimises f(x + γ·direction), where
///                                        slope = ⟨direction, ∇_(i) f(x)⟩ < 0; for a quadratic
///                                        min(1, −slope / dᵀ(∇²f)d)
/// In a step of AsOneBlock LineSearch gets i = kAllBlocks and a direction of x's size. With fixed
/// steps it is not called.
template <class F>
concept BlockObjective = requires(F& f, Index block, std::span<const double> x,
                                  std::span<double> out) {
  { f.num_blocks() } -> std::convertible_to<Index>;
  { f.block_size(block) } -> std::convertible_to<Index>;
  f.Gradient(block, x, out);
  f.Minimise(block, x, out);
  { f.LineSearch(block, x, x, 0.0) } -> std::convertible_to<double>;
};

/// The linear problem of one step.
struct LinearTask {
  Index block = 0;
  Index num_blocks = 1;
  std::int64_t step = 0;          ///< k: steps made before this one
  std::span<const double> point;  ///< x_(i)
  std::span<const double> gradient;
};

/// The exact corners of the objective. Other `Corners` have the same call operator.
struct ExactCorners {
  template <BlockObjective Objective>
  void operator()(Objective& objective, const LinearTask& task, std::span<double> corner) const {
    objective.Minimise(task.block, task.gradient, corner);
  }
};

struct FrankWolfeOptions {
  bool fixed_step = false;  ///< whether steps are 2n/(νk + 2n), without a line search
  double quality = 1;       ///< ν in (0, 1] of fixed steps
  /// kUniform: blocks drawn with replacement, as in the paper. kExample: all in a fresh random
  /// order each pass.
  OrderKind order = OrderKind::kUniform;
  std::uint64_t seed = 1;
};

template <BlockObjective Objective, class Corners = ExactCorners>
class FrankWolfe {
 public:
  /// `objective` must outlive the object. start: a point of the domain. Throws
  /// std::invalid_argument when sizes or options do not fit.
  FrankWolfe(Objective* objective, std::vector<double> start, const FrankWolfeOptions& options,
             Corners corners = {})
      : objective_(*objective),
        options_(options),
        corners_(std::move(corners)),
        random_(options.seed),
        order_(objective->num_blocks()),
        point_(std::move(start)),
        average_(point_) {
    SLACKLINE_CHECK(options.order == OrderKind::kUniform || options.order == OrderKind::kExample,
                    "the order must be uniform or example");
    SLACKLINE_CHECK(options.quality > 0 && options.quality <= 1, "the quality must be in (0, 1]");
    for (Index i = 0; i < objective_.num_blocks(); ++i)
      begin_.push_back(begin_.back() + objective_.block_size(i));
    SLACKLINE_CHECK(begin_.back() == point_.size(), "the start does not fit the blocks");
  }

  FrankWolfe(const FrankWolfe&) = delete;
  FrankWolfe& operator=(const FrankWolfe&) = delete;

  /// As many steps as there are blocks.
  void Pass() {
    for (Index k = 0; k < objective_.num_blocks(); ++k) Step();
  }

  /// One step on one block, lines 3 to 6 of Algorithm 3. Returns ⟨x_(i) − s, ∇_(i) f⟩ before the
  /// step, which is the block's part of the gap if the corner is exact.
  double Step() {
    const double n = objective_.num_blocks();
    const Index block = NextBlock();
    const double gap = Direct(block, corners_);
    double step = 2 * n / (options_.quality * static_cast<double>(steps_) + 2 * n);
    if (!options_.fixed_step)
      step = gap > 0 ? objective_.LineSearch(block, point_, direction_, -gap) : 0;
    const std::span<double> own = Own(block);
    for (std::size_t k = 0; k < own.size(); ++k) own[k] += step * direction_[k];
    ++steps_;
    const double share = 2 / (static_cast<double>(steps_) + 1);  // the last line of Algorithm C.2
    for (std::size_t k = 0; k < point_.size(); ++k)
      average_[k] += share * (point_[k] - average_[k]);
    return gap;
  }

  /// g(x) with exact corners of all blocks: an upper bound on f(x) − f(x*). Takes n calls of
  /// Gradient and of Minimise, and leaves the iterate unchanged.
  double Gap() {
    double sum = 0;
    for (Index i = 0; i < objective_.num_blocks(); ++i) sum += Direct(i, ExactCorners{});
    return sum;
  }

  std::span<const double> point() const { return point_; }
  std::int64_t steps() const { return steps_; }
  /// The average of the iterates x_1 … x_k with weights 1 … k, which lies in the domain as they do.
  const std::vector<double>& average() const { return average_; }

 private:
  std::span<double> Own(Index block) {
    return std::span(point_).subspan(begin_[block], begin_[block + 1] - begin_[block]);
  }

  Index NextBlock() {
    const Index n = objective_.num_blocks();
    if (options_.order == OrderKind::kUniform)
      return static_cast<Index>(random_.Below(static_cast<std::uint64_t>(n)));
    const std::size_t k = steps_ % n;
    if (k == 0) permutation_ = order_.Next(&random_);
    return permutation_[k];
  }

  /// direction_ = s − x_(i); returns −⟨direction, gradient⟩.
  template <class AnyCorners>
  double Direct(Index block, const AnyCorners& corners) {
    const std::span<const double> own = Own(block);
    gradient_.resize(own.size());
    direction_.resize(own.size());
    objective_.Gradient(block, point_, gradient_);
    corners(objective_, LinearTask{block, objective_.num_blocks(), steps_, own, gradient_},
            std::span<double>(direction_));
    double gap = 0;
    for (std::size_t k = 0; k < own.size(); ++k) {
      direction_[k] -= own[k];
      gap -= direction_[k] * gradient_[k];
    }
    return gap;
  }

  Objective& objective_;
  FrankWolfeOptions options_;
  Corners corners_;
  Random random_;
  ExampleOrder order_;
  std::span<const Index> permutation_;
  std::vector<std::size_t> begin_ = {0};
  std::vector<double> point_, average_;
  std::vector<double> gradient_, direction_;
  std::int64_t steps_ = 0;
};

/// All blocks of an objective as one: Algorithm 1 on the product domain, batch Frank-Wolfe.
template <BlockObjective Objective>
class AsOneBlock {
 public:
  explicit AsOneBlock(Objective* objective) : objective_(*objective) {
    for (Index i = 0; i < objective_.num_blocks(); ++i) size_ += objective_.block_size(i);
  }

  Index num_blocks() const { return 1; }
  Index block_size(Index /*block*/) const { return size_; }
  void Gradient(Index /*block*/, std::span<const double> x, std::span<double> out) {
    ForBlocks([&](Index i, std::size_t begin, std::size_t size) {
      objective_.Gradient(i, x, out.subspan(begin, size));
    });
  }
  void Minimise(Index /*block*/, std::span<const double> gradient, std::span<double> out) {
    ForBlocks([&](Index i, std::size_t begin, std::size_t size) {
      objective_.Minimise(i, gradient.subspan(begin, size), out.subspan(begin, size));
    });
  }
  double LineSearch(Index /*block*/, std::span<const double> x, std::span<const double> direction,
                    double slope) {
    return objective_.LineSearch(kAllBlocks, x, direction, slope);
  }

 private:
  template <class Work>
  void ForBlocks(const Work& work) {
    std::size_t begin = 0;
    for (Index i = 0; i < objective_.num_blocks(); ++i) {
      const std::size_t size = objective_.block_size(i);
      work(i, begin, size);
      begin += size;
    }
  }

  Objective& objective_;
  Index size_ = 0;
};

}  // namespace slackline::internal
