// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/alpha_expansion.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/inference/max_flow.h>
#include <slackline/inference/message_passing.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

/// Tolerance of the inequality, and least gain of a move, relative to the largest score.
constexpr double kRounding = 1e-12;

class ExpansionSolver final : public MapSolver {
 public:
  explicit ExpansionSolver(std::shared_ptr<const FactorGraph> graph) : graph_(std::move(graph)) {
    for (Index i = 0; i < graph_->num_variables(); ++i) {
      if (graph_->cardinality(i) != graph_->cardinality(0))
        throw DataError("expansion moves need the same number of states for all variables");
    }
    for (Index c = 0; c < graph_->num_factors(); ++c) {
      if (graph_->scope(c).size() > 2)
        throw DataError("expansion moves need factors over at most two variables");
      if (graph_->scope(c).size() == 2) pairs_.push_back(c);
    }
    states_ = graph_->num_variables() == 0 ? 1 : graph_->cardinality(0);
  }

  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override {
    SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
    RequireFiniteScores(scores, "expansion moves");
    scores_ = scores;
    AddUnaries();
    double ratio = 1;  // c
    for (const Index c : pairs_) ratio = std::max(ratio, CheckTable(c));
    labels_.resize(graph_->num_variables());
    if (!StartFrom(warm)) Start();
    const double value = Expand();
    Keep(warm);
    result->labels = labels_;
    result->integral = true;
    result->marginals.clear();
    result->value = value;
    double most = 0;  // Σ max θ: the score of E = 0
    for (Index i = 0; i < graph_->num_variables(); ++i) {
      const auto own = UnaryOf(i);
      most += *std::max_element(own.begin(), own.end());
    }
    for (const Index c : pairs_) {
      const auto table = Table(c);
      most += *std::max_element(table.begin(), table.end());
    }
    const bool exact = states_ <= 2 || pairs_.empty();
    result->upper_bound = exact ? value : std::max(value, most - (most - value) / (2 * ratio));
    result->exact = exact || result->upper_bound == value;
  }

  std::string_view name() const override { return "expansion"; }
  std::int64_t work() const override { return work_ + 2 * flow_.work(); }
  bool relaxed() const override { return false; }

 private:
  std::span<const double> Table(Index c) const {
    return scores_.subspan(graph_->factor_offset(c), graph_->factor_states(c));
  }
  std::span<const double> UnaryOf(Index i) const {
    return std::span<const double>(unaries_).subspan(Offset{i} * states_, states_);
  }

  /// Fills unaries_ with the scores of the variables and of the factors over one variable.
  void AddUnaries() {
    unaries_.assign(scores_.begin(), scores_.begin() + graph_->variable_states());
    for (Index c = 0; c < graph_->num_factors(); ++c) {
      if (graph_->scope(c).size() != 1) continue;
      for (Index s = 0; s < states_; ++s)
        unaries_[Offset{graph_->scope(c)[0]} * states_ + s] += Table(c)[s];
    }
    largest_ = 0;
    for (const double score : unaries_) largest_ = std::max(largest_, std::abs(score));
    for (const Index c : pairs_) {
      for (const double score : Table(c)) largest_ = std::max(largest_, std::abs(score));
    }
  }

  /// max V / min_{a≠b} V of a table, at least 1; ∞ when two different states cost nothing. Throws
  /// DataError when a move would not be a cut.
  double CheckTable(Index c) const {
    const auto table = Table(c);
    double agree = kInfinity;     // the smallest score of equal states
    double unequal = -kInfinity;  // the largest score of different states
    double least_unequal = kInfinity;
    for (Index a = 0; a < states_; ++a) {
      for (Index b = 0; b < states_; ++b) {
        const double score = table[Offset{a} * states_ + b];
        if (a == b) {
          agree = std::min(agree, score);
        } else {
          unequal = std::max(unequal, score);
          least_unequal = std::min(least_unequal, score);
        }
      }
    }
    // If all different states have one score, the score of equal states decides.
    if (least_unequal < unequal || agree < unequal) CheckTriples(c);
    const double high = *std::max_element(table.begin(), table.end());
    const double low = std::min(agree, least_unequal);
    if (states_ < 2 || high - low <= 0) return 1;
    return high > unequal ? (high - low) / (high - unequal) : kInfinity;
  }

  /// Throws DataError when the inequality does not hold for some states. O(states³).
  void CheckTriples(Index c) const {
    const auto table = Table(c);
    const auto at = [&](Index a, Index b) { return table[Offset{a} * states_ + b]; };
    for (Index alpha = 0; alpha < states_; ++alpha) {
      for (Index a = 0; a < states_; ++a) {
        for (Index b = 0; b < states_; ++b) {
          if (at(a, b) + at(alpha, alpha) - at(a, alpha) - at(alpha, b) >= -kRounding * largest_)
            continue;
          throw DataError("factor " + std::to_string(c) + " is not associative: its states (" +
                          std::to_string(a) + ", " + std::to_string(b) +
                          ") cannot be cut from state " + std::to_string(alpha) +
                          ", and expansion moves do not apply");
        }
      }
    }
  }

  /// The first labelling. With two states it is 0 everywhere, from which one move is exact;
  /// otherwise it has every variable's best state by its own scores.
  void Start() {
    for (Index i = 0; i < graph_->num_variables(); ++i) {
      const auto own = UnaryOf(i);
      labels_[i] = states_ <= 2
                       ? 0
                       : static_cast<Index>(std::max_element(own.begin(), own.end()) - own.begin());
    }
  }

