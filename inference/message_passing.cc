// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/message_passing.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

class MessagePassingSolver final : public MapSolver {
 public:
  MessagePassingSolver(std::shared_ptr<const FactorGraph> graph,
                       const MessagePassingOptions& options)
      : graph_(graph), options_(options), passing_(std::move(graph)) {}

  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override {
    SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
    RequireFiniteScores(scores, "message passing");
    passing_.SetScores(scores);
    ReadMessages(*graph_, warm, &messages_);

    result->integral = true;
    result->marginals.clear();
    result->labels.assign(graph_->num_variables(), 0);
    result->value = -kInfinity;
    double bound = kInfinity;
    labels_.resize(result->labels.size());
    for (Index iteration = 0; iteration < options_.max_iterations; ++iteration) {
      const double before = bound;
      bound = std::min(bound, passing_.Iterate(messages_));
      work_ += passing_.iteration_work();
      passing_.Decode(messages_, labels_);
      const double value = LabellingScore(*graph_, scores, labels_);
      if (value > result->value) {
        result->value = value;
        result->labels = labels_;
      }
      const double tolerance = options_.tolerance * std::max(1.0, std::abs(result->value));
      if (bound - result->value <= tolerance || before - bound <= 0.1 * tolerance) break;
      if (ShouldStop()) break;
    }
    result->upper_bound = std::max(passing_.Bound(messages_), result->value);
    result->exact = ReachesBound(result->value, result->upper_bound);
    WriteMessages(messages_, warm);
  }

  std::string_view name() const override { return "messages"; }
  std::int64_t work() const override { return work_; }
  bool relaxed() const override { return true; }

 private:
  std::shared_ptr<const FactorGraph> graph_;
  MessagePassingOptions options_;
  MessagePassing passing_;
  std::vector<double> messages_;
  std::vector<Index> labels_;
  std::int64_t work_ = 0;
};

}  // namespace

MessagePassing::MessagePassing(std::shared_ptr<const FactorGraph> graph,
                               std::span<const Index> table_of)
    : graph_(std::move(graph)), begin_(Offset{graph_->num_variables()} + 1, 0) {
  AddTables(table_of);
  Index largest_variable = 0;
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    largest_variable = std::max(largest_variable, graph_->cardinality(i));
    AddEdges(i);
    begin_[i + 1] = static_cast<Offset>(edges_.size());
  }
  variable_scores_.resize(graph_->num_variables() > 0 ? graph_->factor_offset(0) : 0);
  belief_.resize(PairTables::Padded(largest_variable));
  maxima_.resize(belief_.size());
}

void MessagePassing::AddTables(std::span<const Index> table_of) {
  SLACKLINE_CHECK(table_of.empty() || std::ssize(table_of) == graph_->num_factors(),
                  "every factor needs a table");
  Index largest = 0;
  Offset end = 0;
  for (Index c = 0; c < graph_->num_factors(); ++c) {
    const Index number = table_of.empty() ? c : table_of[c];
    SLACKLINE_CHECK(number >= 0 && number <= num_tables(),
                    "tables are to be numbered in order of their first use");
    table_of_.push_back(number);
    const std::span<const Index> scope = graph_->scope(c);
    const Index states = graph_->factor_states(c);
    if (number == num_tables()) {
      Table table{c, 0, -1, end};
      if (scope.size() == 2) {
        table.pair = pairs_.Add(graph_->cardinality(scope[0]), graph_->cardinality(scope[1]));
      } else {
        end += states;
        largest = std::max(largest, states);
      }
      tables_.push_back(table);
    }
    Table& table = tables_[number];
    const bool equal = std::ranges::equal(
        scope, graph_->scope(table.factor),
        [&](Index i, Index j) { return graph_->cardinality(i) == graph_->cardinality(j); });
    SLACKLINE_CHECK(equal, "factors of different shape cannot share a table");
    ++table.uses;
    const auto order = static_cast<std::int64_t>(scope.size());
    const std::int64_t sweeps = order == 1 ? 2 : 2 * (order - 1) * (order + 1);
    iteration_work_ += order == 2 ? pairs_.Work(table.pair) : sweeps * states;
  }
  table_scores_.assign(end, -kInfinity);
  table_.resize(largest);
}

