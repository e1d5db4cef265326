// SPDX-License-Identifier: BSD-3-Clause
// A factor needs `std::vector<int> cardinalities() const`
#include <slackline/slackline.h>

struct Wrong {
  int num_weights() const { return 1; }
  void AddFeatures(std::span<const int>, double, std::span<double>) const {}
};

void Build(slackline::GraphBuilder* builder, slackline::VariableRange v, slackline::WeightBlock w) {
  builder->AddFactor(v, Wrong(), w);
}
