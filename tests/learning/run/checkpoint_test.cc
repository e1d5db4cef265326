// SPDX-License-Identifier: BSD-3-Clause
//
// Runs that are interrupted and resumed give the results of uninterrupted runs, bit for bit.
#include <slackline/learning/run/checkpoint.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/model_file.h>

#include "tests/core/temporary_folder.h"
#include "tests/support/learner_checks.h"
#include "tests/support/learner_ways.h"
#include "tests/support/sanitized.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kRunPasses = 40;

struct Variant {
  std::string name;
  TrainOptions options;
  bool other = false;  ///< not a learner on blocks: tested in fewer places
};

TrainOptions Base(LearnerKind learner, StepKind step, OrderKind order) {
  return {.learner = learner, .step = step, .order = order, .gap_tolerance = 0};
}

/// All ways with a state to train on the problem (learner_ways.h), with gap tolerances of 0 so that
/// runs make all passes, and one way with a kernel.
std::vector<Variant> Variants(Random& random, const Problem& problem) {
  std::vector<TrainOptions> ways = AllWays(random, problem);
  std::erase_if(ways, [](const TrainOptions& way) { return !KeepsState(way.learner); });
  if (HasInputs(problem)) {
    ways.push_back(Base(LearnerKind::kAugmentedLagrangian, StepKind::kAuto, OrderKind::kAuto));
    ways.back().kernel = KernelKind::kRbf;
  }
  std::vector<Variant> variants;
  for (TrainOptions& options : ways) {
    options.gap_tolerance = options.absolute_gap = 0;
    options.max_passes = kRunPasses;
    const bool blocks = options.learner == LearnerKind::kBcfw ||
                        options.learner == LearnerKind::kSoft ||
                        options.learner == LearnerKind::kAugmentedLagrangian;
    variants.push_back({Describe(options), options, !blocks});
  }
  return variants;
}

/// The variants whose states differ in kind: variants with solvers that keep no state are left out.
std::vector<Variant> VariantsWithOwnStates(Random& random, const Problem& problem) {
  std::vector<Variant> variants = Variants(random, problem);
  std::erase_if(variants, [](const Variant& variant) {
    const SolverKind oracle = variant.options.oracle;
    return oracle == SolverKind::kBruteForce || oracle == SolverKind::kBranchAndBound ||
           oracle == SolverKind::kTree || oracle == SolverKind::kLp;
  });
  return variants;
}

/// The last of five problems has no cycles.
TrainingSet ResumedProblem(Random& random, int trial) {
  if (trial == 4) return RandomMultiLabelProblem(random, 6, 5, 3, false);
  if (trial % 2 == 0) return RandomMultiLabelProblem(random, 6, 5, 3, true);
  return RandomProblem(
      random,
      {.shared_structure = trial % 4 == 1, .tied_weights = trial % 4 == 1, .potentials = true});
}

struct Checks : public TrainObserver {
  void OnCheck(const ProgressRecord& record) override { records.push_back(record); }
  std::vector<ProgressRecord> records;
};

void CheckSameRun(const TrainSummary& a, const TrainSummary& b) {
  CheckSame(a, b);
  CHECK((a.last.rho == b.last.rho || (std::isnan(a.last.rho) && std::isnan(b.last.rho))));
  CHECK(a.last.block_steps == b.last.block_steps);
  CHECK(a.termination == b.termination);
  CHECK(a.notes == b.notes);
}

}  // namespace

TEST_CASE("a resumed run of any learner equals an uninterrupted one") {
  std::set<LearnerKind> resumed_learners;
  for (int trial = 0; trial < 5; ++trial) {
    Random random(100 + trial);
    const Problem problem(ResumedProblem(random, trial), trial < 2 ? 0.1 : 0.01);
    for (Variant variant : Variants(random, problem)) {
      if (variant.other && (trial == 1 || trial == 2)) continue;
      CAPTURE(variant.name);
      resumed_learners.insert(variant.options.learner);
      CAPTURE(trial);
      Checks whole_checks;
      const TrainSummary whole = Train(problem, variant.options, &whole_checks);
      for (const int pass : kSanitized ? std::vector<int>{7} : std::vector<int>{1, 7, 23}) {
        CAPTURE(pass);
        const std::string state = StateAfter(pass, problem, variant.options);
        Checks checks;
        CheckSameRun(whole, Resumed(problem, variant.options, state, &checks));
        REQUIRE(checks.records.size() <= whole_checks.records.size());
        const std::size_t skipped = whole_checks.records.size() - checks.records.size();
        for (std::size_t k = 0; k < checks.records.size(); ++k) {
          CHECK(checks.records[k].primal == whole_checks.records[skipped + k].primal);
          CHECK(checks.records[k].dual == whole_checks.records[skipped + k].dual);
        }
      }
    }
  }
  for (const LearnerKind learner : AllLearners()) {
    CAPTURE(Name(learner));
    CHECK((resumed_learners.count(learner) == 1) == KeepsState(learner));
  }
}

