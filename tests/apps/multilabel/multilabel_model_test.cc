// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/multilabel_model.h>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/model_file.h>
#include <slackline/core/random.h>
#include <slackline/learning/train_loop.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Pairs = std::vector<LabelPair>;
using Integers = std::vector<std::int64_t>;
using Doubles = std::vector<double>;
using Strings = std::vector<std::string>;

const std::vector<std::string> kModelNames = {"a", "b, \"quoted\"", "\xC3\xA4 \xF0\x9F\x99\x82"};

MultiLabelModel ExampleModel() {
  MultiLabelModel model(kModelNames, 2, true, {{0, 1}, {1, 2}});
  std::vector<double> weights(11);
  Random random(3);
  for (double& weight : weights) weight = random.Normal();
  model.set_weights(weights);
  TrainingRecord& record = model.record;
  record.program = "test 1";
  record.data = "x.svm";
  record.options = {{"graph", "tree"}, {"lambda", "0.5"}};
  record.num_examples = 7;
  record.lambda = 0.5;
  record.loss = "count";
  record.problem = CertifiedProblem::kExact;
  record.primal = 2;
  record.dual = 1.5;
  record.gap = 0.5;
  record.relative_gap = 0.25;
  record.termination = Termination::kTimeLimit;
  record.message = "why";
  record.passes = 12;
  record.seconds = 3;
  record.check_seconds = 4;
  return model;
}

MultiLabelData ExampleData() {
  MultiLabelData data;
  data.label_names = kModelNames;
  data.num_features = 2;
  data.has_constant = true;
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::vector<double>{0.5, -2, 1});
  rows->AddSparse(std::vector<Index>{1, 2}, std::vector<double>{3, 1});
  data.rows = rows;
  data.labels = {1, 0, 1, -1, 1, 0};
  data.lines = {1, 2};
  return data;
}

/// The error of loading a good model file with one entry replaced.
template <class T>
std::string LoadErrorWith(const std::string& entry, const T& value) {
  const TemporaryFolder folder;
  const std::string good = folder.Path("good.slk");
  ExampleModel().Save(good);
  const ModelReader reader(good);
  ModelWriter writer;
  for (const std::string& name : reader.names()) {
    if (name == entry) {
      writer.Add(name, value);
    } else if (name == "weights" || name == "figures") {
      writer.Add(name, reader.Doubles(name));
    } else if (name == "sizes" || name == "pairs" || name == "counts") {
      writer.Add(name, reader.Integers(name));
    } else if (name == "label_names" || name == "option_names" || name == "option_values") {
      writer.Add(name, reader.Strings(name));
    } else {
      writer.Add(name, reader.String(name));
    }
  }
  const std::string bad = folder.Path("bad.slk");
  writer.Save(bad);
  return MessageOf<DataError>([&] { MultiLabelModel::Load(bad); });
}

}  // namespace

TEST_CASE("scores are those of the definition") {
  const MultiLabelModel model = ExampleModel();
  const MultiLabelData data = ExampleData();
  const Dataset dataset = model.MakeDataset(data);
  REQUIRE(dataset.size() == 2);
  CHECK(dataset.example(1).labels()[0] == kUnlabelled);
  CHECK(dataset.example(1).labels()[1] == 1);
  CHECK(&dataset.example(0).structure() == &dataset.example(1).structure());
  std::vector<double> scores(model.structure()->graph().total_states());
  ScoreTables(dataset.example(0), model.weights(), scores);
  const auto& w = model.weights();
  const double x[3] = {0.5, -2, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(scores[2 * i] == 0);
    CHECK(Near(scores[2 * i + 1], w[i] * x[0] + w[3 + i] * x[1] + w[6 + i] * x[2], kExact));
  }
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t s = 0; s < 3; ++s) CHECK(scores[6 + 4 * c + s] == 0);
    CHECK(scores[6 + 4 * c + 3] == w[9 + c]);
  }
}

TEST_CASE("models without pairs or without features are valid") {
  const MultiLabelModel none({"x"}, 4, false, {});
  CHECK(none.weights().size() == 4);
  CHECK(none.structure()->graph().num_factors() == 0);
  const MultiLabelModel constant({"x", "y"}, 0, true, {{0, 1}});
  CHECK(constant.weights().size() == 3);
}

