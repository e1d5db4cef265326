// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `dlpw` and `smooth-dlpw`: dual losses, primal weights. The relaxed problem G is
// minimised over w and δ at once, by gradient steps on w and block minimisation over δ.
//
// Sources: Meshi, Sontag, Jaakkola, Globerson, "Learning efficiently with approximate inference via
// dual losses", ICML 2010; smooth: Hazan, Urtasun, "A primal-dual message-passing algorithm for
// approximated large scale structured prediction", NIPS 2010. The learners follow the comparison in
// the AISTATS 2015 paper (section 6): stochastic gradient steps of length η/t, with the best of
// several η.
// Axes: blocks = the messages of one variable (star updates, inference/star_updates.h) · oracle =
// max-marginals of factors · step on w = subgradient · order = example or uniform.
//
//   symbol   here                                     meaning
//   w, δ     dual_loss_descent.h
//   η        --step-size, or the best of a grid       step k has length η/(M + k), at most 1/λ
//   ε        --smoothing (smooth-dlpw)                temperature of the soft maxima
//
// Step k here is step t = M + k of the paper, because steps of length η/t with t ≤ M would be far
// too long for one example. Without --step-size, η is chosen by trials of 20 passes over at most
// 100 examples, with λη = 16, 8, 4, 2, 1; the η with the best objective is used, and a note reports
// it. Without --smoothing, ε is such that B_ε − B ≤ ε Σ_a log K_a is at most a hundredth of P(0),
// on average over the examples.
//
// Certificate. Upper bound: g(w, δ) with the exact maximum, after two sweeps on copies of δ, at the
// newest w. smooth-dlpw uses the same bound although it minimises another function, so that its gap
// does not close below the bias of ε. Lower bound: the parts' maximisers (soft maximisers),
// averaged with growing weights over the visits and repaired into the local polytope; the best
// mixtures over the checks are kept (dual_mixture.h). Block minimisation of the exact maximum may
// halt at messages that are not optimal, so that the gap of dlpw need not close.
//
// Memory: total_states + total_messages numbers per example. Cost of a visit: two sweeps over every
// factor's table for each of its variables, the score tables, one read and one write of the
// example's weights.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct DualLossOptions {
  /// η of the steps η/t on the weights; 0 = chosen by short trials.
  double step_size = 0;
};

/// options.learner: kDlpw or kSmoothDlpw. Requires a problem that MakeLearner has checked
/// (support_table.h), among others without global factors.
std::unique_ptr<Learner> MakeDualLossLearner(const Problem& problem, const TrainOptions& options);

extern const LearnerRecord kDlpwLearner, kSmoothDlpwLearner;

}  // namespace slackline::internal