TEST_CASE("saving states does not change the run") {
  Random random(5);
  for (const int trial : {0, 4}) {
    const Problem problem(ResumedProblem(random, trial), 0.05);
    for (Variant variant : Variants(random, problem)) {
      CAPTURE(variant.name);
      variant.options.max_passes = 20;
      std::size_t states = 0;
      CheckpointPlan plan;
      plan.every_seconds = 0;
      plan.write = [&](const std::string&, auto) { ++states; };
      const auto learner = MakeLearner(problem, variant.options);
      CheckSameRun(Train(problem, variant.options),
                   RunTraining(problem, *learner, variant.options, nullptr, nullptr, plan));
      CHECK(states == 20);
    }
  }
}

TEST_CASE("a state saved twice has the same bytes") {
  Random random(6);
  for (const int trial : {0, 4}) {
    const Problem problem(ResumedProblem(random, trial), 0.05);
    for (const Variant& variant : Variants(random, problem)) {
      CAPTURE(variant.name);
      const auto learner = MakeLearner(problem, variant.options);
      for (int pass = 0; pass < 5; ++pass) learner->RunPass(kNever);
      const std::string first = StateOf(*learner);
      const auto other = MakeLearner(problem, variant.options);
      LoadAll(first, *other);
      CHECK(StateOf(*other) == first);
    }
  }
}

TEST_CASE("a pass beside an evaluation is the same as one after it") {
  Random random(61);
  Index made = 0;
  for (int trial = 0; trial < 2; ++trial) {
    const Problem problem(ResumedProblem(random, trial), 0.02);
    for (const Variant& variant : Variants(random, problem)) {
      CAPTURE(variant.name);
      const auto plain = MakeLearner(problem, variant.options);
      const auto beside = MakeLearner(problem, variant.options);
      if (!EvaluatesBesidePasses(*plain)) continue;
      plain->RunPass(kNever);
      beside->RunPass(kNever);
      for (int pass = 0; pass < 4; ++pass) {
        const Evaluation after = plain->Evaluate(1);
        plain->RunPass(kNever);
        double seconds = -1;
        const Evaluation at_once =
            beside->traits().companion->EvaluateBesidePass(3, kNever, &seconds);
        CHECK(seconds >= 0);
        CHECK(after.primal == at_once.primal);
        CHECK(after.dual == at_once.dual);
        CHECK(std::ranges::equal(plain->weights(), beside->weights()));
        CHECK(CheckIsCheap(*plain) == CheckIsCheap(*beside));
        CHECK(StateOf(*plain) == StateOf(*beside));
        ++made;
      }
    }
  }
  CHECK(made >= 40);
}

TEST_CASE("an interrupt inside a pass keeps the state before the pass") {
  // A learner that notices the interrupt in the middle of its fourth pass.
  class Torn : public Learner {
   public:
    explicit Torn(std::atomic<int>* flag) : flag_(flag) {}
    void RunPass(const StopControl& stop) override {
      if (++passes == 4 && flag_ != nullptr) *flag_ = SIGINT;
      torn = stop.ShouldStop();
    }
    Evaluation Evaluate(int) override {
      evaluated_ = {1.0};
      return {.primal = 2, .dual = 1};
    }
    WorkCounts work() const override { return {}; }
    void Archive(StateArchive* archive) override {
      CHECK_FALSE(torn);
      archive->Integer(&passes, 0, 100);
    }
    std::int64_t passes = 0;
    bool torn = false;

   private:
    std::atomic<int>* flag_;
  };
  std::atomic<int> flag{0};
  Torn learner(&flag);
  const TrainOptions options{.max_passes = 10};
  CheckpointPlan plan;
  std::string state;
  plan.every_seconds = 0;
  plan.write = [&](const std::string& bytes, auto) { state = bytes; };
  const TrainSummary summary = RunTraining(learner, options, nullptr, &flag, plan);
  CHECK(summary.termination == Termination::kInterrupted);
  CHECK(summary.last.pass == 4);
  Torn resumed(nullptr);
  plan.write = nullptr;
  plan.resume = state;
  CHECK(RunTraining(resumed, options, nullptr, nullptr, plan).last.pass == 10);
  CHECK(resumed.passes == 10);
}

