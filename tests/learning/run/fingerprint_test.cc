// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/fingerprint.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/support/random_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

Fingerprint WithOracle(SolverKind oracle) {
  Random random(3);
  TrainOptions options;
  options.learner = LearnerKind::kBcfw;
  options.oracle = oracle;
  return MakeFingerprint(Problem(RandomProblem(random, {}), 0.1), options);
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

TEST_CASE("other data and other options have other fingerprints") {
  Random random(4);
  const Problem problem(RandomProblem(random, {}), 0.1);
  const TrainOptions options;
  TrainOptions other;
  other.seed = options.seed + 1;
  const Fingerprint one = MakeFingerprint(problem, options);
  CHECK(Difference(one, MakeFingerprint(problem, other)).find("--seed was ") == 0);
  const Problem elsewhere(RandomProblem(random, {}), 0.1);
  CHECK(Difference(one, MakeFingerprint(elsewhere, options)).find("labels of the data differ") !=
        std::string::npos);
}
