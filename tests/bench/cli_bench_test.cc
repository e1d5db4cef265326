// SPDX-License-Identifier: BSD-3-Clause
//
// Only in ./run test --all: the program slackline-bench.
#include <signal.h>

#include <filesystem>

#include <doctest/doctest.h>

#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

const Arguments kToy = {kBenchProgram, "--problems", "toy", "--quiet"};

/// Checks that the curve of a run is complete and its bounds are in order.
void CheckRun(const Json& run, const std::string& learner) {
  const Json& curve = run["curve"];
  const std::size_t checks = curve["pass"].size();
  REQUIRE(checks >= 1);
  for (const char* name : {"seconds", "check_seconds", "cpu_seconds", "oracle_calls", "block_steps",
                           "primal", "dual", "relative_gap"}) {
    REQUIRE_MESSAGE(curve[name].size() == checks, name);
  }
  for (std::size_t k = 0; k < checks; ++k) {
    CHECK(curve["pass"][k] == k + 1);
    CHECK_MESSAGE(curve["dual"][k].get<double>() <= curve["primal"][k].get<double>(), learner);
    if (k == 0) continue;
    CHECK(curve["seconds"][k].get<double>() >= curve["seconds"][k - 1].get<double>());
    CHECK(curve["block_steps"][k].get<double>() >= curve["block_steps"][k - 1].get<double>());
  }
  CHECK(run["termination"] == "converged");
  CHECK(run["peak_memory_bytes"].get<double>() > 1e5);
  CHECK(run["last"]["pass"] == curve["pass"].back());
}

void CheckNoBench(const Arguments& arguments, const std::string& message) {
  CheckRefused(Arguments{kBenchProgram} + arguments, message);
}

}  // namespace

TEST_CASE("a comparison prints a table, and writes JSON with whole curves") {
  const TemporaryFolder folder;
  const std::string out = folder.Path("results.json");
  const Outcome outcome =
      Succeed(kToy + Arguments{"--learners", "auto,al,soft,bcfw:step=away,oracle=tree", "--runs",
                               "2", "--seed", "5", "--out", out});
  CHECK(outcome.err.empty());
  for (const char* text :
       {"calls to gap", "passes to gap", "seconds to gap", "\ntoy            auto  ",
        "\ntoy            al  ", "Seconds as multiples of those of auto",
        "bcfw:step=away,oracle=tree | does not apply: "}) {
    CHECK_MESSAGE(Contains(outcome.out, text), text);
  }
  const Json json = Json::parse(ReadBytes(out));
  CHECK(json["program"].get<std::string>().starts_with("slackline "));
  CHECK(json["command_line"].get<std::string>().starts_with("slackline-bench --problems toy"));
  CHECK(Contains(json["command_line"], "--quiet"));
  CHECK(json["date"].get<std::string>().size() == 20);
  CHECK(json["machine"]["cores"].get<int>() >= 1);
  CHECK(json["build"].contains("compiler"));
  CHECK(json["interrupted"] == false);
  const Json& problem = json["problems"][0];
  CHECK(problem["name"] == "toy");
  CHECK(problem["examples"] == 60);
  CHECK(problem["weights"] == 69);
  REQUIRE(problem["learners"].size() == 4);
  for (const Json& learner : problem["learners"]) {
    if (learner["state"] == "does not apply") continue;
    REQUIRE(learner["runs"].size() == 2);
    CHECK(learner["runs"][1]["seed"] == 6);
    for (const Json& run : learner["runs"]) CheckRun(run, learner["learner"]);
  }
  CHECK(problem["learners"][3]["runs"].empty());
  const Json& reached = problem["learners"][0]["median_work_to_gap"];
  REQUIRE(reached.size() == 4);
  CHECK(reached[3]["relative_gap"] == 1e-4);
  CHECK(reached[3]["passes"].get<double>() >= reached[0]["passes"].get<double>());
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("JSON goes to the standard output, progress and table to the standard error") {
  const Outcome outcome = Succeed(
      {kBenchProgram, "--problems", "toy", "--learners", "auto", "--runs", "1", "--out", "-"});
  CHECK(Json::parse(outcome.out)["problems"].size() == 1);
  CHECK(Contains(outcome.err, "toy, auto, seed 1: converged after "));
  CHECK(Contains(outcome.err, "seconds to gap"));
}

TEST_CASE("runs of one seed make the same curve") {
  const auto curve = [] {
    const Outcome outcome =
        RunProgram(kToy + Arguments{"--learners", "auto,al", "--runs", "1", "--out", "-"});
    const Json result = Json::parse(outcome.out);
    std::string primals;
    for (const Json& learner : result["problems"][0]["learners"]) {
      primals += learner["runs"][0]["curve"]["primal"].dump();
    }
    return primals;
  };
  const std::string first = curve();
  CHECK(first.size() > 20);
  CHECK(first == curve());
}

TEST_CASE("bench runs on some examples of a problem, with test figures beside the curve") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.Path("reuters30"));
  folder.Write("reuters30/reuters30-train.svm", LibsvmText(60, 6, 4, 1));
  folder.Write("reuters30/reuters30-test.svm", LibsvmText(40, 6, 4, 2));
  const auto run = [&](const Arguments& more) {
    const Outcome outcome = Succeed(Arguments{kBenchProgram, folder.Path(""), "--problems",
                                              "reuters-0.001@20.3,reuters-0.001", "--learners",
                                              "soft:max-passes=40,gap-tolerance=0", "--runs", "1",
                                              "--quiet", "-o", "-"} +
                                    more);
    return Json::parse(outcome.out)["problems"];
  };
  const Json problems = run({"--test-metric"});
  REQUIRE(problems.size() == 2);
  CHECK(problems[0]["name"] == "reuters-0.001@20.3");
  CHECK(problems[0]["sample"] == Json({{"of", "reuters-0.001"}, {"seed", 3}}));
  CHECK(problems[0]["examples"] == 20);
  CHECK(problems[1]["examples"] == 60);
  CHECK(!problems[1].contains("sample"));
  const Json curve = problems[1]["learners"][0]["runs"][0]["curve"];
  REQUIRE(curve["test:micro_f1"].size() == 40);
  std::size_t asked = 0;
  for (const Json& figure : curve["test:hamming_accuracy"]) {
    if (figure.is_null()) continue;
    ++asked;
    CHECK(figure.get<double>() > 0.5);
    CHECK(figure.get<double>() <= 1);
  }
  CHECK(asked > 10);
  CHECK(asked < 40);
  CHECK(curve["test:micro_f1"][0].is_number());
  CHECK(curve["test:micro_f1"][39].is_number());
  CHECK(curve["soft_primal"].size() == 40);
  // Test figures do not change the training.
  const Json plain = run({})[1]["learners"][0]["runs"][0]["curve"];
  CHECK(plain["primal"] == curve["primal"]);
  CHECK(!plain.contains("test:micro_f1"));
  CheckStopped(RunProgram({kBenchProgram, folder.Path(""), "--problems", "reuters@61", "--quiet"}),
               {"'reuters@61.1' needs more examples than the 60"});
}

