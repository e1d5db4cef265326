// SPDX-License-Identifier: BSD-3-Clause
//
// Training with a user's own solver. A function that finds the best output of an example for given
// weights (a shortest path, a parse, a layout) is enough; no graph is needed. Examples may be of
// any kind and need not be in memory, because the function is called for one example at a time.
#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <slackline/export.h>
#include <slackline/model.h>
#include <slackline/train.h>

namespace slackline {
inline namespace v1 {

/// A sparse vector over the weights of a model. Values added at the same entry add up.
class FeatureVector {
 public:
  void Add(WeightBlock block, int row, int column, double value) {
    entries_.push_back({block.number, block.first_row + row, column, value});
  }
  void Add(WeightBlock block, double value) { Add(block, 0, 0, value); }
  void Clear() { entries_.clear(); }

  struct Entry {
    int block;
    int row;
    int column;
    double value;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// One output y of an example: the best one that the oracle could find.
struct OracleAnswer {
  /// φ(y) − φ(truth).
  FeatureVector features = {};
  /// Δ(y) ≥ 0, any function of the output that is 0 for the ground truth.
  double loss = std::numeric_limits<double>::quiet_NaN();
  /// An upper bound on Δ(y) + w·[φ(y) − φ(truth)] over all outputs y. Leave it at NaN when this y
  /// is the best output. The certificate is as tight as this bound.
  double bound = std::numeric_limits<double>::quiet_NaN();
};

class SLACKLINE_EXPORT ExampleOracle {
 public:
  virtual ~ExampleOracle();
  /// Finds an output of the example with a large Δ(y) + w·[φ(y) − φ(truth)]. `answer` is empty on
  /// entry. Only one thread at a time calls this function.
  virtual void Maximize(int example, const Weights& weights, OracleAnswer* answer) = 0;
  /// The same for the examples first … first + answers.size() − 1. A check of the certificate asks
  /// for all examples at the same weights, at most 4096 at a time, so that an oracle can answer
  /// them in parallel. The default calls Maximize for one example after the other.
  virtual void MaximizeBatch(int first, const Weights& weights, std::span<OracleAnswer> answers);

 protected:
  ExampleOracle() = default;
  ExampleOracle(const ExampleOracle&) = default;
  ExampleOracle& operator=(const ExampleOracle&) = default;
};

/// Looks for faults of an oracle, as training would meet them: asks for the first twenty examples
/// at w = 0 and at random weights, and compares every answer with the outputs of the other answers.
/// Finds oracles that forget the loss, minimise, answer at random or with the ground truth, and
/// features and losses that are out of range. Returns the faults, one sentence per line; empty when
/// there are none. For tests, beside CheckFactor.
SLACKLINE_EXPORT std::string CheckOracle(const Model& model, int num_examples,
                                         ExampleOracle& oracle);

/// Trains the model on examples 0 … num_examples − 1 with block-coordinate Frank-Wolfe and active
/// sets. `options` must give λ and must leave learner, learner_options and loss at their defaults.
/// Throws std::invalid_argument when an answer contradicts itself.
SLACKLINE_EXPORT TrainResult Train(const Model& model, int num_examples, ExampleOracle& oracle,
                                   const TrainOptions& options);
/// Chosen for any other type of oracle: a compile-time error that says what is needed.
template <class Oracle>
requires(!std::derived_from<Oracle, ExampleOracle>)  //
    TrainResult Train(const Model& /*model*/, int /*num_examples*/, Oracle& /*oracle*/,
                      const TrainOptions& /*options*/) {
  static_assert(std::derived_from<Oracle, ExampleOracle>,
                "Train needs an oracle that derives from ExampleOracle and overrides `void "
                "Maximize(int example, const Weights& weights, OracleAnswer* answer)`.");
  return {};
}

}  // namespace v1
}  // namespace slackline
