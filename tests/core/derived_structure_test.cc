// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/derived_structure.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <doctest/doctest.h>

#include <slackline/core/dataset.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/feature_rows.h>
#include <tests/core/messages.h>

using namespace slackline::internal;
using slackline::internal::test::Contains;
using slackline::internal::test::Refusal;

namespace {

using Labels = std::vector<Index>;

/// Checks that each labelling has the same score in both structures, with the same coordinates, or
/// is forbidden in both. Returns how many are forbidden.
int CheckSameScores(const std::shared_ptr<const WeightLayout>& layout,
                    const std::shared_ptr<const Structure>& one,
                    const std::shared_ptr<const Structure>& other) {
  const FactorGraph& graph = one->graph();
  CHECK(one->num_coordinates() == other->num_coordinates());
  std::vector<double> weights(layout->size());
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = std::cos(3.7 * k);
  std::vector<double> potentials(one->num_potentials());
  for (std::size_t k = 0; k < potentials.size(); ++k) potentials[k] = std::sin(1.3 * k);
  auto rows = std::make_shared<FeatureRows>();
  for (Index k = 0; k < one->num_inputs(); ++k)
    rows->AddDense(std::vector<double>{0.3 + 1.8 * k, -1.2 + 1.6 * k});
  int forbidden = 0;
  Labels labels(graph.num_variables(), 0);
  for (bool more = true; more;) {
    CAPTURE(labels);
    const bool ruled_out = FirstForbiddenPart(*one, labels) >= 0;
    CHECK(ruled_out == (FirstForbiddenPart(*other, labels) >= 0));
    forbidden += ruled_out ? 1 : 0;
    std::vector<double> scores;
    for (const auto& structure : {one, other}) {
      Dataset data(layout, rows);
      data.Add(structure, labels, 0, potentials);
      std::vector<double> q(structure->num_coordinates(), 0.0);
      std::vector<double> u(q.size());
      AddLabellingFeatures(data.example(0), labels, 1, q);
      CoordinateScores(data.example(0), weights, u);
      scores.push_back(std::inner_product(q.begin(), q.end(), u.begin(), 0.0));
    }
    CHECK(scores[0] == doctest::Approx(scores[1]).epsilon(1e-12));
    more = false;
    for (Index i = 0; i < graph.num_variables() && !more; ++i) {
      more = ++labels[i] < graph.cardinality(i);
      if (!more) labels[i] = 0;
    }
  }
  return forbidden;
}

/// A grid whose pairs share a table.
std::shared_ptr<const Structure> Grid(Index rows, Index columns, Index states, bool diagonals,
                                      std::shared_ptr<WeightLayout>* layout) {
  FactorGraphBuilder graph_builder;
  graph_builder.AddVariables(rows * columns, states);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      const Index i = r * columns + c;
      if (c + 1 < columns) graph_builder.AddFactor({i, i + 1});
      if (r + 1 < rows) graph_builder.AddFactor({i + columns, i});
      if (diagonals && r + 1 < rows && c + 1 < columns) {
        graph_builder.AddFactor({i, i + columns + 1});
        graph_builder.AddFactor({i + 1, i + columns});
      }
    }
  }
  *layout = std::make_shared<WeightLayout>();
  const Index pairs = (*layout)->AddBlock("pairs", states * states);
  const std::shared_ptr<const FactorGraph> graph = graph_builder.Build();
  StructureBuilder builder(graph, *layout);
  const Index all = builder.AddStateMap(IdentityMap(states * states));
  for (Index c = 0; c < graph->num_factors(); ++c) {
    builder.AddConstant(graph->num_variables() + c, pairs, all);
  }
  return builder.Build();
}

/// The numbers of variables of all factors, in their order.
std::string Orders(const Structure& structure) {
  std::string orders;
  for (Index c = 0; c < structure.graph().num_factors(); ++c)
    orders += std::to_string(structure.graph().scope(c).size());
  return orders;
}

}  // namespace

