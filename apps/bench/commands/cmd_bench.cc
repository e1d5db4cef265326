// SPDX-License-Identifier: BSD-3-Clause
//
// slackline bench
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/bench/bench_figures.h>
#include <slackline/apps/bench/bench_learners.h>
#include <slackline/apps/bench/bench_problems.h>
#include <slackline/apps/bench/bench_task.h>
#include <slackline/apps/bench/commands/cmd_bench_machine.h>
#include <slackline/apps/bench/commands/cmd_bench_runner.h>
#include <slackline/apps/bench/commands/cmd_bench_scaling.h>
#include <slackline/apps/bench/commands/cmd_bench_table.h>
#include <slackline/apps/bench/commands/cmd_family.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/apps/segmentation/commands/cmd_segment_bench.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal::program {
namespace {

constexpr int kFailed = 1;
constexpr double kMaxSeed = 9e15;

constexpr const char* kBenchDescription =
    "Compares learners on named training problems: work, seconds and memory to certified gaps.\n"
    "DATA_FOLDER holds yeast/yeast-train.arff and yeast/yeast.xml, reuters30/reuters30-train.svm, "
    "rcv1/rcv1-train.svm,\n"
    "rcv1s1/rcv1s1-train.svm, letters/letter.data and conll2000/train.txt, each possibly as .gz "
    "(scripts/data makes them),\n"
    "and for --test-metric yeast-test.arff, …, test.txt; the other problems need no files.\n"
    "The table goes to the standard output. Ctrl-C ends early and keeps the results so far.";

constexpr const char* kBenchExamples =
    "Learners: auto, al, soft, bcfw (Frank-Wolfe steps), bcfw-lp and bcfw-lp-polytope (GLPK, "
    "compact or as the textbook\n"
    "writes it), bcfw-pairwise, bcfw-away, bcfw-fixed (steps of fixed length), and the others of "
    "--learner; options of\n"
    "training follow a colon. problem@N means N examples of a problem, problem@N.S N examples "
    "drawn with seed S.\n"
    "Every pass ends with a certificate. Its time counts towards --time-limit, but not towards the "
    "seconds in the table.\n\n"
    "Examples:\n"
    "  slackline bench --problems toy,grids-small\n"
    "  slackline bench data --problems yeast --learners auto,al,bcfw-lp --out results.json\n"
    "  slackline bench --problems toy --learners "
    "auto,bcfw:step=pairwise,order=example,average=suffix\n"
    "  slackline bench --scaling data --runs 1\n"
    "  slackline bench data --figure 002-1 --out rho.json && slackline report rho.json --out "
    "rho.html";

struct BenchCommand {
  std::string folder;
  std::string problems;
  std::string learners;
  std::string time_limit = "60";
  std::string runs = "3";
  std::string seed = "1";
  std::string out;
  std::string figure;
  bool list = false;
  bool scaling = false;
  bool family = false;
  bool test_metric = false;
  bool quiet = false;
  std::string line;  ///< as given
  bool problems_given = false;
  bool learners_given = false;
  bool out_given = false;
  bool time_limit_given = false;
  bool runs_given = false;
  std::string beside_list;  ///< an option that --list does not read, if one is given
};

void Register(Command* app, BenchCommand* command) {
  app->AddArgument("DATA_FOLDER", &command->folder,
                   "folder of the data; problems without files need none");
  std::string names;
  for (const BenchProblem& problem : BenchProblems()) {
    names.append(names.empty() ? "" : ", ").append(problem.name);
  }
  AddTextOption(app, "problems", &command->problems, "LIST",
                "names, separated by commas: " + names +
                    ". With --scaling: one name, the problem whose number of examples changes",
                "those with data in the folder, except letters, conll and msrc; without a folder "
                "toy and grids-small");
  AddTextOption(
      app, "learners", &command->learners, "LIST",
      "names, separated by commas, each optionally followed by :option=value,option=value",
      "auto,al,bcfw; with --scaling auto,al");
  AddTextOption(app, "time-limit", &command->time_limit, "SECONDS",
                "limit of one run, including checks; 0 = none", "60");
  AddTextOption(app, "runs", &command->runs, "N", "runs of every learner, with seeds S, S+1, …",
                "3");
  AddTextOption(app, "seed", &command->seed, "S", "first seed", "1");
  std::string figures;
  for (const BenchFigure& figure : BenchFigures()) {
    figures.append(figures.empty() ? "" : ", ").append(figure.name);
  }
  AddTextOption(app, "figure", &command->figure, "NAME",
                "the runs of a figure of the papers (docs/notebook/reproduction.md): " + figures +
                    ". Other options override those of the figure");
  AddTextOption(app, "out,-o", &command->out, "RESULTS.json",
                "write the machine, the settings and the whole curves; - is the standard output "
                "(the table then goes to the standard error)");
  app->AddFlag("--test-metric", &command->test_metric,
               "also evaluate the weights of the checks on the test data");
  app->AddFlag("--list", &command->list,
               "instead: print the runs of --figure, or of all figures, one a line: figure, "
               "problem, learner, seed, seconds, and test or -, between tabs");
  app->AddFlag("--scaling", &command->scaling,
               "instead: seconds against the number of examples, labels and features");
  app->AddFlag("--family", &command->family,
               "instead: auto against the fastest of the other learners on problems of all kinds;\n"
               "--problems then lists parts of their names");
  app->AddFlag("--quiet,-q", &command->quiet, "no progress on the standard error");
  app->SetFooter(kBenchExamples);
}

/// The checked values of the command line.
struct BenchSettings {
  const BenchFigure* figure = nullptr;
  std::vector<FamilyProblem> family;
  std::vector<BenchChoice> problems;
  std::vector<BenchLearner> learners;
  std::vector<std::string>
      left_out;  ///< messages about learners of a figure that are not available
  double time_limit = 60;
  Index runs = 3;
  std::int64_t seed = 1;
  bool test_metric = false;
};

bool IsPresent(const BenchProblem& problem, const std::string& folder) {
  const std::vector<std::string> files = BenchFiles(problem, folder);
  return !files.empty() && std::all_of(files.begin(), files.end(), [](const std::string& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
  });
}

std::vector<BenchChoice> DefaultProblems(const BenchCommand& command) {
  if (command.folder.empty()) {
    if (command.scaling) return {FindBenchChoice("grids-small")};
    return {FindBenchChoice("toy"), FindBenchChoice("grids-small")};
  }
  std::vector<BenchChoice> problems;
  for (const BenchProblem& problem : BenchProblems()) {
    if (IsPresent(problem, command.folder) && problem.multilabel()) problems.push_back({&problem});
  }
  if (problems.empty()) throw DataError(command.folder, 0, "the folder has no data of any problem");
  const BenchChoice reuters = FindBenchChoice("reuters-0.001");
  if (command.scaling)
    return {IsPresent(*reuters.problem, command.folder) ? reuters : problems.front()};
  return problems;
}

std::vector<BenchChoice> ReadProblems(const BenchCommand& command, const std::string& list) {
  if (list.empty()) return DefaultProblems(command);
  return ForOption("problems", [&] {
    std::vector<BenchChoice> problems;
    for (const std::string& name : SplitList(list)) {
      const BenchChoice choice = FindBenchChoice(name);
      CheckBenchData(*choice.problem, command.folder);
      const auto same = [&](const BenchChoice& other) { return other.name() == choice.name(); };
      if (std::none_of(problems.begin(), problems.end(), same)) problems.push_back(choice);
    }
    if (!command.scaling) return problems;
    if (problems.size() > 1) throw DataError("--scaling takes one problem");
    if (problems.front().examples > 0) throw DataError("--scaling takes a whole problem");
    if (problems.front().problem->segments())
      throw DataError("--scaling does not take problems of images");
    return problems;
  });
}

std::int64_t ReadSeed(const std::string& text) {
  double seed = 0;
  if (!ParseNumber(text, &seed) || seed < 0 || seed > kMaxSeed ||
      seed != static_cast<double>(static_cast<std::int64_t>(seed))) {
    throw DataError("--seed: " + Quoted(text) + " is not allowed; it must be a whole number ≥ 0");
  }
  return static_cast<std::int64_t>(seed);
}

void ReadLearners(const BenchCommand& command, BenchSettings* settings) {
  settings->learners = ForOption("learners", [&] {
    if (command.learners_given) return ParseBenchLearners(command.learners);
    if (settings->figure != nullptr) return FigureLearners(*settings->figure, &settings->left_out);
    if (command.family) return ParseBenchLearners(kFamilyLearners);
    return ParseBenchLearners(command.scaling ? "auto,al" : "auto,al,bcfw");
  });
  if (!settings->learners.empty()) return;
  throw DataError("--figure: none of its learners is available: " + settings->left_out.front());
}

BenchSettings ReadBenchSettings(const BenchCommand& command) {
  BenchSettings settings;
  if (!command.figure.empty()) {
    settings.figure = ForOption("figure", [&] { return &FindBenchFigure(command.figure); });
    if (command.scaling) throw DataError("--figure and --scaling exclude each other");
  }
  if (command.family && (command.scaling || !command.figure.empty() || command.test_metric))
    throw DataError("--family excludes --figure, --scaling and --test-metric");
  const BenchFigure* figure = settings.figure;
  settings.time_limit = ReadReal("time-limit", command.time_limit, false);
  if (figure != nullptr && !command.time_limit_given) settings.time_limit = figure->time_limit;
  settings.runs = ReadCount("runs", command.runs, 1);
  if (figure != nullptr && !command.runs_given) settings.runs = figure->runs;
  settings.seed = ReadSeed(command.seed);
  settings.test_metric = command.test_metric || (figure != nullptr && figure->test_metric);
  if (command.test_metric && command.scaling)
    throw DataError("--test-metric and --scaling exclude each other");
  ReadLearners(command, &settings);
  std::error_code ignored;
  if (!command.folder.empty() && !std::filesystem::is_directory(command.folder, ignored)) {
    throw DataError(command.folder, 0, "there is no such folder");
  }
  if (command.problems_given && command.problems.empty())
    throw DataError("--problems: the list is empty");
  if (command.family) {
    if (!command.runs_given) settings.runs = 1;
    settings.family = ForOption("problems", [&] {
      return ChooseFamily(
          command.problems.empty() ? std::vector<std::string>() : SplitList(command.problems),
          command.folder);
    });
    return settings;
  }
  const bool of_figure = figure != nullptr && !command.problems_given;
  settings.problems = ReadProblems(command, of_figure ? figure->problems : command.problems);
  if (command.scaling && !command.folder.empty())
    CheckBenchData(FindBenchProblem("rcv1s1"), command.folder);
  return settings;
}

Json StartJson(const BenchCommand& command, const BenchSettings& settings) {
  Json json = {{"program", ProgramVersion()},
               {"command_line", command.line},
               {"date", DateText()},
               {"machine", MachineJson()},
               {"build", BuildJson()},
               {"settings",
                {{"time_limit", settings.time_limit},
                 {"runs", settings.runs},
                 {"seed", settings.seed},
                 {"gaps", kBenchGaps}}}};
  if (settings.figure != nullptr) {
    const BenchFigure& figure = *settings.figure;
    json["figure"] = {
        {"name", figure.name}, {"text", figure.text}, {"x", figure.x}, {"y", figure.y}};
    if (!figure.sweep.empty()) json["figure"]["sweep"] = figure.sweep;
    if (!settings.left_out.empty()) json["left_out"] = settings.left_out;
  }
  return json;
}

/// Prints to the standard output, or to the standard error if the standard output receives JSON.
void Print(const BenchCommand& command, const std::string& text) {
  std::FILE* target = command.out == "-" ? stderr : stdout;
  std::fputs(text.c_str(), target);
  std::fflush(target);
}

std::string DescribeProblem(const BenchChoice& choice, const Problem& problem) {
  return choice.name() + ": " + std::string(choice.problem->text) + "; " +
         Count(problem.size(), "example") + ", " + Count(problem.num_parts(), "part") + ", " +
         Count(problem.num_weights(), "weight") + "\n";
}

/// Makes the tasks of choices. Keeps the last problem, for choices that draw a subset of its
/// examples.
class Tasks {
 public:
  Tasks(std::string folder, bool with_test) : folder_(std::move(folder)), with_test_(with_test) {}

