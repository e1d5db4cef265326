// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/global_solver.h>

#include <algorithm>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// How many array entries a state of a variable counts as: about the nanoseconds per state of an
/// oracle that sorts or matches.
constexpr std::int64_t kWorkOfState = 32;

/// Per variable: whether it is in a global factor.
std::vector<bool> CoveredVariables(const FactorGraph& graph) {
  std::vector<bool> covered(graph.num_variables(), false);
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    for (const Index i : graph.global_scope(g)) covered[i] = true;
  }
  return covered;
}

class GlobalSolver final : public MapSolver {
 public:
  explicit GlobalSolver(std::shared_ptr<const Structure> structure)
      : structure_(std::move(structure)) {
    const FactorGraph& graph = structure_->graph();
    const std::vector<bool> covered = CoveredVariables(graph);
    for (Index i = 0; i < graph.num_variables(); ++i) {
      if (!covered[i]) free_.push_back(i);
    }
  }

  void SetWeights(std::span<const double> weights) override {
    SLACKLINE_CHECK(std::ssize(weights) == structure_->layout().size(),
                    "weights do not fit the structure");
    weights_ = weights;
  }

  void Solve(std::span<const double> scores, WarmStart* /*warm*/, MapResult* result) override {
    const FactorGraph& graph = structure_->graph();
    SLACKLINE_CHECK(std::ssize(scores) == graph.total_states(), "scores do not fit the graph");
    RequireFiniteScores(scores, "a global factor");
    result->labels.resize(graph.num_variables());
    result->integral = true;
    result->marginals.clear();
    result->value = 0;
    for (Index g = 0; g < graph.num_global_factors(); ++g)
      result->value += Maximise(g, scores, result->labels);
    for (const Index i : free_) {
      const auto own = scores.subspan(graph.state_offset(i), graph.cardinality(i));
      const auto best = std::max_element(own.begin(), own.end());
      result->labels[i] = static_cast<Index>(best - own.begin());
      result->value += *best;
    }
    result->upper_bound = result->value;
    result->exact = true;
    work_ += kWorkOfState * graph.total_states();
  }

  std::string_view name() const override { return "global"; }
  std::int64_t work() const override { return work_; }
  bool relaxed() const override { return false; }

 private:
  double Maximise(Index g, std::span<const double> scores, std::span<Index> labels) {
    const FactorGraph& graph = structure_->graph();
    const std::span<const Index> scope = graph.global_scope(g);
    messages_.clear();
    for (const Index i : scope) {
      const double* own = scores.data() + graph.state_offset(i);
      for (Index s = 0; s < graph.cardinality(i); ++s) messages_.push_back(-own[s]);
    }
    states_.resize(scope.size());
    const double value =
        CheckedMaximum(*structure_->globals()[g].factor, LocalWeights(g), messages_, states_);
    for (std::size_t k = 0; k < scope.size(); ++k) labels[scope[k]] = states_[k];
    return value;
  }

  std::span<const double> LocalWeights(Index g) const {
    const GlobalPart& part = structure_->globals()[g];
    if (part.block < 0 || part.factor->num_weights() == 0) return {};
    SLACKLINE_CHECK(!weights_.empty(),
                    "a solver for global factors needs weights before it solves");
    const Offset first = structure_->layout().block(part.block).at(part.base, 0);
    return weights_.subspan(first, part.factor->num_weights());
  }

  std::shared_ptr<const Structure> structure_;
  std::vector<Index> free_;  // variables in no global factor
  std::span<const double> weights_;
  std::vector<double> messages_;
  std::vector<Index> states_;
  std::int64_t work_ = 0;
};

}  // namespace

bool HasExactGlobals(const FactorGraph& graph) {
  if (graph.num_global_factors() == 0 || graph.num_factors() > 0) return false;
  Offset total = 0;
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    total += static_cast<Offset>(graph.global_scope(g).size());
  }
  const std::vector<bool> covered = CoveredVariables(graph);
  return total == std::count(covered.begin(), covered.end(), true);
}

std::unique_ptr<MapSolver> MakeGlobalSolver(std::shared_ptr<const Structure> structure) {
  SLACKLINE_CHECK(structure != nullptr, "a solver needs a structure");
  if (!HasExactGlobals(structure->graph())) {
    throw DataError(
        "solver global needs at least one global factor, no variable in two of them, and no "
        "factors with tables; use a GlobalDecoder for other graphs");
  }
  return std::make_unique<GlobalSolver>(std::move(structure));
}

}  // namespace slackline::internal
