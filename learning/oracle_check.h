// SPDX-License-Identifier: BSD-3-Clause
//
// The one test that all learners apply to what an oracle over examples answers. Every domain
// contains the ground truth, whose hinge is known
// without an oracle: a bound on the maximum below it shows that the oracle is wrong, and no
// certificate may rest on it.
#pragma once

#include <span>

#include <slackline/core/dataset.h>

namespace slackline {

/// An oracle's answer for one example: a bound on max_s [Δ(s) + w·φ(s) + offsets of s].
struct OracleBound {
  double bound = 0;
  double truth = 0;  ///< w·φ of the ground truth, whose loss is 0
  double least = 0;  ///< the offsets of the ground truth
};

/// bound − truth, but at least `least`: a certified bound on the example's largest hinge H_m.
/// Throws std::logic_error, which names the example,
/// when the bound lies below truth + least by more than rounding, that is 1e-9 of the terms that
/// both are summed from. These terms are what
/// scores, losses and offsets may be, not what is left of them when they cancel: at any scale of
/// features, losses and λ the same test.
/// u: the coordinate scores of the example at the weights (CoordinateScores); loss: of the states
/// of its variables; offsets: the same, or empty.
/// They are looked at only when the bound is below. factor: by how much scores are multiplied
/// (slack rescaling: 1 + the largest loss).
double CheckedHinge(const ExampleView& example, Index m, const OracleBound& answer, std::span<const double> u,
                    std::span<const double> loss, std::span<const double> offsets = {}, double factor = 1);

/// Σ over the parts, global ones included, of the largest |score| that one of their states may
/// have, losses and offsets included.
double SizeOfScores(const ExampleView& example, std::span<const double> u, std::span<const double> loss,
                    std::span<const double> offsets = {});

}  // namespace slackline
