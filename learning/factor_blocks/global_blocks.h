// SPDX-License-Identifier: BSD-3-Clause
//
// Global factors as blocks of the factor-block engine (core/global_factor.h, block_layout.h): their
// active sets, which are not part of the engine's flat memory, and their steps. FactorBlocks calls
// these steps and owns w and the marginals.
//
// Source: Meshi, Srebro, Hazan, AISTATS 2015, section 5 and appendix D: Algorithm 1, in which only
// the marginals and features of the block's dual point are known. Frank-Wolfe steps need no more.
// Pairwise steps also need the active set: the states with μ_c > 0, a short list of those that the
// oracle has found and later steps have not emptied.
//
//   symbol    here                     shape
//   A_ci μ_c  state[axis.marginal]     Σ K_i
//   φ_c(μ_c)  state[global.features]   num_weights
//   η_ci      state[axis.eta]          Σ K_i
//   μ_c > 0   GlobalCorners            active set: states and their shares (pairwise steps)
//
// Step, as for tables: θ̂(y) = w·φ(y) − Σ_i δ_ci(y_i), s = argmax by the factor's oracle, v =
// argmin over the active set, d = e_s − e_v (Frank-Wolfe: e_s − μ_c), q = ‖φ(d)‖²/(λM) + (1/ρ) Σ_i
// ‖A_ci d‖², γ = clip(θ̂·d/q). Because an oracle call costs more than a step within the active set,
// a visit makes up to kInnerSteps more steps of the latter kind.
//
// Cost of a visit: one oracle call, and per step a score of every state of the active set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/factor_blocks/block_layout.h>
#include <slackline/learning/options.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// The active set of one global block: joint states and their shares μ_c > 0, which sum to 1. Empty
/// with Frank-Wolfe steps.
struct GlobalCorners {
  std::vector<Index> states;  ///< one joint state after the other, one entry per axis of the block
  std::vector<double> share;

  Index count() const { return static_cast<Index>(share.size()); }
  std::span<const Index> corner(Index k, std::size_t axes) const {
    return {states.data() + k * axes, axes};
  }
};

/// The scales of steps: 1/ρ and 1/(λM).
struct GlobalScales {
  double inverse_rho = 1;
  double inverse_lambda_m = 1;
};

/// δ_ci of all axes: η_ci + (A_ci μ_c − μ_i)/ρ. `delta` has global.num_states entries.
void GlobalMessages(const GlobalBlock& global, const double* state, double inverse_rho,
                    double* delta);

/// marginals += scale · (the indicators of `states`, axis after axis).
void AddIndicators(const GlobalBlock& global, std::span<const Index> states, double scale,
                   double* marginals);

/// In all methods, `state` is the memory of an example (block_layout.h).
class GlobalBlocks {
 public:
  GlobalBlocks() = default;
  /// Keeps active sets unless the step is Frank-Wolfe.
  explicit GlobalBlocks(StepKind step) : keep_(step != StepKind::kFrankWolfe) {}

  /// Sets the global blocks of the next example to the ground truth. To be called for all examples
  /// in order.
  void Start(const ExampleView& example, const BlockLayout& layout, double* state);

  /// One visit of global block g of example m.
  void Step(Index m, Index g, const BlockLayout& layout, const GlobalScales& scales, double* state,
            std::span<double> weights);

  /// messages (flat over the variables' states) += η_ci + A_ci μ_c/ρ. The caller adds the remaining
  /// term of δ, −N_i μ_i/ρ.
  static void AddMessages(const BlockLayout& layout, const double* state, double inverse_rho,
                          double* messages);
  /// The same with the whole δ, for one variable.
  static void AddMessagesOf(const BlockLayout& layout, Index variable, const double* state,
                            double inverse_rho, double* own);
  /// η_ci += eta_step · (A_ci μ_c − μ_i).
  static void UpdateMultipliers(const BlockLayout& layout, double eta_step, double* state);

  /// The active sets become mixtures: this share of themselves, the rest of `before`. Marginals and
  /// features are mixed by the caller.
  void Mix(Index m, std::span<const GlobalCorners> before, const BlockLayout& layout, double share);

  /// Recomputes marginals and features from the active sets, which removes the rounding errors of
  /// steps. Does nothing without active sets.
  void Rebuild(Index m, const BlockLayout& layout, double* state) const;

  const GlobalCorners& corners(Index m, Index g) const { return corners_[first_[m] + g]; }
  /// Of all global blocks of example m.
  std::span<const GlobalCorners> corners(Index m) const {
    return std::span(corners_).subspan(first_[m], first_[m + 1] - first_[m]);
  }
  bool keeps_corners() const { return keep_; }
  /// Number of global blocks of all examples together.
  Offset count() const { return first_.back(); }
  std::int64_t memory_bytes() const;

  /// layout(m) must return the layout of example m, by which loaded states are checked.
  template <class Layout>
  void Archive(const Layout& layout, StateArchive* archive) {
    if (corners_.empty()) return;
    archive->Tag("global blocks");
    for (std::size_t m = 0; m + 1 < first_.size(); ++m) {
      const BlockLayout& blocks = layout(static_cast<Index>(m));
      for (std::size_t g = 0; g < blocks.globals.size(); ++g) {
        ArchiveCorners(blocks.globals[g], &corners_[first_[m] + g], archive);
      }
    }
  }

 private:
  /// The direction of a step, e_s − e_v or e_s − μ_c.
  struct Direction {
    Index to = -1;    // s: number in the active set; −1: new_states_
    Index from = -1;  // v: number in the active set; −1: away from μ_c
    double gap = 0;
    double limit = 1;
  };

  double ReparametrisedScore(const GlobalBlock& global, std::span<const double> weights,
                             std::span<const Index> states) const;
  Direction OracleDirection(const GlobalBlock& global, const GlobalCorners& corners,
                            const double* state, std::span<const double> weights);
  Direction InnerDirection(const GlobalBlock& global, const GlobalCorners& corners,
                           std::span<const double> weights);
  void Move(const GlobalBlock& global, const Direction& direction, const GlobalScales& scales,
            GlobalCorners* corners, double* state, std::span<double> weights);
  static void ArchiveCorners(const GlobalBlock& global, GlobalCorners* corners,
                             StateArchive* archive);

  bool keep_ = true;
  std::vector<Offset> first_{0};  // per example, into corners_
  std::vector<GlobalCorners> corners_;

  // Work space.
  std::vector<Index> new_states_;
  std::vector<double> delta_;
  std::vector<double> features_;   // φ(d)
  std::vector<double> marginals_;  // A_ci d of all axes
  std::vector<double> scores_;     // θ̂ of the states of the active set
};

}  // namespace slackline::internal
