// SPDX-License-Identifier: BSD-3-Clause
//
// Training with a kernel on pairs of an input and an output, k(x, y; x', y') = φ(x, y)·φ(x', y').
// The weights then have no coordinates: they are a sum over pairs, w = Σ c φ(x_m, y). Outputs are
// lists of numbers. The kernel and the oracle know what the numbers mean, and where the inputs are.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <slackline/export.h>
#include <slackline/train.h>

namespace slackline {
inline namespace v1 {

class SLACKLINE_EXPORT JointKernel {
 public:
  virtual ~JointKernel();
  /// k(x_m, y; x_n, z): symmetric and positive semidefinite. Examples of training are numbered from
  /// 0; other numbers are for prediction. Only one thread at a time calls this function.
  virtual double Value(int m, std::span<const int> y, int n, std::span<const int> z) const = 0;

 protected:
  JointKernel() = default;
  JointKernel(const JointKernel&) = default;
  JointKernel& operator=(const JointKernel&) = default;
};

/// w·φ(x, y) for outputs y of the example in question. A call takes as many kernel values as the
/// weights have terms.
using OutputScore = std::function<double(std::span<const int> y)>;

struct JointOracleAnswer {
  std::vector<int> output = {};
  /// Δ(y) ≥ 0, any function of the output that is 0 for the ground truth.
  double loss = std::numeric_limits<double>::quiet_NaN();
  /// An upper bound on Δ(y) + w·[φ(y) − φ(truth)] over all outputs y. Leave it at NaN when this y
  /// is the best output.
  double bound = std::numeric_limits<double>::quiet_NaN();
};

class SLACKLINE_EXPORT JointOracle {
 public:
  virtual ~JointOracle();
  virtual std::vector<int> GroundTruth(int example) const = 0;
  /// Finds an output of the example with a large Δ(y) + score(y). `answer` is empty on entry. Only
  /// one thread at a time calls this function.
  virtual void Maximize(int example, const OutputScore& score, JointOracleAnswer* answer) = 0;

 protected:
  JointOracle() = default;
  JointOracle(const JointOracle&) = default;
  JointOracle& operator=(const JointOracle&) = default;
};

/// The oracle for examples with few outputs, which tries all of them.
class SLACKLINE_EXPORT EnumeratedOutputs final : public JointOracle {
 public:
  struct Choice {
    std::vector<int> output;
    double loss = 0;
  };
  /// All outputs of the next example; the first one is the ground truth, with loss 0. Throws
  /// std::invalid_argument when it is not, or a loss is negative or not finite.
  void Add(std::vector<Choice> choices);

  int num_examples() const { return static_cast<int>(choices_.size()); }
  std::vector<int> GroundTruth(int example) const override;
  void Maximize(int example, const OutputScore& score, JointOracleAnswer* answer) override;

 private:
  std::vector<std::vector<Choice>> choices_;
};

/// w = Σ coefficient · φ(x_example, output).
struct JointWeights {
  struct Term {
    int example = 0;
    std::vector<int> output;
    double coefficient = 0;
  };
  std::vector<Term> terms;

  /// w·φ(x_example, output). The kernel may know more examples than there were in training.
  SLACKLINE_EXPORT double Score(const JointKernel& kernel, int example,
                                std::span<const int> output) const;
};

struct JointTrainResult : TrainResult {
  JointWeights joint_weights;  ///< TrainResult::weights is empty
  /// The pairs of an example and an output other than the ground truth with a dual variable > 0, at
  /// the end of the run.
  int support_vectors = 0;
  /// The largest ‖φ(y) − φ(truth)‖² of the outputs that the oracle has returned.
  double squared_radius = 0;
  /// The theory of step "fw" promises that this many support vectors are enough for the reached
  /// gap: max(5 k₀, 24 R²/(λ gap)) (learning/reference/joint_kernel_learner.h). NaN for gap 0.
  double support_vector_bound = std::numeric_limits<double>::quiet_NaN();
};

/// Trains on examples 0 … num_examples − 1 with block-coordinate Frank-Wolfe in the dual. `options`
/// must give λ, and must leave learner and loss at their defaults. Its learner_options may have
/// step (pairwise, the default, or fw) and order (example or uniform). Throws std::invalid_argument
/// when the options do not fit, or an answer contradicts itself.
SLACKLINE_EXPORT JointTrainResult Train(const JointKernel& kernel, int num_examples,
                                        JointOracle& oracle, const TrainOptions& options);

}  // namespace v1
}  // namespace slackline
