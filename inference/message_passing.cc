// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/message_passing.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/rounding.h>

namespace slackline {
namespace {

std::size_t Size(Offset n) { return static_cast<std::size_t>(n); }

/// out[s1] = max over s0 of table[s0][s1] − message[s0]: rows side by side, in vector registers.
void MaxOverRows(const double* __restrict table, const double* __restrict message, Index rows, Index cols,
                 double* __restrict out) {
  for (Index s = 0; s < cols; ++s) out[s] = table[s] - message[0];
  for (Index r = 1; r < rows; ++r) {
    const double* row = table + static_cast<std::ptrdiff_t>(r) * cols;
    const double shift = message[r];
    for (Index s = 0; s < cols; ++s) out[s] = std::max(out[s], row[s] - shift);
  }
}

/// out[s0] = max over s1 of table[s0][s1] − message[s1].
void MaxOverColumns(const double* __restrict table, const double* __restrict message, Index rows, Index cols,
                    double* __restrict out) {
  for (Index r = 0; r < rows; ++r) {
    const double* row = table + static_cast<std::ptrdiff_t>(r) * cols;
    double best[4] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
    Index s = 0;
    for (; s + 4 <= cols; s += 4) {
      for (Index k = 0; k < 4; ++k) best[k] = std::max(best[k], row[s + k] - message[s + k]);
    }
    for (; s < cols; ++s) best[0] = std::max(best[0], row[s] - message[s]);
    out[r] = std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
  }
}

class MessagePassingSolver final : public MapSolver {
 public:
  MessagePassingSolver(std::shared_ptr<const FactorGraph> graph, const MessagePassingOptions& options)
      : graph_(graph), options_(options), passing_(std::move(graph)) {}

  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override {
    SLACKLINE_CHECK(scores.size() == Size(graph_->total_states()), "scores do not fit the graph");
    SLACKLINE_CHECK(std::all_of(scores.begin(), scores.end(), [](double s) { return std::isfinite(s); }),
                    "a score is not finite");
    messages_.assign(Size(graph_->total_messages()), 0.0);
    const std::size_t bytes = messages_.size() * sizeof(double);
    if (warm != nullptr && warm->bytes.size() == bytes)
      std::memcpy(messages_.data(), warm->bytes.data(), bytes);

    result->integral = true;
    result->marginals.clear();
    result->labels.assign(Size(graph_->num_variables()), 0);
    result->value = -kInfinity;
    result->upper_bound = kInfinity;
    labels_.resize(result->labels.size());
    for (Index iteration = 0; iteration < options_.max_iterations; ++iteration) {
      passing_.Iterate(scores, messages_, labels_);
      work_ += 3 * graph_->total_states();
      const double value = LabellingScore(*graph_, scores, labels_);
      if (value > result->value) {
        result->value = value;
        result->labels = labels_;
      }
      const double bound = DualBound(*graph_, scores, messages_);
      const double gained = result->upper_bound - bound;
      result->upper_bound = std::min(result->upper_bound, bound);
      const double tolerance = options_.tolerance * std::max(1.0, std::abs(result->value));
      if (result->upper_bound - result->value <= tolerance || gained <= 0.1 * tolerance) break;
    }
    result->upper_bound = std::max(result->upper_bound, result->value);
    result->exact = result->upper_bound - result->value <= 1e-7 * std::max(1.0, std::abs(result->value));
    if (warm != nullptr) {
      warm->bytes.resize(bytes);
      if (bytes > 0) std::memcpy(warm->bytes.data(), messages_.data(), bytes);
    }
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

MessagePassing::MessagePassing(std::shared_ptr<const FactorGraph> graph)
    : graph_(std::move(graph)), begin_(Size(graph_->num_variables()) + 1, 0) {
  Index largest_variable = 0;
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    largest_variable = std::max(largest_variable, graph_->cardinality(i));
    Index not_first = 0;
    Index not_last = 0;
    for (const Incidence& incidence : graph_->factors_of(i)) {
      const std::span<const Index> scope = graph_->scope(incidence.factor);
      const auto [low, high] = std::minmax_element(scope.begin(), scope.end());
      edges_.push_back({incidence.factor, incidence.position,
                        graph_->message_offset(graph_->edge(incidence.factor, incidence.position)), *low == i,
                        *high == i, scope.size() == 2});
      not_first += *low != i;
      not_last += *high != i;
    }
    begin_[Size(i) + 1] = static_cast<Offset>(edges_.size());
    share_.push_back(1.0 / std::max<Index>(1, std::max(not_first, not_last)));
  }
  Index largest_table = 0;
  for (Index c = 0; c < graph_->num_factors(); ++c)
    largest_table = std::max(largest_table, graph_->factor_states(c));
  belief_.resize(Size(largest_variable));
  table_.resize(Size(largest_table));
}

void MessagePassing::Iterate(std::span<const double> scores, std::span<double> messages,
                             std::span<Index> labels) {
  Sweep<true>(scores, messages, labels);
  Sweep<false>(scores, messages, {});
}

template <bool kForward>
void MessagePassing::Sweep(std::span<const double> scores, std::span<double> messages,
                           std::span<Index> labels) {
  const Index n = graph_->num_variables();
  for (Index k = 0; k < n; ++k) {
    const Index i = kForward ? k : n - 1 - k;
    const Index states = graph_->cardinality(i);
    if (!labels.empty()) labels[Size(i)] = DecodeVariable(scores, i, messages.data(), labels);
    const double* theta = scores.data() + graph_->state_offset(i);
    std::copy(theta, theta + states, belief_.begin());
    for (const Edge& edge : edges(i)) {
      if (!(kForward ? edge.first : edge.last) || (edge.first && edge.last))
        Collect(scores, edge, messages.data());
      const double* message = messages.data() + edge.message;
      for (Index s = 0; s < states; ++s) belief_[Size(s)] += message[s];
    }
    // A constant moves between the tables without changing the bound: the largest belief becomes 0.
    const double top = *std::max_element(belief_.begin(), belief_.begin() + states);
    const double share = share_[Size(i)];
    for (Index s = 0; s < states; ++s) belief_[Size(s)] = share * (belief_[Size(s)] - top);
    for (const Edge& edge : edges(i)) {
      if (kForward ? edge.last : edge.first) continue;
      double* message = messages.data() + edge.message;
      for (Index s = 0; s < states; ++s) message[s] -= belief_[Size(s)];
    }
  }
}

/// δ_ci(s) = max over y_c with y_i = s of (θ_c − Σ_{j≠i} δ_cj)(y_c).
void MessagePassing::Collect(std::span<const double> scores, const Edge& edge, double* messages) {
  if (!edge.pair) {
    CollectTable(scores, edge, messages);
    return;
  }
  const std::span<const Index> scope = graph_->scope(edge.factor);
  const Index rows = graph_->cardinality(scope[0]);
  const Index cols = graph_->cardinality(scope[1]);
  const double* table = scores.data() + graph_->factor_offset(edge.factor);
  double* first = messages + graph_->message_offset(graph_->edge(edge.factor, 0));
  double* second = messages + graph_->message_offset(graph_->edge(edge.factor, 1));
  if (edge.position == 0) {
    MaxOverColumns(table, second, rows, cols, first);
  } else {
    MaxOverRows(table, first, rows, cols, second);
  }
}

void MessagePassing::CollectTable(std::span<const double> scores, const Edge& edge, double* messages) {
  const Index c = edge.factor;
  const std::span<const Index> scope = graph_->scope(c);
  const Index states = graph_->factor_states(c);
  std::copy_n(scores.begin() + graph_->factor_offset(c), states, table_.begin());
  Index stride = states;
  Index own_stride = 1;
  for (Index position = 0; position < static_cast<Index>(scope.size()); ++position) {
    const Index cardinality = graph_->cardinality(scope[Size(position)]);
    stride /= cardinality;
    if (position == edge.position) {
      own_stride = stride;
      continue;
    }
    const double* message = messages + graph_->message_offset(graph_->edge(c, position));
    for (Index joint = 0; joint < states; ++joint) {
      table_[Size(joint)] -= message[(joint / stride) % cardinality];
    }
  }
  double* out = messages + edge.message;
  const Index cardinality = graph_->cardinality(scope[Size(edge.position)]);
  std::fill_n(out, cardinality, -kInfinity);
  for (Index joint = 0; joint < states; ++joint) {
    double& best = out[(joint / own_stride) % cardinality];
    best = std::max(best, table_[Size(joint)]);
  }
}

/// The best state of i given labels of all smaller variables; larger ones are maximised over, less their messages.
Index MessagePassing::DecodeVariable(std::span<const double> scores, Index i, const double* messages,
                                     std::span<const Index> labels) {
  const Index states = graph_->cardinality(i);
  std::copy_n(scores.begin() + graph_->state_offset(i), states, belief_.begin());
  for (const Edge& edge : edges(i)) {
    const double* theta = scores.data() + graph_->factor_offset(edge.factor);
    const std::span<const Index> scope = graph_->scope(edge.factor);
    if (edge.first && !edge.last) {  // all others are open: their maximum is in the message
      for (Index s = 0; s < states; ++s) belief_[Size(s)] += messages[edge.message + s];
      continue;
    }
    if (edge.pair) {
      const Index other = labels[Size(scope[Size(1 - edge.position)])];
      const Index cols = graph_->cardinality(scope[1]);
      const Index step = edge.position == 0 ? cols : 1;
      const Index offset = edge.position == 0 ? other : other * cols;
      for (Index s = 0; s < states; ++s) belief_[Size(s)] += theta[offset + s * step];
      continue;
    }
    double best[64];
    std::vector<double> large;
    double* maxima = best;
    if (states > 64) {
      large.resize(Size(states));
      maxima = large.data();
    }
    std::fill_n(maxima, states, -kInfinity);
    for (Index joint = 0; joint < graph_->factor_states(edge.factor); ++joint) {
      double value = theta[joint];
      Index rest = joint;
      Index own = 0;
      bool fits = true;
      for (Index position = static_cast<Index>(scope.size()) - 1; position >= 0; --position) {
        const Index variable = scope[Size(position)];
        const Index state = rest % graph_->cardinality(variable);
        rest /= graph_->cardinality(variable);
        if (variable == i) {
          own = state;
        } else if (variable < i) {
          fits = fits && labels[Size(variable)] == state;
        } else {
          value -= messages[graph_->message_offset(graph_->edge(edge.factor, position)) + state];
        }
      }
      if (fits) maxima[own] = std::max(maxima[own], value);
    }
    for (Index s = 0; s < states; ++s) belief_[Size(s)] += maxima[s];
  }
  return static_cast<Index>(std::max_element(belief_.begin(), belief_.begin() + states) - belief_.begin());
}

std::unique_ptr<MapSolver> MakeMessagePassingSolver(std::shared_ptr<const FactorGraph> graph,
                                                    const MessagePassingOptions& options) {
  SLACKLINE_CHECK(graph != nullptr, "a solver needs a graph");
  return std::make_unique<MessagePassingSolver>(std::move(graph), options);
}

}  // namespace slackline
