// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/branch_and_bound.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/factors/max_oracle.h>
#include <slackline/inference/rounding.h>

namespace slackline::internal {
namespace {

/// The search recurses once per variable.
constexpr Index kMaxVariables = 20000;
/// Nodes from one look at the stop condition to the next.
constexpr Offset kNodesPerPoll = 1024;

std::span<const double> PartTable(const FactorGraph& graph, Index part,
                                  std::span<const double> scores) {
  return scores.subspan(graph.state_offset(part), graph.num_states(part));
}

double Range(std::span<const double> table) {
  const auto [low, high] = std::minmax_element(table.begin(), table.end());
  return *high - *low;
}

}  // namespace

/// Step 1: the reparametrised scores and their sweeps.
class BranchAndBoundSolver::Ascent {
 public:
  explicit Ascent(const FactorGraph& graph) : graph_(graph) {
    for (Index i = 0; i < graph.num_variables(); ++i) {
      for (const Incidence& at : graph.factors_of(i)) {
        Index inner = 1;
        const std::span<const Index> scope = graph.scope(at.factor);
        for (std::size_t k = at.position + 1; k < scope.size(); ++k)
          inner *= graph.cardinality(scope[k]);
        edges_.push_back({graph.factor_offset(at.factor), graph.factor_states(at.factor), inner});
      }
    }
  }

  /// Sweeps until the bound is within `tolerance` of the value `enough`, or hardly falls any more.
  /// Returns the bound.
  double Run(std::span<const double> scores, Index max_sweeps, double enough, double tolerance,
             const StopCondition* stop) {
    scores_.assign(scores.begin(), scores.end());
    double bound = Bound();
    for (Index sweep = 0; sweep < max_sweeps && bound > enough + tolerance; ++sweep) {
      const Edge* edge = edges_.data();
      for (Index i = 0; i < graph_.num_variables(); ++i) edge = UpdateVariable(i, edge);
      const double next = Bound();
      const bool slow = bound - next < 2e-3 * (next - enough);
      bound = std::min(bound, next);
      if (slow || (stop != nullptr && stop->Reached())) break;
    }
    return bound;
  }

  std::span<const double> scores() const { return scores_; }

 private:
  /// A factor's table as an edge to one of its variables.
  struct Edge {
    Offset table;  // where it begins in the scores
    Index size;    // entries
    Index inner;   // stride of the variable
  };

  double Bound() const {
    double sum = 0;
    for (Index part = 0; part < graph_.num_parts(); ++part)
      sum += TableMax(PartTable(graph_, part, scores_)).value;
    return sum;
  }

  const Edge* UpdateVariable(Index i, const Edge* edge) {
    const Index states = graph_.cardinality(i);
    const auto degree = static_cast<Index>(graph_.factors_of(i).size());
    if (degree == 0) return edge;
    double* own = scores_.data() + graph_.state_offset(i);
    marginal_.resize(Offset{degree} * states);
    for (Index k = 0; k < degree; ++k) {
      double* m = marginal_.data() + static_cast<Offset>(k) * states;
      MaxMarginal(edge[k], states, m);
      for (Index s = 0; s < states; ++s) own[s] += m[s];
    }
    const double share = 1.0 / (degree + 1);
    for (Index s = 0; s < states; ++s) own[s] *= share;
    for (Index k = 0; k < degree; ++k) {
      double* m = marginal_.data() + static_cast<Offset>(k) * states;
      for (Index s = 0; s < states; ++s) m[s] = own[s] - m[s];
      AddAlong(edge[k], states, m);
    }
    return edge + degree;
  }

  void MaxMarginal(const Edge& edge, Index states, double* out) const {
    const double* entry = scores_.data() + edge.table;
    if (edge.size == 4 && states == 2) {
      out[0] = std::max(entry[0], entry[edge.inner == 1 ? 2 : 1]);
      out[1] = std::max(entry[3], entry[edge.inner == 1 ? 1 : 2]);
      return;
    }
    std::fill_n(out, states, -kInfinity);
    for (const double* end = entry + edge.size; entry != end;) {
      for (Index s = 0; s < states; ++s) {
        for (Index r = 0; r < edge.inner; ++r) out[s] = std::max(out[s], *entry++);
      }
    }
  }

