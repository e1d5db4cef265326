// SPDX-License-Identifier: BSD-3-Clause
// A factor's own max oracle is `double Maximize(std::span<const double> weights
#include <slackline/slackline.h>

struct Wrong {
  std::vector<int> cardinalities() const { return {2, 2}; }
  int num_weights() const { return 1; }
  void AddFeatures(std::span<const int>, double, std::span<double>) const {}
  int Maximize(std::span<const double>, std::span<const double>) const { return 0; }
};

void Build(slackline::GraphBuilder* builder, slackline::VariableRange v, slackline::WeightBlock w) {
  builder->AddFactor(v, Wrong(), w);
}
