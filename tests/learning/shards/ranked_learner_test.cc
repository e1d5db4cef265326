// SPDX-License-Identifier: BSD-3-Clause
//
// Shards on several ranks: the same bits as on one, whatever ranks have.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/model_builder.h>
#include <slackline/learning/run/checkpoint.h>
#include <slackline/learning/shards/shard_deal.h>
#include <slackline/learning/stop_relay.h>
#include <slackline/learning/train_loop.h>

#include "tests/core/temporary_folder.h"
#include "tests/support/dealt.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/never.h"
#include "tests/support/option_text.h"
#include "tests/support/sanitized.h"
#include "tests/support/states.h"
#include "tests/support/thread_ranks.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions TwelvePasses(Index shards) {
  return {.learner = LearnerKind::kBcfw,
          .step = StepKind::kPairwise,
          .order = OrderKind::kGap,
          .proximal = Switch::kAuto,
          .shards = shards,
          .gap_tolerance = 1e-4,
          .max_passes = 12};
}

/// Every kind of learner in shards.
std::vector<TrainOptions> RankedWays(Index shards) {
  std::vector<TrainOptions> ways = {TwelvePasses(shards)};
  TrainOptions options = With(TwelvePasses(shards), "--order auto --step fw");
  ways.push_back(options);
  Set(&options, "--step auto --learner prox-sdca --l1 0.001 --smoothing 0.1");
  ways.push_back(options);
  options.l1 = 0;
  options.learner = LearnerKind::kSoft;
  ways.push_back(options);
  options.smoothing = 0;
  options.learner = LearnerKind::kAugmentedLagrangian;
  ways.push_back(options);
  options.order = OrderKind::kUniform;
  ways.push_back(options);
  return ways;
}

/// Everything about a run that must not depend on the number of ranks.
struct Outcome {
  std::vector<double> weights;
  std::vector<double> figures;
  bool operator==(const Outcome&) const = default;
};
Outcome OutcomeOf(const TrainSummary& summary) {
  const ProgressRecord& last = summary.last;
  return {summary.weights,
          {last.primal, last.dual, static_cast<double>(last.pass),
           static_cast<double>(last.oracle_calls), static_cast<double>(last.block_steps),
           static_cast<double>(last.rounds)}};
}

/// Checks that these numbers of ranks make the run of one process.
void CheckSameOnRanks(const Problem& problem, const TrainOptions& options,
                      std::initializer_list<int> sizes) {
  const Outcome alone = OutcomeOf(Train(problem, options));
  for (const int size : sizes) {
    const std::vector<Outcome> outcomes = OnEachRank(size, [&](ThreadRanks& ranks) {
      TrainOptions own = options;
      own.ranks = &ranks;
      return OutcomeOf(Train(PartOf(problem, options.shards, ranks), own));
    });
    CAPTURE(problem.size());
    CAPTURE(options.shards);
    CAPTURE(options.learner.name());
    CAPTURE(size);
    for (const Outcome& outcome : outcomes) {
      CHECK(outcome.weights == alone.weights);
      CHECK(outcome.figures == alone.figures);
    }
  }
}

/// The bytes that a rank gives in a round: the mean of all ranks and of the rounds of four passes
/// in four shards.
double SentPerRound(const Problem& problem, int size) {
  std::vector<double> sent(size);
  std::int64_t rounds = 0;
  OnThreadRanks(size, [&](ThreadRanks& ranks) {
    TrainOptions own = TwelvePasses(4);
    own.ranks = &ranks;
    const Problem part = PartOf(problem, 4, ranks);
    const auto learner = MakeLearner(part, own);
    const std::size_t before = ranks.sent();
    for (int pass = 0; pass < 4; ++pass) learner->RunPass(kNever);
    sent[ranks.rank()] = static_cast<double>(ranks.sent() - before);
    if (ranks.first()) rounds = learner->work().rounds;
  });
  double mean = 0;
  for (const double of_rank : sent) mean += of_rank / size / static_cast<double>(rounds);
  return mean;
}