  void AddAlong(const Edge& edge, Index states, const double* add) {
    double* entry = scores_.data() + edge.table;
    for (const double* end = entry + edge.size; entry != end;) {
      for (Index s = 0; s < states; ++s) {
        for (Index r = 0; r < edge.inner; ++r) *entry++ += add[s];
      }
    }
  }

  const FactorGraph& graph_;
  std::vector<Edge> edges_;
  std::vector<double> scores_;
  std::vector<double> marginal_;
};

/// Step 2: the tree search.
class BranchAndBoundSolver::Tree {
 public:
  explicit Tree(const FactorGraph& graph) : graph_(graph) {}

  /// Searches for a labelling whose reparametrised score exceeds `best`; returns whether `labels`
  /// was replaced.
  bool Run(std::span<const double> scores, double best, double tolerance, Offset node_limit,
           const StopCondition* stop, std::span<Index> labels) {
    Prepare(scores);
    best_ = best;
    tolerance_ = tolerance;
    node_limit_ = node_limit;
    stop_ = stop;
    nodes_ = 0;
    open_bound_ = -kInfinity;
    found_ = false;
    Descend(0, root_bound_);
    if (found_) std::copy(best_labels_.begin(), best_labels_.end(), labels.begin());
    return found_;
  }

  Offset nodes() const { return nodes_; }
  /// Largest bound of the nodes that the node limit left open; −∞ when the search is complete.
  double open_bound() const { return open_bound_; }

 private:
  /// The change of a factor's part of the bound when one of its variables is set.
  struct Event {
    Index factor;
    Index states;   // number of states of the variable that is set
    Offset before;  // begin of the maxima given the earlier variables, in tables_
    Offset after;   // the same given this variable too; with a receiver, begin of the sorted table
    Index receiver = -1;  // the last variable of the factor, if only that is left: gets the row
  };

  void Prepare(std::span<const double> scores);
  void ChooseOrder(std::span<const double> scores);
  void AddFactor(Index c, std::span<const double> scores);
  double Set(Index depth, Index state, double bound);
  void Undo(Index depth);
  void Descend(Index depth, double bound);

  const FactorGraph& graph_;
  std::vector<Index> order_;                // variables by depth
  std::vector<Index> depth_;                // depths by variable
  std::vector<std::vector<Event>> events_;  // per depth
  std::vector<double> tables_;              // sorted tables and their partial maxima
  std::vector<Index> prefix_;               // per factor: joint state of the variables that are set
  std::vector<double> score_;               // of the variables' states, given the variables set
  std::vector<double> largest_;             // per variable: maximum of its scores
  std::vector<double> undo_;
  std::vector<double> child_bound_;  // per depth and state
  std::vector<Index> labels_;
  std::vector<Index> best_labels_;
  std::vector<Index> axis_;
  double root_bound_ = 0;
  double best_ = 0;
  double tolerance_ = 0;
  double open_bound_ = 0;
  Offset node_limit_ = 0;
  const StopCondition* stop_ = nullptr;
  Offset nodes_ = 0;
  bool found_ = false;
};

/// Orders variables by the total range of their factors' tables, largest first, so that the bound
/// becomes tight early.
void BranchAndBoundSolver::Tree::ChooseOrder(std::span<const double> scores) {
  std::vector<double> weight(graph_.num_variables(), 0.0);
  for (Index i = 0; i < graph_.num_variables(); ++i) {
    for (const Incidence& at : graph_.factors_of(i)) {
      weight[i] += Range(PartTable(graph_, graph_.num_variables() + at.factor, scores));
    }
  }
  order_.resize(weight.size());
  depth_.resize(weight.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](Index a, Index b) { return weight[a] > weight[b]; });
  for (std::size_t d = 0; d < order_.size(); ++d) depth_[order_[d]] = static_cast<Index>(d);
}

