// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/count_search.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

/// Most prices that are tried for one node.
constexpr Index kMostPrices = 40;
/// Most rounds of exchanges of two variables.
constexpr Index kMostExchanges = 20;

/// Marks a variable that branch and bound has not fixed.
constexpr std::int8_t kFree = -1;

}  // namespace

/// The search for one example.
class CountSearch::Run {
 public:
  Run(const FactorGraph& graph, CountRange range, const CountSearchOptions& options)
      : graph_(graph), range_(range), options_(options), n_(graph.num_variables()), gains_(n_) {}

  void Solve(std::span<const double> scores, MapSolver* solver, MapResult* result) {
    scores_ = scores;
    solver_ = solver;
    best_value_ = -kInfinity;
    penalty_ = FixingPenalty(graph_, scores);
    least_gain_ = 1e-13 * penalty_;
    const double bound = graph_.num_factors() == 0 ? SortGains() : BranchAndBound();
    result->labels = best_;
    result->marginals.clear();
    result->integral = true;
    result->value = best_value_;
    result->upper_bound = std::max(bound, best_value_);
    result->exact = Reached(result->upper_bound);
  }

 private:
  using Fixed = std::vector<std::int8_t>;
  /// A node of branch and bound: the labellings with some variables fixed.
  struct Node {
    Fixed fixed;
    double bound = kInfinity;
    Index branch = -1;  // the variable to fix next; −1: none
  };
  struct LowerBound {
    bool operator()(const Node& a, const Node& b) const { return a.bound < b.bound; }
  };
  /// A solution of a priced problem.
  struct Point {
    double value = 0;        // θ·μ, without the prices
    double ones = 0;         // number of ones; for fractional solutions the sum of the marginals
    std::vector<double> on;  // per variable: the marginal of state 1
  };

  bool Reached(double bound) const { return ReachesBound(best_value_, bound); }

  // Labellings.

  /// The gain of flipping variable i in labels_.
  double FlipGain(Index i) {
    const auto at = scores_.begin() + graph_.state_offset(i);
    const Index old_state = labels_[i];
    double gain = at[1 - old_state] - at[old_state];
    for (const Incidence& incidence : graph_.factors_of(i)) {
      const double* table = scores_.data() + graph_.factor_offset(incidence.factor);
      gain -= table[JointState(graph_, incidence.factor, labels_)];
      labels_[i] = 1 - old_state;
      gain += table[JointState(graph_, incidence.factor, labels_)];
      labels_[i] = old_state;
    }
    return gain;
  }

  /// Flips variable i, and updates the gains of all variables that share a factor with it.
  void Flip(Index i) {
    labels_[i] = 1 - labels_[i];
    ones_ += labels_[i] == 1 ? 1 : -1;
    gains_[i] = -gains_[i];
    for (const Incidence& incidence : graph_.factors_of(i)) {
      for (const Index j : graph_.scope(incidence.factor)) {
        if (j != i) gains_[j] = FlipGain(j);
      }
    }
  }

  /// The variable in state `state` whose flip gains most; −1 if no variable has that state.
  Index BestFlip(Index state) const {
    Index best = -1;
    for (std::size_t i = 0; i < n_; ++i) {
      if (labels_[i] == state && (best < 0 || gains_[i] > gains_[best]))
        best = static_cast<Index>(i);
    }
    return best;
  }

  /// Moves a labelling into the range, improves it, and stores it if it is the best so far.
  void Candidate(std::span<const Index> labels) {
    labels_.assign(labels.begin(), labels.end());
    ones_ = CountOnes(labels_);
    for (std::size_t i = 0; i < n_; ++i) gains_[i] = FlipGain(static_cast<Index>(i));
    while (ones_ < range_.low) Flip(BestFlip(0));
    while (ones_ > range_.high) Flip(BestFlip(1));
    for (Index round = 0; round < kMostExchanges; ++round) {
      FlipWhileItGains();
      if (!Exchange()) break;
    }
    const double value = LabellingScore(graph_, scores_, labels_);
    if (value > best_value_) {
      best_value_ = value;
      best_ = labels_;
    }
  }

