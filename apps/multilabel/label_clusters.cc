// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/label_clusters.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <slackline/core/check.h>
#include <slackline/core/exact_sum.h>
#include <slackline/core/factor_graph_builder.h>

namespace slackline::internal {
namespace {

constexpr double kSmallestViolation = 1e-6;

/// The number of each pair of the model.
using PairNumbers = std::map<LabelPair, Index>;

PairNumbers NumberPairs(const MultiLabelModel& model) {
  PairNumbers numbers;
  for (const LabelPair& pair : model.pairs())
    numbers.emplace(pair, static_cast<Index>(numbers.size()));
  return numbers;
}

std::array<LabelPair, 3> PairsOf(const LabelTriple& triple) {
  return {{{triple.a, triple.b}, {triple.a, triple.c}, {triple.b, triple.c}}};
}

/// A triple whose three pairs exist, with their numbers.
struct Triangle {
  LabelTriple labels;
  std::array<Index, 3> pairs;
};

std::vector<Triangle> Triangles(const MultiLabelModel& model) {
  const PairNumbers numbers = NumberPairs(model);
  std::vector<Triangle> triangles;
  for (const auto& [pair, number] : numbers) {
    for (auto next = numbers.upper_bound(pair); next != numbers.end() && next->first.a == pair.a;
         ++next) {
      const auto third = numbers.find({pair.b, next->first.b});
      if (third == numbers.end()) continue;
      triangles.push_back({{pair.a, pair.b, next->first.b}, {number, next->second, third->second}});
    }
  }
  return triangles;
}

}  // namespace

double TriangleViolation(std::span<const double, 3> singles, std::span<const double, 3> pairs) {
  const double all = singles[0] + singles[1] + singles[2] - pairs[0] - pairs[1] - pairs[2] - 1;
  const double first = pairs[0] + pairs[1] - singles[0] - pairs[2];
  const double second = pairs[0] + pairs[2] - singles[1] - pairs[1];
  const double third = pairs[1] + pairs[2] - singles[2] - pairs[0];
  return std::max({0.0, all, first, second, third});
}

std::vector<ViolatedTriple> FindViolatedTriples(const MultiLabelModel& model, Index num_examples,
                                                const DualPointSource& point, Ranks* exactly) {
  const std::vector<Triangle> triangles = Triangles(model);
  const Structure& structure = *model.structure();
  if (triangles.empty()) return {};
  ExampleSums violations(triangles.size(), exactly);
  const Index label = structure.slots()[0].coordinate;
  const Index pair = structure.scalar_blocks()[0].coordinate;
  std::vector<double> q;
  for (Index m = 0; m < num_examples; ++m) {
    double loss = 0;
    SLACKLINE_CHECK(point.DualPoint(m, &q, &loss), "the learner has no dual point");
    const auto at = [&](Index coordinate) { return q[coordinate]; };
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const auto& [labels, pairs] = triangles[t];
      const std::array<double, 3> single = {at(label + labels.a), at(label + labels.b),
                                            at(label + labels.c)};
      const std::array<double, 3> joint = {at(pair + pairs[0]), at(pair + pairs[1]),
                                           at(pair + pairs[2])};
      violations.Add(t, TriangleViolation(single, joint));
    }
  }
  const std::vector<double> sums = violations.Finish();
  const auto all_examples = static_cast<double>(RanksOrOne(exactly).SumOf(num_examples));
  std::vector<ViolatedTriple> found;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (sums[t] > kSmallestViolation * all_examples)
      found.push_back({triangles[t].labels, sums[t]});
  }
  std::sort(found.begin(), found.end(), [](const ViolatedTriple& x, const ViolatedTriple& y) {
    return x.violation != y.violation ? x.violation > y.violation : x.labels < y.labels;
  });
  return found;
}

std::vector<LabelTriple> PickClusters(std::span<const ViolatedTriple> found, Index count,
                                      std::vector<LabelTriple> taken) {
  std::set<LabelPair> used;
  const auto use = [&](const LabelTriple& triple) {
    for (const LabelPair& pair : PairsOf(triple)) used.insert(pair);
  };
  for (const LabelTriple& triple : taken) use(triple);
  for (const ViolatedTriple& candidate : found) {
    if (count == 0) break;
    const auto pairs = PairsOf(candidate.labels);
    const auto is_used = [&](const LabelPair& pair) { return used.count(pair) > 0; };
    if (std::any_of(pairs.begin(), pairs.end(), is_used)) continue;
    use(candidate.labels);
    taken.push_back(candidate.labels);
    --count;
  }
  return taken;
}

std::shared_ptr<const Structure> MakeClusteredStructure(const MultiLabelModel& model,
                                                        std::span<const LabelTriple> clusters) {
  const PairNumbers numbers = NumberPairs(model);
  std::map<LabelPair, double> uses;
  std::set<LabelTriple> different;
  for (const LabelTriple& cluster : clusters) {
    SLACKLINE_CHECK(different.insert(cluster).second, "a cluster is given twice");
    for (const LabelPair& pair : PairsOf(cluster)) {
      SLACKLINE_CHECK(pair.a < pair.b && numbers.count(pair) > 0,
                      "a cluster has a pair that the model does not have");
      uses[pair] += 1;
    }
  }
  const Index labels = model.num_labels();
  FactorGraphBuilder graph;
  graph.AddVariables(labels, 2);
  std::vector<Index> kept;
  for (const auto& [pair, number] : numbers) {
    if (uses.count(pair) > 0) continue;
    graph.AddFactor({pair.a, pair.b});
    kept.push_back(number);
  }
  for (const LabelTriple& cluster : clusters) graph.AddFactor({cluster.a, cluster.b, cluster.c});

  // The weight blocks of the model are "labels" (0) and "pairs" (1).
  StructureBuilder builder(graph.Build(), model.structure()->shared_layout());
  const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
  for (Index i = 0; i < labels; ++i) builder.AddLinear(i, 0, 0, on, i);
  const Index both_on = builder.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}});
  Index part = labels;
  for (const Index number : kept) builder.AddConstant(part++, 1, both_on, number);
  // For each pair, the joint states of a, b, c in which both of its labels are on; c is fastest.
  constexpr std::array<std::array<std::size_t, 2>, 3> kOn = {{{6, 7}, {5, 7}, {3, 7}}};
  for (const LabelTriple& cluster : clusters) {
    const auto pairs = PairsOf(cluster);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      StateMap map{std::vector<Index>(8, kAbsent), std::vector<double>(8, 0.0)};
      for (const std::size_t y : kOn[k]) {
        map.rows[y] = 0;
        map.values[y] = 1 / uses[pairs[k]];
      }
      builder.AddConstant(part, 1, builder.AddStateMap(map), numbers.at(pairs[k]));
    }
    ++part;
  }
  return builder.Build();
}

Dataset WithStructure(const Dataset& data, const std::shared_ptr<const Structure>& structure) {
  Dataset result(data.shared_layout(), data.rows());
  for (Index m = 0; m < data.size(); ++m) {
    const auto labels = data.example(m).labels();
    SLACKLINE_CHECK(std::find(labels.begin(), labels.end(), kUnlabelled) == labels.end(),
                    "a label is not known");
    result.Add(structure, labels, data.first_input(m));
  }
  return result;
}

}  // namespace slackline::internal
