// SPDX-License-Identifier: BSD-3-Clause
//
// How well predicted labels of sequences agree with the ground truth.
//
// Tokens without a known label are ignored, and so are sequences of such tokens only. Before chunks
// are found, both labellings of a sequence are cut in two at such a token. A chunk
// (apps/sequence/data/chunk_tags.h) is right when its first token, last token and type are. The
// figures are those of the conlleval script of the CoNLL tasks. 0/0 is 0.
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
  Index sequences = 0;                    ///< with at least one known label
  std::int64_t tokens = 0;                ///< with known labels
  double token_accuracy = 0;              ///< share of tokens that are right
  double sequence_accuracy = 0;           ///< share of sequences without a wrong token
  double hamming_loss = 0;                ///< mean over sequences of the share of wrong tokens
  ChunkMetrics chunks;                    ///< of all types together
  std::vector<ChunkMetrics> chunk_types;  ///< those that occur, by name
};

/// begin: as in SequenceData; truth and predicted: a label per token, true ones may be
/// kUnlabelled. label_names: at least for the labels that occur. Figures of chunks make sense where
/// labels mark chunks; where none does they are 0. Throws std::invalid_argument when the lengths or
/// labels do not fit.
SequenceMetrics ComputeSequenceMetrics(std::span<const Offset> begin, std::span<const Index> truth,
                                       std::span<const Index> predicted,
                                       std::span<const std::string> label_names);

}  // namespace slackline::internal
