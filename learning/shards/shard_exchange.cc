// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/shard_exchange.h>

#include <algorithm>
#include <bit>

#include <slackline/core/inner_product.h>
#include <slackline/core/parallel.h>
#include <slackline/core/simd.h>
#include <slackline/core/timer.h>
#include <slackline/learning/shards/best_shares.h>

namespace slackline::internal {
namespace {

constexpr Offset kPieceLength = 2048;         // frequent weights
constexpr std::int64_t kSharedWork = 40'000;  // array entries that several threads share
// Caution grows where the shards keep less than the first share of their gains together, and falls
// where they keep more than the second.
constexpr double kSmallShare = 0.8;
constexpr double kLargeShare = 0.95;
constexpr double kCautionRise = 1.1;
constexpr double kCautionFall = 0.97;
// Where some weights are not frequent, a round without caution enough is a long one that is lost.
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

}  // namespace

ShardExchange::ShardExchange(const WeightRuns& runs, Index shards)
    : shares_(shards, 1.0),
      caution_(runs.num_columns() > 0 ? shards : 1),
      words_((static_cast<std::size_t>(shards) + 63) / 64),
      listed_(runs.num_columns(), -1),
      own_(shards, std::vector<double>(static_cast<std::size_t>(runs.num_frequent()), 0.0)) {
  if (runs.num_columns() > 0) columns_.resize(Shard::kRanges);
  Offset place = 0;
  for (const WeightRun& run : runs.frequent()) {
    for (Offset k = 0; k < run.count; k += kPieceLength) {
      if (frequent_.empty() || frequent_.back().size >= kPieceLength) {
        frequent_.emplace_back();
        frequent_.back().first = place;
      }
      const Offset count = std::min(kPieceLength, run.count - k);
      frequent_.back().runs.push_back({run.begin + k, count});
      frequent_.back().size += count;
      place += count;
    }
  }
}

template <class Visit>
void ShardExchange::ForEachChanger(const Piece& piece, std::size_t column,
                                   const Visit& visit) const {
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t bits = piece.changers[column * words_ + w]; bits != 0; bits &= bits - 1)
      visit(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
  }
}

