// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/prox_reference.h"

#include <algorithm>
#include <vector>

#include <slackline/core/check.h>

#include "tests/support/all_labellings.h"
#include "tests/support/dense_labellings.h"
#include "tests/support/quadratic_program.h"

namespace slackline::internal::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Column {
  Index example;
  std::vector<Index> labels;
  VectorXd features;
  double loss;
};

bool IsNonzero(double value) { return value != 0; }

std::vector<Column> AllColumns(const TrainingSet& training) {
  std::vector<Column> columns;
  for (Index m = 0; m < training.data.size(); ++m) {
    const ExampleView example = training.data.example(m);
    const FactorGraph& graph = example.graph();
    const VectorXd given = DenseFeaturesOf(example, example.labels());
    for (const auto& labels : AllLabellings(graph.cardinalities())) {
      double loss = 0;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const Offset at = graph.state_offset(static_cast<Index>(i)) + labels[i];
        loss += training.loss(m)[at];
      }
      columns.push_back({m, labels, given - DenseFeaturesOf(example, labels), loss});
      SLACKLINE_CHECK(columns.size() < 400, "too many labellings for the reference");
    }
  }
  return columns;
}

}  // namespace

Optimum SolveProx(const TrainingSet& training, double lambda, double l1, double smoothing,
                  const std::vector<double>& signs) {
  const std::vector<Column> columns = AllColumns(training);
  const auto count = static_cast<Eigen::Index>(columns.size());
  const Eigen::Index d = training.data.layout().size();
  const auto examples = static_cast<double>(training.data.size());
  const Eigen::Index boxes = l1 > 0 ? d : 0;
  const double tau = l1 / lambda;
  const Eigen::Index signed_weights = std::count_if(signs.begin(), signs.end(), IsNonzero);
  const Eigen::Index all = count + 2 * boxes + signed_weights;
  // x = (β, p, s, ν): minimise λ/2 ‖Ψβ − p + τ + Sν‖² − β·Δ/M − (γ/2M) Σ (1 − ‖μ_i‖²), p + s = 2τ,
  // where S holds the signs, and ν the multipliers of their constraints.
  MatrixXd residual = MatrixXd::Zero(d, all);
  MatrixXd marginals = MatrixXd::Zero(static_cast<Eigen::Index>(training.losses.size()), all);
  MatrixXd rows = MatrixXd::Zero(training.data.size() + boxes, all);
  VectorXd right = VectorXd::Ones(rows.rows());
  VectorXd linear = VectorXd::Zero(all);
  double variables = 0;
  for (Index m = 0; m < training.data.size(); ++m)
    variables += training.data.example(m).graph().num_variables();
  for (Eigen::Index k = 0; k < count; ++k) {
    const Column& column = columns[k];
    const FactorGraph& graph = training.data.example(column.example).graph();
    residual.col(k) = column.features / (lambda * examples);
    linear[k] = -column.loss / examples;
    rows(column.example, k) = 1;
    const Offset begin = training.loss_begin[column.example];
    for (std::size_t i = 0; i < column.labels.size(); ++i)
      marginals(begin + graph.state_offset(static_cast<Index>(i)) + column.labels[i], k) = 1;
  }
  for (Eigen::Index k = 0; k < boxes; ++k) {
    residual(k, count + k) = -1;
    rows(training.data.size() + k, count + k) = 1;
    rows(training.data.size() + k, count + d + k) = 1;
    right[training.data.size() + k] = 2 * tau;
  }
  Eigen::Index next = count + 2 * boxes;
  for (std::size_t k = 0; k < signs.size(); ++k) {
    if (IsNonzero(signs[k])) residual(static_cast<Eigen::Index>(k), next++) = signs[k];
  }
  MatrixXd q = lambda * residual.transpose() * residual;
  q += smoothing / examples * marginals.transpose() * marginals;
  if (boxes > 0) linear += lambda * tau * residual.transpose() * VectorXd::Ones(d);
  const QpResult result = SolveQp(q, linear, rows, right);
  const double constant = (boxes > 0 ? 0.5 * lambda * tau * tau * static_cast<double>(d) : 0.0) -
                          0.5 * smoothing * variables / examples;
  VectorXd w = residual * result.x;
  if (boxes > 0) w.array() += tau;
  return {-(result.objective + constant), {w.data(), w.data() + w.size()}, {}};
}

}  // namespace slackline::internal::test
