// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/slack_oracle.h>

#include <string>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/loss.h>
#include <slackline/factors/joint_states.h>
#include <slackline/inference/brute_force.h>

namespace slackline::internal {

void SlackOracle::RequireEnumerable(const Structure& structure) {
  if (CountLabellings(structure.graph(), kMaxSlackLabellings) <= kMaxSlackLabellings) return;
  throw DataError("--rescaling slack enumerates the labellings of every example, at most " +
                  std::to_string(kMaxSlackLabellings) +
                  "; there are examples with more: use --rescaling margin");
}

/// w·φ(labels); −∞ where a state or a global factor forbids the labelling.
double SlackOracle::ScoreOf(const Structure& structure, std::span<const double> u,
                            std::span<const Index> labels) {
  const FactorGraph& graph = structure.graph();
  double sum = 0;
  for (Index i = 0; i < graph.num_variables(); ++i)
    sum += scores_[graph.state_offset(i) + labels[i]];
  for (Index c = 0; c < graph.num_factors(); ++c)
    sum += scores_[graph.factor_offset(c) + JointState(graph, c, labels)];
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    const GlobalPart& part = structure.globals()[g];
    states_.resize(graph.global_scope(g).size());
    GlobalStates(graph, g, labels, states_);
    if (!part.factor->Allows(states_)) return -kInfinity;
    if (part.block < 0 || part.factor->num_weights() == 0) continue;
    sum += part.factor->Score(u.subspan(part.coordinate, part.factor->num_weights()), states_);
  }
  return sum;
}

double SlackOracle::Maximise(const ExampleView& example, std::span<const double> loss,
                             std::span<const double> u, SparseCorner* corner) {
  const FactorGraph& graph = example.graph();
  scores_.assign(graph.total_states(), 0.0);
  AddScores(example, u, scores_);
  const double truth_score = ScoreOf(example.structure(), u, example.labels());
  best_.assign(example.labels().begin(), example.labels().end());
  double best = truth_score;
  labels_.assign(graph.num_variables(), 0);
  do {
    const double score = ScoreOf(example.structure(), u, labels_);
    if (score == -kInfinity) continue;  // forbidden
    const double delta = SumOfLosses(graph, loss, labels_);
    const double value = delta + truth_score + delta * (score - truth_score);
    if (value > best) {
      best = value;
      best_ = labels_;
    }
  } while (NextJoint(graph.cardinalities(), labels_));

  const double delta = SumOfLosses(graph, loss, best_);
  coordinates_.assign(example.structure().num_coordinates(), 0.0);
  AddLabellingFeatures(example, best_, 1, coordinates_);
  AddLabellingFeatures(example, example.labels(), -1, coordinates_);
  for (double& value : coordinates_) value *= delta;
  AddLabellingFeatures(example, example.labels(), 1, coordinates_);
  SparsifyCorner(example.structure(), coordinates_, corner);
  corner->loss = delta;
  return best;
}

}  // namespace slackline::internal
