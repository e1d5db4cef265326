// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/active_set.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/learning/problem.h>
#include <tests/support/states.h>

#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Dense {
  std::vector<double> weights;  // φ in the space of weights
  double loss = 0;
};

std::vector<Index> RandomLabels(Random& random, const FactorGraph& graph) {
  std::vector<Index> labels;
  for (Index i = 0; i < graph.num_variables(); ++i)
    labels.push_back(static_cast<Index>(random.Below(graph.cardinality(i))));
  return labels;
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

TEST_CASE(
    "active sets have the inner products and scores of their feature vectors, also after some were "
    "dropped") {
  Random random(41);
  int shrunk = 0;
  for (int trial = 0; trial < 60; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.num_examples = 1;
    const TrainingSet training = RandomProblem(random, shape);
    const ExampleView example = training.data.example(0);
    const Structure& structure = example.structure();
    const std::size_t d = training.data.layout().size();
    CornerScratch scratch;
    scratch.slot.assign(structure.num_coordinates(), 0.0);
    scratch.scalar.assign(d, 0.0);
    ActiveSet set;
    std::vector<Dense> dense;
    SparseCorner corner;
    std::vector<double> q(structure.num_coordinates());
    for (int number = 0; number < 12; ++number) {
      const std::vector<Index> labels = RandomLabels(random, example.graph());
      // Every third corner is a mixture of two labellings: fractional values.
      std::fill(q.begin(), q.end(), 0.0);
      AddLabellingFeatures(example, labels, number % 3 == 2 ? 0.5 : 1.0, q);
      if (number % 3 == 2)
        AddLabellingFeatures(example, RandomLabels(random, example.graph()), 0.5, q);
      SparsifyCorner(structure, q, &corner);
      corner.loss = static_cast<double>(number);
      const Index before = set.size();
      const Index a = set.Add(example, corner, &scratch);
      CHECK(a == before);  // the loss makes it a new one
      CHECK(set.Add(example, corner, &scratch) == a);
      Dense vector{std::vector<double>(d, 0.0), corner.loss};
      ScatterFeatures(example, q, 1, vector.weights);
      dense.push_back(std::move(vector));
      set.alpha()[a] = random.Below(2) == 0 ? 0.0 : 0.1;
      set.alpha()[0] = 0;
      if (number % 4 == 3) {
        std::vector<Dense> kept;
        for (Index b = 0; b < set.size(); ++b) {
          if (b == 0 || set.alpha()[b] > 0) kept.push_back(dense[b]);
        }
        set.DropIdle(0);  // corner 0 stays, though idle
        REQUIRE(set.size() == static_cast<Index>(kept.size()));
        shrunk += kept.size() < dense.size();
        dense = std::move(kept);
      }
      std::vector<double> w(d);
      for (double& value : w) value = random.Normal();
      std::vector<double> u(structure.num_coordinates());
      CoordinateScores(example, w, u);
      for (Index x = 0; x < set.size(); ++x) {
        CHECK(Near(set.Score(x, u, w), dense[x].loss + Dot(dense[x].weights, w), kTight));
        for (Index y = 0; y < set.size(); ++y) {
          CHECK(Near(set.gram(x, y), Dot(dense[x].weights, dense[y].weights), kTight));
        }
      }
      for (const double value : scratch.slot) CHECK(value == 0);
      for (const double value : scratch.scalar) CHECK(value == 0);
    }
  }
  CHECK(shrunk > 30);
}

TEST_CASE("a set without inner products keeps the same corners, and those that are asked for") {
  Random random(42);
  int dropped = 0;
  for (int trial = 0; trial < 30; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.num_examples = 1;
    const TrainingSet training = RandomProblem(random, shape);
    const ExampleView example = training.data.example(0);
    const std::size_t size = example.structure().num_coordinates();
    CornerScratch scratch = MakeCornerScratch(training.data);
    ActiveSet set(false);
    std::vector<std::vector<double>> coordinates;
    SparseCorner corner;
    for (int number = 0; number < 9; ++number) {
      std::vector<double> q(size, 0.0);
      AddLabellingFeatures(example, RandomLabels(random, example.graph()), 1, q);
      SparsifyCorner(example.structure(), q, &corner);
      corner.loss = number;
      CHECK(set.Add(example, corner, &scratch) == number);
      CHECK(set.Add(example, corner, &scratch) == number);
      coordinates.push_back(q);
    }
    std::vector<std::uint8_t> keep;
    std::vector<std::size_t> kept;
    for (std::size_t a = 0; a < 9; ++a) {
      keep.push_back(random.Below(2) == 0 ? 1 : 0);
      if (a == 0 || keep[a] != 0) kept.push_back(a);
    }
    set.Retain(keep);
    dropped += kept.size() < 9 ? 1 : 0;
    REQUIRE(set.size() == static_cast<Index>(kept.size()));
    StateWriter writer;
    SaveState(set, &writer, example, &scratch);
    ActiveSet loaded(false);
    StateReader reader(writer.bytes());
    LoadState(loaded, &reader, example, &scratch);
    for (const ActiveSet* one : {&set, &loaded}) {
      for (std::size_t x = 0; x < kept.size(); ++x) {
        CHECK(one->loss(static_cast<Index>(x)) == static_cast<double>(kept[x]));
        std::vector<double> q(size, 1.0);
        one->AddCoordinates(example.structure(), static_cast<Index>(x), 2, q);
        for (std::size_t k = 0; k < size; ++k)
          CHECK(Near(q[k], 1 + 2 * coordinates[kept[x]][k], kTight));
      }
    }
  }
  CHECK(dropped > 20);
}
