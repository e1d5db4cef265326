// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/slot_sweeps.h>

#include <algorithm>
#include <vector>

#include <slackline/core/parallel.h>
#include <slackline/core/row_kernels.h>

namespace slackline::internal {
namespace {

/// Largest number of slots of one block that are swept together: a multiple of the tile of the
/// kernels.
constexpr std::size_t kMostTogether = 24;

/// Calls sweep(offset of the block, rows, inputs, values of their slots) for groups of consecutive
/// slots of one block.
template <class Value, class Sweep>
class SlotSweeps {
 public:
  SlotSweeps(const ExampleView& example, Value* values, Sweep sweep)
      : example_(example), values_(values), sweep_(sweep) {}

  void Add(const Slot& slot) {
    if (count_ == kMostTogether || (count_ > 0 && slot.block != block_)) Flush();
    block_ = slot.block;
    rows_ = slot.rows;
    inputs_[count_] = example_.input(slot.input);
    pointers_[count_] = values_ + slot.coordinate;
    work_ += static_cast<Offset>(inputs_[count_].count) * rows_;
    ++count_;
  }
  void Flush() {
    if (count_ == 0) return;
    sweep_(example_.structure().layout().block(block_).offset, rows_,
           std::span<const FeatureRow>(inputs_, count_),
           std::span<Value* const>(pointers_, count_));
    count_ = 0;
  }
  Offset work() const { return work_; }

 private:
  const ExampleView& example_;
  Value* values_;
  Sweep sweep_;
  FeatureRow inputs_[kMostTogether];
  Value* pointers_[kMostTogether] = {};
  std::size_t count_ = 0;
  Index block_ = 0;
  Index rows_ = 0;
  Offset work_ = 0;
};

template <class Value, class Sweep>
Offset SweepAllSlots(const ExampleView& example, Value* values, const Sweep& sweep) {
  SlotSweeps<Value, Sweep> sweeps(example, values, sweep);
  for (const Slot& slot : example.structure().slots()) sweeps.Add(slot);
  sweeps.Flush();
  return sweeps.work();
}

template <class Sweep>
Offset SweepNonZeroSlots(const ExampleView& example, std::span<const double> q,
                         const Sweep& sweep) {
  SlotSweeps<const double, Sweep> sweeps(example, q.data(), sweep);
  for (const Slot& slot : example.structure().slots()) {
    const double* begin = q.data() + slot.coordinate;
    if (std::any_of(begin, begin + slot.rows, [](double value) { return value != 0; }))
      sweeps.Add(slot);
  }
  sweeps.Flush();
  return sweeps.work();
}

/// Least number of multiply-adds of a sweep that threads share: some 30 µs of work. Starting
/// threads takes 2 µs, but every thread also fetches data that others have written.
constexpr Offset kLeastSharedWork = 500'000;
constexpr int kChunksPerThread = 4;  // of slots, in SlotScores
constexpr int kRangesPerThread = 2;  // of features, in AddSlots

/// Collects the groups of SlotSweeps for several threads, and splits them where dense and sparse
/// inputs meet. The kernels split there as well.
template <class Value>
class SlotGroups {
 public:
  struct Group {
    Offset offset;
    Index rows;
    std::size_t begin, count;
  };

  void Add(Offset offset, Index rows, std::span<const FeatureRow> inputs,
           std::span<Value* const> values) {
    for (std::size_t begin = 0, end = 0; begin < inputs.size(); begin = end) {
      while (end < inputs.size() && inputs[end].dense() == inputs[begin].dense()) ++end;
      groups_.push_back({offset, rows, inputs_.size() + begin, end - begin});
    }
    inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
    values_.insert(values_.end(), values.begin(), values.end());
  }
  std::span<const Group> groups() const { return groups_; }
  std::span<const FeatureRow> inputs() const { return inputs_; }
  std::span<const FeatureRow> inputs(const Group& group) const {
    return std::span(inputs_).subspan(group.begin, group.count);
  }
  std::span<Value* const> values(const Group& group) const {
    return std::span(values_).subspan(group.begin, group.count);
  }

