// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline multilabel train --loss f1.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Four labels in 40 rows; some entries of the second label are unknown.
std::string Table() {
  std::string text = "x,y,a,b,c,d\n";
  for (int row = 0; row < 40; ++row) {
    text += std::to_string(row % 10) + "," + std::to_string(row * row % 7);
    for (int i = 0; i < 4; ++i) {
      const bool on = (row * (i + 3) + row * row % 7) % 4 == 0 || (row % 10) / 3 == i;
      text += row % 9 == 8 && i == 1 ? "," : on ? ",1" : ",0";
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("train, verify, evaluate and info support the loss 1 - F1") {
  const TemporaryFolder folder;
  const std::string data = folder.Write("d.csv", Table());
  const std::string model = folder.Path("m.slk");
  for (const std::string graph : {"none", "tree"}) {
    const Outcome trained =
        Succeed(Arguments{"multilabel", "train", data, "--label-columns", "a,b,c,d", "--model",
                          model, "--loss", "f1", "--graph", graph, "--verify"});
    CHECK(trained.err.find("loss f1, graph " + graph) != std::string::npos);
    CHECK(trained.err.find("optimum of the exact problem") != std::string::npos);
    CHECK(trained.err.find("the certificate holds") != std::string::npos);
    const Outcome info = RunProgram({"info", model});
    CHECK(info.out.find("loss f1") != std::string::npos);
    const Outcome evaluated = Succeed({"multilabel", "evaluate", data, "--model", model});
    CHECK(evaluated.out.find("example F1") != std::string::npos);
  }
}

TEST_CASE("--graph auto chooses among the graphs that the loss 1 - F1 suits") {
  const TemporaryFolder folder;
  const std::string data = folder.Write("d.csv", Table());
  const std::string model = folder.Path("m.slk");
  const Arguments arguments = {"multilabel", "train",   data,  "--label-columns",
                               "a,b,c,d",    "--model", model, "--loss",
                               "f1",         "--graph"};
  const Outcome chosen = Succeed(arguments + Arguments{"auto"});
  CHECK_MESSAGE(chosen.err.find("graph full is not tried: --loss f1") != std::string::npos,
                chosen.err);
  const bool tree = chosen.err.find("loss f1, graph tree") != std::string::npos;
  CHECK((tree || chosen.err.find("loss f1, graph none") != std::string::npos));
  const Outcome listed = Succeed(arguments + Arguments{"none,tree"});
  CHECK(listed.err.find(tree ? "loss f1, graph tree" : "loss f1, graph none") != std::string::npos);
}

TEST_CASE("options that do not work with the loss 1 - F1 are refused") {
  const TemporaryFolder folder;
  const std::string data = folder.Write("d.csv", Table());
  const std::string model = folder.Path("m.slk");
  const auto refused = [&](const Arguments& more, const std::string& word) {
    const Outcome outcome = RunProgram(
        Arguments{"multilabel", "train", data, "--label-columns", "a,b,c,d", "--model", model} +
        more);
    CHECK(outcome.code == 2);
    CHECK_MESSAGE(outcome.err.find(word) != std::string::npos, outcome.err);
  };
  refused({"--loss", "f1"}, "--graph none or tree");
  refused({"--loss", "f1", "--graph", "none", "--loss-weights", "inverse-frequency"},
          "--loss-weights");
  refused({"--loss", "f1", "--graph", "none", "--learner", "al"}, "1 - F1 is not");
  refused({"--loss", "f1", "--graph", "none", "--oracle", "roof"}, "--oracle");
  refused({"--loss", "f2", "--graph", "none"}, "f1");
}
