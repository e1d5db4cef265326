// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/prediction/multilabel_predictor.h>

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/tables/table_schema.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/random.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kFeatures = 4;

/// Four features, five labels, all pairs, random weights.
MultiLabelModel FullModel(bool constant) {
  std::vector<LabelPair> pairs;
  for (Index a = 0; a < 5; ++a) {
    for (Index b = a + 1; b < 5; ++b) pairs.push_back({a, b});
  }
  MultiLabelModel model({"A", "B", "C", "D", "E"}, kFeatures, constant, std::move(pairs));
  Random random(5);
  std::vector<double> weights(model.weights().size());
  for (double& weight : weights) weight = random.Normal();
  model.set_weights(std::move(weights));
  return model;
}

const std::vector<std::vector<double>> kInputRows = {
    {0.5, -1.25, 0, 3}, {0, 0, 0, 0}, {-2, 0.1, 0.7, 0}, {1e-3, 4, -0.3, 1}};

/// The examples as the text of a file.
std::string InputText(bool arff) {
  std::string text = arff ? "@relation r\n" : "";
  if (arff) {
    for (const char* name : {"f0", "f1", "f2", "f3"})
      text += "@attribute " + std::string(name) + " numeric\n";
    text += "@data\n";
  }
  for (const auto& example : kInputRows) {
    text += arff ? "" : "?";
    for (std::size_t f = 0; f < example.size(); ++f) {
      const std::string value = std::to_string(example[f]);
      if (arff) text += (f > 0 ? "," : "") + value;
      if (!arff && example[f] != 0) text += " " + std::to_string(f + 1) + ":" + value;
    }
    text += "\n";
  }
  return text;
}

FeatureScaling ScalingOf(ScaleKind kind) {
  FeatureRows rows;
  for (const auto& example : kInputRows) rows.AddDense(example);
  return FeatureScaling::Learn(kind, rows, kFeatures);
}

constexpr ScaleKind kScalings[] = {ScaleKind::kStandard, ScaleKind::kMaxAbs, ScaleKind::kNorm};

/// A model with the weights 1, −2, 3, … of labels a and b.
MultiLabelModel TableModel(std::shared_ptr<const TableSchema> table, FeatureScaling scaling) {
  const auto n = static_cast<Index>(table->num_features());
  MultiLabelModel model({"a", "b"}, n, true, {{0, 1}});
  model.set_feature_names(table->FeatureNames());
  InputRecord input;
  input.fill_values.assign(n, 0.0);
  for (std::size_t f = 0, c = 0; c < table->columns.size(); ++c) {
    if (!table->columns[c].categorical()) input.fill_values[f] = 1.25;
    f += table->columns[c].width();
  }
  input.table = std::move(table);
  model.set_input(std::move(input));
  model.set_scaling(std::move(scaling));
  Random random(7);
  std::vector<double> weights(model.weights().size());
  for (double& weight : weights) weight = random.Normal();
  model.set_weights(std::move(weights));
  return model;
}

/// A table with two numbers and a category; with many categories rows are stored as sparse vectors.
std::shared_ptr<const TableSchema> ColourTable(bool sparse) {
  auto table = std::make_shared<TableSchema>();
  std::vector<std::string> colours = {"blue", "green", "red"};
  for (int k = 0; sparse && k < 300; ++k) colours.push_back("s" + std::to_string(100 + k));
  table->columns = {{"age", {}}, {"colour", colours}, {"size", {}}};
  CHECK(table->sparse() == sparse);
  return table;
}

FeatureScaling TableScaling(ScaleKind kind, const TableSchema& table) {
  TableRows rows(table, false);
  for (const char* age : {"1", "4", "-3"}) {
    rows.SetCell(0, age, {});
    rows.SetCell(1, age[0] == '4' ? "red" : "blue", {});
    rows.SetNumber(2, age[0]);
    rows.EndRow();
  }
  return FeatureScaling::Learn(kind, *rows.rows(), static_cast<Index>(table.num_features()));
}

using Cells = std::vector<std::pair<std::string, std::string>>;

const std::vector<Cells> kTableRows = {{{"age", "3"}, {"colour", "red"}, {"size", "0"}},
                                       {{"size", "NA"}, {"age", " -2.5 "}, {"colour", "violet"}},
                                       {{"age", "0"}, {"colour", ""}, {"size", "12"}}};

}  // namespace

