// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_weights.h>

#include <doctest/doctest.h>

using namespace slackline::internal;

namespace {

const std::vector<std::string> kTwoClasses = {"sky", "sea"};

/// Weights −1, 2, −3, … in the order of the blocks.
void Fill(SegmentModel* model) {
  std::vector<double> weights(model->weights().size());
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = static_cast<double>(k + 1) * (k % 2 == 0 ? -1 : 1);
  model->set_weights(weights);
}

}  // namespace

TEST_CASE("weights of both layers of a class are ranked together") {
  SegmentModel model(kTwoClasses, 5, {{0, 1}, {3, 1}}, SegmentLayers::kTwo,
                     SegmentPairwise::kTable);
  Fill(&model);
  // Two classes; two features and a constant in each layer. Class "sea" has the weights 2 4 6 and 8
  // 10 12.
  const std::vector<NamedRange> blocks = {{"own/lab", 0, 2}, {"image/sift", 3, 2}};
  const std::vector<std::string> names = SegmentFeatureNames(model, blocks);
  CHECK(names == std::vector<std::string>{"own/lab 1", "image/sift 1"});
  const WeightSummary summary = SummariseWeights(model, names, {3, 0, 5});
  REQUIRE(summary.labels.size() == 2);
  const LabelWeights& sea = summary.labels[1];
  REQUIRE(sea.constants.size() == 2);
  CHECK(sea.constants[0].weight == 6);
  CHECK(sea.constants[1].weight == 12);
  REQUIRE(sea.features.positive.size() == 3);
  CHECK(sea.features.positive[0].name == "coarse: image/sift 1");
  CHECK(sea.features.positive[0].weight == 10);
  CHECK(sea.features.positive[2].name == "fine: image/sift 1");
  CHECK(sea.features.num_positive == 4);
  CHECK(sea.features.negative.empty());
  CHECK(summary.labels[0].features.negative[0].weight == -9);
  REQUIRE(summary.pairs.size() == 1);
  CHECK(summary.pairs[0].matrix.cells == std::vector<double>{-13, 14, -15, 16});
  CHECK(summary.pairs[0].positive[0].first == "sea");
  CHECK(summary.lists.empty());
}

TEST_CASE("weights of links where classes agree are listed by class") {
  SegmentModel model(kTwoClasses, 1, {{0, 1}}, SegmentLayers::kTwo, SegmentPairwise::kAgreement);
  Fill(&model);
  const WeightSummary summary = SummariseWeights(model, {}, {});
  CHECK(summary.pairs.empty());
  REQUIRE(summary.lists.size() == 1);
  REQUIRE(summary.lists[0].weights.size() == 2);
  CHECK(summary.lists[0].weights[0].name == "sky");
  CHECK(summary.lists[0].weights[0].weight == -9);
  CHECK(summary.lists[0].weights[1].weight == 10);
}

TEST_CASE("weights of links between classes and of neighbours by contrast are listed") {
  SegmentModel model(kTwoClasses, 1, {{0, 1}}, SegmentLayers::kNeighbours, SegmentPairwise::kPotts);
  Fill(&model);
  const WeightSummary summary = SummariseWeights(model, {}, {});
  CHECK(summary.pairs.empty());
  REQUIRE(summary.lists.size() == 2);
  CHECK(summary.lists[0].weights[0].weight == -9);
  const std::vector<NamedWeight>& bins = summary.lists[1].weights;
  REQUIRE(std::ssize(bins) == kContrastBins);
  CHECK(bins[0].name == "contrast below 2");
  CHECK(bins[0].weight == 10);
  CHECK(bins[1].name == "contrast from 2 to 4");
  CHECK(bins[7].name == "contrast from 33 on");
  CHECK(summary.labels[0].features.negative[0].name == "coarse: feature 1");
}

TEST_CASE("class potentials have a weight per class") {
  SegmentModel model =
      SegmentModel::OfPotentials(kTwoClasses, SegmentLayers::kTwo, SegmentPairwise::kPotts);
  model.set_weights({1, -2, -3});
  const WeightSummary summary = SummariseWeights(model, {}, {});
  CHECK(summary.labels.empty());
  REQUIRE(summary.lists.size() == 2);
  CHECK(summary.lists[0].weights[1].name == "sea");
  CHECK(summary.lists[0].weights[1].weight == -2);
  CHECK(summary.lists[1].weights[0].weight == -3);
}

TEST_CASE("a model of one layer has neither links nor coarse features") {
  SegmentModel model(kTwoClasses, 4, {{1, 2}}, SegmentLayers::kFine, SegmentPairwise::kTable);
  Fill(&model);
  const WeightSummary summary = SummariseWeights(model, {}, {});
  CHECK(summary.labels[0].constants.size() == 1);
  CHECK(summary.pairs.empty());
  CHECK(summary.lists.empty());
  CHECK(SegmentFeatureNames(model, {}) == std::vector<std::string>{"feature 2", "feature 3"});
  CHECK_THROWS_AS(SummariseWeights(model, std::vector<std::string>{"a"}, {}),
                  std::invalid_argument);
}
