// SPDX-License-Identifier: BSD-3-Clause
//
// A shard with one block per factor and variable (factor_blocks/factor_blocks.h), for `soft` and
// `al`. It keeps μ of every visited example as it was before the first visit of the round.
//
// The penalty joins variables and factors of one example, and a shard has all blocks of its
// examples. So the penalized dual is quadratic along the changes of a shard, with a slope and a
// curvature that depend on this shard alone (point_change.h); the line search over all shards uses
// them (ShardChange). Multipliers are fixed during a round. At its end they follow the violations
// of the point that the line search has kept.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <slackline/learning/factor_blocks/active_pairs.h>
#include <slackline/learning/factor_blocks/factor_blocks.h>
#include <slackline/learning/factor_blocks/factor_certificate.h>
#include <slackline/learning/shards/shard.h>
#include <slackline/learning/step/mixed_points.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {

/// The pairs that a pass visits (active_pairs.h).
enum class PairVisits { kAll, kAllAndChooseActive, kActive };

class FactorShard : public Shard {
 public:
  /// As Shard. number: the shard's number; it and the seed decide the order of the visits.
  FactorShard(const Problem& problem, const TrainOptions& options, bool multipliers, Index total,
              Index number, const CommonWeights* common);

  /// Chooses the examples of a pass. The pass is the same for all shards.
  void Choose(const FactorPass& pass, PairVisits pairs);
  /// The counts over the examples that this pass visited in rounds that have ended; 0 unless the
  /// pass chooses active pairs.
  const ActivePairs::Counts& active_counts() const { return active_counts_; }

  void SetSteps(double kappa, double caution) override;
  void BeginRound() override;
  void RunPart(std::int64_t most_work, const StopControl& stop) override;
  ShardChange Change() const override;
  void KeepShare(double share) override;

  const FactorBlocks& blocks() const { return blocks_; }
  FactorBlocks& blocks() { return blocks_; }
  bool relaxed() override { return relaxed_; }
  Counts counts() const override { return {0, blocks_.block_steps(), work_, 0}; }

  double SumOfHinges(std::span<const double> weights, int threads) override {
    return SumAtPoint(blocks_, weights, threads).hinge;
  }
  double WeightsOfPoint(std::vector<double>* weights) const override;
  /// Reads a feasible point made from the newest one, or the best mixture (KeepPoints).
  double PointOfExample(Index m, std::vector<double>* coordinates) const override;

  /// First sweep of an evaluation, as internal::SumPoints. keeps_points: keeps the feasible points;
  /// the caller must then mix in every one of them.
  void SumPoints(bool with_globals, bool keeps_points, std::vector<double>* weights);
  /// Σ Δ·μ of the point and of the feasible points of the last SumPoints.
  const std::array<double, 4>& losses() const { return first_.losses; }
  /// Follows DualMixture::Add for feasible point k of the last SumPoints.
  void MixPoint(Index k, const DualMixture::Change& change);
  /// Whether PointOfExample reads the best mixture.
  void ReadBest(bool best) { reads_best_ = best; }
  void ForgetPoints() { points_ = MixedPoints(); }
  /// Archives the mixed points, of which there must be `count`.
  void ArchivePoints(Index count, StateArchive* archive) {
    points_.Archive(problem_, archive);
    archive->Require(points_.size() == count, "a mixture does not have its points");
  }

  void ChangeLambda(double lambda);

  void Archive(StateArchive* archive) override;

 private:
  /// Where the copies begin that the shard made of a visited example's point.
  struct Visited {
    Index m = 0;
    std::size_t state = 0;
    std::size_t corners = 0;
  };
  void Enter(Index m);
  FactorBlocks::ExamplePoint Before(const Visited& visited) const;
  void VisitExample(std::size_t k);
  void StepUniformly(Index draws);
  /// The length of the update of the multipliers of an example that the round has visited.
  double EtaStep(Index m);

  bool relaxed_;
  bool uniform_;
  FactorBlocks blocks_;
  ExampleVisits visits_;
  UniformBlocks all_blocks_;
  FactorPass pass_;
  PairVisits pairs_ = PairVisits::kAll;
  std::vector<Offset> steps_since_update_;  // per example, in the order `uniform`
  std::vector<Visited> visited_;
  std::vector<double> states_;          // of the visited examples
  std::vector<GlobalCorners> corners_;  // the same
  ActivePairs::Counts active_counts_;
  FirstSums first_;
  MixedPoints points_;
  bool reads_best_ = false;
  std::int64_t work_ = 0;
};

}  // namespace slackline::internal
