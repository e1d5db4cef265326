// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 3: a grid with cycles. Three noisy maps of an island teach how each place looks and how
// rarely neighbours differ. The trained model then restores a fourth map.
#include <iostream>
#include <random>

#include <slackline/slackline.h>

using namespace slackline;
constexpr int kSide = 12, kPlaces = kSide * kSide;

Example Draw(std::mt19937* random) {
  const auto uniform = [random] { return static_cast<double>((*random)()) / 4294967296.0; };
  const double row = 4 + 4 * uniform(), column = 4 + 4 * uniform();
  Example map;
  for (int k = 0; k < kPlaces; ++k) {
    const int i = k / kSide, j = k % kSide;
    const int land = (i - row) * (i - row) + (j - column) * (j - column) < 14;
    map.labels.push_back(land);
    map.inputs.Add(std::vector<double>{land + 1.5 * (uniform() + uniform() - 1), 1.0});
  }
  return map;
}

int main() {
  Model model;
  const auto look = model.AddWeights("look", 2, 2), differ = model.AddWeights("differ");
  GraphBuilder builder(model);
  const auto place = builder.AddVariables(kPlaces, 2);
  for (int k = 0; k < kPlaces; ++k) {
    builder.AddInput(place[k], look, k);
    if (k % kSide > 0) builder.AddFactor({place[k - 1], place[k]}, Potts(2), differ);
    if (k >= kSide) builder.AddFactor({place[k - kSide], place[k]}, Potts(2), differ);
  }
  const Graph grid = builder.Build();
  std::mt19937 random(7);
  Dataset data(model);
  for (int m = 0; m < 3; ++m) data.Add(grid, Draw(&random));
  const TrainResult result = Train(data, {.lambda = 0.01, .gap_tolerance = 1e-5});
  const Example fresh = Draw(&random);
  const Prediction best = Predict(grid, {.inputs = fresh.inputs}, result.weights);
  int right = 0;
  for (std::size_t k = 0; k < kPlaces; ++k) {
    right += best.labels[k] == fresh.labels[k];
    std::cout << ".#"[best.labels[k]] << ((k + 1) % kSide == 0 ? "\n" : "");
  }
  std::cout << right << " of " << kPlaces << " places right"
            << (best.optimal ? ", the best map there is\n" : "\n");
}
