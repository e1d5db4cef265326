// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 2: prediction without training. Given scores, the program finds the best labelling, the
// best three, the max-marginals of all states, and probabilities. The example brings the scores of
// single states (potentials); their weight is 1.
#include <iomanip>
#include <iostream>

#include <slackline/slackline.h>

using namespace slackline;

int main() {
  Model model;
  const auto given = model.AddWeights("given"), change = model.AddWeights("change");
  GraphBuilder builder(model);
  const auto word = builder.AddVariables(3, 2);
  for (const Variable w : word) builder.AddPotentials(w, given);
  for (int t = 1; t < 3; ++t) builder.AddFactor({word[t - 1], word[t]}, Potts(2), change);
  const Graph graph = builder.Build();

  Weights weights(model);
  weights["given"](0) = 1;
  weights["change"](0) = -0.5;
  const Observation sentence = {.potentials = {0, 1, 0.8, 0, 0, 0.6}};

  Predictor predictor(graph, weights);
  const Prediction best = predictor.Predict(sentence);
  std::cout << "best: " << best.labels << ", score " << best.score << ", bound " << best.bound
            << (best.optimal ? ", proven\n" : "\n");
  for (const RankedLabelling& ranked : predictor.KBest(sentence, 3))
    std::cout << ranked.labels << " scores " << ranked.score << "\n";
  const StateTable reach = predictor.MaxMarginals(sentence);
  const MarginalTable soft = predictor.Marginals(sentence, 1.0);
  for (std::size_t t = 0; t < reach.size(); ++t)
    std::cout << "word " << t << ": state 1 reaches " << reach[t][1] << ", probability "
              << std::setprecision(4) << soft.probabilities[t][1] << "\n";
}
