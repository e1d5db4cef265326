// SPDX-License-Identifier: BSD-3-Clause
//
// Training without a command line: the record, λ, the curve, and continuation.
#include <slackline/apps/training/train_task.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/common/program_version.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/training/multilabel_training.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>

#include "tests/apps/multilabel/read_options.h"

using namespace slackline::internal;

namespace {

/// Three labels that depend on five features, with noise.
MultiLabelData NoisyData(Index examples) {
  MultiLabelData data;
  data.source = "drawn";
  data.label_names = {"a", "b", "c"};
  data.num_features = 5;
  data.has_constant = true;
  auto rows = std::make_shared<FeatureRows>();
  Random random(7);
  for (Index m = 0; m < examples; ++m) {
    std::vector<double> x;
    for (int f = 0; f < 5; ++f) x.push_back(random.Uniform() - 0.5);
    const bool a = x[0] + 0.2 * x[1] > 0.1 * (random.Uniform() - 0.5);
    x.push_back(1);
    rows->AddDense(x);
    for (const bool label : {a, a != (x[2] > 0.3), x[3] > 0}) data.labels.push_back(label ? 1 : 0);
    data.lines.push_back(m + 1);
  }
  data.rows = rows;
  return data;
}

struct NoisyTask {
  MultiLabelData data = NoisyData(40);
  ScaledInputs scaled = ScaleForTraining(ScaleKind::kUnscaled, ScaleInputsOf(data));
  MultiLabelTraining Training() {
    MultiLabelTrainingOptions options;
    options.texts = {{}, "mean", {{"graph", "full"}}};
    return {data, scaled, options};
  }
};

TrainOptions LambdaOptions(double lambda) {
  TrainOptions options;
  options.lambda = lambda;
  options.gap_tolerance = 1e-6;
  return options;
}

/// Keeps the state at the end of a run.
RunPlan Keeping(std::string* state) {
  RunPlan plan;
  plan.checkpoints.every_seconds = 1e9;
  plan.checkpoints.copy_before_checks = true;
  plan.checkpoints.write = [state](const std::string& bytes, auto) { *state = bytes; };
  return plan;
}

class Stopper : public TrainObserver {
 public:
  explicit Stopper(std::atomic<int>* interrupt) : interrupt_(*interrupt) {}
  void OnCheck(const ProgressRecord& record) override {
    ++checks;
    if (record.pass >= 2) interrupt_ = 2;
  }
  int checks = 0;

 private:
  std::atomic<int>& interrupt_;
};

}  // namespace

TEST_CASE("a task is trained to the wanted gap, and its record says how") {
  NoisyTask fixture;
  MultiLabelTraining task = fixture.Training();
  const TrainedRun run = TrainModel(LambdaOptions(0.05), nullptr, nullptr, &task);
  CHECK(run.summary.termination == Termination::kConverged);
  CHECK(run.summary.last.relative_gap <= 1e-6);
  const TrainingRecord& record = *task.record();
  CHECK(record.program == ProgramVersion());
  CHECK(record.data == "drawn");
  CHECK(record.loss == "mean");
  CHECK(record.lambda == 0.05);
  CHECK(record.num_examples == 40);
  CHECK(record.primal == run.summary.last.primal);
  CHECK(record.options.front() == std::pair<std::string, std::string>("graph", "full"));
  REQUIRE_FALSE(record.curve.empty());
  CHECK(record.curve.back().primal == run.summary.last.primal);
  CHECK(std::vector<double>(task.model().weights()) == run.summary.weights);
}

TEST_CASE("lambda is given, or follows from C, or is the default") {
  NoisyTask fixture;
  const MultiLabelTraining task = fixture.Training();
  CHECK(ChooseLambda(LambdaOptions(0.25), 0, task) == 0.25);
  CHECK(ChooseLambda(LambdaOptions(0), 2, task) == 1.0 / 80);
  CHECK(ChooseLambda(LambdaOptions(0), 0, task) == task.DefaultLambda(LambdaOptions(0)));
  CHECK_THROWS_AS(ChooseLambda(LambdaOptions(0), 1e40, task), DataError);
}

TEST_CASE("an interrupted run keeps its best weights, and another continues it bit for bit") {
  NoisyTask fixture;
  const TrainOptions options = LambdaOptions(0.001);
  MultiLabelTraining whole = fixture.Training();
  const TrainedRun all = TrainModel(options, nullptr, nullptr, &whole);
  MultiLabelTraining task = fixture.Training();
  std::atomic<int> interrupt{0};
  Stopper stopper(&interrupt);
  std::string state;
  RunPlan keep;
  keep.checkpoints.write = [&state](const std::string& bytes, auto) { state = bytes; };
  const TrainedRun first = TrainModel(options, &stopper, &interrupt, &task, keep);
  CHECK(first.summary.termination == Termination::kInterrupted);
  CHECK(stopper.checks > 0);
  CHECK(task.model().weights() == first.summary.weights);
  REQUIRE_FALSE(state.empty());
  RunPlan resume;
  resume.checkpoints.resume = state;
  const TrainedRun second = TrainModel(options, nullptr, nullptr, &task, resume);
  CHECK(second.summary.last.pass == all.summary.last.pass);
  CHECK(second.summary.weights == all.summary.weights);
  CHECK(task.model().weights() == whole.model().weights());
}

TEST_CASE("a run that follows a neighbouring lambda on Yeast takes fewer passes to the same gap") {
  const MultiLabelData data = test::YeastData();
  const ScaledInputs scaled = ScaleForTraining(std::nullopt, ScaleInputsOf(data));
  MultiLabelTrainingOptions graph;
  graph.texts = {{}, "mean", {{"graph", "full"}}};
  MultiLabelTraining task(data, scaled, graph);
  TrainOptions options;
  options.gap_tolerance = 1e-3;
  options.lambda = 0.01;
  std::string state;
  TrainModel(options, nullptr, nullptr, &task, Keeping(&state));

  options.lambda = 0.008;
  const TrainedRun cold = TrainModel(options, nullptr, nullptr, &task);
  RunPlan follow;
  follow.follow = state;
  follow.follow_lambda = 0.01;
  const TrainedRun warm = TrainModel(options, nullptr, nullptr, &task, follow);
  CHECK(task.record()->lambda == 0.008);
  for (const TrainedRun* run : {&cold, &warm}) {
    CHECK(run->summary.termination == Termination::kConverged);
    CHECK(run->summary.last.relative_gap <= 1e-3);
  }
  CHECK(std::max(warm.summary.last.dual, cold.summary.last.dual) <=
        std::min(warm.summary.last.primal, cold.summary.last.primal));
  CAPTURE(cold.summary.last.pass);
  CAPTURE(warm.summary.last.pass);
  CHECK(warm.summary.last.pass < cold.summary.last.pass);
  REQUIRE_FALSE(warm.summary.notes.empty());
  CHECK(warm.summary.notes.front() ==
        "warm start: training continues from the solution for lambda 0.01");
}
