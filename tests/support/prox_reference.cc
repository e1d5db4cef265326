// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/prox_reference.h"

#include <vector>

#include <slackline/core/check.h>
#include <slackline/factors/joint_states.h>

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

VectorXd Features(const ExampleView& example, std::span<const Index> labels) {
  const FactorGraph& graph = example.graph();
  VectorXd phi = VectorXd::Zero(example.structure().layout().size());
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const Index state = a < graph.num_variables()
                            ? labels[a]
                            : JointState(graph, a - graph.num_variables(), labels);
    phi += DenseFeatures(example, a, state);
  }
  return phi;
}

std::vector<Column> AllLabellings(const TrainingSet& training) {
  std::vector<Column> columns;
  for (Index m = 0; m < training.data.size(); ++m) {
    const ExampleView example = training.data.example(m);
    const FactorGraph& graph = example.graph();
    const VectorXd given = Features(example, example.labels());
    const std::vector<Index> cardinalities(graph.cardinalities().begin(),
                                           graph.cardinalities().end());
    std::vector<Index> labels(cardinalities.size(), 0);
    do {
      double loss = 0;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const Offset at = graph.state_offset(static_cast<Index>(i)) + labels[i];
        loss += training.loss(m)[at];
      }
      columns.push_back({m, labels, given - Features(example, labels), loss});
      SLACKLINE_CHECK(columns.size() < 400, "too many labellings for the reference");
    } while (NextJoint(cardinalities, labels));
  }
  return columns;
}

}  // namespace

Optimum SolveProx(const TrainingSet& training, double lambda, double l1, double smoothing) {
  const std::vector<Column> columns = AllLabellings(training);
  const auto count = static_cast<Eigen::Index>(columns.size());
  const Eigen::Index d = training.data.layout().size();
  const auto examples = static_cast<double>(training.data.size());
  const Eigen::Index boxes = l1 > 0 ? d : 0;
  const double tau = l1 / lambda;
  // x = (β, p, s): minimise λ/2 ‖Ψβ − p + τ‖² − β·Δ/M − (γ/2M) Σ (1 − ‖μ_i‖²), p + s = 2τ.
  MatrixXd residual = MatrixXd::Zero(d, count + 2 * boxes);
  MatrixXd marginals =
      MatrixXd::Zero(static_cast<Eigen::Index>(training.losses.size()), count + 2 * boxes);
  MatrixXd rows = MatrixXd::Zero(training.data.size() + boxes, count + 2 * boxes);
  VectorXd right = VectorXd::Ones(rows.rows());
  VectorXd linear = VectorXd::Zero(count + 2 * boxes);
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
