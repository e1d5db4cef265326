// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 6: a factor with its own max oracle. Each of 20 sensors that differs from the first costs
// a weight. A table would have 3^20 entries; training and prediction call Maximize instead.
#include <iostream>

#include <slackline/slackline.h>

using namespace slackline;
using Numbers = std::span<const double>;

struct LikeTheFirst {
  std::vector<int> cardinalities() const { return std::vector<int>(20, 3); }
  int num_weights() const { return 1; }
  void AddFeatures(std::span<const int> y, double scale, std::span<double> out) const {
    for (const int state : y) out[0] += state == y[0] ? 0 : scale;
  }
  double Maximize(Numbers w, Numbers messages, std::span<int> y) const {
    double best = -1e300;
    for (const int first : {0, 1, 2}) {
      std::vector<int> own = {first};
      double value = -messages.begin()[first];
      for (auto cost = messages.begin() + 3; cost != messages.end(); cost += 3) {
        const auto gain = [&](int s) { return (s == first ? 0 : w[0]) - cost[s]; };
        const auto less = [&](int a, int b) { return gain(a) < gain(b); };
        value += gain(own.emplace_back(std::max({0, 1, 2}, less)));
      }
      if (value > best) best = value, std::copy(own.begin(), own.end(), y.begin());
    }
    return best;
  }
};

int main() {
  Model model;
  const auto other = model.AddWeights("other"), reading = model.AddWeights("reading", 3, 2);
  GraphBuilder builder(model);
  const auto sensor = builder.AddVariables(20, 3);
  for (const auto s : sensor) builder.AddInput(s, reading, s.number);
  builder.AddFactor(sensor, LikeTheFirst(), other);
  Dataset data(model);
  for (const int truth : {0, 1, 2}) {
    Inputs rows;
    for (int i = 0; i < 20; ++i) rows.Add(std::vector{truth + (i * 7 % 11 - 5) / 4.0, 1.0});
    data.Add(builder.Build(), {.inputs = rows, .labels = std::vector<int>(20, truth)});
  }
  const TrainResult result = Train(data, {.lambda = 0.01, .gap_tolerance = 1e-5});
  std::cout << CheckFactor(LikeTheFirst()) << "The optimum lies between " << result.dual << " and "
            << result.primal << "\n";
}