void BranchAndBoundSolver::Tree::Prepare(std::span<const double> scores) {
  ChooseOrder(scores);
  const Index n = graph_.num_variables();
  events_.resize(n);
  for (auto& events : events_) events.clear();
  tables_.clear();
  undo_.clear();
  prefix_.assign(graph_.num_factors(), 0);
  labels_.assign(n, 0);
  score_.assign(scores.begin(), scores.begin() + graph_.variable_states());
  child_bound_.resize(score_.size());
  root_bound_ = 0;
  for (Index c = 0; c < graph_.num_factors(); ++c) AddFactor(c, scores);
  largest_.resize(n);
  for (Index i = 0; i < n; ++i) {
    largest_[i] = TableMax(PartTable(graph_, i, score_)).value;
    root_bound_ += largest_[i];
  }
}

/// Stores the table of factor c with its axes in the order of the search, last variable fastest,
/// and the maxima over the last axes.
void BranchAndBoundSolver::Tree::AddFactor(Index c, std::span<const double> scores) {
  const std::span<const Index> scope = graph_.scope(c);
  const std::span<const double> table = PartTable(graph_, graph_.num_variables() + c, scores);
  const std::size_t k = scope.size();
  if (k == 1) {
    double* own = score_.data() + graph_.state_offset(scope[0]);
    for (std::size_t s = 0; s < table.size(); ++s) own[s] += table[s];
    return;
  }
  axis_.resize(k);
  std::iota(axis_.begin(), axis_.end(), 0);
  std::sort(axis_.begin(), axis_.end(),
            [&](Index a, Index b) { return depth_[scope[a]] < depth_[scope[b]]; });
  // levels[p]: begin of the maxima given the first p variables.
  Offset level = static_cast<Offset>(tables_.size());
  std::vector<Offset> levels(k + 1, level);
  tables_.resize(tables_.size() + table.size());
  std::vector<Index> states(k);
  for (Index joint = 0; joint < static_cast<Index>(table.size()); ++joint) {
    JointToStates(graph_, c, joint, states);
    Index sorted = 0;
    for (const Index a : axis_) sorted = sorted * graph_.cardinality(scope[a]) + states[a];
    tables_[level + sorted] = table[joint];
  }
  auto size = static_cast<Offset>(table.size());
  for (std::size_t p = k; p-- > 0;) {
    const Index inner = graph_.cardinality(scope[axis_[p]]);
    size /= inner;
    levels[p] = static_cast<Offset>(tables_.size());
    for (Offset prefix = 0; prefix < size; ++prefix) {
      const auto begin = tables_.begin() + levels[p + 1] + prefix * inner;
      tables_.push_back(*std::max_element(begin, begin + inner));
    }
  }
  root_bound_ += tables_.back();
  for (std::size_t p = 0; p + 1 < k; ++p) {
    const Index i = scope[axis_[p]];
    const bool last = p + 2 == k;
    events_[depth_[i]].push_back({c, graph_.cardinality(i), levels[p], last ? level : levels[p + 1],
                                  last ? scope[axis_[k - 1]] : Index{-1}});
  }
}

/// Sets the variable at `depth` and returns the bound of the child node.
double BranchAndBoundSolver::Tree::Set(Index depth, Index state, double bound) {
  const Index i = order_[depth];
  labels_[i] = state;
  bound += score_[graph_.state_offset(i) + state] - largest_[i];
  for (const Event& event : events_[depth]) {
    Index& prefix = prefix_[event.factor];
    bound -= tables_[event.before + prefix];
    prefix = prefix * event.states + state;
    if (event.receiver < 0) {
      bound += tables_[event.after + prefix];
      continue;
    }
    const Index states = graph_.cardinality(event.receiver);
    const double* row = tables_.data() + event.after + static_cast<Offset>(prefix) * states;
    double* score = score_.data() + graph_.state_offset(event.receiver);
    double& largest = largest_[event.receiver];
    undo_.insert(undo_.end(), score, score + states);
    undo_.push_back(largest);
    bound -= largest;
    largest = -kInfinity;
    for (Index s = 0; s < states; ++s) largest = std::max(largest, score[s] += row[s]);
    bound += largest;
  }
  return bound;
}

void BranchAndBoundSolver::Tree::Undo(Index depth) {
  const std::vector<Event>& events = events_[depth];
  for (std::size_t k = events.size(); k-- > 0;) {
    const Event& event = events[k];
    prefix_[event.factor] /= event.states;
    if (event.receiver < 0) continue;
    const std::size_t states = graph_.cardinality(event.receiver);
    largest_[event.receiver] = undo_.back();
    undo_.pop_back();
    std::copy(undo_.end() - static_cast<Offset>(states), undo_.end(),
              score_.begin() + graph_.state_offset(event.receiver));
    undo_.resize(undo_.size() - states);
  }
}