TEST_CASE("bad arguments are refused") {
  const auto make = [](std::vector<std::string> names, Index features, Pairs pairs) {
    MultiLabelModel(std::move(names), features, false, std::move(pairs));
  };
  CHECK_THROWS_AS(make({}, 1, {}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "a"}, 1, {}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a"}, 0, {}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "b"}, 1, {{0, 2}}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "b"}, 1, {{1, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "b"}, 1, {{1, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "b"}, 1, {{0, 1}, {0, 1}}), std::invalid_argument);
  MultiLabelModel model = ExampleModel();
  CHECK_THROWS_AS(model.set_weights({1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(model.set_weights(std::vector<double>(11, kInfinity)), std::invalid_argument);
  MultiLabelData data = ExampleData();
  data.has_constant = false;
  CHECK_THROWS_AS(model.MakeDataset(data), std::invalid_argument);
}

TEST_CASE("names of features are stored where given") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  MultiLabelModel model = ExampleModel();
  model.Save(path);
  CHECK_FALSE(ModelReader(path).Has("feature_names"));
  CHECK(MultiLabelModel::Load(path).feature_names().empty());
  CHECK(MultiLabelModel::Load(path).ReadOptions().feature_names.empty());
  const std::vector<std::string> names = {"height", "width"};
  model.set_feature_names(names);
  model.Save(path);
  CHECK(MultiLabelModel::Load(path).feature_names() == names);
  CHECK(MultiLabelModel::Load(path).ReadOptions().feature_names == names);
  CHECK_THROWS_AS(model.set_feature_names({"height"}), std::invalid_argument);
}

TEST_CASE("a saved model is loaded unchanged") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  const MultiLabelModel model = ExampleModel();
  model.Save(path);
  const MultiLabelModel loaded = MultiLabelModel::Load(path);
  CHECK(loaded.label_names() == kModelNames);
  CHECK(loaded.num_features() == 2);
  CHECK(loaded.has_constant());
  CHECK(loaded.pairs() == model.pairs());
  CHECK(loaded.weights() == model.weights());
  CHECK(loaded.record.program == "test 1");
  CHECK(loaded.record.data == "x.svm");
  CHECK(loaded.record.options == model.record.options);
  CHECK(loaded.record.num_examples == 7);
  CHECK(loaded.record.lambda == 0.5);
  CHECK(loaded.record.loss == "count");
  CHECK(loaded.record.problem == CertifiedProblem::kExact);
  CHECK(loaded.record.primal == 2);
  CHECK(loaded.record.dual == 1.5);
  CHECK(loaded.record.gap == 0.5);
  CHECK(loaded.record.relative_gap == 0.25);
  CHECK(loaded.record.termination == Termination::kTimeLimit);
  CHECK(loaded.record.message == "why");
  CHECK(loaded.record.passes == 12);
  CHECK(loaded.record.seconds == 3);
  CHECK(loaded.record.check_seconds == 4);

  const MultiLabelReadOptions options = loaded.ReadOptions();
  CHECK(options.label_names == kModelNames);
  CHECK(options.num_features == 2);
  CHECK(options.constant);
  const PredictOptions predict{.scores = true};
  const MultiLabelPredictions before = Predict(model, ExampleData(), predict);
  const MultiLabelPredictions after = Predict(loaded, ExampleData(), predict);
  CHECK(before.labels == after.labels);
  CHECK(before.scores == after.scores);
}

TEST_CASE("models of other tasks and damaged files are refused") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  ModelWriter other;
  other.Add("task", std::string("segmentation"));
  other.Save(path);
  CHECK(MessageOf<DataError>([&] { MultiLabelModel::Load(path); }) ==
        path + ": a model of another task: 'segmentation', not 'multilabel'");
  ModelWriter().Save(path);
  CHECK(Contains(MessageOf<DataError>([&] { MultiLabelModel::Load(path); }),
                 "another task: 'unknown'"));
  ExampleModel().Save(path);
  const std::string bytes = ReadBytes(path);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{5}, std::size_t{30}, bytes.size() / 2, bytes.size() - 1}) {
    folder.Write("cut.slk", bytes.substr(0, length));
    CHECK_THROWS_AS(MultiLabelModel::Load(folder.Path("cut.slk")), DataError);
  }
  CHECK(Contains(MessageOf<DataError>([&] { MultiLabelModel::Load(folder.Path("cut.slk")); }),
                 "truncated"));
}

