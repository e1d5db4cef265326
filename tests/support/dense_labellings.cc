// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/dense_labellings.h"

#include <algorithm>
#include <cmath>

#include "tests/support/allowed_labelling.h"
#include "tests/support/dense_qp.h"

namespace slackline::internal::test {

Eigen::VectorXd AsVector(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
}

Eigen::VectorXd DenseFeaturesOf(const ExampleView& example, std::span<const Index> labels) {
  const FactorGraph& graph = example.graph();
  Eigen::VectorXd features = Eigen::VectorXd::Zero(example.structure().layout().size());
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const Index n = graph.num_variables();
    features += DenseFeatures(example, a, a < n ? labels[a] : JointState(graph, a - n, labels));
  }
  return features;
}

std::vector<DenseLabelling> DenseLabellings(const Problem& problem, Index m) {
  const ExampleView example = problem.data().example(m);
  const FactorGraph& graph = example.graph();
  std::vector<DenseLabelling> labellings;
  std::vector<Index> labels(graph.num_variables(), 0);
  for (;;) {
    if (IsAllowed(example.structure(), labels))
      labellings.push_back(
          {labels, DenseFeaturesOf(example, labels), problem.training().LossOf(m, labels)});
    Index i = 0;
    while (i < graph.num_variables() && ++labels[i] == graph.cardinality(i)) labels[i++] = 0;
    if (i == graph.num_variables()) return labellings;
  }
}

std::vector<PsiAndLoss> LabellingsByPsi(const Problem& problem, Index m) {
  const ExampleView example = problem.data().example(m);
  const Eigen::VectorXd truth = DenseFeaturesOf(example, example.labels());
  std::vector<PsiAndLoss> labellings;
  for (const DenseLabelling& y : DenseLabellings(problem, m))
    labellings.push_back({truth - y.features, y.loss});
  return labellings;
}

double LargestScore(std::span<const DenseLabelling> labellings, const Eigen::VectorXd& weights) {
  double best = -kInfinity;
  for (const DenseLabelling& labelling : labellings)
    best = std::max(best, labelling.loss + weights.dot(labelling.features));
  return best;
}

bool Contains(std::span<const DenseLabelling> labellings, const Eigen::VectorXd& features,
              double loss, double tolerance) {
  return std::ranges::any_of(labellings, [&](const DenseLabelling& labelling) {
    return std::abs(labelling.loss - loss) <= tolerance &&
           (labelling.features - features).lpNorm<Eigen::Infinity>() <= tolerance;
  });
}

Eigen::VectorXd DenseFeaturesOf(const ExampleView& example, const SparseCorner& corner) {
  const Structure& structure = example.structure();
  Eigen::VectorXd features = Eigen::VectorXd::Zero(structure.layout().size());
  const auto add_slot = [&](Index coordinate, double value) {
    for (const Slot& slot : structure.slots()) {
      const Index row = coordinate - slot.coordinate;
      if (row < 0 || row >= slot.rows) continue;
      const WeightBlock& block = structure.layout().block(slot.block);
      const FeatureRow x = example.input(slot.input);
      for (Index f = 0; f < x.count; ++f)
        features[block.at(row, x.dense() ? f : x.columns[f])] += value * x.values[f];
    }
  };
  for (const Index k : corner.slot_ones) add_slot(k, 1);
  for (std::size_t e = 0; e < corner.slot_index.size(); ++e)
    add_slot(corner.slot_index[e], corner.slot_value[e]);
  for (const Index k : corner.scalar_ones) features[k] += 1;
  for (std::size_t e = 0; e < corner.scalar_index.size(); ++e)
    features[corner.scalar_index[e]] += corner.scalar_value[e];
  return features;
}

}  // namespace slackline::internal::test
