// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/structure.h>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <tests/core/messages.h>

using namespace slackline::internal;
using slackline::internal::test::Contains;
using slackline::internal::test::Refusal;

namespace {

using Labels = std::vector<Index>;

/// Variables with 2 and 3 states, one factor with 6; two linear and two scalar blocks.
struct Fixture {
  Fixture() {
    FactorGraphBuilder graph_builder;
    graph_builder.AddVariable(2);
    graph_builder.AddVariable(3);
    graph_builder.AddFactor({0, 1});
    graph = graph_builder.Build();
    auto blocks = std::make_shared<WeightLayout>();
    classes = blocks->AddBlock("classes", 4, 10);
    others = blocks->AddBlock("others", 2, 7);
    pairs = blocks->AddBlock("pairs", 6);
    shared = blocks->AddBlock("shared", 1);
    layout = blocks;
  }
  std::shared_ptr<const FactorGraph> graph;
  std::shared_ptr<const WeightLayout> layout;
  Index classes, others, pairs, shared;
};

/// Three variables of two states, and two pairs.
std::shared_ptr<const FactorGraph> BinaryChain() {
  FactorGraphBuilder chain;
  chain.AddVariables(3, 2);
  chain.AddFactor({0, 1});
  chain.AddFactor({1, 2});
  return chain.Build();
}

}  // namespace

TEST_CASE("weight layouts place blocks one after the other and find them by name") {
  WeightLayout layout;
  CHECK(layout.size() == 0);
  CHECK(layout.AddBlock("a", 2, 3) == 0);
  CHECK(layout.AddBlock("b", 5) == 1);
  CHECK(layout.size() == 11);
  CHECK(layout.block(1).offset == 6);
  CHECK(layout.block(0).at(1, 2) == 5);
  CHECK(layout.block(0).at(0, 1) == 2);
  CHECK(layout.Find("b") == 1);
  CHECK(layout.Find("c") == -1);
  CHECK(Contains(Refusal([&] { layout.AddBlock("", 1); }), "a weight block needs a name"));
  CHECK(Contains(Refusal([&] { layout.AddBlock("a", 1); }),
                 "there is already a weight block named 'a'"));
  CHECK(Contains(Refusal([&] { layout.AddBlock("c", 0); }),
                 "weight block 'c' needs at least one row and one column"));
  CHECK(Contains(Refusal([&] { layout.AddBlock("c", 1, 0); }), "at least one row and one column"));
}

TEST_CASE("the structure builder refuses arguments that do not fit and says why") {
  const Fixture f;
  CHECK(Contains(Refusal([&] { StructureBuilder(nullptr, f.layout); }),
                 "needs a graph and a weight layout"));
  CHECK(Contains(Refusal([&] { StructureBuilder(f.graph, nullptr); }),
                 "needs a graph and a weight layout"));
  StructureBuilder builder(f.graph, f.layout);
  CHECK(Contains(Refusal([&] {
                   builder.AddStateMap({{0, 1}, {1.0}});
                 }),
                 "as many values as rows, or none"));
  CHECK(Contains(Refusal([&] {
                   builder.AddStateMap({{0, -2}, {}});
                 }),
                 "a state map has a negative row"));
  const Index two = builder.AddStateMap({{0, 1}, {}});
  const Index valued = builder.AddStateMap({{0, 0}, {1.0, 2.0}});
  CHECK(Contains(Refusal([&] { builder.AddLinear(3, f.classes, 0, two); }), "unknown part 3"));
  CHECK(Contains(Refusal([&] { builder.AddLinear(-1, f.classes, 0, two); }), "unknown part -1"));
  CHECK(Contains(Refusal([&] { builder.AddLinear(0, 4, 0, two); }), "unknown weight block"));
  CHECK(Contains(Refusal([&] { builder.AddLinear(0, f.classes, -1, two); }),
                 "the number of an input must not be negative"));
  CHECK(Contains(Refusal([&] { builder.AddLinear(0, f.classes, 0, 9); }), "unknown state map"));
  CHECK(Contains(Refusal([&] { builder.AddLinear(1, f.classes, 0, two); }),
                 "a state map of 2 states does not fit part 1 with 3"));
  CHECK(Contains(Refusal([&] { builder.AddLinear(0, f.classes, 0, valued); }),
                 "only constant features have values"));
  CHECK(Contains(Refusal([&] { builder.AddPotential(0, f.pairs, 0, valued); }),
                 "only constant features have values"));
  CHECK(Contains(Refusal([&] { builder.AddPotential(0, f.pairs, -1, two); }),
                 "position of a potential must not be negative"));
  CHECK(Contains(Refusal([&] { builder.AddConstant(0, f.classes, two); }),
                 "block with one column, not 'classes'"));
  CHECK(Contains(Refusal([&] { builder.AddLinear(0, f.classes, 0, two, -1); }),
                 "the base row must not be negative"));
  CHECK(Contains(Refusal([&] { builder.AddLinear(0, f.classes, 0, two, 3); }),
                 "past the rows of weight block 'classes'"));
  CHECK(Contains(Refusal([&] { builder.AddConstant(0, f.shared, two); }),
                 "past the rows of weight block 'shared'"));
}

