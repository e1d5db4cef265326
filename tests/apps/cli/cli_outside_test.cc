// SPDX-License-Identifier: BSD-3-Clause
//
// Input through pipes, input without an end, and runs with little memory.
#include <doctest/doctest.h>

#include <tests/apps/program.h>
#include <tests/core/pipe.h>

using namespace slackline::internal::test;

namespace {

/// A trained model and its data.
struct TrainedOutside {
  TrainedOutside() { Succeed(Train("m.slk")); }

  Arguments Train(const std::string& out, const Arguments& more = {}) const {
    return Arguments{"multilabel", "train",          data, "--num-labels", "5",
                     "--model",    folder.Path(out), "-q"} +
           more;
  }

  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(60, 8, 5, 2));
  std::string model = folder.Path("m.slk");
};

}  // namespace

TEST_CASE("info reads a model from a pipe, once") {
  const TrainedOutside trained;
  const Pipe pipe(trained.folder.Path("pipe"), ReadBytes(trained.model));
  const Outcome piped = Succeed({"info", pipe.path()});
  CHECK(piped.out == RunProgram({"info", trained.model}).out);
}

TEST_CASE("models and data of other commands may come through pipes") {
  const TrainedOutside trained;
  const std::string plain =
      RunProgram({"multilabel", "predict", trained.data, "--model", trained.model}).out;
  CHECK(!plain.empty());
  const Pipe model(trained.folder.Path("model"), ReadBytes(trained.model));
  const Pipe data(trained.folder.Path("data"), ReadBytes(trained.data));
  CHECK(RunProgram({"multilabel", "predict", data.path(), "--model", model.path()}).out == plain);
  const Pipe training(trained.folder.Path("training"), ReadBytes(trained.data));
  const Arguments train = {"multilabel",
                           "train",
                           training.path(),
                           "--num-labels",
                           "5",
                           "--model",
                           trained.folder.Path("piped.slk"),
                           "-q"};
  Succeed(train);
  const std::string again = RunProgram({"multilabel", "predict", trained.data, "--model",
                                        trained.folder.Path("piped.slk")})
                                .out;
  CHECK(again == plain);
}

TEST_CASE("an endless file is bad input for every reader") {
  const TrainedOutside trained;
  const std::string zero = "/dev/zero";
  const std::string out = trained.folder.Path("o.slk");
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"info", zero}, "not a Slackline model"},
      {{"multilabel", "predict", trained.data, "--model", zero}, "not a Slackline model"},
      {trained.Train("o.slk", {"--resume", zero}), "not a Slackline checkpoint"},
      {trained.Train("o.slk", {"--graph", zero}), "/dev/zero:1: the line is longer than 268 MB"},
      {{"multilabel", "train", zero, "--num-labels", "5", "--model", out},
       "/dev/zero:1: the line is longer"},
      {{"multilabel", "train", trained.data, "--labels", zero, "--model", out},
       "/dev/zero:1: the line is"},
      {{"sequence", "train", zero, "--model", out}, "/dev/zero:1: the line is longer than 268 MB"},
      {{"matching", "train", zero, "--model", out}, "/dev/zero:1: the line is longer than 268 MB"},
      {{"report", zero, "--out", trained.folder.Path("p.html")}, "/dev/zero: the file is too long"},
  };
  for (const auto& [arguments, message] : cases) {
    CheckRefused(arguments, message);
  }
  CHECK(trained.folder.NumFiles() == 2);
}

#ifndef SLACKLINE_SANITIZED  // sanitizers need an address space of terabytes
TEST_CASE("with too little memory every command ends with a message") {
  const TrainedOutside trained;
  for (const Arguments& arguments :
       {Arguments{"info", trained.model}, trained.Train("o.slk"),
        trained.Train("o.slk", {"--log", trained.folder.Path("run.jsonl"), "--verify"}),
        trained.Train("o.slk", {"--kernel", "rbf"}),
        Arguments{"multilabel", "predict", trained.data, "--model", trained.model}}) {
    const Outcome outcome = RunInLeastMemory(arguments, 150);
    CHECK_MESSAGE(outcome.code == 0, arguments[0] << ": " << outcome.err);
  }
}
#endif
