// SPDX-License-Identifier: BSD-3-Clause
//
// Online dual ascent by the formulas of Branson, Beijbom and Belongie (CVPR 2013, supplement),
// Algorithm 3 around Algorithm 1, with dense vectors over listed labellings. v of the paper is −ψ
// here, and the ball has the radius √(B/λ) for losses up to B.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <slackline/learning/problem.h>

#include "tests/support/dense_labellings.h"

namespace slackline::internal::test {

/// What happened in a step of Algorithm 3.
struct PlainOnlineStep {
  Eigen::VectorXd before;         ///< w^(t−1)
  double suffered = 0;            ///< f(w^(t−1); Z_t)
  double squared_gradient = 0;    ///< ‖∇f(w^(t−1); Z_t)‖²
  double predicted_loss = 0;      ///< Δ(g(X_t; w^(t−1)), Y_t)
  double gain = 0;                ///< D_t − D_(t−1) before line 5
  double gain_of_projection = 0;  ///< what line 5 adds
  double mass = 0;                ///< Σ_j α_t^j
};

class PlainOnline {
 public:
  struct Moves {
    int rounds = 1;
    bool expand_first = true;
  };
  PlainOnline(const Problem& problem, const Moves& moves)
      : w(Eigen::VectorXd::Zero(problem.num_weights())), problem_(problem), moves_(moves) {
    for (Index m = 0; m < problem.size(); ++m) {
      labellings_.push_back(DenseLabellings(problem, m));
      psi_.push_back(LabellingsByPsi(problem, m));
      for (const PsiAndLoss& y : psi_.back()) {
        largest_loss = std::max(largest_loss, y.loss);
        longest = std::max(longest, y.psi.norm());
      }
    }
  }

  /// Lines 2 to 5 for example m. others: further labellings, by the samplers' rule: those that are
  /// not among the samples yet, until there are `samples`.
  void Step(Index m, const std::vector<std::vector<Index>>& others, std::size_t samples) {
    PlainOnlineStep step{.before = w};
    const double lambda = problem_.lambda();
    const PsiAndLoss& worst = psi_[m][Best(m, w, true)];
    step.suffered = 0.5 * lambda * w.squaredNorm() + worst.loss - w.dot(worst.psi);
    step.squared_gradient = (lambda * w - worst.psi).squaredNorm();
    step.predicted_loss = psi_[m][Best(m, w, false)].loss;
    const double dual = Dual();
    const std::vector<const PsiAndLoss*> list = Samples(m, others, samples);
    ++t;
    w *= static_cast<double>(t - 1) / static_cast<double>(t);
    Update(list);
    step.mass = mass_;
    step.gain = Dual() - dual;
    const double limit = std::sqrt(largest_loss / lambda);
    if (w.norm() > limit) {
      const double before = Dual();
      loss_ *= limit / w.norm();
      w *= limit / w.norm();
      step.gain_of_projection = Dual() - before;
    }
    steps.push_back(std::move(step));
  }

  /// D_t = Σ α Δ − λt/2 ‖w‖².
  double Dual() const {
    return loss_ - 0.5 * problem_.lambda() * static_cast<double>(t) * w.squaredNorm();
  }
  /// The mean over all examples of Δ(g(X; weights), Y).
  double PredictedLoss(const Eigen::VectorXd& weights) const {
    double sum = 0;
    for (Index m = 0; m < problem_.size(); ++m) sum += psi_[m][Best(m, weights, false)].loss;
    return sum / problem_.size();
  }

  Eigen::VectorXd w;
  std::int64_t t = 0;
  double largest_loss = 0;  ///< B
  double longest = 0;       ///< the largest ‖ψ‖, at most 2R
  std::vector<PlainOnlineStep> steps;

 private:
  /// argmax of φ·weights, with or without Δ: the first labelling of several.
  std::size_t Best(Index m, const Eigen::VectorXd& weights, bool with_loss) const {
    std::size_t best = 0;
    double most = -kInfinity;
    for (std::size_t y = 0; y < psi_[m].size(); ++y) {
      const double value = (with_loss ? psi_[m][y].loss : 0.0) - weights.dot(psi_[m][y].psi);
      if (value > most) most = value, best = y;
    }
    return best;
  }

  std::vector<const PsiAndLoss*> Samples(Index m, const std::vector<std::vector<Index>>& others,
                                         std::size_t count) const {
    std::vector<const PsiAndLoss*> list = {&psi_[m][Best(m, w, true)]};
    for (const std::vector<Index>& labels : others) {
      if (list.size() == count) break;
      for (std::size_t y = 0; y < labellings_[m].size(); ++y) {
        if (labellings_[m][y].labels != labels) continue;
        if (std::find(list.begin(), list.end(), &psi_[m][y]) == list.end())
          list.push_back(&psi_[m][y]);
      }
    }
    return list;
  }

  /// Algorithm 1, lines 3 to 16.
  void Update(const std::vector<const PsiAndLoss*>& samples) {
    const double lambda_t = problem_.lambda() * static_cast<double>(t);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(w.size());
    double loss = 0;
    mass_ = 0;
    for (int round = 0; round < moves_.rounds; ++round) {
      for (const PsiAndLoss* y : samples) {
        const double value = y->loss - w.dot(y->psi);
        const double own = loss - w.dot(u);
        const double expand = Share(value, y->psi.squaredNorm() / lambda_t, 1 - mass_);
        const double swap = Share(value - own, (y->psi - u).squaredNorm() / lambda_t, 1);
        const auto gain = [&](double share, double slope, double squared) {
          return share * slope - share * share * squared / (2 * lambda_t);
        };
        const bool swaps = mass_ >= 1 || (!moves_.expand_first && mass_ > 0 &&
                                          gain(swap, value - own, (y->psi - u).squaredNorm()) >
                                              gain(expand, value, y->psi.squaredNorm()));
        const double alpha = swaps ? swap : expand;
        const double s = swaps ? 1 - alpha : 1;
        w += ((s - 1) * u + alpha * y->psi) / lambda_t;
        u = s * u + alpha * y->psi;
        loss = s * loss + alpha * y->loss;
        const bool fills = !swaps && alpha >= 1 - mass_;  // exactly, despite rounding
        mass_ = fills ? 1.0 : mass_ + alpha * (swaps ? 1 - mass_ : 1.0);
      }
    }
    loss_ += loss;
  }

  static double Share(double slope, double curvature, double limit) {
    if (slope <= 0) return 0;
    return curvature > 0 ? std::min(limit, slope / curvature) : limit;
  }

  Problem problem_;
  Moves moves_;
  std::vector<std::vector<DenseLabelling>> labellings_;
  std::vector<std::vector<PsiAndLoss>> psi_;
  double loss_ = 0;  // Σ α Δ
  double mass_ = 0;
};

}  // namespace slackline::internal::test