TEST_CASE("two linear terms of one part, and a block with both kinds of features, are refused") {
  const Fixture f;
  StructureBuilder twice(f.graph, f.layout);
  const Index map = twice.AddStateMap({{0, 1}, {}});
  twice.AddLinear(0, f.classes, 0, map);
  twice.AddLinear(0, f.others, 0, map);
  CHECK(Contains(Refusal([&] { twice.Build(); }), "part 0 has two linear terms"));
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("w", 2);
  StructureBuilder mixed(f.graph, layout);
  mixed.AddStateMap({{0, 1}, {}});
  mixed.AddLinear(0, 0, 0, 0);
  mixed.AddConstant(0, 0, 0);
  CHECK(Contains(Refusal([&] { mixed.Build(); }),
                 "weight block 'w' is used with linear and with scalar features"));
}

TEST_CASE("equal state maps are stored once") {
  const Fixture f;
  StructureBuilder builder(f.graph, f.layout);
  CHECK(builder.AddStateMap({{0, kAbsent}, {}}) == 0);
  CHECK(builder.AddStateMap({{0, 1}, {}}) == 1);
  CHECK(builder.AddStateMap({{0, kAbsent}, {}}) == 0);
  CHECK(builder.AddStateMap({{0, kAbsent}, {1.0, 1.0}}) == 2);
}

TEST_CASE("coordinates: slots by block and input, then scalar blocks; unused blocks have none") {
  const Fixture f;
  StructureBuilder builder(f.graph, f.layout);
  const Index two = builder.AddStateMap({{1, 0}, {}});
  const Index three = builder.AddStateMap({{0, kAbsent, 0}, {}});
  const Index table = builder.AddStateMap({{0, 1, 2, 3, 4, 5}, {}});
  const Index potts = builder.AddStateMap({{0, kAbsent, kAbsent, kAbsent, 0, kAbsent}, {}});
  builder.AddConstant(2, f.pairs, table);
  builder.AddPotential(2, f.shared, 5, potts);
  builder.AddLinear(2, f.others, 3, potts, 1);
  builder.AddLinear(1, f.classes, 2, three, 1);
  builder.AddLinear(0, f.classes, 0, two, 2);
  const auto structure = builder.Build();
  REQUIRE(structure->slots().size() == 3);
  const auto slot_is = [&](std::size_t s, Index block, Index input, Index coordinate, Index rows) {
    const Slot& slot = structure->slots()[s];
    return slot.block == block && slot.input == input && slot.coordinate == coordinate &&
           slot.rows == rows;
  };
  CHECK(slot_is(0, f.classes, 0, 0, 4));
  CHECK(slot_is(1, f.classes, 2, 4, 4));
  CHECK(slot_is(2, f.others, 3, 8, 2));
  REQUIRE(structure->scalar_blocks().size() == 2);
  CHECK(structure->scalar_blocks()[0].coordinate == 10);
  CHECK(structure->scalar_blocks()[1].coordinate == 16);
  CHECK(structure->num_coordinates() == 17);
  CHECK(structure->num_inputs() == 4);
  CHECK(structure->num_potentials() == 11);
  CHECK_FALSE(structure->slots_are_orthogonal());

  REQUIRE(structure->terms(0).size() == 1);
  CHECK(structure->terms(0)[0].coordinate == 2);  // `base` included
  CHECK(structure->terms(1)[0].coordinate == 5);
  REQUIRE(structure->terms(2).size() == 3);
  CHECK(structure->terms(2)[0].kind == FeatureKind::kLinear);  // the linear term comes first
  CHECK(structure->terms(2)[0].coordinate == 9);
  CHECK(structure->terms(2)[1].kind == FeatureKind::kPotential);
  CHECK(structure->terms(2)[1].coordinate == 16);
  CHECK(structure->terms(2)[2].coordinate == 10);
}

TEST_CASE("slots are orthogonal when every block has one input, also when several parts share it") {
  const Fixture f;
  StructureBuilder builder(f.graph, f.layout);
  builder.AddLinear(0, f.classes, 1, builder.AddStateMap({{0, 1}, {}}));
  builder.AddLinear(1, f.classes, 1, builder.AddStateMap({{0, 1, 2}, {}}), 1);
  builder.AddLinear(2, f.others, 0, builder.AddStateMap({{0, 1, 0, 1, 0, 1}, {}}));
  const auto structure = builder.Build();
  CHECK(structure->slots_are_orthogonal());
  CHECK(structure->slots().size() == 2);
  CHECK(structure->num_coordinates() == 6);
}

TEST_CASE("a structure without terms has no coordinates") {
  const Fixture f;
  const auto structure = StructureBuilder(f.graph, f.layout).Build();
  CHECK(structure->num_coordinates() == 0);
  CHECK(structure->num_inputs() == 0);
  CHECK(structure->terms(2).empty());
  const auto empty = StructureBuilder(FactorGraphBuilder().Build(), f.layout).Build();
  CHECK(empty->num_coordinates() == 0);
}

