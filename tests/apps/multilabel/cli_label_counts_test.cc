// SPDX-License-Identifier: BSD-3-Clause
//
// The option --label-counts of the commands.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/types.h>

#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The number of labels in each line.
std::vector<Index> Counts(const std::string& text) {
  std::vector<Index> counts;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    counts.push_back(
        line.empty() ? 0 : 1 + static_cast<Index>(std::count(line.begin(), line.end(), ',')));
    begin = end + 1;
  }
  return counts;
}

Index Least(const std::vector<Index>& counts) {
  return *std::min_element(counts.begin(), counts.end());
}
Index Most(const std::vector<Index>& counts) {
  return *std::max_element(counts.begin(), counts.end());
}

/// Every example has exactly one label. The inputs say little, so that most predictions without
/// bounds on the count are empty.
struct CountFiles {
  TemporaryFolder folder;
  std::string data = folder.Write("d.csv", Table());
  std::string model = folder.Path("m.slk");

  static std::string Table() {
    std::string text = "x,y,a,b,c\n";
    for (int row = 0; row < 60; ++row) {
      const int label = row * 7 % 3;
      text += std::to_string(row * 13 % 10) + "," + std::to_string(row * row % 7);
      for (int i = 0; i < 3; ++i) text += i == label ? ",1" : ",0";
      text += "\n";
    }
    return text;
  }
  Outcome Train(const Arguments& more) const {
    return RunProgram(
        Arguments{"multilabel", "train", data, "--label-columns", "a,b,c", "--model", model} +
        more);
  }
  std::vector<Index> Predict(const Arguments& more) const {
    const Outcome outcome =
        Succeed(Arguments{"multilabel", "predict", data, "--model", model, "-q"} + more);
    return Counts(outcome.out);
  }
};

}  // namespace

TEST_CASE("train, predict and evaluate") {
  const CountFiles files;
  const Arguments none = {"--graph", "none", "--lambda", "1"};
  for (const Arguments& graph : {Arguments{"--lambda", "1"}, none}) {
    Succeed(files.Train(graph + Arguments{"--label-counts", "any"}));
    REQUIRE(Least(files.Predict({})) == 0);
    const Outcome trained = Succeed(files.Train(graph));
    CHECK(trained.err.find("predictions of at least 1 label") != std::string::npos);
    CHECK(Least(files.Predict({})) == 1);
    CHECK(Least(files.Predict({"--label-counts", "any"})) == 0);
    CHECK(Least(files.Predict({"--label-counts", "2-"})) == 2);
    CHECK(files.Predict({"--label-counts", "3"}) == std::vector<Index>(60, 3));
    CHECK(Least(files.Predict({"--stream"})) == 1);
    CHECK(files.Predict({"--stream"}) == files.Predict({}));
    CHECK(Most(files.Predict({"--label-counts", "0-1"})) <= 1);
  }
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["label_counts"] == Json({1, 3}));
  CHECK(RunProgram({"info", files.model}).out.find("predicts    at least 1 label\n") !=
        std::string::npos);
  const auto subset = [&](const Arguments& more) {
    const Outcome outcome = Succeed(
        Arguments{"multilabel", "evaluate", files.data, "--model", files.model, "--json"} + more);
    return Json::parse(outcome.out)["subset_accuracy"].get<double>();
  };
  CHECK(subset({}) > subset({"--label-counts", "any"}));
  const Outcome explained =
      Succeed({"multilabel", "predict", files.data, "--model", files.model, "--explain", "1"});
  CHECK(explained.out.find("because of the bounds on their number") != std::string::npos);
}

TEST_CASE("bounds in cv come from the training data of each fold") {
  const CountFiles files;
  const auto subset = [&](const std::string& counts) {
    const Outcome outcome =
        Succeed({"multilabel", "cv", files.data, "--label-columns", "a,b,c", "--lambda-path", "1",
                 "--graph", "full", "--label-counts", counts, "--no-refit", "--json"});
    return Json::parse(outcome.out)["path"][0]["subset_accuracy"]["mean"].get<double>();
  };
  CHECK(subset("auto") == subset("1-"));
  CHECK(subset("auto") > subset("any"));
}

TEST_CASE("what cannot be") {
  const CountFiles files;
  const auto refused = [](const Outcome& outcome, const std::string& text) {
    CHECK(outcome.code == 2);
    CHECK_MESSAGE(outcome.err.find(text) != std::string::npos, outcome.err);
  };
  refused(files.Train({"--label-counts", "5-1"}), "--label-counts: '5-1' is not one of");
  refused(files.Train({"--label-counts", "4-5"}), "asks for 4 labels or more, but the data have 3");
  Succeed(files.Train({"--lambda", "1"}));
  refused(RunProgram(
              {"multilabel", "predict", files.data, "--model", files.model, "--label-counts", "4"}),
          "--label-counts: '4', but the model has 3 labels");
}
