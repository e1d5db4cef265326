// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_predictor.h>

#include <stdexcept>

#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/core/check.h>

namespace slackline::internal {

SequencePredictor::SequencePredictor(const std::string& path)
    : SequencePredictor(SequenceModel::Load(path)) {}

SequencePredictor::SequencePredictor(SequenceModel model)
    : model_(std::make_shared<const SequenceModel>(std::move(model))),
      decoder_(std::make_unique<SequenceDecoder>(*model_)) {}

SequencePredictor::SequencePredictor(const SequencePredictor& other)
    : model_(other.model_), decoder_(std::make_unique<SequenceDecoder>(*model_)) {}

SequencePredictor& SequencePredictor::operator=(const SequencePredictor& other) {
  return *this = SequencePredictor(other);
}

std::shared_ptr<const FeatureRows> SequencePredictor::MakeRows(
    const std::vector<Token>& tokens) const {
  SLACKLINE_CHECK(model_->format() == SequenceFormat::kConll,
                  "a model of letters or attributes takes rows of features");
  const Index columns = model_->features().templates.num_columns();
  auto table = std::make_shared<TokenTable>();
  table->num_columns = columns;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    SLACKLINE_CHECK(static_cast<Index>(tokens[i].size()) == columns,
                    "token " + std::to_string(i) + " has " + std::to_string(tokens[i].size()) +
                        " columns, but the model has " + std::to_string(columns));
    for (const std::string& text : tokens[i]) table->cells.push_back(table->texts.Add(text));
  }
  SequenceData data;
  data.begin = {0, static_cast<Offset>(tokens.size())};
  data.lines = {1};
  data.tokens = std::move(table);
  data.source = "tokens";
  try {
    MakeRowsFor(*model_, &data);
  } catch (const DataError& error) {  // a value that is too large after scaling
    throw std::invalid_argument(error.what());
  }
  return data.rows;
}

const SequencePredictions& SequencePredictor::Decode(const FeatureRows& rows,
                                                     const SequencePredictOptions& options) {
  predictions_.labels.resize(rows.size());
  predictions_.scores.resize(options.scores ? predictions_.labels.size() * labels().size()
                                            : std::size_t{0});
  predictions_.best.assign(1, {});
  if (rows.size() > 0) {
    decoder_->Decode(rows, 0, options,
                     {predictions_.labels, predictions_.scores, &predictions_.best.front()});
  }
  return predictions_;
}

std::vector<std::string> SequencePredictor::Names(const std::vector<Index>& labels) const {
  std::vector<std::string> names;
  names.reserve(labels.size());
  for (const Index label : labels) names.push_back(model_->label_names()[label]);
  return names;
}

std::vector<std::string> SequencePredictor::Predict(const std::vector<Token>& tokens) {
  return Names(Decode(*MakeRows(tokens), {}).labels);
}

std::vector<double> SequencePredictor::Scores(const std::vector<Token>& tokens) {
  return DecodeScores(*MakeRows(tokens));
}

std::vector<SequencePredictor::Labelling> SequencePredictor::PredictBest(
    const std::vector<Token>& tokens, Index count) {
  SLACKLINE_CHECK(count >= 1, "the number of labellings must be at least 1");
  if (tokens.empty()) return {Labelling()};
  SequencePredictOptions options;
  options.best = count;
  std::vector<Labelling> labellings;
  for (const RankedLabelling& best : Decode(*MakeRows(tokens), options).best.front())
    labellings.push_back({Names(best.labels), best.value});
  return labellings;
}

std::vector<std::string> SequencePredictor::PredictRows(const FeatureRows& rows) {
  return Names(Decode(*Scaled(rows), {}).labels);
}

std::vector<double> SequencePredictor::ScoreRows(const FeatureRows& rows) {
  return DecodeScores(*Scaled(rows));
}

std::shared_ptr<const FeatureRows> SequencePredictor::Scaled(const FeatureRows& rows) const {
  SLACKLINE_CHECK(rows.dimension() <= model_->num_features(),
                  "there are rows with " + std::to_string(rows.dimension()) +
                      " features, but the model has " + std::to_string(model_->num_features()));
  if (!model_->scaling().active()) return {std::shared_ptr<const void>(), &rows};  // not owned
  return model_->scaling().Apply(rows, model_->num_features());
}

std::vector<double> SequencePredictor::DecodeScores(const FeatureRows& rows) {
  SequencePredictOptions options;
  options.scores = true;
  return Decode(rows, options).scores;
}

}  // namespace slackline::internal
