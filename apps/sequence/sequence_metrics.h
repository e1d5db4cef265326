// SPDX-License-Identifier: BSD-3-Clause
//
// How well predicted labels of sequences agree with given ones.
//
// Tokens whose given label is not known take no part in anything, nor do sequences of such tokens
// only. For chunks a sequence is as if cut in two there, in the given and in the predicted labels.
// Chunks (apps/sequence/data/chunk_tags.h) are right when first token, last token and type are;
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
  std::int64_t given = 0;      ///< chunks
  std::int64_t predicted = 0;  ///< chunks
  std::int64_t right = 0;      ///< chunks in both
  double precision = 0;        ///< right / predicted
  double recall = 0;           ///< right / given
  double f1 = 0;               ///< 2 right / (given + predicted)
};

struct SequenceMetrics {
  Index sequences = 0;                    ///< with at least one known label
  std::int64_t tokens = 0;                ///< with known labels
  double token_accuracy = 0;              ///< share of tokens that are right
  double sequence_accuracy = 0;           ///< share of sequences without a wrong token
  double hamming_loss = 0;                ///< mean over sequences of the share of wrong tokens
  ChunkMetrics chunks;                    ///< of all types together
  std::vector<ChunkMetrics> chunk_types;  ///< those given or predicted, by name
};

/// begin: as in SequenceData; given and predicted: a label per token, given ones may be
/// kUnlabelled. label_names: at least for the labels that occur. Figures of chunks make sense where
/// labels mark chunks; where none does they are 0. Throws std::invalid_argument when the lengths or
/// labels do not fit.
SequenceMetrics ComputeSequenceMetrics(std::span<const Offset> begin, std::span<const Index> given,
                                       std::span<const Index> predicted,
                                       std::span<const std::string> label_names);

}  // namespace slackline::internal
