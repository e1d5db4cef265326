// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/kernel_problems.h"

#include <memory>

#include <Eigen/Eigenvalues>

#include <slackline/learning/kernels/kernel_expansion.h>

namespace slackline::internal::test {

Eigen::VectorXd DenseInput(const FeatureRow& row, Index columns) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(columns);
  for (Index k = 0; k < row.count; ++k) x[row.dense() ? k : row.columns[k]] = row.values[k];
  return x;
}

TrainingSet Featurised(const TrainingSet& training, const Kernel& kernel) {
  const Dataset& data = training.data;
  const FeatureRows& rows = *data.rows();
  const Index n = rows.size();
  std::vector<bool> meets(data.layout().num_blocks(), false);
  for (const auto& structure : data.structures()) {
    for (const Slot& slot : structure->slots()) meets[slot.block] = true;
  }
  Eigen::MatrixXd gram(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      gram(i, j) = PlainKernel(kernel, DenseInput(rows.row(i), rows.dimension()),
                               DenseInput(rows.row(j), rows.dimension()));
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
  const Eigen::MatrixXd inputs =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  const auto layout = std::make_shared<WeightLayout>();
  for (Index b = 0; b < data.layout().num_blocks(); ++b) {
    const WeightBlock& block = data.layout().block(b);
    layout->AddBlock(block.name, block.rows, meets[b] ? n : block.cols);
  }
  const auto new_rows = std::make_shared<FeatureRows>();
  for (Index i = 0; i < n; ++i) {
    const Eigen::VectorXd row = inputs.row(i);
    new_rows->AddDense(std::vector<double>(row.begin(), row.end()));
  }
  TrainingSet result{Dataset(layout, new_rows), training.losses, training.loss_begin,
                     training.skipped_examples, training.skipped_variables};
  std::vector<std::shared_ptr<const Structure>> structures;
  for (const auto& structure : data.structures())
    structures.push_back(WithLayout(*structure, layout));
  for (Index m = 0; m < data.size(); ++m) {
    const ExampleView example = data.example(m);
    result.data.Add(structures[data.structure_of(m)], example.labels(), data.first_input(m),
                    example.potentials());
  }
  return result;
}

std::vector<double> LinearWeights(const Dataset& data, std::span<const double> expansion) {
  const KernelExpansion layout(data);
  std::vector<double> weights(data.layout().size(), 0.0);
  const auto weight = [&weights](Offset at) -> double& { return weights[at]; };
  const auto coefficient = [&expansion](Offset at) { return expansion[at]; };
  for (const Index b : layout.scalar_blocks()) {
    const WeightBlock& block = data.layout().block(b);
    for (Index r = 0; r < block.rows; ++r)
      weight(block.at(r, 0)) = coefficient(layout.offset(b) + r);
  }
  for (const KernelExpansion::Block& part : layout.blocks()) {
    const WeightBlock& block = data.layout().block(part.block);
    for (Index j = 0; j < layout.num_inputs(); ++j) {
      const FeatureRow& x = layout.inputs()[j];
      for (Index k = 0; k < x.count; ++k) {
        const Index column = x.dense() ? k : x.columns[k];
        if (column >= block.cols) continue;  // inputs of other blocks have no coefficients here
        for (Index r = 0; r < part.rows; ++r)
          weight(block.at(r, column)) +=
              x.values[k] * coefficient(part.offset + static_cast<Offset>(j) * part.rows + r);
      }
    }
  }
  return weights;
}

}  // namespace slackline::internal::test
