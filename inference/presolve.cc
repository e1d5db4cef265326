// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/presolve.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/exact_sum.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/rounding.h>
#include <slackline/inference/tree_dp.h>

namespace slackline::internal {
namespace {

constexpr double kLargestSum = 1e300;
/// Losses that differ by this factor from the next smaller ones begin a group.
constexpr double kGap = 0x1p20;
/// Largest quotient of two losses of one group.
constexpr double kSpread = 0x1p30;
/// Losses below this share of their part's scores may be rounding errors.
constexpr double kNoise = 0x1p-40;
/// Smallest marginal that counts as the use of a state.
constexpr double kUsed = 1e-13;
/// Nodes of a search for a labelling beside a fractional solution.
constexpr Offset kFewNodes = Offset{1} << 16;
/// Largest number of labellings that are enumerated where solvers are not accurate enough.
constexpr Offset kFewLabellings = Offset{1} << 16;

std::span<const double> TableOf(const FactorGraph& graph, Index part,
                                std::span<const double> scores) {
  return scores.subspan(graph.state_offset(part), graph.num_states(part));
}

/// The largest loss of each group of losses of similar size, in increasing order. −∞ is left out.
std::vector<double> LossGroups(const FactorGraph& graph, std::span<const double> scores) {
  std::vector<double> losses;
  for (Index part = 0; part < graph.num_parts(); ++part) {
    const std::span<const double> table = TableOf(graph, part, scores);
    const double high = AllowedRange(table).second;
    for (const double score : table) {
      const double noise = kNoise * std::max(std::abs(score), std::abs(high));
      if (high - score > noise && score > -kInfinity) losses.push_back(high - score);
    }
  }
  std::sort(losses.begin(), losses.end());
  std::vector<double> tops;
  double first = 0;
  for (const double loss : losses) {
    if (tops.empty() || loss >= kGap * tops.back() || loss > kSpread * first) {
      tops.push_back(loss);
      first = loss;
    }
    tops.back() = loss;
  }
  return tops;
}

/// Whether finite scores differ so little that LossGroups would find one group. A quick test: true
/// is always right, false may be wrong.
bool AreOfOneSize(std::span<const double> scores) {
  double largest = 0;
  double smallest = kInfinity;
  for (const double score : scores) {
    const double size = std::abs(score);
    largest = std::max(largest, size == kInfinity ? 0.0 : size);
    smallest = std::min(smallest, size == 0 ? kInfinity : size);
  }
  return largest <= kGap * smallest;
}

class PresolvedSolver final : public MapSolver {
 public:
  PresolvedSolver(std::shared_ptr<const FactorGraph> graph, SolverMaker make)
      : graph_(std::move(graph)), make_(std::move(make)), whole_(make_(graph_)) {}

  void Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) override;

  std::string_view name() const override { return whole_->name(); }
  void SetWeights(std::span<const double> weights) override { whole_->SetWeights(weights); }
  void SetStop(const StopCondition* stop) override {
    MapSolver::SetStop(stop);
    whole_->SetStop(stop);
    if (part_ != nullptr) part_->SetStop(stop);
  }
  std::int64_t work() const override {
    return work_ + whole_->work() + (part_ != nullptr ? part_->work() : 0);
  }
  bool relaxed() const override { return whole_->relaxed(); }

 private:
  void FindForbidden(std::span<const double> scores);
  void Plan();
  /// Step 2 with the solver of the graph.
  void SolveByLevels(const std::shared_ptr<const FactorGraph>& graph,
                     std::span<const double> scores, MapSolver* solver, WarmStart* warm,
                     MapResult* result);

  std::shared_ptr<const FactorGraph> graph_;
  SolverMaker make_;
  std::unique_ptr<MapSolver> whole_;
  std::vector<std::uint8_t> forbidden_;  // of this call: per state of all parts; empty if none is
  std::vector<std::uint8_t> planned_;    // the forbidden states of the plan
  std::unique_ptr<ReducedGraph> plan_;
  std::unique_ptr<MapSolver> part_;  // the solver of the plan's graph; null if it does not apply
  bool forest_ = false;              // whether the plan's graph has no cycles
  std::vector<double> reduced_;
  MapResult solved_;
  std::int64_t work_ = 0;
};

/// Step 2 for one graph and its scores, in which every state of a variable occurs in some allowed
/// entry of each table.
class Levels {
 public:
  Levels(std::shared_ptr<const FactorGraph> graph, std::span<const double> scores,
         MapSolver* solver, const StopCondition* stop)
      : shared_graph_(std::move(graph)),
        graph_(*shared_graph_),
        scores_(scores),
        solver_(solver),
        stop_(stop),
        clipped_(scores.size()) {
    tops_.reserve(graph_.num_parts());
    for (Index part = 0; part < graph_.num_parts(); ++part) {
      tops_.push_back(AllowedRange(TableOf(graph_, part, scores)).second);
      constant_.Add(tops_.back());
    }
  }

