// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/training_curve.h>

namespace slackline::internal {

void TrainingCurve::Add(const ProgressRecord& record) {
  newest_ = {record.pass, record.seconds + record.check_seconds, record.primal, record.dual};
  if (count_++ % stride_ != 0) return;
  kept_.push_back(newest_);
  if (kept_.size() <= kMost) return;
  // Keeps the checks whose number is a multiple of the doubled stride.
  for (std::size_t k = 0; 2 * k < kept_.size(); ++k) kept_[k] = kept_[2 * k];
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

std::vector<CurvePoint> TrainingCurve::points() const {
  std::vector<CurvePoint> points = kept_;
  if (count_ > 0 && points.back().pass != newest_.pass) points.push_back(newest_);
  return points;
}

}  // namespace slackline::internal
