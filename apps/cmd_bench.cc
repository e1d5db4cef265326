// SPDX-License-Identifier: BSD-3-Clause
//
// slackline bench
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <slackline/apps/bench_learners.h>
#include <slackline/apps/bench_problems.h>
#include <slackline/apps/cmd_bench_machine.h>
#include <slackline/apps/cmd_bench_runner.h>
#include <slackline/apps/cmd_bench_scaling.h>
#include <slackline/apps/cmd_bench_table.h>
#include <slackline/apps/cmd_common.h>
#include <slackline/apps/cmd_interrupt.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>

namespace slackline::program {
namespace {

constexpr int kFailed = 1;
constexpr double kMaxSeed = 9e15;

constexpr const char* kDescription =
    "Compares learners on named training problems: work, seconds and memory to certified gaps.\n"
    "DATA_FOLDER holds yeast/yeast-train.arff and yeast/yeast.xml, reuters30/reuters30-train.svm,\n"
    "rcv1s1/rcv1s1-train.svm, each also as .gz; grids, grids-small and toy need no files.\n"
    "The table goes to the standard output. Ctrl-C ends early and keeps what there is.";

constexpr const char* kExamples =
    "Learners: auto, al, soft, bcfw (Frank-Wolfe steps), bcfw-lp and bcfw-lp-polytope (GLPK, compact or as\n"
    "the textbook writes it), bcfw-pairwise, bcfw-away; options of training follow a colon.\n"
    "A certificate is made after every pass; its time is not counted in seconds, but it is in "
    "--time-limit.\n\n"
    "Examples:\n"
    "  slackline bench --problems toy,grids-small\n"
    "  slackline bench data --problems yeast --learners auto,al,bcfw-lp --out results.json\n"
    "  slackline bench --problems toy --learners auto,bcfw:step=pairwise,order=example,average=suffix\n"
    "  slackline bench --scaling data --runs 1";

struct BenchCommand {
  std::string folder;
  std::string problems;
  std::string learners;
  std::string time_limit = "60";
  std::string runs = "3";
  std::string seed = "1";
  std::string out;
  bool scaling = false;
  bool quiet = false;
  std::string line;  ///< as it was given
  bool problems_given = false;
  bool learners_given = false;
  bool out_given = false;
};

void Register(CLI::App* app, BenchCommand* command) {
  app->add_option("DATA_FOLDER", command->folder, "folder of the data; problems without files need none")
      ->type_name("");
  std::string names;
  for (const BenchProblem& problem : BenchProblems()) {
    names.append(names.empty() ? "" : ", ").append(problem.name);
  }
  AddTextOption(app, "problems", &command->problems, "LIST",
                "names with commas between them: " + names +
                    ". With --scaling: one name, the problem whose number of examples changes",
                "those with data in the folder; without a folder toy and grids-small");
  AddTextOption(app, "learners", &command->learners, "LIST",
                "names with commas between them, each with :option=value,option=value where wanted",
                "auto,al,bcfw; with --scaling auto,al");
  AddTextOption(app, "time-limit", &command->time_limit, "SECONDS", "of one run, checks included; 0 = none",
                "60");
  AddTextOption(app, "runs", &command->runs, "N", "runs of every learner, with seeds S, S+1, …", "3");
  AddTextOption(app, "seed", &command->seed, "S", "first seed", "1");
  AddTextOption(app, "out", &command->out, "RESULTS.json",
                "write machine, settings and whole curves; - is the standard output (the table then goes to "
                "the standard error)");
  app->add_flag("--scaling", command->scaling,
                "instead: seconds against the number of examples, labels and features");
  app->add_flag("--quiet,-q", command->quiet, "no progress on the standard error");
  app->footer(kExamples);
}

/// What the command line says, checked.
struct Settings {
  std::vector<const BenchProblem*> problems;
  std::vector<BenchLearner> learners;
  double time_limit = 60;
  Index runs = 3;
  std::int64_t seed = 1;
};

bool IsPresent(const BenchProblem& problem, const std::string& folder) {
  const std::vector<std::string> files = BenchFiles(problem, folder);
  return !files.empty() && std::all_of(files.begin(), files.end(), [](const std::string& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
  });
}

std::vector<const BenchProblem*> DefaultProblems(const BenchCommand& command) {
  if (command.folder.empty()) {
    if (command.scaling) return {&FindBenchProblem("grids-small")};
    return {&FindBenchProblem("toy"), &FindBenchProblem("grids-small")};
  }
  std::vector<const BenchProblem*> problems;
  for (const BenchProblem& problem : BenchProblems()) {
    if (IsPresent(problem, command.folder)) problems.push_back(&problem);
  }
  if (problems.empty()) throw DataError(command.folder, 0, "the folder has the data of none of the problems");
  const auto reuters = std::find(problems.begin(), problems.end(), &FindBenchProblem("reuters-0.001"));
  if (command.scaling) return {reuters != problems.end() ? *reuters : problems.front()};
  return problems;
}

std::vector<const BenchProblem*> ReadProblems(const BenchCommand& command) {
  if (command.problems.empty()) return DefaultProblems(command);
  return ForOption("problems", [&] {
    std::vector<const BenchProblem*> problems;
    for (const std::string& name : SplitList(command.problems)) {
      const BenchProblem* problem = &FindBenchProblem(name);
      CheckBenchData(*problem, command.folder);
      if (std::find(problems.begin(), problems.end(), problem) == problems.end()) problems.push_back(problem);
    }
    if (command.scaling && problems.size() > 1) throw DataError("--scaling takes one problem");
    return problems;
  });
}

Settings ReadSettings(const BenchCommand& command) {
  Settings settings;
  settings.time_limit = ReadReal("time-limit", command.time_limit, false);
  settings.runs = ReadCount("runs", command.runs, 1);
  double seed = 0;
  if (!ParseNumber(command.seed, &seed) || seed < 0 || seed > kMaxSeed ||
      seed != static_cast<double>(static_cast<std::int64_t>(seed))) {
    throw DataError("--seed: " + Quoted(command.seed) + " is not allowed; it must be a whole number ≥ 0");
  }
  settings.seed = static_cast<std::int64_t>(seed);
  const std::string learners = command.learners_given ? command.learners
                               : command.scaling      ? "auto,al"
                                                      : "auto,al,bcfw";
  settings.learners = ForOption("learners", [&] { return ParseBenchLearners(learners); });
  std::error_code ignored;
  if (!command.folder.empty() && !std::filesystem::is_directory(command.folder, ignored)) {
    throw DataError(command.folder, 0, "there is no such folder");
  }
  if (command.problems_given && command.problems.empty()) throw DataError("--problems: the list is empty");
  settings.problems = ReadProblems(command);
  if (command.scaling && !command.folder.empty()) CheckBenchData(FindBenchProblem("rcv1s1"), command.folder);
  return settings;
}

Json StartJson(const BenchCommand& command, const Settings& settings) {
  return {{"program", ProgramVersion()},
          {"command_line", command.line},
          {"date", DateText()},
          {"machine", MachineJson()},
          {"build", BuildJson()},
          {"settings",
           {{"time_limit", settings.time_limit},
            {"runs", settings.runs},
            {"seed", settings.seed},
            {"gaps", kBenchGaps}}}};
}

/// Prints to where the JSON does not go.
void Print(const BenchCommand& command, const std::string& text) {
  std::FILE* target = command.out == "-" ? stderr : stdout;
  std::fputs(text.c_str(), target);
  std::fflush(target);
}

std::string DescribeProblem(const BenchProblem& definition, const Problem& problem) {
  return std::string(definition.name) + ": " + std::string(definition.text) + "; " +
         Count(problem.size(), "example") + ", " + Count(problem.num_parts(), "part") + ", " +
         Count(problem.num_weights(), "weight") + "\n";
}

/// All learners on one problem. Seeds are the outer loop, so that a machine whose speed drifts does so for all of them.
std::vector<BenchRow> RunProblem(const std::string& name, const Problem& problem, const Settings& settings,
                                 const BenchRunner& runner) {
  std::vector<BenchRow> rows;
  for (const BenchLearner& learner : settings.learners) {
    rows.emplace_back();
    rows.back().problem = name;
    rows.back().learner = learner;
  }
  for (Index run = 0; run < settings.runs; ++run) {
    for (BenchRow& row : rows) {
      if (runner.interrupted()) return rows;
      if (row.refusal.empty()) runner.Run(problem, settings.seed + run, &row);
    }
  }
  return rows;
}

Json RunProblems(const BenchCommand& command, const Settings& settings, const BenchRunner& runner,
                 bool* failed) {
  Json json = Json::array();
  std::vector<BenchRow> all;
  const std::size_t width = LearnerWidth(settings.learners);
  Print(command, BenchTableHead(settings.runs, width));
  for (const BenchProblem* definition : settings.problems) {
    if (runner.interrupted()) break;
    const Problem problem = MakeBenchProblem(*definition, command.folder);
    if (!command.quiet) std::fputs(DescribeProblem(*definition, problem).c_str(), stderr);
    std::vector<BenchRow> rows = RunProblem(std::string(definition->name), problem, settings, runner);
    Json learners = Json::array();
    for (BenchRow& row : rows) {
      Print(command, BenchTableLine(row, width));
      learners.push_back(RowJson(row));
      *failed = *failed || row.failed;
      all.push_back(std::move(row));
    }
    Json entry = {{"name", definition->name}, {"text", definition->text}};
    entry.update(ProblemJson(problem));
    entry["learners"] = std::move(learners);
    json.push_back(std::move(entry));
  }
  Print(command, BenchRatios(all, width));
  return json;
}

int Run(const BenchCommand& command) {
  const Settings settings = ReadSettings(command);
  if (command.out_given) {
    std::vector<std::string> inputs;
    for (const BenchProblem* problem : settings.problems) {
      for (std::string& file : BenchFiles(*problem, command.folder)) inputs.push_back(std::move(file));
    }
    CheckOutput("out", command.out, inputs, true);
  }
  Json json = StartJson(command, settings);
  const std::atomic<int>* interrupt = CatchInterrupts();
  const BenchRunner runner(settings.time_limit, command.quiet, interrupt);
  bool failed = false;
  if (command.scaling) {
    const auto seed = static_cast<std::uint64_t>(settings.seed);
    json["scaling"] = RunScaling(
        ScalingAxes(*settings.problems.front(), command.folder, seed), settings.learners, runner,
        settings.runs, settings.seed, [&](const std::string& text) { Print(command, text); }, &failed);
  } else {
    json["problems"] = RunProblems(command, settings, runner, &failed);
  }
  json["interrupted"] = runner.interrupted();
  if (command.out_given) WriteOutput(command.out, JsonLine(json) + "\n");
  if (runner.interrupted()) return 128 + interrupt->load();
  return failed ? kFailed : 0;
}

/// The command as it could be typed again.
std::string CommandLine(const CLI::App& app) {
  std::string line = "slackline bench";
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    const bool positional = option->get_positional();
    if (!positional) line += " " + option->get_name();
    if (!positional && option->get_expected_min() == 0) continue;  // a flag
    for (const std::string& value : option->results()) {
      const bool plain = !value.empty() && value.find_first_of(" '\"\\$`;&|<>*?()") == std::string::npos;
      line += plain ? " " + value : " '" + value + "'";
    }
  }
  return line;
}

}  // namespace

void AddBench(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<BenchCommand>();
  CLI::App* app = parent->add_subcommand("bench", kDescription);
  Register(app, command.get());
  app->callback([command, app, action] {
    command->line = CommandLine(*app);
    command->problems_given = app->get_option("--problems")->count() > 0;
    command->learners_given = app->get_option("--learners")->count() > 0;
    command->out_given = app->get_option("--out")->count() > 0;
    *action = [command] { return Run(*command); };
  });
}

}  // namespace slackline::program
