// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline report on results of bench.
#include <filesystem>

#include <doctest/doctest.h>

#include <tests/apps/program.h>
#include <tests/apps/report_page.h>

using namespace slackline::internal::test;

namespace {

/// The results of a comparison on the toy problem.
Json Results(const std::string& learners = "auto,soft:rho=1") {
  return JsonOf({"bench", "--problems", "toy", "--learners", learners, "--runs", "1",
                 "--time-limit", "20", "--quiet", "--out", "-"});
}

const Json& Toy() {
  static const Json results = Results();
  return results;
}

std::string Page(const TemporaryFolder& folder, const std::vector<Json>& results,
                 const Arguments& more = {}) {
  Arguments arguments;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::string name = "runs" + std::to_string(k) + ".json";
    folder.Write(name, results[k].dump());
    arguments.push_back(folder.Path(name));
  }
  return PageOf(arguments + more);
}

void CheckBadRuns(const TemporaryFolder& folder, const std::string& text,
                  const std::string& message) {
  CheckNoPage(folder, {folder.Write("bad.json", text)}, message);
}

/// The toy results with one change.
template <class Change>
std::string Changed(const Change& change) {
  Json results = Toy();
  change(&results);
  return results.dump();
}

}  // namespace

TEST_CASE("a page contains data, library and script, and loads nothing else") {
  const TemporaryFolder folder;
  const std::string page = Page(folder, {Toy()});
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(Contains(page, "Content-Security-Policy\" content=\"default-src 'none'"));
  CHECK(Contains(page, "The above copyright notice and this permission notice"));
  CHECK(!Contains(page, "sourceMappingURL"));
  for (const char* request :
       {" src=", "href=\"", "<link", "<iframe", "@import", "fetch(", "XMLHttpRequest", "url("}) {
    CHECK_MESSAGE(!Contains(page, request), request);
  }
  // The comments of Chart.js and its colour library contain the addresses of their sites.
  CHECK(CountOf(page, "https://") == 2);
  CHECK(CountOf(page, "http://") == 0);
  CHECK(CountOf(page, "<script") == 5);
  CHECK(CountOf(page, "</script>") == 5);
  const Json data = DataOf(page);
  REQUIRE(data["problems"].size() == 1);
  const Json& learners = data["problems"][0]["learners"];
  REQUIRE(learners.size() == 2);
  CHECK(learners[1]["learner"] == "soft:rho=1");
  CHECK(learners[0]["runs"][0]["curve"] == Toy()["problems"][0]["learners"][0]["runs"][0]["curve"]);
  CHECK(learners[1]["runs"][0]["curve"].contains("soft_primal"));
  CHECK(!learners[0]["runs"][0]["curve"].contains("soft_primal"));
  CHECK(learners[0]["runs"][0]["nonzero_weights"].get<int>() > 0);
  CHECK(learners[0]["work"].size() == 4);
  CHECK(data["files"][0]["command_line"] == Toy()["command_line"]);
  CHECK(data["files"][0]["machine"] == Toy()["machine"]);
  CHECK(Page(folder, {Toy()}) == page);
}

TEST_CASE("texts in the data are escaped") {
  const TemporaryFolder folder;
  Json results = Toy();
  const std::string nasty = "</script><script>x()</script><!-- & \" ' \xe2\x80\xa8";
  results["problems"][0]["text"] = nasty;
  results["problems"][0]["learners"][0]["learner"] = nasty;
  const std::string page = Page(folder, {results}, {"--title", "a < b & </title><b>"});
  CHECK(CountOf(page, "</script>") == 5);
  CHECK(!Contains(page, "<!--"));
  CHECK(Contains(page, "<title>a &lt; b &amp; &lt;/title&gt;&lt;b&gt;</title>"));
  CHECK(DataOf(page)["problems"][0]["text"] == nasty);
  CHECK(DataOf(page)["problems"][0]["learners"][0]["learner"] == nasty);
}

TEST_CASE("problems of several files are merged where name and sizes agree") {
  const TemporaryFolder folder;
  Json other = Toy();
  other["problems"][0]["lambda"] = 0.5;
  const Json data = DataOf(Page(folder, {Toy(), Toy(), other}));
  REQUIRE(data["problems"].size() == 2);
  REQUIRE(data["problems"][0]["learners"].size() == 4);
  CHECK(data["problems"][0]["learners"][0]["file"] == 0);
  CHECK(data["problems"][0]["learners"][3]["file"] == 1);
  CHECK(data["problems"][1]["learners"][0]["file"] == 2);
  CHECK(data["files"].size() == 3);
  Json figure = Toy();
  figure["figure"] = {{"name", "003-1"}, {"text", "words"}, {"x", "passes"}, {"y", "gap"}};
  CHECK(DataOf(Page(folder, {Toy(), figure, figure}))["problems"].size() == 2);
  CHECK(data["files"][2]["file"] == "runs2.json");
}

TEST_CASE("long curves are thinned, with their ends") {
  const TemporaryFolder folder;
  Json results = Toy();
  Json& curve = results["problems"][0]["learners"][0]["runs"][0]["curve"];
  for (auto& [name, column] : curve.items()) {
    const Json value = column[0];
    column = Json::array();
    for (int k = 1; k <= 5000; ++k) column.push_back(name == "pass" ? Json(k) : value);
  }
  const Json data = DataOf(Page(folder, {results}));
  CHECK(data["problems"][0]["thinned"] == true);
  const Json& thin = data["problems"][0]["learners"][0]["runs"][0]["curve"];
  const std::size_t points = thin["pass"].size();
  CHECK(points < 1000);
  CHECK(points > 300);
  CHECK(thin["pass"][99] == 100);
  CHECK(thin["pass"].back() == 5000);
  CHECK(thin["primal"].size() == points);
}

