// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks tell each other in an exchange.
#include <slackline/learning/shards/shard_exchange.h>

#include <cstring>

namespace slackline::internal {
namespace {

/// The parts of a message of doubles.
class MessageWriter {
 public:
  void Add(std::span<const double> values) {
    message_.insert(message_.end(), values.begin(), values.end());
  }
  void Add(std::span<const Index> values) {
    const std::size_t begin = message_.size();
    message_.resize(begin + Doubles(values.size()));
    if (!values.empty()) std::memcpy(message_.data() + begin, values.data(), values.size_bytes());
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(message_)); }

  /// The doubles that as many indices occupy.
  static std::size_t Doubles(std::size_t indices) {
    return (indices * sizeof(Index) + sizeof(double) - 1) / sizeof(double);
  }

 private:
  std::vector<double> message_;
};

std::span<const Index> IndicesAt(const double* place, Offset count) {
  return {reinterpret_cast<const Index*>(place), Size(count)};
}

}  // namespace

void ShardExchange::SendChanges(const Shards& shards, const WeightRuns& runs, bool with_columns) {
  const int size = ranks_.size();
  const Offset my_slice = slice_begin_[ranks_.rank() + 1] - slice_begin_[ranks_.rank()];
  with_columns = with_columns && !columns_.empty();
  // Numbers of changed columns and of their values, per shard and range of the other rank.
  std::vector<std::vector<Offset>> counts(size);
  std::vector<std::vector<Offset>> come_counts(size);
  std::vector<std::span<const std::byte>> to(size);
  std::vector<std::span<std::byte>> from(size);
  const auto shards_of = [&](int r) { return ranks_.PieceOf(plan_.total, r); };
  if (with_columns) {
    for (int r = 0; r < size; ++r) {
      const Ranks::Piece ranges = ranks_.PieceOf(static_cast<std::int64_t>(columns_.size()), r);
      for (const auto& shard : shards) {
        for (std::int64_t range = ranges.begin; range < ranges.end; ++range) {
          const std::span<const Index> changed = shard->changed_columns(Size(range));
          Offset values = 0;
          for (const Index column : changed) values += runs.column(column).count;
          counts[r].push_back(static_cast<Offset>(changed.size()));
          counts[r].push_back(values);
        }
      }
      come_counts[r].resize(Size(2 * shards_of(r).size() * my_columns_.size()));
      to[r] = std::as_bytes(std::span(counts[r]));
      from[r] = std::as_writable_bytes(std::span(come_counts[r]));
    }
    ranks_.ExchangeBytes(to, from);
  }
  std::vector<MessageWriter> messages(size);
  come_.resize(size);
  for (int r = 0; r < size; ++r) {
    const Offset begin = slice_begin_[r];
    const std::size_t slice = slice_begin_[r + 1] - begin;
    for (const std::vector<double>& own : own_)
      messages[r].Add(std::span(own).subspan(Size(begin), slice));
    if (with_columns) {
      const Ranks::Piece ranges = ranks_.PieceOf(static_cast<std::int64_t>(columns_.size()), r);
      for (const auto& shard : shards) {
        for (std::int64_t range = ranges.begin; range < ranges.end; ++range) {
          const std::span<const Index> changed = shard->changed_columns(Size(range));
          messages[r].Add(changed);
          for (const Index column : changed) {
            const WeightRun run = runs.column(column);
            messages[r].Add(shard->weights().subspan(Size(run.begin), Size(run.count)));
          }
        }
      }
    }
    std::size_t comes = Size(shards_of(r).size() * my_slice);
    for (std::size_t k = 0; k < come_counts[r].size(); k += 2)
      comes += MessageWriter::Doubles(come_counts[r][k]) + Size(come_counts[r][k + 1]);
    come_[r].resize(comes);
    to[r] = messages[r].bytes();
    from[r] = std::as_writable_bytes(std::span(come_[r]));
  }
  ranks_.ExchangeBytes(to, from);
  changes_.clear();
  lists_.clear();
  for (int r = 0; r < size; ++r) {
    const double* place = come_[r].data();
    for (std::int64_t p = 0; p < shards_of(r).size(); ++p, place += my_slice)
      changes_.push_back(place);
    for (std::size_t k = 0; k < come_counts[r].size(); k += 2) {
      const Offset columns = come_counts[r][k];
      const std::span<const Index> numbers = IndicesAt(place, columns);
      place += MessageWriter::Doubles(Size(columns));
      lists_.push_back({numbers, place});
      place += come_counts[r][k + 1];
    }
  }
}

void ShardExchange::ShareFrequent(CommonWeights* common) {
  if (ranks_.alone()) return;
  std::vector<std::size_t> lengths;
  for (int r = 0; r < ranks_.size(); ++r)
    lengths.push_back(Size(slice_begin_[r + 1] - slice_begin_[r]) * sizeof(double));
  const std::span<double> all(common->frequent);
  ranks_.GatherBytes(std::as_bytes(all.subspan(Size(slice_begin_[ranks_.rank()]),
                                               lengths[ranks_.rank()] / sizeof(double))),
                     lengths, std::as_writable_bytes(all).data());
}

