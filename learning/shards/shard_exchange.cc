// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/shard_exchange.h>

#include <algorithm>
#include <numeric>

#include <slackline/core/inner_product.h>
#include <slackline/core/parallel.h>
#include <slackline/core/prefetch.h>
#include <slackline/core/simd.h>
#include <slackline/core/timer.h>
#include <slackline/learning/shards/best_shares.h>
#include <slackline/learning/standalone/prox_regulariser.h>

namespace slackline::internal {
namespace {

// A piece has so many frequent weights, or more where there would be too many pieces.
constexpr Offset kLeastPiece = 2048;
constexpr Offset kMostPieces = 64;
constexpr Offset kProductBlock = 512;
constexpr std::size_t kColumnsAhead = 4;      // whose values are fetched before they are needed
constexpr std::size_t kMostLines = 8;         // of a column
constexpr std::int64_t kSharedWork = 40'000;  // array entries that several threads share
// Caution grows where the shares keep less than the first fraction of the shards' gains together,
// and falls where they keep more than the second.
constexpr double kSmallShare = 0.8;
constexpr double kLargeShare = 0.95;
constexpr double kCautionRise = 1.1;
constexpr double kCautionFall = 0.97;
// Where some weights are not frequent, a round with too little caution is a long one that is lost.
constexpr double kCautionLeap = 1.25;
constexpr double kSlowFall = 0.99;

double Product(const double* a, const double* b, Offset count) {
  const auto length = static_cast<std::size_t>(count);
  return InnerProduct({a, length}, {b, length});
}

/// out = scale (a − b); returns ⟨out, out⟩ and ⟨out, b⟩.
SLACKLINE_MULTIVERSION
Two Difference(const double* a, const double* b, double scale, Offset count, double* out) {
  Four squares{};
  Four products{};
  Offset k = 0;
  for (; k + 4 <= count; k += 4) {
    const Four before = *reinterpret_cast<const Four*>(b + k);
    const Four change = scale * (*reinterpret_cast<const Four*>(a + k) - before);
    *reinterpret_cast<Four*>(out + k) = change;
    squares += change * change;
    products += change * before;
  }
  Two sums = {(squares[0] + squares[1]) + (squares[2] + squares[3]),
              (products[0] + products[1]) + (products[2] + products[3])};
  for (; k < count; ++k) {
    out[k] = scale * (a[k] - b[k]);
    sums += Two{out[k] * out[k], out[k] * b[k]};
  }
  return sums;
}

/// out += scale (a − b).
SLACKLINE_MULTIVERSION
void AddDifference(const double* a, const double* b, double scale, Offset count, double* out) {
  for (Offset k = 0; k < count; ++k) out[k] += scale * (a[k] - b[k]);
}

/// out += scale a.
SLACKLINE_MULTIVERSION
void AddScaled(double scale, const double* a, Offset count, double* out) {
  for (Offset k = 0; k < count; ++k) out[k] += scale * a[k];
}

/// ⟨S(a), b⟩, where S is the soft-thresholding operator.
double ThresholdedProduct(const double* a, const double* b, double threshold, Offset count) {
  if (threshold == 0) return Product(a, b, count);
  double sum = 0;
  for (Offset k = 0; k < count; ++k) sum += SoftThreshold(a[k], threshold) * b[k];
  return sum;
}

}  // namespace

ShardExchange::ShardExchange(const WeightRuns& runs, const ShardPlan& plan, Ranks& ranks)
    : plan_(plan),
      ranks_(ranks),
      shares_(plan.total, 1.0),
      caution_(runs.num_columns() > 0 ? plan.total : 1),
      listed_(runs.num_columns(), -1),
      own_(plan.count(), std::vector<double>(Size(runs.num_frequent()), 0.0)) {
  if (runs.num_columns() > 0) columns_.resize(Shard::kRanges);
  const Offset length = std::max(kLeastPiece, runs.num_frequent() / kMostPieces + 1);
  Offset place = 0;
  for (const WeightRun& run : runs.frequent()) {
    Offset count = 0;
    for (Offset k = 0; k < run.count; k += count) {
      if (frequent_.empty() || frequent_.back().size >= length) {
        frequent_.emplace_back();
        frequent_.back().first = place;
      }
      count = std::min(length - frequent_.back().size, run.count - k);
      frequent_.back().runs.push_back({run.begin + k, count});
      frequent_.back().size += count;
      place += count;
    }
  }
  const auto num_frequent = static_cast<std::int64_t>(frequent_.size());
  for (int r = 0; r < ranks.size(); ++r) {
    const Ranks::Piece pieces = ranks.PieceOf(num_frequent, r);
    slice_begin_.push_back(pieces.begin < num_frequent ? frequent_[pieces.begin].first : place);
  }
  slice_begin_.push_back(place);
  my_frequent_ = ranks.PieceOf(num_frequent);
  my_columns_ = ranks.PieceOf(static_cast<std::int64_t>(columns_.size()));
}

const double* ShardExchange::ChangesOf(Index shard, const Piece& piece) const {
  if (ranks_.alone()) return own_[shard].data() + piece.first;
  return changes_[shard] + (piece.first - slice_begin_[ranks_.rank()]);
}

template <class Work>
void ShardExchange::ForFrequent(int threads, const Ranks::Piece& pieces, const Work& work) {
  const auto count = static_cast<Index>(pieces.size());
  ParallelChunks(count, threads == 1 ? 1 : count, threads, [&](const Chunk& chunk) {
    for (Index k = chunk.begin; k < chunk.end; ++k) work(&frequent_[pieces.begin + k]);
  });
}

template <class OfFrequent, class OfColumns>
void ShardExchange::ForMine(int threads, const OfFrequent& of_frequent,
                            const OfColumns& of_columns) {
  const auto num_frequent = static_cast<Index>(my_frequent_.size());
  const Index pieces = num_frequent + static_cast<Index>(my_columns_.size());
  ParallelChunks(pieces, threads == 1 ? 1 : pieces, threads, [&](const Chunk& chunk) {
    for (Index k = chunk.begin; k < chunk.end; ++k) {
      if (k < num_frequent) {
        of_frequent(&frequent_[my_frequent_.begin + k]);
      } else {
        const std::size_t range = my_columns_.begin + k - num_frequent;
        of_columns(&columns_[range], range);
      }
    }
  });
}

/// Fetches the values of columns that follow column r; they are scattered in memory.
void ShardExchange::PrefetchBehind(const CommonWeights& common, const Piece& piece, std::size_t r) {
  const std::size_t ahead = r + kColumnsAhead;
  if (ahead >= piece.runs.size()) return;
  const WeightRun& run = piece.runs[ahead];
  const std::size_t bytes = Size(run.count) * sizeof(double);
  Prefetch(common.values.data() + run.begin, bytes, kMostLines);
  for (Index c = piece.begin[ahead]; c < piece.begin[ahead + 1]; ++c)
    Prefetch(piece.changes[c].values, bytes, kMostLines);
}

/// Lists the columns of a range of this rank that some shard changed.
void ShardExchange::ListColumns(const Shards& shards, const WeightRuns& runs, std::size_t range,
                                Piece* piece) {
  piece->runs.clear();
  piece->columns.clear();
  piece->places.clear();
  piece->in_order.clear();
  piece->values = 0;
  piece->size = 0;
  for (Index p = 0; p < num_shards(); ++p) {
    ColumnList list;
    if (ranks_.alone()) {
      list.columns = shards[p]->changed_columns(range);
    } else {
      list = lists_[p * Size(my_columns_.size()) + range - Size(my_columns_.begin)];
    }
    const double* values = list.values;
    for (const Index column : list.columns) {
      if (listed_[column] < 0) {
        listed_[column] = static_cast<Index>(piece->columns.size());
        piece->columns.push_back(column);
        piece->runs.push_back(runs.column(column));
        piece->values += piece->runs.back().count;
      }
      const Index place = listed_[column];
      const WeightRun& run = piece->runs[place];
      piece->places.push_back(place);
      piece->in_order.push_back(
          {p, list.values == nullptr ? shards[p]->weights().data() + run.begin : values});
      if (list.values != nullptr) values += run.count;
      piece->size += run.count;
    }
  }
  for (const Index column : piece->columns) listed_[column] = -1;
  // Sort the changes by column, and those of one column in the order of the shards.
  piece->begin.assign(piece->columns.size() + 1, 0);
  for (const Index place : piece->places) ++piece->begin[place + 1];
  std::partial_sum(piece->begin.begin(), piece->begin.end(), piece->begin.begin());
  piece->changes.resize(piece->places.size());
  for (std::size_t k = 0; k < piece->places.size(); ++k)
    piece->changes[piece->begin[piece->places[k]]++] = piece->in_order[k];
  for (std::size_t r = piece->columns.size(); r > 0; --r) piece->begin[r] = piece->begin[r - 1];
  piece->begin[0] = 0;
}

/// Adds a part's changes of the frequent weights to own_.
void ShardExchange::AddPart(const Shards& shards, const CommonWeights& common, Piece* piece) {
  for (std::size_t p = 0; p < shards.size(); ++p) {
    Offset k = piece->first;
    for (const WeightRun& run : piece->runs) {
      AddDifference(shards[p]->weights().data() + run.begin, common.frequent.data() + k,
                    1 / caution_, run.count, own_[p].data() + k);
      k += run.count;
    }
  }
}

/// Sets the shown frequent weights to the values with the changes of all shards so far.
void ShardExchange::ShowPart(CommonWeights* common, Piece* piece) const {
  Offset k = piece->first;
  for (const WeightRun& run : piece->runs) {
    const double* const values = common->values.data() + run.begin;
    std::copy(values, values + run.count, common->frequent.data() + k);
    k += run.count;
  }
  for (Index p = 0; p < num_shards(); ++p)
    AddScaled(1, ChangesOf(p, *piece), piece->size, common->frequent.data() + piece->first);
}

/// Products of the changes of the frequent weights. Pairs of shards take turns on blocks of
/// weights, so that the changes of all shards in a block stay in the cache.
void ShardExchange::AddFrequent(const CommonWeights& common, double threshold, Piece* piece) const {
  const std::size_t n = num_shards();
  std::vector<double>& products = piece->products;
  products.assign(n * n + n, 0.0);
  std::vector<const double*> changes(n);
  for (std::size_t p = 0; p < n; ++p) changes[p] = ChangesOf(static_cast<Index>(p), *piece);
  for (Offset k = 0; k < piece->size; k += kProductBlock) {
    const Offset count = std::min(kProductBlock, piece->size - k);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p; q < n; ++q)
        products[p * n + q] += Product(changes[p] + k, changes[q] + k, count);
    }
  }
  Offset k = 0;
  for (const WeightRun& run : piece->runs) {
    for (std::size_t p = 0; p < n; ++p)
      products[n * n + p] += ThresholdedProduct(common.values.data() + run.begin, changes[p] + k,
                                                threshold, run.count);
    k += run.count;
  }
}