  /// Begins with the kept labelling; false if there is none.
  bool StartFrom(const WarmStart* warm) {
    const std::size_t bytes = labels_.size() * sizeof(Index);
    if (warm == nullptr || states_ <= 2 || bytes == 0 || warm->bytes.size() != bytes) return false;
    std::memcpy(labels_.data(), warm->bytes.data(), bytes);
    return std::all_of(labels_.begin(), labels_.end(),
                       [this](Index label) { return label >= 0 && label < states_; });
  }
  void Keep(WarmStart* warm) const {
    if (warm == nullptr || states_ <= 2) return;
    warm->bytes.resize(labels_.size() * sizeof(Index));
    std::memcpy(warm->bytes.data(), labels_.data(), warm->bytes.size());
  }

  /// Makes moves until none gains; returns the score.
  double Expand() {
    double value = LabellingScore(*graph_, scores_, labels_);
    Index idle = 0;  // states in a row whose move did not gain
    for (Index alpha = states_ <= 2 ? states_ - 1 : 0; idle < states_;
         alpha = (alpha + 1) % states_) {
      Move(alpha);
      const double moved = LabellingScore(*graph_, scores_, moved_);
      if (moved > value + kRounding * largest_) {
        value = moved;
        labels_ = moved_;
        idle = 0;
      } else {
        ++idle;
      }
      if (states_ <= 2 || ShouldStop()) break;
    }
    return value;
  }

  /// Sets moved_ to the best labelling in which every variable keeps its state or takes alpha. With
  /// t_i = 1 where i moves, and A, B, C, D the scores of a pair if neither moves, only j, only i,
  /// or both, the pair contributes A + (C − A) t_i + (B − A) t_j + q t_i t_j with q = A + D − B − C
  /// ≥ 0, and q t_i t_j = q/2 (t_i + t_j − |t_i − t_j|).
  void Move(Index alpha) {
    flow_.Reset(graph_->num_variables());
    for (Index i = 0; i < graph_->num_variables(); ++i) {
      const auto own = UnaryOf(i);
      flow_.AddExcess(i, own[alpha] - own[labels_[i]]);
    }
    for (const Index c : pairs_) {
      const Index i = graph_->scope(c)[0];
      const Index j = graph_->scope(c)[1];
      const auto table = Table(c);
      const auto at = [&](Index a, Index b) { return table[Offset{a} * states_ + b]; };
      const Index a = labels_[i];
      const Index b = labels_[j];
      const double keep = at(a, b);
      const double q = std::max(0.0, keep + at(alpha, alpha) - at(a, alpha) - at(alpha, b));
      flow_.AddExcess(i, at(alpha, b) - keep + q / 2);
      flow_.AddExcess(j, at(a, alpha) - keep + q / 2);
      if (q > 0) flow_.AddEdge(i, j, q / 2, q / 2);
    }
    flow_.Solve();
    moved_ = labels_;
    for (Index i = 0; i < graph_->num_variables(); ++i) {
      if (!flow_.SinkSide(i)) moved_[i] = alpha;
    }
    work_ += 4 * static_cast<std::int64_t>(pairs_.size());
  }

  std::shared_ptr<const FactorGraph> graph_;
  std::vector<Index> pairs_;  // factors over two variables
  Index states_ = 1;
  std::span<const double> scores_;
  std::vector<double> unaries_;
  double largest_ = 0;
  MaxFlow flow_;
  std::vector<Index> labels_, moved_;
  std::int64_t work_ = 0;
};

class BoundedExpansionSolver final : public MapSolver {
 public:
  explicit BoundedExpansionSolver(std::shared_ptr<const FactorGraph> graph)
      : graph_(graph), expansion_(graph), messages_(MakeMessagePassingSolver(std::move(graph))) {}

  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override {
    WarmStart start;  // the labelling that steps have kept, if they have
    if (warm != nullptr) start = *warm;
    expansion_.Solve(scores, &start, result);
    if (result->exact) return;
    messages_->Solve(scores, warm, &passed_);
    const double value = LabellingScore(*graph_, scores, passed_.labels);
    if (value > result->value) {
      result->labels = passed_.labels;
      result->value = value;
    }
    result->upper_bound =
        std::max(result->value, std::min(result->upper_bound, passed_.upper_bound));
    result->exact = ReachesBound(result->value, result->upper_bound);
  }

  void SetStop(const StopCondition* stop) override {
    expansion_.SetStop(stop);
    messages_->SetStop(stop);
  }

  std::string_view name() const override { return "expansion"; }
  std::int64_t work() const override { return expansion_.work() + messages_->work(); }
  bool relaxed() const override { return false; }

 private:
  std::shared_ptr<const FactorGraph> graph_;
  ExpansionSolver expansion_;
  std::unique_ptr<MapSolver> messages_;
  MapResult passed_;
};

}  // namespace

std::unique_ptr<MapSolver> MakeBoundedExpansionSolver(std::shared_ptr<const FactorGraph> graph) {
  SLACKLINE_CHECK(graph != nullptr, "a solver needs a graph");
  RequireTablesOnly(*graph, "an expansion move");
  return std::make_unique<BoundedExpansionSolver>(std::move(graph));
}

std::unique_ptr<MapSolver> MakeExpansionSolver(std::shared_ptr<const FactorGraph> graph) {
  SLACKLINE_CHECK(graph != nullptr, "a solver needs a graph");
  RequireTablesOnly(*graph, "an expansion move");
  return std::make_unique<ExpansionSolver>(std::move(graph));
}

}  // namespace slackline::internal