void ShardExchange::ShareColumns(CommonWeights* common) {
  if (ranks_.alone() || columns_.empty()) return;
  MessageWriter message;
  for (std::int64_t range = my_columns_.begin; range < my_columns_.end; ++range) {
    const Piece& piece = columns_[range];
    message.Add(std::span(piece.columns));
    for (const WeightRun& run : piece.runs)
      message.Add(std::span(common->values).subspan(Size(run.begin), Size(run.count)));
  }
  // All ranks know how many columns and values every piece has (GatherSums).
  std::vector<std::size_t> lengths;
  std::size_t total = 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    const Ranks::Piece ranges = ranks_.PieceOf(static_cast<std::int64_t>(columns_.size()), r);
    std::size_t doubles = 0;
    for (std::int64_t range = ranges.begin; range < ranges.end; ++range)
      doubles += MessageWriter::Doubles(Size(sizes_[range].columns)) + Size(sizes_[range].values);
    lengths.push_back(doubles * sizeof(double));
    total += doubles;
  }
  std::vector<double> all(total);
  ranks_.GatherBytes(message.bytes(), lengths, std::as_writable_bytes(std::span(all)).data());
  const double* place = all.data();
  for (const Sizes& size : sizes_) {
    const std::span<const Index> numbers = IndicesAt(place, size.columns);
    place += MessageWriter::Doubles(numbers.size());
    for (const Index column : numbers) {
      const WeightRun run = common->runs.column(column);
      std::copy(place, place + run.count, common->values.data() + run.begin);
      common->changed_in[column] = common->round;
      place += run.count;
    }
  }
}

/// The sums before any products are added; only this rank's shards have slopes and curvatures yet.
ShardExchange::Sums ShardExchange::BeginSums(const Shards& shards) const {
  Sums sums{std::vector<double>(NumProducts(), 0.0), {}, {}};
  for (const auto& shard : shards) {
    const ShardChange change = shard->Change();
    sums.slopes.push_back(change.slope);
    sums.curvatures.push_back(change.curvature);
  }
  return sums;
}

void ShardExchange::AddProducts(const double* products, Sums* sums) const {
  for (std::size_t k = 0; k < NumProducts(); ++k) sums->products[k] += products[k];
}

ShardExchange::SumsMessage ShardExchange::MessageOf(int rank) const {
  const auto frequent = static_cast<std::int64_t>(frequent_.size());
  const auto columns = static_cast<std::int64_t>(columns_.size());
  return {Size(ranks_.PieceOf(frequent, rank).size()), Size(ranks_.PieceOf(columns, rank).size()),
          Size(ranks_.PieceOf(plan_.total, rank).size())};
}

/// Exchanges the products of the ranks' pieces, the changes of their shards, and the sizes of their
/// pieces, in one message per rank. Returns the messages of all ranks.
std::vector<double> ShardExchange::ExchangeSums(const Sums& sums) {
  MessageWriter message;
  for (std::int64_t k = my_frequent_.begin; k < my_frequent_.end; ++k)
    message.Add(std::span<const double>(frequent_[k].products));
  for (std::int64_t k = my_columns_.begin; k < my_columns_.end; ++k)
    message.Add(std::span<const double>(columns_[k].products));
  message.Add(std::span<const double>(sums.slopes));
  message.Add(std::span<const double>(sums.curvatures));
  for (std::int64_t k = my_columns_.begin; k < my_columns_.end; ++k) {
    const Sizes sizes = SizesOf(columns_[k]);
    const double numbers[] = {static_cast<double>(sizes.columns), static_cast<double>(sizes.values),
                              static_cast<double>(sizes.size)};
    message.Add(std::span<const double>(numbers));
  }
  std::vector<std::size_t> lengths;
  std::size_t total = 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    const std::size_t doubles = MessageOf(r).Doubles(NumProducts());
    lengths.push_back(doubles * sizeof(double));
    total += doubles;
  }
  std::vector<double> all(total);
  ranks_.GatherBytes(message.bytes(), lengths, std::as_writable_bytes(std::span(all)).data());
  return all;
}

/// Reads the messages of all ranks. Products are added in the order of a single rank: all frequent
/// weights, then all columns.
void ShardExchange::ReadSums(std::span<const double> messages, Sums* sums) {
  const std::size_t n = NumProducts();
  const double* place = messages.data();
  for (int r = 0; r < ranks_.size(); ++r) {
    const SumsMessage parts = MessageOf(r);
    for (std::size_t k = 0; k < parts.frequent; ++k) AddProducts(place + k * n, sums);
    place += parts.Doubles(n);
  }
  place = messages.data();
  for (int r = 0; r < ranks_.size(); ++r) {
    const SumsMessage parts = MessageOf(r);
    const double* next = place + parts.frequent * n;
    for (std::size_t k = 0; k < parts.columns; ++k, next += n) AddProducts(next, sums);
    for (std::vector<double>* numbers : {&sums->slopes, &sums->curvatures}) {
      numbers->insert(numbers->end(), next, next + parts.shards);
      next += parts.shards;
    }
    for (std::size_t k = 0; k < parts.columns; ++k, next += 3) {
      sizes_.push_back({static_cast<Offset>(next[0]), static_cast<Offset>(next[1]),
                        static_cast<Offset>(next[2])});
    }
    place += parts.Doubles(n);
  }
}

ShardExchange::Sums ShardExchange::GatherSums(const Shards& shards) {
  Sums sums = BeginSums(shards);
  sizes_.clear();
  if (ranks_.alone()) {
    for (const auto& pieces : {std::span(frequent_), std::span(columns_)}) {
      for (const Piece& piece : pieces) AddProducts(piece.products.data(), &sums);
    }
    for (const Piece& piece : columns_) sizes_.push_back(SizesOf(piece));
    return sums;
  }
  const std::vector<double> messages = ExchangeSums(sums);
  sums.slopes.clear();
  sums.curvatures.clear();
  ReadSums(messages, &sums);
  return sums;
}

}  // namespace slackline::internal