TEST_CASE(
    "Restrict drops variables with all their factors and keeps the numbers of inputs and "
    "potentials") {
  FactorGraphBuilder graph_builder;
  graph_builder.AddVariable(2);
  graph_builder.AddVariable(3);
  graph_builder.AddVariable(2);
  graph_builder.AddFactor({0, 1});
  graph_builder.AddFactor({2, 0});
  graph_builder.AddFactor({2});
  const auto layout = std::make_shared<WeightLayout>();
  const Index classes = layout->AddBlock("classes", 4, 10);
  const Index pairs = layout->AddBlock("pairs", 6);
  const Index shared = layout->AddBlock("shared", 1);
  StructureBuilder builder(graph_builder.Build(), layout);
  builder.AddLinear(0, classes, 0, builder.AddStateMap({{0, 1}, {}}));
  builder.AddLinear(1, classes, 1, builder.AddStateMap({{0, 1, 2}, {}}));
  builder.AddLinear(2, classes, 2, builder.AddStateMap({{0, 1}, {}}), 2);
  builder.AddPotential(4, pairs, 6, builder.AddStateMap({{0, 1, 2, 3}, {}}), 1);
  builder.AddConstant(3, shared, builder.AddStateMap({{0, 0, 0, 0, 0, 0}, {}}));
  const auto structure = builder.Build();

  const RestrictedStructure part = Restrict(*structure, {true, false, true});
  CHECK(part.variables == std::vector<Index>{0, 2});
  CHECK(part.factors == std::vector<Index>{1, 2});
  const Structure& s = *part.structure;
  CHECK(s.shared_layout() == layout);
  REQUIRE(s.graph().num_variables() == 2);
  REQUIRE(s.graph().num_factors() == 2);
  CHECK(std::vector<Index>(s.graph().scope(0).begin(), s.graph().scope(0).end()) ==
        std::vector<Index>{1, 0});
  CHECK(std::vector<Index>(s.graph().scope(1).begin(), s.graph().scope(1).end()) ==
        std::vector<Index>{1});
  CHECK(s.num_inputs() == 3);
  CHECK(s.num_potentials() == 10);
  REQUIRE(s.slots().size() == 2);
  CHECK(s.slots()[1].input == 2);
  CHECK(s.terms(1)[0].coordinate == 6);
  CHECK(s.terms(2)[0].source == 6);
  CHECK(s.terms(2)[0].base == 1);

  const RestrictedStructure all = Restrict(*structure, {true, true, true});
  CHECK(all.structure->num_coordinates() == structure->num_coordinates());
  CHECK(all.structure->graph().num_factors() == 3);
  const RestrictedStructure none = Restrict(*structure, {false, false, false});
  CHECK(none.structure->graph().num_parts() == 0);
  CHECK(
      Contains(Refusal([&] { Restrict(*structure, {true}); }), "one flag per variable is needed"));
}

TEST_CASE("Restrict keeps the forbidden states of what remains") {
  FactorGraphBuilder graph_builder;
  graph_builder.AddVariables(3, 2);
  graph_builder.AddFactor({0, 1});
  graph_builder.AddFactor({1, 2});
  StructureBuilder builder(graph_builder.Build(), std::make_shared<WeightLayout>());
  builder.ForbidStates(2, {true, false});
  builder.ForbidStates(4, {false, false, true, false});
  const auto structure = builder.Build();
  const RestrictedStructure part = Restrict(*structure, {false, true, true});
  CHECK(part.structure->forbidden_states(0).empty());
  CHECK(part.structure->forbidden_states(1)[0] == 0);
  REQUIRE(part.structure->forbidden_states(2).size() == 1);
  CHECK(part.structure->forbidden_states(2)[0] == 2);
  CHECK_FALSE(Restrict(*structure, {true, false, false}).structure->has_forbidden_states());
}

