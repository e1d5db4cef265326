// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions of a matching model, exact by the factor's oracle (factors/matching_factor.h), and
// their agreement with the ground truth. Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/apps/matching/matching_model.h>

namespace slackline::internal {

struct MatchingPredictions {
  std::vector<Index> labels;   ///< per edge of the data, 1: chosen
  std::vector<double> scores;  ///< w·φ_e(1) per edge
};

/// A best matching for every example. Labels in the data are ignored. threads: 0 = all of the
/// machine. Throws DataError when the model's weights are too large for the features,
/// std::invalid_argument when the data do not have the model's features.
MatchingPredictions PredictMatchings(const MatchingModel& model, const MatchingData& data,
                                     int threads);

/// Metrics over the edges that are true (sure), possible or false, as in Och and Ney 2003, with A
/// the predicted edges among them, S the sure ones, and P ⊇ S the sure and the possible ones. 0/0
/// counts as 0.
struct MatchingMetrics {
  Index examples = 0;          ///< examples with at least one such edge
  std::int64_t edges = 0;      ///< all of them
  std::int64_t truth = 0;      ///< |S|: edges with label 1
  std::int64_t possible = 0;   ///< |P| − |S|
  std::int64_t predicted = 0;  ///< |A|
  std::int64_t right = 0;      ///< |A ∩ S|
  std::int64_t tolerated = 0;  ///< |A ∩ P| − |A ∩ S|: predicted edges that are only possible
  double precision = 0;        ///< |A ∩ P| / |A|
  double recall = 0;           ///< |A ∩ S| / |S|
  double f1 = 0;               ///< the harmonic mean of precision and recall
  /// Alignment error rate, 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|); 0 if A and S are empty. It is 1 −
  /// F1 if no edge is possible.
  double error_rate = 0;
  double exact = 0;      ///< fraction of the examples without a false and without a missed edge
  double mean_loss = 0;  ///< mean over the examples of the cost of their errors
};

/// `predicted`: one label per edge of the data. Throws std::invalid_argument when their number
/// differs. With several ranks, each with its own examples, all of them call this function; rank 0
/// gets the metrics of the examples of all ranks, and other ranks those of none.
MatchingMetrics EvaluateMatchings(const MatchingData& data, std::span<const Index> predicted,
                                  const MatchingCosts& costs, Ranks& ranks = OneRank());

}  // namespace slackline::internal
