// SPDX-License-Identifier: BSD-3-Clause
//
// The model of bipartite matchings. Every candidate edge e is a binary variable; with D features
//   φ_e(x, 1) = x_e in "edge" (1 × D), and 1 in "bias"          φ_e(x, 0) = 0
// so that d = D + 1. A labelling must be a matching: each left node has at most left_capacity
// edges, each right node at most right_capacity (factors/matching_factor.h).
//
// Source: word alignment as in Taskar, Lacoste-Julien, Klein, "A discriminative matching approach
// to word alignment", HLT/EMNLP 2005; costs of 1 for an edge too many and 3 for one too few as in
// Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013, supplement.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/training_record.h>
#include <slackline/apps/matching/matching_data.h>
#include <slackline/core/dataset.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/loss.h>
#include <slackline/core/structure.h>
#include <slackline/factors/matching_factor.h>

namespace slackline::internal {

/// The largest number of edges of a node; 0: any number.
struct MatchingCapacities {
  Index left = 1;
  Index right = 1;
};

/// The costs of errors, all ≥ 0.
struct MatchingCosts {
  double precision = 1;  ///< of an edge too many
  double recall = 3;     ///< of an edge too few
};

class MatchingModel {
 public:
  /// A model with the dictionary's features (possibly none) and all weights zero. Throws
  /// std::invalid_argument on negative capacities and on costs that are negative or not finite.
  MatchingModel(FeatureDictionary dictionary, MatchingCapacities capacities,
                MatchingCosts costs = {});

  const FeatureDictionary& dictionary() const { return dictionary_; }
  MatchingCapacities capacities() const { return capacities_; }
  MatchingCosts costs() const { return costs_; }
  const std::shared_ptr<const WeightLayout>& layout() const { return layout_; }

  /// The factor that allows the matchings of these edges; at least one edge.
  MatchingFactor MakeFactor(const MatchingExample& example,
                            std::span<const MatchingEdge> edges) const;
  /// The structure of these edges between the example's nodes; at least one edge.
  std::shared_ptr<const Structure> MakeStructure(const MatchingExample& example,
                                                 std::span<const MatchingEdge> edges) const;
  /// The examples with edges of known label, restricted to these edges. Throws DataError, with the
  /// line, when a node has more true edges than its capacity.
  Dataset MakeTrainingData(const MatchingData& data) const;
  /// The loss with the costs of the model.
  LossOptions Loss(LossScale scale) const;

  /// The score w·φ_e(1) of an edge.
  double EdgeScore(const MatchingData& data, Index edge) const;

  /// The scaling of the features of edges; ReadMatchingsFor applies it.
  const FeatureScaling& scaling() const { return scaling_; }
  /// Requires the numbers of every feature.
  void set_scaling(FeatureScaling scaling);

  const std::vector<double>& weights() const { return weights_; }
  /// Requires as many finite weights as the layout has.
  void set_weights(std::vector<double> weights);

  TrainingRecord record;

  void Save(const std::string& path) const { File().Save(path); }
  /// The contents of that file.
  ModelWriter File() const;
  /// Throws DataError when the file is damaged, not a model, or of another task, or when its
  /// entries contradict each other.
  static MatchingModel Load(ModelReader file);
  static MatchingModel Load(const std::string& path) { return Load(ModelReader(path)); }

 private:
  FeatureDictionary dictionary_;
  MatchingCapacities capacities_;
  MatchingCosts costs_;
  FeatureScaling scaling_;
  Index edge_block_ = -1, constant_block_ = 0;
  std::shared_ptr<const WeightLayout> layout_;
  std::vector<double> weights_;
};

/// Reads data for a model and scales their features. Throws DataError. With several ranks, all of
/// them call this function, and each gets its own examples (ReadMatchings).
MatchingData ReadMatchingsFor(const MatchingModel& model, const std::string& path,
                              Ranks& ranks = OneRank());

/// The entry "task" of the model files of this class.
inline constexpr std::string_view kMatchingTask = "matching";

}  // namespace slackline::internal
