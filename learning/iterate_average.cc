// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/iterate_average.h>

#include <algorithm>

namespace slackline {

void IterateAverage::EndStep() {
  if (!active()) return;
  ++step_;
  total_ += kind_ == AverageKind::kWeighted ? static_cast<double>(step_) : 1.0;
  if (kind_ == AverageKind::kSuffix && step_ >= next_restart_) {
    std::fill(lag_.begin(), lag_.end(), 0.0);
    total_ = 0;
    next_restart_ *= 2;
  }
}

void IterateAverage::Read(std::span<const double> newest, std::vector<double>* average) const {
  average->assign(newest.begin(), newest.end());
  if (total_ == 0) return;  // a suffix has just begun: its only iterate is the newest
  for (std::size_t k = 0; k < average->size(); ++k) (*average)[k] -= lag_[k] / total_;
}

}  // namespace slackline
