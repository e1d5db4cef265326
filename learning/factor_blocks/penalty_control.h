// SPDX-License-Identifier: BSD-3-Clause
//
// How the augmented Lagrangian chooses ρ, τ and the number of visits between two multiplier
// updates. Decisions rest on objectives and pass counts only, so that runs replay.
//
// Balance. At a check, let A = the augmented Lagrangian's value (A tends to G*), P = the certified
// primal of the current point, D = the certified dual. P − A measures what the block steps have not
// yet solved; it is large when ρ is small, since strict penalties make block steps short. A − D
// measures the violated constraints; it is large when ρ is large. ρ is multiplied or divided by at
// most kLargestFactor, towards equality of the two. (On Yeast and Reuters, λ from 0.1 to 1e-4, this
// finds the best fixed ρ within a factor of two; as a multiple of s = λM/R² the best fixed ρ ranges
// from 0.1 to 10.) Balancing does not move ρ out of [kLowest·s, kHighest·s], and does not move a
// given ρ outside of that range further away from it. Without the range, on small problems with
// weak regularisation, where A is far from G* for long, ρ grew to 10^5·s, and the multipliers did
// not recover.
//
// Safeguard. The plain method need not converge for every ρ and τ. With exact minimisation between
// multiplier updates it becomes the method of multipliers, which converges for any ρ. Whenever the
// certified gap has not fallen by a fifth while the number of passes doubled, the settings
// therefore move towards that method: by a longer multiplier step if τ < 1 and the constraints lag
// behind the block steps, otherwise by three times as many visits between two updates. The number
// of changes of ρ is bounded.
#pragma once

#include <string>

#include <slackline/core/types.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

struct PenaltySettings {
  double rho = 1;
  double tau = 1;
  Index visits_per_update = 1;
};

class PenaltyControl {
 public:
  /// balance = false: ρ does not change until the safeguard acts.
  /// scale: s = λM/R² (Problem::penalty_scale).
  PenaltyControl(PenaltySettings settings, bool balance, double scale)
      : settings_(settings), balance_(balance), scale_(scale) {}

  const PenaltySettings& settings() const { return settings_; }

  /// The figures of a check. best_gap: smallest certified primal so far minus largest certified
  /// dual.
  struct Observation {
    Index pass = 0;
    double primal = 0;      ///< P of the current point
    double lagrangian = 0;  ///< A
    double dual = 0;        ///< D
    double best_gap = 0;
  };

  /// Adapts the settings; returns a sentence when the safeguard acted, else an empty string.
  std::string Observe(const Observation& seen);

  /// Settings and history. The scale is not saved; it follows from the problem.
  void Archive(StateArchive* archive);

  static constexpr double kLargestFactor = 3;  ///< largest factor of one change of ρ
  /// The same for a ρ outside of [kLowest·s, kHighest·s] that moves towards that range.
  static constexpr double kLargestFactorInwards = 30;
  static constexpr double kLowest = 0.05;  ///< bounds of a balanced ρ, as multiples of s
  static constexpr double kHighest = 30;
  static constexpr int kMaxChanges = 60;       ///< changes of ρ by balancing
  static constexpr double kStallFactor = 0.8;  ///< of the gap at the beginning of a window

 private:
  void Balance(const Observation& seen);
  std::string Guard(const Observation& seen);

  PenaltySettings settings_;
  bool balance_;
  double scale_;
  int changes_ = 0;
  Index next_balance_ = 3;
  Index window_end_ = 20;
  double window_gap_ = kInfinity;
};

}  // namespace slackline::internal
