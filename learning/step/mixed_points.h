// SPDX-License-Identifier: BSD-3-Clause
//
// The dual points behind a DualMixture (dual_mixture.h), example by example. The mixture keeps w =
// Ψμ and the loss of each point, which give its bound. The points themselves are kept here;
// verification sums them again (verify.h).
#pragma once

#include <vector>

#include <slackline/learning/state_archive.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/dual_points.h>

namespace slackline::internal {

/// Whether the points behind a mixture are known: every check must have kept its points.
class PointKeeping {
 public:
  /// Makes checks keep their points from now on.
  void Begin() { wanted_ = true; }
  /// Whether the next check keeps its points; all points of the mixture are known then.
  bool keeps() const { return wanted_ && !missed_; }
  /// Must be called after every check.
  void AfterCheck() { missed_ = missed_ || !wanted_; }
  /// Must be called when the mixture begins anew.
  void Restart() { missed_ = false; }
  /// Returns whether the archive has the points, which follow. After loading, the caller uses them
  /// only if keeps().
  bool Archive(StateArchive* archive) {
    bool known = keeps();
    archive->Flag(&known);
    if (archive->loading()) missed_ = !(known && wanted_);
    return known;
  }

 private:
  bool wanted_ = false;
  bool missed_ = false;  // some point of the mixture was not kept
};

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

/// Archives the points behind `mixture` where they are known. Call it after mixture.Archive.
void ArchivePoints(const Problem& problem, const DualMixture& mixture, PointKeeping* keeping,
                   MixedPoints* points, StateArchive* archive);

}  // namespace slackline::internal
