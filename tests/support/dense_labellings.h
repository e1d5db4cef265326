// SPDX-License-Identifier: BSD-3-Clause
//
// All labellings of a small example with their features as dense vectors over the weights, computed
// without the library's feature maps. Tests compare oracles and steps with these labellings.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal::test {

struct DenseLabelling {
  std::vector<Index> labels;
  Eigen::VectorXd features;
  double loss = 0;
};

/// φ_m(labels). Like DenseLabellings, requires an example without global factors.
Eigen::VectorXd DenseFeaturesOf(const ExampleView& example, std::span<const Index> labels);

/// The labellings of example m that its structure allows.
std::vector<DenseLabelling> DenseLabellings(const Problem& problem, Index m);

/// ψ_m = φ_m(ground truth) − φ_m(y), and Δ_m, of a labelling y.
struct PsiAndLoss {
  Eigen::VectorXd psi;
  double loss = 0;
};
/// Of the labellings of DenseLabellings, in the same order.
std::vector<PsiAndLoss> LabellingsByPsi(const Problem& problem, Index m);

/// max loss + w·φ over the labellings.
double LargestScore(std::span<const DenseLabelling> labellings, const Eigen::VectorXd& weights);

/// Whether some labelling has these features and this loss, each entry up to `tolerance`.
bool Contains(std::span<const DenseLabelling> labellings, const Eigen::VectorXd& features,
              double loss, double tolerance);

/// φ of a sparse corner.
Eigen::VectorXd DenseFeaturesOf(const ExampleView& example, const SparseCorner& corner);

Eigen::VectorXd AsVector(std::span<const double> values);

}  // namespace slackline::internal::test
