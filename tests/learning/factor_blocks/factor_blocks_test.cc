// SPDX-License-Identifier: BSD-3-Clause
//
// Invariants of the factor-block engine on random problems of every shape.
#include <slackline/learning/factor_blocks/factor_blocks.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/factor_blocks/factor_certificate.h>
#include <tests/support/states.h>

#include "tests/support/multilabel_problems.h"
#include "tests/support/plain_soft.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"
#include "tests/support/vectors.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

FactorEvaluation Evaluate(const FactorBlocks& blocks, int threads = 1) {
  std::vector<double> weights;
  DualMixture mixture(blocks.problem().lambda());
  return EvaluateFactorBlocks(blocks, threads, &weights, &mixture);
}

/// Problems with tables only, problems with tied weights, and multi-label problems, whose pairs are
/// stepped by the vector kernel.
TrainingSet AnyProblem(Random& random, int trial) {
  return trial % 3 == 0 ? RandomMultiLabelProblem(random, 4, 5, 3, trial % 2 == 0)
                        : RandomProblem(random, RandomOptions(random));
}

/// Checks a step on one block from `from` to `to`: it goes towards a state of the largest
/// derivative (and away from one of the smallest), to the maximum of the parabola on the way, and
/// moves nothing else. Returns whether the block had a gap.
bool CheckStep(const PlainSoft& plain, StepKind kind, Index m, Index part, const RealVector& from,
               const RealVector& to) {
  const auto [first, last] = plain.Columns(m, part);
  const PlainSoft::Point point = plain.At(from);
  RealVector slope = RealVector::Zero(from.size());
  Offset s = first;
  Offset v = -1;
  for (Offset c = first; c < last; ++c) {
    slope[c] = plain.Parabola(point, RealVector::Unit(from.size(), c)).first;
    if (slope[c] > slope[s]) s = c;
    if (from[c] > 0 && (v < 0 || slope[c] < slope[v])) v = c;
  }
  // Ties are allowed: compare with the states that moved.
  const RealVector moved = to - from;
  for (Offset c = first; c < last; ++c) {
    if (moved[c] > 0 && slope[c] >= slope[s] - kExact) s = c;
    if (kind == StepKind::kPairwise && moved[c] < 0 && slope[c] <= slope[v] + kExact) v = c;
  }
  RealVector d = RealVector::Unit(from.size(), s);
  Real limit = 1;
  if (kind == StepKind::kPairwise) {
    limit = from[v];
    d[v] -= 1;
  } else {
    for (Offset c = first; c < last; ++c) d[c] -= from[c];
  }
  const auto [rise, bend] = plain.Parabola(point, limit * d);
  if (rise <= kExact) {  // no gap up to rounding: the step may only resolve a tie
    CHECK(std::abs(plain.Value(plain.At(to)) - plain.Value(point)) <= kExact);
    return false;
  }
  const Real share = bend < 0 ? std::min<Real>(1, -rise / (2 * bend)) : 1;
  const RealVector expected = from + share * limit * d;
  CHECK((to - expected).lpNorm<Eigen::Infinity>() <= kTight);
  return true;
}

}  // namespace

TEST_CASE("the start is the ground truth, with zero weights and dual zero") {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Problem problem(AnyProblem(random, trial), 0.1);
    FactorBlocks blocks(problem, StepKind::kPairwise, true);
    const FactorEvaluation start = Evaluate(blocks);
    CHECK(std::abs(start.soft_dual) <= kExact);
    CHECK(std::abs(start.dual_point) <= kExact);
    CHECK(start.violation == 0);
    for (const double w : blocks.weights()) CHECK(w == 0);
    blocks.Rebuild();
    for (const double w : blocks.weights()) CHECK(std::abs(w) <= kExact);
  }
}

TEST_CASE("incremental weights are the rebuilt ones") {
  Random random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem(AnyProblem(random, trial), 0.05);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      FactorBlocks blocks(problem, step, true);
      blocks.set_rho(0.7);
      for (int pass = 0; pass < 30; ++pass) {
        for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, pass % 2 == 0 ? 0.5 : 0);
        for (Index m = 0; m < problem.size(); ++m) {
          for (Index a = 0; a < problem.data().example(m).graph().num_parts(); ++a)
            blocks.StepBlock(m, a);
        }
      }
      const std::vector<double> before = Copy(blocks.weights());
      blocks.Rebuild();
      double scale = 1;
      for (const double w : before) scale = std::max(scale, std::abs(w));
      CHECK(LargestDifference(before, blocks.weights()) <= 1e-11 * scale);
    }
  }
}

