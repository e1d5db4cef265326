// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline matching, from drawn alignments to figures.
#include <doctest/doctest.h>

#include <slackline/core/model_file.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct MatchingFiles {
  TemporaryFolder folder;
  std::string drawn = folder.Path("drawn");
  std::string train = drawn + "/train.txt";
  std::string test = drawn + "/test.txt";
  std::string model = folder.Path("m.slk");

  MatchingFiles() {
    const Outcome outcome = Succeed({"matching", "draw", "--out", drawn, "--examples", "60",
                                     "--words", "3-6", "--vocabulary", "30"});
    CHECK(Contains(outcome.err, "60 examples written"));
  }
  Arguments Train(const Arguments& more = {}) const {
    return Arguments{"matching", "train", train, "--lambda", "0.02", "--model", model} + more;
  }
};

}  // namespace

TEST_CASE("draw, train, evaluate and predict work on each other's files") {
  const MatchingFiles files;
  const Outcome trained =
      Succeed(files.Train({"--verify", "--verbose", "--gap-tolerance", "1e-4"}));
  CHECK(Contains(trained.err, "example blocks (bcfw)"));
  CHECK(Contains(trained.err, "oracle global"));
  CHECK(Contains(trained.err, "the certificate holds"));

  const Outcome evaluated =
      Succeed({"matching", "evaluate", files.test, "--model", files.model, "--json"});
  const Json metrics = Json::parse(evaluated.out);
  CHECK(metrics["examples"] == 15);
  CHECK(metrics["f1"] > 0.75);
  CHECK(metrics["error_rate"].get<double>() == doctest::Approx(1 - metrics["f1"].get<double>()));
  const Outcome table = RunProgram({"matching", "evaluate", files.test, "--model", files.model});
  CHECK(Contains(table.out, "alignment error rate"));

  const Outcome pairs = Succeed({"matching", "predict", files.test, "--model", files.model});
  CHECK(Lines(pairs.out).size() == 15);
  CHECK(Contains(Lines(pairs.out)[0], "-"));
  // The output of predict can be read again, and the counts are those of its labels.
  const std::string edges = files.folder.Path("edges.txt");
  Succeed({"matching", "predict", files.test, "--model", files.model, "--output", "edges", "--out",
           edges});
  Succeed({"matching", "predict", edges, "--model", files.model, "--output", "scores"});
  CHECK(Contains(ReadBytes(edges), " 1\n"));

  const Outcome info = Succeed({"info", files.model});
  CHECK(Contains(info.out, "left nodes have at most 1"));
  CHECK(JsonOf({"info", files.model, "--json"})["task"] == "matching");
}

TEST_CASE("possible edges are drawn, left out of training, and have their part in the error rate") {
  const MatchingFiles files;
  const std::string drawn = files.folder.Path("possible");
  Succeed({"matching", "draw", "--out", drawn, "--examples", "60", "--words", "3-6", "--vocabulary",
           "30", "--possible", "0.4"});
  const Outcome trained = Succeed(
      {"matching", "train", drawn + "/train.txt", "--lambda", "0.02", "--model", files.model});
  CHECK(Contains(trained.err, "possible edges left out"));
  const Arguments evaluate = {"matching", "evaluate", drawn + "/test.txt", "--model", files.model};
  const Json metrics = JsonOf(evaluate + Arguments{"--json"});
  CHECK(metrics["possible"] > 0);
  CHECK(metrics["tolerated"] > 0);
  const double right = metrics["right"], tolerated = metrics["tolerated"];
  const double sum = metrics["predicted"].get<double>() + metrics["given"].get<double>();
  CHECK(metrics["error_rate"].get<double>() == doctest::Approx(1 - (2 * right + tolerated) / sum));
  CHECK(Contains(RunProgram(evaluate).out, "given edges are the sure ones"));
}

TEST_CASE("all learners of matchings agree") {
  const MatchingFiles files;
  const auto objective = [&](const Arguments& more) {
    const std::string log = files.folder.Path("log.jsonl");
    Succeed(files.Train(
        more + Arguments{"--gap-tolerance", "1e-3", "--max-passes", "3000", "--log", log}));
    return JsonOf({"info", files.model, "--json"})["primal"].get<double>();
  };
  const double automatic = objective({});
  CHECK(objective({"--learner", "bcfw", "--step", "fw"}) ==
        doctest::Approx(automatic).epsilon(3e-3));
  CHECK(objective({"--learner", "al"}) == doctest::Approx(automatic).epsilon(3e-3));
  CHECK(objective({"--learner", "multi-sample", "--revisit", "--samples", "4"}) ==
        doctest::Approx(automatic).epsilon(3e-3));
}

TEST_CASE("resumed training ends with the same model") {
  const MatchingFiles files;
  const std::string checkpoint = files.folder.Path("run.chk");
  Succeed(files.Train({"--gap-tolerance", "1e-5"}));
  const auto whole = ModelReader(files.model);
  const std::vector<double> weights(whole.Doubles("weights").begin(),
                                    whole.Doubles("weights").end());
  Succeed(
      files.Train({"--gap-tolerance", "1e-5", "--max-passes", "3", "--checkpoint", checkpoint}));
  Succeed(files.Train({"--gap-tolerance", "1e-5", "--resume", checkpoint}));
  const auto resumed = ModelReader(files.model);
  CHECK(std::vector<double>(resumed.Doubles("weights").begin(), resumed.Doubles("weights").end()) ==
        weights);
}

TEST_CASE("bad input of matchings is refused") {
  const MatchingFiles files;
  const auto refused = [&](const Arguments& arguments, const std::string& what) {
    CheckRefused(arguments, what);
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
  Succeed(files.Train());
  refused({"matching", "evaluate", files.folder.Write("d.txt", "1 1\n0 0 ? dice:1\n"), "--model",
           files.model},
          "no label is known");
  refused({"matching", "predict", files.test, "--model", files.model, "--output", "all"},
          "--output");
  refused({"sequence", "predict", files.test, "--model", files.model}, "matching");
}
