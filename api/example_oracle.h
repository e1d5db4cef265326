// SPDX-License-Identifier: BSD-3-Clause
//
// Training with one's own solver: whoever can find the best output of an example for given weights
// (a shortest path, a parse, a layout) trains by one function, without a graph. Examples may be
// anything, and need not be in memory: the function is asked for one after the other.
#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <vector>

#include <slackline/export.h>
#include <slackline/model.h>
#include <slackline/train.h>

namespace slackline {
inline namespace v1 {

/// A sum of entries of a weight vector. Entries added twice add up.
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

/// One output y of an example, as good as the oracle could find.
struct OracleAnswer {
  /// φ(y) − φ(truth).
  FeatureVector features = {};
  /// Δ(y) ≥ 0, 0 for the ground truth. Any function of the output.
  double loss = std::numeric_limits<double>::quiet_NaN();
  /// No output has a larger Δ(y) + w·[φ(y) − φ(truth)]. Leave it as it is where y has the largest.
  /// The certificate is as tight as this bound.
  double bound = std::numeric_limits<double>::quiet_NaN();
};

class SLACKLINE_EXPORT ExampleOracle {
 public:
  virtual ~ExampleOracle();
  /// Finds an output of the example with a large Δ(y) + w·[φ(y) − φ(truth)]. Called by one thread
  /// at a time; the answer is empty when it is handed over.
  virtual void Maximize(int example, const Weights& weights, OracleAnswer* answer) = 0;

 protected:
  ExampleOracle() = default;
  ExampleOracle(const ExampleOracle&) = default;
  ExampleOracle& operator=(const ExampleOracle&) = default;
};

/// Trains the model on examples 0 … num_examples − 1 with block-coordinate Frank-Wolfe and active
/// sets. Options: λ must be given; learner, learner_options and loss must be left as they are.
/// Throws std::invalid_argument when an answer contradicts itself.
SLACKLINE_EXPORT TrainResult Train(const Model& model, int num_examples, ExampleOracle& oracle,
                                   const TrainOptions& options);
/// What the compiler says about an object of another type.
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
