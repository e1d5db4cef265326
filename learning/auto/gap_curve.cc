// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/auto/gap_curve.h>

#include <algorithm>
#include <cmath>

#include <slackline/learning/auto/tuned.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kMostPoints = 64;

}  // namespace

void GapCurve::Add(double work, double gap) {
  if (!std::isfinite(gap)) return;
  gap = std::max(gap, 0.0);
  if (!points_.empty()) gap = std::min(gap, points_.back().gap);
  points_.push_back({work, gap});
  if (points_.size() < kMostPoints) return;
  std::size_t kept = 0;
  for (std::size_t k = 1; k < points_.size(); k += 2) points_[kept++] = points_[k];
  points_.resize(kept);
}

template <class Rest>
double GapCurve::RemainingBy(double target, const Rest& rest) const {
  if (points_.empty()) return kInfinity;
  const Point& last = points_.back();
  if (last.gap <= target) return 0;
  const double most = tuned::kMostPredicted * last.work;
  const Point& half = Half();
  const double fallen = std::log(half.gap / last.gap);
  return fallen > 0 ? std::min(most, rest(half, last, fallen)) : most;
}

double GapCurve::Remaining(double target) const {
  return RemainingBy(target, [&](const Point& half, const Point& last, double fallen) {
    return std::log(last.gap / target) / fallen * (last.work - half.work);
  });
}

double GapCurve::RemainingOfPower(double target) const {
  return RemainingBy(target, [&](const Point& half, const Point& last, double fallen) {
    const double power = fallen / std::log(last.work / half.work);
    return last.work * (std::exp(std::log(last.gap / target) / power) - 1);
  });
}

bool GapCurve::Stalled() const { return points_.empty() || !(Half().gap > points_.back().gap); }

const GapCurve::Point& GapCurve::Half() const {
  return *std::find_if(points_.begin(), points_.end(),
                       [&](const Point& point) { return 2 * point.work >= points_.back().work; });
}

void GapCurve::Multiply(double factor) {
  for (Point& point : points_) point.gap *= factor;
}

void GapCurve::Archive(StateArchive* archive) {
  points_.resize(archive->Length(points_.size(), 0, static_cast<std::int64_t>(kMostPoints)));
  for (Point& point : points_) {
    archive->NonNegativeReal(&point.work);
    archive->NonNegativeReal(&point.gap);
  }
}

}  // namespace slackline::internal
