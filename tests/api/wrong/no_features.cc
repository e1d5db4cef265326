// SPDX-License-Identifier: BSD-3-Clause
// A factor needs `void AddFeatures(std::span<const int> states, double scale, std::span<double>
// out)
#include <slackline/slackline.h>

struct Wrong {
  std::vector<int> cardinalities() const { return {2, 2}; }
  int num_weights() const { return 1; }
};

void Build(slackline::GraphBuilder* builder, slackline::VariableRange v, slackline::WeightBlock w) {
  builder->AddFactor(v, Wrong(), w);
}