  void Solve(WarmStart* warm, MapResult* result);
  std::int64_t work() const { return work_; }

 private:
  void SolveAt(double level, WarmStart* warm);
  bool Uses(double level) const;
  double LossOf(std::span<const Index> labels) const;
  double LossOfRound() const;
  double FiniteLosses(double below) const;
  void KeepLabels(const std::vector<Index>& labels);
  double Refine(double level, WarmStart* warm);
  void SearchForLabels(double level, bool required);
  void Finish(double level, bool solved, MapResult* result);
  /// Calls visit(part, k) with the place k of each part's state in a labelling.
  template <class Visit>
  void ForEachPlace(std::span<const Index> labels, const Visit& visit) const {
    for (Index i = 0; i < graph_.num_variables(); ++i) visit(i, graph_.state_offset(i) + labels[i]);
    for (Index c = 0; c < graph_.num_factors(); ++c)
      visit(graph_.num_variables() + c, graph_.factor_offset(c) + JointState(graph_, c, labels));
  }
  template <class Visit>
  void ForEachLoss(const Visit& visit) const {
    for (Index part = 0; part < graph_.num_parts(); ++part) {
      const Offset begin = graph_.state_offset(part);
      for (Index s = 0; s < graph_.num_states(part); ++s)
        visit(part, begin + s, tops_[part] - scores_[begin + s]);
    }
  }