TEST_CASE("online runs report their suffered loss") {
  const Outcome outcome =
      Succeed({kBenchProgram, "--problems", "toy", "--learners",
               "multi-sample:max-passes=20,online-loss=on,"
               "multi-sample:revisit=on,max-passes=20,multi-sample:max-passes=2",
               "--runs", "1", "--quiet", "--out", "-"});
  const Json learners = Json::parse(outcome.out)["problems"][0]["learners"];
  const Json& curve = learners[0]["runs"][0]["curve"];
  REQUIRE(curve["mean_suffered"].size() == curve["pass"].size());
  for (std::size_t k = 0; k < curve["pass"].size(); ++k) {
    const double suffered = curve["mean_suffered"][k];
    // Lemma 2.4, with an upper bound in place of the optimum.
    CHECK(suffered - curve["primal"].back().get<double>() <=
          curve["regret_bound"][k].get<double>() + 1e-9);
    // Theorem 2.1.1.
    const double lost = curve["mean_loss"][k];
    CHECK(lost <= suffered + 1e-9);
    CHECK(lost <= curve["primal"].back().get<double>() + curve["loss_bound"][k].get<double>());
  }
  CHECK(!learners[1]["runs"][0]["curve"].contains("mean_suffered"));
  CHECK(!learners[2]["runs"][0]["curve"].contains("mean_loss"));
}

TEST_CASE("Ctrl-C writes the finished results, with code 130") {
  const TemporaryFolder folder;
  const std::string out = folder.Path("r.json");
  Process process({kBenchProgram, "--problems", "toy", "--learners",
                   "al:gap-tolerance=0,max-passes=2000000000", "--runs", "3", "--time-limit", "0",
                   "--out", out});
  REQUIRE(process.Works(SIGINT));
  process.Signal(SIGINT);
  const Outcome outcome = process.Wait();
  CHECK(outcome.code == 130);
  CHECK(Contains(outcome.out, "interrupted"));
  const Json json = Json::parse(ReadBytes(out));
  CHECK(json["interrupted"] == true);
  CHECK(json["problems"][0]["learners"][0]["runs"].size() == 1);
  CHECK(json["problems"][0]["learners"][0]["runs"][0]["termination"] == "interrupted");
}

