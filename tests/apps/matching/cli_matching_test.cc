// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline matching, from drawn alignments to figures.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <slackline/core/model_file.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;
using Json = nlohmann::json;

namespace {

using Arguments = std::vector<std::string>;

struct Files {
  TemporaryFolder folder;
  std::string drawn = folder.Path("drawn");
  std::string train = drawn + "/train.txt";
  std::string test = drawn + "/test.txt";
  std::string model = folder.Path("m.slk");

  Files() {
    const Outcome outcome = RunProgram({"matching", "draw", "--out", drawn, "--examples", "60",
                                        "--words", "3-6", "--vocabulary", "30"});
    REQUIRE(outcome.code == 0);
    CHECK(Contains(outcome.err, "60 examples written"));
  }
  Arguments Train(const Arguments& more = {}) const {
    return Arguments{"matching", "train", train, "--lambda", "0.02", "--model", model} + more;
  }
};

}  // namespace

TEST_CASE("draw, train, evaluate and predict work on each other's files") {
  const Files files;
  const Outcome trained =
      RunProgram(files.Train({"--verify", "--verbose", "--gap-tolerance", "1e-4"}));
  CAPTURE(trained.err);
  REQUIRE(trained.code == 0);
  CHECK(Contains(trained.err, "example blocks (bcfw)"));
  CHECK(Contains(trained.err, "oracle global"));
  CHECK(Contains(trained.err, "the certificate holds"));

  const Outcome evaluated =
      RunProgram({"matching", "evaluate", files.test, "--model", files.model, "--json"});
  REQUIRE(evaluated.code == 0);
  const Json metrics = Json::parse(evaluated.out);
  CHECK(metrics["examples"] == 15);
  CHECK(metrics["f1"] > 0.75);
  CHECK(metrics["error_rate"].get<double>() == doctest::Approx(1 - metrics["f1"].get<double>()));
  const Outcome table = RunProgram({"matching", "evaluate", files.test, "--model", files.model});
  CHECK(Contains(table.out, "alignment error rate"));

  const Outcome pairs = RunProgram({"matching", "predict", files.test, "--model", files.model});
  REQUIRE(pairs.code == 0);
  CHECK(Lines(pairs.out).size() == 15);
  CHECK(Contains(Lines(pairs.out)[0], "-"));
  // The output of predict can be read again, and the counts are those of its labels.
  const std::string edges = files.folder.Path("edges.txt");
  REQUIRE(RunProgram({"matching", "predict", files.test, "--model", files.model, "--output",
                      "edges", "--out", edges})
              .code == 0);
  const Outcome again =
      RunProgram({"matching", "predict", edges, "--model", files.model, "--output", "scores"});
  CHECK(again.code == 0);
  CHECK(Contains(ReadBytes(edges), " 1\n"));

  const Outcome info = RunProgram({"info", files.model});
  CHECK(info.code == 0);
  CHECK(Contains(info.out, "left nodes have at most 1"));
  CHECK(Json::parse(RunProgram({"info", files.model, "--json"}).out)["task"] == "matching");
}

TEST_CASE("possible edges are drawn, left out of training, and have their part in the error rate") {
  const Files files;
  const std::string drawn = files.folder.Path("possible");
  REQUIRE(RunProgram({"matching", "draw", "--out", drawn, "--examples", "60", "--words", "3-6",
                      "--vocabulary", "30", "--possible", "0.4"})
              .code == 0);
  const Outcome trained = RunProgram(
      {"matching", "train", drawn + "/train.txt", "--lambda", "0.02", "--model", files.model});
  REQUIRE(trained.code == 0);
  CHECK(Contains(trained.err, "possible edges left out"));
  const Arguments evaluate = {"matching", "evaluate", drawn + "/test.txt", "--model", files.model};
  const Json metrics = Json::parse(RunProgram(evaluate + Arguments{"--json"}).out);
  CHECK(metrics["possible"] > 0);
  CHECK(metrics["tolerated"] > 0);
  const double right = metrics["right"], tolerated = metrics["tolerated"];
  const double sum = metrics["predicted"].get<double>() + metrics["given"].get<double>();
  CHECK(metrics["error_rate"].get<double>() == doctest::Approx(1 - (2 * right + tolerated) / sum));
  CHECK(Contains(RunProgram(evaluate).out, "given edges are the sure ones"));
}

