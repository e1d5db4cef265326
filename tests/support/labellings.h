// SPDX-License-Identifier: BSD-3-Clause
//
// All labellings of an example with their features and losses, as dense vectors.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include <slackline/learning/problem.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"

namespace slackline::internal::test {

/// ψ_m(y) and Δ_m(y) of all labellings of example m.
struct Labelling {
  Eigen::VectorXd psi;
  double loss = 0;
};
inline std::vector<Labelling> Labellings(const Problem& problem, Index m) {
  const ExampleView example = problem.data().example(m);
  const FactorGraph& graph = example.graph();
  const auto features = [&](std::span<const Index> labels) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(problem.num_weights());
    for (Index a = 0; a < graph.num_parts(); ++a) {
      const bool variable = a < graph.num_variables();
      sum += DenseFeatures(
          example, a, variable ? labels[a] : JointState(graph, a - graph.num_variables(), labels));
    }
    return sum;
  };
  const Eigen::VectorXd given = features(example.labels());
  std::vector<Labelling> list;
  std::vector<Index> labels(graph.num_variables(), 0);
  for (bool more = true; more;) {
    double loss = 0;
    for (Index i = 0; i < graph.num_variables(); ++i)
      loss += problem.loss(m)[graph.state_offset(i) + labels[i]];
    list.push_back({given - features(labels), loss});
    more = false;
    for (Index i = 0; i < graph.num_variables() && !more; ++i) {
      Index& label = labels[i];
      more = ++label < graph.cardinality(i);
      if (!more) label = 0;
    }
  }
  return list;
}

}  // namespace slackline::internal::test
