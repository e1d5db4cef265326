// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/shard.h>

#include <slackline/core/simd.h>

namespace slackline::internal {
namespace {

/// A copy of a few numbers, for which a call of memcpy is too slow.
SLACKLINE_MULTIVERSION
void CopyRun(const double* from, Offset count, double* to) {
  Offset k = 0;
  for (; k + 4 <= count; k += 4)
    *reinterpret_cast<Four*>(to + k) = *reinterpret_cast<const Four*>(from + k);
  for (; k < count; ++k) to[k] = from[k];
}

}  // namespace

TrainOptions OptionsOfShard(TrainOptions options, Index number) {
  constexpr std::int64_t kStep = std::int64_t{1} << 53;  // seeds of users are smaller
  options.seed += number * kStep;
  return options;
}

void Shard::BeginRound() {
  // The common values of changed columns differ from the shard's own.
  for (std::size_t k = 0; k < num_noted_; ++k) taken_[noted_[k]] = -1;
  num_noted_ = 0;
  num_dealt_ = 0;
  for (std::vector<Index>& range : changed_) range.clear();
  round_work_ = 0;
  round_share_ = 0;
  ++round_;
}

void Shard::EndPart() {
  for (; num_dealt_ < num_noted_; ++num_dealt_) {
    const Index column = noted_[num_dealt_];
    changed_[static_cast<std::size_t>(column * ranges_per_column_)].push_back(column);
  }
}

void Shard::TakeColumns(const ExampleView& example) {
  if (!has_columns()) return;
  common_->runs.ListColumns(example, &listed_);
  double* const copy = copy_.data();
  const double* const values = common_->values.data();
  for (const WeightRuns::ColumnList::Entry& entry : listed_columns()) {
    const std::int32_t newest = common_->changed_in[entry.number];
    if (taken_[entry.number] >= newest) continue;
    taken_[entry.number] = newest;
    CopyRun(values + entry.begin, entry.count, copy + entry.begin);
  }
}

void Shard::TakeFrequent() {
  const double* from = common_->frequent.data();
  for (const WeightRun& run : common_->runs.frequent()) {
    std::copy(from, from + run.count, copy_.data() + run.begin);
    from += run.count;
  }
}

void Shard::TakeWeights() {
  std::copy(common_->values.begin(), common_->values.end(), copy_.begin());
  round_ = 0;
  std::fill(taken_.begin(), taken_.end(), 0);
  num_noted_ = 0;
  num_dealt_ = 0;
  std::fill(visited_in_.begin(), visited_in_.end(), 0);
}

}  // namespace slackline::internal
