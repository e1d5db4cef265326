// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline bench.
#include <signal.h>

#include <filesystem>

#include <doctest/doctest.h>

#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

const std::vector<std::string> kToy = {"bench", "--problems", "toy", "--quiet"};

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
  CheckRefused(Arguments{"bench"} + arguments, message);
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
  CHECK(json["command_line"].get<std::string>().starts_with("slackline bench --problems toy"));
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

TEST_CASE("the help names all problems and options") {
  const Outcome outcome = Succeed({"bench", "--help"});
  CHECK(outcome.err.empty());
  for (const char* text :
       {"Usage: slackline bench", "Examples:\n  slackline bench", "grids-small", "bcfw-lp-polytope",
        "--time-limit", "--runs", "--seed", "--out", "--scaling", "--quiet"}) {
    CHECK_MESSAGE(Contains(outcome.out, text), text);
  }
}

TEST_CASE("JSON goes to the standard output, progress and table to the standard error") {
  const Outcome outcome =
      Succeed({"bench", "--problems", "toy", "--learners", "auto", "--runs", "1", "--out", "-"});
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

TEST_CASE("scaling problems need no data") {
  const Outcome outcome = Succeed({"bench", "--scaling", "--problems", "toy", "--learners", "auto",
                                   "--runs", "1", "--time-limit", "2", "--quiet", "--out", "-"});
  const Json axes = Json::parse(outcome.out)["scaling"];
  REQUIRE(axes.size() == 4);
  CHECK(axes[0]["axis"] == "examples");
  CHECK(axes[1]["axis"] == "labels");
  for (const Json& axis : axes) {
    const Json& learner = axis["learners"][0];
    CHECK(learner["points"].size() == 3);
    CHECK(learner["exponent_seconds_per_pass"].is_number());
    CHECK(learner["points"][0]["seconds_per_pass"].get<double>() > 0);
  }
  CHECK(Contains(outcome.err, "examples, fitted exponent"));
  CHECK(Contains(outcome.err, "features, sparse 16000"));
}

TEST_CASE("bench runs on some examples of a problem, with test figures beside the curve") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.Path("reuters30"));
  folder.Write("reuters30/reuters30-train.svm", LibsvmText(60, 6, 4, 1));
  folder.Write("reuters30/reuters30-test.svm", LibsvmText(40, 6, 4, 2));
  const auto run = [&](const Arguments& more) {
    const Outcome outcome = Succeed(Arguments{"bench", folder.Path(""), "--problems",
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
  CheckStopped(RunProgram({"bench", folder.Path(""), "--problems", "reuters@61", "--quiet"}),
               {"'reuters@61.1' needs more examples than the 60"});
}

TEST_CASE("online runs report their suffered loss") {
  const Outcome outcome =
      Succeed({"bench", "--problems", "toy", "--learners",
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

TEST_CASE("a figure of a paper is reproduced by name") {
  const TemporaryFolder folder;
  const std::string out = folder.Path("f.json");
  const Outcome outcome = Succeed({"bench", "--figure", "002-1", "--problems", "toy", "--learners",
                                   "soft:rho=1,auto", "--time-limit", "1", "--out", out});
  CHECK(Contains(outcome.err, "figure 002-1: The effect of"));
  CHECK(Contains(outcome.err, "2 runs, at most 0.0333 minutes"));
  const Json json = Json::parse(ReadBytes(out));
  CHECK(json["figure"]["name"] == "002-1");
  CHECK(json["figure"]["x"] == "passes");
  CHECK(json["settings"]["runs"] == 1);
  CHECK(json["settings"]["time_limit"] == 1);
  REQUIRE(json["problems"].size() == 1);
  CHECK(json["problems"][0]["learners"].size() == 2);
  CheckNoBench({"--figure", "002"},
               "--figure: unknown figure '002'; choose from 000-1, 001, 001-regret, 002-1");
  CheckNoBench({"--figure", "002-1"}, "--problems: the problem 'yeast-0.001' needs files");
  CheckNoBench({"--figure", "002-1", "--scaling"}, "--figure and --scaling exclude each other");
  CheckNoBench({"--test-metric", "--scaling"}, "--test-metric and --scaling exclude each other");
}

TEST_CASE("the runs of figures are listed without data") {
  const Outcome one = Succeed({"bench", "--list", "--figure", "003-2"});
  CHECK(one.err.empty());
  const std::vector<std::string> runs = Lines(one.out);
  // Three values of λ; ten seeds of three learners, and one of the two batch learners.
  REQUIRE(runs.size() == 3 * (10 * 3 + 2));
  CHECK(runs[0] == "003-2\tletters-0.01\tbcfw:keep-newest=on,max-passes=30\t1\t60\ttest");
  CHECK(runs[3] == "003-2\tletters-0.01\tfw\t1\t60\ttest");
  CHECK(runs[5] == "003-2\tletters-0.01\tbcfw:keep-newest=on,max-passes=30\t2\t60\ttest");
  CHECK(runs[8] == "003-2\tletters-0.01\tbcfw:keep-newest=on,max-passes=30\t3\t60\ttest");
  const Outcome all = Succeed({"bench", "--list"});
  CHECK(Lines(all.out).size() > 500);
  CHECK(Contains(all.out, "\n002-2-rcv1\trcv1-0.0001\tauto\t1\t"));
  CHECK(Contains(all.out,
                 "\n001-regret\tletters-0.01\tmulti-sample:samples=1,online-loss=on\t1\t60\t-\n"));
  CheckNoBench({"--list", "--runs", "2"}, "--list and --runs exclude each other");
  CheckNoBench({"--list", "--figure", "9"}, "--figure: unknown figure '9'");
}

TEST_CASE("learners that no seed affects are run once in a figure") {
  const Outcome outcome = Succeed({"bench", "--figure", "003-5", "--problems", "toy", "--runs", "2",
                                   "--time-limit", "0.001", "--quiet", "--out", "-"});
  const Json learners = Json::parse(outcome.out)["problems"][0]["learners"];
  REQUIRE(learners.size() == 8);
  CHECK(learners[0]["runs"].size() == 2);
  CHECK(learners[4]["learner"] == "fw");
  CHECK(learners[4]["runs"].size() == 1);
  // Learners that are given have all runs.
  const Outcome given =
      RunProgram({"bench", "--figure", "003-5", "--problems", "toy", "--learners", "fw", "--runs",
                  "2", "--time-limit", "0.001", "--quiet", "--out", "-"});
  CHECK(Json::parse(given.out)["problems"][0]["learners"][0]["runs"].size() == 2);
}

TEST_CASE("bad arguments are refused before anything runs") {
  CheckNoBench({"--problems", "toy,iris"}, "--problems: unknown problem 'iris'; choose from yeast");
  CheckNoBench({"--problems", ""}, "--problems");
  CheckNoBench({"--problems", "yeast"},
               "--problems: the problem 'yeast' needs files: give the folder");
  CheckNoBench({"--learners", "sgd"}, "--learners: unknown learner 'sgd'; choose from auto");
  CheckNoBench({"--learners", "bcfw:step=up"}, "'up' is not allowed; it must be one of");
  CheckNoBench({"--learners", "bcfw:stride=1"}, "unknown option 'stride'");
  CheckNoBench({"--learners", ""}, "--learners");
  CheckNoBench({"--time-limit", "soon"}, "--time-limit: 'soon' is not allowed");
  CheckNoBench({"--runs", "0"}, "--runs: '0' is not allowed");
  CheckNoBench({"--seed", "1.5"}, "--seed: '1.5' is not allowed");
  CheckNoBench({"--scaling", "--problems", "toy,grids-small"}, "--scaling takes one problem");
  CheckNoBench({"--problem", "toy"}, "unknown option '--problem'");
}

TEST_CASE("missing, empty and incomplete folders are reported") {
  const TemporaryFolder folder;
  CheckNoBench({folder.Path("none")}, folder.Path("none") + ": there is no such folder");
  CheckNoBench({folder.Path("")}, "the folder has no data of any problem");
  CheckNoBench({folder.Path(""), "--problems", "toy,rcv1s1"},
               "/rcv1s1/rcv1s1-train.svm: there is no such file");
  CheckNoBench({"--scaling", folder.Path(""), "--problems", "toy"},
               "/rcv1s1/rcv1s1-train.svm: there is no such file");
}

TEST_CASE("an output that cannot be written is found before anything runs") {
  const TemporaryFolder folder;
  CheckNoBench({"--out", folder.Path("no/such/r.json")}, "--out: ");
  CheckNoBench({"--out", ""}, "--out: the value is empty");
}

TEST_CASE("Ctrl-C writes the finished results, with code 130") {
  const TemporaryFolder folder;
  const std::string out = folder.Path("r.json");
  Process process({"bench", "--problems", "toy", "--learners",
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
