// SPDX-License-Identifier: BSD-3-Clause
//
// What several ranks make of their matchings before they train.
#include <slackline/apps/matching/matching_task.h>

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/run/fingerprint.h>

#include "tests/core/temporary_folder.h"
#include "tests/support/dealt.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr const char* kMatchings =
    "2 2\n0 0 1 a:100\n0 1 0 a:0.2 b\n1 0 0 b:0.02\n1 1 1 a:70 b:0.1\n\n"
    "1 2\n0 0 0 b:0.004\n0 1 1 a:0.9\n\n"
    "2 1\n0 0 ? a:1\n1 0 0 a:300 b\n\n"
    "1 1\n0 0 1 a\n";

struct LoadedText {
  MatchingData data;
  FeatureDictionary dictionary;
};

LoadedText LoadText(const std::string& text) {
  const TemporaryFolder folder;
  FeatureDictionary dictionary;
  MatchingData data = ReadMatchings(folder.Write("data.txt", text), nullptr, &dictionary);
  data.source = "data.txt";
  return {std::move(data), std::move(dictionary)};
}

/// The examples of this rank, with the features of all.
LoadedText OwnMatchings(const LoadedText& loaded, const Ranks& ranks) {
  LoadedText part = loaded;
  part.data.examples.clear();
  part.data.edges.clear();
  auto rows = std::make_shared<FeatureRows>();
  for (const Index m : NumbersOf(ranks, static_cast<Index>(loaded.data.examples.size()))) {
    MatchingExample example = loaded.data.examples[m];
    const Index first = example.first_edge;
    example.first_edge = static_cast<Index>(part.data.edges.size());
    for (Index e = first; e < first + example.num_edges; ++e) {
      const FeatureRow row = loaded.data.rows->row(e);
      rows->AddSparse(std::span(row.columns, row.count), std::span(row.values, row.count));
      part.data.edges.push_back(loaded.data.edges[e]);
    }
    part.data.examples.push_back(example);
  }
  part.data.rows = rows;
  return part;
}

struct PreparedMatchings {
  std::vector<double> divisor;
  double lambda = 0;
  Index num_examples = 0;
  std::string reason;
  Fingerprint fingerprint;
};

PreparedMatchings PrepareMatchings(const LoadedText& loaded, const TrainOptions& options) {
  const TaskOptions defaults(MatchingTask::Options());
  TaskInput<MatchingTask> input = MakeTaskInput<MatchingTask>(
      {{}, defaults}, loaded.data, MatchingTask::MakeModel(defaults, loaded.dictionary),
      ExactRanks(options));
  TaskTraining<MatchingTask> training(&input);
  PreparedMatchings made;
  made.divisor = input.model.scaling().divisor();
  made.lambda = ChooseLambda(options, 0, training);
  const Problem problem = training.problem().WithLambda(made.lambda);
  const LearnerChoice choice = ChooseLearner(problem, options);
  made.reason = choice.reason;
  training.Begin(made.lambda, choice.options);
  made.num_examples = training.record()->num_examples;
  made.fingerprint = MakeFingerprint(problem, choice.options);
  return made;
}

std::string ErrorOf(int size, const LoadedText& loaded) {
  return ErrorOnRanks(size, [&](ThreadRanks& ranks) {
    TrainOptions options;
    options.ranks = &ranks;
    PrepareMatchings(OwnMatchings(loaded, ranks), options);
  });
}

}  // namespace

TEST_CASE("ranks prepare the training that one process with shards prepares") {
  const LoadedText loaded = LoadText(kMatchings);
  TrainOptions sharded;
  sharded.shards = 4;
  const PreparedMatchings alone = PrepareMatchings(loaded, sharded);
  CHECK_FALSE(alone.divisor.empty());
  CHECK(alone.num_examples == 4);
  for (const int size : {1, 2, 3, 4}) {
    for (const PreparedMatchings& made : OnEachRank(size, [&](ThreadRanks& ranks) {
           TrainOptions options = sharded;
           options.ranks = &ranks;
           return PrepareMatchings(OwnMatchings(loaded, ranks), options);
         })) {
      CHECK(made.divisor == alone.divisor);
      CHECK(made.lambda == alone.lambda);
      CHECK(made.reason == alone.reason);
      CHECK(made.num_examples == 4);
      CHECK(Difference(alone.fingerprint, made.fingerprint) == "");
    }
  }
}

TEST_CASE("an error in the matching of one rank is an error on all") {
  const LoadedText loaded = LoadText(std::string(kMatchings) + "\n1 2\n0 0 1 a\n0 1 1 b\n");
  const std::string error = ErrorOf(3, loaded);
  CHECK(error.find("data.txt:") == 0);
  CHECK(error.find("more than 1 edge with label 1") != std::string::npos);
}

TEST_CASE("ranks refuse examples without a known edge") {
  const LoadedText loaded = LoadText("1 1\n0 0 1 a\n\n1 1\n0 0 ? a\n\n1 1\n0 0 0 a\n");
  CHECK(ErrorOf(2, loaded) ==
        "data.txt: 1 example without a known label: remove them, since several processes that "
        "train together cannot leave them out");
}
