// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/predict.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

#include <slackline/api/dataset_impl.h>
#include <slackline/api/graph_impl.h>
#include <slackline/api/model_impl.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/factors/joint_states.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/decode.h>
#include <slackline/inference/global_decoder.h>
#include <slackline/inference/global_solver.h>
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

StateTable TableOf(const internal::FactorGraph& graph, std::span<const double> flat) {
  StateTable table(graph.num_variables());
  for (int i = 0; i < graph.num_variables(); ++i) {
    const auto begin = flat.begin() + graph.state_offset(i);
    table[i].assign(begin, begin + graph.cardinality(i));
  }
  return table;
}

[[noreturn]] void ThrowNotSmall(const std::string& what) {
  throw std::runtime_error(
      what +
      " need a graph without cycles and without factors that have their own maximum (counts, "
      "matchings, chains as one factor), or one with at most 65536 labellings");
}

}  // namespace

struct Predictor::Impl {
  Impl(const Graph& g, const Weights& w)
      : structure(g.impl()->structure), open(g.impl()->open), weights(w) {
    RequireWeightsOf(weights, structure->layout());
    has_globals = graph().num_global_factors() > 0;
    forest = !has_globals && internal::IsForest(graph());
    small = internal::CountLabellings(graph(), kSmall) <= kSmall;
  }

  const internal::FactorGraph& graph() const { return structure->graph(); }

  /// The scores of all variables and factors, −∞ for forbidden states.
  std::span<const double> ScoresOf(const Observation& observation) {
    const internal::Dataset one = OneExample(structure, observation);
    scores.resize(graph().total_states());
    internal::ScoreTables(one.example(0), weights.values(), scores);
    return scores;
  }

  internal::GlobalDecoder& globals() {
    if (global_decoder == nullptr) global_decoder = std::make_unique<internal::GlobalDecoder>(open);
    return *global_decoder;
  }

  double ScoreOf(std::span<const int> labels) {
    return has_globals ? globals().Score(scores, weights.values(), labels)
                       : internal::LabellingScore(graph(), scores, labels);
  }

  void Solve(internal::MapResult* result) {
    if (has_globals) return SolveGlobals(result);
    if (Searches()) {
      if (search == nullptr)
        search = std::make_unique<internal::BranchAndBoundSolver>(structure->shared_graph());
      return search->Solve(scores, nullptr, result);
    }
    decoder().Decode(scores, result);
  }

  /// Whether branch and bound is needed: forbidden states need a solver over labellings.
  bool Searches() { return structure->has_forbidden_states() && decoder().solves_lp(); }

  internal::Decoder& decoder() {
    if (table_decoder == nullptr)
      table_decoder = std::make_unique<internal::Decoder>(internal::DecodeKind::kAuto,
                                                          structure->shared_graph());
    return *table_decoder;
  }

  /// The decoder of global factors does not support forbidden states. A finite penalty, larger than
  /// any labelling can gain, takes the place of −∞. A bound on all labellings also holds for the
  /// allowed ones.
  void SolveGlobals(internal::MapResult* result) {
    if (open == structure) {
      globals().Decode(scores, weights.values(), result);
      return;
    }
    double size = 1;
    for (const double score : scores) size += std::isfinite(score) ? std::abs(score) : 0;
    for (const double weight : weights.values()) size += std::abs(weight);
    penalised.assign(scores.begin(), scores.end());
    for (double& score : penalised) score = score == -kInfinity ? -1e4 * size : score;
    globals().Decode(penalised, weights.values(), result);
  }

  /// Calls visit(labels, score) for every labelling in lexicographic order; the score of a
  /// forbidden labelling is −∞.
  template <class Visit>
  void ForEachLabelling(const Visit& visit) {
    std::vector<int> labels(graph().num_variables(), 0);
    do {
      visit(labels, ScoreOf(labels));
    } while (internal::NextJoint(graph().cardinalities(), labels));
  }

