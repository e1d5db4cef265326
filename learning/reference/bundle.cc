// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `bmrm`: the bundle method for regularised risk minimisation, with planes taken by a line
// search.
//
// Sources: Teo, Vishwanathan, Smola, Le, "Bundle methods for regularized risk minimization", JMLR
// 11, 2010, Algorithm 1; Franc, Sonnenburg, "Optimized cutting plane algorithm for support vector
// machines", ICML 2008, for where planes are taken. A plane is taken at w_b + ((1 − μ) k + μ) (w_t
// − w_b), μ = 0.1, with w_b the best weights so far, w_t the minimum of the model, and k in [0, 1]
// the best point of the line between them (their equation (13)). Axes: as cutting-plane-1
// (planes/joint_planes.h), with which it shares planes, program and certificate.
//
// Deviation: for structured labels the objective along a line has no closed form, so that k is the
// best point for the cached labellings, which takes no oracle calls. A plane that does not cut off
// w_t is followed by a plane at w_t, as the convergence of bundle methods requires. BMRM itself
// takes all planes at w_t, and on this objective is cutting-plane-1 without its cache, plane by
// plane: both minimise λ/2 ‖w‖² + max_k (b_k − w·a_k) with the same planes. The line search costs
// two more sweeps over the inputs, and a pass over all cached labellings.
#include <slackline/learning/reference/bundle.h>

#include <stdexcept>
#include <vector>

#include <slackline/core/inner_product.h>
#include <slackline/learning/planes/joint_planes.h>
#include <slackline/learning/planes/plane_options.h>
#include <slackline/learning/reference/reference_learners.h>

namespace slackline::internal {
namespace {

constexpr double kBeyond = 0.1;  // μ: share of the line beyond its best point
constexpr int kBisections = 40;
/// A plane taken on the line that the newest weights violate by at most this share of the gap is
/// followed by a plane at the newest weights.
constexpr double kSmallViolation = 0.05;

class BundleLearner : public JointPlaneLearner {
 public:
  BundleLearner(const Problem& problem, const TrainOptions& options)
      : JointPlaneLearner(problem, options) {
    traits_.lambda = nullptr;
  }

  /// Lines 4 to 6 of Algorithm 1: the plane (a_t, b_t), the model, and its minimum w_t.
  void RunPass(const StopControl& stop) override {
    const bool line = !at_newest_;
    point_.assign(planes_.weights().begin(), planes_.weights().end());
    if (line) {
      const double share = (1 - kBeyond) * BestOnLine(problem_, best_, point_, &kept_) + kBeyond;
      for (std::size_t i = 0; i < point_.size(); ++i)
        point_[i] = best_[i] + share * (point_[i] - best_[i]);
    }
    const double violation = TakePlane(stop);
    at_newest_ = line && violation <= kSmallViolation * GapEstimate();
    AddPlane(Tolerance());
  }

  void Archive(StateArchive* /*archive*/) override {
    throw std::logic_error("bmrm keeps no state");
  }

 private:
  bool at_newest_ = false;  // the next plane is taken at the newest weights
};

}  // namespace

double BestOnLine(const Problem& problem, std::span<const double> from, std::span<const double> to,
                  PlaneLabellings* cached) {
  std::vector<double> start, end;  // H of all active sets at both ends, example by example
  std::vector<std::size_t> first = {0};
  for (Index m = 0; m < problem.size(); ++m) {
    cached->AppendHinges(m, from, &start);
    cached->AppendHinges(m, to, &end);
    first.push_back(start.size());
  }
  const double start_norm = InnerProduct(from, from);
  const double cross = InnerProduct(from, to);
  const double norm = InnerProduct(to, to) - 2 * cross + start_norm;
  const auto slope = [&](double k) {
    double risk = 0;
    for (std::size_t m = 0; m + 1 < first.size(); ++m) {
      std::size_t best = first[m];
      const auto value = [&](std::size_t a) { return start[a] + k * (end[a] - start[a]); };
      for (std::size_t a = first[m]; a < first[m + 1]; ++a) {
        if (value(a) > value(best)) best = a;
      }
      risk += end[best] - start[best];
    }
    return problem.lambda() * (cross - start_norm + k * norm) + risk / problem.size();
  };
  if (slope(1) <= 0) return 1;
  double low = 0;
  double high = 1;
  for (int step = 0; step < kBisections; ++step) {
    const double middle = 0.5 * (low + high);
    (slope(middle) > 0 ? high : low) = middle;
  }
  return low;
}

constinit const LearnerRecord kBundleLearner = {
    .name = "bmrm",
    .summary = "a bundle method with a line search",
    .section = "Cutting planes: `cutting-plane-1`, `cutting-plane-n`, `bmrm`",
    .make = MakeReference<BundleLearner>,
    .variants = kOracleVariants,
    .reads = "rescaling oracle",
    .options = kPlaneOptionLists,
    .own_steps = "takes no steps: it solves a quadratic program over its planes",
    .own_order = "takes all examples at once",
    .keeps_state = false};

}  // namespace slackline::internal
