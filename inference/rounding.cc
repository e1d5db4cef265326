// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/rounding.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/factors/max_oracle.h>

namespace slackline::internal {
namespace {

class LocalSearch {
 public:
  LocalSearch(const FactorGraph& graph, std::span<const double> scores, std::span<Index> labels)
      : graph_(graph), scores_(scores), labels_(labels) {
    double magnitude = 0;
    for (const double score : scores) {
      if (score != -kInfinity) magnitude = std::max(magnitude, std::abs(score));
    }
    least_gain_ = 1e-13 * magnitude;
  }

  bool SweepVariables() {
    bool changed = false;
    for (Index i = 0; i < graph_.num_variables(); ++i) changed = MoveVariable(i) || changed;
    return changed;
  }

  bool SweepFactors(Index max_joint_states) {
    bool changed = false;
    for (Index c = 0; c < graph_.num_factors(); ++c) {
      if (graph_.scope(c).size() > 1 && graph_.factor_states(c) <= max_joint_states) {
        changed = MoveFactor(c) || changed;
      }
    }
    return changed;
  }

 private:
  bool MoveVariable(Index i) {
    const std::size_t states = graph_.cardinality(i);
    local_.assign(scores_.begin() + graph_.state_offset(i),
                  scores_.begin() + graph_.state_offset(i) + states);
    for (const Incidence& at : graph_.factors_of(i)) {
      Index inner = 1;
      const std::span<const Index> scope = graph_.scope(at.factor);
      for (std::size_t k = at.position + 1; k < scope.size(); ++k)
        inner *= graph_.cardinality(scope[k]);
      const Index base = JointState(graph_, at.factor, labels_) - labels_[i] * inner;
      const double* table = scores_.data() + graph_.factor_offset(at.factor) + base;
      for (std::size_t s = 0; s < states; ++s) local_[s] += table[s * inner];
    }
    const FactorMax best = TableMax(local_);
    if (best.value <= local_[labels_[i]] + least_gain_) return false;
    labels_[i] = best.joint;
    return true;
  }

  /// Tries all joint states of a factor. Scores are summed only over the parts that contain one of
  /// its variables.
  bool MoveFactor(Index c) {
    const std::span<const Index> scope = graph_.scope(c);
    touched_.clear();
    for (const Index i : scope) {
      for (const Incidence& at : graph_.factors_of(i)) touched_.push_back(at.factor);
    }
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    const Index old_joint = JointState(graph_, c, labels_);
    const double old_score = TouchedScore(scope);
    Index best_joint = old_joint;
    double best_score = old_score + least_gain_;
    for (Index joint = 0; joint < graph_.factor_states(c); ++joint) {
      SetJoint(scope, joint);
      const double score = TouchedScore(scope);
      if (score > best_score) {
        best_score = score;
        best_joint = joint;
      }
    }
    SetJoint(scope, best_joint);
    return best_joint != old_joint;
  }

  double TouchedScore(std::span<const Index> scope) const {
    double sum = 0;
    for (const Index i : scope) sum += scores_[graph_.state_offset(i) + labels_[i]];
    for (const Index c : touched_)
      sum += scores_[graph_.factor_offset(c) + JointState(graph_, c, labels_)];
    return sum;
  }

  void SetJoint(std::span<const Index> scope, Index joint) {
    for (std::size_t k = scope.size(); k-- > 0;) {
      const Index states = graph_.cardinality(scope[k]);
      labels_[scope[k]] = joint % states;
      joint /= states;
    }
  }

  const FactorGraph& graph_;
  std::span<const double> scores_;
  std::span<Index> labels_;
  double least_gain_ = 0;  // smaller gains may be rounding errors
  std::vector<double> local_;
  std::vector<Index> touched_;
};

}  // namespace

void RoundMarginals(const FactorGraph& graph, std::span<const double> marginals,
                    std::span<Index> labels) {
  SLACKLINE_CHECK(std::ssize(marginals) >= graph.variable_states() &&
                      std::ssize(labels) == graph.num_variables(),
                  "marginals or labels do not fit the graph");
  for (Index i = 0; i < graph.num_variables(); ++i) {
    labels[i] = TableMax(marginals.subspan(graph.state_offset(i), graph.cardinality(i))).joint;
  }
}

double LabellingScore(const FactorGraph& graph, std::span<const double> scores,
                      std::span<const Index> labels) {
  double sum = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    sum += scores[graph.state_offset(i) + labels[i]];
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    sum += scores[graph.factor_offset(c) + JointState(graph, c, labels)];
  }
  return sum;
}

double ImproveLabelling(const FactorGraph& graph, std::span<const double> scores,
                        std::span<Index> labels, const ImproveOptions& options) {
  SLACKLINE_CHECK(
      std::ssize(scores) == graph.total_states() && std::ssize(labels) == graph.num_variables(),
      "scores or labels do not fit the graph");
  const std::vector<Index> before(labels.begin(), labels.end());
  const double old_score = LabellingScore(graph, scores, labels);
  LocalSearch search(graph, scores, labels);
  for (Index sweep = 0; sweep < options.max_sweeps; ++sweep) {
    if (!search.SweepVariables() && !search.SweepFactors(options.max_joint_states)) break;
  }
  const double score = LabellingScore(graph, scores, labels);
  if (score >= old_score) return score;
  std::copy(before.begin(), before.end(),
            labels.begin());  // the gains were rounding errors
  return old_score;
}

}  // namespace slackline::internal
