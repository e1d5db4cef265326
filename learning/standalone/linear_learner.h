// SPDX-License-Identifier: BSD-3-Clause
//
// The learner of linear models: classification of two classes, and regression.
//
//   l2, q-norm:  min_w (1/n) Σ_i φ_i(x_iᵀw) + λ g(w),  λ g(w) = λ/2 ‖w‖² + σ ‖w‖₁, or
//                                                     λ c/2 ‖w‖_q² + σ ‖w‖₁
//   l1:          min_w (1/n) Σ_i φ_i(x_iᵀw) + σ ‖w‖₁
//
// Source: Shalev-Shwartz, Zhang, "Proximal stochastic dual coordinate ascent", 2012: figure 1 on
// problems (8) and (6). The losses and regularisers are those of prox_loss.h and
// prox_regulariser.h.
//
// l1, problem (6), has no strongly convex regulariser. The paper adds λ/2 ‖w‖² with λ = ε/B², B ≥
// ‖w*‖₂, and solves the sum to ε/2, which takes n + R²B²/(εγ) steps. Deviation: λ keeps its value,
// and the added term is λ/2 ‖w − c‖². Its centre c moves to the weights whenever the sum is solved
// to a quarter of the gap of problem (6): the proximal point algorithm (Rockafellar 1976), with the
// momentum of Lin, Mairal and Harchaoui 2015, "Catalyst". Neither ε nor B is needed. The
// certificate is that of problem (6) itself. With u = (1/n) Σ_i x_i α_i, its dual is
// max_α −(1/n) Σ φ_i*(−α_i) subject to ‖u‖_∞ ≤ σ, and t·α is feasible for t = min(1, σ/‖u‖_∞).
//
// Cost of a pass: 2n rows; with q-norm also n · d. Of a check: 2n rows and d; twice that where an
// average or a drawn iterate is evaluated besides the newest point. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/standalone/prox_loss.h>
#include <slackline/learning/standalone/prox_sdca.h>

namespace slackline::internal {

enum class LinearRegulariser { kL2, kL1, kQNorm };
/// "l2", "l1", "q-norm".
std::string_view Name(LinearRegulariser regulariser);

struct LinearProblem {
  std::shared_ptr<const FeatureRows> rows;  ///< x_i
  ScalarLossKind loss = ScalarLossKind::kHinge;
  std::vector<double> labels;
  double loss_parameter = 0;  ///< γ or ε (ScalarLoss)
  LinearRegulariser regulariser = LinearRegulariser::kL2;
  double lambda = 0;  ///< l1: of the added term, which decides the speed alone
  double l1 = 0;      ///< σ, > 0 with l1
};

/// The point that is evaluated besides the newest one; the better weights are kept.
enum class SdcaOutput { kNewest, kAverage, kRandom };
/// "newest", "average", "random".
std::string_view Name(SdcaOutput output);

struct LinearLearnerOptions {
  SdcaStep step = SdcaStep::kMaximise;
  /// Average and random output are over the iterates since T₀, the last power of two of the passes.
  SdcaOutput output = SdcaOutput::kNewest;
  /// Whether examples are drawn with replacement, as in the paper. Else a pass visits all of them
  /// in a fresh random order.
  bool uniform = false;
  std::int64_t seed = 1;
};

/// The smallest σ for which w = 0 is optimal in problem (6): ‖(1/n) Σ_i x_i φ_i'(0)‖_∞.
double LargestUsefulL1(const LinearProblem& problem);

/// Certifies the exact problem. Its weights have the dimension of the rows. Throws
/// std::invalid_argument and DataError as the parts of the problem and ProxSdca do.
std::unique_ptr<Learner> MakeLinearLearner(const LinearProblem& problem,
                                           const LinearLearnerOptions& options);

}  // namespace slackline::internal
