// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cmd_report_runs.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/core/read_file.h>

namespace slackline::program {
namespace {

/// Results of `bench` are nested less than ten deep; what reads and writes JSON recurses into its
/// values.
constexpr int kDeepestNesting = 64;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;

long LineOf(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  return 1 + static_cast<long>(std::count(before.begin(), before.end(), '\n'));
}

/// Goes through JSON without making values of it. Throws where it is no JSON, or nested too deeply.
class SyntaxCheck : public nlohmann::json_sax<Json> {
 public:
  SyntaxCheck(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t position, const std::string& token, const Json::exception& error) override {
    const bool overflow = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    throw DataError(path_, LineOf(text_, position),
                    overflow ? "the number " + Quoted(token) + " is too large"
                             : "is not JSON" + (token.empty() ? "" : ", at " + Quoted(token)));
  }

 private:
  bool Enter() {
    if (++depth_ <= kDeepestNesting) return true;
    throw DataError(path_, LineOf(text_, PlaceOfDepth()),
                    "more than " + std::to_string(kDeepestNesting) +
                        " brackets within each other; results of `slackline bench` have fewer");
  }
  bool Leave() {
    --depth_;
    return true;
  }
  /// Of the first bracket that is nested too deeply.
  std::size_t PlaceOfDepth() const {
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quoted && c == '\\') ++at;
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if ((c == '[' || c == '{') && ++depth > kDeepestNesting) return at;
      if (c == ']' || c == '}') --depth;
    }
    return text_.size();
  }

  const std::string& path_;
  std::string_view text_;
  int depth_ = 0;
};

Json ParseText(const std::string& path, const std::string& text) {
  SyntaxCheck check(path, text);
  Json::sax_parse(text, &check);
  return Json::parse(text);
}

/// One file, and what is wrong with it.
class Checker {
 public:
  explicit Checker(std::string path) : path_(std::move(path)) {}

  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(path_, 0, "no results of `slackline bench`: " + message);
  }

  /// The member of an object; `where` says which object that is.
  const Json& Member(const Json& object, const char* name, Json::value_t type,
                     const std::string& where) const {
    if (!object.is_object()) Fail(where + " is no object");
    const auto found = object.find(name);
    if (found == object.end()) Fail(where + " has no '" + name + "'");
    const bool number = type == Json::value_t::number_float;
    if (number ? !found->is_number() : found->type() != type) {
      Fail("'" + std::string(name) + "' of " + where + " is not of the kind that it should be");
    }
    return *found;
  }
  const Json& Object(const Json& object, const char* name, const std::string& where) const {
    return Member(object, name, Json::value_t::object, where);
  }
  const Json& Array(const Json& object, const char* name, const std::string& where) const {
    return Member(object, name, Json::value_t::array, where);
  }
  const Json& Text(const Json& object, const char* name, const std::string& where) const {
    return Member(object, name, Json::value_t::string, where);
  }
  const Json& Number(const Json& object, const char* name, const std::string& where) const {
    return Member(object, name, Json::value_t::number_float, where);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr const char* kColumns[] = {"pass",        "seconds", "check_seconds", "cpu_seconds", "oracle_calls",
                                    "block_steps", "primal",  "dual",          "relative_gap"};

void CheckCurve(const Checker& check, const Json& curve, const std::string& where) {
  for (const char* name : kColumns) check.Array(curve, name, "the curve of " + where);
  const std::size_t length = curve["pass"].size();
  if (length == 0) check.Fail("the curve of " + where + " is empty");
  for (const auto& [name, column] : curve.items()) {
    if (!column.is_array() || column.size() != length)
      check.Fail("the columns of the curve of " + where + " differ in length");
    for (const Json& value : column) {
      if (!value.is_number() && !value.is_null())
        check.Fail("the curve of " + where + " has " + Quoted(value.dump()) + " where numbers should be");
    }
  }
  if (!std::all_of(curve["pass"].begin(), curve["pass"].end(),
                   [](const Json& pass) { return pass.is_number(); }))
    check.Fail("the curve of " + where + " has checks without a pass");
}

/// The numbers of the checks that are kept.
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

Json ReadRun(const Checker& check, const Json& run, const std::string& where, bool* thinned) {
  check.Number(run, "seed", where);
  check.Text(run, "termination", where);
  const Json& last = check.Object(run, "last", where);
  for (const char* name : {"pass", "seconds", "check_seconds", "oracle_calls"}) {
    check.Number(last, name, "the end of " + where);
  }
  check.Text(last, "problem", "the end of " + where);
  const Json& curve = check.Object(run, "curve", where);
  CheckCurve(check, curve, where);
  Json result = run;
  const std::vector<std::size_t> kept = KeptPoints(curve["pass"]);
  if (kept.size() < curve["pass"].size()) {
    *thinned = true;
    result["curve"] = Thinned(curve, kept);
  }
  return result;
}

/// One learner on one problem.
Json ReadRow(const Checker& check, const Json& row, const std::string& problem, std::size_t file,
             bool* thinned) {
  const std::string name = check.Text(row, "learner", "a learner of '" + problem + "'");
  const std::string where = "'" + name + "' on '" + problem + "'";
  Json result = {{"learner", name}, {"file", file}};
  for (const char* text : {"state", "reason", "choice"}) result[text] = check.Text(row, text, where);
  result["options"] = check.Object(row, "options", where);
  for (const auto& [option, value] : result["options"].items()) {
    if (!value.is_string()) check.Fail("option '" + option + "' of " + where + " is no text");
  }
  result["work"] = check.Array(row, "median_work_to_gap", where);
  for (const Json& work : result["work"]) check.Number(work, "relative_gap", "the work of " + where);
  result["runs"] = Json::array();
  for (const Json& run : check.Array(row, "runs", where)) {
    result["runs"].push_back(ReadRun(check, run, where, thinned));
  }
  return result;
}

/// Whether two entries are one problem, of one figure or of none.
bool IsSame(const Json& a, const Json& b) {
  const auto same = [&](const char* name) { return a[name] == b[name]; };
  return same("name") && same("examples") && same("weights") && same("lambda") && same("figure");
}

void AddProblem(const Checker& check, const Json& entry, const Json& figure, std::size_t file,
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

void AddFile(const std::string& path, Json* data) {
  const Checker check(path);
  const Json results = ParseText(path, ReadFile(path, kMostBytes));
  if (results.is_object() && results.contains("scaling"))
    throw DataError(path, 0, "growth along sizes (`slackline bench --scaling`) is not drawn");
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
  for (const Json& problem : problems) AddProblem(check, problem, figure, number, &(*data)["problems"]);
}

}  // namespace

Json ReadBenchRuns(const std::vector<std::string>& paths) {
  Json data = {{"files", Json::array()}, {"problems", Json::array()}};
  for (const std::string& path : paths) AddFile(path, &data);
  return data;
}

}  // namespace slackline::program
