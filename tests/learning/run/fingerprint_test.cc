// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/fingerprint.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/support/dealt.h"
#include "tests/support/random_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

Fingerprint WithOracle(SolverKind oracle) {
  Random random(3);
  return MakeFingerprint(Problem(RandomProblem(random, {}), 0.1),
                         {.learner = LearnerKind::kBcfw, .oracle = oracle});
}

std::string Value(const Fingerprint& fingerprint, std::string_view name) {
  const auto found = std::find_if(fingerprint.begin(), fingerprint.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == fingerprint.end() ? "not there" : found->second;
}

}  // namespace

TEST_CASE("fingerprints keep the old name of branch and bound") {
  CHECK(Value(WithOracle(SolverKind::kBranchAndBound), "--oracle") == "search");
  CHECK(Value(WithOracle(SolverKind::kMessagesBranchAndBound), "--oracle") == "messages-search");
  CHECK(Value(WithOracle(SolverKind::kTree), "--oracle") == "tree");
}

TEST_CASE("differences are reported by the names of options") {
  const Fingerprint saved = WithOracle(SolverKind::kBranchAndBound);
  CHECK(Difference(saved, WithOracle(SolverKind::kBranchAndBound)) == "");
  CHECK(Difference(saved, WithOracle(SolverKind::kMessagesBranchAndBound)) ==
        "--oracle was branch-and-bound and is messages-branch-and-bound now");
  Fingerprint unknown = saved;
  for (auto& [name, value] : unknown) {
    if (name == "--oracle") value = "from the future";
  }
  CHECK(Difference(unknown, saved) == "--oracle was from the future and is branch-and-bound now");
}

namespace {

ProblemOptions Shape() { return {.num_examples = 11, .mixed_sizes = true, .potentials = true}; }

/// The problem with its examples in this order.
Problem Ordered(const Problem& problem, const std::vector<Index>& order) {
  const TrainingSet& whole = problem.training();
  TrainingSet other{Dataset(whole.data.shared_layout(), whole.data.rows()), {}, {0}};
  for (const Index m : order) {
    const ExampleView example = whole.data.example(m);
    other.data.Add(whole.data.structures()[whole.data.structure_of(m)], example.labels(),
                   whole.data.first_input(m), example.potentials());
    other.losses.insert(other.losses.end(), whole.loss(m).begin(), whole.loss(m).end());
    other.loss_begin.push_back(static_cast<Offset>(other.losses.size()));
  }
  return Problem(std::move(other), problem.lambda());
}

}  // namespace

TEST_CASE("the same data on several ranks have one fingerprint") {
  Random random(6);
  const Problem problem(RandomProblem(random, Shape()), 0.1);
  for (const LearnerKind learner : {LearnerKind::kAuto, LearnerKind::kBcfw}) {
    const TrainOptions options{.learner = learner, .shards = 5};
    const Fingerprint alone = MakeFingerprint(problem, options);
    CHECK(Value(alone, "number of examples") == "11");
    for (const int size : {1, 2, 3, 5}) {
      const auto all = OnEachRank(size, [&](ThreadRanks& ranks) {
        TrainOptions own = options;
        own.ranks = &ranks;
        return MakeFingerprint(PartOf(problem, ranks), own);
      });
      for (const Fingerprint& fingerprint : all) CHECK(Difference(alone, fingerprint) == "");
    }
  }
}

TEST_CASE("the order of the examples belongs to the fingerprint") {
  Random random(7);
  const Problem problem(RandomProblem(random, Shape()), 0.1);
  const Fingerprint one = MakeFingerprint(problem, {});
  CHECK(Difference(one, MakeFingerprint(Ordered(problem, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), {}))
            .empty());
  const std::string swapped =
      Difference(one, MakeFingerprint(Ordered(problem, {0, 1, 2, 9, 4, 5, 6, 7, 8, 3, 10}), {}));
  CHECK(swapped.find("features of the data differ") != std::string::npos);
  CHECK(swapped.find("graphs differ") != std::string::npos);
}

TEST_CASE("the hash of each part sees every value") {
  Random random(8);
  const TrainingSet training = RandomProblem(random, Shape());
  const Problem problem(training, 0.1);
  TrainingSet other = training;
  other.losses.back() += 0.5;
  CHECK(Difference(MakeFingerprint(problem, {}), MakeFingerprint(Problem(other, 0.1), {})) ==
        "losses differ");
  other = training;
  other.form = LossForm::kF1;
  CHECK(Difference(MakeFingerprint(problem, {}), MakeFingerprint(Problem(other, 0.1), {})) ==
        "losses differ");
}
