// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/mixed_points.h>

#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {

void MixedPoints::Add(DualPoints point, const DualMixture::Change& change) {
  if (change.dropped >= 0) points_.erase(points_.begin() + change.dropped);
  if (points_.empty()) points_.push_back(point);
  points_.push_back(std::move(point));
  SLACKLINE_CHECK(change.shares.size() == points_.size(), "the mixture has other points");
  if (!change.improved) return;
  DualPoints& best = points_[0];
  best.Scale(change.shares[0]);
  for (std::size_t k = 1; k < points_.size(); ++k) {
    const double share = change.shares[k];
    if (share == 0) continue;
    const std::span<double> to = best.coordinates();
    const std::span<const double> from = std::as_const(points_[k]).coordinates();
    for (std::size_t e = 0; e < to.size(); ++e) to[e] += share * from[e];
    for (Index m = 0; m < best.size(); ++m)
      best.set_loss(m, best.loss(m) + share * points_[k].loss(m));
  }
}

void MixedPoints::Archive(const Problem& problem, StateArchive* archive) {
  const std::size_t count = archive->Length(points_.size(), 0, DualMixture::kKept + 1);
  if (archive->loading()) {
    points_.clear();
    for (std::size_t k = 0; k < count; ++k) points_.emplace_back(problem);
  }
  for (DualPoints& point : points_) point.Archive(archive);
}

void ArchivePoints(const Problem& problem, const DualMixture& mixture, PointKeeping* keeping,
                   MixedPoints* points, StateArchive* archive) {
  const bool known = keeping->Archive(archive);
  if (archive->loading()) *points = MixedPoints();
  if (known) {
    points->Archive(problem, archive);
    archive->Require(points->size() == mixture.size(), "a mixture does not have its points");
  }
  if (archive->loading() && !keeping->keeps()) *points = MixedPoints();
}

}  // namespace slackline::internal
