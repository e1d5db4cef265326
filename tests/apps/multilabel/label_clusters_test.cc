// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/label_clusters.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/learning/train_loop.h>
#include <tests/support/dense_qp.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::vector<LabelPair> AllPairs(Index labels) {
  std::vector<LabelPair> pairs;
  for (Index a = 0; a < labels; ++a) {
    for (Index b = a + 1; b < labels; ++b) pairs.push_back({a, b});
  }
  return pairs;
}

MultiLabelModel Model(Index labels, Index features) {
  std::vector<std::string> names;
  for (Index i = 0; i < labels; ++i) names.push_back("L" + std::to_string(i));
  return {names, features, false, AllPairs(labels)};
}

/// Labels that often exclude each other: pairs get negative weights, which contradict each other on
/// cycles of length three.
MultiLabelData ExclusiveData(Random& random, Index labels, Index features, Index examples) {
  MultiLabelData data;
  for (Index i = 0; i < labels; ++i) data.label_names.push_back("L" + std::to_string(i));
  data.num_features = features;
  auto rows = std::make_shared<FeatureRows>();
  for (Index m = 0; m < examples; ++m) {
    std::vector<double> x(features);
    for (double& value : x) value = random.Normal();
    rows->AddDense(x);
    const auto only = static_cast<Index>(random.Below(static_cast<std::uint64_t>(labels)));
    for (Index i = 0; i < labels; ++i)
      data.labels.push_back(static_cast<std::int8_t>(i == only || random.Below(8) == 0 ? 1 : 0));
    data.lines.push_back(m + 1);
  }
  data.rows = rows;
  return data;
}

struct Optima {
  double relaxed = 0;
  double clustered = 0;
  double exact = 0;
};

Optima Solve(const MultiLabelModel& model, const MultiLabelData& data,
             const std::vector<LabelTriple>& clusters, double lambda) {
  const Dataset plain = model.MakeDataset(data);
  const TrainingSet pairs = MakeTrainingSet(plain, LossOptions());
  // Clusters do not change the exact problem.
  const TrainingSet tight =
      MakeTrainingSet(WithStructure(plain, MakeClusteredStructure(model, clusters)), LossOptions());
  const double exact = ExactOptimum(pairs, lambda);
  CHECK(Near(ExactOptimum(tight, lambda), exact, kSolver));
  return {RelaxedOptimum(pairs, lambda), RelaxedOptimum(tight, lambda), exact};
}

}  // namespace

TEST_CASE("triangle inequalities hold for distributions, and fail for contradicting pairs") {
  Random random(341);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> p(8);
    double total = 0;
    for (double& value : p) total += value = random.Below(2) == 0 ? 0 : random.Uniform();
    if (total == 0) p[0] = total = 1;
    for (double& value : p) value /= total;
    const std::array<double, 3> single = {p[4] + p[5] + p[6] + p[7], p[2] + p[3] + p[6] + p[7],
                                          p[1] + p[3] + p[5] + p[7]};
    const std::array<double, 3> pair = {p[6] + p[7], p[5] + p[7], p[3] + p[7]};
    CHECK(TriangleViolation(single, pair) <= kExact);
  }
  const std::array<double, 3> half = {0.5, 0.5, 0.5};
  CHECK(TriangleViolation(half, std::array<double, 3>{0, 0, 0}) == 0.5);
  CHECK(TriangleViolation(half, std::array<double, 3>{0.5, 0.5, 0}) == 0.5);
  CHECK(TriangleViolation(half, std::array<double, 3>{0.5, 0, 0.5}) == 0.5);
  CHECK(TriangleViolation(half, std::array<double, 3>{0, 0.5, 0.5}) == 0.5);
}

TEST_CASE("clusters do not change scores and features") {
  Random random(342);
  MultiLabelModel model = Model(4, 2);
  std::vector<double> weights(model.weights().size());
  for (double& w : weights) w = random.Normal();
  const MultiLabelData data = ExclusiveData(random, 4, 2, 3);
  const Dataset plain = model.MakeDataset(data);
  const std::vector<LabelTriple> clusters = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}};
  const auto structure = MakeClusteredStructure(model, clusters);
  CHECK(structure->graph().num_factors() == 3);  // all six pairs are in a cluster
  CHECK(MakeClusteredStructure(model, std::vector<LabelTriple>{{0, 1, 3}})->graph().num_factors() ==
        4);
  CHECK(structure->num_coordinates() == model.structure()->num_coordinates());
  const Dataset tight = WithStructure(plain, structure);
  for (Index y = 0; y < 16; ++y) {
    const std::vector<Index> labels = {y / 8, y / 4 % 2, y / 2 % 2, y % 2};
    std::vector<double> q(structure->num_coordinates(), 0.0);
    std::vector<double> p = q;
    AddLabellingFeatures(plain.example(1), labels, 1, q);
    AddLabellingFeatures(tight.example(1), labels, 1, p);
    for (std::size_t k = 0; k < q.size(); ++k) CHECK(Near(q[k], p[k], kExact));
  }
}