void MessagePassing::AddEdges(Index i) {
  Index not_first = 0;
  Index not_last = 0;
  for (const Incidence& incidence : graph_->factors_of(i)) {
    const std::span<const Index> scope = graph_->scope(incidence.factor);
    const auto [low, high] = std::minmax_element(scope.begin(), scope.end());
    Edge edge{};
    edge.factor = incidence.factor;
    edge.position = incidence.position;
    edge.message = graph_->message_offset(graph_->edge(incidence.factor, incidence.position));
    edge.first = *low == i;
    edge.last = *high == i;
    edge.pair = scope.size() == 2;
    if (edge.pair) {
      const Table& table = tables_[table_of_[incidence.factor]];
      edge.other = scope[1 - incidence.position];
      edge.other_message =
          graph_->message_offset(graph_->edge(incidence.factor, 1 - incidence.position));
      edge.view = {table.pair, incidence.position == 0};
    }
    edges_.push_back(edge);
    not_first += !edge.first;
    not_last += !edge.last;
    iteration_work_ += 2 * graph_->cardinality(i);
  }
  share_.push_back(1.0 / std::max<Index>(1, std::max(not_first, not_last)));
}

void MessagePassing::SetTable(Index number, std::span<const double> scores) {
  const Table& table = tables_[number];
  if (table.pair >= 0) {
    iteration_work_ -= table.uses * pairs_.Work(table.pair);
    pairs_.Set(table.pair, scores);
    iteration_work_ += table.uses * pairs_.Work(table.pair);
    return;
  }
  SLACKLINE_CHECK(std::ssize(scores) == graph_->factor_states(table.factor),
                  "scores do not fit the table");
  std::copy(scores.begin(), scores.end(), table_scores_.begin() + table.scores);
}

void MessagePassing::SetScores(std::span<const double> scores) {
  SLACKLINE_CHECK(num_tables() == graph_->num_factors(), "the factors share tables");
  std::copy_n(scores.begin(), variable_scores_.size(), variable_scores_.begin());
  for (Index c = 0; c < graph_->num_factors(); ++c)
    SetTable(c, scores.subspan(graph_->factor_offset(c), graph_->factor_states(c)));
}

double MessagePassing::Iterate(std::span<double> messages) {
  Sweep<true>(messages.data());
  return Sweep<false>(messages.data());
}

/// Returns Σ max b_i. After a backward sweep this is the whole bound: once a factor's first
/// variable has collected from it, the factor's reparametrised maximum is 0.
template <bool kForward>
double MessagePassing::Sweep(double* messages) {
  const Index n = graph_->num_variables();
  double bound = 0;
  for (Index k = 0; k < n; ++k) {
    const Index i = kForward ? k : n - 1 - k;
    const Index states = graph_->cardinality(i);
    const double* theta = variable_scores_.data() + graph_->state_offset(i);
    std::copy(theta, theta + states, belief_.begin());
    for (const Edge& edge : edges(i)) {
      if (!(kForward ? edge.first : edge.last) || (edge.first && edge.last))
        Collect(edge, messages);
      const double* message = messages + edge.message;
      for (Index s = 0; s < states; ++s) belief_[s] += message[s];
    }
    // Subtracting the largest belief moves a constant between tables without changing the bound.
    const double top = *std::max_element(belief_.begin(), belief_.begin() + states);
    bound += top;
    const double share = share_[i];
    for (Index s = 0; s < states; ++s) belief_[s] = share * (belief_[s] - top);
    for (const Edge& edge : edges(i)) {
      if (kForward ? edge.last : edge.first) continue;
      double* message = messages + edge.message;
      for (Index s = 0; s < states; ++s) message[s] -= belief_[s];
    }
  }
  return bound;
}

void MessagePassing::Collect(const Edge& edge, double* messages) {
  MaxMarginals(edge, messages);
  const Index states = graph_->cardinality(graph_->scope(edge.factor)[edge.position]);
  std::copy_n(maxima_.data(), states, messages + edge.message);
}