TEST_CASE("the state before the first pass can be resumed") {
  Random random(8);
  const Problem problem(ResumedProblem(random, 0), 0.1);
  TrainOptions options = Base(LearnerKind::kBcfw, StepKind::kPairwise, OrderKind::kGap);
  options.max_passes = 5;
  std::atomic<int> interrupt{SIGINT};
  std::string state;
  CheckpointPlan plan;
  plan.write = [&](const std::string& bytes, auto) { state = bytes; };
  const auto first = MakeLearner(problem, options);
  CHECK(RunTraining(problem, *first, options, nullptr, &interrupt, plan).last.pass == 1);
  CheckSameRun(Train(problem, options), Resumed(problem, options, state));
}

TEST_CASE("times of resumed runs add up, and time limits count the sum") {
  Random random(9);
  const Problem problem(ResumedProblem(random, 0), 0.1);
  TrainOptions options = Base(LearnerKind::kBcfw, StepKind::kPairwise, OrderKind::kGap);
  const std::string state = StateAfter(5, problem, options);
  const auto resume = [&](double limit) {
    TrainOptions rules = With(options, "--max-passes 10");
    rules.time_limit_seconds = limit;
    return Resumed(problem, rules, state);
  };
  // The passes before the state exceed the first limit; the second limit is far away.
  const TrainSummary ended = resume(1e-9);
  CHECK(ended.termination == Termination::kTimeLimit);
  CHECK(ended.last.pass == 5);
  CHECK(ended.last.seconds > 0);
  const TrainSummary continued = resume(1e6);
  CHECK(continued.termination == Termination::kMaxPasses);
  CHECK(continued.last.pass == 10);
  CHECK(continued.last.seconds > ended.last.seconds);
  CHECK(continued.last.cpu_seconds >= ended.last.cpu_seconds);
}

TEST_CASE("damaged states are refused") {
  Random random(10);
  const Problem problem(RandomMultiLabelProblem(random, 2, 2, 2, true), 0.1);
  for (const Variant& variant : VariantsWithOwnStates(random, problem)) {
    CAPTURE(variant.name);
    const std::string state = StateAfter(3, problem, variant.options);
    const auto resume = [&](std::string_view bytes) {
      TrainOptions options = With(variant.options, "--max-passes 4");
      Resumed(problem, options, bytes);
    };
    const std::size_t stride = variant.other ? 1 + state.size() / 200 : 1;
    for (std::size_t length = 1; length < state.size(); length += stride) {
      CHECK_THROWS_AS(resume(std::string_view(state).substr(0, length)), DataError);
    }
    CHECK_THROWS_AS(resume(state + "x"), DataError);
    // Changed bytes may still be a valid state. Where they are not, DataError is thrown and no
    // other error.
    const auto try_state = [&](const std::string& changed) {
      try {
        resume(changed);
      } catch (const DataError&) {
      }
    };
    for (std::size_t k = 0; k < state.size(); k += stride) {
      for (const char flip : {'\x01', '\x40', '\x80', '\xff'}) {
        std::string changed = state;
        changed[k] = static_cast<char>(changed[k] ^ flip);
        try_state(changed);
      }
      for (const double wild : {kInfinity, -kInfinity, std::nan(""), 1e308, -1e99, -2.0, 1e-310}) {
        if (k + sizeof wild > state.size()) break;
        std::string changed = state;
        std::memcpy(changed.data() + k, &wild, sizeof wild);
        try_state(changed);
      }
    }
  }
}

TEST_CASE("states of other learners and problems are refused") {
  Random random(11);
  const Problem problem(ResumedProblem(random, 0), 0.1);
  const Problem larger(RandomMultiLabelProblem(random, 7, 5, 3, true), 0.1);
  TrainOptions al =
      Base(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, OrderKind::kExample);
  TrainOptions corners = Base(LearnerKind::kBcfw, StepKind::kPairwise, OrderKind::kGap);
  const std::string state = StateAfter(2, problem, al);
  CHECK_THROWS_AS(Resumed(problem, corners, state), DataError);
  CHECK_THROWS_AS(Resumed(larger, al, state), DataError);
}

