// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/predictors.h>

#include <slackline/apps/multilabel/prediction/multilabel_predictor.h>
#include <slackline/apps/sequence/sequence_predictor.h>

namespace slackline {
inline namespace v1 {

struct SequencePredictor::Impl {
  internal::SequencePredictor predictor;
};

SequencePredictor::SequencePredictor(const std::string& path)
    : impl_(std::make_unique<Impl>(Impl{internal::SequencePredictor(path)})) {}
SequencePredictor::SequencePredictor(SequencePredictor&& other) noexcept = default;
SequencePredictor& SequencePredictor::operator=(SequencePredictor&& other) noexcept = default;
SequencePredictor::~SequencePredictor() = default;

const std::vector<std::string>& SequencePredictor::labels() const {
  return impl_->predictor.labels();
}

std::vector<std::string> SequencePredictor::Predict(const std::vector<Token>& tokens) {
  return impl_->predictor.Predict(tokens);
}

std::vector<std::vector<double>> SequencePredictor::Scores(const std::vector<Token>& tokens) {
  const std::vector<double> flat = impl_->predictor.Scores(tokens);
  const std::size_t width = labels().size();
  std::vector<std::vector<double>> scores;
  for (std::size_t at = 0; at < flat.size(); at += width)
    scores.emplace_back(flat.data() + at, flat.data() + at + width);
  return scores;
}

std::vector<SequencePredictor::RankedLabels> SequencePredictor::PredictBest(
    const std::vector<Token>& tokens, int count) {
  std::vector<RankedLabels> ranked;
  for (auto& labelling : impl_->predictor.PredictBest(tokens, count))
    ranked.push_back({std::move(labelling.labels), labelling.score});
  return ranked;
}

struct MultiLabelPredictor::Impl {
  internal::MultiLabelPredictor predictor;
};

MultiLabelPredictor::MultiLabelPredictor(const std::string& path)
    : impl_(std::make_unique<Impl>(Impl{internal::MultiLabelPredictor(path)})) {}
MultiLabelPredictor::MultiLabelPredictor(MultiLabelPredictor&& other) noexcept = default;
MultiLabelPredictor& MultiLabelPredictor::operator=(MultiLabelPredictor&& other) noexcept = default;
MultiLabelPredictor::~MultiLabelPredictor() = default;

const std::vector<std::string>& MultiLabelPredictor::labels() const {
  return impl_->predictor.labels();
}

std::vector<std::string> MultiLabelPredictor::Predict(const std::vector<double>& features) {
  return impl_->predictor.Predict(features);
}

std::vector<std::string> MultiLabelPredictor::Predict(const SparseRow& features) {
  return impl_->predictor.Predict(internal::ExampleFeatures(features.columns, features.values));
}

std::vector<std::string> MultiLabelPredictor::PredictNamed(
    const std::vector<std::pair<std::string, double>>& features) {
  return impl_->predictor.PredictNamed(features);
}

std::vector<std::string> MultiLabelPredictor::PredictRow(
    const std::vector<std::pair<std::string, std::string>>& cells) {
  return impl_->predictor.PredictRow(cells);
}

std::vector<double> MultiLabelPredictor::Scores(const std::vector<double>& features) {
  return impl_->predictor.Scores(features);
}

}  // namespace v1
}  // namespace slackline