/// maxima_[s] = max over y_c with y_i = s of (θ_c − Σ_{j≠i} δ_cj)(y_c).
void MessagePassing::MaxMarginals(const Edge& edge, const double* messages) {
  const Index c = edge.factor;
  const std::span<const Index> scope = graph_->scope(c);
  const Index own_states = graph_->cardinality(scope[edge.position]);
  if (edge.pair) return pairs_.MaxMinus(edge.view, messages + edge.other_message, maxima_.data());
  const Index states = graph_->factor_states(c);
  std::copy_n(table_scores_.begin() + tables_[table_of_[c]].scores, states, table_.begin());
  Index stride = states;
  Index own_stride = 1;
  for (Index position = 0; position < static_cast<Index>(scope.size()); ++position) {
    const Index cardinality = graph_->cardinality(scope[position]);
    stride /= cardinality;
    if (position == edge.position) {
      own_stride = stride;
      continue;
    }
    const double* message = messages + graph_->message_offset(graph_->edge(c, position));
    for (Index joint = 0; joint < states; ++joint) {
      table_[joint] -= message[(joint / stride) % cardinality];
    }
  }
  std::fill_n(maxima_.begin(), own_states, -kInfinity);
  for (Index joint = 0; joint < states; ++joint) {
    double& best = maxima_[(joint / own_stride) % own_states];
    best = std::max(best, table_[joint]);
  }
}

void MessagePassing::Decode(std::span<const double> messages, std::span<Index> labels) {
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    const Index states = graph_->cardinality(i);
    std::copy_n(variable_scores_.begin() + graph_->state_offset(i), states, belief_.begin());
    for (const Edge& edge : edges(i)) AddDecoded(edge, i, messages.data(), labels);
    labels[i] = static_cast<Index>(std::max_element(belief_.begin(), belief_.begin() + states) -
                                   belief_.begin());
  }
}

/// Adds to belief_ the scores of a factor for the states of i, given the labels of all smaller
/// variables and maximised over the larger variables, whose messages are subtracted.
void MessagePassing::AddDecoded(const Edge& edge, Index i, const double* messages,
                                std::span<const Index> labels) {
  const Index states = graph_->cardinality(i);
  if (edge.first && !edge.last) {  // all other variables are larger: the message has their maximum
    for (Index s = 0; s < states; ++s) belief_[s] += messages[edge.message + s];
    return;
  }
  if (edge.pair) {
    const double* row = pairs_.row(edge.view, labels[edge.other]);
    for (Index s = 0; s < states; ++s) belief_[s] += row[s];
    return;
  }
  const std::span<const Index> scope = graph_->scope(edge.factor);
  const double* theta = table_scores_.data() + tables_[table_of_[edge.factor]].scores;
  std::fill_n(maxima_.begin(), states, -kInfinity);
  for (Index joint = 0; joint < graph_->factor_states(edge.factor); ++joint) {
    double value = theta[joint];
    Index rest = joint;
    Index own = 0;
    bool fits = true;
    for (Index position = static_cast<Index>(scope.size()) - 1; position >= 0; --position) {
      const Index variable = scope[position];
      const Index state = rest % graph_->cardinality(variable);
      rest /= graph_->cardinality(variable);
      if (variable == i) {
        own = state;
      } else if (variable < i) {
        fits = fits && labels[variable] == state;
      } else {
        value -= messages[graph_->message_offset(graph_->edge(edge.factor, position)) + state];
      }
    }
    if (fits) maxima_[own] = std::max(maxima_[own], value);
  }
  for (Index s = 0; s < states; ++s) belief_[s] += maxima_[s];
}

