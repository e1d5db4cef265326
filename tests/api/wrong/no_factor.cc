// SPDX-License-Identifier: BSD-3-Clause
// AddFactor needs a factor: one of factor.h
#include <slackline/slackline.h>

void Build(slackline::GraphBuilder* builder, slackline::VariableRange v, slackline::WeightBlock w) {
  builder->AddFactor(v, 3, w);
}
