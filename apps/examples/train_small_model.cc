// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 2: training. The trips of lesson 1 again, but now nobody tells us the weights: we are
// shown how thirty earlier trips went, and learn what the travellers like.
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/table.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;

constexpr Index kDays = 4, kChoices = 3, kMuseum = 1, kTrain = 30, kTest = 20;
using Labels = std::vector<Index>;

// The labelling that a model thinks best.
Labels Predict(const ExampleView& trip, std::span<const double> weights) {
  std::vector<double> scores(static_cast<std::size_t>(trip.graph().total_states()));
  ScoreTables(trip, weights, scores);
  MapResult best;
  MakeMapSolver(SolverKind::kSearch, trip.structure().shared_graph())
      ->Solve(scores, nullptr, &best);
  return best.labels;
}

int main() {
  // The model. Each choice has a row of weights for what we know of a day: sunshine, wind, and a
  // constant 1. The factor of lesson 1 is written at the simplest level here: a function that fills
  // in the features.
  auto layout = std::make_shared<WeightLayout>();
  const Index taste = layout->AddBlock("taste", kChoices, 3);
  const Index change = layout->AddBlock("change", 1);
  const Index excess = layout->AddBlock("excess", 1);
  const auto one_museum = TableFactor::FromFunction(
      Labels(kDays, kChoices), 1, [](std::span<const Index> labels, std::span<double> features) {
        features[0] = std::max(0.0, static_cast<double>(std::ranges::count(labels, kMuseum)) - 1);
      });
  ModelBuilder builder(layout);
  for (Index day = 0; day < kDays; ++day) {
    builder.AddLinearFeatures(builder.AddVariable(kChoices), taste, day);
    if (day > 0) builder.AddFactor({day - 1, day}, PottsFactor(kChoices), change);
  }
  builder.AddFactor({0, 1, 2, 3}, one_museum, excess);
  const auto structure = builder.Build();

  // The data: weather by chance, and choices that follow these weights (which training will not
  // see). Rows of a block lie side by side: the first three weights are those of sunshine for
  // beach, museum and hike.
  const std::vector<double> truth = {3, -2, 1, -2, 1, 1, -1, 2, 0, 1, -3};
  Random random(7);
  auto days = std::make_shared<FeatureRows>();
  for (Index k = 0; k < kDays * (kTrain + kTest); ++k)
    days->AddDense(std::array{2 * random.Uniform(), 2 * random.Uniform(), 1.0});
  Dataset trips(layout, days), shown(layout, days);
  for (Index m = 0; m < kTrain + kTest; ++m) {
    trips.Add(structure, Labels(kDays, kUnlabelled), kDays * m);
    if (m < kTrain) shown.Add(structure, Predict(trips.example(m), truth), kDays * m);
  }

  // Training. The result comes with a certificate: no weights whatever have an objective below
  // `dual`.
  TrainOptions options;
  options.gap_tolerance = 1e-5;
  const Problem problem(MakeTrainingSet(shown, {}), 0.01);
  const TrainSummary result = Train(problem, options);
  std::cout << Name(result.termination) << "\nobjective " << result.last.primal << "\nat least  "
            << result.last.dual << "\n";

  // Twenty new trips.
  Index right = 0;
  for (Index m = kTrain; m < kTrain + kTest; ++m) {
    const Labels guess = Predict(trips.example(m), result.weights),
                 actual = Predict(trips.example(m), truth);
    for (std::size_t day = 0; day < kDays; ++day) right += guess[day] == actual[day];
  }
  std::cout << right << " of " << kDays * kTest << " days predicted right\n";
}