TEST_CASE("entries that contradict each other are refused") {
  CHECK(Contains(LoadErrorWith("label_names", Strings{}), "entry 'label_names' does not fit"));
  CHECK(Contains(LoadErrorWith("label_names", Strings{"a", "a", "b"}),
                 "entry 'label_names' does not fit"));
  CHECK(Contains(LoadErrorWith("label_names", Strings{"a", "b", "c", "d"}),
                 "entry 'weights' does not fit"));
  CHECK(Contains(LoadErrorWith("sizes", Integers{2}), "entry 'sizes' does not fit"));
  CHECK(Contains(LoadErrorWith("sizes", Integers{2, 2}), "entry 'sizes' does not fit"));
  CHECK(Contains(LoadErrorWith("sizes", Integers{-1, 1}), "entry 'sizes' does not fit"));
  CHECK(Contains(LoadErrorWith("sizes", Integers{0, 0}), "entry 'sizes' does not fit"));
  CHECK(Contains(LoadErrorWith("sizes", Integers{std::int64_t{1} << 40, 1}),
                 "entry 'sizes' does not fit"));
  CHECK(Contains(LoadErrorWith("sizes", Integers{2000000000, 1}), "entry 'weights' does not fit"));
  CHECK(Contains(LoadErrorWith("pairs", Integers{0, 1, 1}), "entry 'pairs' does not fit"));
  CHECK(Contains(LoadErrorWith("pairs", Integers{1, 0, 1, 2}), "entry 'pairs' does not fit"));
  CHECK(Contains(LoadErrorWith("pairs", Integers{0, 1, 0, 1}), "entry 'pairs' does not fit"));
  CHECK(Contains(LoadErrorWith("pairs", Integers{0, 1, 1, 3}), "entry 'pairs' does not fit"));
  CHECK(Contains(LoadErrorWith("weights", Doubles(10)), "entry 'weights' does not fit"));
  CHECK(Contains(LoadErrorWith("weights", Doubles(11, kNone)), "entry 'weights' does not fit"));
  CHECK(
      Contains(LoadErrorWith("option_names", Strings{"x"}), "entry 'option_values' does not fit"));
  CHECK(Contains(LoadErrorWith("problem", std::string("easy")), "entry 'problem' does not fit"));
  CHECK(
      Contains(LoadErrorWith("termination", std::string("")), "entry 'termination' does not fit"));
  CHECK(Contains(LoadErrorWith("counts", Integers{1, -1}), "entry 'counts' does not fit"));
  CHECK(Contains(LoadErrorWith("figures", Doubles(6)), "entry 'figures' does not fit"));
  CHECK(Contains(LoadErrorWith("weights", std::string("w")),
                 "entry 'weights' of the model holds string"));
}

TEST_CASE("predictions do not depend on the number of threads, and scores agree with labels") {
  const MultiLabelModel model = ExampleModel();
  MultiLabelData data = ExampleData();
  auto rows = std::make_shared<FeatureRows>();
  Random random(5);
  constexpr Index kExamples = 150;
  for (Index m = 0; m < kExamples; ++m) {
    rows->AddDense(std::vector<double>{3 * random.Normal(), 3 * random.Normal(), 1});
  }
  data.rows = rows;
  data.lines.resize(kExamples);
  data.labels.assign(3 * kExamples, 0);
  PredictOptions options{.scores = true, .fractional = true};
  const MultiLabelPredictions one = Predict(model, data, options);
  options.threads = 3;
  const MultiLabelPredictions three = Predict(model, data, options);
  CHECK(one.labels == three.labels);
  CHECK(one.scores == three.scores);
  CHECK(one.decoder == three.decoder);
  REQUIRE(one.fractional.has_value());  // a graph without cycles
  CHECK(*one.fractional == 0);
  CHECK(*three.fractional == 0);
  for (std::size_t k = 0; k < one.labels.size(); ++k)
    CHECK((one.scores[k] > 0) == (one.labels[k] == 1));
}

namespace {

/// A kernelised model with dense and sparse support vectors.
MultiLabelModel KernelExample(bool constant) {
  MultiLabelModel model(kModelNames, 2, constant, {{0, 1}, {1, 2}}, true);
  MultiLabelData data = ExampleData();
  data.has_constant = false;
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::vector<double>{0.5, -2});
  rows->AddSparse(std::vector<Index>{1}, std::vector<double>{3});
  rows->AddDense(std::vector<double>{1, 1});
  data.rows = rows;
  data.labels = {1, 0, 1, -1, 1, 0, 0, 0, 1};
  data.lines = {1, 2, 3};
  const Problem problem(MakeTrainingSet(model.MakeDataset(data), LossOptions{}), 0.1);
  TrainOptions options;
  options.learner = LearnerKind::kKernelBcfw;
  options.kernel = KernelKind::kRbf;
  options.gap_tolerance = 0.01;
  model.SetTrained(problem, options, Train(problem, options).weights);
  return model;
}

