// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/iterate_average.h>

#include <algorithm>

namespace slackline::internal {

void IterateAverage::EndStep(double iterate_scale) {
  if (!active()) return;
  ++step_;
  const double share = kind_ == AverageKind::kWeighted ? static_cast<double>(step_) : 1.0;
  total_ += share;
  scaled_ += share * iterate_scale;
  iterate_scale_ = iterate_scale;
  if (kind_ == AverageKind::kSuffix && step_ >= next_restart_) {
    std::fill(lag_.begin(), lag_.end(), 0.0);
    total_ = scaled_ = 0;
    next_restart_ *= 2;
  }
}

void IterateAverage::Fold(std::span<const double> vector) {
  for (std::size_t k = 0; k < lag_.size(); ++k) lag_[k] -= scaled_ * vector[k];
  scaled_ = 0;
}

void IterateAverage::Read(std::span<const double> newest, std::vector<double>* average) const {
  average->assign(newest.begin(), newest.end());
  if (total_ == 0) {  // a suffix has just begun: its only iterate is the newest
    for (double& value : *average) value *= iterate_scale_;
    return;
  }
  const double share = scaled_ / total_;
  for (std::size_t k = 0; k < average->size(); ++k)
    (*average)[k] = share * (*average)[k] - lag_[k] / total_;
}

void IterateAverage::Archive(StateArchive* archive) {
  archive->Count(&step_);
  archive->Count(&next_restart_);
  archive->NonNegativeReal(&total_);
  archive->FiniteReal(&scaled_);
  archive->FiniteReal(&iterate_scale_);
  archive->FiniteReals(lag_);
}

}  // namespace slackline::internal
