// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/iterate_average.h>

#include <algorithm>
#include <limits>

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

void IterateAverage::Save(StateWriter* writer) const {
  writer->Integer(step_);
  writer->Integer(next_restart_);
  writer->Real(total_);
  writer->Reals(lag_);
}

void IterateAverage::Load(StateReader* reader) {
  constexpr Offset kLargest = std::numeric_limits<Offset>::max() / 4;
  step_ = reader->Integer(0, kLargest);
  next_restart_ = reader->Integer(0, kLargest);
  total_ = reader->FiniteReal();
  reader->FiniteReals(lag_);
}

}  // namespace slackline