TEST_CASE("the soft gap is the sum of the block gaps") {
  Random random(3);
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem(AnyProblem(random, trial), 0.05);
    for (const bool multipliers : {false, true}) {
      FactorBlocks blocks(problem, StepKind::kPairwise, multipliers);
      blocks.set_rho(0.3);
      if (!multipliers && trial % 2 == 0) blocks.set_smoothing(0.2);
      for (int pass = 0; pass < 8; ++pass) {
        for (Index m = 0; m < problem.size(); ++m)
          blocks.VisitExample(m, multipliers ? 0.4 / 0.3 : 0);
        const FactorEvaluation point = Evaluate(blocks);
        CHECK(Near(point.soft_primal - point.soft_dual, point.block_gaps,
                   1e-11 * std::max(1.0, point.soft_primal)));
        CHECK(point.block_gaps >= -kExact);
      }
    }
  }
}

TEST_CASE("with a centre the soft gap is the sum of the gaps of blocks and centre") {
  Random random(33);
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem(AnyProblem(random, trial), 0.05);
    FactorBlocks blocks(problem, StepKind::kPairwise, true);
    blocks.set_rho(0.3);
    for (const double kappa : {0.1, 0.7, 0.7, 0.0, 0.2}) {
      for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 0.4 / 0.3);
      const std::vector<double> reached = Copy(blocks.reached());
      CHECK(LargestDifference(reached, blocks.weights()) == 0);
      blocks.MoveCentre(kappa);
      if (kappa > 0) CHECK(LargestDifference(reached, blocks.reached()) == 0);
      // Ψμ from a copy without a centre.
      FactorBlocks copy(problem, StepKind::kPairwise, true);
      LoadAll(StateOf(blocks), copy);
      CHECK(copy.kappa() == kappa);
      copy.MoveCentre(0);
      copy.Rebuild();
      const FactorEvaluation point = Evaluate(blocks);
      double squared = 0;
      for (std::size_t k = 0; k < reached.size(); ++k)
        squared += std::pow(blocks.reached()[k] - copy.weights()[k], 2);
      CHECK(Near(point.soft_primal - point.soft_dual,
                 point.block_gaps + 0.5 * problem.lambda() * squared,
                 1e-11 * std::max(1.0, point.soft_primal)));
      CHECK(point.block_gaps >= -kExact);
      // Steps keep w at the value of its definition.
      for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 0);
      const std::vector<double> before = Copy(blocks.weights());
      blocks.Rebuild();
      CHECK(LargestDifference(before, blocks.weights()) <= 1e-11 * (1 + point.soft_primal));
    }
  }
}

TEST_CASE("every step has the length of a plain line search") {
  Random random(4);
  int steps = 0;
  for (int trial = 0; trial < 18; ++trial) {
    const Problem problem(AnyProblem(random, trial), 0.2);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      const bool multipliers = trial % 3 == 1;
      FactorBlocks blocks(problem, step, multipliers);
      blocks.set_rho(0.5);
      if (trial % 3 == 2) blocks.set_smoothing(0.3);
      std::vector<double> centre;
      CAPTURE(trial);
      for (int pass = 0; pass < 3; ++pass) {
        const PlainSoft plain(blocks, centre);
        RealVector point = plain.Read(blocks);
        for (Index m = 0; m < problem.size(); ++m) {
          for (Index a = 0; a < problem.data().example(m).graph().num_parts(); ++a) {
            blocks.StepBlock(m, a);
            const RealVector next = plain.Read(blocks);
            steps += CheckStep(plain, step, m, a, point, next) ? 1 : 0;
            CHECK(plain.Value(plain.At(next)) >= plain.Value(plain.At(point)) - kExact);
            point = next;
          }
        }
        for (Index m = 0; m < problem.size() && multipliers; ++m) blocks.UpdateMultipliers(m, 0.8);
        if (trial % 2 == 0) {
          centre = Copy(blocks.weights());
          blocks.MoveCentre(0.1 * (pass + 1));
        }
      }
    }
  }
  CHECK(steps > 500);
}