  void FlipWhileItGains() {
    for (;;) {
      Index flip = -1;
      for (const Index state : {0, 1}) {
        if (!range_.Contains(ones_ + (state == 0 ? 1 : -1))) continue;
        const Index i = BestFlip(state);
        if (i >= 0 && gains_[i] > least_gain_ && (flip < 0 || gains_[i] > gains_[flip])) flip = i;
      }
      if (flip < 0) return;
      Flip(flip);
    }
  }

  /// Makes the first exchange of a 1 and a 0 that gains; returns whether there was one.
  bool Exchange() {
    for (std::size_t i = 0; i < n_; ++i) {
      if (labels_[i] != 1) continue;
      const auto on = static_cast<Index>(i);
      const double loss = gains_[i];
      Flip(on);
      // The flipped variable has state 0 and may be the best flip itself, but gains nothing.
      const Index other = BestFlip(0);
      if (other != on && loss + gains_[other] > least_gain_) {
        Flip(other);
        return true;
      }
      Flip(on);
    }
    return false;
  }

  // Bounds.

  /// Solves an example without factors exactly, by the oracle of a cardinality factor.
  double SortGains() {
    const auto size = static_cast<Index>(n_);
    const auto factor = CardinalityFactor::Between(size, range_.low, range_.Most(size));
    std::vector<double> messages(scores_.begin(), scores_.end());
    for (double& message : messages) message = -message;
    best_.resize(n_);
    factor.Maximize({}, messages, best_);
    best_value_ = LabellingScore(graph_, scores_, best_);
    return best_value_;
  }

