// SPDX-License-Identifier: BSD-3-Clause
//
// Frank-Wolfe for any smooth convex function on a product of compact convex domains: min f(x), x ∈
// M_1 × … × M_n.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013: Algorithm 3 (C.2 with averages), which with one block is Algorithm
// 1; approximate corners and rates: appendix C. The learners `fw` and `bcfw` make the same steps on
// the dual of the structural SVM, whose x is too long to be stored; a test compares them with this
// file.
//
//   symbol       here
//   x            point()
//   ∇_(i) f(x)   Objective::Gradient
//   s_(i)        Objective::Minimise, through the `Corners` (exact, or inexact_corners.h)
//   g(x)         Gap() = Σ_i max_s ⟨x_(i) − s, ∇_(i) f(x)⟩ ≥ f(x) − f(x*), (16)
//   γ            2n/(νk + 2n), or the exact minimum along the line
//   C_f^(i)      the curvature of block i, (17); for a quadratic the largest dᵀ(∇²f)d between two
//                points of M_i
//
// With fixed steps or line search E[f(x_k)] − f* ≤ 2n/(k + 2n) (Σ_i C_f^(i) + f(x_0) − f*) for
// blocks drawn uniformly (Theorem C.1). For n = 1 there is no expectation, and f(x_0) − f* can be
// left out for k ≥ 1. Permuted orders have no such proof but are as good in practice.
//
// Cost of a step: one Gradient, one Minimise and O(size of the block); memory O(size of x). One
// thread.
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
#include <slackline/learning/step/iterate_average.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {

/// The block number that stands for all blocks together (AsOneBlock).
inline constexpr Index kAllBlocks = -1;

/// What a user provides. x is one vector, in which the blocks lie one after the other.
///   num_blocks()                         n ≥ 1
///   block_size(i)                        ≥ 1
///   Gradient(i, x, out)                  out = ∇_(i) f(x), block_size(i) entries
///   Minimise(i, gradient, out)           out = a point of M_i that minimises ⟨s, gradient⟩
/// and, for a line search, one of
///   Curvature(i, direction)              quadratic f: dᵀ(∇²f)d ≥ 0 for a direction within block i
///   LineSearch(i, x, direction, slope)   any f: the γ ∈ [0, 1] that minimises f(x + γ·direction);
///                                        slope = ⟨direction, ∇_(i) f(x)⟩ < 0
/// and, if the objective keeps data derived from x (an image of x, say):
///   Moved(i, direction, step)            x_(i) has become x_(i) + step·direction
/// In a step of AsOneBlock these three get i = kAllBlocks and a direction of x's size.
template <class F>
concept BlockObjective = requires(F& f, Index block, std::span<const double> x,
                                  std::span<double> out) {
  { f.num_blocks() } -> std::convertible_to<Index>;
  { f.block_size(block) } -> std::convertible_to<Index>;
  f.Gradient(block, x, out);
  f.Minimise(block, x, out);
};
template <class F>
concept KnowsCurvature = requires(F& f, Index block, std::span<const double> direction) {
  { f.Curvature(block, direction) } -> std::convertible_to<double>;
};
template <class F>
concept SearchesLines = requires(F& f, Index block, std::span<const double> x,
                                 std::span<const double> direction, double slope) {
  { f.LineSearch(block, x, direction, slope) } -> std::convertible_to<double>;
};
template <class F>
concept FollowsMoves = requires(F& f, Index block, std::span<const double> direction, double step) {
  f.Moved(block, direction, step);
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
  /// Whether steps are 2n/(νk + 2n), without a line search.
  bool fixed_step = false;
  /// ν in (0, 1] of fixed steps: the multiplicative quality of the corners.
  double quality = 1;
  /// kUniform: blocks drawn with replacement, as in the paper. kExample: all in a fresh random
  /// order each pass. kCyclic: one after the other.
  OrderKind order = OrderKind::kUniform;
  /// Average of the iterates x_1 … x_k (iterate_average.h).
  AverageKind average = AverageKind::kOff;
  std::uint64_t seed = 1;
};