TEST_CASE("a visit is one step on every block") {
  // Variables of one slot share one sweep over the input; single steps must reach the same point.
  Random random(5);
  for (int trial = 0; trial < 24; ++trial) {
    const Problem problem(AnyProblem(random, trial), 0.1);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      FactorBlocks visits(problem, step, true);
      FactorBlocks steps(problem, step, true);
      visits.set_rho(0.4);
      steps.set_rho(0.4);
      for (int pass = 0; pass < 4; ++pass) {
        for (Index m = 0; m < problem.size(); ++m) {
          visits.VisitExample(m, 0.9);
          const BlockLayout& layout = steps.layout(m);
          const Index n = problem.data().example(m).graph().num_variables();
          for (const VariableGroup& group : layout.variable_groups) {
            for (const Index i : group.variables) steps.StepBlock(m, i);
          }
          for (const Index c : layout.pairs.factor) steps.StepBlock(m, n + c);
          for (const TableBlock& table : layout.tables) steps.StepBlock(m, n + table.factor);
          steps.UpdateMultipliers(m, 0.9);
        }
      }
      CHECK(visits.block_steps() == steps.block_steps());
      CHECK(LargestDifference(visits.weights(), steps.weights()) <= 1e-9);
      for (Index m = 0; m < problem.size(); ++m) {
        const std::size_t size = visits.layout(m).size;
        CHECK(LargestDifference({visits.state(m), size}, {steps.state(m), size}) <= 1e-9);
      }
    }
  }
}

TEST_CASE("marginals stay on their simplexes") {
  Random random(6);
  for (int trial = 0; trial < 20; ++trial) {
    const Problem problem(AnyProblem(random, trial), 0.02);
    FactorBlocks blocks(problem, trial % 2 == 0 ? StepKind::kPairwise : StepKind::kFrankWolfe,
                        true);
    blocks.set_rho(1.5);
    for (int pass = 0; pass < 50; ++pass) {
      for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 0.1);
    }
    for (Index m = 0; m < problem.size(); ++m) {
      const FactorGraph& graph = problem.data().example(m).graph();
      for (Index i = 0; i < graph.num_variables(); ++i) {
        double sum = 0;
        for (Offset s = graph.state_offset(i); s < graph.state_offset(i + 1); ++s) {
          CHECK(blocks.state(m)[s] >= 0);
          sum += blocks.state(m)[s];
        }
        CHECK(Near(sum, 1, kExact));
      }
      for (const TableBlock& table : blocks.layout(m).tables) {
        double sum = 0;
        for (Index s = 0; s < table.states; ++s) {
          CHECK(blocks.state(m)[table.mu + s] >= 0);
          sum += blocks.state(m)[table.mu + s];
        }
        CHECK(Near(sum, 1, kExact));
      }
    }
  }
}

TEST_CASE("evaluation does not depend on threads") {
  Random random(7);
  const Problem problem(RandomMultiLabelProblem(random, 37, 6, 4, true), 0.01);
  FactorBlocks blocks(problem, StepKind::kPairwise, true);
  blocks.set_rho(0.5);
  for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 1);
  const FactorEvaluation one = Evaluate(blocks, 1);
  const FactorEvaluation four = Evaluate(blocks, 4);
  CHECK(one.relaxed_primal == four.relaxed_primal);
  CHECK(one.soft_dual == four.soft_dual);
  CHECK(one.block_gaps == four.block_gaps);
}

TEST_CASE("pair blocks take at most 48 bytes") {
  Random random(8);
  const TrainingSet small = RandomMultiLabelProblem(random, 10, 8, 3, true);
  const Problem problem(small, 0.1);
  const FactorBlocks blocks(problem, StepKind::kPairwise, true);
  const std::int64_t variables = 10 * 8 * 2 * 8;  // examples · labels · states · bytes
  CHECK((blocks.memory_bytes() - variables) == 10 * 28 * 48);
}
