// SPDX-License-Identifier: BSD-3-Clause
//
// Two binary variables with weights of their own and a pair factor without any; one example,
// labelled (1, 0). With λ = 1 and one point of loss per wrong variable each adds max_a a − a² = 1/4
// to the optimum, at the weights ±1/2.
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/unary.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;

int main() {
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("unary", 4);
  ModelBuilder builder(layout);
  for (Index i = 0; i < 2; ++i)
    builder.AddVariableFeatures(builder.AddVariable(2), UnaryFactor(2), block, 2 * i);
  builder.AddFactor({0, 1});

  Dataset data(layout, nullptr);
  const std::vector<Index> labels = {1, 0};
  data.Add(builder.Build(), labels);

  LossOptions loss;
  loss.scale = LossScale::kCount;
  TrainOptions options;
  options.gap_tolerance = 1e-7;
  const TrainSummary result = Train(Problem(MakeTrainingSet(data, loss), 1.0), options);
  std::printf("%s: %.9f to %.9f\n", result.message.c_str(), result.last.dual, result.last.primal);

  std::vector<double> scores(static_cast<std::size_t>(data.example(0).graph().total_states()));
  ScoreTables(data.example(0), result.weights, scores);
  MapResult best;
  MakeMapSolver(SolverKind::kAuto, data.example(0).structure().shared_graph())
      ->Solve(scores, nullptr, &best);
  return std::abs(result.last.primal - 0.5) < 1e-6 && std::abs(best.value - 1.0) < 1e-3 &&
                 best.labels == labels
             ? 0
             : 1;
}
