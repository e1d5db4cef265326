// SPDX-License-Identifier: BSD-3-Clause
//
// The table of a comparison, for people.
#pragma once

#include <string>
#include <vector>

#include "bench/bench_runner.h"

namespace slackline::internal::bench {

class BenchTable {
 public:
  /// gaps: the certified relative gaps, a column each.
  BenchTable(std::vector<double> gaps, const std::vector<BenchLearner>& learners);

  /// An explanation of the figures and the header of the table.
  std::string Head(int runs) const;
  /// The line of a row; for a row without runs, the reason.
  std::string Line(const BenchRow& row) const;
  /// The seconds of every learner relative to those of `auto` on the same problem; empty if there
  /// is nothing to compare.
  std::string Ratios(const std::vector<BenchRow>& rows) const;

 private:
  std::string RowName(const std::string& problem, const std::string& learner) const;
  std::string GapCells() const;

  std::vector<double> gaps_;
  std::size_t width_;  // of the column of learners
};

}  // namespace slackline::internal::bench
