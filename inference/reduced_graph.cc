// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/reduced_graph.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>

namespace slackline::internal {
namespace {

/// Removes states without support until every remaining state has some: a state of a variable needs
/// it in the table of each of its factors, a joint state in its variables.
class Consistency {
 public:
  /// allowed: one flag for each state of each part, which Run changes.
  Consistency(const FactorGraph& graph, std::vector<std::uint8_t>* allowed)
      : graph_(graph), allowed_(*allowed), queued_(graph.num_factors(), 0) {}

  /// False when a variable has no state left.
  bool Run() {
    for (Index i = 0; i < graph_.num_variables(); ++i) {
      if (!All(i)) Enqueue(i);
    }
    for (Index c = 0; c < graph_.num_factors(); ++c) {
      if (!All(graph_.num_variables() + c)) Enqueue(&queued_[c], c);
    }
    while (!queue_.empty()) {
      const Index c = queue_.back();
      queue_.pop_back();
      queued_[c] = 0;
      Revise(c);
    }
    for (Index i = 0; i < graph_.num_variables(); ++i) {
      const std::uint8_t* own = Flags(i);
      if (std::find(own, own + graph_.cardinality(i), 1) == own + graph_.cardinality(i))
        return false;
    }
    return true;
  }

 private:
  std::uint8_t* Flags(Index part) { return allowed_.data() + graph_.state_offset(part); }
  bool All(Index part) {
    const std::uint8_t* own = Flags(part);
    return std::all_of(own, own + graph_.num_states(part), [](std::uint8_t a) { return a != 0; });
  }
  void Enqueue(std::uint8_t* queued, Index c) {
    if (*queued == 0) queue_.push_back(c);
    *queued = 1;
  }
  void Enqueue(Index i) {
    for (const Incidence& at : graph_.factors_of(i)) Enqueue(&queued_[at.factor], at.factor);
  }

  void Revise(Index c) {
    const std::span<const Index> scope = graph_.scope(c);
    std::uint8_t* table = Flags(graph_.num_variables() + c);
    states_.assign(scope.size(), 0);
    supported_.resize(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k)
      supported_[k].assign(graph_.cardinality(scope[k]), 0);
    for (Index joint = 0; joint < graph_.factor_states(c); ++joint) {
      if (table[joint] != 0) {
        for (std::size_t k = 0; k < scope.size(); ++k)
          if (Flags(scope[k])[states_[k]] == 0) table[joint] = 0;
      }
      if (table[joint] != 0) {
        for (std::size_t k = 0; k < scope.size(); ++k) supported_[k][states_[k]] = 1;
      }
      for (std::size_t k = scope.size(); k-- > 0;) {  // the next joint state
        if (++states_[k] < graph_.cardinality(scope[k])) break;
        states_[k] = 0;
      }
    }
    for (std::size_t k = 0; k < scope.size(); ++k) {
      bool changed = false;
      std::uint8_t* own = Flags(scope[k]);
      for (Index s = 0; s < graph_.cardinality(scope[k]); ++s) {
        if (own[s] == 0 || supported_[k][s] != 0) continue;
        own[s] = 0;
        changed = true;
      }
      if (changed) Enqueue(scope[k]);
    }
  }

  const FactorGraph& graph_;
  std::vector<std::uint8_t>& allowed_;
  std::vector<std::uint8_t> queued_;
  std::vector<Index> queue_;
  std::vector<Index> states_;
  std::vector<std::vector<std::uint8_t>> supported_;
};

}  // namespace

ReducedGraph::ReducedGraph(const FactorGraph& graph, std::span<const std::uint8_t> forbidden) {
  const Index n = graph.num_variables();
  SLACKLINE_CHECK(std::ssize(forbidden) == graph.total_states(), "flags do not fit the graph");
  RequireTablesOnly(graph, "the removal of forbidden states");
  std::vector<std::uint8_t> allowed(forbidden.size());
  for (std::size_t k = 0; k < allowed.size(); ++k) allowed[k] = forbidden[k] == 0;
  if (!Consistency(graph, &allowed).Run()) return;

  FactorGraphBuilder builder;
  number_.assign(n, -1);
  fixed_.assign(n, 0);
  for (Index i = 0; i < n; ++i) {
    const Offset begin = graph.state_offset(i);
    const std::size_t before = state_.size();
    for (Index s = 0; s < graph.cardinality(i); ++s)
      if (allowed[begin + s] != 0) state_.push_back(s);
    if (state_.size() == before + 1) {
      fixed_[i] = state_.back();
      state_.pop_back();
      constants_.push_back(begin + fixed_[i]);
      continue;
    }
    number_[i] = builder.AddVariable(static_cast<Index>(state_.size() - before));
    begin_.push_back(static_cast<Offset>(before));
    for (std::size_t k = before; k < state_.size(); ++k) source_.push_back(begin + state_[k]);
  }
  begin_.push_back(static_cast<Offset>(state_.size()));

  std::vector<Index> left;     // variables of the factor that remain
  std::vector<Index> strides;  // of their states in the whole table
  std::vector<Index> at;       // their states
  for (Index c = 0; c < graph.num_factors(); ++c) {
    left.clear();
    strides.clear();
    const std::span<const Index> scope = graph.scope(c);
    Offset from = graph.factor_offset(c);
    Index stride = graph.factor_states(c);
    for (const Index i : scope) {
      stride /= graph.cardinality(i);
      if (number_[i] < 0) {
        from += Offset{fixed_[i]} * stride;
      } else {
        left.push_back(number_[i]);
        strides.push_back(stride);
      }
    }
    if (left.empty()) {
      constants_.push_back(from);
      continue;
    }
    if (left.size() == 1) {
      for (Offset k = begin_[left[0]]; k < begin_[left[0] + 1]; ++k)
        folds_.push_back({k, from + Offset{state_[k]} * strides[0]});
      continue;
    }
    builder.AddFactor(left);
    at.assign(left.size(), 0);
    for (bool more = true; more;) {
      Offset place = from;
      for (std::size_t k = 0; k < left.size(); ++k)
        place += Offset{state_[begin_[left[k]] + at[k]]} * strides[k];
      source_.push_back(allowed[place] != 0 ? place : -1);
      more = false;
      for (std::size_t k = left.size(); k-- > 0 && !more;) {
        more = ++at[k] < begin_[left[k] + 1] - begin_[left[k]];
        if (!more) at[k] = 0;
      }
    }
  }
  graph_ = builder.Build();
}

double ReducedGraph::Reduce(std::span<const double> scores, std::vector<double>* out) const {
  out->resize(source_.size());
  for (std::size_t k = 0; k < source_.size(); ++k)
    (*out)[k] = source_[k] < 0 ? -kInfinity : scores[source_[k]];
  for (const Fold& fold : folds_) (*out)[fold.to] += scores[fold.from];
  double constant = 0;
  for (const Offset place : constants_) constant += scores[place];
  return constant;
}

void ReducedGraph::ExpandLabels(std::span<const Index> labels, std::vector<Index>* out) const {
  *out = fixed_;
  for (std::size_t i = 0; i < number_.size(); ++i)
    if (number_[i] >= 0) (*out)[i] = state_[begin_[number_[i]] + labels[number_[i]]];
}

void ReducedGraph::ExpandMarginals(std::span<const double> marginals, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t k = 0; k < source_.size(); ++k)
    if (source_[k] >= 0) out[source_[k]] = marginals[k];
  for (const Fold& fold : folds_) out[fold.from] = marginals[fold.to];
  for (const Offset place : constants_) out[place] = 1;
}

}  // namespace slackline::internal
