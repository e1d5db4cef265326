// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions of a chain model for whole data sets, exact by dynamic programming
// (inference/chain_dp.h), among the labellings that the model's constraints allow. Results do not
// depend on the number of threads. Memory: a label, K scores or n·k labels a token, and for each
// thread 16 K bytes a token of its longest sequence and 16 K² of transitions.
#pragma once

#include <span>
#include <vector>

#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/apps/sequence/sequence_metrics.h>
#include <slackline/apps/sequence/sequence_model.h>
#include <slackline/inference/chain_dp.h>
#include <slackline/inference/k_best_chain.h>

namespace slackline::internal {

struct SequencePredictOptions {
  Index threads = 1;    ///< 0 = all of the machine
  bool scores = false;  ///< compute max-marginals
  Index best = 0;       ///< > 0: that many labellings of each sequence
};

struct SequencePredictions {
  /// Of the tokens of the predicted sequences, one after the other: the best labelling. Of equal
  /// ones the first in lexicographic order.
  std::vector<Index> labels;
  /// The same tokens × K by rows: best score of a labelling of the sequence with that label at the
  /// token, minus the best of all: 0 at predicted labels, never above; −∞ where the constraints
  /// allow no such labelling. Empty unless asked for.
  std::vector<double> scores;
  /// For each sequence the best labellings, falling; all that are allowed where there are fewer.
  /// Empty unless asked for.
  std::vector<std::vector<RankedLabelling>> best;
};

/// Predicts one sequence after the other. Keeps work space: one object per thread. The model must
/// live as long.
class SequenceDecoder {
 public:
  explicit SequenceDecoder(const SequenceModel& model);

  /// Where results go; tokens × 1, tokens × K, and nothing where it is not asked for.
  struct Output {
    std::span<Index> labels;
    std::span<double> scores;
    std::vector<RankedLabelling>* best = nullptr;
  };
  /// Predicts the sequence of out.labels.size() ≥ 1 tokens whose features are rows first, first +
  /// 1, … Throws DataError when the model's weights are so large that scores are not finite.
  void Decode(const FeatureRows& rows, Index first, const SequencePredictOptions& options,
              const Output& out);
  /// The same for sequence m of data; all results of *out are of this sequence.
  void Decode(const SequenceData& data, Index m, const SequencePredictOptions& options,
              SequencePredictions* out);

 private:
  void Scores(const FeatureRows& rows, Index first, Index length);

  const SequenceModel& model_;
  ChainDp chain_;
  std::vector<double> scores_;  // of the tokens by themselves
};

/// Predicts these sequences of data that were read for the model (sequence_input.h); their labels
/// are not looked at. Throws std::invalid_argument when the data do not fit.
SequencePredictions PredictSequences(const SequenceModel& model, const SequenceData& data,
                                     std::span<const Index> sequences,
                                     const SequencePredictOptions& options);

/// Figures of these sequences of the data; labels: as SequencePredictions has them.
SequenceMetrics EvaluateSequences(const SequenceData& data, std::span<const Index> sequences,
                                  std::span<const Index> labels);

}  // namespace slackline::internal
