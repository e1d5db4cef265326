// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_common.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <slackline/core/check.h>
#include <slackline/core/model_file.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parallel.h>

namespace slackline::internal::program {
namespace {

constexpr std::size_t kHelpWidth = 72;  // width of the texts next to the options

std::string Description(std::string_view text, std::string_view default_text) {
  std::string description(text);
  if (!default_text.empty()) description.append(" [").append(default_text).append("]");
  return Wrap(description, kHelpWidth);
}

bool IsSpecial(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

/// Whether both names lead to the same file, which need not exist yet. The input "-" means the file
/// that the standard input reads from.
bool IsSameFile(const std::string& output, const std::string& input) {
  if (input == "-") {
    struct stat in {};
    struct stat out {};
    return fstat(STDIN_FILENO, &in) == 0 && stat(output.c_str(), &out) == 0 &&
           in.st_dev == out.st_dev && in.st_ino == out.st_ino;
  }
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (output == input || fs::equivalent(output, input, ignored)) return true;
  const fs::path target = fs::weakly_canonical(fs::absolute(output, ignored), ignored);
  return !target.empty() && target == fs::weakly_canonical(fs::absolute(input, ignored), ignored);
}

}  // namespace

std::size_t Length(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

std::string Wrap(std::string_view text, std::size_t width) {
  std::string wrapped;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (column > 0 && column + 1 + Length(word) > width) {
      wrapped += '\n';
      column = 0;
    } else if (column > 0) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += Length(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return wrapped;
}

std::string RightCell(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

Option* AddTextOption(Command* app, std::string_view name, std::string* value,
                      std::string_view placeholder, std::string_view text,
                      std::string_view default_text) {
  return app->AddOption("--" + std::string(name), value, Description(text, default_text))
      ->SetPlaceholder(std::string(placeholder));
}

void TrainFlags::Register(Command* app, std::span<const std::string_view> names) {
  for (const std::string_view name : names) Register(app, OptionNamed(name), Audience::kCommand);
  if (!names.empty()) return;
  for (const OptionRecord& record : OptionRecords())
    Register(app, record, record.name == "learner" ? Audience::kCommand : Audience::kTraining);
}

void TrainFlags::Register(Command* app, const OptionRecord& record, Audience audience) {
  Flag& flag = flags_[std::string(record.name)];
  if (record.is_flag()) {
    flag.value = "on";
    flag.option = app->AddFlag("--" + std::string(record.name), Wrap(record.text, kHelpWidth));
  } else {
    flag.option = AddTextOption(app, record.name, &flag.value, record.placeholder, record.text,
                                record.default_text);
  }
  flag.option->SetGroup(kTrainingGroup);
  if (!record.basic) flag.option->SetAudience(audience);
}

void TrainFlags::SetDefaultText(std::string_view name, std::string_view default_text) {
  flags_.find(name)->second.option->SetText(Description(OptionNamed(name).text, default_text));
}

void TrainFlags::Hide(std::string_view name) { flags_.find(name)->second.option->SetGroup(""); }

bool TrainFlags::Given(std::string_view name) const {
  const auto found = flags_.find(name);
  return found != flags_.end() && found->second.option->given();
}

TrainOptions TrainFlags::Read(LearnerKind learner) const {
  TrainOptions options;
  options.learner = learner;
  std::vector<std::string_view> given;
  for (const OptionRecord& record : OptionRecords()) {
    if (!Given(record.name)) continue;
    given.push_back(record.name);
    const std::string& value = flags_.find(record.name)->second.value;
    ForOption(record.name, [&] { SetOption(record, value, &options); });
  }
  CheckOptions(options, given);
  // `auto` cannot see that an option is given with its default value. A given --tau asks for al.
  if (options.learner == LearnerKind::kAuto && Given("tau")) {
    options.learner = LearnerKind::kAugmentedLagrangian;
  }
  return options;
}

void DecodeFlags::Register(Command* app) {
  AddTextOption(app, "decode", &decode, "auto|lp",
                "auto: exact where that is cheap (graphs without cycles, up to about 20 labels), "
                "else the LP relaxation, rounded and improved. lp: the LP relaxation, rounded",
                "auto");
  threads.Register(app);
}

DecodeKind DecodeFlags::ReadDecode() const {
  return ForOption("decode", [&] { return ParseDecodeKind(decode); });
}

void ThreadFlag::Register(Command* app) {
  AddTextOption(app, "threads", &threads, "N",
                "threads; 0 = all cores. Results are the same for any number", "1");
}
int ThreadFlag::Read() const {
  TrainOptions options;
  SetOption(OptionNamed("threads"), threads, &options);
  return NumThreads(options.threads);
}

void CheckOutput(std::string_view option, const std::string& path,
                 const std::vector<std::string>& inputs, bool special_files) {
  const std::string name = "--" + std::string(option);
  if (path.empty()) throw DataError(name + ": the file name is empty");
  if (special_files && (path == "-" || IsSpecial(path))) return;
  if (path == "-") {
    throw DataError(
        name + ": '-', the standard output, is not allowed here (use ./- for a file of that name)");
  }
  for (const std::string& input : inputs) {
    if (input.empty() || !IsSameFile(path, input)) continue;
    throw DataError(name + ": '" + path + "' is also " +
                    (input == "-" ? "the standard input" : "another file of this command") +
                    ", and would be overwritten");
  }
  ForOption(option, [&] { CheckWritable(path); });
}

void WriteOutput(const std::string& path, std::string_view bytes) {
  const bool standard = path.empty() || path == "-";
  if (!standard && !IsSpecial(path)) {
    WriteFileAtomically(path, bytes);
    return;
  }
  std::ofstream file;
  if (!standard) file.open(path, std::ios::binary);
  std::ostream& out = standard ? std::cout : file;
  errno = 0;
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out)
    throw DataError(standard ? "<stdout>" : path, 0,
                    std::string("writing failed: ") + std::strerror(errno));
}

void TellNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
}

void CheckStandardOutput() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return;
  throw DataError(
      "<stdout>", 0,
      std::string("writing failed") + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

void Append(std::string* text, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  std::va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(nullptr, 0, format, values);
  va_end(values);
  const std::size_t begin = text->size();
  text->resize(begin + std::max(length, 0) + 1);
  std::vsnprintf(text->data() + begin, text->size() - begin, format, again);
  va_end(again);
  text->pop_back();
}

std::string Number(double value, int digits) { return NumberText(value, digits); }

std::string CsvCell(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_of(",\"\r\n") == std::string::npos &&
                     text.front() != ' ' && text.back() != ' ' && text.front() != '\t' &&
                     text.back() != '\t';
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

std::string CellRow(const std::vector<std::string>& cells, char separator) {
  std::string row;
  for (const std::string& cell : cells) row.append(cell).push_back(separator);
  if (!row.empty()) row.back() = '\n';
  return row;
}

void AppendScoreRows(std::span<const double> scores, std::size_t columns, char separator,
                     std::string* text) {
  for (std::size_t k = 0; k < scores.size(); ++k) {
    text->append(NumberText(scores[k], kScoreDigits));
    text->push_back((k + 1) % columns == 0 ? '\n' : separator);
  }
}

}  // namespace slackline::internal::program
