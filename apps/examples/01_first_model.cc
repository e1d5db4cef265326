// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 1: a model, training, prediction. On each day of a four-day trip a traveller goes to the
// beach, to a museum or hiking, depending on the weather. Training on past trips finds out what the
// traveller likes, and weights for a change of plan and for every museum after the first.
#include <iostream>
#include <vector>

#include <slackline/slackline.h>

using namespace slackline;

enum Choice { kBeach, kMuseum, kHike };
struct Trip {
  std::vector<std::vector<double>> weather;  // per day: sun, rain, wind
  std::vector<int> choices;
};

std::vector<Trip> ReadTrips() {
  const std::vector<double> sun = {1, 0, 0}, rain = {0, 2, 0}, drizzle = {0, 1, 0},
                            wind = {0, 0, 1};
  return {{{sun, sun, rain, wind}, {kBeach, kBeach, kMuseum, kHike}},
          {{drizzle, rain, sun, sun}, {kHike, kMuseum, kBeach, kBeach}},
          {{wind, rain, drizzle, wind}, {kHike, kMuseum, kHike, kHike}},
          {{sun, drizzle, wind, sun}, {kBeach, kMuseum, kHike, kBeach}}};
}

int main() {
  Model model;
  const auto taste = model.AddWeights("taste", 3, 3), change = model.AddWeights("change"),
             excess = model.AddWeights("excess");
  GraphBuilder trip(model);
  const auto day = trip.AddVariables(4, 3);
  for (int t = 0; t < 4; ++t) trip.AddInput(day[t], taste, t);
  for (int t = 1; t < 4; ++t) trip.AddFactor({day[t - 1], day[t]}, Potts(3), change);
  trip.AddFactor(day, AtMost(1, kMuseum), excess);
  const auto graph = trip.Build();

  Dataset data(model);
  for (const Trip& t : ReadTrips()) data.Add(graph, {.inputs = t.weather, .labels = t.choices});
  const auto result = Train(data, {.lambda = 0.001, .gap_tolerance = 1e-5});
  std::cout << (result.termination == Termination::kConverged ? "converged" : result.message)
            << "\nthe optimum lies between " << result.dual << " and " << result.primal
            << "\na museum after the first: " << result.weights["excess"](0) << "\n";

  const std::vector<std::vector<double>> tomorrow = {{0, 1, 0}, {0, 2, 0}, {0, 1, 0}, {1, 0, 0}};
  const auto best = Predict(graph, {.inputs = tomorrow}, result.weights);
  std::cout << best.labels << (best.optimal ? "" : " (not proven)") << "\n";
}
