// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions of a chain model for whole data sets, exact by dynamic programming
// (inference/chain_dp.h) among the labellings that the model's constraints allow. Results do not
// depend on the number of threads. Memory per token: a label, K scores or n·k labels; per thread 16
// K bytes for each token of its longest sequence and 16 K² bytes for transitions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/apps/sequence/sequence_metrics.h>
#include <slackline/apps/sequence/sequence_model.h>
#include <slackline/core/ranks.h>
#include <slackline/inference/chain_dp.h>
#include <slackline/inference/k_best_chain.h>
#include <slackline/inference/sum_product.h>

namespace slackline::internal {

struct SequencePredictOptions {
  Index threads = 1;    ///< 0 = all of the machine
  bool scores = false;  ///< compute max-marginals
  Index best = 0;       ///< > 0: number of best labellings of each sequence
};

struct SequencePredictions {
  /// The best labelling of each predicted sequence, one after the other. Ties go to the first in
  /// lexicographic order.
  std::vector<Index> labels;
  /// tokens × K by rows: the best score of a labelling of the sequence with that label at the
  /// token, minus the best score of all labellings. 0 at predicted labels, never positive; −∞ if
  /// the constraints allow no such labelling. Empty unless asked for.
  std::vector<double> scores;
  /// The best labellings of each sequence in descending order of score; all allowed ones if there
  /// are fewer. Empty unless asked for.
  std::vector<std::vector<RankedLabelling>> best;
};

/// Predicts one sequence after the other. Keeps its work space: one object per thread. The model
/// must outlive this object.
class SequenceDecoder {
 public:
  explicit SequenceDecoder(const SequenceModel& model);

  /// Where results are written: tokens × 1, tokens × K, and nothing for results not asked for.
  struct Output {
    std::span<Index> labels;
    std::span<double> scores;
    std::vector<RankedLabelling>* best = nullptr;
  };
  /// Predicts the sequence of out.labels.size() ≥ 1 tokens whose features are the rows first, first
  /// + 1, … Throws DataError when the model's weights are so large that scores are not finite.
  void Decode(const FeatureRows& rows, Index first, const SequencePredictOptions& options,
              const Output& out);
  /// The same for sequence m of data. *out must have the size of this sequence alone.
  void Decode(const SequenceData& data, Index m, const SequencePredictOptions& options,
              SequencePredictions* out);
  /// Writes the marginals of the sequence of `length` tokens whose features begin at row `first`:
  /// see SequenceMarginals.
  void Marginals(const FeatureRows& rows, Index first, Index length, double temperature,
                 std::span<double> out);

 private:
  void Scores(const FeatureRows& rows, Index first, Index length);

  const SequenceModel& model_;
  ChainDp chain_;
  std::vector<double> transitions_;  // K × K, −∞ where the constraints exclude a pair
  // Both have the length of the last sequence whose marginals were computed.
  Index length_ = 0;
  std::unique_ptr<SumProduct> sum_product_;
  std::vector<double> states_, marginals_;  // of its graph
  std::vector<double> scores_;              // of the single tokens, without transitions
};

/// Predicts these sequences of data that were read for the model (sequence_input.h); their labels
/// are ignored. Throws std::invalid_argument when the data do not fit.
SequencePredictions PredictSequences(const SequenceModel& model, const SequenceData& data,
                                     std::span<const Index> sequences,
                                     const SequencePredictOptions& options);

/// The marginals of the distribution p(y) ∝ exp(score(y) / temperature) of each of these sequences:
/// tokens × K by rows, exact by sum-product. Labels that the constraints exclude have 0. They are
/// no calibrated probabilities, since training maximises margins. Requires the same as
/// PredictSequences, and a temperature > 0 (SumProduct).
std::vector<double> SequenceMarginals(const SequenceModel& model, const SequenceData& data,
                                      std::span<const Index> sequences, double temperature,
                                      Index threads);

/// The metrics of these sequences of the data; `labels`: as in SequencePredictions. With several
/// ranks, all must call this function, each with its own sequences. Rank 0 gets the metrics over
/// the sequences of all ranks; the other ranks get the metrics of no sequences.
SequenceMetrics EvaluateSequences(const SequenceData& data, std::span<const Index> sequences,
                                  std::span<const Index> labels, Ranks& ranks = OneRank());

}  // namespace slackline::internal
