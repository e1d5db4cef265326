// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/report/cmd_report_runs.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/report/cmd_checked_json.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kNotRuns = "not results of `slackline bench`: ";

void CheckCurve(const JsonChecker& check, const Json& curve, const std::string& where) {
  for (const char* name : kCurveColumns) check.Array(curve, name, "the curve of " + where);
  const std::size_t length = curve["pass"].size();
  if (length == 0) check.Fail("the curve of " + where + " is empty");
  for (const auto& [name, column] : curve.items()) {
    if (!column.is_array() || column.size() != length)
      check.Fail("the columns of the curve of " + where + " differ in length");
    for (const Json& value : column) {
      if (!value.is_number() && !value.is_null())
        check.Fail("the curve of " + where + " has " + Quoted(value.dump()) +
                   " where numbers should be");
    }
  }
  if (!std::all_of(curve["pass"].begin(), curve["pass"].end(),
                   [](const Json& pass) { return pass.is_number(); }))
    check.Fail("the curve of " + where + " has checks without a pass");
}

Json ReadRun(const JsonChecker& check, const Json& run, const std::string& where, bool* thinned) {
  check.Number(run, "seed", where);
  check.Text(run, "termination", where);
  const Json& last = check.Object(run, "last", where);
  CheckLast(check, last, "the end of " + where);
  const Json& curve = check.Object(run, "curve", where);
  CheckCurve(check, curve, where);
  Json result = run;
  result["curve"] = ThinnedCurve(curve, thinned);
  return result;
}

/// One learner on one problem.
Json ReadRow(const JsonChecker& check, const Json& row, const std::string& problem,
             std::size_t file, bool* thinned) {
  const std::string name = check.Text(row, "learner", "a learner of '" + problem + "'");
  const std::string where = "'" + name + "' on '" + problem + "'";
  Json result = {{"learner", name}, {"file", file}};
  for (const char* text : {"state", "reason", "choice"})
    result[text] = check.Text(row, text, where);
  result["options"] = check.Object(row, "options", where);
  for (const auto& [option, value] : result["options"].items()) {
    if (!value.is_string()) check.Fail("option '" + option + "' of " + where + " is not a string");
  }
  result["work"] = check.Array(row, "median_work_to_gap", where);
  for (const Json& work : result["work"])
    check.Number(work, "relative_gap", "the work of " + where);
  result["runs"] = Json::array();
  for (const Json& run : check.Array(row, "runs", where)) {
    result["runs"].push_back(ReadRun(check, run, where, thinned));
  }
  return result;
}

/// Whether two entries are the same problem of the same figure (or of none).
bool IsSame(const Json& a, const Json& b) {
  const auto same = [&](const char* name) { return a[name] == b[name]; };
  return same("name") && same("examples") && same("weights") && same("lambda") && same("figure");
}

void AddProblem(const JsonChecker& check, const Json& entry, const Json& figure, std::size_t file,
                Json* problems) {
  const std::string name = check.Text(entry, "name", "a problem");
  Json problem = {{"name", name}, {"text", check.Text(entry, "text", "'" + name + "'")}};
  for (const char* size : {"examples", "weights", "lambda"}) {
    problem[size] = check.Number(entry, size, "'" + name + "'");
  }
  if (!(problem["examples"].get<double>() >= 1)) check.Fail("'" + name + "' has no examples");
  if (entry.contains("sample")) {
    problem["sample"] = check.Object(entry, "sample", "'" + name + "'");
    check.Text(problem["sample"], "of", "the sample '" + name + "'");
  }
  problem["figure"] = figure;
  problem["thinned"] = false;
  problem["learners"] = Json::array();
  const auto place = std::find_if(problems->begin(), problems->end(),
                                  [&](const Json& other) { return IsSame(other, problem); });
  Json& target = place != problems->end() ? *place : problems->emplace_back(std::move(problem));
  bool thinned = target["thinned"].get<bool>();
  for (const Json& row : check.Array(entry, "learners", "'" + name + "'")) {
    target["learners"].push_back(ReadRow(check, row, name, file, &thinned));
  }
  target["thinned"] = thinned;
}

void AddFile(const std::string& path, const std::string& text, Json* data) {
  const JsonChecker check(path, kNotRuns);
  const Json results = ParseJson(path, text);
  if (results.is_object() && results.contains("scaling"))
    throw DataError(path, 0, "results of `slackline bench --scaling` cannot be drawn");
  const Json& problems = check.Array(results, "problems", "the file");
  Json file = {{"file", std::filesystem::path(path).filename().string()}};
  file["interrupted"] = check.Member(results, "interrupted", Json::value_t::boolean, "the file");
  for (const char* name : {"program", "command_line", "date"})
    file[name] = check.Text(results, name, "the file");
  for (const char* name : {"machine", "build", "settings"})
    file[name] = check.Object(results, name, "the file");
  Json figure;
  if (results.contains("figure")) {
    figure = check.Object(results, "figure", "the file");
    for (const char* name : {"name", "text", "x", "y"}) check.Text(figure, name, "the figure");
    if (figure.contains("sweep")) check.Text(figure, "sweep", "the figure");
    file["figure"] = figure;
  }
  const std::size_t number = (*data)["files"].size();
  (*data)["files"].push_back(std::move(file));
  for (const Json& problem : problems)
    AddProblem(check, problem, figure, number, &(*data)["problems"]);
}

}  // namespace

Json ReadBenchRuns(const std::vector<RunText>& runs) {
  Json data = {{"files", Json::array()}, {"problems", Json::array()}};
  for (const RunText& run : runs) AddFile(run.path, run.text, &data);
  return data;
}

}  // namespace slackline::internal::program
