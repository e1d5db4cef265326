// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/brute_force.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

class BruteForceSolver final : public MapSolver {
 public:
  explicit BruteForceSolver(std::shared_ptr<const FactorGraph> graph)
      : graph_(std::move(graph)),
        ending_(graph_->num_variables()),
        labels_(ending_.size(), 0),
        best_(ending_.size(), 0) {
    for (Index c = 0; c < graph_->num_factors(); ++c) {
      const std::span<const Index> scope = graph_->scope(c);
      ending_[*std::max_element(scope.begin(), scope.end())].push_back(c);
    }
  }

  void Solve(std::span<const double> scores, WarmStart* /*warm*/, MapResult* result) override {
    SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
    scores_ = scores;
    best_score_ = -kInfinity;
    Descend(0, 0.0);
    RequireAllowedLabelling(best_score_);
    work_ += 3 * CountLabellings(*graph_, kMaxLabellings);
    result->labels = best_;
    result->integral = true;
    result->marginals.clear();
    result->value = LabellingScore(*graph_, scores, best_);
    result->upper_bound = result->value;
    result->exact = true;
  }

  std::string_view name() const override { return "brute-force"; }
  std::int64_t work() const override { return work_; }
  bool relaxed() const override { return false; }

 private:
  /// Tries all states of the variables from i on. `score`: the sum of all parts that have only
  /// earlier variables.
  void Descend(Index i, double score) {
    if (i == graph_->num_variables()) {
      if (score > best_score_) {
        best_score_ = score;
        best_ = labels_;
      }
      return;
    }
    for (Index s = 0; s < graph_->cardinality(i); ++s) {
      labels_[i] = s;
      double sum = score + scores_[graph_->state_offset(i) + s];
      for (const Index c : ending_[i]) {
        sum += scores_[graph_->factor_offset(c) + JointState(*graph_, c, labels_)];
      }
      Descend(i + 1, sum);
    }
  }

  std::shared_ptr<const FactorGraph> graph_;
  std::vector<std::vector<Index>> ending_;  // per variable: the factors of which it is the last
  std::vector<Index> labels_;
  std::vector<Index> best_;
  double best_score_ = 0;
  std::int64_t work_ = 0;
  std::span<const double> scores_;
};

}  // namespace

Offset CountLabellings(const FactorGraph& graph, Offset limit) {
  Offset count = 1;
  for (const Index states : graph.cardinalities()) {
    if (count > limit / states) return limit + 1;
    count *= states;
  }
  return count;
}

std::unique_ptr<MapSolver> MakeBruteForceSolver(std::shared_ptr<const FactorGraph> graph) {
  RequireTablesOnly(*graph, "brute force");
  if (CountLabellings(*graph, kMaxLabellings) > kMaxLabellings) {
    throw DataError("a graph of " + std::to_string(graph->num_variables()) +
                    " variables has more than " + std::to_string(kMaxLabellings) +
                    " labellings, too many for brute force; use tree (no cycles), lp or "
                    "branch-and-bound");
  }
  return std::make_unique<BruteForceSolver>(std::move(graph));
}

}  // namespace slackline::internal
