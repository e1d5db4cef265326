// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_explain.h>

#include <algorithm>
#include <utility>

#include <slackline/apps/sequence/sequence_weights.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

ScoreSum ExplainToken(const SequenceModel& model, const FeatureRow& x, Index label, Index top) {
  std::vector<double> scores(model.num_labels());
  model.TokenScores(x, scores);
  const double score = scores[label];
  if (model.support()) {
    ScoreSum sum;
    sum.total = score;
    return sum;
  }
  const auto name = [&](Offset feature) { return FeatureName(model, feature); };
  ScoreSum sum = TakeApart({model.token_weights(), model.num_labels(), label, model.num_features()},
                           x, model.scaling(), top, name);
  CheckSums(sum.total, score, sum.magnitude);
  return sum;
}

}  // namespace

SequenceExplanation ExplainSequence(const SequenceModel& model, const SequenceData& data, Index m,
                                    std::span<const Index> labels, Index top) {
  SLACKLINE_CHECK(data.rows != nullptr && data.num_features == model.num_features(),
                  "the sequences do not have the features of the model");
  SLACKLINE_CHECK(m >= 0 && m < data.num_sequences(), "there is no such sequence");
  SLACKLINE_CHECK(std::ssize(labels) == data.length(m) &&
                      std::all_of(labels.begin(), labels.end(),
                                  [&](Index y) { return y >= 0 && y < model.num_labels(); }),
                  "the labelling does not fit the sequence");
  SequenceExplanation explanation;
  const auto first = static_cast<Index>(data.begin[m]);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t y = labels[i];
    TokenExplanation token;
    token.label = model.label_names()[y];
    token.observations =
        ExplainToken(model, data.rows->row(first + static_cast<Index>(i)), labels[i], top);
    token.constant = model.constant_weights()[y];
    if (i == 0) {
      token.start = model.start_weights()[y];
    } else {
      const std::size_t row = Offset{labels[i - 1]} * model.num_labels();
      token.transition = model.transition_weights()[row + y];
    }
    if (i + 1 == labels.size()) token.end = model.end_weights()[y];
    token.score =
        token.observations.total + token.constant + token.transition + token.start + token.end;
    explanation.total += token.score;
    explanation.tokens.push_back(std::move(token));
  }
  return explanation;
}

}  // namespace slackline::internal
