// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/core/check.h>
#include <slackline/core/exact_sum.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/row_kernels.h>
#include <slackline/learning/default_lambda.h>

namespace slackline::internal {
namespace {

/// The factor of the loss per true class: 1, or the mean number of pixels of a class (over the
/// classes that occur) over its own number.
std::vector<double> ClassFactors(const std::vector<SegmentExample>& examples, Index num_classes,
                                 SegmentLoss loss, Ranks& ranks) {
  std::vector<std::int64_t> counts(num_classes);
  for (const SegmentExample& example : examples) {
    for (std::size_t k = 0; k < example.fine_pixels.size(); ++k)
      counts[k % num_classes] += example.fine_pixels[k];
  }
  ranks.AddUp(counts);
  const std::vector<double> pixels(counts.begin(), counts.end());
  const auto present = static_cast<double>(
      std::count_if(pixels.begin(), pixels.end(), [](double count) { return count > 0; }));
  const double mean = std::accumulate(pixels.begin(), pixels.end(), 0.0) / std::max(1.0, present);
  std::vector<double> factors;
  for (const double count : pixels)
    factors.push_back(loss == SegmentLoss::kBalanced && count > 0 ? mean / count : 1);
  return factors;
}

/// The labels and loss weights of a layer's superpixels.
struct Layer {
  std::vector<bool> keep;
  std::vector<Index> labels;   // one per kept superpixel
  std::vector<double> weight;  // one per kept superpixel; sum to 1 before the factors
};

/// The constants of DefaultSegmentLambda.
constexpr double kSuperpixelsPerNorm = 80;
constexpr double kSquaresPerLambda = 4;

Layer MakeLayer(std::span<const std::int64_t> pixels, Index num_classes,
                const std::vector<double>& factors) {
  Layer layer;
  const double total =
      static_cast<double>(std::accumulate(pixels.begin(), pixels.end(), std::int64_t{0}));
  const std::vector<Index> majority = MajorityLabels(pixels, num_classes);
  for (std::size_t i = 0; i < majority.size(); ++i) {
    layer.keep.push_back(majority[i] != kUnlabelled);
    if (majority[i] == kUnlabelled) continue;
    const auto row = pixels.subspan(i * num_classes, num_classes);
    const auto labelled =
        static_cast<double>(std::accumulate(row.begin(), row.end(), std::int64_t{0}));
    layer.labels.push_back(majority[i]);
    layer.weight.push_back(factors[majority[i]] * labelled / total);
  }
  return layer;
}

void AddExample(const SegmentExample& example, const std::shared_ptr<const Structure>& structure,
                const std::vector<Index>& labels, Dataset* data) {
  const std::span<const double> potentials = example.potentials;
  // There may be more potentials than needed, because the last superpixels may be void.
  const std::size_t needed = structure->num_potentials();
  SLACKLINE_CHECK(potentials.size() >= needed, "there are too few potentials");
  data->Add(structure, labels, example.first_row, potentials.first(needed));
}

}  // namespace

TrainingSet MakeSegmentTraining(const SegmentModel& model,
                                const std::vector<SegmentExample>& examples,
                                const std::shared_ptr<const FeatureRows>& rows, SegmentLoss loss,
                                Ranks& ranks) {
  const Index k = model.num_classes();
  const std::vector<double> factors = ClassFactors(examples, k, loss, ranks);
  Dataset data(model.layout(), rows);
  std::vector<double> losses;
  std::vector<Offset> begin = {0};
  Index skipped = 0;
  Offset unlabelled = 0;
  for (const SegmentExample& example : examples) {
    Layer fine = MakeLayer(example.fine_pixels, k, factors);
    if (fine.labels.empty()) {
      ++skipped;
      continue;
    }
    Layer coarse;
    if (model.has_coarse()) coarse = MakeLayer(example.coarse_pixels, k, factors);
    unlabelled += std::count(fine.keep.begin(), fine.keep.end(), false) +
                  std::count(coarse.keep.begin(), coarse.keep.end(), false);
    std::vector<Index> labels = fine.labels;
    labels.insert(labels.end(), coarse.labels.begin(), coarse.labels.end());
    std::vector<double> weight = fine.weight;
    weight.insert(weight.end(), coarse.weight.begin(), coarse.weight.end());
    const double share = model.has_coarse() ? 0.5 : 1;  // the share of a layer
    for (std::size_t i = 0; i < weight.size(); ++i) {
      for (Index s = 0; s < k; ++s) losses.push_back(s == labels[i] ? 0 : share * weight[i]);
    }
    begin.push_back(static_cast<Offset>(losses.size()));
    AddExample(example, model.MakeStructure(example.graph, fine.keep, coarse.keep), labels, &data);
  }
  return {std::move(data), std::move(losses), std::move(begin), skipped, unlabelled};
}

double DefaultSegmentLambda(const SegmentModel& model, const std::vector<SegmentExample>& examples,
                            const CostScales& scales, Ranks* exactly) {
  if (model.inputs() == SegmentInputs::kFeatures)
    return RoundedLambda(scales.mean_squared_norm /
                         (kSuperpixelsPerNorm * scales.loss_per_variable));
  SumOverExamples squares(exactly);
  SumOverExamples potentials(exactly);
  for (const SegmentExample& example : examples) {
    for (const double value : example.potentials) squares.Add(value * value);
    potentials.Add(static_cast<double>(example.potentials.size()));
  }
  const double sum = squares.Total();
  const double count = potentials.Total();
  return sum > 0 ? RoundedLambda(kSquaresPerLambda * sum / count) : 1;
}

SegmentPrediction PredictSegments(const SegmentModel& model, const SegmentExample& example,
                                  const std::shared_ptr<const FeatureRows>& rows,
                                  DecodeKind decode) {
  const std::shared_ptr<const Structure> structure = model.MakeStructure(example.graph, {}, {});
  Dataset data(model.layout(), rows);
  const std::vector<Index> labels(structure->graph().num_variables(), kUnlabelled);
  AddExample(example, structure, labels, &data);
  std::vector<double> scores(structure->graph().total_states());
  ScoreTables(data.example(0), model.weights(), scores);
  Decoder decoder(decode, structure->shared_graph());
  MapResult result;
  decoder.Decode(scores, &result);
  SegmentPrediction prediction;
  prediction.fine.assign(result.labels.begin(), result.labels.begin() + example.graph.num_fine);
  prediction.value = result.value;
  prediction.upper_bound = result.upper_bound;
  return prediction;
}

std::vector<double> ClassScores(const SegmentModel& model, bool fine, const FeatureRows& rows,
                                Index first_row, Index count) {
  SLACKLINE_CHECK(model.inputs() == SegmentInputs::kFeatures && (fine || model.has_coarse()),
                  "the model has no features of the layer");
  const Index k = model.num_classes();
  const double* weights =
      model.weights().data() + model.layout()->block(model.class_block(fine)).offset;
  std::vector<double> scores(Offset{count} * k);
  for (Index i = 0; i < count; ++i)
    RowScores(weights, k, rows.row(first_row + i), scores.data() + Offset{i} * k);
  return scores;
}

}  // namespace slackline::internal
