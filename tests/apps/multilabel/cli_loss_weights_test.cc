// SPDX-License-Identifier: BSD-3-Clause
//
// The option --loss-weights of the commands.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

/// A frequent and a rare label, which the inputs hardly explain.
struct RareLabelFiles {
  TemporaryFolder folder;
  std::string data = folder.Write("d.csv", Table());
  std::string weights = folder.Write("w.txt", "rare 4\n");
  std::string model = folder.Path("m.slk");

  static std::string Table() {
    std::string text = "x,y,common,rare\n";
    for (int row = 0; row < 90; ++row) {
      const bool rare = row % 9 == 0;
      text += std::to_string(row * 13 % 10 + (rare ? 8 : 0)) + "," + std::to_string(row * row % 7) +
              "," + (row % 4 > 0 ? "1," : "0,") + (rare ? "1\n" : "0\n");
    }
    return text;
  }
  Outcome Train(const Arguments& more) const {
    return RunProgram(
        Arguments{"multilabel", "train", data, "--label-columns", "common,rare", "--model", model} +
        more);
  }
  Json Evaluate(const Arguments& more = {}) const {
    const Outcome outcome =
        Succeed(Arguments{"multilabel", "evaluate", data, "--model", model, "--json"} + more);
    return Json::parse(outcome.out);
  }
};

}  // namespace

TEST_CASE("loss weights change the training, so that rare labels are found") {
  const RareLabelFiles files;
  const Arguments usual = {"--lambda", "0.003", "--scale", "standard"};
  Succeed(files.Train(usual));
  const double recall = files.Evaluate()["labels"][1]["recall"];
  for (const Arguments& more : {Arguments{"--loss-weights", files.weights},
                                Arguments{"--loss-weights", "inverse-frequency:1"}}) {
    const Outcome outcome = Succeed(files.Train(usual + more + Arguments{"--verify"}));
    CHECK(outcome.err.find("loss mean (weights " + more[1] + ")") != std::string::npos);
    CHECK(outcome.err.find("the certificate holds") != std::string::npos);
    CHECK(files.Evaluate()["labels"][1]["recall"] > recall);
    const Json info = JsonOf({"info", files.model, "--json"});
    CHECK(info["options"]["loss-weights"] == more[1]);
  }
  // The baseline of independent labels is trained with the same losses.
  const Json compared = files.Evaluate({"--compare", files.data});
  Succeed(files.Train(
      {"--graph", "none", "--loss-weights", "inverse-frequency:1", "--scale", "standard"}));
  CHECK(compared["independent"]["macro_f1"] == files.Evaluate()["macro_f1"]);
}

TEST_CASE("a run cannot be resumed with other loss weights") {
  const RareLabelFiles files;
  const std::string checkpoint = files.folder.Path("c.ckpt");
  Succeed(files.Train({"--checkpoint", checkpoint, "--loss-weights", files.weights}));
  Succeed(files.Train({"--resume", checkpoint, "--loss-weights", files.weights}));
  const Outcome outcome = files.Train({"--resume", checkpoint});
  CHECK(outcome.code == 2);
  CHECK_MESSAGE(outcome.err.find("loss") != std::string::npos, outcome.err);
}

TEST_CASE("what cannot be") {
  const RareLabelFiles files;
  const auto refused = [](const Outcome& outcome, const std::string& text) {
    CHECK(outcome.code == 2);
    CHECK_MESSAGE(outcome.err.find(text) != std::string::npos, outcome.err);
  };
  refused(files.Train({"--loss-weights", "inverse-frequency:2"}),
          "the power must be above 0 and at most 1");
  refused(files.Train({"--loss-weights", "frequency"}), "neither equal nor inverse-frequency");
  files.folder.Write("w.txt", "seldom 4\n");
  refused(files.Train({"--loss-weights", files.weights}), "w.txt:1: unknown label 'seldom'");
  refused(RunProgram({"multilabel", "train", files.data, "--label-columns", "common,rare",
                      "--loss-weights", files.weights, "--model", files.weights}),
          "is also another file of this command");
}
