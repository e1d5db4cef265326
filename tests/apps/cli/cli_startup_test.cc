// SPDX-License-Identifier: BSD-3-Clause
//
// Processes in a restricted environment: closed standard streams, a limit on file sizes, little
// memory.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include <doctest/doctest.h>

#include <slackline/core/model_file.h>
#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

struct Setting {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(300, 8, 6, 2));
  std::string model = folder.Path("m.slk");

  Arguments Train() const {
    return {"multilabel",   "train", data,      "--num-labels", "6",
            "--max-passes", "5",     "--model", model};
  }
};

void Limit(int resource, std::size_t most) {
  const rlimit limit{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

}  // namespace

TEST_CASE("messages to a closed standard error do not go to a file") {
  const Setting setting;
  const std::string log = setting.folder.Path("run.jsonl");
  Succeed(setting.Train() + Arguments{"--log", log}, "/dev/null", "", [] { close(STDERR_FILENO); });
  const auto lines = Lines(ReadBytes(log));
  REQUIRE(lines.size() >= 3);
  for (const std::string& line : lines) CHECK(Json::accept(line));
  CHECK(slackline::internal::ModelReader(setting.model).Has("weights"));
}

TEST_CASE("a closed standard output or input is an error where it is used") {
  const Setting setting;
  Succeed(setting.Train());
  const std::string before = ReadBytes(setting.model);
  CheckRefused(RunProgram({"info", setting.model}, "/dev/null", "", [] { close(STDOUT_FILENO); }),
               "<stdout>: writing failed");
  const Outcome input = RunProgram({"multilabel", "predict", "-", "--model", setting.model},
                                   "/dev/null", "", [] { close(STDIN_FILENO); });
  CHECK(input.code == 2);
  CHECK(ReadBytes(setting.model) == before);
}

TEST_CASE("exceeding a limit on file sizes is an error, and the old file is kept") {
  const Setting setting;
  Succeed(setting.Train());
  const std::string out = setting.folder.Write("out", "old");
  const std::size_t files = setting.folder.NumFiles();
  CheckRefused(RunProgram({"multilabel", "predict", setting.data, "--model", setting.model,
                           "--output", "scores", "--out", out},
                          "/dev/null", "", [] { Limit(RLIMIT_FSIZE, 2000); }),
               out + ": writing failed: ");
  CHECK(ReadBytes(out) == "old");
  CHECK(setting.folder.NumFiles() == files);
}

// Sanitizers need the address space for themselves.
#ifndef SLACKLINE_SANITIZED
TEST_CASE("failed allocations end with a message, wherever they happen") {
  const Setting setting;
  const auto run = [](const Arguments& arguments, std::size_t kilobytes) {
    return RunProgram(arguments, "/dev/null", "", [&] { Limit(RLIMIT_AS, kilobytes << 10); });
  };
  std::size_t floor = 4096;  // kB with which the program starts
  while (run({"--version"}, floor).code != 0) floor += 64;
  const Arguments train = setting.Train() + Arguments{"--learner", "kernel-bcfw", "-q"};
  int failures = 0;
  for (std::size_t step = 0; step < 100; ++step) {
    const Outcome outcome = run(train, floor + 16 * step);
    INFO(outcome.err);
    CHECK((outcome.code == 0 || outcome.code == 1));
    if (outcome.code == 0) continue;
    ++failures;
    CHECK(Contains(outcome.err, "slackline: not enough memory"));
  }
  CHECK(failures > 0);
}
#endif

TEST_CASE("processes that srun has started without MPI do not all do the same work") {
  const Setting setting;
  const Outcome apart =
      RunProgram(setting.Train(), "/dev/null", "", [] { setenv("SLURM_STEP_NUM_TASKS", "4", 1); });
  CHECK(apart.code == 2);
  CHECK(apart.err.find("srun has started 4 processes that do not know each other: use srun "
                       "--mpi=pmix") != std::string::npos);
  CHECK(ReadBytes(setting.model).empty());
  // A terminal of srun, and a job whose processes mpirun starts.
  const auto terminal = [] {
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    setenv("SLURM_PTY_PORT", "1234", 1);
  };
  Succeed(setting.Train(), "/dev/null", "", terminal);
  const auto job = [] { setenv("SLURM_NTASKS", "4", 1); };
  Succeed(setting.Train(), "/dev/null", "", job);
}