void ShardExchange::AddColumns(const CommonWeights& common, double threshold, Piece* piece) const {
  const std::size_t n = num_shards();
  piece->products.assign(n * n + n, 0.0);
  for (std::size_t r = 0; r < piece->runs.size(); ++r) {
    PrefetchBehind(common, *piece, r);
    const WeightRun& run = piece->runs[r];
    const std::size_t count = run.count;
    const std::span<const Change> changes(piece->changes.data() + piece->begin[r],
                                          piece->changes.data() + piece->begin[r + 1]);
    piece->differences.resize(std::max(piece->differences.size(), changes.size() * count));
    double* const differences = piece->differences.data();
    const double* const before = common.values.data() + run.begin;
    for (std::size_t a = 0; a < changes.size(); ++a) {
      const std::size_t p = changes[a].shard;
      const Two products =
          Difference(changes[a].values, before, 1 / caution_, run.count, differences + a * count);
      piece->products[p * n + p] += products[0];
      piece->products[n * n + p] +=
          threshold == 0
              ? products[1]
              : ThresholdedProduct(before, differences + a * count, threshold, run.count);
    }
    for (std::size_t a = 0; a < changes.size(); ++a) {
      for (std::size_t b = a + 1; b < changes.size(); ++b) {
        piece->products[changes[a].shard * n + changes[b].shard] +=
            Product(differences + a * count, differences + b * count, run.count);
      }
    }
  }
}

