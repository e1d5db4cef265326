// SPDX-License-Identifier: BSD-3-Clause
//
// Global factors as blocks of the factor-block engine (core/global_factor.h, block_layout.h): what
// FactorBlocks keeps of them beside its flat memory, and their steps. FactorBlocks calls it; w and
// the marginals are the engine's.
//
// Source: Meshi, Srebro, Hazan, AISTATS 2015, section 5 and appendix D: Algorithm 1 with the
// block's dual point known by its marginals and features only. That is all that Frank-Wolfe steps
// need. For pairwise steps the states with μ_c > 0 are kept, a short list (as many as steps have
// found, less those that were emptied).
//
//   symbol    here                     shape
//   A_ci μ_c  state[axis.marginal]     Σ K_i
//   φ_c(μ_c)  state[global.features]   num_weights
//   η_ci      state[axis.eta]          Σ K_i
//   μ_c > 0   GlobalCorners            kept states and their shares (pairwise steps)
//
// Step, as for tables: θ̂(y) = w·φ(y) − Σ_i δ_ci(y_i), s = argmax by the factor's oracle, v =
// argmin over the kept states, d = e_s − e_v (Frank-Wolfe: e_s − μ_c), q = ‖φ(d)‖²/(λM) + (1/ρ) Σ_i
// ‖A_ci d‖², γ = clip(θ̂·d/q). An oracle costs more than a step among kept states: a visit makes up
// to kInnerSteps more of these, which need no oracle.
//
// Cost of a visit: one oracle call, and a score of every kept state per step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/factor_blocks/block_layout.h>
#include <slackline/learning/options.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// The kept states of one global block, and their shares μ_c > 0, which sum to 1. Empty with
/// Frank-Wolfe steps.
struct GlobalCorners {
  std::vector<Index> states;  ///< state after state, as many entries each as the block has axes
  std::vector<double> share;

  Index count() const { return static_cast<Index>(share.size()); }
  std::span<const Index> corner(Index k, std::size_t axes) const {
    return {states.data() + static_cast<std::size_t>(k) * axes, axes};
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

/// marginals += scale · (the indicators of states, axis after axis).
void AddIndicators(const GlobalBlock& global, std::span<const Index> states, double scale,
                   double* marginals);

/// `states` are the memory of an example (block_layout.h) in all methods.
class GlobalBlocks {
 public:
  GlobalBlocks() = default;
  /// Kept states when the step is pairwise.
  explicit GlobalBlocks(StepKind step) : keep_(step != StepKind::kFrankWolfe) {}

  /// To be called for examples 0, 1, … in turn: sets their blocks to the ground truth.
  void Start(const ExampleView& example, const BlockLayout& layout, double* state);

  /// One visit of global block g of example m.
  void Step(Index m, Index g, const BlockLayout& layout, const GlobalScales& scales, double* state,
            std::span<double> weights);

  /// messages (flat over the variables' states) += η_ci + A_ci μ_c/ρ. The rest of δ, −N_i μ_i/ρ, is
  /// the caller's.
  static void AddMessages(const BlockLayout& layout, const double* state, double inverse_rho,
                          double* messages);
  /// The same with the whole δ, for one variable.
  static void AddMessagesOf(const BlockLayout& layout, Index variable, const double* state,
                            double inverse_rho, double* own);
  /// η_ci += eta_step · (A_ci μ_c − μ_i).
  static void UpdateMultipliers(const BlockLayout& layout, double eta_step, double* state);

  /// Marginals and features from the kept states, without the rounding errors of steps. Nothing
  /// without kept states.
  void Rebuild(Index m, const BlockLayout& layout, double* state) const;

  const GlobalCorners& corners(Index m, Index g) const { return corners_[first_[m] + g]; }
  bool keeps_corners() const { return keep_; }
  /// Global blocks of all examples.
  Offset count() const { return first_.back(); }
  std::int64_t memory_bytes() const;

  /// layout(m): the layout of example m, for what may be in the archive.
  template <class Layout>
  void Archive(const Layout& layout, StateArchive* archive) {
    if (corners_.empty()) return;
    archive->Tag("global blocks");
    for (std::size_t m = 0; m + 1 < first_.size(); ++m) {
      const BlockLayout& blocks = layout(static_cast<Index>(m));
      for (std::size_t g = 0; g < blocks.globals.size(); ++g) {
        ArchiveCorners(blocks.globals[g], &corners_[static_cast<std::size_t>(first_[m]) + g],
                       archive);
      }
    }
  }

 private:
  /// The direction of a step: its corner s, and v (kept state number from; −1: away from μ_c).
  struct Direction {
    Index to = -1;  // kept state, or −1: new_states_
    Index from = -1;
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
  std::vector<double> scores_;     // θ̂ of the kept states
};

}  // namespace slackline::internal
