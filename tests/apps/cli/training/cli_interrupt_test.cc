// SPDX-License-Identifier: BSD-3-Clause
//
// Training that ends early: signals and the time limit.
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

/// A run that never converges.
struct Endless {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(200, 8, 6, 2));
  std::string model = folder.Path("m.slk");
  std::string log = folder.Path("run.jsonl");

  std::vector<std::string> Train() const {
    return {"multilabel", "train", data, "--num-labels",    "6", "--model",
            model,        "--log", log,  "--gap-tolerance", "0", "--max-passes",
            "2000000000"};
  }

  /// Returns when the log has a few checks; false after a minute.
  bool Started() const {
    for (int k = 0; k < 6000; ++k) {
      if (Lines(ReadBytes(log)).size() >= 4) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

void CheckInterrupted(int number, int code, int times = 1) {
  const Endless run;
  Process process(run.Train());
  REQUIRE(run.Started());
  for (int k = 0; k < times; ++k) process.Signal(number);
  const Outcome outcome = process.Wait();
  CHECK(outcome.code == code);
  CHECK(Contains(outcome.err, "interrupted: certified relative gap "));
  CHECK(Contains(outcome.err, "best model so far written to " + run.model));
  const Json info = JsonOf({"info", run.model, "--json"});
  CHECK(info["termination"] == "interrupted");
  const auto log = Lines(ReadBytes(run.log));
  const Json end = Json::parse(log.back());
  CHECK(end["event"] == "end");
  CHECK(end["termination"] == "interrupted");
  CHECK(end["primal"] == info["primal"]);
  Succeed({"multilabel", "evaluate", run.data, "--model", run.model});
  CHECK(run.folder.NumFiles() == 3);
}

}  // namespace

TEST_CASE("SIGINT ends training with the best model and code 130") {
  CheckInterrupted(SIGINT, 130);
}

TEST_CASE("SIGTERM ends training with the best model and code 143") {
  CheckInterrupted(SIGTERM, 143);
}

TEST_CASE("SIGHUP ends training with the best model and code 129") {
  CheckInterrupted(SIGHUP, 129);
}

TEST_CASE("a terminal that goes away sends SIGHUP twice, and the model is kept") {
  CheckInterrupted(SIGHUP, 129, 2);
}

TEST_CASE("timeout and mpirun send SIGINT twice at once, and the model is kept") {
  CheckInterrupted(SIGINT, 130, 2);
}

TEST_CASE("a second SIGINT ends a run that hangs") {
  // The log is a pipe that nobody reads, so that the program waits once the pipe is full.
  const Endless run;
  const std::string pipe = run.folder.Path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int end = open(pipe.c_str(), O_RDWR);
  REQUIRE(end >= 0);
  Process process({"multilabel", "train", run.data, "--num-labels", "6", "--model", run.model,
                   "--log", pipe, "--gap-tolerance", "0", "--check-every", "1"});
  int before = -1;
  for (int k = 0; k < 600; ++k) {
    int bytes = 0;
    REQUIRE(ioctl(end, FIONREAD, &bytes) == 0);
    if (bytes > 50000 && bytes == before) break;
    before = bytes;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  process.Signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  CHECK(process.Catches(SIGINT));
  process.Signal(SIGINT);
  CHECK(process.Wait().code == 1000 + SIGINT);
  close(end);
}

TEST_CASE("SIGHUP does not affect a run under nohup") {
  const Endless run;
  Process process(run.Train(), "/dev/null", "", [] { signal(SIGHUP, SIG_IGN); });
  REQUIRE(run.Started());
  process.Signal(SIGHUP);
  const std::size_t lines = Lines(ReadBytes(run.log)).size();
  for (int k = 0; k < 6000 && Lines(ReadBytes(run.log)).size() < lines + 2; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process.Signal(SIGINT);
  CHECK(process.Wait().code == 130);
}

TEST_CASE("a time limit ends training with the best model and code 0") {
  const Endless run;
  const Outcome outcome = Succeed(run.Train() + Arguments{"--time-limit", "0.2"});
  CHECK(Contains(outcome.err, " s of at most 0.2 s, certified relative gap "));
  CHECK(Contains(outcome.err, "model written to " + run.model));
  CHECK(JsonOf({"info", run.model, "--json"})["termination"] == "time-limit");
}

TEST_CASE("a run that ends with a wide gap warns, even with --quiet") {
  const Endless run;
  const auto errors = [&](const std::string& passes, const std::string& lambda) {
    return RunProgram({"multilabel", "train", run.data, "--num-labels", "6", "--model", run.model,
                       "--max-passes", passes, "--lambda", lambda, "--quiet"})
        .err;
  };
  const std::string wide = errors("1", "0.0001");
  CHECK(Lines(wide).size() == 1);
  CHECK(wide.starts_with("WARNING: " + run.model + ": the certified gap is still "));
  CHECK(Contains(wide, " %, and at most 0.1 % was wanted"));
  CHECK(errors("1000", "1").empty());
}

TEST_CASE("a killed run leaves the old model") {
  const Endless run;
  run.folder.Write("m.slk", "old");
  Process process(run.Train());
  process.Signal(SIGKILL);
  CHECK(process.Wait().code == 1000 + SIGKILL);
  CHECK(ReadBytes(run.model) == "old");
}
