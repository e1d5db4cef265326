// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <sstream>

#include <slackline/slackline.h>

namespace slackline {
namespace {

TEST_CASE("the library has the version of its headers") {
  CHECK(std::string(Version()) == SLACKLINE_VERSION_STRING);
  CHECK(SLACKLINE_VERSION_NUMBER ==
        10000 * SLACKLINE_VERSION_MAJOR + 100 * SLACKLINE_VERSION_MINOR + SLACKLINE_VERSION_PATCH);
}

TEST_CASE("a graph reports its shape") {
  Model model;
  const WeightBlock look = model.AddWeights("look", 3, 2), given = model.AddWeights("given");
  GraphBuilder builder(model);
  const VariableRange v = builder.AddVariables(3, 3);
  for (int i = 0; i < 3; ++i) builder.AddInput(v[i], look, i);
  CHECK(builder.AddPotentials(v[0], given) == 0);
  CHECK(builder.AddPotentialFactor({v[0], v[1]}, given) == 3);
  const Graph forest = builder.Build();
  CHECK(forest.num_variables() == 3);
  CHECK(forest.num_states(v[2]) == 3);
  CHECK(forest.num_factors() == 1);
  CHECK(forest.num_inputs() == 3);
  CHECK(forest.num_potentials() == 12);
  CHECK(forest.IsForest());
  builder.AddFactor(v, AtMost(1, 2));
  CHECK_FALSE(builder.Build().IsForest());
  CHECK(builder.Build().num_factors() == 2);
  CHECK(forest.num_factors() == 1);
}

TEST_CASE("arguments that do not fit a graph are refused with a message") {
  Model model;
  const WeightBlock look = model.AddWeights("look", 3, 2), one = model.AddWeights("one");
  GraphBuilder builder(model);
  const VariableRange v = builder.AddVariables(3, 4);
  const auto refuses = [](const char* words, auto call) {
    CHECK_THROWS_WITH_AS(call(), doctest::Contains(words), std::invalid_argument);
  };
  refuses("needs 4 rows of weights, and block 'look' has 3",
          [&] { builder.AddInput(v[0], look, 0); });
  refuses("no variable 7", [&] { builder.AddInput(Variable{7}, look, 0); });
  refuses("3 states on axis 0 does not fit variable 0 with 4", [&] {
    builder.AddFactor({v[0], v[1]}, Potts(3), one);
  });
  refuses("over 2 variables does not fit a scope of 3",
          [&] { builder.AddFactor(v, Potts(4), one); });
  refuses("AddFactor needs the block", [&] { builder.AddFactor({v[0], v[1]}, Potts(4)); });
  refuses("needs 16 rows", [&] { builder.AddFactor({v[0], v[1]}, Table({4, 4}), one); });
  refuses("occurs twice", [&] { builder.AddFactor({v[0], v[0]}, Potts(4), one); });
  refuses("cannot ask for a count of 4", [&] { builder.AddFactor(v, AtLeast(4)); });
  refuses("the factor has 4 weights", [&] { builder.AddFactor(v, Count()); });
  refuses("has no state 4", [&] { builder.Forbid(v[0], {4}); });
  refuses("need a factor with a table", [&] { Chain(3, AtMost(1)); });
  refuses("not those of the graph's model", [&] {
    builder.AddFactor({v[0], v[1]}, Potts(4), WeightBlock{9, 1, 1, 0});
  });
  CHECK_THROWS_AS(v[3], std::out_of_range);
  CHECK_THROWS_AS(model.AddWeights("one"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(model.Find("lok"), doctest::Contains("did you mean 'look'?"),
                       std::invalid_argument);
}

TEST_CASE("an example that does not fit leaves the data set unchanged") {
  Model model;
  const WeightBlock look = model.AddWeights("look", 2, 2);
  GraphBuilder builder(model);
  builder.AddInput(builder.AddVariable(2), look, 0);
  const Graph graph = builder.Build();
  Dataset data(model);
  const auto refuses = [&](const char* words, const Example& example) {
    CHECK_THROWS_WITH_AS(data.Add(graph, example), doctest::Contains(words), std::invalid_argument);
    CHECK(data.size() == 0);
  };
  refuses("needs 1 input rows, not 2", {.inputs = {{1, 2}, {3, 4}}, .labels = {0}});
  refuses("dimension 3", {.inputs = {{1, 2, 3}}, .labels = {0}});
  refuses("label 2 of variable 0 is out of range", {.inputs = {{1, 2}}, .labels = {2}});
  refuses("one label per variable", {.inputs = {{1, 2}}, .labels = {0, 1}});
  refuses("potentials", {.inputs = {{1, 2}}, .labels = {0}, .potentials = {1}});
  refuses("true state must be 0", {.inputs = {{1, 2}}, .labels = {0}, .losses = {1, 0}});
  refuses("losses do not fit", {.inputs = {{1, 2}}, .labels = {0}, .losses = {0}});
  refuses("not negative", {.inputs = {{1, 2}}, .labels = {0}, .loss_weights = {-1}});
  CHECK(data.Add(graph, {.inputs = {{1, 2}}, .labels = {1}}) == 0);
  CHECK(data.Add(graph, {.inputs = Inputs(std::vector<double>{3, 4}, 2), .labels = {0}}) == 1);
  CHECK_THROWS_AS(Inputs(std::vector<double>{3, 4, 5}, 2), std::invalid_argument);
}

TEST_CASE("a block with one row belongs to state 1 of a binary variable") {
  Model model;
  const WeightBlock odds = model.AddWeights("odds", 1, 2);
  GraphBuilder builder(model);
  builder.AddInput(builder.AddVariable(2), odds, 0);
  const Graph graph = builder.Build();
  Weights weights(model);
  weights["odds"](0, 0) = 2, weights["odds"](0, 1) = -1;
  const StateTable scores = Scores(graph, {.inputs = {{3, 4}}}, weights);
  CHECK(scores == StateTable{{0, 2}});
}

TEST_CASE("several factors may use rows of one block") {
  Model model;
  const WeightBlock differ = model.AddWeights("differ", 2);
  GraphBuilder builder(model);
  const VariableRange v = builder.AddVariables(3, 2);
  builder.AddFactor({v[0], v[1]}, Potts(2), differ.Rows(0));
  builder.AddFactor({v[1], v[2]}, Potts(2), differ.Rows(1));
  CHECK_THROWS_AS(builder.AddFactor({v[0], v[1]}, Potts(2), differ.Rows(2)), std::invalid_argument);
  CHECK_THROWS_AS(builder.AddFactor({v[0], v[1]}, Potts(2), differ), std::invalid_argument);
  Weights weights(model);
  weights["differ"](0) = 2, weights["differ"](1) = 5;
  CHECK(Score(builder.Build(), {}, {0, 1, 0}, weights) == 7);
  CHECK(Score(builder.Build(), {}, {0, 0, 1}, weights) == 5);
}

TEST_CASE("labels are printed with blanks between them") {
  std::ostringstream out;
  out << Labelling{2, 0, 1};
  CHECK(out.str() == "2 0 1");
}

}  // namespace
}  // namespace slackline
