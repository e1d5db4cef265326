// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `dlpw` and `smooth-dlpw`: dual losses, primal weights. The relaxed problem G is
// minimised over w and δ at once, by gradient steps on w and block minimisation over δ.
//
// Sources: Meshi, Sontag, Jaakkola, Globerson, "Learning efficiently with approximate inference via
// dual losses", ICML 2010; smooth: Hazan, Urtasun, "A primal-dual message-passing algorithm for
// approximated large scale structured prediction", NIPS 2010. As the AISTATS 2015 paper (section 6)
// runs them for comparison: stochastic gradient steps of length η/t, with the best of several η.
// Axes: blocks = the messages of one variable (star updates, inference/star_updates.h) · oracle =
// max-marginals of factors · step on w = subgradient · order = example or uniform.
//
//   symbol   here                                     meaning
//   w, δ     dual_loss_descent.h
//   η        --step-size; else one of a grid          step k has length η/(M + k), at most 1/λ
//   ε        --smoothing (smooth-dlpw)                temperature of the soft maxima
//
// The t-th of the original steps is our step number t − M: the first M steps of length η/t would be
// far longer than one example deserves. η: trials of 20 passes over at most 100 examples, with λη =
// 16, 8, 4, 2, 1; the best objective wins, and a note says which. ε: unless given, such that B_ε −
// B ≤ ε Σ_a log K_a is at most a hundredth of P(0), on average over the examples.
//
// Certificate. Upper bound: g(w, δ) with the maximum itself, after two sweeps on copies of δ, at
// the newest w; for smooth-dlpw, too, which minimises another function, so that its gap does not
// close below the bias of ε. Lower bound: the parts' maximisers (soft maximisers), averaged with
// growing weights over the visits and repaired into the local polytope; the best mixtures over the
// checks are kept (dual_mixture.h). Block minimisation of the maximum itself may halt at messages
// that are not optimal, so for dlpw nothing says that the gap closes.
//
// Memory: total_states + total_messages numbers per example. Cost of a visit: two sweeps over the
// tables of all factors for each of their variables, the score tables, one read and one write of
// the example's weights.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct DualLossOptions {
  /// η of the steps η/t on the weights; 0 = found by short trials.
  double step_size = 0;
};

/// options.learner: kDlpw or kSmoothDlpw. Requires what MakeLearner checks (support_table.h): no
/// global factors.
std::unique_ptr<Learner> MakeDualLossLearner(const Problem& problem, const TrainOptions& options);

/// `dlpw` and `smooth-dlpw`.
extern const LearnerRecord kDlpwLearner, kSmoothDlpwLearner;

}  // namespace slackline::internal
