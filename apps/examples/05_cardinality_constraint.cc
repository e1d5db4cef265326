// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 5: factors over all variables at once. A day has 12 hours, and two shifts (state 1) of
// each kind of work have to be placed: exactly four hours in all, at most two of them before noon.
// No table over 12 variables is needed. A count may also have learnt weights: AddFactor(hour,
// Count(1), weights) has a weight for each count from 0 to 12.
#include <iostream>

#include <slackline/slackline.h>

using namespace slackline;

int main() {
  Model model;
  const auto demand = model.AddWeights("demand"), switching = model.AddWeights("switching");
  GraphBuilder builder(model);
  const auto hour = builder.AddVariables(12, 2);
  for (const Variable h : hour) builder.AddPotentials(h, demand);
  for (int t = 1; t < 12; ++t) builder.AddFactor({hour[t - 1], hour[t]}, Potts(2), switching);
  const Graph open = builder.Build();
  builder.AddFactor(hour, Exactly(4));
  std::vector<Variable> morning;
  for (int t = 0; t < 6; ++t) morning.push_back(hour[t]);
  builder.AddFactor(morning, AtMost(2));
  const Graph bounded = builder.Build();

  Weights weights(model);
  weights["demand"](0) = 1;
  weights["switching"](0) = -1;
  Observation day;
  for (const double wanted : {1.0, 3.0, 3.0, 2.0, 2.0, 0.5, -2.0, 1.0, 2.5, 1.0, -1.0, 0.5})
    day.potentials.insert(day.potentials.end(), {0.0, wanted});
  for (const Graph& graph : {open, bounded}) {
    const Prediction plan = Predict(graph, day, weights);
    std::cout << plan.labels << "  worth " << plan.score
              << (plan.optimal ? ", the best there is\n" : "\n");
  }
}