TEST_CASE("factors with the same variables become one, with the same score of every labelling") {
  FactorGraphBuilder graph_builder;
  graph_builder.AddVariable(2);
  graph_builder.AddVariable(3);
  graph_builder.AddVariable(2);
  graph_builder.AddFactor({0, 1});  // a table
  graph_builder.AddFactor({1, 2});  // an input
  graph_builder.AddFactor({1, 0});  // a table in the other order
  graph_builder.AddFactor({1, 0});  // potentials in the other order: stay apart
  graph_builder.AddFactor({0, 1});  // potentials
  graph_builder.AddFactor({2, 1});  // a second input: stays apart
  graph_builder.AddFactor({0, 1, 2});
  auto layout = std::make_shared<WeightLayout>();
  const Index looks = layout->AddBlock("looks", 6, 2);
  const Index pairs = layout->AddBlock("pairs", 6);
  const Index other = layout->AddBlock("other", 1);
  StructureBuilder builder(graph_builder.Build(), layout);
  const Index identity = builder.AddStateMap(IdentityMap(6));
  const Index values = builder.AddStateMap({{0, 0, kAbsent, 0, 0, 0}, {1, 2, 3, 4, 5, 6}});
  const Index pair = builder.AddStateMap({{0, 1, 2, 3, 4, 5}, {}});
  builder.AddConstant(3, pairs, pair);
  builder.AddLinear(4, looks, 0, identity);
  builder.AddConstant(5, other, values);
  builder.AddPotential(6, other, 0, builder.AddStateMap({{0, 0, 0, 0, 0, 0}, {}}));
  builder.AddPotential(7, other, 6, builder.AddStateMap({{0, 0, 0, 0, 0, 0}, {}}));
  builder.AddLinear(8, looks, 1, identity);
  builder.ForbidStates(3, {false, true, false, false, false, false});  // 0, 1
  builder.ForbidStates(5, {false, false, false, false, false, true});  // 1, 2 as (2, 1)
  const auto structure = builder.Build();
  const auto joined = JoinFactors(structure);
  CHECK(joined->graph().num_factors() == 5);
  CHECK(joined->terms(3).size() == 3);
  CHECK(JoinFactors(joined) == joined);

  CHECK(CheckSameScores(layout, structure, joined) == 4);

  // Together the two factors would forbid everything.
  StructureBuilder none(structure->shared_graph(), layout);
  none.ForbidStates(3, {true, true, true, false, false, false});
  none.ForbidStates(7, {false, false, false, true, true, true});
  const auto apart = none.Build();
  CHECK(JoinFactors(apart) == apart);
}

TEST_CASE("short cycles become factors, with the same score of every labelling") {
  std::shared_ptr<WeightLayout> layout;
  // The squares of a grid like those of one colour on a chessboard.
  const auto grid = Grid(3, 3, 2, false, &layout);
  const auto squares = JoinShortCycles(grid, 16);
  CHECK(Orders(*squares) == "422242");
  CHECK(CheckSameScores(layout, grid, squares) == 0);
  CHECK(JoinShortCycles(grid, 15) == grid);
  // All pairs of four variables, and the five that are left of the next four.
  const auto strip = Grid(2, 3, 2, true, &layout);
  const auto cliques = JoinShortCycles(strip, 16);
  CHECK(Orders(*cliques) == "44");
  CHECK(CheckSameScores(layout, strip, cliques) == 0);
  // Too many states for four variables.
  CHECK(Orders(*JoinShortCycles(strip, 8)) == "3232222");
  const auto chain = Grid(1, 5, 3, false, &layout);
  CHECK(JoinShortCycles(chain, 1000) == chain);
}

TEST_CASE("short cycles keep potentials and inputs apart, forbidden states, and other factors") {
  FactorGraphBuilder graph_builder;
  graph_builder.AddVariable(2);
  graph_builder.AddVariable(3);
  graph_builder.AddVariable(2);
  graph_builder.AddFactor({1});
  graph_builder.AddFactor({1, 0});
  graph_builder.AddFactor({0, 2});
  graph_builder.AddFactor({2, 1});
  graph_builder.AddFactor({0, 1, 2});
  auto layout = std::make_shared<WeightLayout>();
  const Index pairs = layout->AddBlock("pairs", 6);
  const Index other = layout->AddBlock("other", 1);
  const Index looks = layout->AddBlock("looks", 4, 2);
  const auto structure = [&](const std::string& what) {
    StructureBuilder builder(graph_builder.Build(), layout);
    const Index pair = builder.AddStateMap(IdentityMap(6));
    builder.AddConstant(4, pairs, pair);
    builder.AddConstant(6, pairs, pair);
    builder.AddConstant(5, other, builder.AddStateMap({{0, kAbsent, 0, 0}, {1, 2, 3, 4}}));
    if (what == "potentials")
      builder.AddPotential(5, other, 0, builder.AddStateMap({{0, 0, 0, 0}, {}}));
    if (what == "input") builder.AddLinear(5, looks, 0, builder.AddStateMap(IdentityMap(4)));
    builder.ForbidStates(4, {false, true, false, false, false, false});
    builder.ForbidStates(6, {false, true, false, false, false, false});
    return builder.Build();
  };
  const auto joined = JoinShortCycles(structure("constants"), 12);
  CHECK(Orders(*joined) == "133");
  CHECK(CheckSameScores(layout, structure("constants"), joined) == 4);
  for (const char* what : {"potentials", "input"}) {
    const auto kept = structure(what);
    CHECK(JoinShortCycles(kept, 12) == kept);
  }

  // A cycle whose pairs together forbid everything stays as it is.
  StructureBuilder builder(graph_builder.Build(), layout);
  builder.ForbidStates(4, {true, false, true, false, true, false});
  builder.ForbidStates(5, {false, true, true, true});
  builder.ForbidStates(6, {true, true, true, false, false, false});
  const auto none = builder.Build();
  CHECK(JoinShortCycles(none, 12) == none);
}

