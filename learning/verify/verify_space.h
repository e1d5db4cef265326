// SPDX-License-Identifier: BSD-3-Clause
//
// Weights and dual points for verification (verify.h): as explicit weight vectors, or with a kernel
// as coefficients of the training inputs (kernel_expansion.h), whose inner products are computed
// from kernel values alone. The plain loops share nothing with training but the positions of
// numbers in vectors.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/kernel.h>
#include <slackline/core/ranks.h>
#include <slackline/learning/sign_constraints.h>

namespace slackline::internal {

class VerifySpace {
 public:
  virtual ~VerifySpace() = default;

  /// u: the coordinate scores of example m at the weights (core/structure.h).
  virtual void Scores(Index m, std::span<double> u) const = 0;
  virtual double SquaredNorm() const = 0;  ///< ‖w‖²
  virtual double OneNorm() const = 0;      ///< ‖w‖₁; 0 with a kernel, where it is not needed

  /// Adds scale · ψ_m(μ) to the dual point. psi: the coordinates of ψ_m(μ).
  virtual void AddToPoint(Index m, std::span<const double> psi, double scale) = 0;
  /// Replaces the point by the sum of the points of all ranks, which must all call it. Several
  /// ranks must have explicit weights.
  virtual void AddUpPoint(Ranks& ranks) = 0;
  /// ‖soft(v, threshold)‖² of the dual point v, with constraints of the nearest allowed vector.
  /// Requires threshold 0 and no constraints with a kernel.
  virtual double PointSquaredNorm(double threshold, const SignConstraints& signs) const = 0;

  /// Bounds on the rounding errors of ‖w‖² and of the score of one coordinate. Sums of kernel
  /// values cancel where inputs are long and the weights are short. 0 without a kernel.
  struct Rounding {
    double squared_norm = 0;
    double score = 0;
  };
  virtual Rounding WeightsRounding() const { return {}; }
  /// The same for the squared norm of the dual point.
  virtual double PointRounding() const { return 0; }

  /// The weight vector, for global factors; empty with a kernel.
  virtual std::span<const double> weights() const = 0;
};

/// A space of explicit weights. Throws std::invalid_argument unless weights has the size of the
/// data's layout. `data` and `weights` must outlive the space.
std::unique_ptr<VerifySpace> MakeLinearSpace(const Dataset& data, std::span<const double> weights);

/// weights: an expansion over the data's inputs. `data` and `weights` must outlive the space.
/// Computes O(N²) kernel values, and again in PointSquaredNorm. Throws std::invalid_argument when
/// the weights have another size, and DataError as KernelRow does.
std::unique_ptr<VerifySpace> MakeKernelSpace(const Dataset& data, const Kernel& kernel,
                                             std::span<const double> weights);

}  // namespace slackline::internal