/// The same where all weights are frequent: changes of the rank's shards to the other ranks, and a
/// piece of the weights to all of them.
double PredictedPerRound(const Problem& problem, int size) {
  return 8.0 * static_cast<double>(problem.num_weights()) * (size - 1) / size * (4.0 / size + 1);
}

}  // namespace

TEST_CASE("runs on several ranks are those on one, bit for bit") {
  Random random(1);
  for (const bool texts : {false, true}) {
    CAPTURE(texts);
    const Problem problem = texts ? TextProblem(random) : DenseProblem(random, 101);
    for (const Index shards : Cases<Index>({3, 8, 4})) {
      for (const TrainOptions& options : RankedWays(shards))
        CheckSameOnRanks(problem, options, {1, 2, 3});
    }
  }
}

TEST_CASE("ranks may have no examples") {
  Random random(2);
  for (const Index examples : Cases<Index>({1, 4, 2})) {
    for (const bool texts : {false, true}) {
      CAPTURE(texts);
      const Problem problem =
          texts ? Problem(RandomTextProblem(random, examples, 10, 3000), 1.0 / 600)
                : DenseProblem(random, examples);
      for (const Index shards : {5, 7}) {
        for (const TrainOptions& options : RankedWays(shards))
          CheckSameOnRanks(problem, options, {2, 3, 5});
      }
    }
  }
}

namespace {

/// Examples begin … end − 1 of a fixed sequence of them, and their rows alone: five variables each,
/// whose inputs have one of 30 features.
Problem TokenProblem(const ExampleRange& range) {
  constexpr Index kStates = 3;
  constexpr Index kFeatures = 30;
  constexpr Index kTokens = 5;
  const auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("token", kStates, kFeatures);
  ModelBuilder builder(layout);
  for (Index i = 0; i < kTokens; ++i)
    builder.AddLinearFeatures(builder.AddVariable(kStates), block, i);
  const auto structure = builder.Build();
  Random random(3);
  const auto rows = std::make_shared<FeatureRows>();
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < range.end; ++m) {
    std::vector<Index> given;
    for (Index i = 0; i < kTokens; ++i) {
      const auto feature = static_cast<Index>(random.Below(kFeatures));
      given.push_back((feature + static_cast<Index>(random.Below(2))) % kStates);
      if (m >= range.begin) rows->AddSparse(std::vector<Index>{feature}, std::vector<double>{1});
    }
    labels.push_back(std::move(given));
  }
  Dataset data(layout, rows);
  for (Index m = range.begin; m < range.end; ++m)
    data.Add(structure, labels[Size(m)], (m - range.begin) * kTokens);
  return Problem(MakeTrainingSet(data, LossOptions{}), 0.02);
}

}  // namespace

TEST_CASE("what a shard computes does not depend on other rows of its process") {
  // The inner products of inputs take five numbers for each of their values: more than is allowed,
  // unless the values of other shards are counted.
  constexpr Index kExamples = 30;
  const TrainOptions options = TwelvePasses(3);
  const Outcome alone = OutcomeOf(Train(TokenProblem({0, kExamples}), options));
  const std::vector<Outcome> outcomes = OnEachRank(3, [&](ThreadRanks& ranks) {
    TrainOptions own = options;
    own.ranks = &ranks;
    return OutcomeOf(Train(TokenProblem(RangeOfShard(kExamples, 3, ranks.rank())), own));
  });
  for (const Outcome& outcome : outcomes) {
    CHECK(outcome.weights == alone.weights);
    CHECK(outcome.figures == alone.figures);
  }
}

