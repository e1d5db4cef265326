// SPDX-License-Identifier: BSD-3-Clause
//
// Costs of errors: by frequency, from a file, and in the losses of training.
#include <slackline/apps/multilabel/loss_weights.h>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/model_file.h>

#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Labels a, "b c" and d, which 4, 1 and none of 4 examples have; one entry of "b c" is unknown.
MultiLabelData WeightedData() {
  MultiLabelData data;
  data.source = "x";
  data.label_names = {"a", "b c", "d"};
  data.labels = {1, 1, 0, 1, 0, 0, 1, 0, 0, 1, -1, 0};
  data.lines = {1, 2, 3, 4};
  data.num_features = 1;
  auto rows = std::make_shared<FeatureRows>();
  for (int m = 0; m < 4; ++m) rows->AddDense(std::vector<double>{1.0});
  data.rows = rows;
  return data;
}

std::vector<double> FromFile(const std::string& text) {
  const TemporaryFolder folder;
  return LossWeights::Parse(folder.Write("w.txt", text)).For(WeightedData());
}

std::string WeightsError(const std::string& text) {
  return ErrorIn("w.txt", [&] { FromFile(text); });
}

}  // namespace

TEST_CASE("equal weights count as no weights") {
  CHECK(LossWeights().equal());
  CHECK(LossWeights::Parse("equal").equal());
  CHECK(LossWeights::Parse("equal").For(WeightedData()).empty());
  CHECK(FromFile("").empty());
  CHECK(FromFile("a 1\n2 1 1\n").empty());
}

TEST_CASE("missed labels cost more the rarer they are") {
  // Label frequencies: 1, 1/3 of the known entries, and 0.
  const std::vector<double> half = LossWeights::Parse("inverse-frequency:0.5").For(WeightedData());
  REQUIRE(half.size() == 6);
  CHECK(half == std::vector<double>{1, 1, 1, std::sqrt(3.0), 1, 1});
  CHECK_FALSE(LossWeights::Parse("inverse-frequency:0.5").equal());
  const std::vector<double> usual = LossWeights::Parse("inverse-frequency").For(WeightedData());
  CHECK(usual[3] == doctest::Approx(std::pow(3.0, 0.25)));
  CHECK(LossWeights::Parse("inverse-frequency:1").For(WeightedData())[3] == doctest::Approx(3.0));
  for (const char* text :
       {"inverse-frequency:", "inverse-frequency:0", "inverse-frequency:-1",
        "inverse-frequency:1.5", "inverse-frequency:x", "inverse-frequencies", "no/such/file"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(LossWeights::Parse(text), DataError);
  }
}

TEST_CASE("files of weights are read, and bad ones refused") {
  CHECK(FromFile("a 2\n\"b c\" 3 0.5  # missed, false alarm\n") ==
        std::vector<double>{1, 2, 0.5, 3, 1, 1});
  CHECK(FromFile("2 0 7\n") == std::vector<double>{1, 1, 1, 1, 7, 0});
  CHECK(WeightsError("a\n").find("w.txt:1: expected a label, the cost of missing it") == 0);
  CHECK(WeightsError("a 1 2 3\n").find("w.txt:1: expected a label") == 0);
  CHECK(WeightsError("a 1\nb 2\n").find("w.txt:2: unknown label 'b'") == 0);
  CHECK(WeightsError("a -1\n") == "w.txt:1: '-1' is not a weight from 0 to 1e6");
  CHECK(WeightsError("a 1 nan\n") == "w.txt:1: 'nan' is not a weight from 0 to 1e6");
  CHECK(WeightsError("a 1e7\n") == "w.txt:1: '1e7' is not a weight from 0 to 1e6");
  CHECK(WeightsError("a 1\n0 2\n") == "w.txt:2: label '0' was given before, on line 1");
}

TEST_CASE("training losses have the weights, also where labels are unknown") {
  const MultiLabelData data = WeightedData();
  const MultiLabelModel model(data.label_names, 1, false, {{0, 1}});
  MultiLabelLoss loss;
  loss.scale = LossScale::kCount;
  loss.weights = LossWeights::Parse("inverse-frequency:1");
  const TrainingSet training = MakeTrainingSet(model.MakeDataset(data), loss.For(data));
  // Label b c: missed in the first example, a false alarm in the second, unknown in the last.
  CHECK(std::vector<double>(training.loss(0).begin(), training.loss(0).end()) ==
        std::vector<double>{1, 0, 3, 0, 0, 1});
  CHECK(std::vector<double>(training.loss(1).begin(), training.loss(1).end()) ==
        std::vector<double>{1, 0, 0, 1, 0, 1});
  CHECK(std::vector<double>(training.loss(3).begin(), training.loss(3).end()) ==
        std::vector<double>{1, 0, 0, 1});
  LossOptions bad;
  bad.given_weights = {1, 1, 1};
  CHECK_THROWS_AS(MakeTrainingSet(model.MakeDataset(data), bad), std::invalid_argument);
  bad.given_weights = {1, 1, -1, 1, 1, 1};
  CHECK_THROWS_AS(MakeTrainingSet(model.MakeDataset(data), bad), std::invalid_argument);
}

TEST_CASE("models keep them") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  MultiLabelModel model({"a", "b"}, 1, true, {});
  model.Save(path);
  CHECK_FALSE(ModelReader(path).Has("loss_weights"));
  model.set_loss_weights({1, 2, 0.5, 3});
  model.Save(path);
  CHECK(MultiLabelModel::Load(path).loss_weights() == std::vector<double>{1, 2, 0.5, 3});
  CHECK_THROWS_AS(model.set_loss_weights({1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(model.set_loss_weights({1, 2, 3, -1}), std::invalid_argument);
}

TEST_CASE("given weights are used as they are, and wrong ones are refused") {
  const std::vector<double> weights = {1, 2, 1, 0.5, 3, 1e6};
  CHECK_FALSE(LossWeights::Given(weights).equal());
  CHECK(LossWeights::Given(weights).For(WeightedData()) == weights);
  CHECK(LossWeights::Given({1, 1, 1, 1, 1, 1}).For(WeightedData()).empty());
  CHECK_THROWS_WITH_AS(LossWeights::Given({1, 2}).For(WeightedData()),
                       "--loss-weights: 2 costs do not fit 3 labels, which need two each",
                       DataError);
  CHECK_THROWS_AS(LossWeights::Given({-1, 1}), DataError);
  CHECK_THROWS_AS(LossWeights::Given({std::nan(""), 1}), DataError);
  CHECK_THROWS_AS(LossWeights::Given({2e6, 1}), DataError);
}
