// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/iterate_average.h>

#include <algorithm>
#include <cmath>

namespace slackline::internal {
namespace {

/// The next restart of a suffix average that has restarted at `step`.
Offset NextRestart(Offset step, double share) {
  const double wanted = std::ceil(static_cast<double>(step) / (1 - share));
  constexpr double kMost = 1e15;  // more steps than any run makes
  return std::max(step + 1, static_cast<Offset>(std::min(wanted, kMost)));
}

}  // namespace

void IterateAverage::EndStep(double iterate_scale) {
  if (!active()) return;
  ++step_;
  if (rule_.kind == AverageKind::kSuffix && step_ >= next_restart_) {
    std::fill(lag_.begin(), lag_.end(), 0.0);
    total_ = scaled_ = 0;
    next_restart_ = NextRestart(step_, rule_.suffix_share);
  }
  const double share = rule_.kind == AverageKind::kWeighted ? static_cast<double>(step_) : 1.0;
  total_ += share;
  scaled_ += share * iterate_scale;
}

void IterateAverage::Fold(std::span<const double> vector) {
  for (std::size_t k = 0; k < lag_.size(); ++k) lag_[k] -= scaled_ * vector[k];
  scaled_ = 0;
}

void IterateAverage::Read(std::span<const double> newest, std::vector<double>* average) const {
  average->assign(newest.begin(), newest.end());
  if (total_ == 0) return;
  const double share = scaled_ / total_;
  for (std::size_t k = 0; k < average->size(); ++k)
    (*average)[k] = share * (*average)[k] - lag_[k] / total_;
}

void IterateAverage::Archive(StateArchive* archive) {
  archive->Count(&step_);
  archive->Count(&next_restart_);
  archive->NonNegativeReal(&total_);
  archive->FiniteReal(&scaled_);
  archive->FiniteReals(lag_);
}

}  // namespace slackline::internal
