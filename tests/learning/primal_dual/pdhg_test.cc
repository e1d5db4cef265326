// SPDX-License-Identifier: BSD-3-Clause
//
// The saddle point: its bounds at every point, its steps in blocks of eight factors against plain
// loops, and the labellings before it.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/pdhg.h>
#include <slackline/learning/primal_dual/pdhg_blocks.h>
#include <slackline/learning/primal_dual/pdhg_kernel.h>

#include "tests/support/learner_checks.h"
#include "tests/support/loose_grid.h"

namespace slackline::internal {
namespace {

using namespace slackline::internal::test;

/// Graphs with cycles: pairs, Potts factors and factors over three variables, own weights and
/// shared ones, potentials, and numbers of factors that fill no whole blocks.
Problem Mixed(int trial) {
  Random random(static_cast<std::uint64_t>(trial));
  const ProblemOptions shape{.num_variables = 4 + trial % 3,
                             .num_factors = 9 + 3 * (trial % 4),
                             .max_order = 2 + trial % 2,
                             .shared_structure = trial % 2 == 0,
                             .tied_weights = trial % 3 != 0,
                             .potentials = trial % 4 == 1};
  return Problem(RandomProblem(random, shape), 0.05);
}

std::vector<double> RandomWeights(Random& random, const Problem& problem) {
  std::vector<double> weights(problem.num_weights());
  for (double& w : weights) w = 2 * random.Uniform() - 1;
  return weights;
}

TrainOptions OfPdhg(double gap) { return {.learner = LearnerKind::kPdhg, .gap_tolerance = gap}; }

}  // namespace

TEST_CASE(
    "after any number of iterations, the bound of an example holds and its point is feasible") {
  for (int trial = 0; trial < 12; ++trial) {
    CAPTURE(trial);
    const Problem problem = Mixed(trial);
    Random random(99);
    const std::vector<double> weights = RandomWeights(random, problem);
    for (Index m = 0; m < problem.size(); ++m) {
      const ExampleView example = problem.data().example(m);
      const FactorGraph& graph = example.graph();
      const auto layout =
          std::make_shared<PdhgLayout>(problem.data().structures()[problem.data().structure_of(m)]);
      PdhgBlocks blocks(problem, m, layout);
      PdhgScratch scratch;
      scratch.u.resize(example.structure().num_coordinates());
      CoordinateScores(example, weights, scratch.u);
      std::vector<double> scores(graph.total_states());
      ScoreTables(example, weights, scores);
      for (std::size_t s = 0; s < problem.loss(m).size(); ++s) scores[s] += problem.loss(m)[s];
      MapResult best;
      MakeMapSolver(SolverKind::kBruteForce, problem.data().example(m).structure().shared_graph())
          ->Solve(scores, nullptr, &best);
      double bound = kInfinity;
      double value = -kInfinity;
      for (int iteration = 0; iteration <= 8000; ++iteration) {
        scratch.q.assign(scratch.u.size(), 0.0);
        if (iteration > 0) blocks.Iterate(1.9, &scratch);
        if (iteration % 1000 != 0) continue;
        bound = std::min(bound, blocks.Bound(&scratch));
        CHECK(bound >= best.value - kTight);
        scratch.q.assign(scratch.u.size(), 0.0);
        const double loss = blocks.Point(&scratch);
        double score = loss;
        for (std::size_t k = 0; k < scratch.q.size(); ++k) score += scratch.u[k] * scratch.q[k];
        value = std::max(value, score);
        // A feasible point has no larger value than any bound.
        CHECK(score <= bound + kTight);
        CHECK(loss >= -kTight);
      }
      // With fixed weights, the iteration is a solver of the local polytope.
      CHECK(value >= best.value - 0.02 * (1 + std::abs(best.value)));
      CHECK(bound <= value + 0.05 * (1 + std::abs(value)));
    }
  }
}

TEST_CASE("pairs are repaired to their marginals, as single factors are") {
  Random random(5);
  for (const auto& states : {std::pair{2, 3}, {4, 4}, {1, 5}, {3, 1}}) {
    const int first = states.first;
    const int second = states.second;
    CAPTURE(first);
    CAPTURE(second);
    const int rows = first + second;
    std::vector<double> entries(8 * static_cast<std::size_t>(first * second));
    std::vector<double> wanted(8 * static_cast<std::size_t>(rows));
    for (double& entry : entries) entry = random.Uniform() - 0.3;
    for (int l = 0; l < 8; ++l) {
      for (const auto& [begin, count] : {std::pair{0, first}, {first, second}}) {
        double sum = 0;
        for (int s = 0; s < count; ++s) {
          double& p = wanted[static_cast<std::size_t>((begin + s) * 8 + l)];
          p = (l + s) % 4 == 3 ? 0 : random.Uniform() + 1e-3;
          sum += p;
        }
        if (sum == 0) sum = wanted[static_cast<std::size_t>(begin * 8 + l)] = 1;
        for (int s = 0; s < count; ++s)
          wanted[static_cast<std::size_t>((begin + s) * 8 + l)] /= sum;
      }
      // Factor 7 has no mass at all, factor 6 fits already.
      for (int a = 0; a < first; ++a) {
        for (int b = 0; b < second; ++b) {
          double& entry = entries[static_cast<std::size_t>((a * second + b) * 8 + l)];
          if (l == 7) entry = 0;
          if (l == 6)
            entry = wanted[static_cast<std::size_t>(a * 8 + l)] *
                    wanted[static_cast<std::size_t>((first + b) * 8 + l)];
        }
      }
    }
    const std::vector<double> before = entries;
    std::vector<double> work(16 * static_cast<std::size_t>(rows));
    RepairPairs(first, second, wanted.data(), entries.data(), work.data());
    for (int l = 0; l < 8; ++l) {
      for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int a = 0; a < first; ++a) {
          for (int b = 0; b < second; ++b) {
            const double entry = entries[static_cast<std::size_t>((a * second + b) * 8 + l)];
            CHECK(entry >= 0);
            if (r == a || r == first + b) sum += entry;
            if (l == 6)
              CHECK(Near(entry, before[static_cast<std::size_t>((a * second + b) * 8 + l)], 1e-14));
          }
        }
        CHECK(Near(sum, wanted[static_cast<std::size_t>(r * 8 + l)], 1e-14));
      }
    }
  }
}

