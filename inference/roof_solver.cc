// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/roof_solver.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/roof_duality.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

std::vector<VariablePair> PairsOf(const BinaryPairs& form) {
  std::vector<VariablePair> pairs;
  for (const BinaryPairs::Pair& pair : form.pairs()) pairs.push_back({pair.first, pair.second});
  return pairs;
}

class RoofSolver final : public MapSolver {
 public:
  explicit RoofSolver(std::shared_ptr<const FactorGraph> graph)
      : graph_(std::move(graph)),
        form_(*graph_),
        roof_(graph_->num_variables(), PairsOf(form_)),
        u_(graph_->num_variables()),
        x_(u_.size()),
        t_(form_.pairs().size()),
        flows_(t_.size()),
        messages_(graph_->total_messages()) {}

  void Solve(std::span<const double> scores, WarmStart* /*warm*/, MapResult* result) override {
    SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
    RequireFiniteScores(scores, "roof duality");
    form_.Coefficients(scores, u_, t_);
    roof_.Solve(u_, t_);
    result->labels.resize(u_.size());
    result->integral = roof_.integral();
    if (roof_.integral()) {
      for (std::size_t i = 0; i < u_.size(); ++i) result->labels[i] = roof_.doubled()[i] / 2;
      result->marginals.clear();
      result->value = LabellingScore(*graph_, scores, result->labels);
    } else {
      for (std::size_t i = 0; i < u_.size(); ++i) x_[i] = 0.5 * roof_.doubled()[i];
      result->marginals.resize(scores.size());
      form_.Marginals(scores, x_, result->marginals);
      RoundMarginals(*graph_, result->marginals, result->labels);
      result->value = MarginalsScore(scores, result->marginals);
    }
    roof_.DualFlows(flows_);
    form_.Messages(scores, flows_, messages_);
    result->upper_bound = std::max(result->value, DualBound(*graph_, scores, messages_));
    result->exact = result->integral && ReachesBound(result->value, result->upper_bound);
  }

  std::string_view name() const override { return "roof"; }
  std::int64_t work() const override { return 2 * roof_.work(); }
  bool relaxed() const override { return true; }

 private:
  std::shared_ptr<const FactorGraph> graph_;
  BinaryPairs form_;
  RoofDuality roof_;
  std::vector<double> u_, x_, t_, flows_, messages_;
};

}  // namespace

std::unique_ptr<MapSolver> MakeRoofSolver(std::shared_ptr<const FactorGraph> graph) {
  SLACKLINE_CHECK(graph != nullptr, "a solver needs a graph");
  RequireTablesOnly(*graph, "roof duality");
  if (!IsBinaryPairwise(*graph)) {
    throw DataError(
        "roof duality needs variables with two states and factors over one or two of them");
  }
  return std::make_unique<RoofSolver>(std::move(graph));
}

RoofMarginals::RoofMarginals(std::shared_ptr<const FactorGraph> graph)
    : graph_(std::move(graph)),
      form_(*graph_),
      roof_(graph_->num_variables(), PairsOf(form_)),
      u_(graph_->num_variables()),
      t_(form_.pairs().size()),
      fixed_(u_.size()) {}

void RoofMarginals::Compute(std::span<const double> scores, std::span<double> out) {
  const std::size_t n = u_.size();
  SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states() && out.size() == 2 * n,
                  "scores or output do not fit the graph");
  RequireFiniteScores(scores, "roof duality");
  form_.Coefficients(scores, u_, t_);
  roof_.ComputeRowSums(t_, &sums_);
  constant_ = LabellingScore(*graph_, scores, std::vector<Index>(n, 0));
  roof_.Solve(u_, t_, &sums_);
  const double value = Value();
  const std::vector<std::uint8_t> solution(roof_.doubled().begin(), roof_.doubled().end());
  std::copy(u_.begin(), u_.end(), fixed_.begin());
  for (std::size_t i = 0; i < n; ++i) {
    // Large enough for its bounds to decide the variable in the first round.
    const double decisive = 1 + 2 * (std::abs(u_[i]) + sums_.positive[i] - sums_.negative[i]);
    for (std::size_t s = 0; s < 2; ++s) {
      if (solution[i] == 2 * s) {
        out[2 * i + s] = value;
        continue;
      }
      fixed_[i] = s == 1 ? decisive : -decisive;
      roof_.Solve(fixed_, t_, &sums_);
      out[2 * i + s] = Value();
    }
    fixed_[i] = u_[i];
  }
}

}  // namespace slackline::internal
