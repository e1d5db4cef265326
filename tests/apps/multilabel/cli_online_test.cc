// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline multilabel online.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/common/training_record.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct OnlineFiles {
  TemporaryFolder folder;
  std::string text = LibsvmText(90, 6, 4, 1);
  std::string data = folder.Write("all.svm", text);
  std::string model = folder.Path("m.slk");
  std::string state = folder.Path("s.ckpt");

  Arguments Online(const std::string& from, const Arguments& more = {}) const {
    return Arguments{"multilabel", "online", from, "--model", model} + more;
  }
  static Arguments Sizes() {
    return {"--num-labels", "4", "--num-features", "6", "--lambda", "0.02"};
  }
  /// The first `count` lines of the data, or those after them.
  std::string Part(int count, bool first) const {
    std::string part;
    const std::vector<std::string> lines = Lines(text);
    for (int k = 0; k < static_cast<int>(lines.size()); ++k) {
      if ((k < count) == first) part += lines[k] + "\n";
    }
    return folder.Write(first ? "first.svm" : "rest.svm", part);
  }
  Json Info() const { return JsonOf({"info", model, "--json"}); }
};

/// A pipe with ten examples and a part of a line, which then is silent.
struct SilentStream {
  OnlineFiles files;
  std::string pipe = files.folder.Path("pipe");
  std::string log = files.folder.Path("run.jsonl");
  int end = -1;

