// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/penalty_control.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace slackline::internal {

std::string PenaltyControl::Observe(const Observation& seen) {
  std::string note = Guard(seen);
  if (balance_ && changes_ < kMaxChanges && seen.pass >= next_balance_) Balance(seen);
  return note;
}

void PenaltyControl::Balance(const Observation& seen) {
  // Checks may be more frequent than changes of ρ should be.
  next_balance_ = seen.pass + std::max<Index>(1, seen.pass / 6);
  const double steps = std::max(0.0, seen.primal - seen.lagrangian);
  const double constraints = std::max(0.0, seen.lagrangian - seen.dual);
  // Two figures within a factor of two count as equal, and figures below rounding errors say
  // nothing.
  if (steps <= 2 * constraints && constraints <= 2 * steps) return;
  if (std::max(steps, constraints) <= 1e-12 * std::abs(seen.primal)) return;
  const double wanted = constraints > 0 ? std::sqrt(steps / constraints) : kInfinity;
  // The range [kLowest·s, kHighest·s] only bounds how far balancing moves ρ. From outside, ρ may
  // move towards the range by a larger factor, because the distance may be large.
  const bool inwards =
      wanted > 1 ? settings_.rho < kLowest * scale_ : settings_.rho > kHighest * scale_;
  const double factor = inwards ? kLargestFactorInwards : kLargestFactor;
  const double moved = settings_.rho * std::clamp(wanted, 1 / factor, factor);
  const double low = std::min(kLowest * scale_, settings_.rho);
  const double high = std::max(kHighest * scale_, settings_.rho);
  settings_.rho = std::clamp(moved, low, high);
  ++changes_;
}

std::string PenaltyControl::Guard(const Observation& seen) {
  if (seen.pass < window_end_) return {};
  const bool stalled =
      seen.best_gap > kStallFactor * window_gap_ && seen.best_gap > 1e-12 * std::abs(seen.primal);
  window_end_ = 2 * seen.pass;
  window_gap_ = seen.best_gap;
  if (!stalled) return {};
  const double steps = seen.primal - seen.lagrangian;
  const bool constraints_lag = steps < 0.5 * (seen.primal - seen.dual);
  balance_ = true;
  if (constraints_lag && settings_.tau < 1) {
    settings_.tau = std::min(1.0, 3 * settings_.tau);
  } else {
    // At least eight updates happen before the next decision: the visits per update grow with the
    // number of passes, up to an eighth of it.
    const Index most = std::max<Index>(settings_.visits_per_update, seen.pass / 8);
    settings_.visits_per_update = std::min(3 * settings_.visits_per_update, most);
  }
  char text[200];
  std::snprintf(
      text, sizeof text,
      "safeguard at pass %d: the gap fell too slowly; rho %.3g, tau %.3g, %d visits per update",
      static_cast<int>(seen.pass), settings_.rho, settings_.tau,
      static_cast<int>(settings_.visits_per_update));
  return text;
}

void PenaltyControl::Archive(StateArchive* archive) {
  constexpr std::int64_t kMost = std::numeric_limits<Index>::max();
  archive->Tag("penalty");
  archive->PositiveReal(&settings_.rho);
  archive->PositiveReal(&settings_.tau);
  archive->Integer(&settings_.visits_per_update, 1, kMost / 4);
  archive->Flag(&balance_);
  archive->Integer(&changes_, 0, kMost);
  archive->Integer(&next_balance_, 0, kMost);
  archive->Integer(&window_end_, std::numeric_limits<Index>::min(), kMost);
  archive->Real(&window_gap_);
}

}  // namespace slackline::internal