namespace {

/// Trains on ranks that write checkpoints after every pass, and are interrupted after some passes
/// by rank `interrupter`; 0 passes: never. Resumes from the checkpoint if asked to.
Outcome RunOnRanks(const Problem& problem, const TrainOptions& options, int size,
                   const std::string& path, Index passes, bool resume, int interrupter = 0) {
  Outcome outcome;
  OnThreadRanks(size, [&](ThreadRanks& ranks) {
    TrainOptions own = options;
    own.ranks = &ranks;
    const Problem part = PartOf(problem, options.shards, ranks);
    const auto learner = MakeLearner(part, own);
    CheckpointFile file(path, ranks);
    Checkpoint from;
    if (resume) from = file.Load();
    std::atomic<int> interrupt{0};
    struct Observer : public TrainObserver {
      void OnCheck(const ProgressRecord&) override {}
      void OnPass(Index pass) override {
        if (pass == last) *stop = SIGINT;
      }
      Index last = 0;
      std::atomic<int>* stop = nullptr;
    } observer;
    observer.last = ranks.rank() == interrupter ? passes : 0;
    observer.stop = &interrupt;
    CheckpointPlan plan = ContinuedFrom(from.state);
    plan.every_seconds = 0;
    plan.write = [&](const std::string& state, std::span<const std::size_t> parts) {
      Checkpoint checkpoint{.fingerprint = {{"name", "value"}},
                            .stage = 3,
                            .figures = {1, 2},
                            .state = state,
                            .parts = {}};
      checkpoint.parts.assign(parts.begin(), parts.end());
      file.Save(checkpoint);
    };
    const Outcome mine = OutcomeOf(RunTraining(part, *learner, own, &observer, &interrupt, plan));
    if (ranks.first()) outcome = mine;
  });
  return outcome;
}

}  // namespace

TEST_CASE("an interrupted run continues on any number of ranks, bit for bit") {
  Random random(2);
  for (const bool texts : {false, true}) {
    const Problem problem = texts ? TextProblem(random) : DenseProblem(random, 60);
    std::vector<TrainOptions> ways = RankedWays(4);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const TrainOptions& options = ways[w];
      const Outcome whole = OutcomeOf(Train(problem, options));
      // All pairs for one kind of learner; the others have the same files.
      for (const int before : w == 0 ? std::vector{1, 2, 3} : std::vector{1, 3}) {
        for (const int after : w == 0 ? std::vector{1, 2, 4} : std::vector{1, 2}) {
          const TemporaryFolder folder;
          const std::string path = folder.Path("run.ckpt");
          RunOnRanks(problem, options, before, path, 5, false, before - 1);
          CHECK(folder.NumFiles() == (before == 1 ? 1 : 1 + Size(before)));
          const Outcome resumed = RunOnRanks(problem, options, after, path, 0, true);
          CAPTURE(texts);
          CAPTURE(options.learner.name());
          CAPTURE(before);
          CAPTURE(after);
          CHECK(resumed.weights == whole.weights);
          CHECK(resumed.figures == whole.figures);
          // The files of the checkpoint before are gone.
          CHECK(folder.NumFiles() == (after == 1 ? 1 : 1 + Size(after)));
        }
      }
    }
  }
}

TEST_CASE(
    "a preparation that must end on one rank ends on all, with the certificate of zero weights") {
  Random random(24);
  const Problem problem = DenseProblem(random, 40);
  const double at_zero = PrimalAtZeroWeights(problem);
  for (const TrainOptions& way : RankedWays(4)) {
    if (way.learner == LearnerKind::kProxSdca) continue;  // its objective has an l1 term
    CAPTURE(way.learner.name());
    for (const int size : {1, 3}) {
      CAPTURE(size);
      const std::vector<TrainSummary> summaries = OnEachRank(size, [&](ThreadRanks& ranks) {
        // The last rank alone hears the interrupt.
        const std::atomic<int> interrupt{ranks.rank() == size - 1 ? 1 : 0};
        StopRelay relay(0, &interrupt);
        TrainOptions own = way;
        own.ranks = &ranks;
        own.stop = &relay;
        own.threads = 2;
        const Problem part = PartOf(problem, way.shards, ranks);
        const auto learner = MakeLearner(part, own);
        return RunTraining(part, *learner, own, nullptr, &interrupt);
      });
      for (const TrainSummary& summary : summaries) {
        CHECK(summary.termination == Termination::kInterrupted);
        CHECK(summary.last.dual == 0);
        CHECK(Near(summary.last.primal, at_zero, kTight));
        CHECK(std::all_of(summary.weights.begin(), summary.weights.end(),
                          [](double weight) { return weight == 0; }));
      }
    }
  }
}