/// Computes the new frequent weights.
void ShardExchange::ApplyFrequent(CommonWeights* common, Piece* piece) const {
  double* const frequent = common->frequent.data() + piece->first;
  Offset k = 0;
  for (const WeightRun& run : piece->runs) {
    const double* const before = common->values.data() + run.begin;
    std::copy(before, before + run.count, frequent + k);
    k += run.count;
  }
  for (Index p = 0; p < num_shards(); ++p)
    AddScaled(shares_[p], ChangesOf(p, *piece), piece->size, frequent);
}

void ShardExchange::ApplyColumns(CommonWeights* common, Piece* piece) const {
  for (std::size_t r = 0; r < piece->runs.size(); ++r) {
    PrefetchBehind(*common, *piece, r);
    const WeightRun& run = piece->runs[r];
    double* const values = common->values.data() + run.begin;
    double* before = values;
    if (piece->begin[r + 1] - piece->begin[r] > 1) {
      before = piece->differences.data();  // AddColumns made room
      std::copy(values, values + run.count, before);
    }
    for (Index c = piece->begin[r]; c < piece->begin[r + 1]; ++c) {
      const Change& change = piece->changes[c];
      AddDifference(change.values, before, shares_[change.shard] / caution_, run.count, values);
    }
    common->changed_in[piece->columns[r]] = common->round;
  }
}

