// SPDX-License-Identifier: BSD-3-Clause
//
// Factor-block engine, shared by the learners `soft` and `al`: the point μ, the weights w = Ψμ and
// the multipliers η of a training problem, and block steps on them.
//
// Source: Meshi, Srebro, Hazan, "Efficient training of structured SVMs via soft constraints",
// AISTATS 2015, Algorithm 1; pairwise steps and multipliers: docs/notation.md.
//
//   symbol   here                       shape
//   μ        state(m), block_layout.h   every part on its own simplex
//   w        weights()                  num_weights
//   η_ci     state(m)                   one table per edge (binary pairs: one number)
//   δ_ci     η_ci + (A_ci μ_c − μ_i)/ρ  computed when needed, not stored
//   θ̂        theta_                     largest table
//
// With a proximal centre (proximal_centre.h) w = (κ c + λ Ψμ) / (κ + λ), and λ + κ stands for λ in
// the lengths of steps.
//
// In a shard (learning/shards) M counts the examples of all shards, w is the shard's copy of the
// common weights, and the centre is that of all shards. Visits leave η as it is; EndRound updates η
// from the μ that the line search over all shards has kept.
//
// Deviations from Algorithm 1: the per-example scale of ρ; blocks of one example are visited
// together (variables first), so that its messages are summed once and its unary scores come from
// one sweep over its input; gradients are θ̂/M.
//
// Cost of a visit: two sweeps over the inputs' weight columns, one read and one write of the
// example's block memory. No allocation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <slackline/learning/factor_blocks/active_pairs.h>
#include <slackline/learning/factor_blocks/block_layout.h>
#include <slackline/learning/factor_blocks/global_blocks.h>
#include <slackline/learning/factor_blocks/pair_kernel.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/state_archive.h>
#include <slackline/learning/step/proximal_centre.h>
#include <slackline/learning/step/shard_steps.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {

/// How a pass steps on the factor blocks of all examples.
struct FactorPass {
  double rho = 1;
  double eta_step = 0;          ///< τ/ρ; 0: multipliers stay as they are
  Index visits_per_update = 1;  ///< in the order `uniform`: visits of an example per update
};

class FactorBlocks {
 public:
  /// StepKind::kAuto means pairwise. Starts at the ground truth: μ = indicator of y^m, w = 0, η =
  /// 0.
  FactorBlocks(const Problem& problem, StepKind step, bool multipliers);

  const Problem& problem() const { return *problem_; }
  bool multipliers() const { return multipliers_; }
  double rho() const { return rho_; }
  /// Changes ρ (> 0, per-example scale). μ and η stay as they are.
  void set_rho(double rho);

  /// γ ≥ 0: adds −γ/(2M) ‖μ_a‖² to the dual for every part (docs/notation.md, section 3). Must be 0
  /// with multipliers or global factors.
  void set_smoothing(double smoothing) { smoothing_ = smoothing; }
  double smoothing() const { return smoothing_; }

  /// One step on every block of example m, variables before factors; then η += eta_step·v (0: no
  /// update).
  void VisitExample(Index m, double eta_step);
  /// The same, but of the pairs visits only the active ones, if Shrink has found that this pays
  /// (active_pairs.h).
  void VisitActive(Index m, double eta_step);
  /// Chooses the active pairs of example m anew. To be called right after VisitExample.
  ActivePairs::Counts Shrink(Index m);
  /// One step on one block. `part`: a variable if < num_variables, a factor if < num_parts, else a
  /// global factor.
  void StepBlock(Index m, Index part);
  /// η_ci += eta_step · (A_ci μ_c − μ_i) for all edges of example m.
  void UpdateMultipliers(Index m, double eta_step);

  /// From now on the blocks are those of a shard. The caller replaces weights between visits.
  void JoinShards(const ShardSteps& steps);
  std::span<double> shared_weights() { return weights_; }
  /// M, in a shard the examples of all shards.
  Index num_examples() const { return num_examples_; }
  double lambda_m() const { return problem_->lambda() * static_cast<double>(num_examples_); }

  /// μ and η of an example; in a shard also a copy of them, as they were before the first visit of
  /// a round.
  struct ExamplePoint {
    std::span<const double> state;
    std::span<const GlobalCorners> corners;
  };
  /// Ends a round for example m: keeps this share, in [0, 1], of the change of μ since `before`;
  /// then updates η as UpdateMultipliers does, unless eta_step is 0.
  void EndRound(Index m, const ExamplePoint& before, double share, double eta_step);

  /// Moves the proximal centre to the newest w, with κ = kappa ≥ 0 (0: no centre). O(num_weights).
  void MoveCentre(double kappa);
  double kappa() const { return centre_.kappa(); }
  /// The newest iterate: w, or the centre if no step was made since the centre moved.
  std::span<const double> reached() const { return centre_.Reached(weights_); }

  /// Recomputes w and the stored marginals of tables from μ, which removes the rounding errors that
  /// steps accumulate.
  void Rebuild();
  /// The parts of Rebuild: the stored marginals; and *weights = the part of Ψμ of these examples.
  void RebuildMarginals();
  void WeightsOfPoint(std::vector<double>* weights) const;