TEST_CASE("a checkpoint of ranks whose files are missing or mixed is refused by all ranks") {
  Random random(3);
  const Problem problem = DenseProblem(random, 60);
  const TrainOptions options = TwelvePasses(4);
  const TemporaryFolder folder;
  RunOnRanks(problem, options, 2, folder.Path("a"), 2, false);
  RunOnRanks(problem, options, 2, folder.Path("b"), 3, false);
  const auto rank_file = [&](const std::string& name, const std::string& rank) {
    for (const auto& entry : std::filesystem::directory_iterator(folder.Path(""))) {
      const std::string file = entry.path().filename().string();
      if (file.starts_with(name + ".") && file.ends_with(".rank-" + rank)) return entry.path();
    }
    return std::filesystem::path();
  };
  const auto message = [&] {
    return ErrorOnRanks(
        2, [&](ThreadRanks& ranks) { CheckpointFile(folder.Path("a"), ranks).Load(); });
  };
  CHECK(message() == "accepted");
  const std::filesystem::path second = rank_file("a", "1");
  std::filesystem::copy_file(rank_file("b", "1"), second,
                             std::filesystem::copy_options::overwrite_existing);
  CHECK(message().find("belongs to another checkpoint") != std::string::npos);
  CHECK(MessageOf<DataError>([&] {
          LoadCheckpoint(rank_file("b", "0").string());
        }).find("has the shards of one process alone") != std::string::npos);
  std::filesystem::remove(second);
  CHECK(message().find(second.filename().string()) != std::string::npos);
}

TEST_CASE("a path over lambda on ranks is that of one process") {
  Random random(4);
  const Problem problem = DenseProblem(random, 50);
  const auto path = [&](const Problem& part, const TrainOptions& own) {
    std::vector<double> primals;
    const auto learner = MakeLearner(part, own);
    for (const double lambda : {0.02, 0.005}) {
      const Problem next = part.WithLambda(lambda);
      if (lambda < 0.02) learner->traits().lambda->ChangeLambda(next);
      primals.push_back(RunTraining(next, *learner, own, nullptr, nullptr).last.primal);
    }
    return primals;
  };
  for (const TrainOptions& options : RankedWays(4)) {
    const std::vector<double> alone = path(problem, options);
    for (const int size : {2, 4}) {
      OnThreadRanks(size, [&](ThreadRanks& ranks) {
        TrainOptions own = options;
        own.ranks = &ranks;
        CHECK(path(PartOf(problem, 4, ranks), own) == alone);
      });
    }
  }
}

TEST_CASE("ranks give and get as many numbers in a round as predicted") {
  Random random(5);
  // 12 000 frequent weights.
  const Problem dense(RandomMultiLabelProblem(random, 200, 20, 600, false), 0.02);
  CAPTURE(dense.num_weights());
  for (const int size : {2, 4}) {
    CAPTURE(size);
    const double sent = SentPerRound(dense, size);
    const double predicted = PredictedPerRound(dense, size);
    CHECK(sent > predicted);
    CHECK(sent < 1.05 * predicted);  // with what is small
  }
}

TEST_CASE("of rare features ranks give and get what has changed") {
  Random random(6);
  const Problem sparse(RandomTextProblem(random, 3000, 20, 20'000), 0.02);
  for (const int size : {2, 4}) {
    CAPTURE(size);
    CHECK(SentPerRound(sparse, size) < 0.1 * PredictedPerRound(sparse, size));
  }
}
