// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/joined_examples.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>

namespace slackline::internal {
namespace {

/// Values and columns of rows, one row after the other.
struct PackedRows {
  std::vector<double> values;
  std::vector<Index> columns;
  /// The number of values of each row, and whether it is dense.
  struct Head {
    Index count;
    bool dense;
  };
  std::vector<Head> heads;
};

PackedRows Pack(const FeatureRows& rows) {
  PackedRows packed;
  for (Index r = 0; r < rows.size(); ++r) {
    const FeatureRow row = rows.row(r);
    packed.heads.push_back({row.count, row.dense()});
    packed.values.insert(packed.values.end(), row.values, row.values + row.count);
    if (!row.dense())
      packed.columns.insert(packed.columns.end(), row.columns, row.columns + row.count);
  }
  return packed;
}

std::shared_ptr<const FeatureRows> Unpack(const PackedRows& packed) {
  auto rows = std::make_shared<FeatureRows>();
  rows->Reserve(static_cast<Index>(packed.heads.size()),
                static_cast<std::int64_t>(packed.values.size()),
                static_cast<std::int64_t>(packed.columns.size()));
  const double* value = packed.values.data();
  const Index* column = packed.columns.data();
  for (const PackedRows::Head& head : packed.heads) {
    const std::span values(value, Size(head.count));
    if (head.dense) {
      rows->AddDense(values);
    } else {
      rows->AddSparse(std::span(column, Size(head.count)), values);
      column += head.count;
    }
    value += head.count;
  }
  return rows;
}

/// Throws DataError on all ranks where the examples of all ranks do not fit into a machine's
/// memory.
void CheckMemory(Ranks& ranks, const MultiLabelData& mine, const std::string& what) {
  const MemoryShare memory = SharedMemory(ranks);
  const std::int64_t bytes = ranks.SumOf(8 * mine.rows->stored() + 4 * mine.rows->stored_columns() +
                                         static_cast<std::int64_t>(mine.labels.size()));
  OnAllRanks(ranks, [&] {
    // Twice: as bytes to be sent, and as rows.
    const std::string excess = MemoryExcess(2 * static_cast<double>(bytes), memory);
    if (!excess.empty())
      throw DataError(mine.source, 0, what + " needs all examples in every process: " + excess);
  });
}

template <class T>
std::vector<T> Joined(Ranks& ranks, const std::vector<T>& mine) {
  return ranks.Join(std::span<const T>(mine));
}

}  // namespace

MultiLabelData JoinExamples(Ranks& ranks, const MultiLabelData& mine, const std::string& what) {
  if (ranks.alone()) return mine;
  CheckMemory(ranks, mine, what);
  MultiLabelData all = SelectExamples(mine, {});
  PackedRows packed = Pack(*mine.rows);
  packed.values = Joined(ranks, packed.values);
  packed.columns = Joined(ranks, packed.columns);
  packed.heads = Joined(ranks, packed.heads);
  all.rows = Unpack(packed);
  all.labels = Joined(ranks, mine.labels);
  all.lines = Joined(ranks, mine.lines);
  return all;
}

}  // namespace slackline::internal
