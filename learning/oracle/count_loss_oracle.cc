// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/count_loss_oracle.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>

namespace slackline::internal {

CountLossOracle::CountLossOracle(const Problem& problem) : problem_(problem) {
  SLACKLINE_CHECK(problem.training().form == LossForm::kF1, "the loss is a sum");
  for (const auto& structure : problem.data().structures()) {
    SLACKLINE_CHECK(Fits(*structure),
                    "losses of counts need binary variables and forests of pairs");
    forests_.push_back(std::make_unique<CountForest>(structure->shared_graph()));
  }
}

bool CountLossOracle::Fits(const Structure& structure) {
  const std::span<const Index> states = structure.graph().cardinalities();
  return CountForest::Fits(structure.graph()) && !structure.has_forbidden_states() &&
         std::all_of(states.begin(), states.end(), [](Index count) { return count == 2; });
}

double CountLossOracle::Maximise(Index m, std::span<const double> u, std::span<Index> labels) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  scores_.assign(graph.total_states(), 0.0);
  AddScores(example, u, scores_);
  const std::span<const Index> truth = example.labels();
  const auto relevant = static_cast<Index>(std::count(truth.begin(), truth.end(), 1));
  const std::vector<double>& gains = Gains(relevant, graph.num_variables() - relevant);
  counts_.assign(2 * truth.size(), {});
  for (std::size_t i = 0; i < truth.size(); ++i)
    (truth[i] == 1 ? counts_[2 * i + 1].first : counts_[2 * i + 1].second) = 1;
  return forests_[problem_.data().structure_of(m)]->Maximise(scores_, counts_, {gains, {}}, labels);
}

/// The loss Δ for all numbers h of hits and f of false alarms, at index h · (others + 1) + f.
const std::vector<double>& CountLossOracle::Gains(Index relevant, Index others) {
  std::vector<double>& gains = gains_[{relevant, others}];
  if (gains.empty()) {
    for (Index h = 0; h <= relevant; ++h) {
      for (Index f = 0; f <= others; ++f) gains.push_back(F1Loss(relevant, h, f));
    }
  }
  return gains;
}

std::int64_t CountLossOracle::work() const {
  std::int64_t work = 0;
  for (const auto& forest : forests_) work += forest->work();
  return work;
}

}  // namespace slackline::internal
