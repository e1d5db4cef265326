// SPDX-License-Identifier: BSD-3-Clause
//
// Small sequences for tests, and scores by the definition of the model.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <slackline/apps/sequence/sequence_model.h>
#include <slackline/core/random.h>

namespace slackline::internal::test {

/// Sequences of 1 to most_tokens tokens with 3 sparse features and known labels.
inline SequenceData RandomSequences(Random& random, Index sequences, Index labels,
                                    Index most_tokens) {
  SequenceData data;
  data.source = "random";
  for (Index k = 0; k < labels; ++k) data.label_names.push_back("L" + std::to_string(k));
  data.num_model_labels = labels;
  data.num_features = 3;
  data.begin = {0};
  auto rows = std::make_shared<FeatureRows>();
  auto tokens = std::make_shared<TokenTable>();
  tokens->num_columns = 1;
  for (Index m = 0; m < sequences; ++m) {
    const auto length = 1 + static_cast<Index>(random.Below(most_tokens));
    data.lines.push_back(m + 1);
    for (Index i = 0; i < length; ++i) {
      std::vector<Index> columns;
      std::vector<double> values;
      for (Index f = 0; f < 3; ++f) {
        if (random.Below(2) == 0) continue;
        columns.push_back(f);
        values.push_back(random.Normal());
      }
      rows->AddSparse(columns, values);
      tokens->cells.push_back(tokens->texts.Add("t" + std::to_string(random.Below(9))));
      data.labels.push_back(static_cast<Index>(random.Below(labels)));
    }
    data.begin.push_back(data.num_tokens());
  }
  data.rows = std::move(rows);
  data.tokens = std::move(tokens);
  return data;
}

inline std::vector<Index> AllSequences(const SequenceData& data) {
  std::vector<Index> all(data.num_sequences());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The names of 3 or 5 chunk labels, in an order that puts an I label first.
inline std::vector<std::string> BioNames(bool two_types) {
  if (two_types) return {"I-V", "B-N", "O", "I-N", "B-V"};
  return {"I-N", "O", "B-N"};
}

/// Whether every I-X follows a B-X or I-X (or an unknown label), and none is first.
inline bool ValidBio(const std::vector<std::string>& names, const std::vector<Index>& labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kUnlabelled) continue;
    const std::string& name = names[labels[i]];
    if (name[0] != 'I') continue;
    if (i == 0) return false;
    if (labels[i - 1] == kUnlabelled) continue;
    const std::string& before = names[labels[i - 1]];
    if (before != name && before != "B" + name.substr(1)) return false;
  }
  return true;
}

/// Random sequences with valid labels of BioNames.
inline SequenceData RandomBioSequences(Random& random, Index sequences, bool two_types,
                                       Index most_tokens) {
  const std::vector<std::string> names = BioNames(two_types);
  SequenceData data =
      RandomSequences(random, sequences, static_cast<Index>(names.size()), most_tokens);
  data.label_names = names;
  for (Index m = 0; m < sequences; ++m) {
    const auto first = data.labels.begin() + data.begin[m];
    std::vector<Index> labels(data.length(m));
    do {
      for (Index& label : labels) label = static_cast<Index>(random.Below(names.size()));
    } while (!ValidBio(names, labels));
    std::copy(labels.begin(), labels.end(), first);
  }
  return data;
}

/// The next labelling in lexicographic order; false after the last.
inline bool NextLabelling(Index num_labels, std::vector<Index>* labels) {
  for (std::size_t i = labels->size(); i-- > 0;) {
    if (++(*labels)[i] < num_labels) return true;
    (*labels)[i] = 0;
  }
  return false;
}

/// whole: draw small whole numbers, for ties.
inline void SetRandomWeights(Random& random, bool whole, SequenceModel* model) {
  std::vector<double> weights = model->weights();
  for (double& w : weights) w = whole ? static_cast<double>(random.Below(3)) - 1 : random.Normal();
  model->set_weights(weights);
}

/// The score of a labelling of sequence m.
inline double ScoreOf(const SequenceModel& model, const SequenceData& data, Index m,
                      const std::vector<Index>& labels) {
  const std::size_t k = model.num_labels();
  double score = model.start_weights()[labels.front()] + model.end_weights()[labels.back()];
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t label = labels[i];
    const FeatureRow x = data.rows->row(static_cast<Index>(data.begin[m]) + static_cast<Index>(i));
    score += model.constant_weights()[label];
    for (Index f = 0; f < x.count; ++f) {
      const std::size_t column = x.dense() ? f : x.columns[f];
      score += x.values[f] * model.token_weights()[column * k + label];
    }
    if (i + 1 < labels.size()) score += model.transition_weights()[label * k + labels[i + 1]];
  }
  return score;
}

}  // namespace slackline::internal::test
