// SPDX-License-Identifier: BSD-3-Clause
//
// The dual points behind a DualMixture (dual_mixture.h), example by example. The mixture itself
// keeps w = Ψμ and the loss of each point, which give its bound; these are the points that
// verification sums again (verify.h).
#pragma once

#include <vector>

#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/dual_points.h>

namespace slackline::internal {

class MixedPoints {
 public:
  /// Follows DualMixture::Add, which returned `change` for the same point. Every point that is
  /// added to the mixture must be added here, in the same order. Time and memory: one number per
  /// coordinate of each example, for each point that the mixture keeps.
  void Add(DualPoints point, const DualMixture::Change& change);

  Index size() const { return static_cast<Index>(points_.size()); }
  bool empty() const { return points_.empty(); }
  /// The best mixture so far. Requires that a point was added.
  const DualPoints& best() const { return points_[0]; }

  void Archive(const Problem& problem, StateArchive* archive);

 private:
  std::vector<DualPoints> points_;  // in the order of the mixture's, the best mixture first
};

}  // namespace slackline::internal
