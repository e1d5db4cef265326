// SPDX-License-Identifier: BSD-3-Clause
//
// One shard: some of the examples with their active sets, and a copy of the weights. In a round the
// shard makes visits, in one or several parts: between parts it learns how the other shards changed
// the frequent weights. At the end of the round the changes of all shards are combined
// (shard_exchange.h), and the shard keeps a share of what it changed.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/example_blocks/active_set_blocks.h>
#include <slackline/learning/example_blocks/example_gaps.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/shards/common_weights.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {

class Shard {
 public:
  /// problem: of the shard's examples alone. total: M, the examples of all shards. number: of the
  /// shard, which decides the order of its visits together with the seed. common: must outlive the
  /// shard.
  Shard(const Problem& problem, const TrainOptions& options, Index total, Index number,
        const CommonWeights* common);

  /// κ of the common centre, and the caution of steps (ActiveSetBlocks::ShardSteps).
  void SetSteps(double kappa, double caution);

  enum class Visits { kCallOracle, kActiveSets };
  /// Chooses the examples that the next rounds visit, until done(). mean: of the gaps (kCallOracle)
  /// or spreads (kActiveSets) of all shards.
  void Choose(Visits visits, double mean);
  /// Whether all chosen examples have been visited.
  bool done() const { return next_ == chosen_.size(); }

  void BeginRound();
  /// Visits chosen examples, at most an eighth of them, until this part of the round has taken the
  /// work `most_work`.
  void RunPart(std::int64_t most_work, const StopControl& stop);
  /// The work of the round so far.
  std::int64_t round_work() const { return round_work_; }
  /// The visits of the round so far, as a share of the chosen examples.
  double round_share() const { return round_share_; }
  /// The gain in the dual of the last part if it were made alone, as steps with caution see it.
  double part_gain() const { return part_gain_ / steps_.total; }
  /// The change in the loss (1/M) Σ_m Δ_m·α_m since the beginning of the round.
  double LossChange() const;
  /// The weights as the round has changed them: the frequent ones, and the changed columns.
  std::span<const double> weights() const { return blocks_.weights(); }
  /// The columns that the round may have changed, by kRanges ranges of all columns.
  std::span<const Index> changed_columns(std::size_t range) const { return changed_[range]; }
  static constexpr std::size_t kRanges = 64;
  /// Takes the frequent weights as they are after a part of the round.
  void TakeFrequent();
  /// Takes all common values, and counts rounds from 0 again, as CommonWeights::BeginAgain.
  void TakeWeights();
  /// Ends the round: keeps this share, in [0, 1], of its changes of the dual point.
  void KeepShare(double share);

  const Problem& problem() const { return problem_; }
  const ExampleGaps& gaps() const { return gaps_; }
  ActiveSetBlocks& blocks() { return blocks_; }
  const ActiveSetBlocks& blocks() const { return blocks_; }
  bool relaxed() const { return oracle_.relaxed(); }

  /// Σ_m of certified bounds on max H_m.
  double SumOfHinges(std::span<const double> weights, int threads);
  /// Array entries that the sums of hinges have touched.
  std::int64_t check_work() const { return evaluator_.work(); }

  /// Continues with another λ, from the share θ of the dual point and else the ground truth. The
  /// weights remain to be computed.
  void ChangeLambda(double lambda, double share_of_point);

  /// Archives everything but the weights.
  void Archive(StateArchive* archive);

 private:
  /// α of a visited example before its first visit of a round.
  struct Visited {
    Index m = 0;
    std::size_t begin = 0;
    std::size_t count = 0;
    bool called = false;  // the oracle
  };
  /// Before a visit.
  void Remember(Index m);
  /// Brings the columns that a visit of the example reads up to date.
  void TakeColumns(const ExampleView& example);
  /// Notes the columns that the last visit, of this example, has changed.
  void NoteChanges(const ExampleView& example);

  Problem problem_;
  const CommonWeights* common_;
  ExampleOracle oracle_;
  ActiveSetBlocks blocks_;
  ExampleVisits visits_;
  ExampleGaps gaps_;
  ExampleEvaluator evaluator_;
  ActiveSetBlocks::ShardSteps steps_;
  Visits kind_ = Visits::kCallOracle;
  std::vector<Index> drawn_;
  std::vector<Index> chosen_;
  std::size_t next_ = 0;                  // of chosen_
  std::int32_t round_ = 0;                // of this shard, since TakeWeights
  std::vector<std::int32_t> visited_in_;  // per example: the last round that visited it
  struct Column {
    std::int32_t taken = 0;    // the common round of the value in the copy
    std::int32_t changed = 0;  // the last own round that changed it
  };
  std::vector<Column> columns_;
  std::vector<Visited> visited_;
  std::vector<double> before_;
  std::vector<std::vector<Index>> changed_;  // columns, by range
  std::int64_t round_work_ = 0;
  double round_share_ = 0;
  double part_gain_ = 0;  // times M
};

}  // namespace slackline::internal