TEST_CASE("learners that do not apply and null numbers are shown") {
  const TemporaryFolder folder;
  Json results = Results("auto,bcfw:step=away,oracle=tree");
  results["problems"][0]["learners"][0]["runs"][0]["curve"]["dual"][0] = nullptr;
  const Json data = DataOf(Page(folder, {results}));
  CHECK(data["problems"][0]["learners"][0]["runs"][0]["curve"]["dual"][0].is_null());
  CHECK(data["problems"][0]["learners"][1]["state"] == "does not apply");
  CHECK(data["problems"][0]["learners"][1]["runs"].empty());
}

TEST_CASE("the page is written as a whole, and the figure of the runs is kept") {
  const TemporaryFolder folder;
  Json results = Toy();
  results["figure"] = {{"name", "003-1"}, {"text", "words"}, {"x", "passes"}, {"y", "gap"}};
  folder.Write("runs.json", results.dump());
  const std::string out = folder.Path("page.html");
  Succeed({"report", folder.Path("runs.json"), "--out", out});
  const Json data = DataOf(ReadBytes(out));
  CHECK(data["problems"][0]["figure"]["y"] == "gap");
  CHECK(data["files"][0]["figure"]["name"] == "003-1");
  CHECK(folder.NumFiles() == 2);
}

TEST_CASE("bad runs are refused with file and reason") {
  const TemporaryFolder folder;
  const std::string bad = folder.Path("bad.json");
  CheckBadRuns(folder, "{\"program\": 1,\n x", bad + ":2: is not JSON");
  CheckBadRuns(folder, "", "is not JSON");
  CheckBadRuns(folder, "{\"a\":\n 1e400}", bad + ":2: the number '1e400' is too large");
  CheckBadRuns(folder, "[]", bad + ": not results of `slackline bench`: the file is not an object");
  CheckBadRuns(folder, "{}", "the file has no 'problems'");
  CheckBadRuns(folder, "{\"problems\": 3}", "'problems' of the file has the wrong type");
  CheckBadRuns(folder, "{\"scaling\": []}",
               "results of `slackline bench --scaling` cannot be drawn");
  CheckBadRuns(folder, Changed([](Json* r) { r->erase("machine"); }), "the file has no 'machine'");
  CheckBadRuns(folder, Changed([](Json* r) { (*r)["problems"] = Json::array(); }),
               "there are no problems");
  CheckBadRuns(folder, Changed([](Json* r) { (*r)["problems"][0]["name"] = 3; }),
               "'name' of a problem");
  CheckBadRuns(folder, Changed([](Json* r) { (*r)["problems"][0]["examples"] = 0; }),
               "'toy' has no examples");
  CheckBadRuns(folder, Changed([](Json* r) { (*r)["problems"][0]["learners"][0].erase("runs"); }),
               "'auto' on 'toy' has no 'runs'");
  const auto curve = [](Json* r) -> Json& {
    return (*r)["problems"][0]["learners"][0]["runs"][0]["curve"];
  };
  CheckBadRuns(folder, Changed([&](Json* r) { curve(r)["dual"].push_back(1); }),
               "differ in length");
  CheckBadRuns(folder, Changed([&](Json* r) { curve(r)["dual"][0] = "<b>"; }),
               "where numbers should be");
  CheckBadRuns(folder, Changed([&](Json* r) { curve(r)["pass"][0] = nullptr; }),
               "checks without a pass");
  CheckBadRuns(folder, Changed([&](Json* r) { curve(r).erase("seconds"); }), "has no 'seconds'");
  CheckBadRuns(folder, Changed([&](Json* r) { (*r)["interrupted"] = "no"; }), "'interrupted'");
}

TEST_CASE("too deeply nested brackets are refused") {
  const TemporaryFolder folder;
  const std::string bad = folder.Path("bad.json");
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto with = [&](int depth) {
    const std::string text = Toy().dump();
    return "{\"[ \\\" [\": 1,\n\"deep\":" + nested(depth) + ",\n" + text.substr(1);
  };
  CheckBadRuns(folder, with(64), bad + ":2: more than 64 nested brackets");
  CheckBadRuns(folder, with(200000), bad + ":2: more than 64 nested brackets");
  folder.Write("good.json", with(63));
  Succeed({"report", folder.Path("good.json"), "-o", "-"});
}

TEST_CASE("bad arguments") {
  const TemporaryFolder folder;
  folder.Write("runs.json", Toy().dump());
  const std::string runs = folder.Path("runs.json");
  const auto refused = [](const Arguments& arguments, const std::string& message) {
    CheckRefused(Arguments{"report"} + arguments, message);
  };
  refused({folder.Path("none.json"), "--out", folder.Path("p.html")},
          "none.json: cannot open the file");
  refused({folder.Path(""), "--out", folder.Path("p.html")}, "is a directory");
  refused({runs}, "--out");
  refused({runs, "--out", runs}, "--out: ");
  refused({runs, "--out", folder.Path("no/such.html")}, "--out: ");
  refused({"--out", folder.Path("p.html")}, "FILE");
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("help") {
  const Outcome outcome = Succeed({"report", "--help"});
  for (const char* text :
       {"Usage: slackline report", "FILE", "--out", "--title", "Examples:\n  slackline report"}) {
    CHECK_MESSAGE(Contains(outcome.out, text), text);
  }
}
