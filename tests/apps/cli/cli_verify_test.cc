// SPDX-License-Identifier: BSD-3-Clause
//
// The option train --verify: certificates that hold, a false one, and interrupted verification.
#include <signal.h>

#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include <slackline/learning/run/checkpoint.h>
#include <slackline/learning/run/loop_state.h>
#include <tests/apps/program.h>
#include <tests/support/states.h>

using namespace slackline::internal::test;

namespace {

struct VerifiedSession {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(80, 6, 4, 1));
  std::string model = folder.Path("m.slk");
  std::string log = folder.Path("run.jsonl");
  std::string checkpoint = folder.Path("run.ckpt");

  Outcome Train(const Arguments& more) const {
    return RunProgram(Arguments{"multilabel", "train", data, "--num-labels", "4", "--model", model,
                                "--log", log} +
                      more);
  }
  Json End() const { return Json::parse(Lines(ReadBytes(log)).back()); }
};

/// Lowers the claimed objective of a checkpoint.
void Falsify(const std::string& path) {
  slackline::internal::Checkpoint checkpoint = slackline::internal::LoadCheckpoint(path);
  slackline::internal::StateReader reader(checkpoint.state);
  slackline::internal::LoopState loop;
  LoadState(loop, &reader);
  // The claim stays above the lower bound: below it, the resumed run itself would notice.
  loop.record.primal -= 0.3 * (loop.record.primal - loop.record.dual);
  slackline::internal::StateWriter writer;
  SaveState(loop, &writer);
  const std::size_t rest = reader.left();
  checkpoint.state = writer.bytes() + checkpoint.state.substr(checkpoint.state.size() - rest);
  slackline::internal::SaveCheckpoint(path, checkpoint);
}

}  // namespace

TEST_CASE("certificates of all learners are verified") {
  const VerifiedSession s;
  const std::vector<Arguments> ways = {
      {},
      {"--learner", "al"},
      {"--learner", "soft", "--max-passes", "200"},
      {"--learner", "bcfw", "--step", "fw", "--max-passes", "200"},
      {"--oracle", "messages", "--max-passes", "50"},
      {"--oracle", "branch-and-bound"},
      {"--graph", "tree"},
      {"--graph", "none"},
      {"--loss", "count", "--bias", "0"},
  };
  for (const Arguments& way : ways) {
    const Outcome outcome = Succeed(s.Train(way + Arguments{"--verify"}));
    CHECK(Contains(outcome.err, "\nverified in "));
    CHECK(Contains(outcome.err, "the certificate holds: objective "));
    const Json end = s.End();
    CHECK(end["event"] == "end");
    CHECK(end["verified"] == true);
    CHECK(end["verify_seconds"].is_number());
    CHECK(end["verified_primal"].get<double>() <= end["primal"].get<double>() + 1e-6);
    CHECK(end["verified_dual"].get<double>() <= end["verified_primal"].get<double>());
    CHECK(end["verified_dual_proved"].is_boolean());
  }
  const Outcome quiet = Succeed(s.Train({"--verify", "--quiet"}));
  CHECK(quiet.err.empty());
  Succeed(s.Train({}));
  CHECK_FALSE(s.End().contains("verified"));
}

TEST_CASE("every model of a path is verified") {
  const VerifiedSession s;
  const Outcome outcome = Succeed(s.Train({"--lambda-path", "0.1,0.01", "--verify"}));
  int verified = 0;
  for (const std::string& line : Lines(outcome.err))
    verified += line.starts_with("verified in ") ? 1 : 0;
  CHECK(verified == 2);
}

TEST_CASE("a certificate that does not hold ends with code 1, and the model is kept") {
  const VerifiedSession s;
  const Arguments all = {"--gap-tolerance", "0",    "--lambda", "0.01",
                         "--learner",       "bcfw", "--step",   "fw"};
  Succeed(s.Train(all + Arguments{"--max-passes", "20", "--checkpoint", s.checkpoint}));
  Falsify(s.checkpoint);
  const Arguments again = all + Arguments{"--max-passes", "21", "--resume", s.checkpoint};
  Succeed(s.Train(again));
  for (const bool quiet : {false, true}) {
    s.folder.Write("m.slk", "");
    const Outcome outcome =
        s.Train(again + (quiet ? Arguments{"--verify", "-q"} : Arguments{"--verify"}));
    CHECK(outcome.code == 1);
    CHECK(Contains(outcome.err,
                   "slackline: " + s.model +
                       ": the certificate does not hold: the objective was claimed to be "));
    CHECK(Contains(outcome.err, "(the model is kept)"));
    CHECK(s.End()["verified"] == false);
    Succeed({"info", s.model});
  }
}

TEST_CASE("a run that is interrupted is not verified") {
  const VerifiedSession s;
  Process process(Arguments{"multilabel", "train", s.data, "--num-labels", "4", "--model", s.model,
                            "--log", s.log, "--gap-tolerance", "0", "--max-passes", "2000000000",
                            "--verify"});
  for (int k = 0; k < 6000 && Lines(ReadBytes(s.log)).size() < 4; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  process.Signal(SIGINT);
  const Outcome outcome = process.Wait();
  CHECK(outcome.code == 130);
  CHECK(Contains(outcome.err, "verification interrupted after 0 of 80 examples"));
  CHECK(s.End()["verified"].is_null());
  Succeed({"info", s.model});
}
