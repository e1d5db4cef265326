// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 4: errors with different costs. A missed alarm (state 1) costs ten times as much as a
// false one. The measured values of both kinds overlap; with the costs in the loss, training moves
// the threshold so that hardly any alarm is missed. An example may also bring its own losses: the
// last one is a known false alarm of a sensor under test, where any answer is free.
#include <iostream>
#include <random>

#include <slackline/slackline.h>

using namespace slackline;

void TrainAndCount(const char* name, const Loss& loss) {
  Model model;
  const auto value = model.AddWeights("value", 2, 2);
  GraphBuilder builder(model);
  builder.AddInput(builder.AddVariable(2), value, 0);
  const Graph graph = builder.Build();

  std::mt19937 random(3);
  Dataset data(model);
  std::vector<Example> examples;
  for (int m = 0; m < 200; ++m) {
    const int alarm = m % 4 == 0;
    const double noise = static_cast<double>(random()) / 4294967296.0;
    examples.push_back({.inputs = {{alarm * 0.5 + noise, 1.0}}, .labels = {alarm}});
    data.Add(graph, examples.back());
  }
  data.Add(graph, {.inputs = {{3.0, 1.0}}, .labels = {0}, .losses = {0, 0}});

  const TrainResult result = Train(data, {.lambda = 0.001, .gap_tolerance = 1e-6, .loss = loss});
  int missed = 0, false_alarms = 0;
  Predictor predictor(graph, result.weights);
  for (const Example& example : examples) {
    const int answer = predictor.Predict({.inputs = example.inputs}).labels[0];
    missed += answer < example.labels[0];
    false_alarms += answer > example.labels[0];
  }
  std::cout << name << ": " << missed << " of 50 alarms missed, " << false_alarms
            << " of 150 false\n";
}

int main() {
  TrainAndCount("equal costs", {});
  // Row: truth; column: prediction.
  TrainAndCount("a missed alarm costs 10", {.costs = {0, 1, 10, 0}});
}