TEST_CASE("forbidden states of variables are left out, with the joint states that have them") {
  FactorGraphBuilder graph_builder;
  graph_builder.AddVariable(3);
  graph_builder.AddVariable(3);
  graph_builder.AddVariable(2);
  graph_builder.AddFactor({0, 1});
  graph_builder.AddFactor({2, 1});
  auto layout = std::make_shared<WeightLayout>();
  const Index pairs = layout->AddBlock("pairs", 9);
  const Index other = layout->AddBlock("other", 2);
  const Index looks = layout->AddBlock("looks", 3, 2);
  StructureBuilder builder(graph_builder.Build(), layout);
  builder.AddConstant(3, pairs, builder.AddStateMap(IdentityMap(9)));
  builder.AddPotential(4, other, 1, builder.AddStateMap({{0, 1, 0, 1, kAbsent, 0}, {}}));
  builder.AddConstant(4, other, builder.AddStateMap({{0, 1, 0, 0, 0, 0}, {1, 2, 3, 4, 5, 6}}));
  builder.AddLinear(0, looks, 0, builder.AddStateMap(IdentityMap(3)));
  builder.ForbidStates(0, {false, true, false});
  // With state 1 of variable 0 forbidden, no joint state is left for state 2 of variable 1.
  builder.ForbidStates(3, {false, false, true, false, false, false, false, false, true});
  const auto structure = builder.Build();
  CHECK_FALSE(ForbidsJointStates(*structure));
  const ReducedStructure reduced = LeaveOutForbidden(structure);
  CHECK_FALSE(reduced.structure->has_forbidden_states());
  CHECK(reduced.states == std::vector<std::vector<Index>>{{0, 2}, {0, 1}, {0, 1}});
  CHECK(reduced.potentials == std::vector<Index>{1, 2, 4, 5});

  std::vector<double> weights(layout->size());
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = std::cos(3.7 * k);
  const std::vector<double> potentials = {9, 1, 2, 3, 4, 5, 6};
  std::vector<double> of_reduced;
  for (const Index number : reduced.potentials) of_reduced.push_back(potentials[number]);
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::vector<double>{0.3, -1.2});
  int allowed = 0;
  for (Index y = 0; y < 18; ++y) {
    const Labels labels = {y / 6, y / 2 % 3, y % 2};
    if (FirstForbiddenPart(*structure, labels) >= 0) continue;
    ++allowed;
    Labels own;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto& states = reduced.states[i];
      const auto place = std::find(states.begin(), states.end(), labels[i]);
      REQUIRE(place != states.end());
      own.push_back(static_cast<Index>(place - states.begin()));
    }
    Dataset data(layout, rows);
    data.Add(structure, labels, 0, potentials);
    data.Add(reduced.structure, own, 0, of_reduced);
    std::vector<double> q[2];
    for (const Index m : {0, 1}) {
      q[m].assign(structure->num_coordinates(), 0.0);
      AddLabellingFeatures(data.example(m), data.example(m).labels(), 1, q[m]);
    }
    CHECK(q[0] == q[1]);
  }
  CHECK(allowed == 8);

  // Joint states of variables that keep both states stay forbidden.
  StructureBuilder partial(structure->shared_graph(), layout);
  partial.ForbidStates(2, {false, true});
  partial.ForbidStates(3, {false, true, false, false, false, false, false, false, false});
  CHECK(ForbidsJointStates(*partial.Build()));
  CHECK(LeaveOutForbidden(partial.Build()).structure->forbidden_states(3)[0] == 1);
}