  /// Continues with another λ, from the same μ and η; counts begin anew. The problem must outlive
  /// the blocks.
  void ChangeLambda(const Problem& problem);

  /// In a shard without w and the centre.
  void Archive(StateArchive* archive);

  std::span<const double> weights() const { return weights_; }
  std::int64_t block_steps() const { return block_steps_; }

  // Read by evaluations.
  const BlockLayout& layout(Index m) const { return layouts_[problem_->data().structure_of(m)]; }
  const GlobalBlocks& globals() const { return globals_; }
  const double* state(Index m) const {
    WriteBackActive(m);
    return memory_.data() + begin_[m];
  }
  ExamplePoint Point(Index m) const {
    return {{state(m), static_cast<std::size_t>(layout(m).size)}, globals_.corners(m)};
  }
  /// Planes of the pairs [begin, end) of an example, without weights. The marginals of the pairs'
  /// variables are gathered into `gathered`, which has 2·(end − begin) entries.
  static PairPlanes Planes(const BlockLayout& layout, const double* state, Index begin, Index end,
                           double* gathered);

  /// Bytes of block memory over all examples, without the copies of active pairs.
  std::int64_t memory_bytes() const {
    return static_cast<std::int64_t>(memory_.size() * sizeof(double)) + globals_.memory_bytes();
  }

 private:
  /// The data of one example during a visit.
  struct Visit {
    ExampleView example;
    const BlockLayout* layout;
    double* state;
    std::span<const double> loss;

    const FactorGraph& graph() const { return example.graph(); }
    const Slot& slot(Index s) const { return layout->structure->slots()[s]; }
  };

  void StartAtGroundTruth();
  void ScaleSteps();
  void AddViolations(Index m, double eta_step);
  Visit Enter(Index m);
  void StepPlanes(const PairPlanes& planes, double eta_step) const;
  void StepGlobal(Index m, Index g);
  void SumMessages(const Visit& visit);
  void SumPairMessages(const Visit& visit);
  void FinishMessages(const Visit& visit);
  void StepOthers(const Visit& visit, Index m, double eta_step);
  void CheckShares(Index m) const;
  void WriteBackActive(Index m) const;
  void SumMessagesOf(const Visit& visit, Index i);
  void StepVariableGroup(const Visit& visit, const VariableGroup& group);
  void StepSingleVariable(const Visit& visit, Index i);
  void StepVariable(const Visit& visit, Index i, Index slot);
  void StepBinaryLinear(const Visit& visit, Index i, double input_norm);
  void StepPairs(const Visit& visit, Index begin, Index end, double eta_step);
  void UpdateTableMultipliers(const Visit& visit, double eta_step);
  void StepTable(const Visit& visit, const TableBlock& table);
  void PartScores(const Visit& visit, Index part, double* theta) const;
  void SubtractTableMessages(const Visit& visit, const TableBlock& table, double* theta);
  static double TablePenalty(const Visit& visit, const TableBlock& table,
                             const Direction& direction);
  double DirectionNorm(const Visit& visit, Index part, const Direction& direction,
                       std::span<const double> mu, double input_norm);
  void TouchState(const Visit& visit, Index part, Index state, double scale);
  void MoveFeatures(const Visit& visit, double step, Index slot, double input_norm);
  void BeginSlot(const Visit& visit, Index slot);
  void EndSlot(const Visit& visit, Index slot);

  const Problem* problem_;
  StepKind step_;
  bool multipliers_;
  double rho_ = 1;
  double inverse_rho_ = 1;
  double smoothing_ = 0;
  double inverse_lambda_m_ = 1;  // 1/((λ + κ) M), in a shard times σ
  Index num_examples_;
  bool in_shard_ = false;
  double shard_kappa_ = 0;
  double caution_ = 1;
  std::vector<BlockLayout> layouts_;    // one per structure
  std::vector<Offset> begin_;           // per example, into memory_
  mutable std::vector<double> memory_;  // out of date in active pairs until WriteBackActive
  std::vector<ActivePairs> active_;     // per example
  mutable std::vector<std::uint8_t> up_to_date_;  // per example: whether memory_ is up to date
  std::vector<double> weights_;
  ProximalCentre centre_;
  GlobalBlocks globals_;
  std::int64_t block_steps_ = 0;

  // Work space, large enough for every structure.
  std::vector<double> messages_;     // Σ_c δ_ci(s), flat over the states of the variables
  std::vector<double> theta_;        // θ̂ of the current part
  std::vector<double> slot_scores_;  // z = W·x of the current slot
  std::vector<double> slot_delta_;   // Σ of the steps on the rows of the current slot
  std::vector<double> pair_weights_;
  std::vector<double> gathered_;
  std::vector<double> coordinates_;  // feature direction of the current step; zero between steps
  std::vector<Index> touched_;
  std::vector<std::int64_t> touch_stamp_;
  std::int64_t stamp_ = 0;
  std::vector<double> axis_message_;
};

/// q += scale · Σ_a (coordinates of φ_a(μ_a)) at the point μ in `state`.
void AddPointFeatures(const ExampleView& example, const BlockLayout& layout, const double* state,
                      double scale, std::span<double> q);

}  // namespace slackline::internal
