// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 9: examples that are not kept. A machine has one of three states, which last for a while;
// two sensors measure it with noise. Its records of days come one after the other, are predicted,
// learned from and forgotten. How wrong predictions were shows how good the weights are.
#include <iostream>
#include <random>

#include <slackline/slackline.h>

using namespace slackline;

constexpr int kHours = 12, kStates = 3;

Example Record(std::mt19937* random) {
  const auto uniform = [&] { return static_cast<double>((*random)()) / 4294967296.0; };
  Example day;
  int state = static_cast<int>(3 * uniform());
  for (int t = 0; t < kHours; ++t) {
    if (uniform() < 0.2) state = static_cast<int>(3 * uniform());
    day.labels.push_back(state);
    const double one = 2 * uniform() - 1, two = 2 * uniform() - 1;
    day.inputs.Add(std::vector<double>{(state == 1) + one, (state == 2) + two, 1.0});
  }
  return day;
}

int main() {
  Model model;
  const auto look = model.AddWeights("look", kStates, 3), change = model.AddWeights("change");
  GraphBuilder builder(model);
  const auto hour = builder.AddVariables(kHours, kStates);
  for (int t = 0; t < kHours; ++t) builder.AddInput(hour[t], look, t);
  for (int t = 1; t < kHours; ++t) builder.AddFactor({hour[t - 1], hour[t]}, Potts(3), change);
  const Graph graph = builder.Build();

  std::mt19937 random(1);
  OnlineTrainer trainer(model, {.lambda = 0.01});
  for (const int until : {10, 100, 1000, 5000}) {
    while (trainer.summary().num_examples < until) {
      Dataset next(model);
      for (int k = 0; k < 10; ++k) next.Add(graph, Record(&random));
      trainer.Learn(next);
    }
    const double wrong = 100 * trainer.summary().mean_loss;
    std::cout << "until day " << until << ": " << wrong << " % of the hours were wrong\n";
  }
  const Prediction tomorrow = Predict(graph, {Record(&random).inputs}, trainer.weights());
  std::cout << "tomorrow: " << tomorrow.labels << "\n";
}