/// Visits the states of the variable at `depth`, best bound first; of equal bounds, the lowest
/// state first.
void BranchAndBoundSolver::Tree::Descend(Index depth, double bound) {
  if (++nodes_ % kNodesPerPoll == 0 && stop_ != nullptr && stop_->Reached()) node_limit_ = nodes_;
  if (depth == graph_.num_variables()) {
    if (bound > best_) {
      best_ = bound;
      best_labels_ = labels_;
      found_ = true;
    }
    return;
  }
  const Index i = order_[depth];
  const Index states = graph_.cardinality(i);
  double* child = child_bound_.data() + graph_.state_offset(i);
  for (Index s = 0; s < states; ++s) {
    child[s] = bound + score_[graph_.state_offset(i) + s] - largest_[i];
    if (child[s] <= best_ + tolerance_) continue;
    child[s] = Set(depth, s, bound);
    Undo(depth);
  }
  for (;;) {
    const FactorMax next = TableMax(std::span(child, states));
    if (next.value <= best_ + tolerance_) return;
    if (nodes_ >= node_limit_) {
      open_bound_ = std::max(open_bound_, next.value);
      return;
    }
    Set(depth, next.joint, bound);
    Descend(depth + 1, next.value);
    Undo(depth);
    child[next.joint] = -kInfinity;
  }
}

BranchAndBoundSolver::BranchAndBoundSolver(std::shared_ptr<const FactorGraph> graph,
                                           const BranchAndBoundOptions& options)
    : graph_(std::move(graph)),
      options_(options),
      ascent_(std::make_unique<Ascent>(*graph_)),
      tree_(std::make_unique<Tree>(*graph_)) {
  RequireTablesOnly(*graph_, "branch and bound");
  if (graph_->num_variables() > kMaxVariables) {
    throw DataError("a graph of " + std::to_string(graph_->num_variables()) +
                    " variables is too deep for branch and bound (" +
                    std::to_string(kMaxVariables) + " at most); use messages");
  }
}

BranchAndBoundSolver::~BranchAndBoundSolver() = default;

void BranchAndBoundSolver::Solve(std::span<const double> scores, WarmStart* /*warm*/,
                                 MapResult* result) {
  SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
  RequireFiniteScores(scores, "branch and bound");
  const FactorGraph& graph = *graph_;
  double magnitude = 0;
  for (const double score : scores) magnitude = std::max(magnitude, std::abs(score));
  // Covers the rounding errors of all reparametrisations. The search may miss a labelling that is
  // better by less.
  const double tolerance = 1e-14 * magnitude * (10 + graph.num_parts());

  nodes_ = 0;
  result->integral = true;
  result->marginals.clear();
  result->labels.resize(graph.num_variables());
  RoundMarginals(graph, scores, result->labels);
  const ImproveOptions improve{.max_joint_states =
                                   options_.joint_changes && graph.num_variables() > 24 ? 64 : 0};
  double value = ImproveLabelling(graph, scores, result->labels, improve);
  double bound = ascent_->Run(scores, options_.max_sweeps, value, tolerance, stop());
  std::vector<Index> other(result->labels.size());
  RoundMarginals(graph, ascent_->scores(), other);
  if (const double score = ImproveLabelling(graph, scores, other, improve); score > value) {
    value = score;
    result->labels = std::move(other);
  }
  if (bound > value + tolerance) {
    tree_->Run(ascent_->scores(), value, tolerance, options_.node_limit, stop(), result->labels);
    nodes_ = tree_->nodes();
    const double found = LabellingScore(graph, scores, result->labels);
    bound = tree_->open_bound() > -kInfinity ? std::min(bound, std::max(found, tree_->open_bound()))
                                             : found;
    value = found;
  } else {
    bound = value;
  }
  work_ += 20 * graph.total_states() + 90 * nodes_;
  result->value = value;
  result->exact = bound <= value + tolerance;
  result->upper_bound = result->exact ? value : bound;
}

}  // namespace slackline::internal
