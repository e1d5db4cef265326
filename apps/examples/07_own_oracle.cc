// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 7: a user's own solver, no graph. In each row of numbers one stretch [begin, end) is
// unusual. A function that finds the best stretch, loss included, is enough. (This one tries all.)
#include <iostream>

#include <slackline/slackline.h>

using namespace slackline;

struct Recording {
  std::vector<double> values;
  std::size_t begin, end;  // of the unusual stretch
};

class StretchOracle final : public ExampleOracle {
 public:
  StretchOracle(WeightBlock block, std::vector<Recording> d) : block_(block), data_(std::move(d)) {}
  void Maximize(int m, const Weights& weights, OracleAnswer* answer) override {
    const auto& [values, true_begin, true_end] = data_[m];
    const auto w = weights["inside"];  // of a value inside, and of its being inside
    for (std::size_t begin = 0; begin < values.size(); ++begin) {
      for (std::size_t end = begin; end <= values.size(); ++end) {
        double sum = 0, count = 0, loss = 0;  // φ(y) − φ(truth), Δ(y)
        for (std::size_t i = 0; i < values.size(); ++i) {
          const int change = (begin <= i && i < end) - (true_begin <= i && i < true_end);
          sum += change * values[i], count += change, loss += change != 0;
        }
        const double value = loss + w(0) * sum + w(1) * count;
        if (answer->bound >= value) continue;
        *answer = {.loss = loss, .bound = value};
        answer->features.Add(block_, 0, 0, sum), answer->features.Add(block_, 1, 0, count);
      }
    }
  }

 private:
  WeightBlock block_;
  std::vector<Recording> data_;
};

int main() {
  Model model;
  StretchOracle oracle(model.AddWeights("inside", 2), {{{1, 0, 4, 3, 5, 0, 1}, 2, 5},
                                                       {{0, 2, 1, 0, 3, 4, 2}, 4, 7},
                                                       {{5, 3, 1, 0, 1, 1, 0}, 0, 2}});
  const TrainResult result = Train(model, 3, oracle, {.lambda = 0.1, .gap_tolerance = 1e-6});
  std::cout << "optimum from " << result.dual << " to " << result.primal << "\nvalues above "
            << -result.weights["inside"](1) / result.weights["inside"](0) << " are unusual\n";
}
