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
  for (std::vector<Index>& range : changed_) range.clear();
  round_work_ = 0;
  round_share_ = 0;
  ++round_;
}

void Shard::TakeColumns(const ExampleView& example) {
  if (!has_columns()) return;
  double* const copy = copy_.data();
  const double* const values = common_->values.data();
  common_->runs.ForEachColumn(example, [&](Index number, const WeightRun& run) {
    Column& column = columns_[number];
    const std::int32_t newest = common_->changed_in[number];
    if (column.taken >= newest || column.changed == round_) return;
    column.taken = newest;
    CopyRun(values + run.begin, run.count, copy + run.begin);
  });
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
  std::fill(columns_.begin(), columns_.end(), Column());
  std::fill(visited_in_.begin(), visited_in_.end(), 0);
}

}  // namespace slackline::internal
