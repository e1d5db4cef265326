// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/message_branch_and_bound.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/inference/message_passing.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

constexpr Index kSweeps = 10;      // most sweeps of the ascent before branch and bound
constexpr Index kIterations = 30;  // most iterations of message passing
/// Least gain of an iteration of message passing, relative to the bound.
constexpr double kMessageTolerance = 1e-5;
/// Largest gap, relative to max(1, |value|), that is left without branch and bound.
constexpr double kReached = 1e-9;

/// *moved = θ_i + Σ_c δ_ci for variables, θ_c − Σ_j δ_cj for factors.
void Reparametrise(const FactorGraph& graph, std::span<const double> scores,
                   std::span<const double> messages, std::vector<double>* moved) {
  moved->assign(scores.begin(), scores.end());
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> scope = graph.scope(c);
    double* const table = moved->data() + graph.factor_offset(c);
    const std::size_t entries = graph.factor_states(c);
    std::size_t inner = entries;  // entries from one state of the variable to the next
    for (std::size_t p = 0; p < scope.size(); ++p) {
      const std::size_t states = graph.cardinality(scope[p]);
      const double* const message =
          messages.data() + graph.message_offset(graph.edge(c, static_cast<Index>(p)));
      double* const variable = moved->data() + graph.state_offset(scope[p]);
      for (std::size_t s = 0; s < states; ++s) variable[s] += message[s];
      inner /= states;
      for (std::size_t begin = 0; begin < entries; begin += states * inner) {
        for (std::size_t s = 0; s < states; ++s) {
          double* const row = table + begin + s * inner;
          for (std::size_t k = 0; k < inner; ++k) row[k] -= message[s];
        }
      }
    }
  }
}

class MessageBranchAndBoundSolver final : public MapSolver {
 public:
  explicit MessageBranchAndBoundSolver(std::shared_ptr<const FactorGraph> graph)
      : graph_(std::move(graph)), passing_(graph_) {
    if (MessageBranchAndBound::Fits(*graph_))
      search_ = std::make_unique<MessageBranchAndBound>(graph_);
  }

  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override {
    SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
    RequireFiniteScores(scores, "message passing");
    passing_.SetScores(scores);
    ReadMessages(*graph_, warm, &messages_);
    double bound = kInfinity;
    for (Index k = 0; k < kIterations; ++k) {
      const double before = bound;
      bound = std::min(bound, passing_.Iterate(messages_));
      work_ += passing_.iteration_work();
      if (before - bound <= kMessageTolerance * std::abs(bound) || ShouldStop()) break;
    }
    result->integral = true;
    result->marginals.clear();
    result->labels.resize(graph_->num_variables());
    passing_.Decode(messages_, result->labels);
    result->value = LabellingScore(*graph_, scores, result->labels);
    result->upper_bound = std::max(passing_.Bound(messages_), result->value);
    const double room = kReached * std::max(1.0, std::abs(result->value));
    if (search_ && result->upper_bound - result->value > room) {
      search_->Solve(scores, messages_, &searched_);
      const double lowest = std::min(searched_.upper_bound, result->upper_bound);
      if (searched_.value > result->value) std::swap(*result, searched_);
      result->upper_bound = std::max(lowest, result->value);
    }
    result->exact = ReachesBound(result->value, result->upper_bound);
    WriteMessages(messages_, warm);
  }

  void SetStop(const StopCondition* stop) override {
    MapSolver::SetStop(stop);
    if (search_) search_->SetStop(stop);
  }

  std::string_view name() const override { return "messages-branch-and-bound"; }
  std::int64_t work() const override { return work_ + (search_ ? search_->work() : 0); }
  bool relaxed() const override { return false; }

 private:
  std::shared_ptr<const FactorGraph> graph_;
  MessagePassing passing_;
  std::unique_ptr<MessageBranchAndBound> search_;
  std::vector<double> messages_;
  MapResult searched_;
  std::int64_t work_ = 0;
};

}  // namespace

BranchAndBoundPlan BranchAndBoundPlan::Read(const FactorGraph& graph, const WarmStart* warm) {
  BranchAndBoundPlan plan;
  const std::size_t messages = graph.total_messages() * sizeof(double);
  if (warm == nullptr || warm->bytes.size() != messages + kBranchAndBoundPlanBytes) return plan;
  const std::uint8_t* const bytes = warm->bytes.data() + messages;
  // The bytes of a damaged checkpoint may have any values.
  plan.doublings = std::min<Index>(bytes[0], MessageBranchAndBound::kMostDoublings);
  plan.arrived = bytes[1] != 0;
  plan.rest = bytes[2] + 256 * bytes[3];
  return plan;
}

void BranchAndBoundPlan::Write(const FactorGraph& graph, WarmStart* warm) const {
  if (warm == nullptr) return;
  const std::size_t messages = graph.total_messages() * sizeof(double);
  SLACKLINE_CHECK(warm->bytes.size() >= messages,
                  "a plan of branch and bound needs messages before it");
  warm->bytes.resize(messages + kBranchAndBoundPlanBytes);
  std::uint8_t* const bytes = warm->bytes.data() + messages;
  bytes[0] = static_cast<std::uint8_t>(doublings);
  bytes[1] = arrived ? 1 : 0;
  bytes[2] = static_cast<std::uint8_t>(rest % 256);
  bytes[3] = static_cast<std::uint8_t>(rest / 256);
}

void BranchAndBoundPlan::Record(bool complete) {
  const bool whole = next_doublings() == doublings;
  if (rest > 0) --rest;
  if (complete || !whole) {
    arrived = arrived || complete;
    return;
  }
  arrived = false;
  doublings = std::min(doublings + 1, MessageBranchAndBound::kMostDoublings);
  rest = (Index{1} << doublings) - 1;
}

bool MessageBranchAndBound::Fits(const FactorGraph& graph) {
  return graph.total_states() <= kMostStates;
}

MessageBranchAndBound::MessageBranchAndBound(std::shared_ptr<const FactorGraph> graph)
    : graph_(graph),
      search_(std::move(graph),
              {.node_limit = kNodeLimit, .max_sweeps = kSweeps, .joint_changes = false}) {}

void MessageBranchAndBound::Solve(std::span<const double> scores, std::span<const double> messages,
                                  MapResult* result, Index doublings) {
  SLACKLINE_CHECK(doublings >= 0 && doublings <= kMostDoublings,
                  "the limit of branch and bound is out of range");
  search_.set_node_limit(kNodeLimit << doublings);
  Reparametrise(*graph_, scores, messages, &moved_);
  work_ += graph_->total_states();
  search_.Solve(moved_, nullptr, result);
  result->value = LabellingScore(*graph_, scores, result->labels);
  result->upper_bound =
      result->exact ? result->value : std::max(result->value, result->upper_bound);
}

std::unique_ptr<MapSolver> MakeMessageBranchAndBoundSolver(
    std::shared_ptr<const FactorGraph> graph) {
  SLACKLINE_CHECK(graph != nullptr, "a solver needs a graph");
  RequireTablesOnly(*graph, "message passing");
  return std::make_unique<MessageBranchAndBoundSolver>(std::move(graph));
}

}  // namespace slackline::internal
