// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a model by name, the strongest first: what `info --weights` and pages of
// `report` show. The functions that make summaries are those of the applications
// (multilabel_weights.h, sequence_weights.h, matching_weights.h, segment_weights.h).
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
  double size = kNone;  ///< typical size of the feature in the data; kNone where it is not known
};

/// Weights that are 0 are in neither list.
struct WeightRanking {
  std::vector<NamedWeight> positive;  ///< the largest, falling
  std::vector<NamedWeight> negative;  ///< the smallest, rising
  Offset num_positive = 0;            ///< how many there are, listed or not
  Offset num_negative = 0;
};

/// What speaks for and against one label (class).
struct LabelWeights {
  std::string label;                   ///< empty: the model has one kind of decision only (edges)
  std::vector<NamedWeight> constants;  ///< weights without a feature, in the model's order
  WeightRanking features;
};

struct PairWeight {
  std::string first, second;
  double weight = 0;
};

/// A table of pair weights, labels × labels by rows. Of many labels those of the strongest pairs,
/// in their order.
struct PairMatrix {
  std::vector<std::string> labels;
  std::vector<double> cells;  ///< kNone: there is no such pair
  Index num_left_out = 0;     ///< labels
};

/// The weights of pairs of labels.
struct PairSummary {
  std::string title;
  bool directed = false;             ///< whether (a, b) and (b, a) are different pairs
  std::vector<PairWeight> positive;  ///< the largest, falling
  std::vector<PairWeight> negative;  ///< the smallest, rising
  Offset count = 0;                  ///< of all pairs
  PairMatrix matrix;                 ///< row: first, column: second; without directions symmetric
};

/// A few weights in an order of their own.
struct WeightList {
  std::string title;
  std::vector<NamedWeight> weights;
};

struct WeightSummary {
  std::vector<std::string> notes;  ///< sentences: what the numbers mean, and what is left out
  std::vector<LabelWeights> labels;
  std::vector<PairSummary> pairs;
  std::vector<WeightList> lists;
};

struct WeightSummaryOptions {
  Index top = 10;           ///< length of each ranking, ≥ 1
  Index most_labels = 0;    ///< > 0: features of the first labels only, with a note
  Index matrix_labels = 0;  ///< labels of each PairMatrix at the most; 0: no matrices
};

/// Weight k is values[offset + k · stride], 0 ≤ k < count.
struct StridedWeights {
  std::span<const double> values;
  Offset offset = 0;
  Offset stride = 1;
  Offset count = 0;

  double operator[](Offset k) const { return values[offset + k * stride]; }
};

/// The strongest of the weights; of equal ones the first. `size` may be null: not known.
/// O(count · log(options.top)).
WeightRanking RankWeights(const StridedWeights& weights, Index top,
                          const std::function<std::string(Offset)>& name,
                          const std::function<double(Offset)>& size);

/// Calls its argument with (first, second, weight) for every pair, always in the same order.
using PairVisitor = std::function<void(const std::function<void(Index, Index, double)>& visit)>;

/// Rankings and matrix. Pairs without directions are visited once each, and have both cells.
PairSummary RankPairs(std::string title, bool directed, std::span<const std::string> labels,
                      const PairVisitor& pairs, const WeightSummaryOptions& options);

/// What a weight of a scaled feature means, in a sentence.
std::string ScalingNote(const FeatureScaling& scaling);

/// The typical size of a feature by the scaling: its standard deviation or its largest absolute
/// value; kNone where the scaling has no such number.
double TypicalSize(const FeatureScaling& scaling, Offset feature);

/// min(num_labels, options.most_labels), and a note where that leaves labels out.
Index LabelsToShow(Index num_labels, const WeightSummaryOptions& options, WeightSummary* summary);

/// "feature 17": features without names count from 1, as in files.
std::string NumberedFeature(Offset feature);

}  // namespace slackline::internal
