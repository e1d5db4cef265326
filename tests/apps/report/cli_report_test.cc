// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline report: pages that load nothing, texts that stay texts, and arguments.
#include <filesystem>

#include <doctest/doctest.h>

#include <tests/apps/program.h>
#include <tests/apps/report_page.h>
#include <tests/apps/trained.h>

using namespace slackline::internal::test;

namespace {

/// The log of a training with one change.
std::string Changed(const Trained& trained, const std::string& from, const std::string& to) {
  std::string text = ReadBytes(trained.log);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a page contains data, library and script, and loads nothing else") {
  const Trained trained;
  const std::string page = PageOf({trained.log});
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
  CHECK(DataOf(page)["files"][0]["source"].get<std::string>().starts_with("slackline "));
  CHECK(PageOf({trained.log}) == page);
}

TEST_CASE("texts in the data are escaped") {
  const Trained trained;
  const std::string nasty = "</script><script>x()</script><!-- & ' \xe2\x80\xa8";
  const std::string log = trained.folder.Write(
      "nasty.jsonl", Changed(trained, "\"choice\":\"", "\"choice\":\"" + nasty));
  const std::string page = PageOf({log, "--title", "a < b & </title><b>"});
  CHECK(CountOf(page, "</script>") == 5);
  CHECK(!Contains(page, "<!--"));
  CHECK(Contains(page, "<title>a &lt; b &amp; &lt;/title&gt;&lt;b&gt;</title>"));
  const Json row = DataOf(page)["problems"][0]["learners"][0];
  CHECK(row["choice"].get<std::string>().starts_with(nasty));
}

TEST_CASE("figures that are not finite are null, and numbers that are too large are refused") {
  const Trained trained;
  const std::string log =
      trained.folder.Write("null.jsonl", Changed(trained, "\"dual\":", "\"dual\":null,\"old\":"));
  CHECK(
      DataOf(PageOf({log}))["problems"][0]["learners"][0]["runs"][0]["curve"]["dual"][0].is_null());
  const std::string bad =
      trained.folder.Write("bad.jsonl", Changed(trained, "\"lambda\":", "\"lambda\":1e400,\"x\":"));
  CheckNoPage(trained.folder, {bad}, bad + ":1: the number '1e400' is too large");
  CheckNoPage(trained.folder, {trained.folder.Write("empty.jsonl", "")}, "the log has no checks");
}

TEST_CASE("brackets may be nested sixty-four deep") {
  const Trained trained;
  const auto with = [&](int depth) {
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    return trained.folder.Write(
        "deep.jsonl",
        Changed(trained, "{\"event\":\"check\",", "{\"event\":\"check\",\"[\\\"[\":" + deep + ","));
  };
  PageOf({with(63)});
  CheckNoPage(trained.folder, {with(64)}, "deep.jsonl:2: more than 64 nested brackets");
}

TEST_CASE("the page is written as a whole") {
  const Trained trained;
  const std::size_t files = trained.folder.NumFiles();
  const std::string out = trained.folder.Path("page.html");
  Succeed({"report", trained.log, "--out", out});
  CHECK(ReadBytes(out) == PageOf({trained.log}));
  CHECK(trained.folder.NumFiles() == files + 1);
}

TEST_CASE("bad arguments") {
  const Trained trained;
  const std::size_t files = trained.folder.NumFiles();
  const auto refused = [](const Arguments& arguments, const std::string& message) {
    CheckRefused(Arguments{"report"} + arguments, message);
  };
  const std::string out = trained.folder.Path("p.html");
  refused({trained.folder.Path("none.jsonl"), "--out", out}, "none.jsonl: cannot open the file");
  refused({trained.folder.Path(""), "--out", out}, "is a directory");
  refused({trained.log}, "--out");
  refused({trained.log, "--out", trained.log}, "--out: ");
  refused({trained.log, "--out", trained.folder.Path("no/such.html")}, "--out: ");
  refused({"--out", out}, "FILE");
  CHECK(trained.folder.NumFiles() == files);
}

TEST_CASE("help") {
  const Outcome outcome = Succeed({"report", "--help"});
  for (const char* text :
       {"Usage: slackline report", "FILE", "--out", "--title", "Examples:\n  slackline report"}) {
    CHECK_MESSAGE(Contains(outcome.out, text), text);
  }
}
