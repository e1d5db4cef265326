// SPDX-License-Identifier: BSD-3-Clause
//
// Which lines of a data source each rank reads. Records (examples) are numbered in the order of the
// files and lines; of M records in P shards, shard p has the records [M·p/P, M·(p+1)/P), and rank r
// of R has the shards [P·r/R, P·(r+1)/R) (Ranks::PieceOf). The records of a rank thus follow each
// other. Fewer records than shards make as many shards as records; with fewer than ranks, some
// ranks have none.
//
// To find where a rank's records begin, the ranks first count records and lines: each of R ranks in
// its R-th part of the bytes of all plain files, and in some of the gzip files, which cannot be
// entered in the middle. A record belongs to the bytes in which it begins. The ranks then tell each
// other where the records of each rank begin. Cost: each rank reads its part of the bytes twice and
// then its own records. One rank decompresses a gzip file once, and again up to its last border;
// every rank that has some of its records decompresses it up to their end. Many files of moderate
// size, in a folder, are therefore better than a large gzip file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/data_source.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// What a line is for the records of its format.
enum class LineRole {
  kNothing,    ///< no part of a record, and may stand within one: a comment
  kSeparator,  ///< ends the record before it, if there is one: a blank line
  kPart,       ///< continues a record, or begins one if none is open
  kEnd,        ///< the same, and the record ends with this line
};

/// How a format divides lines into records. A record ends at the end of its file at the latest.
struct RecordRule {
  /// The role of a line without its line end. open: whether a record is open before the line; it
  /// decides in some formats, as with quotes that span lines.
  std::function<LineRole(std::string_view line, bool open)> role;
  /// Reads the lines at the beginning of a file that are no records, such as declarations; returns
  /// where the records begin. May throw DataError. Empty: there are none.
  std::function<Offset(LineReader* file)> head;
  const char* no_records = "no examples";  ///< the message when there are none
};

/// The lines of the records of this rank. All ranks must call this function, with the same
/// arguments. shards: P ≥ R, else std::invalid_argument. Throws DataError on all ranks when there
/// are no records, and as LineReader and rule.head do. With one rank, reads nothing but the heads.
/// Returns no parts if there are records, but none for this rank.
std::vector<FilePart> DealRecords(Ranks& ranks, const DataSource& source, const RecordRule& rule,
                                  Index shards);

/// The numbers of the records of a rank, when `records` records are dealt in P shards.
Ranks::Piece RecordsOfRank(const Ranks& ranks, Offset records, Index shards, int rank);

}  // namespace slackline::internal
