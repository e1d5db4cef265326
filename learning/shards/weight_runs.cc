// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/weight_runs.h>

#include <algorithm>
#include <limits>

#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {
namespace {

/// Expected number of examples with a feature, in a part of a round, from which on its column is
/// frequent.
constexpr double kFrequent = 4;
constexpr double kSparse = 1.0 / 16;  // largest mean share of values that are not zero

}  // namespace

std::vector<WeightRuns::BlockCounts> WeightRuns::Count(const Dataset& data, Ranks& ranks) {
  std::vector<BlockCounts> counts(data.layout().num_blocks());
  for (Index m = 0; m < data.size(); ++m) {
    const ExampleView example = data.example(m);
    for (const Slot& slot : example.structure().slots()) {
      const FeatureRow row = example.input(slot.input);
      BlockCounts& block = counts[slot.block];
      block.values += row.count;
      ++block.inputs;
      block.dense += row.dense() ? 1 : 0;
    }
  }
  for (BlockCounts& block : counts) {
    std::int64_t numbers[] = {block.values, block.inputs, block.dense};
    ranks.AddUp(numbers);
    block = {numbers[0], numbers[1], numbers[2]};
  }
  return counts;
}

bool WeightRuns::HasRareFeatures(const BlockCounts& counts, const WeightBlock& block) {
  return counts.inputs > 0 && counts.dense == 0 &&
         static_cast<double>(counts.values) <=
             kSparse * static_cast<double>(counts.inputs * block.cols);
}

Index WeightRuns::LeastRareHeight() const {
  Index least = 0;
  for (Index c = 0; c < num_columns(); ++c) {
    if (is_frequent_[c] == 1) continue;
    const auto height = static_cast<Index>(column(c).count);
    least = least == 0 ? height : std::min(least, height);
  }
  return least;
}

void WeightRuns::AddFrequent(const WeightRun& run) {
  num_frequent_ += run.count;
  if (!frequent_.empty() && frequent_.back().begin + frequent_.back().count == run.begin) {
    frequent_.back().count += run.count;
  } else {
    frequent_.push_back(run);
  }
}

WeightRuns::WeightRuns(const Dataset& data, std::int64_t part_work, Ranks& ranks) {
  const WeightLayout& layout = data.layout();
  const std::vector<BlockCounts> counts = Count(data, ranks);
  Offset columns = 0;
  for (Index b = 0; b < layout.num_blocks(); ++b) {
    const WeightBlock& block = layout.block(b);
    if (!HasRareFeatures(counts[b], block) ||
        columns + block.cols > std::numeric_limits<Index>::max()) {
      divided_of_block_.push_back(-1);
      AddFrequent({block.offset, block.size()});
      continue;
    }
    divided_of_block_.push_back(static_cast<Index>(divided_.size()));
    first_column_.push_back(static_cast<Index>(columns));
    divided_.push_back({block.offset, block.rows});
    columns += block.cols;
  }
  first_column_.push_back(static_cast<Index>(columns));
  if (columns > 0) MarkFrequent(data, part_work, ranks);
}

void WeightRuns::MarkFrequent(const Dataset& data, std::int64_t part_work, Ranks& ranks) {
  is_frequent_.assign(num_columns(), 0);
  std::vector<std::int64_t> examples(num_columns(), 0);  // that have the feature
  std::vector<Index> last(num_columns(), -1);
  ColumnList listed;             // all columns, since none is frequent yet
  std::int64_t double_work = 0;  // twice that of a visit of every example, roughly
  for (Index m = 0; m < data.size(); ++m) {
    data.PrefetchSweep(0, m, data.size());
    const ExampleView example = data.example(m);
    double_work += 2 * kVisitWork + SweepEntries(example);
    ListColumns(example, &listed);
    for (const ColumnList::Entry& entry : listed.all()) {
      if (last[entry.number] == m) continue;
      last[entry.number] = m;
      ++examples[entry.number];
    }
  }
  ranks.AddUp(examples);
  const auto size = static_cast<double>(ranks.SumOf(data.size()));
  const double work = 0.5 * static_cast<double>(ranks.SumOf(double_work));
  const double visits = static_cast<double>(part_work) * size / work;
  const double least = kFrequent * size / std::max(1.0, visits);
  bool rare = false;
  for (Index c = 0; c < num_columns(); ++c) {
    if (static_cast<double>(examples[c]) < least) {
      rare = rare || examples[c] > 0;
      continue;
    }
    is_frequent_[c] = 1;
    AddFrequent(column(c));
  }
  if (rare) return;
  divided_.clear();
  first_column_.assign(1, 0);
  std::ranges::fill(divided_of_block_, -1);
}

void WeightRuns::ListColumns(const ExampleView& example, ColumnList* list) const {
  const std::span<const Slot> slots = example.structure().slots();
  list->ends.resize(slots.size());
  std::size_t used = 0;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const Index d = divided_of_block_[slots[s].block];
    if (d >= 0) {
      const Divided& block = divided_[d];
      const Index first = first_column_[d];
      const FeatureRow row = example.input(slots[s].input);
      if (list->entries.size() < used + Size(row.count))
        list->entries.resize(2 * used + Size(row.count));
      // Which columns are frequent is as good as random, so there is no branch: the next entry
      // overwrites the entry of a frequent column.
      ColumnList::Entry* const entries = list->entries.data();
      for (Index k = 0; k < row.count; ++k) {
        const Index number = first + row.columns[k];
        const WeightRun run = block.column(row.columns[k]);
        entries[used] = {number, static_cast<Index>(run.count), run.begin};
        used += is_frequent_[number] == 0 ? 1 : 0;
      }
    }
    list->ends[s] = used;
  }
}

WeightRun WeightRuns::column(Index c) const {
  const auto next = std::upper_bound(first_column_.begin(), first_column_.end(), c);
  const std::size_t block = static_cast<std::size_t>(next - first_column_.begin()) - 1;
  return divided_[block].column(c - first_column_[block]);
}

}  // namespace slackline::internal
