// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds on the number of predicted labels: parsing, bounds from training data, and models.
#include <slackline/apps/multilabel/label_counts.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/multilabel/prediction/multilabel_predictor.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/loss.h>
#include <slackline/core/model_file.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/train_loop.h>

#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

MultiLabelData LabelData(std::vector<std::int8_t> labels) {
  MultiLabelData data;
  data.source = "x";
  data.label_names = {"a", "b", "c"};
  data.labels = std::move(labels);
  return data;
}

Index Smallest(std::vector<std::int8_t> labels) {
  return LabelCountsFor(std::nullopt, LabelData(std::move(labels))).low;
}

}  // namespace

TEST_CASE("valid bounds on the number of labels are parsed, and others refused") {
  CHECK_FALSE(ParseLabelCounts("auto").has_value());
  CHECK(ParseLabelCounts("any") == CountRange{});
  CHECK(ParseLabelCounts("1-3") == CountRange{1, 3});
  CHECK(ParseLabelCounts("0-3") == CountRange{0, 3});
  CHECK(ParseLabelCounts("2-") == CountRange{2, CountRange{}.high});
  CHECK(ParseLabelCounts("2") == CountRange{2, 2});
  for (const char* text : {"", "-", "-3", "0", "0-0", "3-1", "1-2-3", "1.5", "one", " 1", "1- 2",
                           "+1", "99999999999999999999", "1-99999999999999999999", "Any"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(ParseLabelCounts(text), DataError);
  }
  CHECK_THROWS_WITH_AS(ParseLabelCounts("3-1"),
                       "--label-counts: '3-1' is not one of auto, any, MIN-MAX, MIN- and N, with 0 "
                       "<= MIN <= MAX and MAX > 0",
                       DataError);
}

TEST_CASE("bounds from training data start at the smallest number of labels") {
  CHECK(Smallest({1, 0, 0, 1, 1, 0}) == 1);
  CHECK(Smallest({1, 1, 0, 1, 1, 1}) == 2);
  CHECK(Smallest({1, 1, 0, 0, 0, 0}) == 0);
  // Unknown labels may be 0. An example without known labels gives no bound.
  CHECK(Smallest({1, 1, 0, -1, 1, -1}) == 1);
  CHECK(Smallest({1, 1, 0, -1, -1, -1}) == 2);
  CHECK(Smallest({-1, -1, -1}) == 0);
  CHECK(LabelCountsFor(std::nullopt, LabelData({1, 0, 0})).high == CountRange{}.high);
  CHECK(LabelCountsFor(CountRange{2, 3}, LabelData({1, 0, 0})) == CountRange{2, 3});
  CHECK_THROWS_WITH_AS(LabelCountsFor(CountRange{4, 5}, LabelData({1, 0, 0})),
                       "x: --label-counts asks for 4 labels or more, but the data have 3",
                       DataError);
  CHECK(DescribeLabelCounts({}, 3) == "any number of labels");
  CHECK(DescribeLabelCounts({0, 3}, 3) == "any number of labels");
  CHECK(DescribeLabelCounts({1, 3}, 3) == "at least 1 label");
  CHECK(DescribeLabelCounts({0, 2}, 3) == "at most 2 labels");
  CHECK(DescribeLabelCounts({1, 2}, 3) == "1 to 2 labels");
  CHECK(DescribeLabelCounts({2, 2}, 3) == "exactly 2 labels");
}

TEST_CASE("training uses the bounds where their oracle is exact") {
  const MultiLabelModel alone({"a", "b", "c"}, 1, true, {});
  const MultiLabelModel joined({"a", "b", "c"}, 1, true, {{0, 2}});
  const MultiLabelModel kernel({"a", "b", "c"}, 1, true, {}, true);
  const MultiLabelData data = LabelData({1, 0, 0, 1, 1, 0});
  CHECK(TrainingCounts(CountRange{1, 2}, alone, data) == CountRange{1, 2});
  CHECK(TrainingCounts(std::nullopt, alone, data) == CountRange{});
  CHECK(TrainingCounts(CountRange{1, 2}, joined, data) == CountRange{});
  CHECK(TrainingCounts(CountRange{1, 2}, kernel, data) == CountRange{});
  CHECK(TrainingCounts(CountRange{1, 1}, alone, data) == CountRange{});
  CHECK(TrainingCounts(CountRange{1, 2}, alone, LabelData({1, 0, 0, 1, -1, 0})) == CountRange{});
}

TEST_CASE("with exactly one label training is a multi-class support vector machine") {
  // The labels are scored independently; the oracle returns only labellings with exactly one label.
  MultiLabelData data = LabelData({1, 0, 0, 0, 1, 0, 0, 0, 1});
  data.num_features = 1;
  data.lines = {1, 2, 3};
  auto rows = std::make_shared<FeatureRows>();
  for (const double x : {1.0, 2.0, 4.0}) rows->AddDense(std::vector<double>{x});
  data.rows = rows;
  const MultiLabelModel model({"a", "b", "c"}, 1, false, {});
  LossOptions loss;
  loss.scale = LossScale::kCount;
  const Problem counted(MakeTrainingSet(model.MakeDataset(data, {1, 1}), loss), 0.1);
  CHECK(counted.data().example(0).structure().globals().size() == 1);
  TrainOptions options;
  options.gap_tolerance = 1e-9;
  const TrainSummary summary = Train(counted, options);
  // The hinge is the maximum over wrong classes of 2 + w·x: a wrong class differs in two labels.
  double hinge = 0;
  const double x[3] = {1, 2, 4};
  for (std::size_t m = 0; m < 3; ++m) {
    double worst = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (k != m) worst = std::max(worst, 2 + (summary.weights[k] - summary.weights[m]) * x[m]);
    }
    hinge += worst / 3;
  }
  double norm = 0;
  for (const double w : summary.weights) norm += w * w;
  CHECK(summary.last.primal == doctest::Approx(0.05 * norm + hinge).epsilon(1e-9));
  // At w = 0 the loss without bounds is 3, since each of the labels may be wrong.
  CHECK(PrimalAtZeroWeights(counted) == doctest::Approx(2));
  CHECK(PrimalAtZeroWeights(Problem(MakeTrainingSet(model.MakeDataset(data), loss), 0.1)) ==
        doctest::Approx(3));
}

TEST_CASE("models keep them") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  MultiLabelModel model({"a", "b", "c"}, 1, true, {{0, 1}});
  CHECK(model.label_counts() == CountRange{});
  model.Save(path);
  CHECK_FALSE(ModelReader(path).Has("label_counts"));
  CHECK(MultiLabelModel::Load(path).label_counts() == CountRange{});
  model.set_label_counts({1, 2});
  model.Save(path);
  CHECK(MultiLabelModel::Load(path).label_counts() == CountRange{1, 2});
  model.set_label_counts({2, CountRange{}.high});
  model.Save(path);
  CHECK(MultiLabelModel::Load(path).label_counts() == CountRange{2, 3});
  CHECK_THROWS_AS(model.set_label_counts({4, 5}), std::invalid_argument);
  // A predictor keeps the bounds, too: all weights are 0, so no label has a positive score.
  MultiLabelPredictor predictor(path);
  CHECK(predictor.Predict(std::vector<double>{1.0}).size() == 2);
  CHECK(MultiLabelPredictor(predictor).Predict(std::vector<double>{1.0}).size() == 2);
}
