// SPDX-License-Identifier: BSD-3-Clause
//
// Problems and rows dealt to ranks (thread_ranks.h) in consecutive parts, and what the ranks make
// of them.
#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/record_deal.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/shards/shard_deal.h>

#include "tests/core/messages.h"
#include "tests/support/thread_ranks.h"

namespace slackline::internal::test {

/// What work(ranks) returns on each of `size` ranks.
template <class Work>
auto OnEachRank(int size, const Work& work) {
  std::vector<decltype(work(std::declval<ThreadRanks&>()))> results(Size(size));
  OnThreadRanks(size, [&](ThreadRanks& ranks) { results[Size(ranks.rank())] = work(ranks); });
  return results;
}

/// The message of the DataError that work(ranks) throws on each of `size` ranks, which must be the
/// same on all of them; "accepted" where it throws none.
inline std::string ErrorOnRanks(int size, const std::function<void(ThreadRanks&)>& work) {
  const std::vector<std::string> errors = OnEachRank(
      size, [&](ThreadRanks& ranks) { return MessageOf<DataError>([&] { work(ranks); }); });
  for (const std::string& error : errors) CHECK(error == errors[0]);
  return errors[0];
}

/// The numbers of the things that this rank has.
inline std::vector<Index> NumbersOf(const Ranks& ranks, Index count) {
  const Ranks::Piece piece = ranks.PieceOf(count);
  std::vector<Index> numbers(Size(piece.size()));
  std::iota(numbers.begin(), numbers.end(), static_cast<Index>(piece.begin));
  return numbers;
}

/// The problem of a rank with the examples of this piece, which may be empty.
inline Problem PartOf(const Problem& problem, const Ranks::Piece& piece, const Ranks& ranks) {
  if (piece.size() == 0) {
    const Dataset none(problem.data().shared_layout(), problem.data().rows());
    return Problem(TrainingSet{none, {}, {0}, 0, 0, problem.training().form}, problem.lambda(),
                   &ranks);
  }
  return ProblemOfRange(problem, {static_cast<Index>(piece.begin), static_cast<Index>(piece.end)});
}

/// The problem with the examples of this rank.
inline Problem PartOf(const Problem& problem, const Ranks& ranks) {
  return PartOf(problem, ranks.PieceOf(problem.size()), ranks);
}

/// The problem with the examples of this rank, which has its part of the shards.
inline Problem PartOf(const Problem& problem, Index shards, const Ranks& ranks) {
  return PartOf(problem, RecordsOfRank(ranks, problem.size(), shards, ranks.rank()), ranks);
}

/// The rows of this rank.
inline std::shared_ptr<const FeatureRows> PartOf(const FeatureRows& rows, const Ranks& ranks) {
  auto part = std::make_shared<FeatureRows>();
  for (const Index r : NumbersOf(ranks, rows.size())) {
    const FeatureRow row = rows.row(r);
    if (row.dense()) {
      part->AddDense(std::span(row.values, Size(row.count)));
    } else {
      part->AddSparse(std::span(row.columns, Size(row.count)),
                      std::span(row.values, Size(row.count)));
    }
  }
  return part;
}

}  // namespace slackline::internal::test
