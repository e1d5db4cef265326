// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/global_solver.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/matching_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>
#include <slackline/inference/global_decoder.h>

#include "tests/support/tolerances.h"
#include "tests/support/vectors.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Model {
  std::shared_ptr<WeightLayout> layout = std::make_shared<WeightLayout>();
  Index chain = layout->AddBlock("chain", 9);
  Index count = layout->AddBlock("count", 5);
};

/// A chain of three variables with three states, four binary variables with a weight per count, and
/// one single variable, in mixed order.
std::shared_ptr<const Structure> Mixed(const Model& model) {
  ModelBuilder builder(model.layout);
  for (const Index states : {2, 3, 3, 2, 4, 2, 3, 2}) builder.AddVariable(states);
  builder.AddGlobalFactor(std::vector<Index>{6, 1, 2},
                          std::make_shared<TreeFactor>(TreeFactor::Chain(3, TableFactor({3, 3}))),
                          model.chain);
  builder.AddGlobalFactor(std::vector<Index>{3, 0, 7, 5}, std::make_shared<CardinalityFactor>(4),
                          model.count);
  return builder.Build();
}

std::shared_ptr<const Structure> Matching(const Model& model) {
  ModelBuilder builder(model.layout);
  for (int e = 0; e < 6; ++e) builder.AddVariable(2);
  using Edges = std::vector<MatchingFactor::Edge>;
  builder.AddGlobalFactor(std::vector<Index>{5, 4, 3, 2, 1, 0},
                          std::make_shared<MatchingFactor>(
                              2, 3, Edges{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
  return builder.Build();
}

}  // namespace

TEST_CASE("the best of all labellings is found") {
  Random random(5);
  const Model model;
  for (const auto& structure : {Mixed(model), Matching(model)}) {
    CHECK(HasExactGlobals(structure->graph()));
    CHECK(AutomaticSolver(structure->graph()) == SolverKind::kGlobal);
    const auto solver = MakeStructureSolver(SolverKind::kAuto, structure);
    CHECK(solver->name() == "global");
    CHECK(!solver->relaxed());
    GlobalDecoder enumeration(structure);
    const GlobalDecodeOptions options{.enumerate = 0};
    GlobalDecoder direct(structure, options);
    for (int trial = 0; trial < 40; ++trial) {
      const std::vector<double> scores = Normals(random, structure->graph().total_states());
      const std::vector<double> weights = Normals(random, structure->layout().size());
      MapResult best, found, decoded;
      enumeration.Decode(scores, weights, &best);
      solver->SetWeights(weights);
      solver->Solve(scores, nullptr, &found);
      CHECK(found.exact);
      CHECK(found.integral);
      CHECK(Near(found.value, best.value, kTight));
      CHECK(found.upper_bound >= found.value);
      CHECK(Near(found.upper_bound, best.value, kTight));
      CHECK(found.labels == best.labels);
      CHECK(Near(enumeration.Score(scores, weights, found.labels), best.value, kTight));
      direct.Decode(scores, weights, &decoded);
      CHECK(decoded.exact);
      CHECK(decoded.labels == best.labels);
    }
    CHECK(direct.num_certified() == 40);
    CHECK(solver->work() > 0);
  }
}

TEST_CASE("coupled global factors are refused") {
  const Model model;
  const auto four = std::make_shared<CardinalityFactor>(4);
  const auto make = [&](bool overlap, bool table) {
    ModelBuilder builder(model.layout);
    for (int i = 0; i < 6; ++i) builder.AddVariable(2);
    builder.AddGlobalFactor(std::vector<Index>{0, 1, 2, 3}, four, model.count);
    if (overlap)
      builder.AddGlobalFactor(std::vector<Index>{3, 4},
                              std::make_shared<CardinalityFactor>(CardinalityFactor::AtMostOne(2)));
    if (table) builder.AddFactor({4, 5}, PottsFactor(2), model.chain);
    return builder.Build();
  };
  CHECK(HasExactGlobals(make(false, false)->graph()));
  for (const auto& structure : {make(true, false), make(false, true), make(true, true)}) {
    CHECK(!HasExactGlobals(structure->graph()));
    CHECK_THROWS_WITH_AS(MakeGlobalSolver(structure), doctest::Contains("GlobalDecoder"),
                         DataError);
    for (const SolverKind kind : {SolverKind::kAuto, SolverKind::kGlobal, SolverKind::kLp})
      CHECK_THROWS_AS(MakeStructureSolver(kind, structure), DataError);
  }
  for (const SolverKind kind :
       {SolverKind::kTree, SolverKind::kRoof, SolverKind::kMessages, SolverKind::kBruteForce}) {
    CHECK_THROWS_WITH_AS(MakeStructureSolver(kind, make(false, false)),
                         doctest::Contains("use solver global"), DataError);
  }
}

TEST_CASE("graphs without global factors are left to the other solvers") {
  const Model model;
  ModelBuilder builder(model.layout);
  builder.AddVariable(2);
  builder.AddVariable(2);
  builder.AddFactor({0, 1}, PottsFactor(2), model.chain);
  const auto structure = builder.Build();
  CHECK(!HasExactGlobals(structure->graph()));
  CHECK(MakeStructureSolver(SolverKind::kAuto, structure)->name() == "tree");
  CHECK_THROWS_WITH_AS(MakeStructureSolver(SolverKind::kGlobal, structure),
                       doctest::Contains("there is none"), DataError);
  CHECK_THROWS_AS(MakeStructureSolver(SolverKind::kAuto, nullptr), std::invalid_argument);
}

TEST_CASE("scores and weights of wrong sizes are refused") {
  const Model model;
  const auto structure = Mixed(model);
  const auto solver = MakeGlobalSolver(structure);
  std::vector<double> scores(structure->graph().total_states(), 0.0);
  MapResult result;
  CHECK_THROWS_AS(solver->Solve(scores, nullptr, &result), std::invalid_argument);  // no weights
  CHECK_THROWS_AS(solver->SetWeights(std::vector<double>(3)), std::invalid_argument);
  const std::vector<double> weights(structure->layout().size(), 0.0);
  solver->SetWeights(weights);
  CHECK_NOTHROW(solver->Solve(scores, nullptr, &result));
  scores[3] = -kInfinity;
  CHECK_THROWS_AS(solver->Solve(scores, nullptr, &result), std::invalid_argument);
  scores.pop_back();
  CHECK_THROWS_AS(solver->Solve(scores, nullptr, &result), std::invalid_argument);
}
