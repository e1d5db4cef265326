// SPDX-License-Identifier: BSD-3-Clause
//
// slackline report
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cmd_common.h>
#include <slackline/apps/cmd_report_page.h>
#include <slackline/apps/cmd_report_runs.h>
#include <slackline/core/check.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Draws the curves of `slackline bench` runs into one HTML page, which needs no network: charts to be\n"
    "looked into with the mouse, tables of work and final figures, commands and machines.";

constexpr const char* kExamples =
    "Curves of one problem are in one chart, also those of several files. PNG and CSV buttons are for "
    "papers.\n\n"
    "Examples:\n"
    "  slackline bench --problems toy --out toy.json\n"
    "  slackline report toy.json --out toy.html\n"
    "  slackline report runs/*.json --out report.html --title 'Figures of the papers'";

struct ReportCommand {
  std::vector<std::string> runs;
  std::string out;
  std::string title = "Training curves";
};

int Run(const ReportCommand& command) {
  CheckOutput("out", command.out, command.runs, true);
  const Json data = ReadBenchRuns(command.runs);
  if (data["problems"].empty()) throw DataError(command.runs.front(), 0, "there are no problems in the runs");
  WriteOutput(command.out, ReportPage(data, command.title));
  return 0;
}

}  // namespace

void AddReport(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<ReportCommand>();
  CLI::App* app = parent->add_subcommand("report", kDescription);
  app->add_option("RUNS", command->runs, "files that `slackline bench --out` wrote")
      ->required()
      ->type_name("...");
  AddTextOption(app, "out,-o", &command->out, "PAGE.html", "the page; - is the standard output")->required();
  AddTextOption(app, "title", &command->title, "TEXT", "its heading", "Training curves");
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
