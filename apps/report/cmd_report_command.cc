// SPDX-License-Identifier: BSD-3-Clause
//
// slackline report
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/report/cmd_log_runs.h>
#include <slackline/apps/report/cmd_model_page.h>
#include <slackline/apps/report/cmd_report_page.h>
#include <slackline/core/check.h>
#include <slackline/core/model_file.h>
#include <slackline/core/read_file.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kReportCommandDescription =
    "Draws one HTML page, which needs no network. The content of FILE decides what the page "
    "shows:\n"
    "a model                            what it is, how it was trained, its strongest weights and "
    "pairs\n"
    "logs of training (--log)           a curve of each log";

constexpr const char* kReportCommandExamples =
    "A page shows one model, or one chart of all logs. PNG and CSV buttons export figures for "
    "papers.\n\n"
    "Examples:\n"
    "  slackline report yeast.slk -o yeast.html\n"
    "  slackline report run.jsonl other.jsonl -o training.html\n"
    "  slackline report runs/*.jsonl --out report.html --title 'Learners of sequences'";

/// Size limit of a log, which is held in memory; models have no limit.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;

struct ReportCommand {
  std::vector<std::string> files;
  std::string out;
  std::string title;
};

/// Whether it is a regular file that begins as models or checkpoints do.
bool IsModelFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string bytes(kModelKind.magic.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes == kModelKind.magic || bytes == kCheckpointKind.magic;
}

/// The texts of logs. Throws DataError when a file is a model.
std::vector<RunText> ReadTexts(const std::vector<std::string>& paths) {
  std::vector<RunText> texts;
  for (const std::string& path : paths) {
    if (IsModelFile(path))
      throw DataError(path, 0, "is a model, but " + paths[0] + " is a log; a page shows one kind");
    texts.push_back({path, ReadFile(path, kMostBytes)});
    if (texts.back().text.starts_with(kModelKind.magic))
      throw DataError(path, 0, "a model must be a regular file");
  }
  return texts;
}

int RunReportCommand(const ReportCommand& command) {
  CheckOutput("out", command.out, command.files, true);
  if (IsModelFile(command.files[0])) {
    if (command.files.size() > 1) throw DataError(command.files[1], 0, "a page shows one model");
    const Json data = ModelPageData(command.files[0]);
    const std::string title = "Model " + data["model"]["file"].get<std::string>();
    WriteOutput(command.out, ReportPage(data, command.title.empty() ? title : command.title));
    return 0;
  }
  const Json data = ReadLogs(ReadTexts(command.files));
  WriteOutput(command.out,
              ReportPage(data, command.title.empty() ? "Training curves" : command.title));
  return 0;
}

}  // namespace

void AddReport(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"report", kReportCommandDescription, kReportCommandExamples},
                 RunReportCommand);
  app->AddArgument("FILE", &command->files, "a model, or logs of training (--log)")
      ->Required()
      ->SetPlaceholder("...");
  AddTextOption(app, "out,-o", &command->out, "PAGE.html", "the page; - is the standard output")
      ->Required();
  AddTextOption(app, "title", &command->title, "TEXT", "heading of the page",
                "what the page shows");
}

}  // namespace slackline::internal::program