  std::vector<double> MaxMarginalsByEnumeration() {
    std::vector<double> best(graph().variable_states(), -kInfinity);
    ForEachLabelling([&](std::span<const int> labels, double score) {
      for (int i = 0; i < graph().num_variables(); ++i) {
        double& entry = best[graph().state_offset(i) + labels[i]];
        entry = std::max(entry, score);
      }
    });
    return best;
  }

  std::vector<double> MaxMarginalsByOracles();
  std::vector<RankedLabelling> KBestByPartition(int k);
  std::vector<RankedLabelling> KBestByEnumeration(int k);
  double MarginalsByEnumeration(double temperature, std::vector<double>* marginals);

  std::shared_ptr<const internal::Structure> structure, open;
  Weights weights;
  bool has_globals = false, forest = false, small = false;
  std::unique_ptr<internal::Decoder> table_decoder;
  std::unique_ptr<internal::BranchAndBoundSolver> search;
  std::unique_ptr<internal::GlobalDecoder> global_decoder;
  std::vector<double> scores, penalised;
};

/// For graphs on which the oracles of global factors are exact. Forces each state of each variable
/// by a growing penalty on the variable's other states until the maximiser takes the state.
std::vector<double> Predictor::Impl::MaxMarginalsByOracles() {
  double size = 1;
  for (const double score : scores) size += std::abs(score);
  std::vector<double> out(graph().variable_states(), -kInfinity);
  const std::vector<double> given = scores;
  std::vector<double> forced = given;
  internal::MapResult result;
  for (int i = 0; i < graph().num_variables(); ++i) {
    for (int s = 0; s < graph().cardinality(i); ++s) {
      const std::size_t begin = graph().state_offset(i);
      for (double penalty = size; penalty <= 1e8 * size; penalty *= 1e4) {
        for (int other = 0; other < graph().cardinality(i); ++other)
          forced[begin + other] = given[begin + other] - (other == s ? 0 : penalty);
        globals().Decode(forced, weights.values(), &result);
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

std::vector<RankedLabelling> Predictor::Impl::KBestByEnumeration(int k) {
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
std::vector<RankedLabelling> Predictor::Impl::KBestByPartition(int k) {
  struct Part {
    double score;
    std::vector<int> labels;    // the best labelling of the part
    int first;                  // variables before this one have these labels,
    std::vector<int> excluded;  // and this one has none of these states
    bool operator<(const Part& other) const { return score < other.score; }
  };
  internal::TreeSolver tree(structure->shared_graph());
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
  own = scores;
  push(0, {});
  std::vector<RankedLabelling> ranked;
  while (!parts.empty()) {
    Part best = parts.top();
    parts.pop();
    ranked.push_back({best.labels, ScoreOf(best.labels)});
    if (std::ssize(ranked) == k) break;
    own = scores;
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
      own[begin + taken] = scores[begin + taken];
    }
  }
  return ranked;
}

double Predictor::Impl::MarginalsByEnumeration(double temperature, std::vector<double>* marginals) {
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

Predictor::Predictor(const Graph& graph, const Weights& weights)
    : impl_(std::make_unique<Impl>(graph, weights)) {}
Predictor::Predictor(Predictor&& other) noexcept = default;
Predictor& Predictor::operator=(Predictor&& other) noexcept = default;
Predictor::~Predictor() = default;

Prediction Predictor::Predict(const Observation& observation) {
  impl_->ScoresOf(observation);
  internal::MapResult result;
  impl_->Solve(&result);
  Prediction prediction;
  prediction.score = result.labels.empty() && impl_->graph().num_variables() > 0
                         ? -kInfinity
                         : impl_->ScoreOf(result.labels);
  if (prediction.score == -kInfinity)
    throw std::runtime_error("no labelling was found that the graph's factors allow");
  prediction.labels = std::move(result.labels);
  prediction.bound = std::max(result.upper_bound, prediction.score);
  prediction.optimal = result.exact || internal::ReachesBound(prediction.score, prediction.bound);
  return prediction;
}

double Predictor::Score(const Observation& observation, const Labelling& labels) {
  const internal::FactorGraph& graph = impl_->graph();
  SLACKLINE_CHECK(std::ssize(labels) == graph.num_variables(),
                  "a labelling needs one state per variable");
  for (int i = 0; i < graph.num_variables(); ++i)
    SLACKLINE_CHECK(labels[i] >= 0 && labels[i] < graph.cardinality(i),
                    "variable " + std::to_string(i) + " has no state " + std::to_string(labels[i]));
  impl_->ScoresOf(observation);
  return impl_->ScoreOf(labels);
}

StateTable Predictor::Scores(const Observation& observation) {
  return TableOf(impl_->graph(), impl_->ScoresOf(observation));
}

StateTable Predictor::MaxMarginals(const Observation& observation) {
  impl_->ScoresOf(observation);
  const internal::FactorGraph& graph = impl_->graph();
  const bool tables_only = !impl_->has_globals;
  if (tables_only && (impl_->forest || !impl_->small) && !impl_->Searches()) {
    std::vector<double> out(graph.variable_states());
    impl_->decoder().MaxMarginalTables(impl_->scores, out, internal::MaxMarginalKind::kBounds);
    return TableOf(graph, out);
  }
  if (impl_->small) return TableOf(graph, impl_->MaxMarginalsByEnumeration());
  if (internal::HasExactGlobals(graph) && impl_->open == impl_->structure)
    return TableOf(graph, impl_->MaxMarginalsByOracles());
  throw std::runtime_error(
      "max-marginals need a graph without factors that have their own maximum and without "
      "forbidden states, or one with at most 65536 labellings, or one whose only factors are of "
      "this kind and share no variables");
}

std::vector<RankedLabelling> Predictor::KBest(const Observation& observation, int k) {
  SLACKLINE_CHECK(k >= 1, "at least one labelling must be asked for");
  impl_->ScoresOf(observation);
  if (impl_->forest) return impl_->KBestByPartition(k);
  if (impl_->small) return impl_->KBestByEnumeration(k);
  ThrowNotSmall("the best labellings");
}

MarginalTable Predictor::Marginals(const Observation& observation, double temperature) {
  SLACKLINE_CHECK(std::isfinite(temperature) && temperature > 0,
                  "a temperature must be positive and finite");
  impl_->ScoresOf(observation);
  const internal::FactorGraph& graph = impl_->graph();
  std::vector<double> marginals(graph.total_states());
  MarginalTable result;
  if (impl_->forest) {
    internal::SumProduct sums(impl_->structure->shared_graph());
    result.log_partition = sums.Marginals(impl_->scores, temperature, marginals);
  } else if (impl_->small) {
    result.log_partition = impl_->MarginalsByEnumeration(temperature, &marginals);
  } else {
    ThrowNotSmall("marginals");
  }
  result.probabilities = TableOf(graph, marginals);
  return result;
}

Prediction Predict(const Graph& graph, const Observation& observation, const Weights& weights) {
  return Predictor(graph, weights).Predict(observation);
}
double Score(const Graph& graph, const Observation& observation, const Labelling& labels,
             const Weights& weights) {
  return Predictor(graph, weights).Score(observation, labels);
}
StateTable Scores(const Graph& graph, const Observation& observation, const Weights& weights) {
  return Predictor(graph, weights).Scores(observation);
}
StateTable MaxMarginals(const Graph& graph, const Observation& observation,
                        const Weights& weights) {
  return Predictor(graph, weights).MaxMarginals(observation);
}
std::vector<RankedLabelling> KBest(const Graph& graph, const Observation& observation,
                                   const Weights& weights, int k) {
  return Predictor(graph, weights).KBest(observation, k);
}
MarginalTable Marginals(const Graph& graph, const Observation& observation, const Weights& weights,
                        double temperature) {
  return Predictor(graph, weights).Marginals(observation, temperature);
}

}  // namespace v1
}  // namespace slackline
