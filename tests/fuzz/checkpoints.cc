// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints: the file with a valid checksum, and states of every learner, from which two passes
// are made.
#include <slackline/learning/run/checkpoint.h>

#include <memory>
#include <stdexcept>

#include <slackline/core/check.h>
#include <slackline/learning/train_loop.h>

#include "tests/core/temporary_folder.h"
#include "tests/fuzz/target.h"
#include "tests/support/global_problems.h"
#include "tests/support/kernel_problems.h"
#include "tests/support/learner_ways.h"
#include "tests/support/never.h"
#include "tests/support/random_problems.h"

namespace slackline::internal::fuzz {
namespace {

constexpr std::size_t kSeedPasses = 3;
constexpr Index kMorePasses = 2;

/// A problem and options to which a state may belong.
struct Way {
  std::shared_ptr<const Problem> problem;
  TrainOptions options;
};

std::shared_ptr<const Problem> Make(TrainingSet training) {
  return std::make_shared<Problem>(std::move(training), 0.05);
}

/// Tiny problems of every kind: binary pairs with a cycle, a forest of tables, global factors with
/// and without pairs.
std::vector<std::shared_ptr<const Problem>> Problems() {
  std::vector<std::shared_ptr<const Problem>> problems;
  Random random(3);
  test::ProblemOptions pairs;
  pairs.num_examples = 2;
  pairs.num_variables = 3;
  pairs.max_states = 2;
  pairs.input_dimension = 2;
  pairs.potts = false;
  problems.push_back(Make(test::RandomProblem(random, pairs)));
  test::ProblemOptions forest = pairs;
  forest.max_states = 3;
  forest.forest = true;
  forest.potentials = true;
  forest.shared_structure = true;
  problems.push_back(Make(test::RandomProblem(random, forest)));
  test::GlobalProblemOptions global;
  global.num_examples = 2;
  global.num_variables = 3;
  global.num_pairs = 0;
  global.scope = 3;
  problems.push_back(Make(test::RandomGlobalProblem(5, global)));
  global.num_pairs = 1;
  global.exactly_one = true;
  problems.push_back(Make(test::RandomGlobalProblem(6, global)));
  return problems;
}

/// All options that apply to each problem; the fourth problem has only factor-block learners.
std::vector<Way> MakeWays() {
  std::vector<Way> ways;
  std::size_t number = 0;
  for (const auto& problem : Problems()) {
    Random random(7);
    const bool tables = number++ < 2;
    std::vector<TrainOptions> all;
    if (tables) all = test::AllWays(random, *problem);
    for (const LearnerKind learner : test::AllLearners()) {
      TrainOptions options;
      options.learner = learner;
      all.push_back(options);
    }
    for (TrainOptions& options : all) {
      if (!test::KeepsState(options.learner)) continue;
      options.gap_tolerance = options.absolute_gap = 0;
      options.max_passes = kSeedPasses;
      options.check_every = 1;
      try {
        CheckOptions(options);
        MakeLearner(*problem, options);
        ways.push_back({problem, options});
      } catch (const DataError&) {  // the options do not apply
      }
    }
  }
  return ways;
}

const std::vector<Way>& Ways() {
  static const std::vector<Way> ways = MakeWays();
  return ways;
}

// A bit in the number of a way: the run keeps its best dual point.
constexpr std::size_t kKeepsPoint = 0x8000;

std::unique_ptr<Learner> LearnerOf(std::size_t number, const Way& way) {
  auto learner = MakeLearner(*way.problem, way.options);
  if ((number & kKeepsPoint) != 0) learner->traits().dual_point->KeepDualPoint();
  return learner;
}

/// Seeds: two bytes for the way, then the state.
std::vector<std::string> StateSeeds() {
  std::vector<std::string> seeds;
  for (std::size_t k = 0; k < 2 * Ways().size(); ++k) {
    const Way& way = Ways()[k / 2];
    const std::size_t number = k / 2 | (k % 2 == 0 ? 0 : kKeepsPoint);
    std::string state;
    CheckpointPlan plan;
    plan.every_seconds = 0;
    plan.write = [&](const std::string& newest, auto) { state = newest; };
    const auto learner = LearnerOf(number, way);
    RunTraining(*way.problem, *learner, way.options, nullptr, nullptr, plan);
    std::string seed = {static_cast<char>(number & 0xff), static_cast<char>(number >> 8)};
    seed += state;
    // For most learners, keeping the point does not add to the state.
    if (k % 2 == 0 || seed.substr(2).size() != seeds.back().substr(2).size())
      seeds.push_back(std::move(seed));
  }
  return seeds;
}

/// Numbers that are valid one by one may contradict each other, and a run at another λ may be the
/// first to notice. Such a run may only fail with an error message.
void MoveToAnotherLambda(const Problem& problem, Learner* learner) {
  const Problem next = problem.WithLambda(0.5 * problem.lambda());
  try {
    learner->traits().lambda->ChangeLambda(next);
    learner->RunPass(test::kNever);
  } catch (const std::logic_error&) {
  } catch (const CertificateError&) {
  } catch (const std::overflow_error&) {
  }
}

/// Resumes the state, saves the result, and makes a pass with another λ.
void ResumeState(std::string_view input) {
  if (input.size() <= 2) return;
  const std::size_t number =
      static_cast<unsigned char>(input[0]) + 256u * static_cast<unsigned char>(input[1]);
  const Way& way = Ways()[(number & ~kKeepsPoint) % Ways().size()];
  TrainOptions options = way.options;
  options.max_passes += kMorePasses;
  CheckpointPlan plan;
  plan.resume = input.substr(2);
  const auto learner = LearnerOf(number, way);
  RunTraining(*way.problem, *learner, options, nullptr, nullptr, plan);
  StateWriter writer;
  learner->Save(&writer);
  std::vector<double> coordinates;
  double loss = 0;
  for (Index m = 0; m < way.problem->size(); ++m)
    learner->traits().dual_point->DualPoint(m, &coordinates, &loss);
  MoveToAnotherLambda(*way.problem, learner.get());
}

std::vector<std::string> FileSeeds() {
  const test::TemporaryFolder folder;
  Checkpoint checkpoint;
  checkpoint.fingerprint = {{"data", "abc"}, {"lambda", "0.1"}};
  checkpoint.stage = 1;
  checkpoint.figures = {0.5, 2};
  checkpoint.state = StateSeeds().front().substr(2);
  SaveCheckpoint(folder.Path("c"), checkpoint);
  return {test::ReadBytes(folder.Path("c"))};
}

void ReadCheckpoint(std::string_view bytes) {
  const Checkpoint checkpoint = LoadCheckpoint(PathOf(WithChecksum(bytes)));
  Difference(checkpoint.fingerprint, {{"data", "abc"}});
}

const FuzzTarget kCheckpointFile({"checkpoint_file", ReadCheckpoint, FileSeeds});
const FuzzTarget kState({"checkpoint", ResumeState, StateSeeds, 4500});

}  // namespace
}  // namespace slackline::internal::fuzz