TEST_CASE("differing fingerprints name the difference") {
  Random random(12);
  const Problem problem(ResumedProblem(random, 0), 0.1);
  const TrainOptions options = Base(LearnerKind::kBcfw, StepKind::kPairwise, OrderKind::kGap);
  const Fingerprint print = MakeFingerprint(problem, options);
  CHECK(Difference(print, MakeFingerprint(problem, options)).empty());
  CHECK(Difference(print, MakeFingerprint(problem.WithLambda(0.2), options)) ==
        "--lambda was 0.1 and is 0.2 now");
  TrainOptions outer = With(options, "--gap-tolerance 0.5 --absolute-gap 1 --max-passes 3");
  outer.time_limit_seconds = 7;
  outer.threads = 2;
  CHECK(Difference(print, MakeFingerprint(problem, outer)).empty());
  TrainOptions seed = With(options, "--seed 2 --check-every 3");
  CHECK(Difference(print, MakeFingerprint(problem, seed)) ==
        "--check-every was 0 and is 3 now, --seed was 1 and is 2 now");
  Random again(13);
  const Problem others(ResumedProblem(again, 0), 0.1);
  const std::string difference = Difference(print, MakeFingerprint(others, options));
  CHECK(Contains(difference, "features of the data differ"));
  CHECK(Contains(difference, "labels of the data differ"));
  CHECK_FALSE(Contains(difference, "graph"));
}

TEST_CASE("fingerprints depend on oracles that depend on the build") {
  Random random(14);
  const Problem problem(RandomProblem(random, {.num_factors = 8, .potts = false}), 0.1);
  TrainOptions options = Base(LearnerKind::kBcfw, StepKind::kPairwise, OrderKind::kGap);
  const std::pair<std::string, std::string> entry{"--oracle auto", HasGlpk() ? "lp" : "messages"};
  const Fingerprint automatic = MakeFingerprint(problem, options);
  CHECK(std::count(automatic.begin(), automatic.end(), entry) == 1);
  options.oracle = SolverKind::kMessages;
  const Fingerprint given = MakeFingerprint(problem, options);
  CHECK(std::count(given.begin(), given.end(), entry) == 0);
}

TEST_CASE("checkpoint files are read as written, and bad ones refused") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("run.ckpt");
  const Fingerprint print = {{"--lambda", "0.1"}, {"labels of the data", "ab"}};
  const std::string state("state\0with a zero", 17);
  const Checkpoint saved{print, 3, {0.5, -1}, state, {2, 9}};
  SaveCheckpoint(path, saved);
  const Checkpoint loaded = LoadCheckpoint(path);
  CHECK(loaded.fingerprint == print);
  CHECK(loaded.stage == 3);
  CHECK(loaded.figures == saved.figures);
  CHECK(loaded.state == state);
  CHECK(loaded.parts == saved.parts);
  const std::string bytes = ReadBytes(path);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::string cut = folder.Write("cut.ckpt", bytes.substr(0, length));
    CHECK_THROWS_AS(LoadCheckpoint(cut), DataError);
  }
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    std::string changed = bytes;
    changed[k] = static_cast<char>(changed[k] ^ 4);
    CHECK_THROWS_AS(LoadCheckpoint(folder.Write("changed.ckpt", changed)), DataError);
  }
  for (const std::vector<std::size_t>& parts : {std::vector<std::size_t>{9, 2}, {2, 18}}) {
    Checkpoint wrong = saved;
    wrong.parts = parts;
    SaveCheckpoint(path, wrong);
    CHECK_THROWS_AS(LoadCheckpoint(path), DataError);
  }
  ModelWriter newer;
  newer.Add("state_version", std::vector<std::int64_t>{kStateVersion + 1});
  newer.Save(path, kCheckpointKind);
  CHECK(
      Contains(MessageOf<DataError>([&] { LoadCheckpoint(path); }), "written by a newer version"));
  newer.Save(path);
  CHECK(MessageOf<DataError>([&] { LoadCheckpoint(path); }) ==
        path + ": a Slackline model, not a checkpoint");
  SaveCheckpoint(path, saved);
  CHECK(MessageOf<DataError>([&] { ModelReader reader(path); }) ==
        path + ": a Slackline checkpoint, not a model");
}
