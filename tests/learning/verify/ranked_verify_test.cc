// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates of runs on several ranks: every rank checks its own examples, and all ranks come to
// one result.
#include <atomic>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify/verify.h>

#include "tests/support/dealt.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/thread_ranks.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kShards = 3;

TrainOptions OptionsOn(Ranks& ranks) {
  return {.learner = LearnerKind::kBcfw,
          .step = StepKind::kPairwise,
          .shards = kShards,
          .max_passes = 10,
          .ranks = &ranks};
}

/// Trains on the examples of this rank. change: what to do to the claim before it is verified.
template <class Change>
Verification TrainAndVerify(const Problem& problem, Ranks& ranks, const Change& change,
                            const std::atomic<int>* interrupt = nullptr) {
  const Problem part = PartOf(problem, kShards, ranks);
  const TrainOptions options = OptionsOn(ranks);
  const std::unique_ptr<Learner> learner = MakeLearner(part, options);
  learner->traits().dual_point->KeepDualPoint();
  TrainSummary summary = RunTraining(part, *learner, options, nullptr, nullptr);
  change(&summary);
  VerifyOptions how;
  how.interrupt = interrupt;
  return VerifyCertificate(part, summary.weights, summary.last, options,
                           learner->traits().dual_point, how);
}

Problem DealtProblem(int seed) {
  Random random(seed);
  return Problem(RandomMultiLabelProblem(random, 12, 4, 3, seed % 2 == 0), 0.05);
}

}  // namespace

TEST_CASE("the certificate of several ranks holds, with the figures of one") {
  for (const int seed : {1, 2}) {
    const Problem problem = DealtProblem(seed);
    std::vector<Verification> results;
    for (const int size : {1, 2, 3}) {
      for (Verification& result : OnEachRank(size, [&](ThreadRanks& ranks) {
             return TrainAndVerify(problem, ranks, [](TrainSummary*) {});
           })) {
        results.push_back(std::move(result));
      }
    }
    for (const Verification& result : results) {
      CAPTURE(seed);
      CAPTURE(result.message);
      CHECK(result.outcome == VerifyOutcome::kHolds);
      CHECK(result.dual_proved);
      CHECK(Near(result.primal, results[0].primal, kTight));
      CHECK(Near(result.primal_value, results[0].primal_value, kTight));
      CHECK(Near(result.dual, results[0].dual, kTight));
      CHECK(result.solvers == results[0].solvers);
    }
  }
}

TEST_CASE("ranks without examples take part") {
  Random random(5);
  const Problem problem(RandomMultiLabelProblem(random, 2, 4, 3, false), 0.05);
  for (const Verification& result : OnEachRank(3, [&](ThreadRanks& ranks) {
         return TrainAndVerify(problem, ranks, [](TrainSummary*) {});
       })) {
    CAPTURE(result.message);
    CHECK(result.outcome == VerifyOutcome::kHolds);
    CHECK(result.dual_proved);
    CHECK(result.solvers.back() != ',');
  }
}

TEST_CASE("wrong claims fail on all ranks") {
  const Problem problem = DealtProblem(1);
  const auto check = [&](const auto& change) {
    for (const Verification& result : OnEachRank(
             3, [&](ThreadRanks& ranks) { return TrainAndVerify(problem, ranks, change); })) {
      CAPTURE(result.message);
      CHECK(result.outcome == VerifyOutcome::kFails);
    }
  };
  check([](TrainSummary* summary) { summary->last.primal *= 0.999; });
  check([](TrainSummary* summary) { summary->last.dual = 1.001 * summary->last.primal; });
  check([](TrainSummary* summary) { summary->last.dual *= 1.001; });
  check([](TrainSummary* summary) { summary->weights[2] += 0.1; });
}

TEST_CASE("an interrupt of one rank ends the verification of all") {
  const Problem problem = DealtProblem(1);
  const std::atomic<int> interrupt = 2;
  for (const Verification& result : OnEachRank(3, [&](ThreadRanks& ranks) {
         return TrainAndVerify(
             problem, ranks, [](TrainSummary*) {}, ranks.rank() == 1 ? &interrupt : nullptr);
       })) {
    CHECK(result.outcome == VerifyOutcome::kInterrupted);
    CHECK(result.message == "verification interrupted after 8 of 12 examples");
  }
}