TEST_CASE("all learners of matchings agree") {
  const Files files;
  const auto objective = [&](const Arguments& more) {
    const std::string log = files.folder.Path("log.jsonl");
    const Outcome outcome = RunProgram(files.Train(
        more + Arguments{"--gap-tolerance", "1e-3", "--max-passes", "3000", "--log", log}));
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    return Json::parse(RunProgram({"info", files.model, "--json"}).out)["primal"].get<double>();
  };
  const double automatic = objective({});
  CHECK(objective({"--learner", "bcfw", "--step", "fw"}) ==
        doctest::Approx(automatic).epsilon(3e-3));
  CHECK(objective({"--learner", "al"}) == doctest::Approx(automatic).epsilon(3e-3));
  CHECK(objective({"--learner", "multi-sample", "--revisit", "--samples", "4"}) ==
        doctest::Approx(automatic).epsilon(3e-3));
}

TEST_CASE("resumed training ends with the same model") {
  const Files files;
  const std::string checkpoint = files.folder.Path("run.chk");
  REQUIRE(RunProgram(files.Train({"--gap-tolerance", "1e-5"})).code == 0);
  const auto whole = ModelReader(files.model);
  const std::vector<double> weights(whole.Doubles("weights").begin(),
                                    whole.Doubles("weights").end());
  REQUIRE(RunProgram(files.Train({"--gap-tolerance", "1e-5", "--max-passes", "3", "--checkpoint",
                                  checkpoint}))
              .code == 0);
  REQUIRE(RunProgram(files.Train({"--gap-tolerance", "1e-5", "--resume", checkpoint})).code == 0);
  const auto resumed = ModelReader(files.model);
  CHECK(std::vector<double>(resumed.Doubles("weights").begin(), resumed.Doubles("weights").end()) ==
        weights);
}

TEST_CASE("bad input of matchings is refused") {
  const Files files;
  const auto refused = [&](const Arguments& arguments, const std::string& what) {
    const Outcome outcome = RunProgram(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(Contains(outcome.err, what));
  };
  refused({"matching", "train", files.folder.Write("a.txt", "2 2\n0 0 1\n0 3 0\n"), "--model",
           files.model},
          "a.txt:3: '3'");
  refused(
      {"matching", "train", files.folder.Write("b.txt", "2 2\n0 0 ?\n"), "--model", files.model},
      "no edge has a known label");
  refused({"matching", "train", files.folder.Write("c.txt", "2 2\n0 0 1\n0 1 1\n"), "--model",
           files.model},
          "--left-capacity");
  refused(files.Train({"--left-capacity", "-1"}), "--left-capacity");
  refused(files.Train({"--recall-cost", "-1"}), "--recall-cost");
  refused(files.Train({"--loss", "sum"}), "--loss");
  refused(files.Train({"--oracle", "lp"}), "does not support global factors");
  refused({"matching", "draw", "--out", files.drawn}, "not an empty folder");
  refused({"matching", "draw", "--out", files.folder.Path("new"), "--possible", "1.1"},
          "--possible");
  refused({"matching", "draw", "--out", files.folder.Path("new"), "--words", "5-3"}, "--words");
  REQUIRE(RunProgram(files.Train()).code == 0);
  refused({"matching", "evaluate", files.folder.Write("d.txt", "1 1\n0 0 ? dice:1\n"), "--model",
           files.model},
          "no label is known");
  refused({"matching", "predict", files.test, "--model", files.model, "--output", "all"},
          "--output");
  refused({"sequence", "predict", files.test, "--model", files.model}, "matching");
}
