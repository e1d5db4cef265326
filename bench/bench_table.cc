// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/core/number_text.h>

namespace slackline::internal::bench {
namespace {

using program::Number;
using program::RightCell;

constexpr std::size_t kProblemWidth = 14;
constexpr std::size_t kFigureWidth = 9;

/// Cells: a text, and a number with three digits ("-" if it is not finite).
std::string LeftCell(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

std::string NumberCell(double value, std::size_t width) {
  if (!std::isfinite(value)) return RightCell("-", width);
  std::string text = value >= 1000 && value < 1e6 ? Number(std::round(value), 7) : Number(value, 3);
  return RightCell(text, width);
}

/// How the runs ended; each outcome is listed once.
std::string Ends(const BenchRow& row) {
  std::string ends;
  for (const BenchRun& run : row.runs) {
    const std::string end(Name(run.summary.termination));
    if (ends.find(end) == std::string::npos) ends += (ends.empty() ? "" : ", ") + end;
  }
  return ends;
}

}  // namespace

BenchTable::BenchTable(std::vector<double> gaps, const std::vector<BenchLearner>& learners)
    : gaps_(std::move(gaps)), width_(std::string("learner").size()) {
  for (const BenchLearner& learner : learners) width_ = std::max(width_, learner.name.size());
}

std::string BenchTable::GapCells() const {
  std::string cells;
  for (const double gap : gaps_) cells += RightCell(Number(gap), kFigureWidth);
  return cells;
}

std::string BenchTable::RowName(const std::string& problem, const std::string& learner) const {
  return LeftCell(problem, kProblemWidth) + " " + LeftCell(learner, width_);
}

std::string BenchTable::Head(int runs) const {
  const auto group = [&](const std::string& title) {
    return " |" + LeftCell("   " + title, gaps_.size() * kFigureWidth);
  };
  const std::string gaps = " |" + GapCells();
  return "Work and seconds to a certified relative gap, median of " + Count(runs, "run") +
         ". calls: oracle calls per example. seconds: processor\nseconds of training, without "
         "those of checks. -: not reached. gap: the last one.\n\n" +
         RowName("", "") + group("calls to gap") + group("passes to gap") +
         group("seconds to gap") + " |\n" + RowName("problem", "learner") + gaps + gaps + gaps +
         " |" + RightCell("gap", kFigureWidth + 1) + "  ended\n";
}

std::string BenchTable::Line(const BenchRow& row) const {
  std::string line = RowName(row.problem, row.learner.name);
  if (row.runs.empty()) {
    const std::string reason = row.refusal.empty() ? "no run was made" : row.refusal;
    return line + " | " +
           (row.failed            ? "failed: "
            : row.refusal.empty() ? ""
                                  : "does not apply: ") +
           reason + "\n";
  }
  std::string calls, passes, seconds;
  for (const double gap : gaps_) {
    const WorkToGap work = MedianWork(row, gap);
    calls += NumberCell(work.calls, kFigureWidth);
    passes += NumberCell(work.passes, kFigureWidth);
    seconds += NumberCell(work.seconds, kFigureWidth);
  }
  std::vector<double> last;
  for (const BenchRun& run : row.runs) last.push_back(run.summary.last.relative_gap);
  line += " |" + calls + " |" + passes + " |" + seconds + " |" +
          NumberCell(Median(last), kFigureWidth + 1) + "  " + Ends(row);
  if (row.failed) line += "; then failed: " + row.refusal;
  return line + "\n";
}

std::string BenchTable::Ratios(const std::vector<BenchRow>& rows) const {
  std::string table;
  for (const BenchRow& row : rows) {
    const auto automatic = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& other) {
      return other.problem == row.problem && other.learner.name == "auto" && !other.runs.empty();
    });
    if (row.learner.name == "auto" || row.runs.empty() || automatic == rows.end()) continue;
    table += RowName(row.problem, row.learner.name) + " |";
    for (const double gap : gaps_) {
      const double ratio = MedianWork(row, gap).seconds / MedianWork(*automatic, gap).seconds;
      // If only the other learner reached the gap, the ratio is 0 and carries no information.
      table += NumberCell(ratio > 0 ? ratio : kNone, kFigureWidth);
    }
    table += "\n";
  }
  if (table.empty()) return {};
  return "\nSeconds as multiples of those of auto\n\n" + RowName("problem", "learner") + " |" +
         GapCells() + "\n" + table;
}

}  // namespace slackline::internal::bench
