// SPDX-License-Identifier: BSD-3-Clause
//
// A seventh task, whose description and reader are in ranking_task.h, has all commands.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <slackline/apps/tasks/commands/cmd_task.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>

#include "tests/apps/program.h"
#include "tests/apps/tasks/ranking_task.h"
#include "tests/core/temporary_folder.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr program::TaskTexts kRankingTexts = {
    .train = {"train", "Trains a ranking.", ""},
    .cv = {"cv", "Chooses lambda.", ""},
    .predict = {"predict", "Predicts the order of the items of each query.", ""},
    .evaluate = {"evaluate", "Compares predicted orders with given ones.", ""},
    .metrics =
        "share of the pairs of items in the right order, or of queries with the right "
        "first item"};

/// Runs `ranking WORDS` in this process; returns what it writes to the standard output.
std::string RunRanking(std::vector<std::string> words) {
  words.insert(words.begin(), "ranking");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  program::Command root("ranking", "Rankings.", "0");
  program::Action action;
  program::AddTaskCommands<RankingTask>(&root, &action, kRankingTexts);
  REQUIRE(root.Parse(static_cast<int>(arguments.size()), arguments.data()));
  std::ostringstream out;
  std::streambuf* const standard = std::cout.rdbuf(out.rdbuf());
  int code = -1;
  try {
    code = action();
  } catch (...) {
    std::cout.rdbuf(standard);
    throw;
  }
  std::cout.rdbuf(standard);
  CHECK(code == 0);
  return out.str();
}

/// Queries whose grades are those of a hidden score, with noise.
std::string DrawQueries(std::uint64_t seed, int queries, double noise) {
  Random random(seed);
  std::string text;
  for (int q = 0; q < queries; ++q) {
    const int items = 2 + static_cast<int>(random.Below(4));
    for (int i = 0; i < items; ++i) {
      const double a = random.Uniform(), b = random.Uniform();
      const double grade = 2 * a - b + noise * random.Uniform();
      text += NumberText(grade) + " qid:" + std::to_string(q) + " a:" + NumberText(a) +
              " b:" + NumberText(b) + "\n";
    }
  }
  return text;
}

std::string ErrorOfRanking(const std::vector<std::string>& words) {
  try {
    RunRanking(words);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a described task trains, predicts and evaluates") {
  const TemporaryFolder folder;
  const std::string train = folder.Write("train.txt", DrawQueries(1, 60, 0));
  const std::string test = folder.Write("test.txt", DrawQueries(2, 40, 0));
  const std::string model = folder.Path("ranking.slk");
  RunRanking({"train", train, "--lambda", "0.0001", "--model", model, "--quiet"});
  const auto figures =
      nlohmann::json::parse(RunRanking({"evaluate", test, "--model", model, "--json"}));
  CHECK(figures["queries"] == 40);
  CHECK(figures["agreement"].get<double>() > 0.95);
  CHECK(figures["first"].get<double>() > 0.9);
  CHECK(RunRanking({"evaluate", test, "--model", model}) ==
        "pairs in order  " + FixedText(figures["agreement"], 4) + "\nfirst item      " +
            FixedText(figures["first"], 4) + "\n");

  // Predictions are permutations, and those of the scores w·x.
  const Arguments lines = Lines(RunRanking({"predict", test, "--model", model, "--quiet"}));
  REQUIRE(lines.size() == 40);
  const MatchingModel loaded = MatchingModel::Load(model);
  const MatchingData data = RankingTask::ReadFor(loaded, test, OneRank());
  for (std::size_t q = 0; q < lines.size(); ++q) {
    std::istringstream line(lines[q]);
    std::vector<Index> items;
    for (Index item = 0; line >> item;) items.push_back(item - 1);
    const MatchingExample& query = data.examples[q];
    REQUIRE(items.size() == static_cast<std::size_t>(query.num_left));
    std::vector<Index> sorted(items.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    CHECK(std::is_permutation(items.begin(), items.end(), sorted.begin()));
    // The first position has the largest factor, so that its edges have the order of the scores.
    const auto score = [&](Index item) {
      return loaded.EdgeScore(data, query.first_edge + item * query.num_right);
    };
    for (std::size_t k = 1; k < items.size(); ++k) CHECK(score(items[k - 1]) >= score(items[k]));
  }
}

TEST_CASE("a described task chooses lambda, and a verified certificate holds") {
  const TemporaryFolder folder;
  const std::string train = folder.Write("train.txt", DrawQueries(3, 40, 0.5));
  const std::string model = folder.Path("ranking.slk");
  const auto chosen = nlohmann::json::parse(
      RunRanking({"cv", train, "--folds", "3", "--lambda-path", "0.1,0.001", "--metric", "first",
                  "--model", model, "--json", "--quiet"}));
  CHECK(chosen["metric"] == "first");
  CHECK(chosen["path"].size() == 2);
  RunRanking({"train", train, "--model", model, "--verify", "--loss", "count", "--quiet"});
  CHECK(MatchingModel::Load(model).record.loss == "count");
}

TEST_CASE("a described task refuses what does not fit, with file and line") {
  const TemporaryFolder folder;
  const std::string good = folder.Write("good.txt", DrawQueries(4, 5, 0));
  const std::string model = folder.Path("ranking.slk");
  CHECK(ErrorOfRanking({"train", good, "--loss", "hinge", "--model", model})
            .starts_with("--loss: 'hinge' is not allowed"));
  const std::string bad = folder.Write("bad.txt", "1 qid:1 a:1\nx qid:1 a:2\n");
  CHECK(ErrorOfRanking({"train", bad, "--model", model}) == bad + ":2: 'x' is not a grade");
  RunRanking({"train", good, "--model", model, "--quiet"});
  CHECK(ErrorOfRanking({"predict", good, "--model", model, "--output", "scores"})
            .starts_with("--output: 'scores' is not allowed"));
  CHECK(ErrorOfRanking({"predict", good, "--model", model, "--out", model})
            .find("would be overwritten") != std::string::npos);
}
