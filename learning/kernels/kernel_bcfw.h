// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `kernel-bcfw` and `kernel-fw`: Frank-Wolfe over example blocks, one at a time or all at
// once, in the dual alone, so that inputs can be compared by a kernel (core/kernel.h).
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013, appendix B.5: Algorithm B.1 (kernel-bcfw), and Algorithm 2 carried
// over in the same way (kernel-fw). Line search as in Algorithm 4, or --fixed-step.
//
//   symbol           here            shape
//   α_(i)            points_         num_coordinates of the example's structure, see below
//   w = Aα           weights_        KernelExpansion::size(): explicit weights of scalar features,
//                                    coefficients of inputs
//   b_i·α_(i) · n    losses_         one number per example
//   ᾱ                average_        as w
//
// Deviation: the paper keeps α_(i) labelling by labelling, so that the time of inner products grows
// with the square of the number of steps. With kernels that compare one part with another, w and
// all inner products depend on α_(i) only through its coordinates φ_i(α_(i)), whose number is
// fixed. weights() is the expansion (kernel_expansion.h); inputs with a coefficient are the support
// vectors.
//
// Cost of a step of kernel-bcfw: one oracle call, one kernel row of N values for every input of the
// example (computed unless the cache has it), N · rows multiply-adds for each, and T² · rows for
// the line search with T inputs. A pass of kernel-fw: M oracle calls and N² · rows. Memory: the
// cache, and M + N · rows numbers of duals and coefficients.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct KernelLearnerOptions {
  /// Memory for kernel values, in units of 10^6 bytes.
  Index cache_mb = 256;
};

/// options.learner: kKernelBcfw or kKernelFrankWolfe. Requires a problem that MakeLearner has
/// checked (support_table.h), among others one with input vectors. Throws DataError when the oracle
/// does not apply.
std::unique_ptr<Learner> MakeKernelLearner(const Problem& problem, const TrainOptions& options);

extern const LearnerRecord kKernelFrankWolfeLearner, kKernelBcfwLearner;

}  // namespace slackline::internal
