// SPDX-License-Identifier: BSD-3-Clause
//
// Max-product on forests: the two sweeps of dynamic programming that all its users share.
//
// The steps of a forest are in the order of elimination, leaves first. Each step has a table over
// one parent and the variables below it. With b_i the belief of variable i, initially its own
// scores, the sweeps are
//
//   upwards:   b_parent(s) += max { table(y) + Σ_{i below} b_i(y_i) : y_parent = s },
//   roots:     the first of the largest beliefs,
//   downwards: given the parent's state, the first of the best states of the variables below.
//
// Ties go to the lowest state. Scores may be −∞ (forbidden states), not NaN or +∞. Where no
// labelling is allowed, the value is −∞ and the labels are meaningless.
//
// Users differ in the layout of their tables: inference/pair_forest.h (tables that factors share),
// inference/chain_dp.h (chains of any length), inference/tree_dp.h (factors of any order, in the
// order of a graph's scores), tree_factor.h (tables filled from weights in each call).
#pragma once

#include <concepts>
#include <span>

#include <slackline/core/types.h>
#include <slackline/factors/max_oracle.h>

namespace slackline::internal {

/// The functions that the sweeps need of a forest:
///   num_steps()              number of steps, leaves first
///   SendUp(k)                b_parent(s) += max { table(y) + Σ_{i below} b_i(y_i) : y_parent = s }
///   Choose(k, labels)        sets the labels of the variables below, given the parent's label
///   belief(i), states(i)     b_i and its size
///   roots()                  one variable of each tree
template <class F>
concept MaxProductForest = requires(F& forest, Index k, std::span<Index> labels) {
  { forest.num_steps() } -> std::convertible_to<Index>;
  forest.SendUp(k);
  forest.Choose(k, labels);
  { forest.belief(k) } -> std::convertible_to<const double*>;
  { forest.states(k) } -> std::convertible_to<Index>;
  { forest.roots() } -> std::convertible_to<std::span<const Index>>;
};

/// The upward sweep, from the leaves to the roots. Requires that the beliefs are the variables' own
/// scores.
template <MaxProductForest F>
void SweepUp(F& forest) {
  const Index num_steps = forest.num_steps();
  for (Index k = 0; k < num_steps; ++k) forest.SendUp(k);
}

/// The downward sweep, from the roots to the leaves, after SweepUp. Writes a best labelling and
/// returns its value.
template <MaxProductForest F>
double SweepDown(F& forest, std::span<Index> labels) {
  double value = 0;
  for (const Index root : forest.roots()) {
    const std::size_t states = forest.states(root);
    const FactorMax best = TableMax({forest.belief(root), states});
    labels[root] = best.joint;
    value += best.value;
  }
  for (Index k = forest.num_steps(); k-- > 0;) forest.Choose(k, labels);
  return value;
}

/// The lowest s < states that maximises entry[s · stride] + add[s].
inline Index FirstBest(const double* entry, Index stride, const double* add, Index states) {
  Index best = 0;
  double value = entry[0] + add[0];
  for (Index s = 1; s < states; ++s) {
    const double here = entry[static_cast<std::ptrdiff_t>(s) * stride] + add[s];
    if (here > value) {
      value = here;
      best = s;
    }
  }
  return best;
}

}  // namespace slackline::internal
