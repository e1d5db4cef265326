// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of `slackline bench`, for people.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/bench/commands/cmd_bench_runner.h>

namespace slackline::internal::program {

/// Width of the column of learners, which the tables below are given.
std::size_t LearnerWidth(const std::vector<BenchLearner>& learners);

/// What the figures of the table mean, and its head.
std::string BenchTableHead(int runs, std::size_t width);
/// The line of one row; rows without runs tell why.
std::string BenchTableLine(const BenchRow& row, std::size_t width);
/// Seconds of every learner as multiples of those of `auto` on the same problem; empty when there
/// is nothing to compare.
std::string BenchRatios(const std::vector<BenchRow>& rows, std::size_t width);

/// `text` in a column, and a number with three digits in one: "-" where it is not finite.
std::string LeftCell(const std::string& text, std::size_t width);
std::string NumberCell(double value, std::size_t width);

}  // namespace slackline::internal::program