/// Writes the new frequent weights of all ranks, and clears own_.
void ShardExchange::EndFrequent(CommonWeights* common, Piece* piece) {
  Offset k = piece->first;
  for (const WeightRun& run : piece->runs) {
    const double* const values = common->frequent.data() + k;
    std::copy(values, values + run.count, common->values.data() + run.begin);
    k += run.count;
  }
  for (std::vector<double>& own : own_)
    std::fill(own.begin() + piece->first, own.begin() + piece->first + piece->size, 0.0);
}

void ShardExchange::AddAndSend(int threads, const Shards& shards, const CommonWeights& common,
                               bool with_columns) {
  if (ranks_.alone()) return;
  ForFrequent(threads, AllFrequent(), [&](Piece* piece) { AddPart(shards, common, piece); });
  SendChanges(shards, common.runs, with_columns);
}

/// Sets the caution of the next round. slopes: of the dual, per shard, in the round that has ended.
void ShardExchange::AdaptCaution(std::span<const double> slopes) {
  double kept = 0;
  double all = 0;
  for (std::size_t p = 0; p < slopes.size(); ++p) {
    kept += shares_[p] * slopes[p];
    all += slopes[p];
  }
  const auto most = static_cast<double>(slopes.size());
  if (kept < kSmallShare * all) {
    caution_ = std::min(caution_ * (columns_.empty() ? kCautionRise : kCautionLeap), most);
    if (!columns_.empty()) least_caution_ = caution_;
  } else if (kept > kLargeShare * all) {
    caution_ = std::max(caution_ * (columns_.empty() ? kCautionFall : kSlowFall), least_caution_);
  }
}

ShardExchange::Cost ShardExchange::CombineFrequent(int threads, const Shards& shards,
                                                   CommonWeights* common) {
  const double begin = ThreadCpuSeconds();
  const std::int64_t work = FrequentWork(*common);
  if (work < kSharedWork) threads = 1;
  AddAndSend(threads, shards, *common, false);
  ForFrequent(threads, my_frequent_, [&](Piece* piece) {
    if (ranks_.alone()) AddPart(shards, *common, piece);
    ShowPart(common, piece);
  });
  ShareFrequent(common);
  return {work / 4, (ThreadCpuSeconds() - begin) * threads};
}

ShardExchange::Cost ShardExchange::Combine(const WeightTerm& term, int threads,
                                           const Shards& shards, CommonWeights* common,
                                           double* gain) {
  const std::size_t n = num_shards();
  const double begin = ThreadCpuSeconds();
  ++common->round;
  std::int64_t work = FrequentWork(*common);
  if (work < kSharedWork && columns_.empty()) threads = 1;
  AddAndSend(threads, shards, *common, true);
  ForMine(
      threads,
      [&](Piece* piece) {
        if (ranks_.alone()) AddPart(shards, *common, piece);
        AddFrequent(*common, term.threshold, piece);
      },
      [&](Piece* piece, std::size_t range) {
        ListColumns(shards, common->runs, range, piece);
        AddColumns(*common, term.threshold, piece);
      });
  const Sums sums = GatherSums(shards);
  std::vector<double> slopes(n);
  for (std::size_t p = 0; p < n; ++p)
    slopes[p] = sums.slopes[p] - term.strength * sums.products[n * n + p];
  *gain = BestShares(
      {slopes, std::span(sums.products).first(n * n), term.strength, sums.curvatures}, shares_);
  ForMine(
      threads,
      [&](Piece* piece) {
        ApplyFrequent(common, piece);
        if (ranks_.alone()) EndFrequent(common, piece);
      },
      [&](Piece* piece, std::size_t) { ApplyColumns(common, piece); });
  if (!ranks_.alone()) {
    ShareFrequent(common);
    ShareColumns(common);
    ForFrequent(threads, AllFrequent(), [&](Piece* piece) { EndFrequent(common, piece); });
  }
  AdaptCaution(slopes);
  for (const Sizes& sizes : sizes_) work += 5 * sizes.size;
  return {work / 4, (ThreadCpuSeconds() - begin) * threads};
}

void ShardExchange::Archive(StateArchive* archive) {
  archive->FiniteReal(&caution_);
  archive->FiniteReal(&least_caution_);
  archive->Require(least_caution_ >= 1 && caution_ >= least_caution_ &&
                       caution_ <= static_cast<double>(shares_.size()),
                   "the caution of the shards is out of range");
}

}  // namespace slackline::internal
