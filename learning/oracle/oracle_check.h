// SPDX-License-Identifier: BSD-3-Clause
//
// The test that all learners apply to the answers of an oracle over examples. Every domain contains
// the ground truth, whose hinge is known without an oracle. A bound on the maximum below this hinge
// shows that the oracle is wrong, and no certificate may rest on a wrong oracle.
#pragma once

#include <algorithm>
#include <span>

#include <slackline/core/dataset.h>

namespace slackline::internal {

/// An oracle's answer for one example: a bound on max_s [Δ(s) + w·φ(s) + offsets of s].
struct OracleBound {
  double bound = 0;
  double truth = 0;  ///< w·φ of the ground truth, whose loss is 0
  double least = 0;  ///< the offsets of the ground truth
};

/// Whether the bound lies below truth + least by more than the last digits of these numbers, or
/// one of them is not finite.
bool LiesBelowTruth(const OracleBound& answer);

/// Throws std::logic_error, which names example m, when the bound lies below truth + least by more
/// than 1e-9 of `size` and of the numbers themselves, or one of them is not finite.
void RequireRounding(Index m, const OracleBound& answer, double size);

/// bound − truth, but at least `least`: a certified bound on the largest hinge H_m of example m.
/// Throws std::logic_error, which names the example, when the bound lies below truth + least by
/// more than rounding, that is 1e-9 of the terms that both are summed from. The size of these terms
/// is taken before they cancel, so the test is the same at any scale of features, losses and λ.
/// size(): SizeOfScores of the example times the factor by which the oracle multiplies scores. It
/// takes a sweep over the example, so it is called only when the bound lies below truth + least by
/// more than the last digits, which is rare.
template <class Size>
double CheckedHinge(Index m, const OracleBound& answer, const Size& size) {
  const double hinge = answer.bound - answer.truth;
  if (!(hinge - answer.least >= 0) && LiesBelowTruth(answer)) RequireRounding(m, answer, size());
  return std::max(answer.least, hinge);
}

/// Σ over the parts, global ones included, of the largest |score| that one of their states may
/// have, losses and offsets included. u: the coordinate scores of the example at the weights
/// (CoordinateScores); loss: one entry per state of the variables; offsets: likewise, or empty.
double SizeOfScores(const ExampleView& example, std::span<const double> u,
                    std::span<const double> loss, std::span<const double> offsets = {});

}  // namespace slackline::internal