TEST_CASE("one call gives the results of a file with the example") {
  const TemporaryFolder folder;
  for (const bool constant : {false, true}) {
    for (const DecodeKind decode : {DecodeKind::kAuto, DecodeKind::kLp}) {
      const MultiLabelModel model = FullModel(constant);
      model.Save(folder.Path("m.slk"));
      MultiLabelPredictor predictor(folder.Path("m.slk"), decode);
      CHECK(predictor.labels() == model.label_names());
      for (const bool dense : {false, true}) {
        CAPTURE(dense);
        const MultiLabelData data =
            ReadMultiLabelData(folder.Write("d", InputText(dense)), model.ReadOptions());
        PredictOptions options;
        options.decode = decode;
        options.scores = true;
        const MultiLabelPredictions expected = Predict(model, data, options);
        for (std::size_t m = 0; m < kInputRows.size(); ++m) {
          std::vector<Index> columns;
          std::vector<double> values;
          for (Index f = 0; f < kFeatures; ++f) {
            const double value = kInputRows[m][f];
            if (value == 0) continue;
            columns.push_back(f);
            values.push_back(value);
          }
          const ExampleFeatures features =
              dense ? ExampleFeatures(kInputRows[m]) : ExampleFeatures(columns, values);
          const auto flags = predictor.PredictFlags(features);
          const auto names = predictor.Predict(features);
          const auto scores = predictor.Scores(features);
          std::vector<std::string> expected_names;
          for (std::size_t k = 0; k < 5; ++k) {
            CHECK(flags[k] == expected.labels[m * 5 + k]);
            CHECK(scores[k] == expected.scores[m * 5 + k]);
            if (flags[k] == 1) expected_names.push_back(model.label_names()[k]);
          }
          CHECK(names == expected_names);
        }
      }
    }
  }
}

TEST_CASE("features are given unscaled as in files, and scaled once") {
  const TemporaryFolder folder;
  for (const ScaleKind kind : kScalings) {
    CAPTURE(Name(kind));
    MultiLabelModel model = FullModel(true);
    model.set_scaling(ScalingOf(kind));
    MultiLabelPredictor predictor(model);
    PredictOptions options;
    options.scores = true;
    const auto expected =
        Predict(model, ReadMultiLabelData(folder.Write("d", InputText(true)), model.ReadOptions()),
                options);
    const auto sparse =
        Predict(model, ReadMultiLabelData(folder.Write("s", InputText(false)), model.ReadOptions()),
                options);
    for (std::size_t m = 0; m < kInputRows.size(); ++m) {
      const auto scores = predictor.Scores(kInputRows[m]);
      const std::vector<Index> at = {0, 1, 2, 3};
      const auto of_sparse = predictor.Scores({at, kInputRows[m]});
      for (std::size_t k = 0; k < 5; ++k) {
        CHECK(scores[k] == expected.scores[m * 5 + k]);
        CHECK(of_sparse[k] == sparse.scores[m * 5 + k]);
        CHECK(of_sparse[k] == doctest::Approx(scores[k]));
      }
    }
    if (kind == ScaleKind::kNorm) continue;
    model.set_scaling(FeatureScaling::FromNumbers(kind, {}, {1, 1e-40, 1, 1}));
    CHECK_THROWS_AS(MultiLabelPredictor(model).Predict(std::vector<double>(4, 1e20)),
                    std::invalid_argument);
  }
}

TEST_CASE("rows of a table are read as in files, scaled and unscaled, dense and sparse") {
  const TemporaryFolder folder;
  const std::string file =
      folder.Write("t.csv", "age,colour,size\n3,red,0\n-2.5,violet,NA\n0,,12\n");
  for (const bool sparse : {false, true}) {
    for (const ScaleKind kind :
         {ScaleKind::kUnscaled, ScaleKind::kStandard, ScaleKind::kMaxAbs, ScaleKind::kNorm}) {
      CAPTURE(sparse);
      CAPTURE(Name(kind));
      const auto table = ColourTable(sparse);
      const MultiLabelModel model = TableModel(table, TableScaling(kind, *table));
      model.Save(folder.Path("m.slk"));
      MultiLabelPredictor predictor(folder.Path("m.slk"));
      PredictOptions options;
      options.scores = true;
      const auto expected = Predict(model, ReadMultiLabelData(file, model.ReadOptions()), options);
      for (std::size_t m = 0; m < kTableRows.size(); ++m) {
        const std::vector<double> features = predictor.FeaturesOfRow(kTableRows[m]);
        REQUIRE(std::ssize(features) == model.num_features());
        std::vector<Index> at;
        std::vector<double> values;
        for (std::size_t f = 0; f < features.size(); ++f) {
          if (features[f] == 0) continue;
          at.push_back(static_cast<Index>(f));
          values.push_back(features[f]);
        }
        const auto scores = predictor.Scores(features);
        CHECK(predictor.Scores({at, values}) == scores);
        CHECK(predictor.PredictRow(kTableRows[m]) == predictor.Predict(features));
        for (std::size_t k = 0; k < 2; ++k) CHECK(scores[k] == expected.scores[m * 2 + k]);
      }
      using Named = std::vector<std::pair<std::string, double>>;
      CHECK(predictor.PredictNamed(Named{{"age", 3}, {"colour=red", 1}}) ==
            predictor.PredictRow(kTableRows[0]));
    }
  }
}