/// Lists the columns of a range that some shard changed.
void ShardExchange::ListColumns(const Shards& shards, const WeightRuns& runs, std::size_t range,
                                Piece* piece) {
  piece->runs.clear();
  piece->columns.clear();
  piece->changers.clear();
  piece->size = 0;
  for (std::size_t p = 0; p < shards.size(); ++p) {
    for (const Index column : shards[p]->changed_columns(range)) {
      if (listed_[column] < 0) {
        listed_[column] = static_cast<Index>(piece->columns.size());
        piece->columns.push_back(column);
        piece->runs.push_back(runs.column(column));
        piece->changers.resize(piece->changers.size() + words_, 0);
      }
      const auto place = static_cast<std::size_t>(listed_[column]);
      piece->changers[place * words_ + p / 64] |= std::uint64_t{1} << (p % 64);
      piece->size += piece->runs[place].count;
    }
  }
  for (const Index column : piece->columns) listed_[column] = -1;
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

/// Shows the changes of all shards so far.
void ShardExchange::ShowPart(CommonWeights* common, Piece* piece) const {
  Offset k = piece->first;
  for (const WeightRun& run : piece->runs) {
    const double* const values = common->values.data() + run.begin;
    std::copy(values, values + run.count, common->frequent.data() + k);
    k += run.count;
  }
  for (const std::vector<double>& own : own_)
    AddScaled(1, own.data() + piece->first, piece->size, common->frequent.data() + piece->first);
}

/// Products of own_.
void ShardExchange::AddFrequent(const CommonWeights& common, Piece* piece) const {
  const std::size_t n = own_.size();
  piece->products.assign(n * n + n, 0.0);
  for (std::size_t p = 0; p < n; ++p) {
    const double* const own = own_[p].data() + piece->first;
    Offset k = 0;
    for (const WeightRun& run : piece->runs) {
      piece->products[n * n + p] += Product(common.values.data() + run.begin, own + k, run.count);
      k += run.count;
    }
    for (std::size_t q = p; q < n; ++q)
      piece->products[p * n + q] = Product(own, own_[q].data() + piece->first, piece->size);
  }
}

void ShardExchange::AddColumns(const Shards& shards, const CommonWeights& common,
                               Piece* piece) const {
  const std::size_t n = shards.size();
  piece->products.assign(n * n + n, 0.0);
  std::vector<std::size_t> changers;
  for (std::size_t r = 0; r < piece->runs.size(); ++r) {
    const WeightRun& run = piece->runs[r];
    const auto count = static_cast<std::size_t>(run.count);
    piece->differences.resize(std::max(piece->differences.size(), n * count));
    double* const differences = piece->differences.data();
    const double* const before = common.values.data() + run.begin;
    changers.clear();
    ForEachChanger(*piece, r, [&](std::size_t p) {
      double* const difference = differences + changers.size() * count;
      const Two products = Difference(shards[p]->weights().data() + run.begin, before, 1 / caution_,
                                      run.count, difference);
      piece->products[p * n + p] += products[0];
      piece->products[n * n + p] += products[1];
      changers.push_back(p);
    });
    for (std::size_t a = 0; a < changers.size(); ++a) {
      for (std::size_t b = a + 1; b < changers.size(); ++b) {
        piece->products[changers[a] * n + changers[b]] +=
            Product(differences + a * count, differences + b * count, run.count);
      }
    }
  }
}

/// Writes the new frequent weights, and clears own_.
void ShardExchange::ApplyFrequent(CommonWeights* common, Piece* piece) {
  Offset k = piece->first;
  for (const WeightRun& run : piece->runs) {
    double* const values = common->values.data() + run.begin;
    for (std::size_t p = 0; p < own_.size(); ++p)
      AddScaled(shares_[p], own_[p].data() + k, run.count, values);
    std::copy(values, values + run.count, common->frequent.data() + k);
    k += run.count;
  }
  for (std::vector<double>& own : own_)
    std::fill(own.begin() + piece->first, own.begin() + piece->first + piece->size, 0.0);
}

void ShardExchange::ApplyColumns(const Shards& shards, CommonWeights* common, Piece* piece) const {
  for (std::size_t r = 0; r < piece->runs.size(); ++r) {
    const WeightRun& run = piece->runs[r];
    double* const values = common->values.data() + run.begin;
    double* const before = piece->differences.data();  // AddColumns made room
    std::copy(values, values + run.count, before);
    ForEachChanger(*piece, r, [&](std::size_t p) {
      AddDifference(shards[p]->weights().data() + run.begin, before, shares_[p] / caution_,
                    run.count, values);
    });
    common->changed_in[piece->columns[r]] = common->round;
  }
}

std::vector<double> ShardExchange::SumOfProducts() const {
  const std::size_t n = shares_.size();
  std::vector<double> sum(n * n + n, 0.0);
  for (const auto& pieces : {std::span(frequent_), std::span(columns_)}) {
    for (const Piece& piece : pieces) {
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += piece.products[k];
    }
  }
  return sum;
}

/// Sets the caution of the next round after one whose shards had these slopes of the dual.
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
  const auto pieces = static_cast<Index>(frequent_.size());
  const std::int64_t work = static_cast<Offset>(common->frequent.size()) *
                            static_cast<std::int64_t>(4 * shards.size() + 1);
  if (work < kSharedWork) threads = 1;
  ParallelChunks(pieces, threads == 1 ? 1 : pieces, threads, [&](const Chunk& chunk) {
    for (Index k = chunk.begin; k < chunk.end; ++k) {
      AddPart(shards, *common, &frequent_[k]);
      ShowPart(common, &frequent_[k]);
    }
  });
  return {work / 4, (ThreadCpuSeconds() - begin) * threads};
}

ShardExchange::Cost ShardExchange::Combine(double strength, int threads, const Shards& shards,
                                           CommonWeights* common, double* gain) {
  const std::size_t n = shards.size();
  const double begin = ThreadCpuSeconds();
  ++common->round;
  const auto num_frequent = static_cast<Index>(frequent_.size());
  const Index pieces = num_frequent + static_cast<Index>(columns_.size());
  std::int64_t work =
      static_cast<Offset>(common->frequent.size()) * static_cast<std::int64_t>(4 * n + 1);
  if (work < kSharedWork && columns_.empty()) threads = 1;
  const auto for_pieces = [&](const auto& of_frequent, const auto& of_columns) {
    ParallelChunks(pieces, threads == 1 ? 1 : pieces, threads, [&](const Chunk& chunk) {
      for (Index k = chunk.begin; k < chunk.end; ++k) {
        if (k < num_frequent) {
          of_frequent(&frequent_[k]);
        } else {
          of_columns(&columns_[k - num_frequent], static_cast<std::size_t>(k - num_frequent));
        }
      }
    });
  };
  for_pieces(
      [&](Piece* piece) {
        AddPart(shards, *common, piece);
        AddFrequent(*common, piece);
      },
      [&](Piece* piece, std::size_t range) {
        ListColumns(shards, common->runs, range, piece);
        AddColumns(shards, *common, piece);
      });
  const std::vector<double> products = SumOfProducts();
  std::vector<double> slopes(n);
  for (std::size_t p = 0; p < n; ++p)
    slopes[p] = shards[p]->LossChange() - strength * products[n * n + p];
  *gain = BestShares({slopes, std::span(products).first(n * n), strength}, shares_);
  for_pieces([&](Piece* piece) { ApplyFrequent(common, piece); },
             [&](Piece* piece, std::size_t) { ApplyColumns(shards, common, piece); });
  AdaptCaution(slopes);
  for (const Piece& piece : columns_) work += 5 * piece.size;
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