template <BlockObjective Objective, class Corners = ExactCorners>
class FrankWolfe {
 public:
  /// `objective` must outlive the object. start: a point of the domain. Throws
  /// std::invalid_argument when sizes or options do not fit, or when a line search is wanted and
  /// the objective has neither Curvature nor LineSearch.
  FrankWolfe(Objective* objective, std::vector<double> start, const FrankWolfeOptions& options,
             Corners corners = {})
      : objective_(*objective),
        options_(options),
        corners_(std::move(corners)),
        random_(options.seed),
        order_(objective->num_blocks(), {}, options.order == OrderKind::kCyclic),
        point_(std::move(start)),
        average_({options.average}, static_cast<Offset>(point_.size())) {
    SLACKLINE_CHECK(objective_.num_blocks() >= 1, "there is no block");
    SLACKLINE_CHECK(options.order == OrderKind::kUniform || options.order == OrderKind::kExample ||
                        options.order == OrderKind::kCyclic,
                    "the order must be uniform, example or cyclic");
    SLACKLINE_CHECK(options.quality > 0 && options.quality <= 1, "the quality must be in (0, 1]");
    SLACKLINE_CHECK(options.fixed_step || KnowsCurvature<Objective> || SearchesLines<Objective>,
                    "a line search needs an objective with Curvature or LineSearch");
    begin_.push_back(0);
    for (Index i = 0; i < objective_.num_blocks(); ++i) {
      SLACKLINE_CHECK(objective_.block_size(i) >= 1, "a block is empty");
      begin_.push_back(begin_.back() + objective_.block_size(i));
    }
    SLACKLINE_CHECK(begin_.back() == point_.size(), "the start does not fit the blocks");
  }

  FrankWolfe(const FrankWolfe&) = delete;
  FrankWolfe& operator=(const FrankWolfe&) = delete;

  /// As many steps as there are blocks.
  void Pass() {
    for (Index k = 0; k < objective_.num_blocks(); ++k) Step();
  }

  /// One step on one block. Returns ⟨x_(i) − s, ∇_(i) f⟩ before the step, which is the block's part
  /// of the gap if the corner is exact.
  double Step() {
    const Index block = NextBlock();
    const double gap = Direct(block, corners_);
    const double step = options_.fixed_step ? FixedStep() : SearchedStep(block, gap);
    if (step > 0) Move(block, step);
    average_.EndStep();
    ++steps_;
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
  /// The average of the iterates, which lies in the domain as they do. Requires options.average and
  /// a step, else std::invalid_argument.
  std::vector<double> Average() const {
    SLACKLINE_CHECK(average_.active() && steps_ > 0, "there is no average");
    std::vector<double> average;
    average_.Read(point_, &average);
    return average;
  }

 private:
  std::span<double> Own(Index block, std::vector<double>& x) const {
    return std::span(x).subspan(begin_[block], begin_[block + 1] - begin_[block]);
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
    const std::span<const double> own = Own(block, point_);
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

  double FixedStep() const {
    const double n = objective_.num_blocks();
    return 2 * n / (options_.quality * static_cast<double>(steps_) + 2 * n);
  }

  double SearchedStep(Index block, double gap) {
    if (!(gap > 0)) return 0;
    if constexpr (SearchesLines<Objective>) {
      return std::clamp<double>(objective_.LineSearch(block, point_, direction_, -gap), 0, 1);
    } else if constexpr (KnowsCurvature<Objective>) {
      const double curvature = objective_.Curvature(block, direction_);
      return gap < curvature ? gap / curvature : 1;
    } else {
      return 0;  // the constructor has refused this case
    }
  }

  void Move(Index block, double step) {
    const std::span<double> own = Own(block, point_);
    for (std::size_t k = 0; k < own.size(); ++k) own[k] += step * direction_[k];
    if constexpr (FollowsMoves<Objective>) objective_.Moved(block, direction_, step);
    if (!average_.active()) return;
    const double scale = average_.scale() * step;
    const std::span<double> lag = average_.lag().subspan(begin_[block], own.size());
    for (std::size_t k = 0; k < own.size(); ++k) lag[k] += scale * direction_[k];
  }

  Objective& objective_;
  FrankWolfeOptions options_;
  Corners corners_;
  Random random_;
  ExampleOrder order_;
  std::span<const Index> permutation_;
  std::vector<std::size_t> begin_;
  std::vector<double> point_;
  IterateAverage average_;
  std::vector<double> gradient_;
  std::vector<double> direction_;
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
  double Curvature(Index /*block*/,
                   std::span<const double> direction) requires KnowsCurvature<Objective> {
    return objective_.Curvature(kAllBlocks, direction);
  }
  double LineSearch(Index /*block*/, std::span<const double> x, std::span<const double> direction,
                    double slope) requires SearchesLines<Objective> {
    return objective_.LineSearch(kAllBlocks, x, direction, slope);
  }
  void Moved(Index /*block*/, std::span<const double> direction,
             double step) requires FollowsMoves<Objective> {
    objective_.Moved(kAllBlocks, direction, step);
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
