// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/relaxed_marginals.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <slackline/core/check.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/message_passing.h>
#include <slackline/inference/star_updates.h>

namespace slackline::internal {
namespace {

/// Sweeps between two checks; a check costs about two sweeps.
constexpr Index kSweepsPerCheck = 10;
/// The first temperature: smoothing costs at most this share of the spread.
constexpr double kFirstShare = 0.1;
/// A bound that is smaller than this share of the spread is 0 up to rounding.
constexpr double kSmallestScale = 1e-9;
/// Smoothing below this share of the wanted gap cannot help any more.
constexpr double kLastShare = 1e-3;

double LogStates(const FactorGraph& graph) {
  double sum = 0;
  for (Index a = 0; a < graph.num_parts(); ++a)
    sum += std::log(static_cast<double>(graph.num_states(a)));
  return sum;
}

double ExponentialsOfSweep(const FactorGraph& graph) {
  double sum = 1;
  for (Index c = 0; c < graph.num_factors(); ++c)
    sum += static_cast<double>(graph.scope(c).size()) * graph.factor_states(c);
  return sum;
}

double MeanScore(const FactorGraph& graph, std::span<const double> scores) {
  double sum = 0;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const auto table = scores.subspan(graph.state_offset(a), graph.num_states(a));
    sum += std::accumulate(table.begin(), table.end(), 0.0) / static_cast<double>(table.size());
  }
  return sum;
}

double Entropy(std::span<const double> marginals) {
  double sum = 0;
  for (const double p : marginals) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

class Annealing {
 public:
  Annealing(const FactorGraph& graph, std::span<const double> scores, std::span<double> messages)
      : graph_(graph),
        scores_(scores),
        messages_(messages),
        best_messages_(messages.begin(), messages.end()),
        marginals_(scores.size()) {
    best_.bound = DualBound(graph, scores, messages);
    best_.value = -kInfinity;
    spread_ = std::max(0.0, best_.bound - MeanScore(graph, scores));
    scale_ = std::min(spread_, std::max(std::abs(best_.bound), kSmallestScale * spread_));
    log_states_ = std::max(LogStates(graph), std::log(2.0));
  }

  RelaxedPoint Run(const RelaxedOptions& options) {
    const double wanted = options.gap_tolerance * scale_;
    temperature_ = kFirstShare * spread_ / log_states_;
    const double coldest = kLastShare * wanted / log_states_;
    const double most = std::min<double>(options.max_sweeps,
                                         options.max_exponentials / ExponentialsOfSweep(graph_));
    while (Check(), best_.bound - best_.value > wanted && best_.sweeps < most) {
      if (lag_ <= smoothing_) temperature_ = std::max(coldest, temperature_ / 2);
      for (Index k = 0; k < kSweepsPerCheck; ++k) Sweep(k % 2 == 0);
      if (options.stop != nullptr && options.stop->Reached()) break;
    }
    std::copy(best_messages_.begin(), best_messages_.end(), messages_.begin());
    best_.bound = std::max(best_.bound, best_.value);  // up to rounding
    return std::move(best_);
  }

 private:
  void Sweep(bool forward) {
    const Index n = graph_.num_variables();
    for (Index k = 0; k < n; ++k)
      StarUpdate(graph_, forward ? k : n - 1 - k, temperature_, reparametrised_, messages_, &work_);
    ++best_.sweeps;
  }

  void Check() {
    // From the messages, so that rounding errors of updates do not add up.
    reparametrised_.assign(scores_.begin(), scores_.end());
    Reparametrise(graph_, messages_, reparametrised_);
    const double bound = SumOfMaxima(graph_, 0, reparametrised_);
    if (bound <= best_.bound) {
      best_.bound = bound;
      std::copy(messages_.begin(), messages_.end(), best_messages_.begin());
    }
    PartBeliefs(graph_, temperature_, reparametrised_, marginals_);
    RepairToLocalPolytope(graph_, marginals_, marginals_);
    const double value = MarginalsScore(scores_, marginals_);
    smoothing_ = temperature_ * Entropy(marginals_);
    lag_ = SumOfMaxima(graph_, temperature_, reparametrised_) - value - smoothing_;
    if (value <= best_.value) return;
    best_.value = value;
    best_.marginals = marginals_;
  }

  const FactorGraph& graph_;
  std::span<const double> scores_;
  std::span<double> messages_;
  std::vector<double> best_messages_;
  std::vector<double> marginals_;
  std::vector<double> reparametrised_;
  std::vector<double> work_;
  double spread_ = 0;  // bound − mean of all scores
  double scale_ = 0;   // of the gap
  double log_states_ = 0;
  double temperature_ = 0;
  double smoothing_ = 0;  // ε H(μ) of the last check
  double lag_ = 0;        // B_ε(δ) − (θ·μ + ε H(μ))
  RelaxedPoint best_;
};

class RelaxedMessageSolver final : public MapSolver {
 public:
  explicit RelaxedMessageSolver(std::shared_ptr<const FactorGraph> graph)
      : graph_(graph), passing_(MakeMessagePassingSolver(std::move(graph))) {}

  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override {
    WarmStart own;
    if (warm == nullptr) warm = &own;
    passing_->Solve(scores, warm, result);
    if (result->exact || ShouldStop()) return;
    std::vector<double> messages;
    ReadMessages(*graph_, warm, &messages);
    RelaxedPoint point = SolveLocalPolytope(*graph_, scores, messages, {.stop = stop()});
    work_ += 25 * point.sweeps * graph_->total_states();
    result->upper_bound = std::max(result->value, std::min(result->upper_bound, point.bound));
    result->exact = ReachesBound(result->value, result->upper_bound);
    if (result->exact || point.value <= result->value) return;
    result->integral = false;
    result->marginals = std::move(point.marginals);
    result->value = point.value;
  }

  void SetStop(const StopCondition* stop) override {
    MapSolver::SetStop(stop);
    passing_->SetStop(stop);
  }

  std::string_view name() const override { return "messages"; }
  std::int64_t work() const override { return passing_->work() + work_; }
  bool relaxed() const override { return true; }

 private:
  std::shared_ptr<const FactorGraph> graph_;
  std::unique_ptr<MapSolver> passing_;
  std::int64_t work_ = 0;
};

}  // namespace

std::unique_ptr<MapSolver> MakeRelaxedMessageSolver(std::shared_ptr<const FactorGraph> graph) {
  return std::make_unique<RelaxedMessageSolver>(std::move(graph));
}

RelaxedPoint SolveLocalPolytope(const FactorGraph& graph, std::span<const double> scores,
                                std::span<double> messages, const RelaxedOptions& options) {
  SLACKLINE_CHECK(
      std::ssize(scores) == graph.total_states() && std::ssize(messages) == graph.total_messages(),
      "scores or messages do not fit the graph");
  return Annealing(graph, scores, messages).Run(options);
}

}  // namespace slackline::internal