void MessagePassing::AddGiven(const Edge& edge, std::span<const Index> labels) {
  if (edge.pair) {
    const double* row = pairs_.row(edge.view, labels[edge.other]);
    const Index states = pairs_.own_states(edge.view);
    for (Index s = 0; s < states; ++s) belief_[s] += row[s];
    return;
  }
  const std::span<const Index> scope = graph_->scope(edge.factor);
  const Index own = scope[edge.position];
  Offset inner = 1;  // entries from one state of the variable to the next
  for (std::size_t k = edge.position + 1; k < scope.size(); ++k)
    inner *= graph_->cardinality(scope[k]);
  const Offset first = JointState(*graph_, edge.factor, labels) - labels[own] * inner;
  const double* theta = table_scores_.data() + tables_[table_of_[edge.factor]].scores + first;
  for (Index s = 0; s < graph_->cardinality(own); ++s) belief_[s] += theta[s * inner];
}

void MessagePassing::Improve(std::span<Index> labels) {
  bool changed = true;
  for (Index sweep = 0; sweep < kImproveSweeps && changed; ++sweep) {
    changed = false;
    for (Index i = 0; i < graph_->num_variables(); ++i) {
      const Index states = graph_->cardinality(i);
      std::copy_n(variable_scores_.begin() + graph_->state_offset(i), states, belief_.begin());
      for (const Edge& edge : edges(i)) AddGiven(edge, labels);
      const auto best = static_cast<Index>(
          std::max_element(belief_.begin(), belief_.begin() + states) - belief_.begin());
      if (!(belief_[best] > belief_[labels[i]])) continue;
      labels[i] = best;
      changed = true;
    }
  }
}

double MessagePassing::Score(std::span<const Index> labels) const {
  double sum = 0;
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    sum += variable_scores_[graph_->state_offset(i) + labels[i]];
    for (const Edge& edge : edges(i)) {
      if (!edge.first) continue;
      const Table& table = tables_[table_of_[edge.factor]];
      sum += edge.pair ? pairs_.row(edge.view, labels[edge.other])[labels[i]]
                       : table_scores_[table.scores + JointState(*graph_, edge.factor, labels)];
    }
  }
  return sum;
}

double MessagePassing::Bound(std::span<const double> messages) {
  double bound = 0;
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    const Index states = graph_->cardinality(i);
    std::copy_n(variable_scores_.begin() + graph_->state_offset(i), states, belief_.begin());
    for (const Edge& edge : edges(i)) {
      const double* own = messages.data() + edge.message;
      for (Index s = 0; s < states; ++s) belief_[s] += own[s];
      if (!edge.first) continue;  // every factor's own maximum is added once
      MaxMarginals(edge, messages.data());
      double best = -kInfinity;
      for (Index s = 0; s < states; ++s) best = std::max(best, maxima_[s] - own[s]);
      bound += best;
    }
    bound += *std::max_element(belief_.begin(), belief_.begin() + states);
  }
  return bound;
}

void ReadMessages(const FactorGraph& graph, const WarmStart* warm, std::vector<double>* messages) {
  messages->assign(graph.total_messages(), 0.0);
  const std::size_t bytes = messages->size() * sizeof(double);
  if (warm == nullptr || bytes == 0) return;
  if (warm->bytes.size() != bytes && warm->bytes.size() != bytes + kBranchAndBoundPlanBytes) return;
  std::memcpy(messages->data(), warm->bytes.data(), bytes);
  // Messages of a damaged checkpoint may have any values. Any finite messages give a valid bound.
  if (!AllFinite(*messages)) std::fill(messages->begin(), messages->end(), 0.0);
}

void WriteMessages(std::span<const double> messages, WarmStart* warm) {
  if (warm == nullptr) return;
  if (warm->bytes.size() != messages.size_bytes() + kBranchAndBoundPlanBytes)
    warm->bytes.resize(messages.size_bytes());
  if (!messages.empty()) std::memcpy(warm->bytes.data(), messages.data(), messages.size_bytes());
}

std::unique_ptr<MapSolver> MakeMessagePassingSolver(std::shared_ptr<const FactorGraph> graph,
                                                    const MessagePassingOptions& options) {
  SLACKLINE_CHECK(graph != nullptr, "a solver needs a graph");
  RequireTablesOnly(*graph, "message passing");
  return std::make_unique<MessagePassingSolver>(std::move(graph), options);
}

}  // namespace slackline::internal
