// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/report/cmd_log_runs.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/report/cmd_checked_json.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kNotLog = "not a log of training: ";

/// Curves with more checks than this are thinned.
constexpr std::size_t kMostPoints = 1000;

/// The columns that every curve has. The first six are numbers.
constexpr const char* kCurveColumns[] = {"pass",        "seconds",      "check_seconds",
                                         "cpu_seconds", "oracle_calls", "block_steps",
                                         "primal",      "dual",         "relative_gap"};

/// Columns that are kept only if one of their values is a number.
constexpr const char* kOptionalColumns[] = {"check_primal", "soft_primal", "soft_dual"};

/// The indices of the checks to keep.
std::vector<std::size_t> KeptPoints(const Json& passes) {
  std::vector<std::size_t> kept;
  double next = 0;
  for (std::size_t k = 0; k < passes.size(); ++k) {
    const double pass = passes[k].get<double>();
    if (passes.size() > kMostPoints && pass < next && k + 1 < passes.size()) continue;
    kept.push_back(k);
    next = pass <= 100 ? 0 : 1.01 * pass;
  }
  return kept;
}

Json Thinned(const Json& curve, const std::vector<std::size_t>& kept) {
  Json thin = Json::object();
  for (const auto& [name, column] : curve.items()) {
    Json values = Json::array();
    for (const std::size_t k : kept) values.push_back(column[k]);
    thin[name] = std::move(values);
  }
  return thin;
}

/// Checks the figures of a run's last record; `where` names it in messages.
void CheckLast(const JsonChecker& check, const Json& last, const std::string& where) {
  for (const char* name : {"pass", "seconds", "check_seconds", "oracle_calls"})
    check.Number(last, name, where);
  check.Text(last, "problem", where);
}

/// A curve (an object of columns of equal length, one of them "pass"), thinned if it has many
/// checks. Sets *thinned if any are left out.
Json ThinnedCurve(const Json& curve, bool* thinned) {
  const std::vector<std::size_t> kept = KeptPoints(curve["pass"]);
  if (kept.size() == curve["pass"].size()) return curve;
  *thinned = true;
  return Thinned(curve, kept);
}

/// Reads the lines of one log and makes a row of each run.
class LogReader {
 public:
  LogReader(const RunText& log, std::string name, std::size_t file, Json* problem)
      : path_(log.path), name_(std::move(name)), file_(file), problem_(*problem) {
    long line = 0;
    for (std::size_t at = 0; at < log.text.size();) {
      const std::size_t end = std::min(log.text.find('\n', at), log.text.size());
      Add(log.text.substr(at, end - at), ++line);
      at = end + 1;
    }
    Finish();
    if (rows_.empty()) throw DataError(path_, 0, "the log has no checks to draw");
    for (Json& row : rows_) {
      if (rows_.size() == 1) row["learner"] = name_;
      problem_["learners"].push_back(std::move(row));
    }
  }

  const std::string& program() const { return program_; }

 private:
  void Add(const std::string& text, long line) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) return;
    const Json json = ParseJson(path_, text, line);
    const JsonChecker check(path_, kNotLog, line);
    const std::string event = check.Text(json, "event", "the line").get<std::string>();
    if (event == "start") {
      Start(check, json);
    } else if (!row_) {
      check.Fail("there is no start of a run before this line");
    } else if (event == "check") {
      AddCheck(check, json);
    } else if (event == "end") {
      End(check, json);
    } else {
      check.Fail("the event " + Quoted(event) + " is not known");
    }
  }

  void Start(const JsonChecker& check, const Json& json) {
    Finish();
    const double lambda = check.Number(json, "lambda", "the start").get<double>();
    program_ = check.Text(json, "program", "the start").get<std::string>();
    const std::string data = check.Text(json, "data", "the start").get<std::string>();
    const double examples = check.Number(json, "examples", "the start").get<double>();
    if (!(examples >= 1)) check.Fail("the start has no examples");
    const Json& options = check.Object(json, "options", "the start");
    for (const auto& [name, value] : options.items()) {
      if (!value.is_string()) check.Fail("option '" + name + "' is not a string");
    }
    const std::string with = "lambda " + Number(lambda);
    const auto choice = json.find("choice");
    row_ = Json{{"learner", name_ + ", " + with},
                {"file", file_},
                {"choice", choice != json.end() && choice->is_string() ? *choice : Json("")},
                {"options", options},
                {"examples", examples},
                {"objective", data + ", " + with}};
    curve_ = Json::object();
    for (const char* name : kCurveColumns) curve_[name] = Json::array();
    for (const char* name : kOptionalColumns) curve_[name] = Json::array();
    last_ = Json();
    termination_ = "cut off";
  }

  void AddCheck(const JsonChecker& check, const Json& json) {
    for (const char* name : std::span(kCurveColumns).first<6>())
      check.Number(json, name, "the check");
    check.Text(json, "problem", "the check");
    const auto add = [&](const char* name) {
      const Json value = json.contains(name) ? json[name] : Json();
      if (!value.is_null() && !value.is_number())
        check.Fail("'" + std::string(name) + "' of the check is not a number");
      curve_[name].push_back(value);
    };
    for (const char* name : kCurveColumns) add(name);
    for (const char* name : kOptionalColumns) add(name);
    last_ = json;
  }

  void End(const JsonChecker& check, const Json& json) {
    termination_ = check.Text(json, "termination", "the end").get<std::string>();
    CheckLast(check, json, "the end");
    if (!last_.is_null()) last_ = json;
    Finish();
  }

  /// Adds the run being read to the rows, if it has checks.
  void Finish() {
    if (row_ && !last_.is_null()) {
      for (const char* name : kOptionalColumns) {
        const Json& column = curve_[name];
        if (std::all_of(column.begin(), column.end(), [](const Json& v) { return v.is_null(); }))
          curve_.erase(name);
      }
      bool thinned = problem_["thinned"].get<bool>();
      Json run = {{"termination", termination_},
                  {"last", last_},
                  {"curve", ThinnedCurve(curve_, &thinned)}};
      problem_["thinned"] = thinned;
      const Json& options = (*row_)["options"];
      if (options.contains("seed")) run["seed"] = options["seed"];
      (*row_)["runs"] = Json::array({std::move(run)});
      rows_.push_back(std::move(*row_));
    }
    row_.reset();
  }

  std::string path_, name_, program_;
  std::size_t file_;
  Json& problem_;
  std::vector<Json> rows_;
  std::optional<Json> row_;  // of the run being read
  Json curve_, last_;
  std::string termination_;
};

std::string FileName(const RunText& log) {
  return std::filesystem::path(log.path).filename().string();
}

/// The file name, or the whole path if another log has the same file name.
std::string ShownName(const std::vector<RunText>& logs, const RunText& log) {
  const auto same = [&](const RunText& other) { return FileName(other) == FileName(log); };
  return std::count_if(logs.begin(), logs.end(), same) > 1 ? log.path : FileName(log);
}

}  // namespace

Json ReadLogs(const std::vector<RunText>& logs) {
  Json problem = {{"name", logs.size() == 1 ? "Training" : "Trainings"},
                  {"thinned", false},
                  {"learners", Json::array()}};
  Json files = Json::array();
  for (const RunText& log : logs) {
    const LogReader reader(log, ShownName(logs, log), files.size(), &problem);
    files.push_back({{"file", FileName(log)}, {"source", reader.program()}});
  }
  return {
      {"logs", true}, {"files", std::move(files)}, {"problems", Json::array({std::move(problem)})}};
}

}  // namespace slackline::internal::program