TEST_CASE(
    "one cluster makes models of three labels exact, and lies between relaxed and exact for four "
    "and five") {
  Random random(343);
  int loose = 0;
  int closer = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const Index labels = 3 + trial % 3;
    const MultiLabelModel model = Model(labels, 2);
    const MultiLabelData data = ExclusiveData(random, labels, 2, 4);
    const double lambda = 0.01;
    const Optima one = Solve(model, data, {{0, 1, 2}}, lambda);
    CAPTURE(trial);
    CHECK(one.exact <= one.clustered + kSolver);
    CHECK(one.clustered <= one.relaxed + kSolver);
    loose += one.relaxed > one.exact + 1e-5;
    if (labels == 3) CHECK(Near(one.clustered, one.exact, 1e-6));
    if (labels == 5) {
      const Optima two = Solve(model, data, {{0, 1, 2}, {0, 3, 4}}, lambda);  // disjoint: no worse
      CHECK(two.clustered <= one.clustered + kSolver);
      CHECK(two.exact <= two.clustered + kSolver);
      closer += two.clustered < one.clustered - 1e-6;
    }
    if (labels == 4) {
      const Optima all = Solve(model, data, {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}, lambda);
      CHECK(all.clustered <= all.relaxed + kSolver);
      CHECK(all.exact <= all.clustered + kSolver);
    }
  }
  CHECK(loose >= 6);
  CHECK(closer >= 1);
}

TEST_CASE("a table over three labels without features does not change the optima") {
  Random random(344);
  const MultiLabelModel model = Model(3, 2);
  const MultiLabelData data = ExclusiveData(random, 3, 2, 4);
  const Dataset plain = model.MakeDataset(data);
  FactorGraphBuilder graph;
  graph.AddVariables(3, 2);
  for (const LabelPair& pair : model.pairs()) graph.AddFactor({pair.a, pair.b});
  graph.AddFactor({0, 1, 2});
  StructureBuilder builder(graph.Build(), model.structure()->shared_layout());
  const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
  const Index both = builder.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}});
  for (Index i = 0; i < 3; ++i) builder.AddLinear(i, 0, 0, on, i);
  for (Index c = 0; c < 3; ++c) builder.AddConstant(3 + c, 1, both, c);
  const TrainingSet empty = MakeTrainingSet(WithStructure(plain, builder.Build()), LossOptions());
  CHECK(Near(RelaxedOptimum(empty, 0.01),
             RelaxedOptimum(MakeTrainingSet(plain, LossOptions()), 0.01), kSolver));
}

TEST_CASE(
    "violated triples are found in trained solutions, and training with them is certified between "
    "relaxed and exact") {
  Random random(345);
  int improved = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const Index labels = 4 + trial % 2;
    const MultiLabelModel model = Model(labels, 2);
    const MultiLabelData data = ExclusiveData(random, labels, 2, 5);
    const Dataset plain = model.MakeDataset(data);
    const Problem problem(MakeTrainingSet(plain, LossOptions()), 0.01);
    TrainOptions options;
    options.learner = LearnerKind::kAugmentedLagrangian;
    options.gap_tolerance = 1e-6;
    const auto learner = MakeLearner(problem, options);
    const TrainSummary pairs = RunTraining(problem, *learner, options, nullptr, nullptr);
    const std::vector<ViolatedTriple> found =
        FindViolatedTriples(model, problem.size(), *learner->traits().dual_point);
    const double exact = ExactOptimum(problem.training(), 0.01);
    CAPTURE(trial);
    if (pairs.last.dual > exact + 1e-4) REQUIRE(!found.empty());
    const std::vector<LabelTriple> clusters = PickClusters(found, 2, {});
    if (clusters.empty()) continue;
    CHECK(clusters[0] == found[0].labels);
    const Problem tight(
        MakeTrainingSet(WithStructure(plain, MakeClusteredStructure(model, clusters)),
                        LossOptions()),
        0.01);
    const TrainSummary trained = Train(tight, options);
    CHECK(trained.termination == Termination::kConverged);
    CHECK(trained.last.problem == CertifiedProblem::kRelaxed);
    CHECK(trained.last.primal >= exact - kSolver);
    CHECK(trained.last.dual <= pairs.last.primal + kSolver);
    CHECK(Near(trained.last.primal, RelaxedOptimum(tight.training(), 0.01), 1e-5));
    // The exact objective at the trained weights is at most the certified primal.
    CHECK(ExactPrimal(problem.training(), 0.01, trained.weights) <= trained.last.primal + kSolver);
    improved += trained.last.primal < pairs.last.dual - 1e-5;
  }
  CHECK(improved >= 3);
}

TEST_CASE("clusters are chosen by violation, without common pairs, and bad ones refused") {
  const std::vector<ViolatedTriple> found = {
      {{0, 1, 2}, 5}, {{0, 1, 3}, 4}, {{0, 3, 4}, 3}, {{2, 3, 4}, 2}, {{1, 3, 5}, 1}};
  using Triples = std::vector<LabelTriple>;
  CHECK(PickClusters(found, 2, {}) == Triples{{0, 1, 2}, {0, 3, 4}});
  CHECK(PickClusters(found, 9, {}) == Triples{{0, 1, 2}, {0, 3, 4}, {1, 3, 5}});
  CHECK(PickClusters(found, 1, {{0, 1, 4}}) == Triples{{0, 1, 4}, {2, 3, 4}});
  CHECK(PickClusters({}, 3, {}).empty());
  const MultiLabelModel chain({"a", "b", "c"}, 1, false, {{0, 1}, {1, 2}});
  CHECK_THROWS_AS(MakeClusteredStructure(chain, Triples{{0, 1, 2}}), std::invalid_argument);
  const MultiLabelModel full = Model(3, 1);
  CHECK_THROWS_AS(MakeClusteredStructure(full, Triples{{0, 1, 2}, {0, 1, 2}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(MakeClusteredStructure(full, Triples{{1, 0, 2}}), std::invalid_argument);
}
