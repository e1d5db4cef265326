// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/api/score_solver_impl.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/nearest_name.h>
#include <slackline/factors/joint_states.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/global_solver.h>
#include <slackline/inference/message_branch_and_bound.h>
#include <slackline/inference/presolve.h>
#include <slackline/inference/relaxed_marginals.h>
#include <slackline/inference/rounding.h>
#include <slackline/inference/sum_product.h>
#include <slackline/inference/tree_dp.h>

namespace slackline {
inline namespace v1 {
namespace {

using internal::kInfinity;

/// The largest number of labellings of a small graph. Where no other method is exact, all
/// labellings of a small graph are enumerated.
constexpr std::ptrdiff_t kSmall = 1 << 16;

/// Largest number of labellings for which branch and bound alone is the exact method.
constexpr std::ptrdiff_t kFewLabellings = std::ptrdiff_t{1} << 20;
[[noreturn]] void ThrowNotSmall(const std::string& what) {
  throw std::runtime_error(
      what +
      " need a graph without cycles and without factors that have their own maximum (counts, "
      "matchings, chains as one factor), or one with at most 65536 labellings");
}

}  // namespace

ScoreSolver::Method ScoreSolver::MethodNamed(const std::string& name) {
  const std::vector<std::string_view> names = {"auto", "exact", "lp", "messages", "expansion"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw std::invalid_argument("unknown method '" + name +
                                "'; choose from auto, exact, lp, messages, expansion" +
                                internal::DidYouMean(name, names));
  return static_cast<Method>(found - names.begin());
}

ScoreSolver::ScoreSolver(std::shared_ptr<const internal::Structure> structure,
                         std::shared_ptr<const internal::Structure> open,
                         const InferOptions& options)
    : structure_(std::move(structure)),
      open_(std::move(open)),
      options_(options),
      method_(MethodNamed(options.method)) {
  Require(options);
  has_globals_ = graph().num_global_factors() > 0;
  forest_ = !has_globals_ && internal::IsForest(graph());
  small_ = internal::CountLabellings(graph(), kSmall) <= kSmall;
  scores_.resize(graph().total_states());
}

void ScoreSolver::ScoresChanged() {
  if (structure_->has_forbidden_states()) {
    for (int part = 0; part < graph().num_parts(); ++part) {
      for (const int s : structure_->forbidden_states(part))
        scores_[graph().state_offset(part) + s] = -kInfinity;
    }
  }
  restricted_ = false;
  for (const double score : scores_) {
    SLACKLINE_CHECK(score < kInfinity, "a score is not a number, or infinite");
    restricted_ = restricted_ || score == -kInfinity;
  }
  internal::RequireSummableScores(graph(), scores_);
}

internal::GlobalDecoder& ScoreSolver::globals() {
  if (global_decoder_ == nullptr) {
    global_decoder_ = std::make_unique<internal::GlobalDecoder>(open_);
    global_decoder_->SetStop(stop_);
  }
  return *global_decoder_;
}

internal::Decoder& ScoreSolver::decoder() {
  if (table_decoder_ == nullptr) {
    table_decoder_ = std::make_unique<internal::Decoder>(internal::DecodeKind::kAuto,
                                                         structure_->shared_graph());
    table_decoder_->SetStop(stop_);
  }
  return *table_decoder_;
}

double ScoreSolver::ScoreOf(std::span<const int> labels) {
  return has_globals_ ? globals().Score(scores_, weights_, labels)
                      : internal::LabellingScore(graph(), scores_, labels);
}

void ScoreSolver::StartClock(const internal::StopCondition* shared) {
  if (options_.time_limit_seconds == 0 && options_.interrupt == nullptr) return;
  stop_ = shared;
  if (shared == nullptr)
    stop_ = &own_stop_.emplace(options_.time_limit_seconds, options_.interrupt);
  if (table_decoder_ != nullptr) table_decoder_->SetStop(stop_);
  for (internal::GlobalDecoder* decoder : {global_decoder_.get(), decomposition_.get()})
    if (decoder != nullptr) decoder->SetStop(stop_);
  for (internal::MapSolver* solver : {own_solver_.get(), search_.get()})
    if (solver != nullptr) solver->SetStop(stop_);
}

void ScoreSolver::Solve(internal::MapResult* result) {
  switch (method_) {
    case Method::kAuto:
      return SolveAutomatically(result);
    case Method::kExact:
      return SolveExactly(result);
    case Method::kLp:
      return SolveRelaxation(result);
    case Method::kMessages:
      return SolveBy(internal::SolverKind::kMessages, result);
    case Method::kExpansion:
      return SolveBy(internal::SolverKind::kExpansion, result);
  }
}

void ScoreSolver::SolveExactly(internal::MapResult* result) {
  const bool few = internal::CountLabellings(graph(), kFewLabellings) <= kFewLabellings;
  if (has_globals_) {
    if (internal::HasExactGlobals(graph()) && !restricted_) return SolveAutomatically(result);
    if (small_) return Enumerate(result);
    throw std::runtime_error(
        "there is no exact method for a graph with more than 65536 labellings whose factors with "
        "their own maximum (counts, matchings, chains as one factor) are coupled; use auto");
  }
  if (forest_) return SolveBy(internal::SolverKind::kTree, result);
  if (!few && internal::MessageBranchAndBound::Fits(graph())) {
    SolveBy(internal::SolverKind::kMessagesBranchAndBound, result);
    if (result->exact) return;
  }
  if (search_ == nullptr) {
    search_ = internal::MakeMapSolver(internal::SolverKind::kBranchAndBound, shared_graph());
    search_->SetStop(stop_);
  }
  search_->Solve(scores_, nullptr, result);
}

void ScoreSolver::SolveRelaxation(internal::MapResult* result) {
  if (forest_) return SolveBy(internal::SolverKind::kTree, result);
  if (!has_globals_) return SolveBy(internal::AutomaticSolver(graph()), result);
  if (restricted_)
    throw std::runtime_error("method lp does not support forbidden states on this graph");
  if (decomposition_ == nullptr) {
    internal::GlobalDecodeOptions never;
    never.enumerate = 0;
    decomposition_ = std::make_unique<internal::GlobalDecoder>(open_, never);
    decomposition_->SetStop(stop_);
  }
  decomposition_->Decode(scores_, weights_, result);
}

void ScoreSolver::SolveBy(internal::SolverKind kind, internal::MapResult* result) {
  if (own_solver_ == nullptr) {
    const bool relax =
        kind == internal::SolverKind::kMessages && method_ == Method::kLp && options_.marginals;
    own_solver_ =
        relax ? internal::MakePresolvedSolver(shared_graph(), internal::MakeRelaxedMessageSolver)
              : internal::MakeMapSolver(kind, shared_graph());
    own_solver_->SetStop(stop_);
  }
  own_solver_->Solve(scores_, nullptr, result);
}

void ScoreSolver::SolveAutomatically(internal::MapResult* result) {
  if (has_globals_) return SolveGlobals(result);
  decoder().Decode(scores_, result);
}

/// The decoder of global factors does not support forbidden states. A finite penalty, larger than
/// any labelling can gain, takes the place of −∞. A bound on all labellings also holds for the
/// allowed ones.
void ScoreSolver::SolveGlobals(internal::MapResult* result) {
  if (!restricted_) {
    globals().Decode(scores_, weights_, result);
    return;
  }
  double size = 1;
  for (const double score : scores_) size += std::isfinite(score) ? std::abs(score) : 0;
  for (const double weight : weights_) size += std::abs(weight);
  penalised_.assign(scores_.begin(), scores_.end());
  for (double& score : penalised_) score = score == -kInfinity ? -1e4 * size : score;
  globals().Decode(penalised_, weights_, result);
}

void ScoreSolver::Enumerate(internal::MapResult* result) {
  result->integral = true;
  result->marginals.clear();
  result->labels.clear();
  result->value = -kInfinity;
  ForEachLabelling([&](const std::vector<int>& labels, double score) {
    if (score <= result->value) return;
    result->value = score;
    result->labels = labels;
  });
  result->upper_bound = result->value;
  result->exact = true;
}

/// Calls visit(labels, score) for every labelling in lexicographic order; the score of a forbidden
/// labelling is −∞.
void ScoreSolver::ForEachLabelling(
    const std::function<void(const std::vector<int>&, double)>& visit) {
  std::vector<int> labels(graph().num_variables(), 0);
  do {
    visit(labels, ScoreOf(labels));
  } while (internal::NextJoint(graph().cardinalities(), labels));
}

std::vector<double> ScoreSolver::MaxMarginals() {
  const bool tables_only = !has_globals_;
  if (tables_only && (forest_ || !small_)) {
    std::vector<double> out(graph().variable_states());
    decoder().MaxMarginalTables(scores_, out, internal::MaxMarginalKind::kBounds);
    return out;
  }
  if (small_) return MaxMarginalsByEnumeration();
  if (internal::HasExactGlobals(graph()) && !restricted_) return MaxMarginalsByOracles();
  throw std::runtime_error(
      "max-marginals need a graph without factors that have their own maximum, or one with at most "
      "65536 labellings, or one without forbidden states whose only factors are of this kind and "
      "share no variables");
}

std::vector<RankedLabelling> ScoreSolver::KBest(int k) {
  if (forest_) return KBestByPartition(k);
  if (small_) return KBestByEnumeration(k);
  ThrowNotSmall("the best labellings");
}

double ScoreSolver::Marginals(double temperature, std::vector<double>* marginals) {
  if (forest_) {
    internal::SumProduct sums(structure_->shared_graph());
    return sums.Marginals(scores_, temperature, *marginals);
  }
  if (small_) return MarginalsByEnumeration(temperature, marginals);
  ThrowNotSmall("marginals");
}

std::vector<double> ScoreSolver::MaxMarginalsByEnumeration() {
  std::vector<double> best(graph().variable_states(), -kInfinity);
  ForEachLabelling([&](std::span<const int> labels, double score) {
    for (int i = 0; i < graph().num_variables(); ++i) {
      double& entry = best[graph().state_offset(i) + labels[i]];
      entry = std::max(entry, score);
    }
  });
  return best;
}

/// For graphs on which the oracles of global factors are exact. Forces each state of each variable
/// by a growing penalty on the variable's other states until the maximiser takes the state.
std::vector<double> ScoreSolver::MaxMarginalsByOracles() {
  double size = 1;
  for (const double score : scores_) size += std::abs(score);
  std::vector<double> out(graph().variable_states(), -kInfinity);
  const std::vector<double> given = scores_;
  std::vector<double> forced = given;
  internal::MapResult result;
  for (int i = 0; i < graph().num_variables(); ++i) {
    for (int s = 0; s < graph().cardinality(i); ++s) {
      const std::size_t begin = graph().state_offset(i);
      for (double penalty = size; penalty <= 1e8 * size; penalty *= 1e4) {
        for (int other = 0; other < graph().cardinality(i); ++other)
          forced[begin + other] = given[begin + other] - (other == s ? 0 : penalty);
        globals().Decode(forced, weights_, &result);
        if (result.labels[i] != s) continue;
        out[begin + s] = ScoreOf(result.labels);
        break;
      }
      std::copy_n(given.begin() + graph().state_offset(i), graph().cardinality(i),
                  forced.begin() + graph().state_offset(i));
    }
  }
  return out;
}

std::vector<RankedLabelling> ScoreSolver::KBestByEnumeration(int k) {
  std::vector<RankedLabelling> ranked;
  ForEachLabelling([&](const std::vector<int>& labels, double score) {
    if (score > -kInfinity) ranked.push_back({labels, score});
  });
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  ranked.resize(std::min<std::size_t>(ranked.size(), k));
  return ranked;
}

/// Lawler's partition of the remaining labellings, by the first variable at which a labelling
/// differs from a found one. Each found labelling costs one maximisation per variable.
std::vector<RankedLabelling> ScoreSolver::KBestByPartition(int k) {
  struct Part {
    double score;
    std::vector<int> labels;    // the best labelling of the part
    int first;                  // variables before this one have these labels,
    std::vector<int> excluded;  // and this one has none of these states
    bool operator<(const Part& other) const { return score < other.score; }
  };
  internal::TreeSolver tree(structure_->shared_graph());
  internal::MapResult result;
  std::priority_queue<Part> parts;
  std::vector<double> own;
  const auto push = [&](int first, const std::vector<int>& excluded) {
    for (const int s : excluded) own[graph().state_offset(first) + s] = -kInfinity;
    try {
      tree.Solve(own, nullptr, &result);
    } catch (const internal::DataError&) {  // the part is empty
      return;
    }
    parts.push({result.value, result.labels, first, excluded});
  };
  own = scores_;
  push(0, {});
  std::vector<RankedLabelling> ranked;
  while (!parts.empty()) {
    Part best = parts.top();
    parts.pop();
    ranked.push_back({best.labels, ScoreOf(best.labels)});
    if (std::ssize(ranked) == k) break;
    own = scores_;
    for (int i = 0; i < graph().num_variables(); ++i) {
      const std::size_t begin = graph().state_offset(i);
      const int taken = best.labels[i];
      if (i >= best.first) {
        std::vector<int> excluded;
        if (i == best.first) excluded = best.excluded;
        excluded.push_back(taken);
        push(i, excluded);
      }
      std::fill_n(own.begin() + graph().state_offset(i), graph().cardinality(i), -kInfinity);
      own[begin + taken] = scores_[begin + taken];
    }
  }
  return ranked;
}

double ScoreSolver::MarginalsByEnumeration(double temperature, std::vector<double>* marginals) {
  double best = -kInfinity;
  ForEachLabelling([&](std::span<const int>, double score) { best = std::max(best, score); });
  internal::RequireAllowedLabelling(best);
  double sum = 0;
  std::fill(marginals->begin(), marginals->end(), 0.0);
  ForEachLabelling([&](std::span<const int> labels, double score) {
    const double share = std::exp((score - best) / temperature);
    sum += share;
    for (int i = 0; i < graph().num_variables(); ++i)
      (*marginals)[graph().state_offset(i) + labels[i]] += share;
  });
  for (double& marginal : *marginals) marginal /= sum;
  return best + temperature * std::log(sum);
}

Prediction PredictionOf(ScoreSolver* solver, internal::MapResult result) {
  Prediction prediction;
  prediction.score = result.labels.empty() && solver->graph().num_variables() > 0
                         ? -kInfinity
                         : solver->ScoreOf(result.labels);
  if (prediction.score == -kInfinity)
    throw std::runtime_error("no labelling was found that the graph's factors allow");
  prediction.labels = std::move(result.labels);
  prediction.bound = std::max(result.upper_bound, prediction.score);
  prediction.optimal = result.exact || internal::ReachesBound(prediction.score, prediction.bound);
  return prediction;
}

void ScoreSolver::Require(const InferOptions& options) {
  MethodNamed(options.method);
  SLACKLINE_CHECK(std::isfinite(options.time_limit_seconds) && options.time_limit_seconds >= 0,
                  "a time limit must not be negative");
}

void RequireLabelling(const internal::FactorGraph& graph, std::span<const int> labels) {
  SLACKLINE_CHECK(std::ssize(labels) == graph.num_variables(),
                  "a labelling needs one state per variable");
  for (int i = 0; i < graph.num_variables(); ++i)
    SLACKLINE_CHECK(labels[i] >= 0 && labels[i] < graph.cardinality(i),
                    "variable " + std::to_string(i) + " has no state " + std::to_string(labels[i]));
}

}  // namespace v1
}  // namespace slackline
