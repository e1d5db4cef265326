// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_predict.h>

#include <utility>

#include <slackline/apps/common/joined_results.h>
#include <slackline/apps/common/ratio.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>

namespace slackline::internal {
namespace {

constexpr int kChunks = 64;

/// Numbers of edges of an example that are true, possible or false.
struct Outcome {
  Index known = 0;      // all of them
  Index possible = 0;   // neither true nor false
  Index tolerated = 0;  // possible and predicted
  Index right = 0;      // true and predicted
  Index too_many = 0;   // predicted only
  Index too_few = 0;    // true only
};

Outcome OutcomeOf(const MatchingData& data, const MatchingExample& example,
                  std::span<const Index> predicted) {
  Outcome outcome;
  for (Index e = example.first_edge; e < example.first_edge + example.num_edges; ++e) {
    const MatchingEdge& edge = data.edges[e];
    if (!edge.labelled()) continue;
    const Index label = edge.label;
    ++outcome.known;
    outcome.possible += edge.possible;
    outcome.tolerated += edge.possible && predicted[e] == 1;
    outcome.right += label == 1 && predicted[e] == 1;
    outcome.too_many += label == 0 && predicted[e] == 1;
    outcome.too_few += label == 1 && predicted[e] == 0;
  }
  return outcome;
}

}  // namespace

MatchingPredictions PredictMatchings(const MatchingModel& model, const MatchingData& data,
                                     int threads) {
  SLACKLINE_CHECK(data.rows != nullptr && data.num_features == model.dictionary().size(),
                  "the data do not have the features of the model");
  MatchingPredictions out;
  out.labels.assign(data.edges.size(), 0);
  out.scores.assign(data.edges.size(), 0.0);
  for (const MatchingExample& example : data.examples) {
    for (Index e = example.first_edge; e < example.first_edge + example.num_edges; ++e)
      out.scores[e] = model.EdgeScore(data, e);
  }
  // Finite weights of a manipulated model file may have infinite sums.
  if (!AllFinite(out.scores))
    throw DataError("the model's weights are too large for these features");
  ParallelChunks(data.num_examples(), kChunks, NumThreads(threads), [&](const Chunk& chunk) {
    std::vector<double> messages;
    for (Index m = chunk.begin; m < chunk.end; ++m) {
      const MatchingExample& example = data.examples[m];
      if (example.num_edges == 0) continue;
      messages.clear();
      for (Index e = example.first_edge; e < example.first_edge + example.num_edges; ++e) {
        messages.push_back(0);
        messages.push_back(-out.scores[e]);
      }
      model.MakeFactor(example, data.edges_of(example))
          .Maximize({}, messages,
                    std::span<Index>(out.labels).subspan(example.first_edge, example.num_edges));
    }
  });
  return out;
}

MatchingMetrics EvaluateMatchings(const MatchingData& data, std::span<const Index> predicted,
                                  const MatchingCosts& costs, Ranks& ranks) {
  SLACKLINE_CHECK(predicted.size() == data.edges.size(),
                  "there must be a predicted label per edge");
  std::vector<Outcome> outcomes;
  for (const MatchingExample& example : data.examples)
    outcomes.push_back(OutcomeOf(data, example, predicted));
  MatchingMetrics metrics;
  std::int64_t without_error = 0;
  double loss = 0;
  for (const Outcome& outcome : JoinOnFirst(ranks, std::move(outcomes))) {
    if (outcome.known == 0) continue;
    ++metrics.examples;
    metrics.edges += outcome.known;
    metrics.truth += outcome.right + outcome.too_few;
    metrics.possible += outcome.possible;
    metrics.predicted += outcome.right + outcome.tolerated + outcome.too_many;
    metrics.right += outcome.right;
    metrics.tolerated += outcome.tolerated;
    without_error += outcome.too_many + outcome.too_few == 0;
    loss += costs.precision * outcome.too_many + costs.recall * outcome.too_few;
  }
  const std::int64_t both = metrics.truth + metrics.predicted;
  const std::int64_t allowed = metrics.right + metrics.tolerated;
  metrics.precision = Ratio(allowed, metrics.predicted);
  metrics.recall = Ratio(metrics.right, metrics.truth);
  const double sum = metrics.precision + metrics.recall;
  metrics.f1 = metrics.tolerated == 0 ? Ratio(2 * metrics.right, both)
               : sum == 0             ? 0.0
                                      : 2 * metrics.precision * metrics.recall / sum;
  metrics.error_rate = both == 0 ? 0.0 : 1 - Ratio(metrics.right + allowed, both);
  metrics.exact = Ratio<std::int64_t>(without_error, metrics.examples);
  metrics.mean_loss = metrics.examples == 0 ? 0.0 : loss / metrics.examples;
  return metrics;
}

}  // namespace slackline::internal
