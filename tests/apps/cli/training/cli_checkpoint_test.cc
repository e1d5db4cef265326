// SPDX-License-Identifier: BSD-3-Clause
//
// Runs that are killed or interrupted, and resumed; paths over λ.
#include <signal.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <slackline/core/model_file.h>
#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

/// A run of many short passes.
struct LongRun {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(300, 8, 6, 2));
  std::string model = folder.Path("m.slk");
  std::string checkpoint = folder.Path("run.ckpt");

  Arguments Train(const Arguments& more) const {
    return Arguments{"multilabel", "train",           data, "--num-labels",
                     "6",          "--gap-tolerance", "0",  "-q"} +
           more;
  }
  Outcome Finish(const Arguments& more) const { return RunProgram(Train(more)); }

  /// Returns when there is a checkpoint other than `old`; false after a minute.
  bool Started(const std::string& old = "") const {
    for (int k = 0; k < 6000; ++k) {
      const std::string bytes = ReadBytes(checkpoint);
      if (!bytes.empty() && bytes != old) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

void CheckSameModel(const std::string& a, const std::string& b) {
  const slackline::internal::ModelReader first(a);
  const slackline::internal::ModelReader second(b);
  const auto w = first.Doubles("weights");
  const auto v = second.Doubles("weights");
  REQUIRE(w.size() == v.size());
  CHECK(std::equal(w.begin(), w.end(), v.begin()));
  CHECK(first.Integers("counts")[1] == second.Integers("counts")[1]);
  for (const std::size_t figure : {1, 2, 3})
    CHECK(first.Doubles("figures")[figure] == second.Doubles("figures")[figure]);
}

/// Resumes the run for some passes after its checkpoint, and compares the model with that of an
/// uninterrupted run.
void CheckGoesOn(const LongRun& run, const Arguments& options) {
  const std::string there = run.folder.Path("there.slk");
  Succeed(run.Finish(options +
                     Arguments{"--resume", run.checkpoint, "--max-passes", "1", "--model", there}));
  const auto passes = slackline::internal::ModelReader(there).Integers("counts")[1];
  CHECK(passes >= 1);
  const Arguments more = {"--max-passes", std::to_string(passes + 40)};
  const std::string whole = run.folder.Path("whole.slk");
  Succeed(run.Finish(options + more + Arguments{"--model", whole}));
  Succeed(
      run.Finish(options + more +
                 Arguments{"--resume", run.checkpoint, "--threads", "2", "--model", run.model}));
  CheckSameModel(whole, run.model);
}

/// Kills a run repeatedly, and resumes it each time.
void CheckKilled(const Arguments& options) {
  const LongRun run;
  const Arguments checkpoints = {"--checkpoint", run.checkpoint, "--checkpoint-every",
                                 "0.05",         "--model",      run.model};
  Arguments resume;
  std::string last;
  for (int kill = 0; kill < 3; ++kill) {
    // The number of passes is practically unlimited, so that no machine finishes before the signal.
    Process process(
        run.Train(options + checkpoints + resume + Arguments{"--max-passes", "2000000000"}));
    REQUIRE(run.Started(last));
    process.Signal(SIGKILL);
    CHECK(process.Wait().code == 1000 + SIGKILL);
    CHECK(ReadBytes(run.model).empty());
    last = ReadBytes(run.checkpoint);
    resume = {"--resume", run.checkpoint};
  }
  CheckGoesOn(run, options);
}

/// Checks that the run fails with all `parts` in its one-line message and changes no file.
void CheckNoChange(const LongRun& run, const Arguments& arguments, const Arguments& parts) {
  run.folder.Write("m.slk", "old");
  const std::string before = ReadBytes(run.checkpoint);
  const std::size_t files = run.folder.NumFiles();
  CheckRefusal(RunProgram(arguments), parts);
  CHECK(ReadBytes(run.model) == "old");
  CHECK(ReadBytes(run.checkpoint) == before);
  CHECK(run.folder.NumFiles() == files);
}

}  // namespace

TEST_CASE("killed runs resume bit for bit: active sets") { CheckKilled({}); }
TEST_CASE("killed runs resume bit for bit: plain block-coordinate Frank-Wolfe, with an average") {
  CheckKilled({"--learner", "bcfw", "--step", "fw", "--average", "weighted"});
}
TEST_CASE("killed runs resume bit for bit: augmented Lagrangian") {
  CheckKilled({"--learner", "al"});
}
TEST_CASE("killed runs resume bit for bit: soft constraints, uniform order") {
  CheckKilled({"--learner", "soft", "--order", "uniform"});
}

TEST_CASE("an interrupt and a time limit leave a checkpoint, from which the run resumes") {
  for (const bool interrupt : {true, false}) {
    const LongRun run;
    const std::string log = run.folder.Path("run.jsonl");
    Arguments first = {"--checkpoint", run.checkpoint, "--model",
                       run.model,      "--max-passes", "2000000000"};
    if (interrupt) {
      Process process(run.Train(first + Arguments{"--log", log}));
      for (int k = 0; k < 6000 && Lines(ReadBytes(log)).size() < 4; ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      // The time is shorter than the interval between checkpoints: the checkpoint is the one
      // written at the end.
      process.Signal(SIGTERM);
      CHECK(process.Wait().code == 143);
    } else {
      Succeed(run.Finish(first + Arguments{"--time-limit", "0.2"}));
    }
    REQUIRE_FALSE(ReadBytes(run.checkpoint).empty());
    CheckGoesOn(run, {"--log", log});
    CHECK(Json::parse(Lines(ReadBytes(log)).front())["resumed"] == run.checkpoint);
  }
}

TEST_CASE("a converged run can be resumed to a smaller gap") {
  const LongRun run;
  const Arguments common = {"multilabel", "train",         run.data, "--num-labels",
                            "6",          "--check-every", "1"};
  const std::string whole = run.folder.Path("whole.slk");
  Succeed(common + Arguments{"--gap-tolerance", "1e-6", "--model", whole});
  Succeed(common + Arguments{"--gap-tolerance", "1e-2", "--model", run.model, "--checkpoint",
                             run.checkpoint});
  const Outcome outcome = Succeed(common + Arguments{"--gap-tolerance", "1e-6", "--model",
                                                     run.model, "--resume", run.checkpoint});
  CHECK(Contains(outcome.err, "resumed from " + run.checkpoint));
  CheckSameModel(whole, run.model);
}

TEST_CASE("other data and options are refused by name") {
  const LongRun run;
  const Arguments options = {"--lambda", "0.01", "--max-passes", "3", "--model", run.model};
  Succeed(run.Finish(options + Arguments{"--checkpoint", run.checkpoint}));
  const Arguments resume = {"--resume", run.checkpoint, "--checkpoint", run.checkpoint};
  const auto refuse = [&](const std::string& data, const Arguments& changed,
                          const Arguments& parts) {
    CheckNoChange(
        run,
        Arguments{"multilabel", "train", data, "--num-labels", "6", "--model", run.model} + resume +
            changed,
        Arguments{"--resume: " + run.checkpoint + " belongs to another run: "} + parts);
  };
  refuse(run.data, {"--lambda", "0.02"}, {"--lambda was 0.01 and is 0.02 now"});
  refuse(run.data, {"--C", "0.1"}, {"--lambda was 0.01 and is "});
  refuse(run.data, {"--lambda", "0.01", "--seed", "7"}, {"--seed was 1 and is 7 now"});
  refuse(run.data, {"--lambda", "0.01", "--learner", "al"}, {"--learner was bcfw and is al now"});
  refuse(run.data, {"--lambda", "0.01", "--check-every", "2"},
         {"--check-every was 0 and is 2 now"});
  refuse(run.data, {"--lambda", "0.01", "--loss", "count"}, {"losses differ"});
  refuse(run.data, {"--lambda", "0.01", "--graph", "tree"}, {"graphs differ"});
  refuse(run.data, {"--lambda", "0.01", "--bias", "0"}, {"features of the data differ"});
  refuse(run.data, {"--lambda-path", "0.01,0.001"}, {"--lambda-path"});
  const std::string other = run.folder.Write("other.svm", LibsvmText(300, 8, 6, 3));
  refuse(other, {"--lambda", "0.01"}, {"features of the data differ", "labels of the data differ"});
  const std::string shorter = run.folder.Write("short.svm", LibsvmText(299, 8, 6, 2));
  refuse(shorter, {"--lambda", "0.01"}, {"number of examples was 300 and is 299 now"});
}

TEST_CASE("files that are not checkpoints are refused") {
  const LongRun run;
  Succeed(run.Finish({"--max-passes", "2", "--model", run.model, "--checkpoint", run.checkpoint}));
  const std::string bytes = ReadBytes(run.checkpoint);
  const std::string model = ReadBytes(run.model);
  const auto refuse = [&](const std::string& content, const Arguments& parts) {
    const std::string bad = run.folder.Write("bad.ckpt", content);
    CheckNoChange(run, run.Train({"--resume", bad, "--model", run.model}),
                  Arguments{bad + ": "} + parts);
  };
  refuse("", {"not a Slackline checkpoint"});
  refuse("text", {"not a Slackline checkpoint"});
  refuse(model, {"a Slackline model, not a checkpoint"});
  for (const std::size_t length :
       {std::size_t{10}, std::size_t{27}, bytes.size() / 2, bytes.size() - 1}) {
    refuse(bytes.substr(0, length), {"the checkpoint is truncated"});
  }
  refuse(bytes + "x", {"the checkpoint is too long"});
  std::string changed = bytes;
  changed[bytes.size() / 2] ^= 1;
  refuse(changed, {"the checkpoint is damaged: its checksum does not match"});
  changed = bytes;
  changed[8] = 9;
  refuse(changed, {"written by a newer version"});
  CheckNoChange(run, run.Train({"--resume", run.folder.Path("none"), "--model", run.model}),
                {"cannot open the file"});
}

TEST_CASE("bad options of checkpoints and paths are refused") {
  const LongRun run;
  run.folder.Write("run.ckpt", "kept");
  const auto refuse = [&](const Arguments& options, const Arguments& parts) {
    CheckNoChange(run, run.Train(options), parts);
  };
  const Arguments model = {"--model", run.model};
  refuse(model + Arguments{"--checkpoint-every", "3"}, {"--checkpoint-every", "--checkpoint"});
  refuse(model + Arguments{"--checkpoint", run.checkpoint, "--checkpoint-every", "-1"},
         {"--checkpoint-every: '-1' is not allowed; it must be a number ≥ 0"});
  refuse(model + Arguments{"--checkpoint", run.data}, {"--checkpoint: ", "would be overwritten"});
  refuse(model + Arguments{"--checkpoint", run.model}, {"--checkpoint: ", "would be overwritten"});
  refuse(model + Arguments{"--checkpoint", "/nowhere/c"},
         {"--checkpoint: ", "there is no folder '/nowhere'"});
  refuse(model + Arguments{"--lambda-path", "1,x"}, {"--lambda-path: 'x' is not allowed"});
  refuse(model + Arguments{"--lambda-path", "1:0.1:1"},
         {"--lambda-path: '1' is not allowed as the number"});
  refuse(model + Arguments{"--lambda-path", "1,0.1", "--lambda", "1"}, {"--lambda"});
  refuse(model + Arguments{"--lambda-path", "1,0.1", "--C", "1"}, {"--C"});
  refuse({"--model", "/nowhere/m.slk", "--lambda-path", "1,0.1"},
         {"--model: /nowhere/m-1.slk: there is no folder"});
}

TEST_CASE("a path writes a model, a table row and a log for each lambda") {
  const LongRun run;
  const std::string log = run.folder.Path("run.jsonl");
  const Arguments common = {"multilabel", "train",           run.data, "--num-labels",
                            "6",          "--gap-tolerance", "1e-4"};
  const Outcome outcome = Succeed(
      common + Arguments{"--lambda-path", "0.001:0.1:3", "--model", run.model, "--log", log});
  CHECK(Contains(outcome.err, "lambda 0.1 to 0.001 (3 values)"));
  CHECK(Contains(outcome.err, "objective      gap %    passes    seconds"));
  CHECK_FALSE(std::filesystem::exists(run.model));
  std::vector<Json> starts;
  std::vector<Json> ends;
  for (const std::string& line : Lines(ReadBytes(log))) {
    const Json json = Json::parse(line);
    if (json["event"] == "start") starts.push_back(json);
    if (json["event"] == "end") ends.push_back(json);
  }
  REQUIRE(starts.size() == 3);
  REQUIRE(ends.size() == 3);
  const char* lambdas[] = {"0.1", "0.01", "0.001"};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string path = run.folder.Path(std::string("m-") + lambdas[k] + ".slk");
    const Json info = JsonOf({"info", path, "--json"});
    CHECK(info["lambda"] == std::stod(lambdas[k]));
    CHECK(info["termination"] == "converged");
    CHECK(starts[k]["lambda"] == info["lambda"]);
    CHECK(ends[k]["primal"] == info["primal"]);
    const std::string cold = run.folder.Path("cold.slk");
    Succeed(common + Arguments{"--lambda", lambdas[k], "--model", cold});
    const Json other = JsonOf({"info", cold, "--json"});
    CHECK(info["dual"].get<double>() <= other["primal"].get<double>());
    CHECK(other["dual"].get<double>() <= info["primal"].get<double>());
    CHECK(info["relative_gap"].get<double>() <= 1e-4);
  }
  // A path of one value is an ordinary training.
  Succeed(common + Arguments{"--lambda-path", "0.1", "--model", run.model});
  CheckSameModel(run.model, run.folder.Path("m-0.1.slk"));
}

TEST_CASE("a killed path resumes with the lambda that was in work") {
  const LongRun run;
  const Arguments common = {
      "multilabel",   "train",        run.data, "--num-labels",    "6", "--lambda-path",
      "0.1:0.0001:4", "--max-passes", "150",    "--gap-tolerance", "0"};
  const std::string whole = run.folder.Path("whole.slk");
  Succeed(common + Arguments{"--model", whole});
  const Arguments checkpoints = {
      "--model", run.model, "--checkpoint", run.checkpoint, "--checkpoint-every", "0.05"};
  {
    Process process(common + checkpoints);
    for (int k = 0; k < 6000 && !std::filesystem::exists(run.folder.Path("m-0.01.slk")); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process.Signal(SIGKILL);
    process.Wait();
  }
  std::filesystem::remove(run.folder.Path("m-0.1.slk"));
  const Outcome outcome = Succeed(common + checkpoints + Arguments{"--resume", run.checkpoint});
  // This λ was done before the kill: only its row is repeated.
  CHECK_FALSE(std::filesystem::exists(run.folder.Path("m-0.1.slk")));
  CHECK(Contains(outcome.err, "\n         0.1 "));
  for (const char* lambda : {"0.01", "0.001", "0.0001"}) {
    CheckSameModel(run.folder.Path(std::string("whole-") + lambda + ".slk"),
                   run.folder.Path(std::string("m-") + lambda + ".slk"));
  }
}
