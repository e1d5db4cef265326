// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/active_set.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <tests/support/states.h>

#include "tests/support/random_models.h"

#include "tests/support/coordinates.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"
#include "tests/support/vectors.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Dense {
  std::vector<double> weights;  // φ over the weights
  double loss = 0;
};

}  // namespace

TEST_CASE(
    "active sets have the inner products and scores of their feature vectors, also after drops") {
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
      CHECK(a == before);  // another loss makes a new corner
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
        set.DropIdle(0);  // corner 0 stays although it is idle
        REQUIRE(set.size() == static_cast<Index>(kept.size()));
        shrunk += kept.size() < dense.size();
        dense = std::move(kept);
      }
      std::vector<double> w = Normals(random, d);
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

TEST_CASE("a set without inner products holds the same corners, and computes requested products") {
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
    ActiveSet loaded(false);
    LoadAll(StateOf(set, example, &scratch), loaded, example, &scratch);
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

TEST_CASE("corners are merged exactly when all entries and the loss are equal") {
  Random random(43);
  const TrainingSet training = RandomProblem(random, {.num_examples = 1, .potentials = true});
  const ExampleView example = training.data.example(0);
  CornerScratch scratch = MakeCornerScratch(training.data);
  std::vector<double> q(example.structure().num_coordinates(), 0.0);
  AddLabellingFeatures(example, example.labels(), 0.5, q);
  AddLabellingFeatures(example, std::vector<Index>{1, 1, 1, 1}, 0.5, q);
  SparseCorner corner;
  SparsifyCorner(example.structure(), q, &corner);
  REQUIRE(!corner.slot_index.empty());
  REQUIRE(!corner.scalar_index.empty());
  std::vector<SparseCorner> others(5, corner);
  others[0].loss = 0.25;
  others[1].slot_value[0] *= 2;
  others[2].scalar_value[0] *= 2;
  others[3].slot_index[0] += 1;
  others[4].slot_ones.push_back(0);
  ActiveSet set;
  CHECK(set.Add(example, corner, &scratch) == 0);
  for (Index k = 0; k < 5; ++k) CHECK(set.Add(example, others[k], &scratch) == k + 1);
  for (Index k = 0; k < 5; ++k) CHECK(set.Add(example, others[k], &scratch) == k + 1);
  CHECK(set.Add(example, corner, &scratch) == 0);
  CHECK(set.size() == 6);
  SparseCorner read;
  for (Index k = 0; k < 5; ++k) {
    set.Read(k + 1, &read);
    CHECK(read.loss == others[k].loss);
    CHECK(read.slot_ones == others[k].slot_ones);
    CHECK(read.slot_index == others[k].slot_index);
    CHECK(read.slot_value == others[k].slot_value);
    CHECK(read.scalar_ones == others[k].scalar_ones);
    CHECK(read.scalar_index == others[k].scalar_index);
    CHECK(read.scalar_value == others[k].scalar_value);
  }
  // Equal features, different losses: the distance is zero.
  CHECK(set.gram(0, 0) + set.gram(1, 1) - 2 * set.gram(0, 1) == 0);
}

namespace {

/// A set of `count` random labellings with losses 0, 1, …, and all weight on the first.
ActiveSet RandomSet(Random& random, const ExampleView& example, Index count,
                    CornerScratch* scratch) {
  ActiveSet set;
  SparseCorner corner;
  for (Index number = 0; number < count; ++number) {
    std::vector<double> q(example.structure().num_coordinates(), 0.0);
    AddLabellingFeatures(example, RandomLabels(random, example.graph()), 1, q);
    SparsifyCorner(example.structure(), q, &corner);
    corner.loss = number;
    set.Add(example, corner, scratch);
  }
  set.alpha()[0] = 1;
  return set;
}

std::vector<double> LossesOf(const ActiveSet& set) {
  std::vector<double> losses;
  for (Index a = 0; a < set.size(); ++a) losses.push_back(set.loss(a));
  return losses;
}

}  // namespace

TEST_CASE("corners are dropped when they have been idle for longer than the limit") {
  Random random(44);
  const TrainingSet training = RandomProblem(random, ProblemOptions());
  CornerScratch scratch = MakeCornerScratch(training.data);
  ActiveSet set = RandomSet(random, training.data.example(0), 4, &scratch);
  const auto share = [&](std::vector<double> alpha) {
    std::copy(alpha.begin(), alpha.end(), set.alpha().begin());
  };
  share({0, 0.5, 0, 0.5});  // corner 2 is idle, as is the ground truth
  for (int call = 0; call < 3; ++call) {
    set.DropIdle(3);
    CHECK(LossesOf(set) == std::vector<double>{0, 1, 2, 3});
  }
  share({0, 0.5, 0.5, 0});  // corner 2 has weight again in time
  set.DropIdle(3);
  share({0, 1, 0, 0});
  set.DropIdle(3);
  set.DropIdle(3);
  CHECK(LossesOf(set) == std::vector<double>{0, 1, 2, 3});
  set.DropIdle(3);  // the fourth call for corner 3
  CHECK(LossesOf(set) == std::vector<double>{0, 1, 2});
  set.DropIdle(3);
  CHECK(LossesOf(set) == std::vector<double>{0, 1});
  for (int call = 0; call < 9; ++call) set.DropIdle(3);
  CHECK(LossesOf(set) == std::vector<double>{0, 1});
  CHECK(set.alpha()[0] == 0);
  CHECK(set.alpha()[1] == 1);
}

TEST_CASE("retained corners keep their weights, products and idle counts") {
  Random random(45);
  const TrainingSet training = RandomProblem(random, ProblemOptions());
  const ExampleView example = training.data.example(0);
  CornerScratch scratch = MakeCornerScratch(training.data);
  ActiveSet set = RandomSet(random, example, 9, &scratch);
  for (Index a = 0; a < 9; ++a) set.alpha()[a] = a == 4 ? 0 : 0.125;
  set.DropIdle(3);  // corner 4 is idle for the first time
  const ActiveSet before = set;
  set.Retain(std::vector<std::uint8_t>{0, 0, 1, 0, 1, 1, 0, 0, 1});
  const std::vector<Index> kept = {0, 2, 4, 5, 8};
  REQUIRE(set.size() == 5);
  for (Index x = 0; x < 5; ++x) {
    CHECK(set.alpha()[x] == before.alpha()[kept[x]]);
    CHECK(set.loss(x) == before.loss(kept[x]));
    for (Index y = 0; y < 5; ++y) CHECK(set.gram(x, y) == before.gram(kept[x], kept[y]));
  }
  for (int call = 0; call < 3; ++call) set.DropIdle(3);
  CHECK(LossesOf(set) == std::vector<double>{0, 2, 5, 8});

  const ActiveSet first = set.First();
  CHECK(first.size() == 1);
  CHECK(first.alpha()[0] == 1);
  CHECK(first.gram(0, 0) == before.gram(0, 0));
  std::vector<double> w = Normals(random, training.data.layout().size());
  std::vector<double> u = CoordinateScoresOf(example, w);
  CHECK(first.Score(0, u, w) == set.Score(0, u, w));
}

TEST_CASE("a saved set is read back unchanged, and damaged states are refused") {
  Random random(46);
  const TrainingSet training = RandomProblem(random, ProblemOptions());
  const ExampleView example = training.data.example(0);
  CornerScratch scratch = MakeCornerScratch(training.data);
  ActiveSet set = RandomSet(random, example, 5, &scratch);
  for (Index a = 0; a < 5; ++a) set.alpha()[a] = a == 1 ? 0 : 0.25;
  set.DropIdle(2);
  ActiveSet loaded;
  LoadAll(StateOf(set, example, &scratch), loaded, example, &scratch);
  for (ActiveSet* one : {&set, &loaded}) {
    one->DropIdle(2);
    CHECK(LossesOf(*one) == std::vector<double>{0, 1, 2, 3, 4});
    one->DropIdle(2);  // idle for the third time
    CHECK(LossesOf(*one) == std::vector<double>{0, 2, 3, 4});
  }
  for (Index x = 0; x < 4; ++x) {
    CHECK(loaded.alpha()[x] == set.alpha()[x]);
    for (Index y = 0; y < 4; ++y) CHECK(Near(loaded.gram(x, y), set.gram(x, y), kExact));
  }
  const auto refused = [&](const ActiveSet& bad, const char* what) {
    ActiveSet copy = bad;
    ActiveSet target;
    CHECK_THROWS_WITH_AS(LoadAll(StateOf(copy, example, &scratch), target, example, &scratch),
                         doctest::Contains(what), DataError);
  };
  ActiveSet shares = set;
  shares.alpha()[1] += 0.1;
  refused(shares, "shares");
  SparseCorner corner;
  corner.loss = -1;
  ActiveSet negative = set;
  negative.Add(example, corner, &scratch);
  refused(negative, "a corner has a negative loss");
}
