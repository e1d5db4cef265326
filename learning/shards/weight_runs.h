// SPDX-License-Identifier: BSD-3-Clause
//
// The weight vector as runs of weights that visits change together, sorted by how often.
//
// Most visits change the weights of scalar features, and of those features of inputs that most
// examples have. These runs are `frequent`. The columns of all other features are numbered: a visit
// changes the few columns of its example's features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// The weights begin … begin + count − 1.
struct WeightRun {
  Offset begin = 0;
  Offset count = 0;
};

class WeightRuns {
 public:
  /// Least work of a shard in a part of a round, in array entries: some 150 µs, many times as long
  /// as threads take to wait for each other.
  static constexpr std::int64_t kLeastPartWork = 60'000;

  /// data: the examples of this rank. part_work: the work of a shard in a part of a round, in array
  /// entries. A column is frequent if some examples of a part are likely to have its feature. Where
  /// features are rare, sweeps once over the columns of the inputs. All ranks have the same runs.
  WeightRuns(const Dataset& data, std::int64_t part_work, Ranks& ranks = OneRank());

  /// The smallest height of a column that is not frequent; 0: all runs are frequent.
  Index LeastRareHeight() const;

  /// The frequent runs, and the number of their weights.
  std::span<const WeightRun> frequent() const { return frequent_; }
  Offset num_frequent() const { return num_frequent_; }
  /// The number of columns in blocks of rare features, numbered block by block. Frequent columns of
  /// these blocks have a number, too, but no visit lists them. 0: all runs are frequent.
  Index num_columns() const { return first_column_.back(); }
  WeightRun column(Index c) const;

  /// The columns of an example's features without the frequent ones, slot by slot; a column may
  /// occur more than once.
  struct ColumnList {
    struct Entry {
      Index number = 0;
      Index count = 0;   // of the run
      Offset begin = 0;  // of the run
    };
    std::vector<Entry> entries;     ///< of which the first ends.back() count
    std::vector<std::size_t> ends;  ///< per slot
    std::span<const Entry> OfSlot(std::size_t s) const {
      const std::size_t begin = s == 0 ? 0 : ends[s - 1];
      return std::span(entries).subspan(begin, ends[s] - begin);
    }
    std::span<const Entry> all() const {
      return std::span(entries).first(ends.empty() ? 0 : ends.back());
    }
  };
  /// Writes the columns of the example, which a visit of it may change.
  void ListColumns(const ExampleView& example, ColumnList* list) const;

 private:
  struct Divided {
    Offset begin = 0;
    Index rows = 0;
    WeightRun column(Index c) const { return {begin + static_cast<Offset>(c) * rows, rows}; }
  };
  /// Sums over all inputs of a block.
  struct BlockCounts {
    Offset values = 0;
    Offset inputs = 0;
    Offset dense = 0;  // inputs that are
  };
  static std::vector<BlockCounts> Count(const Dataset& data, Ranks& ranks);
  static bool HasRareFeatures(const BlockCounts& counts, const WeightBlock& block);
  void AddFrequent(const WeightRun& run);
  void MarkFrequent(const Dataset& data, std::int64_t part_work, Ranks& ranks);

  std::vector<WeightRun> frequent_;
  Offset num_frequent_ = 0;
  std::vector<Divided> divided_;           // blocks
  std::vector<Index> first_column_;        // of each of them, and the number of all columns
  std::vector<Index> divided_of_block_;    // per block of the layout: its number; −1: not divided
  std::vector<std::uint8_t> is_frequent_;  // per column
};

}  // namespace slackline::internal