TEST_CASE("a learner on the saddle point closes the gap of loose relaxations") {
  const Problem problem = LooseGrid(0.3);
  const TrainSummary trained = Train(problem, OfPdhg(1e-3));
  CHECK(trained.termination == Termination::kConverged);
  CHECK(trained.last.problem == CertifiedProblem::kRelaxed);
  // Factor blocks with multipliers solve the same problem in quite another way.
  TrainOptions other = With(OfPdhg(5e-3), "--learner al --max-passes 2000");
  const TrainSummary checked = Train(problem, other);
  CHECK(trained.last.dual <= checked.last.primal + kTight);
  CHECK(checked.last.dual <= trained.last.primal + kTight);
  CHECK(checked.last.relative_gap < 0.05);
}

TEST_CASE("labellings that cannot reach the relaxed optimum stall, and say what would") {
  const Problem problem = LooseGrid(0.05, 2, 5, 4);
  const TrainOptions options{.learner = LearnerKind::kBcfw,
                             .step = StepKind::kPairwise,
                             .oracle = SolverKind::kMessages,
                             .gap_tolerance = 1e-4};
  const TrainSummary stalled = Train(problem, options);
  CAPTURE(stalled.message);
  CHECK(stalled.termination == Termination::kStalled);
  CHECK(stalled.message.find("--learner pdhg does") != std::string::npos);
  const TrainSummary reached = Train(problem, OfPdhg(1e-4));
  CHECK(reached.termination == Termination::kConverged);
  // Mixtures of labellings stay below the optimum.
  CHECK(stalled.last.dual < reached.last.dual);
}

TEST_CASE("results do not depend on the number of threads") {
  const Problem problem = LooseGrid(0.3);
  TrainOptions options = With(OfPdhg(0), "--max-passes 5");
  const TrainSummary one = Train(problem, options);
  options.threads = 3;
  CheckSame(one, Train(problem, options));
}

TEST_CASE("labellings come first, and the saddle point takes over where they do not suffice") {
  const Problem problem = LooseGrid(0.3);
  const TrainOptions options{.certify = Certify::kRelaxed, .gap_tolerance = 1e-3};
  const LearnerChoice choice = ChooseLearner(problem, options);
  CHECK(choice.options.learner == LearnerKind::kPdhg);
  CHECK(choice.options.own<PdhgOptions>().labellings == Switch::kOn);
  const TrainSummary trained = Train(problem, options);
  CHECK(trained.termination == Termination::kConverged);
  REQUIRE(!trained.notes.empty());
  CHECK(trained.notes[0].find("saddle point") != std::string::npos);
  const TrainSummary saddle = Train(problem, OfPdhg(1e-3));
  CHECK(trained.last.dual <= saddle.last.primal + kTight);
  CHECK(saddle.last.dual <= trained.last.primal + kTight);

  // A run that is resumed before, at and after the change is the same, bit for bit.
  for (const int pass : {2, 20, 60, 120}) {
    CAPTURE(pass);
    CheckResumedAfter(pass, problem, options, trained);
  }
}

TEST_CASE("the exact problem gives way to the relaxed one, or does not, as the user says") {
  const Problem problem = LooseGrid(0.1, 3, 12, 4);
  TrainOptions options{.certify = Certify::kRelaxed, .gap_tolerance = 1e-3};
  const TrainSummary relaxed = Train(problem, options);
  CHECK(relaxed.termination == Termination::kConverged);
  CHECK(relaxed.last.problem == CertifiedProblem::kRelaxed);
  Set(&options, "--certify exact --max-passes 30");
  const TrainSummary exact = Train(problem, options);
  CHECK(exact.last.problem == CertifiedProblem::kExact);
  // The relaxed optimum is not below the exact one.
  CHECK(exact.last.dual <= relaxed.last.primal + kTight);
  options.learner = LearnerKind::kBcfw;
  CHECK_THROWS_WITH_AS(Train(problem, options), doctest::Contains("needs --learner auto"),
                       DataError);
}

}  // namespace slackline::internal
