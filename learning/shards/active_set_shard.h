// SPDX-License-Identifier: BSD-3-Clause
//
// A shard that keeps an active set per example (example_blocks/active_set_blocks.h). Its rounds
// visit the examples whose gap or spread is worth a visit, with or without calls of the oracle.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/example_blocks/active_set_blocks.h>
#include <slackline/learning/example_blocks/example_gaps.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/shards/shard.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {

class ActiveSetShard : public Shard {
 public:
  /// As Shard. number: the shard's number; it and the seed decide the order of the visits.
  ActiveSetShard(const Problem& problem, const TrainOptions& options, Index total, Index number,
                 const CommonWeights* common);

  enum class Visits { kCallOracle, kActiveSets };
  /// Chooses the examples that the next rounds visit, until done(). mean: the mean gap
  /// (kCallOracle) or spread (kActiveSets) over the examples of all shards.
  void Choose(Visits visits, double mean);

  void SetSteps(double kappa, double caution) override;
  void BeginRound() override;
  void RunPart(std::int64_t most_work, const StopControl& stop) override;
  ShardChange Change() const override;
  void TakeFrequent() override;
  void TakeWeights() override;
  void KeepShare(double share) override;

  const ExampleGaps& gaps() const { return gaps_; }
  const ActiveSetBlocks& blocks() const { return blocks_; }
  bool relaxed() override { return oracle_.relaxed(); }
  Counts counts() const override {
    return {blocks_.oracle_calls(), blocks_.steps(), blocks_.work(), evaluator_.work()};
  }

  double SumOfHinges(std::span<const double> weights, int threads) override;
  double WeightsOfPoint(std::vector<double>* weights) const override {
    return blocks_.WeightsOfPoint(weights);
  }
  /// WeightsOfPoint and, in *hinges, SumOfHinges at the weights `at`, bit for bit, on one thread in
  /// one sweep over the examples.
  double WeightsAndHinges(std::span<const double> at, std::vector<double>* weights, double* hinges);
  double PointOfExample(Index m, std::vector<double>* coordinates) const override {
    return blocks_.PointOfExample(m, coordinates);
  }

  /// Changes λ and moves the dual point to θ times the old point plus 1 − θ times the ground truth.
  /// The caller must compute the weights anew (TakeWeights).
  void ChangeLambda(double lambda, double share_of_point);

  void Archive(StateArchive* archive) override;

 private:
  /// α of a visited example before its first visit of a round.
  struct Visited {
    Index m = 0;
    std::size_t begin = 0;
    std::size_t count = 0;
    bool called = false;  // the oracle
  };
  /// Keeps α of example m, before a visit.
  void Remember(Index m);

  ExampleOracle oracle_;
  ActiveSetBlocks blocks_;
  ExampleVisits visits_;
  ExampleGaps gaps_;
  ExampleEvaluator evaluator_;
  Visits kind_ = Visits::kCallOracle;
  std::vector<Index> drawn_;
  std::vector<Visited> visited_;
  std::vector<double> before_;
};

}  // namespace slackline::internal
