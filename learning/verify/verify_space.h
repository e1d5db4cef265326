// SPDX-License-Identifier: BSD-3-Clause
//
// Weights and dual points as verification (verify.h) sees them: written out over the weight vector,
// or with a kernel as coefficients of the training inputs (kernel_expansion.h), whose inner
// products are then computed from kernel values alone. In plain loops, which share nothing with
// training but where numbers lie.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/kernel.h>

namespace slackline::internal {

class VerifySpace {
 public:
  virtual ~VerifySpace() = default;

  /// u: the coordinate scores of example m at the weights (core/structure.h).
  virtual void Scores(Index m, std::span<double> u) const = 0;
  virtual double SquaredNorm() const = 0;  ///< ‖w‖²
  virtual double OneNorm() const = 0;  ///< ‖w‖₁; 0 with a kernel, where it is not asked for

  /// Adds scale · ψ_m(μ) to the dual point, given by its coordinates.
  virtual void AddToPoint(Index m, std::span<const double> psi, double scale) = 0;
  /// ‖soft(v, threshold)‖² of the dual point v. Requires threshold 0 with a kernel.
  virtual double PointSquaredNorm(double threshold) const = 0;

  /// How far rounding may move ‖w‖², and the score of one coordinate. Sums of kernel values cancel
  /// where inputs are long and the weights are not: 0 without a kernel.
  struct Rounding {
    double squared_norm = 0;
    double score = 0;
  };
  virtual Rounding WeightsRounding() const { return {}; }
  /// The same of the squared norm of the dual point.
  virtual double PointRounding() const { return 0; }

  /// The weight vector, for global factors; empty with a kernel.
  virtual std::span<const double> weights() const = 0;
};

/// Requires one weight for each of the data's layout. Views of both are kept.
std::unique_ptr<VerifySpace> MakeLinearSpace(const Dataset& data, std::span<const double> weights);

/// weights: an expansion over the data's inputs. O(N²) kernel values here, and again for
/// PointSquaredNorm. Throws DataError as KernelRow.
std::unique_ptr<VerifySpace> MakeKernelSpace(const Dataset& data, const Kernel& kernel,
                                             std::span<const double> weights);

}  // namespace slackline::internal
