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
#include <slackline/apps/report/cmd_report_runs.h>
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
    "logs of training (--log)           a curve of each log\n"
    "results of `slackline bench`       charts, tables of work and final figures, commands and "
    "machines";

constexpr const char* kReportCommandExamples =
    "A page shows one model, or files of one kind: one chart has all logs, and one chart has the "
    "curves of one problem of\n"
    "`bench`, also from several files. PNG and CSV buttons export figures for papers.\n\n"
    "Examples:\n"
    "  slackline report yeast.slk -o yeast.html\n"
    "  slackline report run.jsonl other.jsonl -o training.html\n"
    "  slackline bench --problems toy --out toy.json\n"
    "  slackline report toy.json --out toy.html\n"
    "  slackline report runs/*.json --out report.html --title 'Figures of the papers'";

/// Size limit of a file of runs, which is held in memory; models have no limit.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;

struct ReportCommand {
  std::vector<std::string> files;
  std::string out;
  std::string title;
};

enum class FileContent { kModel, kLog, kBench };

std::string_view Noun(FileContent content) {
  switch (content) {
    case FileContent::kModel:
      return "a model";
    case FileContent::kLog:
      return "a log of training";
    case FileContent::kBench:
      return "neither a model nor a log";
  }
  return "";
}

/// Whether it is a regular file that begins as models or checkpoints do.
bool IsModelFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string bytes(kModelKind.magic.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes == kModelKind.magic || bytes == kCheckpointKind.magic;
}

/// The texts of all files that are not models. *content becomes the common kind of all files.
/// Throws DataError when their kinds differ.
std::vector<RunText> ReadTexts(const std::vector<std::string>& paths, FileContent* content) {
  std::vector<RunText> texts;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    FileContent kind = FileContent::kModel;
    if (!IsModelFile(paths[k])) {
      texts.push_back({paths[k], ReadFile(paths[k], kMostBytes)});
      if (texts.back().text.starts_with(kModelKind.magic))
        throw DataError(paths[k], 0, "a model must be a regular file");
      kind = LooksLikeLog(texts.back().text) ? FileContent::kLog : FileContent::kBench;
    }
    if (k == 0) *content = kind;
    if (kind == *content) continue;
    throw DataError(paths[k], 0,
                    "is " + std::string(Noun(kind)) + ", but " + paths[0] + " is " +
                        std::string(Noun(*content)) + "; a page shows files of one kind");
  }
  return texts;
}

int RunReportCommand(const ReportCommand& command) {
  CheckOutput("out", command.out, command.files, true);
  FileContent content = FileContent::kBench;
  const std::vector<RunText> texts = ReadTexts(command.files, &content);
  if (content == FileContent::kModel) {
    if (command.files.size() > 1) throw DataError(command.files[1], 0, "a page shows one model");
    const Json data = ModelPageData(command.files[0]);
    const std::string title = "Model " + data["model"]["file"].get<std::string>();
    WriteOutput(command.out, ReportPage(data, command.title.empty() ? title : command.title));
    return 0;
  }
  const Json data = content == FileContent::kLog ? ReadLogs(texts) : ReadBenchRuns(texts);
  if (data["problems"].empty())
    throw DataError(command.files.front(), 0, "there are no problems in the runs");
  WriteOutput(command.out,
              ReportPage(data, command.title.empty() ? "Training curves" : command.title));
  return 0;
}

}  // namespace

void AddReport(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"report", kReportCommandDescription, kReportCommandExamples},
                 RunReportCommand);
  app->AddArgument("FILE", &command->files,
                   "a model, logs, or files that `slackline bench --out` wrote")
      ->Required()
      ->SetPlaceholder("...");
  AddTextOption(app, "out,-o", &command->out, "PAGE.html", "the page; - is the standard output")
      ->Required();
  AddTextOption(app, "title", &command->title, "TEXT", "heading of the page",
                "what the page shows");
}

}  // namespace slackline::internal::program
