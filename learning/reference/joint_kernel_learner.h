// SPDX-License-Identifier: BSD-3-Clause
//
// Block-coordinate Frank-Wolfe with a kernel k(x, y; x', y') on pairs of an input and a labelling.
// Labellings are lists of numbers, whose meaning the kernel and the oracle know.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013, appendix B.5, Algorithm B.1, with line search.
//
//   symbol             here
//   α_i(y)             shares of the active set of example i; every other α is 0
//   w = Aα             Σ_a c_a φ(a) over atoms a = (i, y): c_a = −α_i(y)/(λn), and for the ground
//                      truth y^i  c_a = (1 − α_i(y^i))/(λn)
//   ⟨w, φ(x, y)⟩       Σ_a c_a k(a; x, y)
//   H_i(y; w)          Δ_i(y) + ⟨w, φ(x_i, y)⟩ − ⟨w, φ(x_i, y^i)⟩
//
// Support vectors are the pairs (i, y) with α_i(y) > 0 and y ≠ y^i: ψ_i(y^i) = 0 adds nothing to w.
// Each step of the paper's kind makes at most one (SupportVectorBound).
//
// Deviations: pairwise steps (as in the other learners) besides those of the paper; with them eight
// steps on the active set follow each call of the oracle. The optional average of the iterates
// (line 8) is left out.
//
// Cost with N atoms: N kernel values for a new labelling and for each score that the oracle asks
// for, N · A multiply-adds for a step on A atoms, n oracle calls and N² for a check. Memory: N²/2
// numbers, up to the first kMostCachedAtoms atoms; kernel values of later ones are computed anew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

using JointLabelling = std::vector<std::int32_t>;

struct JointAnswer {
  JointLabelling labelling;
  double loss = kNone;   ///< Δ_i(y)
  double bound = kNone;  ///< on max_y H_i(y; w); NaN: the labelling attains it
};

/// The score ⟨w, φ(x_i, y)⟩ of a labelling of the example that is asked about.
using JointScore = std::function<double(std::span<const std::int32_t>)>;

/// The kernel and the oracle of a problem. Called by one thread at a time.
class JointProblem {
 public:
  virtual ~JointProblem() = default;
  /// k(x_i, y; x_j, z): symmetric and positive semidefinite.
  virtual double Kernel(Index i, std::span<const std::int32_t> y, Index j,
                        std::span<const std::int32_t> z) const = 0;
  virtual JointLabelling GroundTruth(Index i) const = 0;
  /// Writes a labelling with a large Δ_i(y) + score(y) to *answer, which is empty on entry.
  virtual void Maximise(Index i, const JointScore& score, JointAnswer* answer) = 0;
};

/// One term of w = Σ coefficient · φ(x_example, labelling).
struct JointTerm {
  Index example = 0;
  JointLabelling labelling;
  double coefficient = 0;
};
/// Terms with coefficient 0 are left out.
using JointExpansion = std::vector<JointTerm>;

struct JointLearnerOptions {
  /// kPairwise or kFrankWolfe.
  StepKind step = StepKind::kPairwise;
  /// Whether examples are drawn with replacement, as in the paper. Else a pass visits all of them
  /// in a fresh random order.
  bool uniform = false;
  std::int64_t seed = 1;
};

/// Certifies the exact problem. weights() is the number 1, in place of an expansion.
class JointKernelLearner : public Learner {
 public:
  /// The weights of the evaluation with the smallest primal.
  virtual const JointExpansion& best_weights() const = 0;
  /// The support vectors of the newest point.
  virtual std::int64_t NumSupportVectors() const = 0;
  /// The largest ‖ψ_i(y)‖² of the labellings that the oracle has returned.
  virtual double SquaredRadius() const = 0;
};

/// The number of steps, and so of support vectors, that are enough for an expected gap of ε with
/// steps of the paper's kind on examples drawn uniformly (Theorem C.5): max(5 k₀, 24 R²/(λε)), with
/// k₀ = ⌈ln(2h₀/C) / −ln(1 − 1/n)⌉ ≥ 0 and C = 4R²/(λn). R² ≥ ‖ψ_i(y)‖², h₀ is the dual error of
/// the start, which the optimum bounds. All arguments are positive.
double SupportVectorBound(double squared_radius, double lambda, Index num_examples,
                          double first_error, double gap);

inline constexpr Index kMostCachedAtoms = 8000;

/// The problem must outlive the learner. Throws std::invalid_argument when there is no example or λ
/// is not positive, and, during the run, when answers or kernel values are not finite or contradict
/// each other; the message names the example.
std::unique_ptr<JointKernelLearner> MakeJointKernelLearner(JointProblem* problem,
                                                           Index num_examples, double lambda,
                                                           const JointLearnerOptions& options);

}  // namespace slackline::internal
