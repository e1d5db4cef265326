// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_command.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/common/choice.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

#include "bench/bench_learners.h"
#include "bench/bench_machine.h"
#include "bench/bench_problems.h"
#include "bench/bench_runner.h"
#include "bench/bench_table.h"

namespace slackline::internal::bench {
namespace {

using program::Command;
using program::Json;

constexpr int kFailed = 1;
constexpr double kTimeLimit = 60;
constexpr double kGapTolerance = 1e-4;

constexpr const char* kExamples =
    "Problems: NAME, NAME@N (N examples), NAME@N.S (N examples drawn with seed S), each with "
    "options "
    "after a colon:\n"
    "lambda=L, or times=T (T times the default lambda). Files of labels: bias=on|off, "
    "graph=full|none|tree,\n"
    "loss=count|mean, labels=K (the most frequent ones), standardise=on. Drawn data have their "
    "sizes: examples, labels,\n"
    "features, stored, noise, draw (labels); rows, cols, states, features, chains=on (grids); "
    "side, "
    "states,\n"
    "extra-features (pictures); labels, counted=on (counts). bench/bench_sources.cc has the "
    "files.\n"
    "Learners: the names of --learner, and names for settings of bcfw; options of training follow "
    "a "
    "colon.\n"
    "Every pass ends with a certificate, unless check-every says otherwise. Its time counts "
    "towards "
    "--time-limit, but not\n"
    "towards the seconds in the table.\n\n"
    "Examples:\n"
    "  slackline-bench --problems toy,grids-small\n"
    "  slackline-bench DATA --problems yeast --learners auto,al,bcfw-lp --out results.json\n"
    "  slackline-bench --problems grids:rows=8,cols=8,times=0.1 --learners "
    "auto,bcfw:step=pairwise,order=example\n"
    "  scripts/reproduce/page.py results.json --out results.html";

struct Comparison {
  std::string folder;
  std::string problems = "toy,grids-small";
  std::string learners = "auto,al,bcfw";
  std::string gaps = "0.1,0.01,0.001,0.0001";
  std::string runs = "3";
  std::string out;
  program::TrainFlags training;
  bool test_metric = false;
  bool quiet = false;
  std::string line;  ///< as given
};

/// The checked values of the command line.
struct Settings {
  TrainOptions base;
  std::vector<BenchProblem> problems;
  std::vector<BenchLearner> learners;
  std::vector<double> gaps;
  Index runs = 0;
};

void Register(Command* root, Comparison* comparison) {
  root->AddArgument("DATA_FOLDER", &comparison->folder,
                    "folder of the data; drawn problems need none");
  AddTextOption(root, "problems", &comparison->problems, "LIST",
                "names, separated by commas: " + BenchProblemNames(), comparison->problems);
  AddTextOption(root, "learners", &comparison->learners, "LIST",
                "names, separated by commas: those of --learner, " + BenchLearnerNames(),
                comparison->learners);
  AddTextOption(root, "runs", &comparison->runs, "N", "runs of every learner, with seeds S, S+1, …",
                comparison->runs);
  AddTextOption(root, "gaps", &comparison->gaps, "LIST",
                "relative gaps that the table has columns for", comparison->gaps);
  program::TrainFlags& training = comparison->training;
  constexpr std::string_view kNames[] = {"gap-tolerance", "check-every", "time-limit", "seed"};
  training.Register(root, kNames);
  training.SetDefaultText("gap-tolerance", "0.0001");
  training.SetDefaultText("check-every", "1");
  training.SetDefaultText("time-limit", "60");
  AddTextOption(root, "out,-o", &comparison->out, "RESULTS.json",
                "write the machine, the settings and the whole curves; - is the standard output "
                "(the table then goes to the standard error)");
  root->AddFlag("--test-metric", &comparison->test_metric,
                "also evaluate the weights of the checks on the test data");
  root->AddFlag("--quiet,-q", &comparison->quiet, "no progress on the standard error");
  root->SetFooter(kExamples);
}

std::vector<double> ReadGaps(const std::string& list) {
  std::vector<double> gaps;
  for (const std::string& text : Split(list, ','))
    gaps.push_back(ReadReal("gaps", Trimmed(text), true));
  return gaps;
}

Settings ReadSettings(const Comparison& comparison) {
  Settings settings;
  const program::TrainFlags& training = comparison.training;
  settings.base = training.Read();
  if (!training.Given("gap-tolerance")) settings.base.gap_tolerance = kGapTolerance;
  if (!training.Given("check-every")) settings.base.check_every = 1;
  if (!training.Given("time-limit")) settings.base.time_limit_seconds = kTimeLimit;
  settings.runs = ReadCount("runs", comparison.runs, 1);
  settings.gaps = ReadGaps(comparison.gaps);
  settings.learners = program::ForOption(
      "learners", [&] { return ParseBenchLearners(comparison.learners, settings.base); });
  std::error_code ignored;
  if (!comparison.folder.empty() && !std::filesystem::is_directory(comparison.folder, ignored))
    throw DataError(comparison.folder, 0, "there is no such folder");
  settings.problems = program::ForOption("problems", [&] {
    std::vector<BenchProblem> problems = ParseBenchProblems(comparison.problems);
    for (const BenchProblem& problem : problems)
      CheckBenchData(problem, comparison.folder, comparison.test_metric);
    return problems;
  });
  return settings;
}

/// Throws DataError when the results cannot be written, or would replace data.
void CheckResults(const Comparison& comparison, const Settings& settings) {
  std::vector<std::string> inputs;
  for (const BenchProblem& problem : settings.problems) {
    const BenchFiles files = problem.files(comparison.folder);
    inputs.insert(inputs.end(), files.train.begin(), files.train.end());
    inputs.push_back(files.test);
  }
  program::CheckOutput("out", comparison.out, inputs, true);
}

/// Prints to the standard output, or to the standard error if the standard output receives JSON.
void Print(const Comparison& comparison, const std::string& text) {
  std::FILE* target = comparison.out == "-" ? stderr : stdout;
  std::fputs(text.c_str(), target);
  std::fflush(target);
}

/// Runs all learners on one problem. Seeds are the outer loop, so that a drift in the speed of the
/// machine affects all learners alike.
std::vector<BenchRow> RunProblem(const std::string& name, const BenchTask& task,
                                 const Settings& settings, const BenchRunner& runner) {
  std::vector<BenchRow> rows;
  for (const BenchLearner& learner : settings.learners) {
    rows.emplace_back();
    rows.back().problem = name;
    rows.back().learner = learner;
  }
  for (Index run = 0; run < settings.runs; ++run) {
    for (BenchRow& row : rows) {
      if (runner.interrupted()) return rows;
      if (row.refusal.empty()) runner.Run(task, settings.base.seed + run, &row);
    }
  }
  return rows;
}

Json ProblemJson(const BenchProblem& problem, const Problem& made) {
  Json json = {{"name", problem.name}, {"text", problem.text}};
  if (problem.examples > 0) json["sample"] = {{"of", problem.of}, {"seed", problem.seed}};
  json["examples"] = made.size();
  json["parts"] = made.num_parts();
  json["weights"] = made.num_weights();
  json["lambda"] = made.lambda();
  json["learners"] = Json::array();
  return json;
}

Json RunProblems(const Comparison& comparison, const Settings& settings, const BenchRunner& runner,
                 bool* failed) {
  Json json = Json::array();
  std::vector<BenchRow> all;
  const BenchTable table(settings.gaps, settings.learners);
  Print(comparison, table.Head(settings.runs));
  BenchTasks tasks(comparison.folder, comparison.test_metric);
  for (const BenchProblem& problem : settings.problems) {
    if (runner.interrupted()) break;
    const BenchTask task = tasks.Make(problem);
    const Problem& made = task.problem;
    if (!comparison.quiet) {
      std::fprintf(
          stderr, "%s: %s; %s, %s, %s, lambda %s\n", problem.name.c_str(), problem.text.c_str(),
          Count(made.size(), "example").c_str(), Count(made.num_parts(), "part").c_str(),
          Count(made.num_weights(), "weight").c_str(), program::Number(made.lambda(), 3).c_str());
    }
    json.push_back(ProblemJson(problem, made));
    for (BenchRow& row : RunProblem(problem.name, task, settings, runner)) {
      Print(comparison, table.Line(row));
      json.back()["learners"].push_back(RowJson(row, settings.gaps));
      *failed = *failed || row.failed;
      all.push_back(std::move(row));
    }
  }
  Print(comparison, table.Ratios(all));
  return json;
}

int Compare(const Comparison& comparison) {
  const Settings settings = ReadSettings(comparison);
  if (!comparison.out.empty()) CheckResults(comparison, settings);
  Json json = {{"program", ProgramVersion()},
               {"command_line", comparison.line},
               {"date", DateText()},
               {"machine", MachineJson()},
               {"build", BuildJson()},
               {"settings",
                {{"time_limit", settings.base.time_limit_seconds},
                 {"runs", settings.runs},
                 {"seed", settings.base.seed},
                 {"gaps", settings.gaps}}}};
  const std::atomic<int>* interrupt = program::CatchInterrupts();
  const BenchRunner runner(comparison.quiet, interrupt);
  bool failed = false;
  json["problems"] = RunProblems(comparison, settings, runner, &failed);
  json["interrupted"] = runner.interrupted();
  if (!comparison.out.empty()) program::WriteOutput(comparison.out, program::JsonLine(json) + "\n");
  if (runner.interrupted()) return 128 + interrupt->load();
  return failed ? kFailed : 0;
}

/// The command line in a form that can be typed again.
std::string CommandLine(const Command& root) {
  std::string line = root.name();
  for (const auto& option : root.options()) {
    if (!option->given()) continue;
    if (!option->positional()) line += " " + option->name();
    if (option->flag()) continue;
    for (const std::string& value : option->values()) {
      const bool plain =
          !value.empty() && value.find_first_of(" '\"\\$`;&|<>*?()") == std::string::npos;
      line += plain ? " " + value : " '" + value + "'";
    }
  }
  return line;
}

}  // namespace

void AddComparison(Command* root, program::Action* action) {
  const auto comparison = std::make_shared<Comparison>();
  Register(root, comparison.get());
  *action = [comparison, root] {
    comparison->line = CommandLine(*root);
    return Compare(*comparison);
  };
}

}  // namespace slackline::internal::bench
