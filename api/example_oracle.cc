// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/example_oracle.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include <slackline/api/model_impl.h>
#include <slackline/api/train_impl.h>
#include <slackline/core/check.h>
#include <slackline/learning/example_blocks/whole_example_learner.h>
#include <slackline/learning/train_loop.h>

namespace slackline {
inline namespace v1 {
namespace {

class OracleBridge final : public internal::WholeExampleOracle {
 public:
  OracleBridge(const Model& model, ExampleOracle* oracle)
      : layout_(model.impl()->layout), oracle_(oracle), weights_(model) {}

  void Maximise(int m, std::span<const double> weights,
                internal::WholeExampleAnswer* answer) override {
    std::copy(weights.begin(), weights.end(), weights_.values().begin());
    OracleAnswer own;
    oracle_->Maximize(m, weights_, &own);
    Translate(m, own, weights, answer);
  }

  void MaximiseBatch(int first, std::span<const double> weights,
                     std::span<internal::WholeExampleAnswer> answers) override {
    std::copy(weights.begin(), weights.end(), weights_.values().begin());
    std::vector<OracleAnswer> own(answers.size());
    oracle_->MaximizeBatch(first, weights_, own);
    for (std::size_t k = 0; k < own.size(); ++k)
      Translate(first + static_cast<int>(k), own[k], weights, &answers[k]);
  }

  /// Whether any answer had a loss above 0.
  bool any_loss() const { return any_loss_; }

 private:
  void Translate(int m, const OracleAnswer& own, std::span<const double> weights,
                 internal::WholeExampleAnswer* answer) {
    std::map<std::ptrdiff_t, double> entries;
    for (const FeatureVector::Entry& entry : own.features.entries())
      entries[Position(entry)] += entry.value;
    double value = own.loss;
    for (const auto& [at, feature] : entries) {
      if (feature == 0) continue;
      answer->point.at.push_back(at);
      answer->point.values.push_back(feature);
      value += weights[at] * feature;
    }
    answer->loss = own.loss;
    any_loss_ = any_loss_ || own.loss > 0;
    answer->bound = std::isnan(own.bound) ? std::max(0.0, value) : own.bound;
    // An answer without a bound claims to be the best output. It must then be worth at least 0, the
    // value of the ground truth.
    if (std::isnan(own.bound) && value < 0 && own.loss >= 0)
      CheckNotBelowTruth(m, value, own, weights);
  }

  std::ptrdiff_t Position(const FeatureVector::Entry& entry) const {
    const bool known = entry.block >= 0 && entry.block < layout_->num_blocks();
    SLACKLINE_CHECK(known && entry.row >= 0 && entry.row < layout_->block(entry.block).rows &&
                        entry.column >= 0 && entry.column < layout_->block(entry.block).cols,
                    "an oracle's answer has features of weights that the model does not have");
    return layout_->block(entry.block).at(entry.row, entry.column);
  }

  void CheckNotBelowTruth(int m, double value, const OracleAnswer& own,
                          std::span<const double> weights) const {
    double size = 1 + own.loss;
    for (const FeatureVector::Entry& entry : own.features.entries())
      size += std::abs(weights[Position(entry)] * entry.value);
    SLACKLINE_CHECK(value >= -1e-9 * size, "the oracle's answer for example " + std::to_string(m) +
                                               " is worth " + std::to_string(value) +
                                               ", less than 0, which the ground truth reaches; an "
                                               "answer that is not the best output needs a bound");
  }

  std::shared_ptr<const internal::WeightLayout> layout_;
  ExampleOracle* oracle_;
  Weights weights_;
  bool any_loss_ = false;
};

}  // namespace

ExampleOracle::~ExampleOracle() = default;

void ExampleOracle::MaximizeBatch(int first, const Weights& weights,
                                  std::span<OracleAnswer> answers) {
  for (std::size_t k = 0; k < answers.size(); ++k)
    Maximize(first + static_cast<int>(k), weights, &answers[k]);
}

std::string CheckOracle(const Model& model, int num_examples, ExampleOracle& oracle) {
  OracleBridge bridge(model, &oracle);
  std::string text;
  for (const std::string& fault : internal::CheckWholeExampleOracle(
           &bridge, num_examples, static_cast<std::ptrdiff_t>(model.num_weights())))
    text += fault + "\n";
  return text;
}

TrainResult Train(const Model& model, int num_examples, ExampleOracle& oracle,
                  const TrainOptions& options) {
  SLACKLINE_CHECK(options.learner == "auto" && options.learner_options.empty(),
                  "a user-defined oracle has its own learner: leave the option learner unset");
  SLACKLINE_CHECK(options.loss.form == LossForm::kMean && options.loss.variable_weights.empty() &&
                      options.loss.costs.empty(),
                  "a user-defined oracle defines the loss: leave the option loss unset");
  SLACKLINE_CHECK(options.lambda > 0, "training with a user-defined oracle needs a lambda > 0");
  const internal::TrainOptions given = InternalOptions(options);
  OracleBridge bridge(model, &oracle);
  const auto learner = internal::MakeWholeExampleLearner(
      &bridge, num_examples, static_cast<std::ptrdiff_t>(model.num_weights()), options.lambda,
      options.seed);
  ObserverBridge observer(options.observer);
  internal::TrainSummary summary;
  try {
    summary = internal::RunTraining(*learner, given, options.observer ? &observer : nullptr,
                                    options.interrupt);
  } catch (const internal::CertificateError&) {
    throw std::invalid_argument(internal::kContradictoryOracle);
  }
  TrainResult result = ResultOf(summary);
  result.learner = "whole-example";
  result.lambda = options.lambda;
  result.num_examples = num_examples;
  result.weights = WeightsOf(model.impl()->layout, summary.weights);
  if (!bridge.any_loss()) {
    result.notes.emplace_back(
        "all answers of the oracle had loss 0, so there was nothing to learn: does it return the "
        "ground truth instead of maximising loss + w·φ? CheckOracle calls it at random weights");
  }
  return result;
}

}  // namespace v1
}  // namespace slackline