 private:
  std::vector<Group> groups_;
  std::vector<FeatureRow> inputs_;
  std::vector<Value*> values_;
};

/// The features [begin, end) of x; the features of a dense vector are renumbered from 0.
FeatureRow Part(const FeatureRow& x, Index begin, Index end) {
  if (x.dense()) {
    const Index first = std::min(begin, x.count);
    return {x.values + first, nullptr, std::min(end, x.count) - first, 0};
  }
  const Index* first = std::lower_bound(x.columns, x.columns + x.count, begin);
  const Index* last = std::lower_bound(first, x.columns + x.count, end);
  return {x.values + (first - x.columns), first, static_cast<Index>(last - first), 0};
}

/// Groups of slots are divided among the threads.
Offset SlotScoresByThreads(const ExampleView& example, std::span<const double> weights,
                           std::span<double> u, int threads) {
  SlotGroups<double> slots;
  const Offset work = SweepAllSlots(
      example, u.data(), [&](Offset offset, Index rows, const auto& inputs, const auto& scores) {
        slots.Add(offset, rows, inputs, scores);
      });
  const auto count = static_cast<Index>(slots.groups().size());
  ParallelChunks(
      count, std::min(kChunksPerThread * threads, count), threads, [&](const Chunk& chunk) {
        for (const auto& group : slots.groups().subspan(chunk.begin, chunk.end - chunk.begin))
          RowsScores(weights.data() + group.offset, group.rows, slots.inputs(group),
                     slots.values(group));
      });
  return work;
}

/// Features are divided among the threads: each thread adds to the weights of its own features in
/// the same order as a single thread.
Offset AddSlotsByThreads(const ExampleView& example, std::span<const double> q,
                         std::span<double> weights, int threads) {
  SlotGroups<const double> slots;
  const Offset work = SweepNonZeroSlots(
      example, q, [&](Offset offset, Index rows, const auto& inputs, const auto& delta) {
        slots.Add(offset, rows, inputs, delta);
      });
  Index features = 0;
  for (const FeatureRow& x : slots.inputs())
    features = std::max(features, x.dense() || x.count == 0 ? x.count : x.columns[x.count - 1] + 1);
  if (work < kLeastSharedWork) threads = 1;  // most slots have zero q
  ParallelChunks(features, kRangesPerThread * threads, threads, [&](const Chunk& chunk) {
    FeatureRow parts[kMostTogether];
    for (const auto& group : slots.groups()) {
      const std::span<const FeatureRow> inputs = slots.inputs(group);
      for (std::size_t k = 0; k < inputs.size(); ++k)
        parts[k] = Part(inputs[k], chunk.begin, chunk.end);
      const Offset skipped = inputs[0].dense() ? static_cast<Offset>(chunk.begin) * group.rows : 0;
      RowsUpdate(weights.data() + group.offset + skipped, group.rows,
                 std::span(parts, inputs.size()), slots.values(group));
    }
  });
  return work;
}

}  // namespace

Offset SweepEntries(const ExampleView& example) {
  Offset entries = 0;
  for (const Slot& slot : example.structure().slots())
    entries += Offset{slot.rows} * example.input(slot.input).count;
  return entries;
}

bool ThreadsShareSweeps(const ExampleView& example, int threads) {
  return threads >= 2 && SweepEntries(example) >= kLeastSharedWork;
}

Offset SlotScores(const ExampleView& example, std::span<const double> weights, std::span<double> u,
                  int threads) {
  if (ThreadsShareSweeps(example, threads))
    return SlotScoresByThreads(example, weights, u, threads);
  return SweepAllSlots(example, u.data(),
                       [&](Offset offset, Index rows, const auto& inputs, const auto& scores) {
                         RowsScores(weights.data() + offset, rows, inputs, scores);
                       });
}

Offset AddSlots(const ExampleView& example, std::span<const double> q, std::span<double> weights,
                int threads) {
  if (ThreadsShareSweeps(example, threads)) return AddSlotsByThreads(example, q, weights, threads);
  return SweepNonZeroSlots(example, q,
                           [&](Offset offset, Index rows, const auto& inputs, const auto& delta) {
                             RowsUpdate(weights.data() + offset, rows, inputs, delta);
                           });
}

}  // namespace slackline::internal
