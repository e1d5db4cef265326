// SPDX-License-Identifier: BSD-3-Clause
//
// Combines what the shards changed in a round: the best shares (best_shares.h), the new common
// weights, and the caution of the next steps. All sums are made in the order of the shards over
// pieces whose number depends on the weights alone, so that results depend neither on the number of
// threads nor on the number of ranks.
//
// Pieces are dealt to the ranks. A rank sends each other rank the changes that its shards made in
// that rank's pieces, and receives the new values of all pieces. With d weights, P shards and R
// ranks it sends and receives about d (P/R + 1) numbers in an exchange. Of rare columns only the
// changed ones are sent, with their numbers.
//
// Where some weights are not frequent (weight_runs.h), a round has several parts. After a part the
// changes of the frequent weights are added up and given to all shards, without a line search: the
// columns of rare features make an exchange expensive, but shards get into each other's way in the
// frequent weights. Where all weights are frequent, every part is a round.
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

#include <slackline/core/ranks.h>
#include <slackline/learning/shards/common_weights.h>
#include <slackline/learning/shards/shard.h>
#include <slackline/learning/shards/shard_deal.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class ShardExchange {
 public:
  /// The shards of this rank.
  using Shards = std::vector<std::unique_ptr<Shard>>;

  ShardExchange(const WeightRuns& runs, const ShardPlan& plan, Ranks& ranks);

  struct Cost {
    std::int64_t work = 0;   ///< array entries touched, of all shards together
    double cpu_seconds = 0;  ///< processor time of the calling thread, times threads
  };
  /// After a part of a round that is not its last: adds up the changes of the frequent weights. The
  /// shards must then take the frequent weights (Shard::TakeFrequent).
  Cost CombineFrequent(int threads, const Shards& shards, CommonWeights* common);
  /// The term of the weights in the dual (best_shares.h).
  struct WeightTerm {
    double strength = 1;   ///< λ + κ
    double threshold = 0;  ///< of S, with an l1 term; the common weights are v then
  };
  /// After the last part of a round: writes the new weights to *common, and the increase of the
  /// dual (or a lower bound on it) to *gain. The shards must then keep their shares() and take the
  /// frequent weights.
  Cost Combine(const WeightTerm& term, int threads, const Shards& shards, CommonWeights* common,
               double* gain);
  /// η of all shards.
  std::span<const double> shares() const { return shares_; }

  /// The σ of the next round, in [1, P].
  double caution() const { return caution_; }

  void Archive(StateArchive* archive);

 private:
  /// The values that a shard gave a column.
  struct Change {
    Index shard = 0;
    const double* values = nullptr;
  };
  /// What one thread processes: a part of the frequent weights, or the changed columns of a part of
  /// all columns.
  struct Piece {
    std::vector<WeightRun> runs;
    Offset first = 0;                 // frequent weights: the place of the first of them
    std::vector<Index> columns;       // of the runs; empty: frequent weights
    std::vector<Index> begin;         // per column: its first change, and then their number
    std::vector<Change> changes;      // of the columns, those of each in the order of the shards
    std::vector<Index> places;        // work space: per change, its column
    std::vector<Change> in_order;     // work space: of the shards
    std::vector<double> products;     // P × P, then P products with the weights
    std::vector<double> differences;  // work space
    Offset values = 0;                // of the runs
    Offset size = 0;                  // the same, each counted for every shard that changed it
  };
  /// The columns that a shard changed in one piece, and their values one after the other. values is
  /// null for a shard of this rank: its weights are read where they are.
  struct ColumnList {
    std::span<const Index> columns;
    const double* values = nullptr;
  };

  Index num_shards() const { return plan_.total; }
  /// A shard's changes of the frequent weights of a piece of this rank.
  const double* ChangesOf(Index shard, const Piece& piece) const;
  void AddPart(const Shards& shards, const CommonWeights& common, Piece* piece);
  void ShowPart(CommonWeights* common, Piece* piece) const;
  void AddFrequent(const CommonWeights& common, double threshold, Piece* piece) const;
  void ApplyFrequent(CommonWeights* common, Piece* piece) const;
  static void PrefetchBehind(const CommonWeights& common, const Piece& piece, std::size_t r);
  void ListColumns(const Shards& shards, const WeightRuns& runs, std::size_t range, Piece* piece);
  void AddColumns(const CommonWeights& common, double threshold, Piece* piece) const;
  void ApplyColumns(CommonWeights* common, Piece* piece) const;
  void EndFrequent(CommonWeights* common, Piece* piece);

  Ranks::Piece AllFrequent() const { return {0, static_cast<std::int64_t>(frequent_.size())}; }
  /// Calls work(piece) for a range of the pieces of frequent weights.
  template <class Work>
  void ForFrequent(int threads, const Ranks::Piece& pieces, const Work& work);
  /// Calls of_frequent(piece) and of_columns(piece, number) for the pieces of this rank.
  template <class OfFrequent, class OfColumns>
  void ForMine(int threads, const OfFrequent& of_frequent, const OfColumns& of_columns);
  /// Array entries that an exchange of the frequent weights touches.
  Offset FrequentWork(const CommonWeights& common) const {
    return common.runs.num_frequent() * (4 * Offset{num_shards()} + 1);
  }

  /// With several ranks: calls AddPart for all pieces, then SendChanges.
  void AddAndSend(int threads, const Shards& shards, const CommonWeights& common,
                  bool with_columns);
  /// Gives the changes of this rank's shards to the ranks that own the pieces.
  void SendChanges(const Shards& shards, const WeightRuns& runs, bool with_columns);
  /// ShareFrequent and ShareColumns give all ranks the new values of this rank's pieces.
  void ShareFrequent(CommonWeights* common);
  void ShareColumns(CommonWeights* common);
  /// The sums of products over all pieces, and the slopes and curvatures of all shards.
  struct Sums {
    std::vector<double> products;
    std::vector<double> slopes;
    std::vector<double> curvatures;
  };
  /// Also sets sizes_.
  Sums GatherSums(const Shards& shards);
  /// P × P products of the shards' changes, then P products with the weights.
  std::size_t NumProducts() const { return Size(num_shards()) * Size(num_shards() + 1); }
  Sums BeginSums(const Shards& shards) const;
  void AddProducts(const double* products, Sums* sums) const;
  /// How many pieces of frequent weights, pieces of columns, and shards a rank's message is about.
  struct SumsMessage {
    std::size_t frequent = 0;
    std::size_t columns = 0;
    std::size_t shards = 0;
    std::size_t Doubles(std::size_t products) const {
      return (frequent + columns) * products + 2 * shards + 3 * columns;
    }
  };
  SumsMessage MessageOf(int rank) const;
  std::vector<double> ExchangeSums(const Sums& sums);
  void ReadSums(std::span<const double> messages, Sums* sums);
  /// Of a piece of columns: the number of changed columns, their values, and Piece::size.
  struct Sizes {
    Offset columns = 0;
    Offset values = 0;
    Offset size = 0;
  };
  static Sizes SizesOf(const Piece& piece) {
    return {static_cast<Offset>(piece.columns.size()), piece.values, piece.size};
  }
  void AdaptCaution(std::span<const double> slopes);

  ShardPlan plan_;
  Ranks& ranks_;
  std::vector<double> shares_;
  double caution_;
  double least_caution_ = 1;
  std::vector<Piece> frequent_;      // all of them
  std::vector<Piece> columns_;       // by parts of the columns (Shard::kRanges); those of this rank
                                     // are listed
  std::vector<Offset> slice_begin_;  // per rank: the place of its first frequent weight, then the
                                     // number of them
  Ranks::Piece my_frequent_;         // numbers of the pieces of this rank
  Ranks::Piece my_columns_;
  std::vector<Index> listed_;  // per column: its place in the piece; −1: not listed
  // Per shard of this rank: its own changes of the frequent weights in this round.
  std::vector<std::vector<double>> own_;
  // With several ranks: what each has sent; per shard, its changes of this rank's frequent weights;
  // and per shard and range of this rank, the columns that the shard changed.
  std::vector<std::vector<double>> come_;
  std::vector<const double*> changes_;
  std::vector<ColumnList> lists_;
  std::vector<Sizes> sizes_;  // of all pieces of columns in this round
};

}  // namespace slackline::internal