TEST_CASE("rows that do not fit the table are refused") {
  const auto table = ColourTable(false);
  MultiLabelPredictor predictor(TableModel(table, {}));
  const auto error = [&](const Cells& cells) {
    return MessageOf<std::invalid_argument>([&] { predictor.PredictRow(cells); });
  };
  CHECK(Contains(error({{"Age", "1"}}), "the model has no column 'Age' of features"));
  CHECK(Contains(error({{"a", "1"}}), "the model has no column 'a' of features"));
  CHECK(Contains(error({{"age", "1"}, {"age", "2"}}), "column 'age' is given twice"));
  CHECK(Contains(error({{"age", "old"}}), "value 'old' of column 'age' is not a finite number"));
  CHECK(Contains(error({{"age", "1e51"}}), "value '1e51' of column 'age' is too large"));
  CHECK(predictor.FeaturesOfRow({}) == std::vector<double>{1.25, 0, 0, 0, 1.25});
  MultiLabelPredictor other(FullModel(true));
  CHECK(Contains(MessageOf<std::invalid_argument>([&] { other.PredictRow(kTableRows[0]); }),
                 "the model was not trained on a table"));
}

TEST_CASE("features can be given by name") {
  MultiLabelModel model = FullModel(true);
  model.set_feature_names({"f0", "f1", "f2", "f3"});
  MultiLabelPredictor predictor(model);
  using Named = std::vector<std::pair<std::string, double>>;
  CHECK(predictor.PredictNamed(Named{{"f3", 3}, {"f0", 0.5}, {"f1", -1.25}}) ==
        predictor.Predict(kInputRows[0]));
  CHECK(predictor.PredictNamed({}) == predictor.Predict(kInputRows[1]));
  CHECK(Contains(MessageOf<std::invalid_argument>([&] {
                   predictor.PredictNamed(Named{{"f4", 1}});
                 }),
                 "the model has no feature 'f4'"));
  CHECK(Contains(MessageOf<std::invalid_argument>([&] {
                   predictor.PredictNamed(Named{{"f1", 1}, {"f1", 1}});
                 }),
                 "feature 'f1' is given twice"));
}

TEST_CASE("copies share the model and work in other threads") {
  MultiLabelPredictor first(FullModel(true));
  MultiLabelPredictor copy(first);
  CHECK(&copy.model() == &first.model());
  const auto expected = first.Predict(kInputRows[3]);
  std::vector<std::string> of_thread;
  std::thread thread([&] { of_thread = copy.Predict(kInputRows[3]); });
  CHECK(first.Predict(kInputRows[3]) == expected);
  thread.join();
  CHECK(of_thread == expected);
  copy = first;
  CHECK(copy.Predict(kInputRows[3]) == expected);
}

TEST_CASE("features that do not fit are refused") {
  MultiLabelPredictor predictor(FullModel(true));
  const auto error = [&](const ExampleFeatures& features) {
    return MessageOf<std::invalid_argument>([&] { predictor.Predict(features); });
  };
  CHECK(Contains(error(std::vector<double>(5, 0.0)), "5 features, but the model has 4"));
  CHECK(Contains(error(std::vector<double>(4, 1e51)), "a feature is not a number up to 1e50"));
  CHECK(Contains(error(std::vector<double>(4, std::numeric_limits<double>::quiet_NaN())),
                 "a feature is not a number up to 1e50"));
  const std::vector<double> two = {1, 2};
  const std::vector<Index> beyond = {1, 4};
  const std::vector<Index> falling = {2, 1};
  const std::vector<Index> one = {1};
  CHECK(Contains(error({beyond, two}), "feature 4, but the model has 4, numbered from 0"));
  CHECK_THROWS_AS(predictor.Predict({falling, two}), std::invalid_argument);
  CHECK_THROWS_AS(predictor.Predict({one, two}), std::invalid_argument);
  CHECK_THROWS_AS(MultiLabelPredictor("/dev/null"), DataError);
}
