// SPDX-License-Identifier: BSD-3-Clause
// A factor needs `int num_weights() const`
#include <slackline/slackline.h>

struct Wrong {
  std::vector<int> cardinalities() const { return {2, 2}; }
  void AddFeatures(std::span<const int>, double, std::span<double>) const {}
};

void Build(slackline::GraphBuilder* builder, slackline::VariableRange v, slackline::WeightBlock w) {
  builder->AddFactor(v, Wrong(), w);
}