  BenchTask Make(const BenchChoice& choice) {
    if (choice.problem != of_) {
      whole_ = choice.problem->segments()
                   ? MakeSegmentBenchTask(*choice.problem, folder_, with_test_)
                   : MakeBenchTask(*choice.problem, folder_, with_test_);
    }
    of_ = choice.problem;
    if (choice.examples == 0) return *whole_;
    if (choice.examples > whole_->problem.size()) {
      throw DataError("--problems: '" + choice.name() + "' needs more examples than the " +
                      std::to_string(whole_->problem.size()) + " available");
    }
    const Problem& whole = whole_->problem;
    return {
        Problem(SubsetOfExamples(whole.training(), choice.examples, choice.seed), whole.lambda()),
        whole_->test};
  }

 private:
  std::string folder_;
  bool with_test_;
  const BenchProblem* of_ = nullptr;
  std::optional<BenchTask> whole_;
};

/// Runs all learners on one problem. Seeds are the outer loop, so that a drift in the speed of the
/// machine affects all learners alike.
std::vector<BenchRow> RunProblem(const std::string& name, const BenchTask& task,
                                 const BenchSettings& settings, const BenchRunner& runner) {
  std::vector<BenchRow> rows;
  for (const BenchLearner& learner : settings.learners) {
    rows.emplace_back();
    rows.back().problem = name;
    rows.back().learner = learner;
  }
  for (Index run = 0; run < settings.runs; ++run) {
    for (BenchRow& row : rows) {
      if (runner.interrupted()) return rows;
      if (run >= row.learner.NumRuns(settings.runs)) continue;
      if (row.refusal.empty()) runner.Run(task.problem, settings.seed + run, &row, task.test);
    }
  }
  return rows;
}

Json RunProblems(const BenchCommand& command, const BenchSettings& settings,
                 const BenchRunner& runner, bool* failed) {
  Json json = Json::array();
  std::vector<BenchRow> all;
  const std::size_t width = LearnerWidth(settings.learners);
  Print(command, BenchTableHead(settings.runs, width));
  Tasks tasks(command.folder, settings.test_metric);
  for (const BenchChoice& choice : settings.problems) {
    if (runner.interrupted()) break;
    const BenchTask task = tasks.Make(choice);
    if (!command.quiet) std::fputs(DescribeProblem(choice, task.problem).c_str(), stderr);
    std::vector<BenchRow> rows = RunProblem(choice.name(), task, settings, runner);
    Json learners = Json::array();
    for (BenchRow& row : rows) {
      Print(command, BenchTableLine(row, width));
      learners.push_back(RowJson(row));
      *failed = *failed || row.failed;
      all.push_back(std::move(row));
    }
    Json entry = {{"name", choice.name()}, {"text", choice.problem->text}};
    if (choice.examples > 0)
      entry["sample"] = {{"of", choice.problem->name}, {"seed", choice.seed}};
    entry.update(ProblemJson(task.problem));
    entry["learners"] = std::move(learners);
    json.push_back(std::move(entry));
  }
  Print(command, BenchRatios(all, width));
  return json;
}

/// Tells on the standard error what the runs of a figure are and how long they can take.
void TellFigure(const BenchCommand& command, const BenchSettings& settings) {
  if (settings.figure == nullptr || command.quiet) return;
  double runs = 0;
  for (const BenchLearner& learner : settings.learners) runs += learner.NumRuns(settings.runs);
  runs *= static_cast<double>(settings.problems.size());
  std::fprintf(stderr, "figure %s: %s\n", std::string(settings.figure->name).c_str(),
               std::string(settings.figure->text).c_str());
  for (const std::string& message : settings.left_out)
    std::fprintf(stderr, "left out: %s\n", message.c_str());
  if (settings.time_limit <= 0) return;
  std::fprintf(stderr, "%s, at most %s minutes\n", Count(static_cast<Offset>(runs), "run").c_str(),
               Number(runs * settings.time_limit / 60, 3).c_str());
}

int ListRuns(const BenchCommand& command) {
  if (!command.beside_list.empty())
    throw DataError("--list and " + command.beside_list + " exclude each other");
  if (!command.figure.empty()) ForOption("figure", [&] { return FindBenchFigure(command.figure); });
  std::vector<std::string> left_out;
  for (const BenchFigure& figure : BenchFigures()) {
    if (!command.figure.empty() && figure.name != command.figure) continue;
    for (const BenchFigureRun& run : FigureRuns(figure, &left_out))
      std::printf("%s\t%s\t%s\t%s\t%s\t%s\n", std::string(figure.name).c_str(), run.problem.c_str(),
                  run.learner.c_str(), std::to_string(run.seed).c_str(),
                  Number(figure.time_limit, 6).c_str(), figure.test_metric ? "test" : "-");
  }
  for (const std::string& message : left_out)
    std::fprintf(stderr, "left out: %s\n", message.c_str());
  return 0;
}

int RunBench(const BenchCommand& command) {
  if (command.list) return ListRuns(command);
  const BenchSettings settings = ReadBenchSettings(command);
  if (command.out_given) {
    std::vector<std::string> inputs;
    for (const BenchChoice& choice : settings.problems) {
      for (std::string& file : BenchFiles(*choice.problem, command.folder))
        inputs.push_back(std::move(file));
      for (std::string& file : BenchTestFiles(*choice.problem, command.folder))
        inputs.push_back(std::move(file));
    }
    CheckOutput("out", command.out, inputs, true);
  }
  TellFigure(command, settings);
  Json json = StartJson(command, settings);
  const std::atomic<int>* interrupt = CatchInterrupts();
  const BenchRunner runner(settings.time_limit, command.quiet, interrupt);
  bool failed = false;
  if (command.scaling) {
    const auto seed = static_cast<std::uint64_t>(settings.seed);
    json["scaling"] = RunScaling(
        ScalingAxes(*settings.problems.front().problem, command.folder, seed), settings.learners,
        runner, settings.runs, settings.seed,
        [&](const std::string& text) { Print(command, text); }, &failed);
  } else if (command.family) {
    const FamilySettings family = {settings.family,     command.folder, settings.learners,
                                   settings.time_limit, settings.runs,  settings.seed,
                                   command.quiet};
    json["family"] = RunFamily(
        family, interrupt, [&](const std::string& text) { Print(command, text); }, &failed);
  } else {
    json["problems"] = RunProblems(command, settings, runner, &failed);
  }
  json["interrupted"] = runner.interrupted();
  if (command.out_given) WriteOutput(command.out, JsonLine(json) + "\n");
  if (runner.interrupted()) return 128 + interrupt->load();
  return failed ? kFailed : 0;
}

/// The command line in a form that can be typed again.
std::string CommandLine(const Command& app) {
  std::string line = "slackline bench";
  for (const auto& option : app.options()) {
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

void AddBench(Command* parent, Action* action) {
  const auto command = std::make_shared<BenchCommand>();
  Command* app = parent->AddCommand("bench", kBenchDescription);
  Register(app, command.get());
  app->OnParsed([command, app, action] {
    command->line = CommandLine(*app);
    command->problems_given = app->Get("problems")->given();
    command->learners_given = app->Get("learners")->given();
    command->out_given = app->Get("out")->given();
    command->time_limit_given = app->Get("time-limit")->given();
    command->runs_given = app->Get("runs")->given();
    for (const auto& option : app->options()) {
      const std::string name = option->name();
      if (option->given() && name != "--list" && name != "--figure") command->beside_list = name;
    }
    *action = [command] { return RunBench(*command); };
  });
}

}  // namespace slackline::internal::program
