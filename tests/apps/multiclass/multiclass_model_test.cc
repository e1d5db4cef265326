// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_model.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/multiclass/multiclass_predict.h>
#include <slackline/apps/multiclass/multiclass_weights.h>
#include <slackline/core/check.h>
#include <slackline/core/model_file.h>
#include <slackline/core/random.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Names = std::vector<std::string>;

MulticlassModel RandomModel(bool constant) {
  MulticlassModel model({"a", "b", "c"}, 2, constant);
  Random random(7);
  std::vector<double> weights(model.weights().size());
  for (double& weight : weights) weight = random.Uniform() - 0.5;
  model.set_weights(weights);
  return model;
}

/// Saves the model with one entry changed, and loads it.
void LoadChanged(const std::string& entry, const std::function<void(ModelWriter*)>& replacement) {
  const TemporaryFolder folder;
  RandomModel(true).Save(folder.Path("m.slk"));
  const ModelReader reader(folder.Path("m.slk"));
  ModelWriter writer;
  for (const std::string& name : reader.names()) {
    if (name == entry) {
      replacement(&writer);
    } else if (name == "classes" || name == "feature_names" || name.starts_with("option_")) {
      writer.Add(name, reader.Strings(name));
    } else if (name == "num_features" || name == "constant" || name == "counts") {
      writer.Add(name, reader.Integers(name));
    } else if (name == "weights" || name == "figures") {
      writer.Add(name, reader.Doubles(name));
    } else {
      writer.Add(name, reader.String(name));
    }
  }
  writer.Save(folder.Path("changed.slk"));
  MulticlassModel::Load(folder.Path("changed.slk"));
}

}  // namespace

TEST_CASE("scores are those of the definition, and the best class is predicted") {
  for (const bool constant : {true, false}) {
    const MulticlassModel model = RandomModel(constant);
    FeatureRows rows;
    rows.AddDense(std::vector<double>{2, -1});
    rows.AddSparse(std::vector<Index>{1}, std::vector<double>{3});
    rows.AddSparse({}, {});
    const double inputs[3][2] = {{2, -1}, {0, 3}, {0, 0}};
    const MulticlassPredictions predictions = PredictClasses(model, rows, 1);
    for (std::size_t m = 0; m < 3; ++m) {
      Index best = 0;
      for (Index y = 0; y < 3; ++y) {
        double score = constant ? model.constant_weights()[y] : 0.0;
        for (Index f = 0; f < 2; ++f) {
          const Offset at = model.layout()->block(0).at(y, f);
          score += model.weights()[at] * inputs[m][f];
        }
        CHECK(predictions.scores[m * 3 + y] == doctest::Approx(score));
        if (predictions.scores[m * 3 + y] > predictions.scores[m * 3 + best]) best = y;
      }
      CHECK(predictions.labels[m] == best);
    }
    CHECK(PredictClasses(model, rows, 2).scores == predictions.scores);
    CHECK(PredictClasses(model, FeatureRows(), 1).labels.empty());
    rows.AddDense(std::vector<double>{1, 1, 1});
    CHECK_THROWS_AS(PredictClasses(model, rows, 1), std::invalid_argument);
  }
}

TEST_CASE("saved models are loaded unchanged") {
  const TemporaryFolder folder;
  for (const bool constant : {true, false}) {
    MulticlassModel model = RandomModel(constant);
    model.set_feature_names({"x", "y"});
    auto rows = std::make_shared<FeatureRows>();
    rows->AddDense(std::vector<double>{1, 100});
    rows->AddDense(std::vector<double>{-1, 300});
    model.set_scaling(FeatureScaling::Learn(ScaleKind::kStandard, *rows, 2));
    model.record.loss = "0/1";
    model.Save(folder.Path("m.slk"));
    const MulticlassModel loaded = MulticlassModel::Load(folder.Path("m.slk"));
    CHECK(loaded.class_names() == model.class_names());
    CHECK(loaded.num_features() == 2);
    CHECK(loaded.has_constant() == constant);
    CHECK(loaded.feature_names() == model.feature_names());
    CHECK(loaded.weights() == model.weights());
    CHECK(loaded.scaling().divisor() == model.scaling().divisor());
    CHECK(loaded.record.loss == "0/1");
    CHECK(loaded.File().Bytes() == model.File().Bytes());
  }
}

TEST_CASE("models that contradict themselves are refused") {
  CHECK_NOTHROW(LoadChanged("", [](ModelWriter*) {}));
  const std::vector<std::pair<std::string, std::function<void(ModelWriter*)>>> changes = {
      {"task", [](ModelWriter* writer) { writer->Add("task", "sequence"); }},
      {"classes",
       [](ModelWriter* writer) { writer->Add("classes", std::vector<std::string>{"a"}); }},
      {"classes",
       [](ModelWriter* writer) {
         writer->Add("classes", std::vector<std::string>{"a", "a"});
       }},
      {"num_features",
       [](ModelWriter* writer) { writer->Add("num_features", std::vector<std::int64_t>{3}); }},
      {"num_features",
       [](ModelWriter* writer) { writer->Add("num_features", std::vector<std::int64_t>{0}); }},
      {"num_features",
       [](ModelWriter* writer) {
         writer->Add("num_features", std::vector<std::int64_t>{2000000000});
       }},
      {"constant",
       [](ModelWriter* writer) { writer->Add("constant", std::vector<std::int64_t>{2}); }},
      {"feature_names",
       [](ModelWriter* writer) { writer->Add("feature_names", std::vector<std::string>{"x"}); }},
      {"weights",
       [](ModelWriter* writer) { writer->Add("weights", std::vector<double>(8, 1.0)); }}};
  for (const auto& change : changes) {
    CAPTURE(change.first);
    CHECK_THROWS_AS(LoadChanged(change.first, change.second), DataError);
  }
}

TEST_CASE("invalid models are refused") {
  CHECK_THROWS_AS(MulticlassModel(Names{"a"}, 2, true), std::invalid_argument);
  CHECK_THROWS_AS(MulticlassModel(Names{"a", "a"}, 2, true), std::invalid_argument);
  CHECK_THROWS_AS(MulticlassModel(Names{"a", "b"}, 0, true), std::invalid_argument);
  CHECK_THROWS_AS(MulticlassModel(Names{"a", "b"}, 2000000000, true), std::invalid_argument);
  MulticlassModel model({"a", "b"}, 2, true);
  CHECK_THROWS_AS(model.set_feature_names({"x"}), std::invalid_argument);
  CHECK_THROWS_AS(model.set_weights({1, 2}), std::invalid_argument);
}

TEST_CASE("weights are listed by class") {
  MulticlassModel model({"a", "b"}, 2, true);
  model.set_weights({1, -1, 3, 0.5, 0.25, -0.25});
  WeightSummaryOptions options;
  const WeightSummary numbered = SummariseWeights(model, options);
  REQUIRE(numbered.labels.size() == 2);
  CHECK(numbered.labels[0].label == "a");
  CHECK(numbered.labels[0].constants[0].weight == 0.25);
  CHECK(numbered.labels[0].features.positive[0].name == "feature 2");
  CHECK(numbered.labels[0].features.positive[0].weight == 3);
  model.set_feature_names({"x", "y"});
  const WeightSummary named = SummariseWeights(model, options);
  CHECK(named.labels[1].features.positive[0].name == "y");
  CHECK(named.labels[1].features.negative[0].weight == -1);
}