TEST_CASE("parts share lists of forbidden states, which are unions over all calls") {
  const Fixture f;
  StructureBuilder builder(BinaryChain(), f.layout);
  CHECK_FALSE(builder.Build()->has_forbidden_states());
  CHECK(builder.Build()->forbidden_states(3).empty());
  CHECK(builder.Build()->forbidden_list(3) == -1);
  builder.ForbidStates(0, {false, false});
  CHECK_FALSE(builder.Build()->has_forbidden_states());
  builder.ForbidStates(3, {false, true, true, false});
  builder.ForbidStates(4, {false, false, true, false});
  builder.ForbidStates(4, {false, true, false, false});
  builder.ForbidStates(2, {true, false});
  const auto structure = builder.Build();
  CHECK(structure->has_forbidden_states());
  const auto states = [&](Index part) {
    const std::span<const Index> list = structure->forbidden_states(part);
    return std::vector<Index>(list.begin(), list.end());
  };
  CHECK(states(0).empty());
  CHECK(states(2) == std::vector<Index>{0});
  CHECK(states(3) == std::vector<Index>{1, 2});
  CHECK(states(4) == std::vector<Index>{1, 2});
  CHECK(structure->forbidden_list(3) == structure->forbidden_list(4));
  CHECK(structure->forbidden_list(2) != structure->forbidden_list(3));

  CHECK(Contains(Refusal([&] { builder.ForbidStates(5, {true}); }), "unknown part 5"));
  CHECK(Contains(Refusal([&] { builder.ForbidStates(-1, {true}); }), "unknown part -1"));
  CHECK(Contains(Refusal([&] {
                   builder.ForbidStates(3, {true, false});
                 }),
                 "2 flags of forbidden states do not fit part 3 with 4"));
  CHECK(Contains(Refusal([&] {
                   builder.ForbidStates(2, {false, true});
                 }),
                 "all states of part 2 are forbidden"));
}

TEST_CASE("the first forbidden part of a labelling is found among labelled variables") {
  const Fixture f;
  StructureBuilder builder(BinaryChain(), f.layout);
  CHECK(FirstForbiddenPart(*builder.Build(), Labels{0, 1, 0}) == -1);
  builder.ForbidStates(3, {false, true, true, false});
  builder.ForbidStates(4, {false, false, true, false});
  builder.ForbidStates(2, {true, false});
  const auto structure = builder.Build();
  CHECK(FirstForbiddenPart(*structure, Labels{1, 1, 1}) == -1);
  CHECK(FirstForbiddenPart(*structure, Labels{0, 1, 0}) == 2);
  CHECK(FirstForbiddenPart(*structure, Labels{0, 1, 1}) == 3);
  CHECK(FirstForbiddenPart(*structure, Labels{kUnlabelled, 1, 0}) == 2);
  CHECK(FirstForbiddenPart(*structure, Labels{kUnlabelled, 0, 1}) == -1);
  CHECK(FirstForbiddenPart(*structure, Labels{1, kUnlabelled, kUnlabelled}) == -1);
  CHECK(Contains(Refusal([&] {
                   FirstForbiddenPart(*structure, Labels{1, 1});
                 }),
                 "one label per variable is needed"));
}

TEST_CASE("a structure can be rebuilt over inputs of another length") {
  const auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("inputs", 2, 7);
  layout->AddBlock("scalars", 2);
  StructureBuilder builder(BinaryChain(), layout);
  const Index states = builder.AddStateMap(IdentityMap(2));
  builder.AddLinear(0, 0, 0, states);
  builder.AddConstant(1, 1, states);
  builder.ForbidStates(2, {true, false});
  const auto structure = builder.Build();
  const auto longer = std::make_shared<WeightLayout>();
  longer->AddBlock("inputs", 2, 30);
  longer->AddBlock("scalars", 2);
  const auto same = WithLayout(*structure, longer);
  CHECK(same->layout().size() == 62);
  CHECK(structure->layout().size() == 16);
  CHECK(same->num_coordinates() == structure->num_coordinates());
  CHECK(same->terms(0)[0].coordinate == structure->terms(0)[0].coordinate);
  CHECK(same->forbidden_states(2)[0] == 0);
  const auto refusal = [&](Index rows, Index scalar_cols) {
    const auto other = std::make_shared<WeightLayout>();
    other->AddBlock("inputs", rows, 30);
    other->AddBlock("scalars", 2, scalar_cols);
    return Refusal([&] { WithLayout(*structure, other); });
  };
  CHECK(Contains(refusal(3, 1), "weight block 'inputs' has other rows"));
  CHECK(Contains(refusal(2, 2), "a block with one column, not 'scalars'"));
  CHECK(Contains(Refusal([&] { WithLayout(*structure, std::make_shared<WeightLayout>()); }),
                 "other blocks"));
}
