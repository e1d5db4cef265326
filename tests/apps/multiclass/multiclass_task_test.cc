// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_task.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/multiclass/multiclass_predict.h>
#include <slackline/core/random.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>
#include <tests/support/dense_qp.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Setup {
  bool constant = true;
  bool kernelized = false;
  const char* scale = "auto";
  Ranks* ranks = nullptr;
};

TaskInput<MulticlassTask> InputOf(MulticlassData data, const Setup& setup) {
  TaskOptions options(MulticlassTask::Options());
  options.Set("scale", setup.scale);
  data.kernelized = setup.kernelized;
  MulticlassModel model = MulticlassTask::MakeModel(data, setup.constant);
  return MakeTaskInput<MulticlassTask>({{}, options, setup.kernelized}, std::move(data),
                                       std::move(model), setup.ranks);
}

/// The training of a model on these data.
struct ClassTraining {
  explicit ClassTraining(MulticlassData data, const Setup& setup = {})
      : input(InputOf(std::move(data), setup)) {}

  const MulticlassModel& model() const { return input.model; }

  TaskInput<MulticlassTask> input;
  TaskTraining<MulticlassTask> task{&input};
};

/// Examples with two features, and the constant as the third unless there is none.
MulticlassData RandomData(Index examples, bool constant, bool sparse = false) {
  Random random(11);
  MulticlassData data;
  data.source = "data";
  data.class_names = {"a", "b", "c"};
  data.num_features = 2;
  auto rows = std::make_shared<FeatureRows>();
  for (Index m = 0; m < examples; ++m) {
    const auto label = static_cast<Index>(random.Below(3));
    std::vector<double> x = {random.Uniform() + (label == 1 ? 1 : 0),
                             random.Uniform() - (label == 2 ? 1 : 0)};
    if (constant) x.push_back(1);
    if (sparse) {
      std::vector<Index> columns = {0, 1, 2};
      columns.resize(x.size());
      rows->AddSparse(columns, x);
    } else {
      rows->AddDense(x);
    }
    data.labels.push_back(label);
  }
  data.rows = rows;
  return data;
}

/// λ/2 ‖w‖² + (1/M) Σ_m a_m max_y [Δ(y_m, y) + s_y − s_{y_m}].
double Objective(const MulticlassModel& model, const MulticlassData& data,
                 const std::vector<double>& costs, double lambda) {
  double norm = 0;
  for (const double weight : model.weights()) norm += weight * weight;
  double loss = 0;
  for (Index m = 0; m < data.rows->size(); ++m) {
    const FeatureRow row = data.rows->row(m);
    std::vector<double> scores(3);
    model.Scores({row.values, row.columns, 2, row.squared_norm}, scores);
    const Index truth = data.labels[m];
    double worst = 0;
    for (Index y = 0; y < 3; ++y) {
      const double cost = costs.empty() ? (y == truth ? 0.0 : 1.0) : costs[truth * 3 + y];
      worst = std::max(worst, cost + scores[y] - scores[truth]);
    }
    loss += (data.weights.empty() ? 1.0 : data.weights[m]) * worst;
  }
  return lambda / 2 * norm + loss / data.rows->size();
}

TrainOptions Precise(double lambda) {
  TrainOptions options;
  options.lambda = lambda;
  options.gap_tolerance = 1e-8;
  options.max_passes = 100000;
  return options;
}

}  // namespace

TEST_CASE("training reaches the optimum of an independent quadratic program") {
  for (const bool constant : {true, false}) {
    for (int trial = 0; trial < 3; ++trial) {
      MulticlassData data = RandomData(9, constant, trial == 2);
      if (trial > 0) data.costs = {0, 2, 1, 0.5, 0, 3, 1, 1, 0};
      if (trial > 1) data.weights = {1, 2, 0.5, 1, 3, 0.1, 1, 1, 2};
      ClassTraining training(data, {.constant = constant, .scale = "none"});
      const double lambda = 0.05;
      const TrainedRun run = TrainModel(Precise(lambda), nullptr, nullptr, &training.task);
      CHECK(Near(run.summary.last.primal, ExactOptimum(training.task.problem().training(), lambda),
                 kSolver));
      CHECK(run.summary.last.dual <= run.summary.last.primal);
      // The model's own scores give the objective with weights of examples.
      CHECK(Near(Objective(training.model(), data, data.costs, lambda), run.summary.last.primal,
                 kTight));
    }
  }
}

