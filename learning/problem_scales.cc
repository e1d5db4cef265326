// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/problem_scales.h>

#include <algorithm>
#include <cmath>

namespace slackline::internal {

double LargestLoss(const Problem& problem, Index m) {
  const FactorGraph& graph = problem.data().example(m).graph();
  if (problem.training().form == LossForm::kF1) return 1;  // no label right
  const std::span<const double> loss = problem.loss(m);
  double total = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const auto begin = loss.begin() + graph.state_offset(i);
    total += *std::max_element(begin, begin + graph.cardinality(i));
  }
  return total;
}

double ScoreScale(const Problem& problem, double squared_range) {
  return ScoreScale(problem.lambda(), squared_range,
                    static_cast<double>(problem.num_parts()) / problem.size());
}

double ScoreScale(double lambda, double squared_range, double parts_per_example) {
  return std::sqrt(2 / lambda * squared_range) * parts_per_example;
}

}  // namespace slackline::internal
