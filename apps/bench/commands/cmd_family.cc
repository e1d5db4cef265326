// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/commands/cmd_family.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include <slackline/apps/bench/commands/cmd_bench_table.h>
#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {
namespace {

constexpr std::array<double, 2> kGaps = {1e-2, 1e-3};
/// The summary lists problems where `auto` takes more than this many times the best seconds.
constexpr double kToleratedRatio = 1.5;
/// Shorter times in seconds are too coarse to compare; such problems do not count.
constexpr double kShortestSeconds = 0.05;
/// A run is stopped after kTimeLimitFactor times the elapsed seconds of the fastest run so far plus
/// kExtraSeconds: it cannot become the fastest.
constexpr double kTimeLimitFactor = 1.5;
constexpr double kExtraSeconds = 0.5;

/// Processor seconds and passes to one gap, for `auto` and for the fastest other learner.
struct Duel {
  double own = kInfinity;
  double own_passes = kInfinity;
  bool own_is_bound = false;  ///< auto did not reach the gap: `own` holds its seconds so far
  double best = kInfinity;
  double best_passes = kInfinity;
  std::string best_name;

  double ratio() const { return own / best; }
  bool counts() const {
    return std::isfinite(best) && std::isfinite(own) && std::min(own, best) >= kShortestSeconds;
  }
};

Duel MakeDuel(const std::vector<BenchRow>& rows, double gap) {
  Duel duel;
  for (const BenchRow& row : rows) {
    if (row.runs.empty()) continue;
    const WorkToGap work = MedianWork(row, gap);
    if (row.learner.name == "auto") {
      duel.own = work.seconds;
      duel.own_passes = work.passes;
      if (std::isfinite(duel.own)) continue;
      duel.own_is_bound = true;
      const ProgressRecord& last = row.runs.front().summary.last;
      duel.own = TrainingCpuSeconds(last);
      duel.own_passes = last.pass;
    } else if (work.seconds < duel.best) {
      duel.best = work.seconds;
      duel.best_passes = work.passes;
      duel.best_name = row.learner.name;
    }
  }
  return duel;
}

constexpr std::size_t kNameWidth = 42;
constexpr std::size_t kWidth = 8;

std::string DuelCells(const Duel& duel) {
  const std::string ratio = std::isfinite(duel.best) ? Number(duel.ratio(), 3) : "-";
  return " |" + NumberCell(duel.own_passes, kWidth) + NumberCell(duel.best_passes, kWidth) +
         (duel.own_is_bound ? " >" : "  ") + LeftCell(Number(duel.own, 3), kWidth) +
         NumberCell(duel.best, kWidth) + "  " + LeftCell(ratio, kWidth) +
         LeftCell(duel.best_name, 16);
}

std::string FamilyHead() {
  const std::string group = " |" + LeftCell("  passes", 2 * kWidth + 2) +
                            LeftCell("seconds: auto, best", 2 * kWidth) + "  " +
                            LeftCell("ratio", kWidth) + LeftCell("best", 16);
  return "Processor seconds of training to a certified relative gap of 1e-2 and of 1e-3, auto and "
         "the fastest of the other learners. >: not reached.\n\n" +
         LeftCell("problem", kNameWidth) + group + group + "\n";
}

/// The last lines of the table: geometric means, and problems where `auto` is too slow.
std::string Summary(const std::vector<std::pair<std::string, std::array<Duel, 2>>>& duels) {
  std::string text = "\n";
  for (std::size_t g = 0; g < kGaps.size(); ++g) {
    double sum = 0;
    int count = 0;
    std::string over;
    for (const auto& [name, duel] : duels) {
      if (!duel[g].counts()) continue;
      sum += std::log(duel[g].ratio());
      ++count;
      if (duel[g].ratio() > kToleratedRatio || duel[g].own_is_bound)
        over += "  " + LeftCell(name, kNameWidth) + " " + (duel[g].own_is_bound ? ">" : "") +
                Number(duel[g].ratio(), 3) + " times " + duel[g].best_name + "\n";
    }
    if (count == 0) continue;
    text += "to " + Number(kGaps[g]) + ": geometric mean " + Number(std::exp(sum / count), 3) +
            " over " + Count(count, "problem") + " that take " + Number(kShortestSeconds) +
            " s or more; over " + Number(kToleratedRatio) +
            " times the best:" + (over.empty() ? " none\n" : "\n" + over);
  }
  return text;
}

/// The time limit of a learner when the fastest so far took `fastest` seconds.
double LimitOf(double time_limit, double fastest) {
  if (!std::isfinite(fastest)) return time_limit;
  const double patient = kTimeLimitFactor * fastest + kExtraSeconds;
  return time_limit > 0 ? std::min(time_limit, patient) : patient;
}

std::vector<BenchRow> RunProblem(const FamilyProblem& family, const Problem& problem,
                                 const FamilySettings& settings,
                                 const std::atomic<int>* interrupt) {
  std::vector<BenchRow> rows;
  double fastest = kInfinity;
  for (const BenchLearner& learner : settings.learners) {
    BenchRow row;
    row.problem = family.name;
    row.learner = learner;
    row.learner.options.gap_tolerance = kGaps.back();
    for (int run = 0; run < settings.runs && row.refusal.empty(); ++run) {
      const BenchRunner runner(LimitOf(settings.time_limit, fastest), settings.quiet, interrupt);
      if (runner.interrupted()) break;
      runner.Run(problem, settings.seed + run, &row);
    }
    fastest = std::min(fastest, MedianWork(row, kGaps.back()).elapsed);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Json RunFamily(const FamilySettings& settings, const std::atomic<int>* interrupt,
               const std::function<void(const std::string&)>& print, bool* failed) {
  Json json = Json::array();
  std::vector<std::pair<std::string, std::array<Duel, 2>>> duels;
  print(FamilyHead());
  for (const FamilyProblem& family : settings.problems) {
    if (interrupt->load(std::memory_order_relaxed) != 0) break;
    const Problem problem = family.make(settings.folder);
    if (!settings.quiet) {
      std::fprintf(
          stderr, "%s: %s, %s, %s, lambda %s\n", family.name.c_str(),
          Count(problem.size(), "example").c_str(), Count(problem.num_parts(), "part").c_str(),
          Count(problem.num_weights(), "weight").c_str(), Number(problem.lambda(), 3).c_str());
    }
    const std::vector<BenchRow> rows = RunProblem(family, problem, settings, interrupt);
    std::array<Duel, 2> duel;
    for (std::size_t g = 0; g < kGaps.size(); ++g) duel[g] = MakeDuel(rows, kGaps[g]);
    print(LeftCell(family.name, kNameWidth) + DuelCells(duel[0]) + DuelCells(duel[1]) + "\n");
    duels.emplace_back(family.name, duel);
    Json entry = {{"name", family.name}};
    entry.update(ProblemJson(problem));
    Json learners = Json::array();
    for (const BenchRow& row : rows) {
      *failed = *failed || row.failed;
      learners.push_back(RowJson(row));
    }
    entry["learners"] = std::move(learners);
    json.push_back(std::move(entry));
  }
  print(Summary(duels));
  return json;
}

}  // namespace slackline::internal::program