  /// Maximises θ + μ·ones, μ = price, over the labellings that `fixed` allows. Returns an upper
  /// bound on θ + μ·(ones − k).
  double SolveAt(double price, double k, const Fixed& fixed, Point* point) {
    priced_.assign(scores_.begin(), scores_.end());
    const double penalty = penalty_ + 4 * std::abs(price);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t at = graph_.state_offset(static_cast<Index>(i));
      priced_[at + 1] += price;
      if (fixed[i] != kFree) priced_[at + (fixed[i] == 1 ? 0 : 1)] -= penalty;
    }
    solver_->Solve(priced_, nullptr, &solution_);
    point->on.resize(n_);
    point->ones = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t at = graph_.state_offset(static_cast<Index>(i));
      point->on[i] = solution_.integral ? static_cast<double>(solution_.labels[i])
                                        : solution_.marginals[at + 1];
      point->ones += point->on[i];
    }
    point->value = solution_.integral ? LabellingScore(graph_, scores_, solution_.labels)
                                      : MarginalsScore(scores_, solution_.marginals);
    Candidate(solution_.labels);
    return solution_.upper_bound - price * k;
  }

  /// The labelling with all free variables at `state`.
  Point Corner(const Fixed& fixed, Index state) {
    labels_.resize(n_);
    Point point;
    for (std::size_t i = 0; i < n_; ++i) {
      labels_[i] = fixed[i] == kFree ? state : fixed[i];
      point.on.push_back(labels_[i]);
      point.ones += labels_[i];
    }
    point.value = LabellingScore(graph_, scores_, labels_);
    return point;
  }

  /// Sets the bound of a node and the variable to fix next.
  void Bound(Node* node) {
    const auto number = [&](Index state) {
      return static_cast<Index>(std::count(node->fixed.begin(), node->fixed.end(), state));
    };
    const Index most = static_cast<Index>(n_) - number(0);
    if (most < range_.low || number(1) > range_.high) {
      node->bound = -kInfinity;
      return;
    }
    Point point;
    node->bound = std::min(node->bound, SolveAt(0, 0, node->fixed, &point));
    Point other = point;
    if (point.ones < range_.low) {
      other = Corner(node->fixed, 1);
      MinimiseOverPrices(range_.low, node, &point, &other);
    } else if (point.ones > range_.high) {
      other = Corner(node->fixed, 0);
      MinimiseOverPrices(range_.high, node, &other, &point);
    }
    if (!Reached(node->bound)) node->branch = NextVariable(node->fixed, point, other);
  }

  /// Minimises the bound of a node over prices. few: a solution with at most k ones; many: a
  /// solution with more. Replaces both by the solutions whose lines meet at the minimum.
  void MinimiseOverPrices(Index k, Node* node, Point* few, Point* many) {
    Point point;
    for (Index round = 0; round < kMostPrices && !Reached(node->bound); ++round) {
      if (!(many->ones > few->ones)) return;
      const double price = (few->value - many->value) / (many->ones - few->ones);
      if (!std::isfinite(price)) return;
      const double line = few->value + price * (few->ones - k);
      const double bound = SolveAt(price, k, node->fixed, &point);
      node->bound = std::min(node->bound, bound);
      const double value = point.value + price * (point.ones - k);
      if (value <= line + 1e-12 * std::max(1.0, std::abs(line))) return;
      if (point.ones == k) {
        *few = *many = point;
        return;
      }
      (point.ones < k ? *few : *many) = point;
    }
  }

  /// The free variable to fix next: the one with the most undecided mean over both solutions at the
  /// minimum; among equals, the one whose own scores differ most.
  Index NextVariable(const Fixed& fixed, const Point& a, const Point& b) const {
    Index best = -1;
    double best_rank = -1;
    for (std::size_t i = 0; i < n_; ++i) {
      if (fixed[i] != kFree) continue;
      const double mean = 0.5 * (a.on[i] + b.on[i]);
      const std::size_t at = graph_.state_offset(static_cast<Index>(i));
      const double size = std::abs(scores_[at + 1] - scores_[at]);
      const double rank = std::min(mean, 1 - mean) + 1e-3 * size / (1 + size);
      if (rank > best_rank) {
        best_rank = rank;
        best = static_cast<Index>(i);
      }
    }
    return best;
  }

  double BranchAndBound() {
    std::priority_queue<Node, std::vector<Node>, LowerBound> open;
    Node root{Fixed(n_, kFree), kInfinity, -1};
    Bound(&root);
    open.push(std::move(root));
    for (Index nodes = 1; nodes + 1 < options_.node_limit; nodes += 2) {
      if (Reached(open.top().bound) || open.top().branch < 0) break;
      const Node node = open.top();
      open.pop();
      for (const std::int8_t state : {std::int8_t{1}, std::int8_t{0}}) {
        Node child{node.fixed, node.bound, -1};
        child.fixed[node.branch] = state;
        Bound(&child);
        open.push(std::move(child));
      }
    }
    return open.top().bound;
  }

  const FactorGraph& graph_;
  const CountRange range_;
  const CountSearchOptions options_;
  const std::size_t n_;
  std::span<const double> scores_;
  MapSolver* solver_ = nullptr;
  double penalty_ = 0;  // larger than any gain by a change of one state
  double least_gain_ = 0;
  std::vector<double> priced_;
  MapResult solution_;
  std::vector<Index> labels_;  // the labelling that is being improved
  Index ones_ = 0;             // number of ones in labels_
  std::vector<double> gains_;  // per variable: gain of its flip in labels_
  std::vector<Index> best_;
  double best_value_ = -kInfinity;
};

CountSearch::CountSearch(std::shared_ptr<const FactorGraph> graph, CountRange range,
                         const CountSearchOptions& options)
    : graph_(std::move(graph)), range_(range) {
  SLACKLINE_CHECK(graph_->num_global_factors() == 0, "a search by counts sees tables only");
  SLACKLINE_CHECK(std::all_of(graph_->cardinalities().begin(), graph_->cardinalities().end(),
                              [](Index states) { return states == 2; }),
                  "bounds on a count need binary variables");
  SLACKLINE_CHECK(range.Fits(graph_->num_variables()), "bounds on a count that no labelling keeps");
  run_ = std::make_unique<Run>(*graph_, range_, options);
}

CountSearch::~CountSearch() = default;

void CountSearch::Solve(std::span<const double> scores, MapSolver* solver, MapResult* result) {
  SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "the scores do not fit the graph");
  RequireFiniteScores(scores, "a search by counts");
  run_->Solve(scores, solver, result);
}

}  // namespace slackline::internal
