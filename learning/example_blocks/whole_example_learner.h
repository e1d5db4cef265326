// SPDX-License-Identifier: BSD-3-Clause
//
// Training with an oracle that the caller supplies. The oracle maximises over the outputs of a
// whole example and needs no factor graph.
//
//   P(w) = λ/2 ‖w‖² + (1/M) Σ_m max_y h_m(y; w),   h_m(y; w) = Δ_m(y) + w·[φ_m(y) − φ_m(y^m)]
//   f(α) = (1/M) Σ_m Σ_k α_mk Δ_mk − λ/2 ‖w(α)‖²,  w(α) = −(1/(λM)) Σ_m Σ_k α_mk d_mk,
//          d_mk = φ_m(y_mk) − φ_m(y^m)
//
// Reference: Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013, Algorithm 4; with an active set
// of outputs per example and pairwise steps on it (Osokin et al., ICML 2016).
//
//   symbol  here                            shape
//   α_mk    Atom::share                     one per output of the active set, the ground truth
//                                           included; their sum is 1
//   d_mk    Atom::point                     sparse, over the weights
//
// A pass calls the oracle once for every example and makes pairwise steps with an exact line search
// on its active set; then it sweeps over the active sets alone. Cost of a step: O(stored features
// of the active set). Memory: all active sets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <slackline/learning/learner.h>

namespace slackline::internal {

/// The non-zero entries of a weight vector, in increasing order of their positions.
struct SparsePoint {
  std::vector<Offset> at;
  std::vector<double> values;
};

struct WholeExampleAnswer {
  SparsePoint point;  ///< φ(y) − φ(truth) of an output y
  double loss = kNone;
  double bound = kNone;  ///< on max_y h(y; w)
};

/// An answer whose bound lies below the value of an output that the oracle itself has returned for
/// the example before, at other weights.
struct OracleContradiction {
  Index example = 0;
  double bound = 0;         ///< of the answer
  double earlier = 0;       ///< the value of the earlier output at the weights of the answer
  double earlier_loss = 0;  ///< its loss
  /// "the oracle's answer for example 3 …", without a full stop.
  std::string Text() const;
};

class WholeExampleOracle {
 public:
  virtual ~WholeExampleOracle() = default;
  /// Writes a good output of example m at the weights, and a certified bound, to *answer. Called by
  /// one thread at a time.
  virtual void Maximise(Index m, std::span<const double> weights, WholeExampleAnswer* answer) = 0;
  /// The same for examples first … first + answers.size() − 1, whose answers are empty on entry.
  /// Checks of the certificate call this function, with at most kWholeExampleBatch examples. The
  /// default calls Maximise for each.
  virtual void MaximiseBatch(Index first, std::span<const double> weights,
                             std::span<WholeExampleAnswer> answers) {
    for (std::size_t k = 0; k < answers.size(); ++k)
      Maximise(first + static_cast<Index>(k), weights, &answers[k]);
  }
  /// Called when an answer contradicts an earlier one: the oracle has not maximised. The default
  /// throws std::invalid_argument. If it returns, the earlier value takes the place of the bound,
  /// which is then no certificate.
  virtual void OnContradiction(const OracleContradiction& contradiction);
};

/// Throws std::invalid_argument, which names the example, when an oracle's answer of this loss and
/// value has a loss < 0, or a bound below its value or below 0; room ≥ 0: for rounding errors.
void CheckAnswerBound(Index example, double loss, double value, double bound, double room);

/// The message where the bounds of a run with a user's oracle contradict each other.
inline constexpr const char* kContradictoryOracle =
    "the answers of the oracle contradict each other: the lower bound that its outputs give lies "
    "above the upper bound that its answers claim. Some answer was not the output with the largest "
    "loss + w·φ";

/// Bounds the memory for the answers of a check.
inline constexpr Index kWholeExampleBatch = 4096;

/// Certifies the exact problem: the dual by the outputs that the oracle returned, the primal by its
/// bounds. Throws std::invalid_argument, which names the example, when an answer is out of range,
/// not finite, or contradicts itself or (OnContradiction) an earlier one: all outputs of the active
/// sets are lower bounds on later maxima. The oracle must outlive the learner.
std::unique_ptr<Learner> MakeWholeExampleLearner(WholeExampleOracle* oracle, Index num_examples,
                                                 Offset num_weights, double lambda,
                                                 std::int64_t seed);

/// Looks for faults of an oracle before training: asks for the first examples (at most
/// kCheckedExamples) at w = 0 and at random weights, and compares every answer with the outputs of
/// all others for the example. Returns the faults found, one sentence each;
/// std::invalid_argument of an oracle is one.
inline constexpr Index kCheckedExamples = 20;
std::vector<std::string> CheckWholeExampleOracle(WholeExampleOracle* oracle, Index num_examples,
                                                 Offset num_weights);

}  // namespace slackline::internal
