// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a model by name, the strongest first, as `info --weights` and the pages of
// `report` show them. The applications make the summaries (multilabel_weights.h,
// sequence_weights.h, matching_weights.h, segment_weights.h).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <slackline/core/feature_scaling.h>
#include <slackline/core/types.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

struct NamedWeight {
  std::string name;
  double weight = 0;    ///< of the feature as the model sees it, scaled
  double size = kNone;  ///< typical size of the feature in the data; kNone if unknown
};

/// The strongest weights of each sign; weights of 0 are not listed.
struct WeightRanking {
  std::vector<NamedWeight> positive;  ///< the largest, descending
  std::vector<NamedWeight> negative;  ///< the smallest, ascending
  Offset num_positive = 0;            ///< number of positive weights, listed or not
  Offset num_negative = 0;
};

/// The weights for and against one label (class).
struct LabelWeights {
  std::string label;                   ///< empty: the model has only one kind of decision (edges)
  std::vector<NamedWeight> constants;  ///< weights without a feature, in the order of the model
  WeightRanking features;
};

struct PairWeight {
  std::string first, second;
  double weight = 0;
};

/// A table of pair weights, labels × labels by rows. If there are too many labels, it has the
/// labels of the strongest pairs, in their order.
struct PairMatrix {
  std::vector<std::string> labels;
  std::vector<double> cells;  ///< kNone: there is no such pair
  Index num_left_out = 0;     ///< number of labels left out
};

/// The weights of pairs of labels.
struct PairSummary {
  std::string title;
  bool directed = false;             ///< whether (a, b) and (b, a) are different pairs
  std::vector<PairWeight> positive;  ///< the largest, descending
  std::vector<PairWeight> negative;  ///< the smallest, ascending
  Offset count = 0;                  ///< number of all pairs
  PairMatrix matrix;                 ///< row: first label, column: second; symmetric if undirected
};

/// A short list of weights in an order of its own.
struct WeightList {
  std::string title;
  std::vector<NamedWeight> weights;
};

struct WeightSummary {
  std::vector<std::string> notes;  ///< sentences on what the numbers mean and what is left out
  std::vector<LabelWeights> labels;
  std::vector<PairSummary> pairs;
  std::vector<WeightList> lists;
};

struct WeightSummaryOptions {
  Index top = 10;           ///< length of each ranking, ≥ 1
  Index most_labels = 0;    ///< > 0: lists features of only this many labels, and adds a note
  Index matrix_labels = 0;  ///< largest number of labels in each PairMatrix; 0: no matrices
};

/// Weight k is values[offset + k · stride], 0 ≤ k < count.
struct StridedWeights {
  std::span<const double> values;
  Offset offset = 0;
  Offset stride = 1;
  Offset count = 0;

  double operator[](Offset k) const { return values[offset + k * stride]; }
};

/// The strongest weights; among equals, the first. `size` may be null (unknown). O(count ·
/// log(top)).
WeightRanking RankWeights(const StridedWeights& weights, Index top,
                          const std::function<std::string(Offset)>& name,
                          const std::function<double(Offset)>& size);

/// Calls its argument with (first, second, weight) for every pair, always in the same order.
using PairVisitor = std::function<void(const std::function<void(Index, Index, double)>& visit)>;

/// The rankings and the matrix. Undirected pairs must be visited once each; the matrix then has
/// both cells of each pair.
PairSummary RankPairs(std::string title, bool directed, std::span<const std::string> labels,
                      const PairVisitor& pairs, const WeightSummaryOptions& options);

/// A sentence on the meaning of a weight of a scaled feature.
std::string ScalingNote(const FeatureScaling& scaling);

/// The typical size of a feature, which is its standard deviation or largest absolute value in the
/// scaling; kNone if the scaling has no such number.
double TypicalSize(const FeatureScaling& scaling, Offset feature);

/// min(num_labels, options.most_labels); adds a note if labels are left out.
Index LabelsToShow(Index num_labels, const WeightSummaryOptions& options, WeightSummary* summary);

/// "feature 17": features without names count from 1, as in files.
std::string NumberedFeature(Offset feature);

}  // namespace slackline::internal
