// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/record_deal.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

constexpr Offset kEndOfFile = std::numeric_limits<Offset>::max();

/// Bytes of a file in which one rank counts records.
struct Stretch {
  std::size_t file = 0;
  Offset begin = 0;
  Offset end = 0;
  int rank = 0;
};

/// What a rank finds in a stretch: [0] if no record is open at its beginning, [1] if a record is.
struct Counts {
  Offset lines = 0;
  std::array<Offset, 2> records{};        // that begin in the stretch
  std::array<bool, 2> open{false, true};  // whether a record is open at the end
  bool failed = false;                    // it cannot be read
};

/// What lies before a stretch.
struct Before {
  Offset records = 0;
  Offset lines = 0;  // of the same file
  bool open = false;
};

/// The beginning of a line.
struct Place {
  std::size_t file = 0;
  Offset byte = 0;
  long lines_before = 0;
};

std::vector<Stretch> StretchesOf(const Ranks& ranks, const DataSource& source) {
  Offset total = 0;
  for (const DataFile& file : source.files) total += file.compressed ? 0 : file.bytes;
  std::vector<Stretch> stretches;
  Offset before = 0;  // bytes of plain files
  int rank = 0;       // of the bytes that come next
  int turn = 0;       // of the next gzip file
  for (std::size_t f = 0; f < source.files.size(); ++f) {
    const DataFile& file = source.files[f];
    if (file.compressed) {
      stretches.push_back({f, 0, kEndOfFile, turn});
      turn = (turn + 1) % ranks.size();
      continue;
    }
    const Offset end = before + file.bytes;
    for (Offset at = before; at < end;) {
      while (ranks.PieceOf(total, rank).end <= at) ++rank;
      const Offset stop = std::min(end, ranks.PieceOf(total, rank).end);
      stretches.push_back({f, at - before, stop - before, rank});
      at = stop;
    }
    before = end;
  }
  return stretches;
}

class RecordDealer {
 public:
  RecordDealer(Ranks& ranks, const DataSource& source, const RecordRule& rule, Index shards)
      : ranks_(ranks), source_(source), rule_(rule), shards_(shards) {}

  std::vector<FilePart> Deal();

 private:
  /// Calls visit(reader, line) for every line of a stretch, until it returns false; the line is
  /// null in the head of the file.
  template <class Visit>
  void ForEachLine(const Stretch& stretch, const Before& before, const Visit& visit) const;
  bool Take(std::string_view line, bool* open) const;
  Place HeadEnd(std::size_t file) const;
  Counts Count(const Stretch& stretch) const;
  void CountAll();
  [[noreturn]] void FailAgain(const Stretch& stretch, const Before& before) const;
  void AddUp(const std::vector<Counts>& counts);
  void FindBorders();
  void FindIn(std::size_t stretch, std::vector<Place>* places) const;
  std::vector<FilePart> PartsOf(int rank) const;
  Offset FirstRecord(int rank) const {
    return RecordsOfRank(ranks_, num_records_, shards_, rank).begin;
  }

  Ranks& ranks_;
  const DataSource& source_;
  const RecordRule& rule_;
  const Index shards_;
  std::vector<Stretch> stretches_;
  std::vector<Before> before_;        // of each stretch
  std::vector<Offset> file_records_;  // the number of records before each file, and of all
  Offset num_records_ = 0;
  std::vector<Place> borders_;  // where the records of each rank begin; the first one is not set
};

/// Where the records of a file may begin.
Place RecordDealer::HeadEnd(std::size_t file) const {
  if (!rule_.head) return {file, 0, 0};
  LineReader reader(source_.name, {FilePart{source_.files[file].path}});
  const Offset end = rule_.head(&reader);
  const bool beyond = end > 0 && reader.line_begin() >= end;  // the last line was no part of it
  return {file, end, end == 0 ? 0 : reader.line_number() - (beyond ? 1 : 0)};
}

template <class Visit>
void RecordDealer::ForEachLine(const Stretch& stretch, const Before& before,
                               const Visit& visit) const {
  const Offset head_end = HeadEnd(stretch.file).byte;
  LineReader reader(source_.name, {FilePart{source_.files[stretch.file].path, stretch.begin,
                                            stretch.end, static_cast<long>(before.lines)}});
  std::string_view line;
  while (reader.Next(&line)) {
    if (!visit(reader, reader.line_begin() < head_end ? nullptr : &line)) break;
  }
}

/// Takes the next line of the records of a file; returns whether a record begins there.
bool RecordDealer::Take(std::string_view line, bool* open) const {
  const LineRole role = rule_.role(line, *open);
  const bool begins = !*open && (role == LineRole::kPart || role == LineRole::kEnd);
  if (role != LineRole::kNothing) *open = role == LineRole::kPart;
  return begins;
}

Counts RecordDealer::Count(const Stretch& stretch) const {
  Counts counts;
  ForEachLine(stretch, {}, [&](const LineReader& reader, const std::string_view* line) {
    counts.lines = reader.line_number();
    if (line == nullptr) return true;
    const bool differ = counts.open[0] != counts.open[1];
    const bool begins = Take(*line, &counts.open[0]);
    counts.records[0] += begins ? 1 : 0;
    if (differ) {
      counts.records[1] += Take(*line, &counts.open[1]) ? 1 : 0;
    } else {
      counts.records[1] += begins ? 1 : 0;
      counts.open[1] = counts.open[0];
    }
    return true;
  });
  return counts;
}

/// Reads a stretch again that could not be read, now that its line numbers are known.
void RecordDealer::FailAgain(const Stretch& stretch, const Before& before) const {
  ForEachLine(stretch, before, [](const LineReader&, const std::string_view*) { return true; });
  throw DataError(source_.files[stretch.file].path, 0, "cannot be read reliably");
}

