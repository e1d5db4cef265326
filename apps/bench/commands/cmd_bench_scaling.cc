// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/commands/cmd_bench_scaling.h>

#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/bench/commands/cmd_bench_table.h>
#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {
namespace {

constexpr std::size_t kSizeWidth = 28;
constexpr std::size_t kScalingFigureWidth = 14;

/// The figures of one learner along one axis.
struct Line {
  BenchLearner learner;
  std::vector<double> sizes;
  std::vector<double> pass_seconds;
  std::vector<double> gap_seconds;
  Json points = Json::array();
};

double SecondsPerPass(const BenchRow& row) {
  std::vector<double> seconds;
  for (const BenchRun& run : row.runs) {
    seconds.push_back(TrainingCpuSeconds(run.summary.last) / run.summary.last.pass);
  }
  return Median(seconds);
}

std::string ScalingHead(std::size_t width) {
  return "Scaling; work and processor seconds of training to a certified relative gap of " +
         Number(kScalingGap) + ". -: not reached\n\n" + LeftCell("size", kSizeWidth) + " " +
         LeftCell("learner", width) +
         " |  calls/example        passes   s per pass  s to the gap\n";
}

/// Adds the figures at one size to the line; returns a row of the table.
std::string AddPoint(const ScalingAxis& axis, Index size, const Problem& problem,
                     const BenchRow& row, std::size_t width, Line* line) {
  const WorkToGap work = MedianWork(row, kScalingGap);
  const double pass = SecondsPerPass(row);
  line->sizes.push_back(size);
  line->pass_seconds.push_back(pass);
  line->gap_seconds.push_back(work.seconds);
  Json json = {
      {"size", size}, {"problem", ProblemJson(problem)}, {"seconds_per_pass", FiniteJson(pass)}};
  json["seconds_to_gap"] = FiniteJson(work.seconds);
  json.update(RowJson(row));
  line->points.push_back(std::move(json));
  const std::string name = LeftCell(axis.name + " " + std::to_string(size), kSizeWidth) + " " +
                           LeftCell(row.learner.name, width) + " |";
  if (row.runs.empty()) return name + " " + row.refusal + "\n";
  return name + NumberCell(work.calls, kScalingFigureWidth) +
         NumberCell(work.passes, kScalingFigureWidth) + NumberCell(pass, kScalingFigureWidth - 1) +
         NumberCell(work.seconds, kScalingFigureWidth) + "\n";
}

std::string Exponents(const ScalingAxis& axis, const Line& line, std::size_t width) {
  return LeftCell(axis.name + ", fitted exponent", kSizeWidth) + " " +
         LeftCell(line.learner.name, width) + " |" + std::string(2 * kScalingFigureWidth, ' ') +
         NumberCell(FittedExponent(line.sizes, line.pass_seconds), kScalingFigureWidth - 1) +
         NumberCell(FittedExponent(line.sizes, line.gap_seconds), kScalingFigureWidth) + "\n";
}

Json AxisJson(const ScalingAxis& axis, std::vector<Line>* lines) {
  Json learners = Json::array();
  for (Line& line : *lines) {
    learners.push_back(
        {{"learner", line.learner.name},
         {"exponent_seconds_per_pass", FiniteJson(FittedExponent(line.sizes, line.pass_seconds))},
         {"exponent_seconds_to_gap", FiniteJson(FittedExponent(line.sizes, line.gap_seconds))},
         {"points", std::move(line.points)}});
  }
  return {{"axis", axis.name},
          {"text", axis.text},
          {"gap", kScalingGap},
          {"learners", std::move(learners)}};
}

}  // namespace

Json RunScaling(const std::vector<ScalingAxis>& axes, const std::vector<BenchLearner>& learners,
                const BenchRunner& runner, int runs, std::int64_t seed,
                const std::function<void(const std::string&)>& print, bool* failed) {
  Json json = Json::array();
  const std::size_t width = LearnerWidth(learners);
  print(ScalingHead(width));
  for (const ScalingAxis& axis : axes) {
    if (runner.interrupted()) break;
    print("\n" + axis.name + ": " + axis.text + "\n");
    std::vector<Line> lines;
    for (const BenchLearner& learner : learners) {
      lines.push_back({learner, {}, {}, {}, Json::array()});
      lines.back().learner.options.gap_tolerance = kScalingGap;
    }
    for (const Index size : axis.sizes) {
      if (runner.interrupted()) break;
      const Problem problem = axis.make(size);
      for (Line& line : lines) {
        BenchRow row;
        row.problem = axis.name + " " + std::to_string(size);
        row.learner = line.learner;
        for (int run = 0; run < runs && row.refusal.empty() && !runner.interrupted(); ++run) {
          runner.Run(problem, seed + run, &row);
        }
        *failed = *failed || row.failed;
        if (!row.runs.empty() || !row.refusal.empty())
          print(AddPoint(axis, size, problem, row, width, &line));
      }
    }
    for (const Line& line : lines) print(Exponents(axis, line, width));
    json.push_back(AxisJson(axis, &lines));
  }
  return json;
}

}  // namespace slackline::internal::program
