// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of `slackline bench`, for people.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/bench/commands/cmd_bench_runner.h>

namespace slackline::internal::program {

/// Width of the column of learners; the parameter `width` of the functions below.
std::size_t LearnerWidth(const std::vector<BenchLearner>& learners);

/// An explanation of the figures and the header of the table.
std::string BenchTableHead(int runs, std::size_t width);
/// The table line of a row; for a row without runs, the reason.
std::string BenchTableLine(const BenchRow& row, std::size_t width);
/// The seconds of every learner relative to those of `auto` on the same problem; empty if there is
/// nothing to compare.
std::string BenchRatios(const std::vector<BenchRow>& rows, std::size_t width);

/// Table cells: a text, and a number with three digits ("-" if it is not finite).
std::string LeftCell(const std::string& text, std::size_t width);
std::string NumberCell(double value, std::size_t width);

}  // namespace slackline::internal::program
