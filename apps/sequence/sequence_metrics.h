// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement of predicted labels of sequences with the ground truth.
//
// Tokens without a known label are ignored, and so are sequences that only have such tokens. To
// find chunks, both labellings of a sequence are split at such tokens. A chunk
// (apps/sequence/data/chunk_tags.h) is right if its first token, last token and type are. The
// metrics are those of the conlleval script of the CoNLL tasks. 0/0 is 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

struct ChunkMetrics {
  std::string type;            ///< empty for all types together
  std::int64_t truth = 0;      ///< chunks of the ground truth
  std::int64_t predicted = 0;  ///< chunks of the prediction
  std::int64_t right = 0;      ///< chunks in both
  double precision = 0;        ///< right / predicted
  double recall = 0;           ///< right / truth
  double f1 = 0;               ///< 2 right / (truth + predicted)
};

struct SequenceMetrics {
  Index sequences = 0;                    ///< number with at least one known label
  std::int64_t tokens = 0;                ///< number with known labels
  double token_accuracy = 0;              ///< fraction of tokens that are right
  double sequence_accuracy = 0;           ///< fraction of sequences without a wrong token
  double hamming_loss = 0;                ///< mean over sequences of the fraction of wrong tokens
  ChunkMetrics chunks;                    ///< of all types together
  std::vector<ChunkMetrics> chunk_types;  ///< the types that occur, by name
};

/// `begin`: as in SequenceData. `truth` and `predicted`: one label per token; true ones may be
/// kUnlabelled. label_names: at least those of the labels that occur. Metrics of chunks are only
/// meaningful if labels mark chunks, and 0 if none does. Throws std::invalid_argument when lengths
/// or labels do not fit.
SequenceMetrics ComputeSequenceMetrics(std::span<const Offset> begin, std::span<const Index> truth,
                                       std::span<const Index> predicted,
                                       std::span<const std::string> label_names);

}  // namespace slackline::internal
