// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/decode.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/nearest_name.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/presolve.h>
#include <slackline/inference/rounding.h>
#include <slackline/inference/tree_dp.h>

namespace slackline::internal {
namespace {

constexpr Index kManyFactors = 1000;
constexpr Offset kExactLabellings = Offset{1} << 20;

}  // namespace

DecodeKind ParseDecodeKind(std::string_view name) {
  if (name == "auto") return DecodeKind::kAuto;
  if (name == "lp") return DecodeKind::kLp;
  throw DataError("unknown way to decode '" + std::string(name) + "'; choose from auto, lp" +
                  DidYouMean(name, {"auto", "lp"}));
}

Decoder::Method Decoder::ChooseMethod(DecodeKind kind) const {
  RequireTablesOnly(*graph_, "a Decoder");
  if (IsForest(*graph_)) return Method::kTree;
  if (kind == DecodeKind::kLp) return Method::kLpRounded;
  if (CountLabellings(*graph_, kExactLabellings) <= kExactLabellings)
    return Method::kBranchAndBound;
  return Method::kLpImproved;
}

Decoder::Decoder(DecodeKind kind, std::shared_ptr<const FactorGraph> graph, CountRange counts)
    : graph_(std::move(graph)), method_(ChooseMethod(kind)) {
  switch (method_) {
    case Method::kTree:
      solver_ = std::make_unique<TreeSolver>(graph_);
      break;
    case Method::kBranchAndBound:
      solver_ = MakeMapSolver(SolverKind::kBranchAndBound, graph_);
      break;
    case Method::kLpRounded:
    case Method::kLpImproved:
      solver_ = MakeMapSolver(AutomaticSolver(*graph_), graph_);
      break;
  }
  if (counts.Restricts(graph_->num_variables()))
    counts_ = std::make_unique<CountSearch>(graph_, counts);
}

void Decoder::Decode(std::span<const double> scores, MapResult* result) {
  solver_->Solve(scores, nullptr, result);
  fractional_ = !result->integral;
  if (method_ == Method::kLpImproved && !result->exact) {
    // A sweep of joint changes of two variables costs (factors · neighbours), too much for dense
    // graphs.
    ImproveOptions improve;
    if (graph_->num_factors() > kManyFactors) improve.max_joint_states = 0;
    result->value = ImproveLabelling(*graph_, scores, result->labels, improve);
    result->integral = true;
    result->marginals.clear();
    result->upper_bound = std::max(result->upper_bound, result->value);
  }
  if (counts_ && !counts_->range().Contains(CountOnes(result->labels))) {
    const double bound = result->upper_bound;
    counts_->Solve(scores, solver_.get(), result);
    result->upper_bound = std::min(bound, result->upper_bound);
  }
  // A rounded labelling may reach the bound although the solver's result was not exact.
  const double value = LabellingScore(*graph_, scores, result->labels);
  result->exact = result->exact || ReachesBound(value, result->upper_bound);
  ++num_decoded_;
  num_certified_ += result->exact;
  num_fractional_ += fractional_;
}

/// Solves with the state of a variable fixed: its other states get a penalty so large that no
/// solution uses them. kValues: returns the value of the solution at the original scores. kBounds:
/// returns the solver's bound, which holds for all labellings with the state. −∞ when no labelling
/// with the state is allowed.
double Decoder::SolveConditioned(Index variable, Index state, std::span<const double> scores,
                                 MaxMarginalKind kind) {
  const std::size_t begin = graph_->state_offset(variable);
  const std::size_t fixed = begin + state;
  if (scores[fixed] == -kInfinity) return -kInfinity;
  const std::size_t states = graph_->cardinality(variable);
  const double penalty = FixingPenalty(*graph_, scores);
  for (std::size_t s = 0; s < states; ++s) {
    if (begin + s != fixed) conditioned_[begin + s] = scores[begin + s] - penalty;
  }
  solver_->Solve(conditioned_, &warm_, &work_);
  std::copy_n(scores.begin() + graph_->state_offset(variable), states,
              conditioned_.begin() + graph_->state_offset(variable));
  if (kind == MaxMarginalKind::kBounds) return work_.upper_bound;
  if (work_.integral && work_.labels[variable] != state) return -kInfinity;
  return work_.integral ? LabellingScore(*graph_, scores, work_.labels)
                        : MarginalsScore(scores, work_.marginals);
}

void Decoder::MaxMarginalTables(std::span<const double> scores, std::span<double> out,
                                MaxMarginalKind kind) {
  const FactorGraph& graph = *graph_;
  SLACKLINE_CHECK(
      std::ssize(scores) == graph.total_states() && std::ssize(out) == graph.variable_states(),
      "scores or output do not fit the graph");
  if (method_ == Method::kTree) {
    static_cast<TreeSolver&>(*solver_).MaxMarginals(scores, out);
    return;
  }
  if (solves_lp() && AutomaticSolver(graph) == SolverKind::kRoof &&
      HasOrdinaryScores(graph, scores)) {
    if (!roof_marginals_) roof_marginals_ = std::make_unique<RoofMarginals>(graph_);
    roof_marginals_->Compute(scores, out);
    return;
  }
  conditioned_.assign(scores.begin(), scores.end());
  warm_.bytes.clear();
  solver_->Solve(scores, &warm_, &work_);
  const bool bounds = kind == MaxMarginalKind::kBounds;
  const double bound = work_.upper_bound;
  const double value = bounds ? bound : work_.value;
  std::vector<double> marginals(out.size(), 0.0);
  if (work_.integral) {
    for (Index i = 0; i < graph.num_variables(); ++i) {
      marginals[graph.state_offset(i) + work_.labels[i]] = 1;
    }
  } else {
    std::copy_n(work_.marginals.begin(), marginals.size(), marginals.begin());
  }
  for (Index i = 0; i < graph.num_variables(); ++i) {
    for (Index s = 0; s < graph.cardinality(i); ++s) {
      const std::size_t k = graph.state_offset(i) + s;
      if (marginals[k] >= 1) {
        out[k] = value;
        continue;
      }
      if (stop_ != nullptr && stop_->Reached()) {
        out[k] = bound;
        continue;
      }
      const double conditioned = SolveConditioned(i, s, scores, kind);
      out[k] = bounds ? std::min(value, conditioned) : conditioned;
    }
  }
}

void Decoder::MaxMarginals(std::span<const double> scores, std::span<double> differences) {
  const FactorGraph& graph = *graph_;
  SLACKLINE_CHECK(graph.variable_states() == 2 * static_cast<Offset>(graph.num_variables()) &&
                      std::all_of(graph.cardinalities().begin(), graph.cardinalities().end(),
                                  [](Index states) { return states == 2; }),
                  "differences of max-marginals need binary variables");
  SLACKLINE_CHECK(std::ssize(differences) == graph.num_variables(),
                  "the output does not fit the graph");
  std::vector<double> tables(graph.variable_states());
  MaxMarginalTables(scores, tables);
  for (std::size_t i = 0; i < differences.size(); ++i)
    differences[i] = tables[2 * i + 1] - tables[2 * i];
}

void Decoder::AddUpCounts(Ranks& ranks) {
  num_decoded_ = ranks.SumOf(num_decoded_);
  num_certified_ = ranks.SumOf(num_certified_);
  num_fractional_ = ranks.SumOf(num_fractional_);
}

std::string Decoder::description() const {
  std::string text;
  const SolverKind kind = AutomaticSolver(*graph_);
  const std::string solver = kind == SolverKind::kRoof ? "roof duality"
                             : kind == SolverKind::kLp ? "GLPK"
                                                       : "message passing";
  switch (method_) {
    case Method::kTree:
      text = "exact (max-product on a graph without cycles)";
      break;
    case Method::kBranchAndBound:
      text = "exact (branch and bound)";
      break;
    case Method::kLpRounded:
      text = "LP relaxation (" + solver + "), rounded";
      break;
    case Method::kLpImproved:
      text = "LP relaxation (" + solver + "), rounded, local improvement";
      break;
  }
  if (num_decoded_ > 0 && (solves_lp() || num_certified_ < num_decoded_)) {
    char share[64];
    std::snprintf(share, sizeof share, "; %.1f %% certified optimal",
                  100.0 * static_cast<double>(num_certified_) / static_cast<double>(num_decoded_));
    text += share;
  }
  return text;
}

}  // namespace slackline::internal
