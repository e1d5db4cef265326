// SPDX-License-Identifier: BSD-3-Clause
// Train needs an oracle that derives from ExampleOracle
#include <slackline/slackline.h>

struct Wrong {
  void Maximize(int, const slackline::Weights&, slackline::OracleAnswer*) {}
};

void Run(const slackline::Model& model) {
  Wrong oracle;
  slackline::Train(model, 1, oracle, {.lambda = 1});
}