  SilentStream() {
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    // Opened for both directions, so that the stream neither ends nor blocks this test.
    end = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(end >= 0);
    std::string text;
    const std::vector<std::string> lines = Lines(files.text);
    for (int k = 0; k < 10; ++k) text += lines[k] + "\n";
    text += "1 2:0.";
    REQUIRE(write(end, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  ~SilentStream() { close(end); }
  SilentStream(const SilentStream&) = delete;
  SilentStream& operator=(const SilentStream&) = delete;

  /// To be run with the pipe as input and the log as output.
  Arguments Online(const Arguments& more = {}) const {
    return files.Online(
        "-", OnlineFiles::Sizes() + Arguments{"--log-every", "10", "--log", "/dev/stdout"} + more);
  }
  /// Returns when the ten examples have been learned from; false after a minute.
  bool Learned() const {
    for (int k = 0; k < 6000; ++k) {
      if (Lines(ReadBytes(log)).size() >= 2) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

void CheckDone(const Arguments& arguments, const std::string& input = "/dev/null") {
  Succeed(arguments, input);
}

}  // namespace

TEST_CASE("online training is a pass of multi-sample in the order of the data") {
  const OnlineFiles files;
  for (const std::string average : {"none", "weighted", "suffix"}) {
    CAPTURE(average);
    CheckDone(files.Online("-", OnlineFiles::Sizes() + Arguments{"--average", average}),
              files.data);
    const std::vector<double> online = ModelWeights(files.model);
    const std::string other = files.folder.Path("train.slk");
    CheckDone({"multilabel",      "train",   files.data,  "--num-labels", "4",
               "--lambda",        "0.02",    "--scale",   "none",         "--learner",
               "multi-sample",    "--order", "cyclic",    "--max-passes", "1",
               "--gap-tolerance", "0",       "--average", average,        "--keep-newest",
               "--model",         other});
    CHECK(online == ModelWeights(other));
  }
  const Json info = files.Info();
  CHECK(info["primal"].is_null());
  CHECK(info["options"]["average"] == "suffix");
  CHECK(info["message"].get<std::string>().find("one visit of each example") != std::string::npos);
  const Outcome text = RunProgram({"info", files.model});
  CHECK(text.out.find("nan") == std::string::npos);
  CHECK(text.out.find("certified   no") != std::string::npos);
}

TEST_CASE("online training in two runs gives the weights of one run") {
  const OnlineFiles files;
  CheckDone(files.Online(files.data, OnlineFiles::Sizes()));
  const std::vector<double> whole = ModelWeights(files.model);
  const Arguments keep = OnlineFiles::Sizes() + Arguments{"--checkpoint", files.state};
  CheckDone(files.Online(files.Part(37, true), keep));
  CHECK(ModelWeights(files.model) != whole);
  CheckDone(files.Online(files.Part(37, false), keep + Arguments{"--resume", files.state}));
  CHECK(ModelWeights(files.model) == whole);
  const Json info = files.Info();
  CHECK(info["examples"] == 90);

  const Arguments resume = {"--resume", files.state};
  CheckRefused(files.Online(files.data, Arguments{"--num-labels", "4", "--num-features", "6",
                                                  "--lambda", "0.03"} +
                                            resume),
               "--lambda was 0.02 and is 0.03 now");
  CheckRefused(files.Online(files.data, Arguments{"--num-labels", "4", "--num-features", "7",
                                                  "--lambda", "0.02"} +
                                            resume),
               "number of features was 6 and is 7 now");
  CheckRefused(
      files.Online(files.data, OnlineFiles::Sizes() + Arguments{"--loss", "count"} + resume),
      "--loss was mean and is count now");
  CHECK(ModelWeights(files.model) == whole);
}

TEST_CASE("a run that has ended early goes on in the same data") {
  const OnlineFiles files;
  CheckDone(files.Online(files.data, OnlineFiles::Sizes()));
  const std::vector<double> whole = ModelWeights(files.model);
  // The data end early twice.
  const Arguments keep = OnlineFiles::Sizes() + Arguments{"--checkpoint", files.state};
  const Arguments go_on = keep + Arguments{"--resume", files.state, "--skip-learned"};
  CheckDone(files.Online(files.Part(37, true), keep));
  CheckDone(files.Online(files.Part(61, true), go_on));
  const Outcome last = Succeed(files.Online(files.data, go_on));
  CHECK(last.err.find("continuing after 61 examples, 61 of which are in the data") !=
        std::string::npos);
  CHECK(ModelWeights(files.model) == whole);
  CHECK(files.Info()["examples"] == 90);
  CheckStopped(RunProgram(files.Online(files.Part(37, true), go_on)),
               {"has learned from 90 examples of its data, but --skip-learned finds only 37 here"});
  CHECK(ModelWeights(files.model) == whole);

  // Other data begin a count of their own.
  CheckDone(files.Online(files.Part(37, true), keep));
  CheckDone(files.Online(files.Part(37, false), keep + Arguments{"--resume", files.state}));
  CHECK(ModelWeights(files.model) == whole);
  CheckStopped(RunProgram(files.Online(files.Part(37, true), go_on)),
               {"has learned from 53 examples of its data, but --skip-learned finds only 37 here"});
  CheckRefused(files.Online(files.data, OnlineFiles::Sizes() + Arguments{"--skip-learned"}),
               "--skip-learned needs --resume");
}

TEST_CASE("online training takes everything but the weights from another model") {
  const OnlineFiles files;
  const std::string sample = files.folder.Path("sample.slk");
  const std::string arff = files.folder.Write("all.arff", ArffText(90, 6, 4, 1));
  CheckDone({"multilabel", "train", arff, "--labels", files.folder.Write("l.xml", XmlText(4)),
             "--scale", "standard", "--graph", "tree", "--lambda", "0.05", "--gap-tolerance",
             "0.01", "--model", sample});
  CheckDone(files.Online(arff, {"--like", sample, "--lambda", "0.02"}));
  const Json from = JsonOf({"info", sample, "--json"});
  const Json info = files.Info();
  for (const char* same : {"labels", "features", "pairs", "scaling", "weights"}) {
    CAPTURE(same);
    CHECK(info[same] == from[same]);
  }
  CHECK(info["weights_norm"] != from["weights_norm"]);
  // The learned scaling is applied: a pass over the scaled data gives the same weights.
  const std::string other = files.folder.Path("train.slk");
  CheckDone({"multilabel",
             "train",
             arff,
             "--labels",
             files.folder.Path("l.xml"),
             "--scale",
             "standard",
             "--graph",
             "tree",
             "--lambda",
             "0.02",
             "--learner",
             "multi-sample",
             "--order",
             "cyclic",
             "--max-passes",
             "1",
             "--gap-tolerance",
             "0",
             "--average",
             "weighted",
             "--keep-newest",
             "--label-counts",
             "any",
             "--model",
             other});
  CHECK(ModelWeights(files.model) == ModelWeights(other));
  Succeed({"multilabel", "evaluate", arff, "--model", files.model});
}

TEST_CASE("an error in a stream keeps the model of the examples before it") {
  const OnlineFiles files;
  const std::string bad = files.folder.Write("bad.svm", files.text + "1 3:x\n0 1:1\n");
  const Outcome outcome =
      RunProgram(files.Online(bad, OnlineFiles::Sizes() + Arguments{"--checkpoint", files.state}));
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("bad.svm:91: ") != std::string::npos);
  CHECK(outcome.err.find("the model of the 90 examples before it is written to " + files.model) !=
        std::string::npos);
  CheckDone(files.Online(
      files.data, OnlineFiles::Sizes() + Arguments{"--resume", files.state}));  // it is whole
  std::filesystem::remove(files.model);
  CheckStopped(
      RunProgram(files.Online(files.folder.Write("worse.svm", "1 3:x\n"), OnlineFiles::Sizes())),
      {"worse.svm:1: "});
  CheckStopped(RunProgram(files.Online(files.folder.Write("none.svm", "? 3:1\n? 1:1\n"),
                                       OnlineFiles::Sizes())),
               {"no example has a known label"});
  CheckStopped(RunProgram(files.Online(files.folder.Write("wide.svm", "1 7:1\n"),
                                       OnlineFiles::Sizes() + Arguments{"--strict"})),
               {"wide.svm:1: "});
  CHECK(!std::filesystem::exists(files.model));
}

TEST_CASE("an interrupt ends a silent stream with the model of the whole lines") {
  const SilentStream stream;
  Process process(stream.Online(), stream.pipe, stream.log);
  REQUIRE(stream.Learned());
  process.Signal(SIGINT);
  const Outcome outcome = process.Wait();
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK(stream.files.Info()["examples"] == 10);
  CHECK(Json::parse(Lines(ReadBytes(stream.log)).back())["termination"] == "interrupted");
}

TEST_CASE("a checkpoint that cannot be written does not lose the model") {
  const SilentStream stream;
  const std::string gone = stream.files.folder.Path("gone");
  std::filesystem::create_directory(gone);
  Process process(stream.Online({"--checkpoint", gone + "/s.ckpt"}), stream.pipe, stream.log);
  REQUIRE(stream.Learned());
  std::filesystem::remove_all(gone);
  process.Signal(SIGINT);
  const Outcome outcome = process.Wait();
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("checkpoint not written: ") != std::string::npos);
  CHECK(stream.files.Info()["examples"] == 10);
}

TEST_CASE("an interrupt before the first example writes no model") {
  const OnlineFiles files;
  const std::string pipe = files.folder.Path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int end = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  Process process(files.Online("-", OnlineFiles::Sizes()), pipe);
  REQUIRE(process.Catches(SIGTERM));
  process.Signal(SIGTERM);
  const Outcome outcome = process.Wait();
  close(end);
  CHECK(outcome.code == 143);
  CHECK(outcome.err.find("no model is written") != std::string::npos);
  CHECK(!std::filesystem::exists(files.model));
}

TEST_CASE("the log of online training adds up") {
  const OnlineFiles files;
  const std::string log = files.folder.Path("run.jsonl");
  CheckDone(files.Online(files.data,
                         OnlineFiles::Sizes() + Arguments{"--log-every", "40", "--log", log}));
  double lost = 0;
  int before = 0;
  const std::vector<std::string> lines = Lines(ReadBytes(log));
  REQUIRE(lines.size() == 4);
  CHECK(Json::parse(lines[0])["event"] == "start");
  for (int k = 1; k < 4; ++k) {
    const Json line = Json::parse(lines[k]);
    const int examples = line["examples"].get<int>();
    CHECK(examples == (k < 3 ? 40 * k : 90));
    lost += (examples - before) * line["newest_mean_loss"].get<double>();
    before = examples;
    CHECK(lost / examples == doctest::Approx(line["mean_loss"].get<double>()).epsilon(1e-12));
  }
  CHECK(lost > 0);
}

TEST_CASE("online accepts every option of training that it offers") {
  const OnlineFiles files;
  CheckDone(files.Online(files.data, OnlineFiles::Sizes()));
  const std::string plain = ReadBytes(files.model);
  for (const Arguments& options :
       std::vector<Arguments>{{"--samples", "2"},
                              {"--update-rounds", "2"},
                              {"--expand-first"},
                              {"--average", "none"},
                              {"--average", "suffix", "--suffix-share", "0.3"},
                              {"--oracle", "messages"},
                              {"--seed", "2"}}) {
    CAPTURE(options[0]);
    CheckDone(files.Online(files.data, OnlineFiles::Sizes() + options));
    CHECK(ReadBytes(files.model) != plain);
  }
}

TEST_CASE("online training refuses what a stream cannot give") {
  const OnlineFiles files;
  const Arguments lambda = {"--lambda", "0.02"};
  CheckRefused(files.Online(files.data, {"--num-labels", "4", "--num-features", "6"}),
               "--lambda is missing");
  CheckRefused(files.Online(files.data, lambda), "--num-features");
  CheckRefused(files.Online(files.data, OnlineFiles::Sizes() + Arguments{"--graph", "tree"}),
               "--graph: tree needs all examples");
  CheckRefused(files.Online(files.data, OnlineFiles::Sizes() + Arguments{"--like", files.data}),
               "--like");
  CheckRefused(files.Online(files.data, Arguments{"--num-labels", "2000000000", "--num-features",
                                                  "2000000000", "--graph", "none"} +
                                            lambda),
               "too large");
  CheckRefused(files.Online(files.data, Arguments{"--like", files.folder.Path("no.slk")} + lambda),
               "no.slk");
  const std::string kernel = files.folder.Path("k.slk");
  CheckDone({"multilabel", "train", files.data, "--num-labels", "4", "--lambda", "0.05", "--kernel",
             "rbf", "--gap-tolerance", "0.1", "--model", kernel});
  CheckRefused(files.Online(files.data, Arguments{"--like", kernel} + lambda), "kernelized");
  CheckStopped(
      RunProgram(files.Online(files.data, OnlineFiles::Sizes() + Arguments{"--loss", "f1"})),
      {"1 - F1"});
  CheckRefused(
      Arguments{"multilabel", "online", files.data, "--model", files.data} + OnlineFiles::Sizes(),
      "--model");
  CHECK(ReadBytes(files.data) == files.text);
}
