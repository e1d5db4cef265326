// SPDX-License-Identifier: BSD-3-Clause
//
// --threads alone chooses between one chain of steps and shards.
#include <fcntl.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <slackline/core/model_file.h>
#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

std::vector<double> WeightsIn(const std::string& path) {
  const slackline::internal::ModelReader model(path);
  const auto weights = model.Doubles("weights");
  return {weights.begin(), weights.end()};
}

/// Dense data whose passes are long enough for two shards, or only for one.
struct Data {
  explicit Data(int examples)
      : arff(folder.Write("d.arff", ArffText(examples, 120, 8, 3))),
        xml(folder.Write("d.xml", XmlText(8))) {}

  Outcome Train(const std::string& name, const Arguments& more,
                const std::string& passes = "2") const {
    return RunProgram(Arguments{"multilabel", "train", arff, "--labels", xml, "--max-passes",
                                passes, "--log", folder.Path(name + ".jsonl"), "--model",
                                folder.Path(name + ".slk")} +
                      more);
  }
  /// Trains, and returns the weights. The log must say how many shards there were.
  std::vector<double> Weights(const std::string& name, const Arguments& more,
                              const std::string& shards, const std::string& passes = "2") const {
    Succeed(Train(name, more, passes));
    const Json start = Json::parse(Lines(ReadBytes(folder.Path(name + ".jsonl"))).front());
    CHECK(start["options"]["shards"] == shards);
    return WeightsIn(folder.Path(name + ".slk"));
  }

  TemporaryFolder folder;
  std::string arff;
  std::string xml;
};

}  // namespace

TEST_CASE("--threads alone trains in shards where these are faster, and says so") {
  const Data data(2200);
  const Outcome outcome = Succeed(data.Train("m", {"--threads", "2"}));
  CHECK(outcome.err.find("shards: 2 on 2 threads") != std::string::npos);
  for (const Arguments& scale : {Arguments{"-q"}, Arguments{"-q", "--scale", "standard"}}) {
    const auto chosen = data.Weights("chosen", scale + Arguments{"--threads", "2"}, "2");
    CHECK(chosen == data.Weights("given", scale + Arguments{"--shards", "2"}, "2"));
    const auto chain = data.Weights("chain", scale, "1");
    CHECK(chain != chosen);
    CHECK(chain == data.Weights("one", scale + Arguments{"--threads", "2", "--shards", "1"}, "1"));
    CHECK(chain == data.Weights("all", scale + Arguments{"--threads", "0"}, "1"));
  }
  CHECK(data.Train("q", {"-q", "--threads", "2"}).err.find("shards") == std::string::npos);
}

TEST_CASE("--threads alone keeps one chain of steps where passes are short, or no shards serve") {
  const Data data(300);
  const Outcome outcome = data.Train("m", {"--threads", "2"});
  CHECK(outcome.err.find("shards: 1, since one chain of steps is faster") != std::string::npos);
  const auto chain = data.Weights("chain", {"-q"}, "1");
  CHECK(chain == data.Weights("threads", {"-q", "--threads", "4"}, "1"));
  for (const char* learner : {"al", "prox-sdca", "bcfw"}) {
    CAPTURE(learner);
    const Arguments options = {"-q", "--learner", learner};
    CHECK(data.Weights("one", options, "1") ==
          data.Weights("two", options + Arguments{"--threads", "2"}, "1"));
  }
}

TEST_CASE("a note says where shards have few examples") {
  const Data data(300);
  const std::string note = "note: 300 examples in 16 shards: shards of fewer than 24";
  CHECK(data.Train("m", {"--shards", "16"}).err.find(note) != std::string::npos);
  CHECK(data.Train("m", {"--shards", "12"}).err.find("note: 300") == std::string::npos);
}

TEST_CASE("a resumed run reads its checkpoint once") {
  const Data data(60);
  const std::string checkpoint = data.folder.Path("run.ckpt");
  const Arguments run = {"-q", "--shards", "2"};
  Succeed(data.Train("m", run + Arguments{"--checkpoint", checkpoint}));
  const std::string bytes = ReadBytes(checkpoint);
  // A pipe is empty once it has been read.
  const auto pipe_to_stdin = [&bytes] {
    int ends[2];
    if (pipe(ends) != 0 || fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < std::ssize(bytes)) _exit(125);
    if (write(ends[1], bytes.data(), bytes.size()) != std::ssize(bytes)) _exit(126);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
  };
  const Outcome again =
      Succeed({"multilabel", "train", data.arff, "--labels", data.xml, "-q", "--max-passes", "4",
               "--resume", "/dev/stdin", "--model", data.folder.Path("again.slk")},
              "/dev/null", "", pipe_to_stdin);
  CHECK(WeightsIn(data.folder.Path("again.slk")) == data.Weights("whole", run, "2", "4"));
}

TEST_CASE("a resumed run has the shards of its checkpoint, whatever --threads says") {
  const Data data(2200);
  const std::string checkpoint = data.folder.Path("run.ckpt");
  for (const char* const number : {"2", "1"}) {
    const std::string shards = number;
    const Arguments began = shards == "2" ? Arguments{"--threads", "2"} : Arguments{};
    CAPTURE(shards);
    const auto whole = data.Weights("whole", began + Arguments{"-q"}, shards, "4");
    Succeed(data.Train("m", began + Arguments{"-q", "--checkpoint", checkpoint}));
    for (const Arguments& threads :
         {Arguments{}, {"--threads", "1"}, {"--threads", "2"}, {"--threads", "3"}}) {
      CHECK(whole ==
            data.Weights("r", threads + Arguments{"-q", "--resume", checkpoint}, shards, "4"));
    }
  }
  const Outcome other = data.Train("o", {"-q", "--resume", checkpoint, "--shards", "2"});
  CHECK(other.code == 2);
  CHECK(other.err.find("--shards was 1 and is 2 now") != std::string::npos);
  const Outcome missing = data.Train("o", {"-q", "--resume", data.folder.Path("no.ckpt")});
  CHECK(missing.code == 2);
  CHECK(missing.err.find("no.ckpt: cannot open the file") != std::string::npos);
}
