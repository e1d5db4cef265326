// SPDX-License-Identifier: BSD-3-Clause
//
// Combines what the shards changed in a round: the best shares (best_shares.h), the new common
// weights, and the caution of the next steps. Everything is a sum in the order of the shards over
// pieces whose number depends on the weights alone, so that results do not depend on the number of
// threads.
//
// A round has several parts where some weights are not frequent (weight_runs.h). After a part the
// changes of the frequent weights are added up and shown to all shards, without a line search: it
// is the columns of rare features that make an exchange expensive, and the frequent weights in
// which shards get into each other's way. Where all weights are frequent, every part is a round.
//
// Caution: shards that change the same weights in the same direction overshoot together, and small
// shares undo most of their work. With caution σ a shard steps as if its own change of the weights
// were σ times as large (σ' of CoCoA+: Ma and others, "Adding vs. averaging in distributed
// primal-dual optimization", ICML 2015, where σ' = P is always safe). Here σ follows the shares:
// it grows while shares are small, and falls while they are near 1.
//
// Cost: for each frequent weight and part, and for each weight of a column and shard that changed
// it, a few reads and writes, and the products of all pairs of shards.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/learning/shards/common_weights.h>
#include <slackline/learning/shards/shard.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class ShardExchange {
 public:
  using Shards = std::vector<std::unique_ptr<Shard>>;

  ShardExchange(const WeightRuns& runs, Index shards);

  struct Cost {
    std::int64_t work = 0;   ///< array entries touched, of all shards together
    double cpu_seconds = 0;  ///< processor time of the calling thread, times threads
  };
  /// After a part of a round that is not its last: adds up the changes of the frequent weights.
  /// The shards must then take them (Shard::TakeFrequent).
  Cost CombineFrequent(int threads, const Shards& shards, CommonWeights* common);
  /// After the last part of a round: writes the new weights to *common, and the increase of the
  /// dual to *gain. strength: λ + κ. The shards must then keep their shares(), and take the
  /// frequent weights.
  Cost Combine(double strength, int threads, const Shards& shards, CommonWeights* common,
               double* gain);
  std::span<const double> shares() const { return shares_; }

  /// The σ of the next round, in [1, P].
  double caution() const { return caution_; }

  void Archive(StateArchive* archive);

 private:
  /// What one thread processes: a part of the frequent weights, or the changed columns of a part of
  /// all columns.
  struct Piece {
    std::vector<WeightRun> runs;
    Offset first = 0;                     // frequent weights: the place of the first of them
    std::vector<Index> columns;           // of the runs; empty: frequent weights
    std::vector<std::uint64_t> changers;  // per column: the shards that changed it, as bits
    std::vector<double> products;         // P × P, then P products with the weights
    std::vector<double> differences;      // work space
    Offset size = 0;                      // weights, each counted for every shard that changed it
  };
  void ListColumns(const Shards& shards, const WeightRuns& runs, std::size_t range, Piece* piece);
  void AddPart(const Shards& shards, const CommonWeights& common, Piece* piece);
  void ShowPart(CommonWeights* common, Piece* piece) const;
  void AddFrequent(const CommonWeights& common, Piece* piece) const;
  void AddColumns(const Shards& shards, const CommonWeights& common, Piece* piece) const;
  void ApplyFrequent(CommonWeights* common, Piece* piece);
  void ApplyColumns(const Shards& shards, CommonWeights* common, Piece* piece) const;
  template <class Visit>
  void ForEachChanger(const Piece& piece, std::size_t column, const Visit& visit) const;
  /// Sums of the products of all pieces.
  std::vector<double> SumOfProducts() const;
  void AdaptCaution(std::span<const double> slopes);

  std::vector<double> shares_;
  double caution_;
  double least_caution_ = 1;
  std::size_t words_ = 1;        // of a set of shards
  std::vector<Piece> frequent_;  // of the frequent weights
  std::vector<Piece> columns_;   // by parts of the columns (Shard::kRanges)
  std::vector<Index> listed_;    // per column: its place in the piece; −1: not listed
  // Per shard: its own changes of the frequent weights in this round.
  std::vector<std::vector<double>> own_;
};

}  // namespace slackline::internal
