// SPDX-License-Identifier: BSD-3-Clause
//
// Solvers that are told to end return what they have: a labelling, and a bound that holds.
#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/stop_condition.h>
#include <slackline/inference/alpha_expansion.h>
#include <slackline/inference/decode.h>
#include <slackline/inference/map_solver.h>
#include <slackline/inference/presolve.h>
#include <slackline/inference/relaxed_marginals.h>
#include <slackline/inference/rounding.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

namespace slackline::internal {
namespace {

using namespace slackline::internal::test;

/// Reached from the given number of looks on.
class StopAfter final : public StopCondition {
 public:
  explicit StopAfter(int looks) : left_(looks) {}
  bool Reached() const override { return --left_ < 0; }

 private:
  mutable int left_;
};

class Never final : public StopCondition {
 public:
  bool Reached() const override {
    ++looks;
    return false;
  }
  mutable int looks = 0;
};

using Maker = std::unique_ptr<MapSolver> (*)(std::shared_ptr<const FactorGraph>);
template <SolverKind kKind>
std::unique_ptr<MapSolver> Make(std::shared_ptr<const FactorGraph> graph) {
  return MakeMapSolver(kKind, std::move(graph));
}

void CheckValid(const FactorGraph& graph, std::span<const double> scores, double best,
                const MapResult& result) {
  REQUIRE(std::ssize(result.labels) == graph.num_variables());
  const double value = LabellingScore(graph, scores, result.labels);
  CHECK(value <= best + kTight);
  if (result.integral) CHECK(Near(result.value, value, kTight));
  CHECK(result.upper_bound >= best - kTight);
  CHECK(result.upper_bound >= result.value);
  if (result.exact) CHECK(Near(value, best, kSolver));
}

}  // namespace

TEST_CASE("a solver that must end returns a labelling and a bound on all labellings") {
  std::vector<Maker> makers = {Make<SolverKind::kMessages>,
                               Make<SolverKind::kMessagesBranchAndBound>,
                               Make<SolverKind::kBranchAndBound>};
  makers.push_back([](std::shared_ptr<const FactorGraph> graph) {
    return MakePresolvedSolver(std::move(graph), MakeRelaxedMessageSolver);
  });
  if (HasGlpk()) {
    makers.push_back(Make<SolverKind::kLp>);
    makers.push_back(Make<SolverKind::kLpPolytope>);
  }
  Random random(7);
  for (const bool forbids : {false, true}) {
    const auto graph = Grid(3, 3, 3);
    std::vector<double> scores = RandomScores(random, *graph, 1);
    if (forbids) {
      for (int k = 0; k < 6; ++k) scores[graph->factor_offset(2 * k) + k] = -kInfinity;
      scores[1] = -kInfinity;
    }
    MapResult result;
    MakeMapSolver(SolverKind::kBruteForce, graph)->Solve(scores, nullptr, &result);
    const double best = result.value;
    for (const Maker make : makers) {
      int cut = 0;
      for (const int looks : {0, 1, 2, 3, 5, 8, 13, 100000}) {
        const StopAfter stop(looks);
        const auto solver = make(graph);
        CAPTURE(solver->name());
        CAPTURE(looks);
        solver->SetStop(&stop);
        try {
          solver->Solve(scores, nullptr, &result);
        } catch (const DataError& error) {
          CHECK(forbids);
          CHECK(std::string(error.what()).find("had to end") != std::string::npos);
          continue;
        }
        CheckValid(*graph, scores, best, result);
        cut += stop.Reached() && looks < 100000;
      }
      // All of them look: a condition that holds from the first look on is seen.
      Never never;
      const auto solver = make(graph);
      solver->SetStop(&never);
      solver->Solve(scores, nullptr, &result);
      const bool looks = never.looks > 0;
      CHECK((looks || solver->name() == "branch-and-bound"));  // every thousandth node
      CHECK((cut > 0 || !looks));
    }
  }
}

TEST_CASE("branch and bound that must end covers the nodes that it leaves") {
  Random random(11);
  const auto graph = Grid(6, 6, 4);
  const std::vector<double> scores = RandomScores(random, *graph, 1);
  const MapResult whole = Solved(*MakeMapSolver(SolverKind::kBranchAndBound, graph), scores);
  REQUIRE(whole.exact);
  const StopAfter stop(3);
  const auto solver = MakeMapSolver(SolverKind::kBranchAndBound, graph);
  solver->SetStop(&stop);
  const MapResult cut = Solved(*solver, scores);
  CheckValid(*graph, scores, whole.value, cut);
  CHECK_FALSE(cut.exact);
  CHECK(solver->work() < 100'000'000);
}

TEST_CASE("max-marginals that were not reached are bounds") {
  Random random(3);
  const auto graph = Grid(3, 3, 3);
  const std::vector<double> scores = RandomScores(random, *graph, 1);
  std::vector<double> exact(graph->variable_states());
  Decoder(DecodeKind::kAuto, graph).MaxMarginalTables(scores, exact, MaxMarginalKind::kBounds);
  for (const int looks : {0, 5, 20}) {
    const StopAfter stop(looks);
    Decoder decoder(DecodeKind::kAuto, graph);
    decoder.SetStop(&stop);
    std::vector<double> bounds(exact.size());
    decoder.MaxMarginalTables(scores, bounds, MaxMarginalKind::kBounds);
    for (std::size_t k = 0; k < exact.size(); ++k) CHECK(bounds[k] >= exact[k] - kTight);
  }
}

TEST_CASE("expansion moves end with bounds that hold") {
  Random random(5);
  const auto graph = Grid(3, 3, 3);
  std::vector<double> scores(graph->total_states(), 0.0);
  for (Offset k = 0; k < graph->variable_states(); ++k)
    scores[k] = static_cast<double>(random.Below(1000)) / 500;
  for (Index c = 0; c < graph->num_factors(); ++c)
    for (int s = 0; s < 3; ++s) scores[graph->factor_offset(c) + 4 * s] = 0.7;
  MapResult result;
  MakeMapSolver(SolverKind::kBruteForce, graph)->Solve(scores, nullptr, &result);
  const double best = result.value;
  for (const int looks : {0, 1, 2, 4}) {
    const StopAfter stop(looks);
    const auto solver = MakeBoundedExpansionSolver(graph);
    solver->SetStop(&stop);
    solver->Solve(scores, nullptr, &result);
    CheckValid(*graph, scores, best, result);
  }
}

}  // namespace slackline::internal