std::vector<double> ScoresOf(const MultiLabelModel& model) {
  MultiLabelData data = ExampleData();
  data.has_constant = false;
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::vector<double>{0.25, 1});
  rows->AddSparse(std::vector<Index>{0}, std::vector<double>{-1});
  data.rows = rows;
  const Dataset examples = model.MakeDataset(data);
  std::vector<double> all;
  for (Index m = 0; m < 2; ++m) {
    std::vector<double> scores(model.structure()->graph().total_states());
    model.Scores(examples.example(m), scores);
    all.insert(all.end(), scores.begin(), scores.end());
  }
  return all;
}

/// The error of loading a kernelised model with one entry replaced.
template <class T>
std::string KernelLoadError(const std::string& entry, const T& value) {
  const TemporaryFolder folder;
  KernelExample(true).Save(folder.Path("good.slk"));
  const ModelReader reader(folder.Path("good.slk"));
  ModelWriter writer;
  for (const std::string& name : reader.names()) {
    if (name == entry) {
      writer.Add(name, value);
    } else if (name == "weights" || name == "figures" || name == "kernel_numbers" ||
               name == "support_values" || name == "coefficients") {
      writer.Add(name, reader.Doubles(name));
    } else if (name == "sizes" || name == "pairs" || name == "counts" || name == "support_counts" ||
               name == "support_columns") {
      writer.Add(name, reader.Integers(name));
    } else if (name == "label_names" || name == "option_names" || name == "option_values") {
      writer.Add(name, reader.Strings(name));
    } else {
      writer.Add(name, reader.String(name));
    }
  }
  writer.Save(folder.Path("bad.slk"));
  try {
    MultiLabelModel::Load(folder.Path("bad.slk"));
  } catch (const DataError& error) {
    return error.what();
  }
  return "loaded";
}

}  // namespace

TEST_CASE("kernelised models score by support vectors, before and after saving") {
  for (const bool constant : {false, true}) {
    const MultiLabelModel model = KernelExample(constant);
    REQUIRE(model.support());
    CHECK(model.support()->size() == 3);
    CHECK(model.weights().size() == (constant ? 5 : 2));
    CHECK(model.ReadOptions().constant == false);
    const TemporaryFolder folder;
    model.Save(folder.Path("k.slk"));
    const MultiLabelModel loaded = MultiLabelModel::Load(folder.Path("k.slk"));
    CHECK(loaded.kernelized());
    CHECK(loaded.has_constant() == constant);
    CHECK(loaded.support()->kernel().description() == "rbf, gamma 0.5");
    const std::vector<double> scores = ScoresOf(model);
    CHECK(scores == ScoresOf(loaded));
    // The score of state 1 of the first variable, by hand.
    double by_hand = constant ? model.weights()[0] : 0;
    const double squared[] = {0.0625 + 9, 0.0625 + 4, 0.5625};
    for (std::size_t j = 0; j < 3; ++j)
      by_hand += model.support()->coefficients()[3 * j] * std::exp(-0.5 * squared[j]);
    CHECK(Near(scores[1], by_hand, kExact));
    CHECK(scores[0] == 0);
    CHECK(by_hand != 0);
  }
}

TEST_CASE("kernelised models with inconsistent entries are refused") {
  const auto refused = [](const std::string& error, const std::string& entry) {
    return error.find("entry '" + entry + "' does not fit") != std::string::npos;
  };
  CHECK(KernelLoadError("task", std::string("multilabel")) == "loaded");
  CHECK(refused(KernelLoadError("kernel", std::string("cubic")), "kernel"));
  CHECK(
      refused(KernelLoadError("kernel_numbers", std::vector<double>{-1, 1, 3}), "kernel_numbers"));
  CHECK(
      refused(KernelLoadError("kernel_numbers", std::vector<double>{1, 1, 2.5}), "kernel_numbers"));
  CHECK(
      refused(KernelLoadError("support_counts", std::vector<std::int64_t>{2, -2}), "coefficients"));
  CHECK(refused(KernelLoadError("support_counts", std::vector<std::int64_t>{2, -2, 3}),
                "support_counts"));
  CHECK(refused(KernelLoadError("support_counts", std::vector<std::int64_t>{2, -3, 2}),
                "support_counts"));
  CHECK(refused(KernelLoadError("support_counts", std::vector<std::int64_t>{2, -2, 1}),
                "support_values"));
  CHECK(
      refused(KernelLoadError("support_columns", std::vector<std::int64_t>{2}), "support_columns"));
  CHECK(refused(KernelLoadError("support_values", std::vector<double>{1, 2, 3, 1e300, 5}),
                "support_values"));
  CHECK(refused(KernelLoadError("coefficients", std::vector<double>(9, std::nan(""))),
                "coefficients"));
  CHECK(refused(KernelLoadError("weights", std::vector<double>(11, 0.0)), "weights"));
}