TEST_CASE("the record says how the model was trained") {
  ClassTraining training(RandomData(9, true));
  TrainOptions train = Precise(0);
  train.lambda = ChooseLambda(train, 2, training.task);
  CHECK(train.lambda == doctest::Approx(1.0 / 18));
  TrainModel(train, nullptr, nullptr, &training.task);
  const TrainingRecord& record = training.model().record;
  CHECK(record.data == "data");
  CHECK(record.loss == "0/1");
  CHECK(record.num_examples == 9);
  CHECK(record.options.front() == std::pair<std::string, std::string>{"bias", "1"});
  CHECK(training.task.VariableNoun() == "example");
  CHECK(training.task.Context().front().first == "names of the classes");
  const TemporaryFolder folder;
  training.task.Save(folder.Path("m.slk"));
  CHECK(MulticlassModel::Load(folder.Path("m.slk")).weights() == training.model().weights());
}

TEST_CASE("a kernel has support vectors and constants") {
  ClassTraining training(RandomData(12, false), {.kernelized = true});
  TrainOptions train = Precise(0.01);
  train.kernel = KernelKind::kRbf;
  train.gap_tolerance = 1e-3;
  TrainModel(train, nullptr, nullptr, &training.task);
  const MulticlassModel& model = training.model();
  REQUIRE(model.support().has_value());
  for (const double weight : model.class_weights()) CHECK(weight == 0);
  const MulticlassPredictions predictions = PredictClasses(model, *training.input.data.rows, 1);
  CHECK(std::count(predictions.labels.begin(), predictions.labels.end(), 0) < 12);
  const TemporaryFolder folder;
  model.Save(folder.Path("m.slk"));
  const MulticlassModel loaded = MulticlassModel::Load(folder.Path("m.slk"));
  CHECK(PredictClasses(loaded, *training.input.data.rows, 1).scores == predictions.scores);
  CHECK(loaded.constant_weights().size() == 3);
}

TEST_CASE("weights that do not fit are refused") {
  for (const std::vector<double>& weights :
       {std::vector<double>{1, 2}, std::vector<double>(9, 0.0), std::vector<double>(9, -1.0)}) {
    MulticlassData data = RandomData(9, true);
    data.weights = weights;
    CHECK_THROWS_AS(ClassTraining{data}, std::invalid_argument);
  }
  MulticlassData data = RandomData(9, false);
  data.weights.assign(9, 2.0);
  CHECK_THROWS_AS(ClassTraining(data, {.kernelized = true}), std::invalid_argument);
}

namespace {

struct Trained {
  std::vector<double> weights;
  double lambda = 0;
  Index num_examples = 0;
};

/// Trains on these examples with four shards.
Trained TrainSharded(const MulticlassData& data, Ranks* ranks) {
  TrainOptions train;
  train.shards = 4;
  train.ranks = ranks;
  train.max_passes = 5;
  ClassTraining training(data, {.scale = "standard", .ranks = ExactRanks(train)});
  train.lambda = ChooseLambda(train, 0, training.task);
  TrainModel(train, nullptr, nullptr, &training.task);
  return {training.model().weights(), train.lambda, training.task.record()->num_examples};
}

/// The examples of this rank.
MulticlassData OwnExamples(const MulticlassData& data, const Ranks& ranks) {
  MulticlassData part = data;
  part.rows = PartOf(*data.rows, ranks);
  part.labels.clear();
  for (const Index m : NumbersOf(ranks, data.rows->size())) part.labels.push_back(data.labels[m]);
  return part;
}

}  // namespace

TEST_CASE("ranks train the model of one process with as many shards") {
  const MulticlassData data = RandomData(24, true);
  const Trained alone = TrainSharded(data, nullptr);
  for (const int size : {2, 4}) {
    for (const Trained& trained : OnEachRank(size, [&](ThreadRanks& ranks) {
           return TrainSharded(OwnExamples(data, ranks), &ranks);
         })) {
      CHECK(trained.weights == alone.weights);
      CHECK(trained.lambda == alone.lambda);
      CHECK(trained.num_examples == 24);
    }
  }
}

TEST_CASE("ranks refuse kernels; a rank may be without examples") {
  const MulticlassData data = RandomData(3, true);
  for (const bool kernelized : {true, false}) {
    const std::string error = ErrorOnRanks(2, [&](ThreadRanks& ranks) {
      MulticlassData part = OwnExamples(data, ranks);
      if (!kernelized && !ranks.first()) {
        part.rows = std::make_shared<FeatureRows>();
        part.labels.clear();
      }
      ClassTraining(part, {.kernelized = kernelized, .ranks = &ranks});
    });
    CHECK(error == (kernelized ? "--kernel, which compares every example with all others, "
                                 "needs a single process, but 2 processes train together"
                               : "accepted"));
  }
}