TEST_CASE("the help names all problems and options") {
  const Outcome outcome = Succeed({kBenchProgram, "--help"});
  CHECK(outcome.err.empty());
  for (const char* text :
       {"Usage: slackline-bench", "Examples:\n  slackline-bench", "grids-small", "bcfw-lp-polytope",
        "--time-limit", "--runs", "--seed", "--out", "--gaps", "--quiet"}) {
    CHECK_MESSAGE(Contains(outcome.out, text), text);
  }
  CHECK(Succeed({kBenchProgram, "--version"}).out.starts_with("slackline "));
}

TEST_CASE("options of training hold for all learners, but for those that have their own") {
  const Outcome outcome = Succeed(
      kToy + Arguments{"--learners", "al,bcfw:gap-tolerance=0.3", "--gap-tolerance", "0.2",
                       "--check-every", "2", "--gaps", "0.5,0.2", "--runs", "1", "--out", "-"});
  const Json json = Json::parse(outcome.out);
  CHECK(json["settings"]["gaps"] == Json({0.5, 0.2}));
  CHECK(json["settings"]["time_limit"] == 60);
  const Json& learners = json["problems"][0]["learners"];
  CHECK(learners[0]["options"]["gap-tolerance"] == "0.2");
  CHECK(learners[1]["options"]["gap-tolerance"] == "0.3");
  CHECK(learners[0]["runs"][0]["curve"]["pass"][0] == 2);
  CHECK(learners[0]["median_work_to_gap"].size() == 2);
}

TEST_CASE("a learner that does not apply does not stop the others, and does not fail the command") {
  const Outcome outcome = Succeed({kBenchProgram, "--problems", "grids-small,toy@5.2", "--learners",
                                   "eg,auto", "--runs", "1", "--time-limit", "5"});
  CHECK(Contains(outcome.err, "grids-small, eg, seed 1: does not apply: "));
  CHECK(Contains(outcome.err, "toy@5.2: drawn multi-label data, examples 60"));
  CHECK(Contains(outcome.out, "\ntoy@5.2        auto"));
}

TEST_CASE("bad arguments are refused before anything runs") {
  const TemporaryFolder folder;
  CheckNoBench({"--problems", "toy,iris"}, "--problems: unknown problem 'iris'; choose from yeast");
  CheckNoBench({"--problems", ""}, "--problems");
  CheckNoBench({"--problems", "yeast"}, "--problems: 'yeast' needs files: give the folder");
  CheckNoBench({"--learners", "sgd"}, "--learners: 'sgd': unknown learner 'sgd'; choose from bcfw");
  CheckNoBench({"--learners", "bcfw:step=up"}, "'up' is not allowed; it must be one of");
  CheckNoBench({"--learners", "bcfw:stride=1"}, "unknown option 'stride'");
  CheckNoBench({"--learners", ""}, "--learners");
  CheckNoBench({"--time-limit", "soon"}, "--time-limit: 'soon' is not allowed");
  CheckNoBench({"--runs", "0"}, "--runs: '0' is not allowed");
  CheckNoBench({"--gaps", "0.1,0"}, "--gaps: '0' is not allowed");
  CheckNoBench({"--seed", "1.5"}, "--seed: '1.5' is not allowed");
  CheckNoBench({"--problem", "toy"}, "unknown option '--problem'");
  CheckNoBench({folder.Path("none")}, folder.Path("none") + ": there is no such folder");
  CheckNoBench({folder.Path(""), "--problems", "toy,rcv1s1"},
               "/rcv1s1/rcv1s1-train.svm: there is no such file");
  CheckNoBench({"--out", folder.Path("no/such/r.json")}, "--out: ");
  CheckNoBench({"--out", ""}, "--out: the value is empty");
}

TEST_CASE("an output that cannot be written completely is an error") {
  const Outcome outcome =
      RunProgram(kToy + Arguments{"--runs", "1", "--learners", "auto"}, "/dev/null", "/dev/full");
  CHECK(outcome.code == 2);
  CHECK(Contains(outcome.err, "<stdout>: writing failed"));
}