void RecordDealer::CountAll() {
  std::vector<Counts> mine;
  for (const Stretch& stretch : stretches_) {
    if (stretch.rank != ranks_.rank()) continue;
    try {
      mine.push_back(Count(stretch));
    } catch (const DataError&) {  // its line number is not known before all lines are counted
      mine.emplace_back().failed = true;
    }
  }
  // In the order of the ranks; each rank's stretches in their order.
  const std::vector<Counts> joined = ranks_.Join(std::span<const Counts>(mine));
  std::vector<Counts> counts(stretches_.size());
  std::size_t next = 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
      if (stretches_[s].rank == r) counts[s] = joined[next++];
    }
  }
  AddUp(counts);
  const auto failed =
      std::find_if(counts.begin(), counts.end(), [](const Counts& count) { return count.failed; });
  if (failed == counts.end()) return;
  const auto s = static_cast<std::size_t>(failed - counts.begin());
  OnAllRanks(ranks_, [&] {
    if (stretches_[s].rank == ranks_.rank()) FailAgain(stretches_[s], before_[s]);
  });
}

/// Sets what lies before each stretch and each file.
void RecordDealer::AddUp(const std::vector<Counts>& counts) {
  Before before;
  std::size_t file = 0;
  file_records_.assign(1, 0);
  const auto end_files = [&](std::size_t next) {
    for (; file < next; ++file) {
      file_records_.push_back(before.records);
      before.lines = 0;
      before.open = false;
    }
  };
  for (std::size_t s = 0; s < counts.size(); ++s) {
    end_files(stretches_[s].file);
    before_.push_back(before);
    const std::size_t open = before.open ? 1 : 0;
    before.records += counts[s].records[open];
    before.lines += counts[s].lines;
    before.open = counts[s].open[open];
  }
  end_files(source_.files.size());
  num_records_ = before.records;
}

/// Finds the places in a stretch where the records of ranks begin, in the order of the ranks.
void RecordDealer::FindIn(std::size_t s, std::vector<Place>* places) const {
  const Offset first = before_[s].records;
  const Offset end = s + 1 < stretches_.size() ? before_[s + 1].records : num_records_;
  int rank = 1;
  const auto next_wanted = [&] {
    while (rank < ranks_.size() && FirstRecord(rank) < first) ++rank;
    return rank < ranks_.size() && FirstRecord(rank) < end;
  };
  if (!next_wanted()) return;
  Offset record = first;
  bool open = before_[s].open;
  ForEachLine(stretches_[s], before_[s], [&](const LineReader& reader, const auto* line) {
    if (line == nullptr || !Take(*line, &open)) return true;
    if (record++ != FirstRecord(rank)) return true;
    // The record is also the border of ranks without records.
    for (; rank < ranks_.size() && FirstRecord(rank) == record - 1; ++rank)
      places->push_back({stretches_[s].file, reader.line_begin(), reader.line_number() - 1});
    return next_wanted();
  });
}

void RecordDealer::FindBorders() {
  std::vector<Place> mine;
  OnAllRanks(ranks_, [&] {
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
      if (stretches_[s].rank == ranks_.rank()) FindIn(s, &mine);
    }
  });
  borders_ = ranks_.Join(std::span<const Place>(mine));
  std::sort(borders_.begin(), borders_.end(), [](const Place& a, const Place& b) {
    return std::pair(a.file, a.byte) < std::pair(b.file, b.byte);
  });
  if (std::ssize(borders_) != ranks_.size() - 1)
    throw DataError(source_.name, 0, "changes while it is read");
}

std::vector<FilePart> RecordDealer::PartsOf(int rank) const {
  const Offset first = FirstRecord(rank);
  const bool last = rank + 1 == ranks_.size();
  const Offset end = RecordsOfRank(ranks_, num_records_, shards_, rank).end;
  if (!ranks_.alone() && first == end) return {};
  std::vector<FilePart> parts;
  for (std::size_t f = 0; f < source_.files.size(); ++f) {
    if (!ranks_.alone() && (file_records_[f] >= end || file_records_[f + 1] <= first)) continue;
    Place begin;
    if (rank > 0 && borders_[Size(rank - 1)].file == f) {
      begin = borders_[Size(rank - 1)];
    } else {
      begin = HeadEnd(f);
    }
    const bool ends = !last && borders_[Size(rank)].file == f;
    parts.push_back({source_.files[f].path, begin.byte,
                     ends ? borders_[Size(rank)].byte : kEndOfFile, begin.lines_before});
  }
  return parts;
}

std::vector<FilePart> RecordDealer::Deal() {
  SLACKLINE_CHECK(shards_ >= ranks_.size(), "every process needs a shard");
  if (!ranks_.alone()) {
    stretches_ = StretchesOf(ranks_, source_);
    CountAll();
    if (num_records_ == 0) throw DataError(source_.name, 0, rule_.no_records);
    FindBorders();
  }
  std::vector<FilePart> parts;
  OnAllRanks(ranks_, [&] { parts = PartsOf(ranks_.rank()); });
  return parts;
}

}  // namespace

std::vector<FilePart> DealRecords(Ranks& ranks, const DataSource& source, const RecordRule& rule,
                                  Index shards) {
  return RecordDealer(ranks, source, rule, shards).Deal();
}

Ranks::Piece RecordsOfRank(const Ranks& ranks, Offset records, Index shards, int rank) {
  if (records == 0) return {};
  const Offset used = std::min<Offset>(shards, records);
  const Ranks::Piece piece = ranks.PieceOf(used, rank);
  return {records * piece.begin / used, records * piece.end / used};
}

}  // namespace slackline::internal