  std::shared_ptr<const FactorGraph> shared_graph_;
  const FactorGraph& graph_;
  std::span<const double> scores_;
  MapSolver* solver_;
  const StopCondition* stop_;
  std::vector<double> clipped_;
  std::vector<double> tops_;  // per part: its largest score
  ExactSum constant_;         // their sum
  double finest_ = 0;         // the largest loss of the smallest group
  MapResult round_;
  double bound_ = kInfinity;  // on the value of all points
  std::vector<Index> best_labels_;
  double best_loss_ = kInfinity;
  std::int64_t work_ = 0;
};

void Levels::SolveAt(double level, WarmStart* warm) {
  ForEachLoss([&](Index, Offset k, double loss) { clipped_[k] = -std::min(loss, level); });
  solver_->Solve(clipped_, warm, &round_);
  work_ += 4 * graph_.total_states();
  ExactSum bound = constant_;
  bound.Add(round_.upper_bound);
  bound.Add(1e-15 * level * (8 + graph_.num_parts()));  // rounding errors of the solver
  bound_ = std::min(bound_, bound.Round());
  KeepLabels(round_.labels);
}

/// Whether the solution uses a state whose loss is `level` or more.
bool Levels::Uses(double level) const {
  bool uses = false;
  if (!round_.integral) {
    ForEachLoss([&](Index, Offset k, double loss) {
      uses = uses || (loss >= level && round_.marginals[k] > kUsed);
    });
    return uses;
  }
  ForEachPlace(round_.labels,
               [&](Index part, Offset k) { uses = uses || tops_[part] - scores_[k] >= level; });
  return uses;
}

double Levels::LossOf(std::span<const Index> labels) const {
  double loss = 0;
  ForEachPlace(labels, [&](Index part, Offset k) { loss += tops_[part] - scores_[k]; });
  return loss;
}

/// The loss of the solution of this round, which may be a point of the local polytope.
double Levels::LossOfRound() const {
  if (round_.integral) return LossOf(round_.labels);
  double sum = 0;
  ForEachLoss([&](Index, Offset k, double loss) {
    if (round_.marginals[k] > kUsed) sum += round_.marginals[k] * loss;
  });
  return sum;
}

/// Σ_a of the largest loss below the level: no labelling of such states loses more.
double Levels::FiniteLosses(double below) const {
  std::vector<double> largest(graph_.num_parts(), 0.0);
  ForEachLoss([&](Index part, Offset, double loss) {
    if (loss < below) largest[part] = std::max(largest[part], loss);
  });
  double sum = 0;
  for (const double loss : largest) sum += loss;
  return sum;
}

void Levels::KeepLabels(const std::vector<Index>& labels) {
  const double loss = LossOf(labels);
  if (!(loss < best_loss_)) return;
  best_loss_ = loss;
  best_labels_ = labels;
}

/// A solution that loses far less than the level may be inaccurate. No state that loses more than
/// the solution can be better, so a lower level suffices. Returns the level of the solution.
double Levels::Refine(double level, WarmStart* warm) {
  for (double loss = LossOfRound(); loss > 0; loss = LossOfRound()) {
    double largest = 0;
    ForEachLoss([&](Index, Offset, double d) {
      if (d < level) largest = std::max(largest, d);
    });
    if (largest <= kGap * loss) break;
    const MapResult before = round_;
    SolveAt(2 * loss, warm);
    if (Uses(2 * loss) || LossOfRound() > loss) {  // an approximate solver
      round_ = before;
      round_.exact = false;
      break;
    }
    level = 2 * loss;
  }
  return level;
}

/// Looks for an allowed labelling where the solver has found none. required: throws DataError if
/// there is none, or none is found.
void Levels::SearchForLabels(double level, bool required) {
  if (best_loss_ < kInfinity) return;
  MapResult found = round_;
  ForEachLoss([&](Index, Offset k, double loss) { clipped_[k] = -std::min(loss, level); });
  ImproveLabelling(graph_, clipped_, found.labels);
  KeepLabels(found.labels);
  if (best_loss_ < kInfinity) return;
  BranchAndBoundOptions options;
  if (!required) options.node_limit = kFewNodes;
  BranchAndBoundSolver search(shared_graph_, options);
  search.SetStop(stop_);
  search.Solve(clipped_, nullptr, &found);
  work_ += search.work();
  KeepLabels(found.labels);
  if (best_loss_ < kInfinity || !required) return;
  if (stop_ != nullptr && stop_->Reached())
    throw DataError("no allowed labelling was found before the work had to end");
  RequireAllowedLabelling(found.exact ? -kInfinity : 0);
  throw DataError(
      "no allowed labelling was found: the forbidden states of factors leave few, or none");
}

void Levels::Solve(WarmStart* warm, MapResult* result) {
  std::vector<double> groups = LossGroups(graph_, scores_);
  if (groups.empty()) groups.push_back(1);  // all that is allowed is equally good
  finest_ = groups.front();
  double level = 8 * groups.front();
  for (;;) {
    SolveAt(level, warm);
    if (!Uses(level)) {
      level = Refine(level, warm);
      return Finish(level, true, result);
    }
    const double allowed = FiniteLosses(level);
    const auto next =
        std::find_if(groups.begin(), groups.end(), [&](double top) { return top >= level; });
    if (level > allowed && next != groups.end()) {
      // Every labelling needs states from this level on, or they would not be used.
      level = 8 * *next;
    } else if (level <= kGap * allowed) {
      level = best_loss_ >= level ? std::min(64 * level, 2.0001 * best_loss_) : 64 * level;
    } else {
      if (-round_.upper_bound > 1.001 * allowed) RequireAllowedLabelling(-kInfinity);
      SearchForLabels(level, true);
      return Finish(level, false, result);
    }
  }
}

/// solved: whether this round's solution is the solution for the given scores.
void Levels::Finish(double level, bool solved, MapResult* result) {
  if (solved && !round_.integral) {
    SearchForLabels(kGap * FiniteLosses(kInfinity), false);
    result->integral = false;
    result->labels = best_loss_ < kInfinity ? best_labels_ : round_.labels;
    result->marginals = round_.marginals;
    for (std::size_t k = 0; k < scores_.size(); ++k)
      if (scores_[k] == -kInfinity) result->marginals[k] = 0;
    result->value = MarginalsScore(scores_, result->marginals);
    result->exact = false;
  } else {
    result->integral = true;
    result->marginals.clear();
    result->labels = best_labels_;
    result->value = LabellingScore(graph_, scores_, result->labels);
    double size = finest_;
    ForEachPlace(best_labels_,
                 [&](Index, Offset k) { size = std::max(size, std::abs(scores_[k])); });
    result->exact = solved && round_.exact && level <= kGap * size;
    if (!result->exact && !solver_->relaxed() &&
        CountLabellings(graph_, kFewLabellings) <= kFewLabellings) {
      MakeBruteForceSolver(shared_graph_)->Solve(scores_, nullptr, result);
      work_ += 3 * kFewLabellings;
    }
  }
  const bool search = result->exact && !solver_->relaxed();
  result->upper_bound = search ? result->value : std::max(result->value, bound_);
}

void PresolvedSolver::FindForbidden(std::span<const double> scores) {
  forbidden_.clear();
  bool any = false;
  for (const double score : scores) {
    SLACKLINE_CHECK(score < kInfinity, "a score is not a number, or infinite");
    any = any || score == -kInfinity;
  }
  RequireSummableScores(*graph_, scores);
  if (!any) return;
  forbidden_.resize(scores.size());
  for (std::size_t k = 0; k < scores.size(); ++k) forbidden_[k] = scores[k] == -kInfinity;
}

/// Makes a plan for forbidden_, unless there is one.
void PresolvedSolver::Plan() {
  if (plan_ != nullptr && planned_ == forbidden_) return;
  if (part_ != nullptr) work_ += part_->work();
  part_.reset();
  plan_ = std::make_unique<ReducedGraph>(*graph_, forbidden_);
  planned_ = forbidden_;
  if (!plan_->possible()) return;
  forest_ = IsForest(*plan_->graph());
  try {
    part_ = forest_ ? std::make_unique<TreeSolver>(plan_->graph()) : make_(plan_->graph());
    part_->SetStop(stop());
  } catch (const DataError&) {
    // Expansion moves need variables with equal numbers of states, so the solver gets the whole
    // graph; levels keep it from forbidden states.
  }
}

void PresolvedSolver::SolveByLevels(const std::shared_ptr<const FactorGraph>& graph,
                                    std::span<const double> scores, MapSolver* solver,
                                    WarmStart* warm, MapResult* result) {
  Levels levels(graph, scores, solver, stop());
  levels.Solve(warm, result);
  work_ += levels.work();
}

void PresolvedSolver::Solve(std::span<const double> scores, WarmStart* warm, MapResult* result) {
  SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
  FindForbidden(scores);
  if (forbidden_.empty()) {
    if (HasOrdinaryScores(*graph_, scores)) return whole_->Solve(scores, warm, result);
    return SolveByLevels(graph_, scores, whole_.get(), warm, result);
  }
  Plan();
  // Every call counts the same, whether it has made the plan or not.
  work_ += 5 * graph_->total_states();
  if (!plan_->possible()) RequireAllowedLabelling(-kInfinity);
  if (part_ == nullptr) return SolveByLevels(graph_, scores, whole_.get(), warm, result);
  const FactorGraph& left = *plan_->graph();
  const double constant = plan_->Reduce(scores, &reduced_);
  if (forest_ || HasOrdinaryScores(left, reduced_)) {
    part_->Solve(reduced_, warm, &solved_);
  } else {
    SolveByLevels(plan_->graph(), reduced_, part_.get(), warm, &solved_);
  }
  plan_->ExpandLabels(solved_.labels, &result->labels);
  result->integral = solved_.integral;
  result->exact = solved_.exact;
  if (solved_.integral) {
    result->marginals.clear();
    result->value = LabellingScore(*graph_, scores, result->labels);
  } else {
    result->marginals.assign(scores.size(), 0.0);
    plan_->ExpandMarginals(solved_.marginals, result->marginals);
    result->value = MarginalsScore(scores, result->marginals);
  }
  result->upper_bound = solved_.upper_bound == solved_.value
                            ? result->value
                            : std::max(result->value, solved_.upper_bound + constant);
}

}  // namespace

std::unique_ptr<MapSolver> MakePresolvedSolver(std::shared_ptr<const FactorGraph> graph,
                                               SolverMaker make) {
  SLACKLINE_CHECK(graph != nullptr, "a solver needs a graph");
  RequireTablesOnly(*graph, "a solver of whole examples");
  return std::make_unique<PresolvedSolver>(std::move(graph), std::move(make));
}

void RequireSummableScores(const FactorGraph& graph, std::span<const double> scores) {
  double sum = 0;
  for (Index part = 0; part < graph.num_parts(); ++part) {
    double largest = 0;
    for (const double score : TableOf(graph, part, scores))
      largest = std::max(largest, score == -kInfinity ? 0.0 : std::abs(score));
    sum += largest;
  }
  if (sum > kLargestSum) {
    throw DataError(
        "these scores could add up to more than 1e300, which is too much for double precision; use "
        "-inf for what must never be");
  }
}

bool HasOrdinaryScores(const FactorGraph& graph, std::span<const double> scores) {
  if (std::find(scores.begin(), scores.end(), -kInfinity) != scores.end()) return false;
  return AreOfOneSize(scores) || LossGroups(graph, scores).size() <= 1;
}

}  // namespace slackline::internal
