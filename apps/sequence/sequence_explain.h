// SPDX-License-Identifier: BSD-3-Clause
//
// Why a chain model chose its labels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <slackline/apps/common/score_parts.h>
#include <slackline/apps/sequence/sequence_model.h>

namespace slackline::internal {

struct TokenExplanation {
  std::string label;
  ScoreSum observations;  ///< of a kernelized model only the total
  double constant = 0;
  double transition = 0;  ///< from the previous label; 0 at the first token
  double start = 0;       ///< of the first token; 0 elsewhere
  double end = 0;         ///< of the last token; 0 elsewhere
  double score = 0;       ///< the sum of all of these
};

struct SequenceExplanation {
  std::vector<TokenExplanation> tokens;
  double total = 0;  ///< the model's score of the labelling: the sum of the tokens' scores
};

/// Splits the score of a labelling of sequence m of data that were read for the model. `labels`:
/// one of the model's labels per token. Each sum of observations lists `top` ≥ 1 of them. Throws
/// std::invalid_argument on arguments that do not fit, and std::logic_error when the contributions
/// do not add up to the model's scores of tokens.
SequenceExplanation ExplainSequence(const SequenceModel& model, const SequenceData& data, Index m,
                                    std::span<const Index> labels, Index top);

}  // namespace slackline::internal
