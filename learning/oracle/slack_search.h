// SPDX-License-Identifier: BSD-3-Clause
//
// Slack rescaling by an oracle of margin rescaling. With h(s) = w·φ(s) − w·φ(y),
//
//   max_s Δ(s) · (1 + h(s)),
//
// is a product, but for every multiplier λ' ≥ 0 solvers for sums answer
//
//   L(λ') = max_s [h(s) + λ' Δ(s)],
//
// and every answer, or upper bound U on it, bounds h by a line: h(s) ≤ U − λ' Δ(s). The lines
// together are a concave function E of the loss, and
//
//   max_s Δ(s)·(1 + h(s)) ≤ max over the losses d that are possible of d·(1 + E(d)).
//
// The best labelling among the answers is a lower bound. The two meet where the best labelling is a
// vertex of the convex hull of all points (Δ(s), h(s)). They need not meet elsewhere, because no
// multiplier finds labellings inside of the hull.
//
// Sources: Sarawagi, Gupta, "Accurate max-margin training for structured output spaces", ICML 2008
// (the bound (1 + L(λ'))²/(4λ') of a single line); Choi, Meshi, Srebro, "Fast and scalable
// structural SVM with slack rescaling", AISTATS 2016 (search over λ'). The bound of one line is
// least at the λ' where d = (1 + U)/(2λ') is the loss of an answer, so an answer with a smaller
// loss asks for a larger λ'. With an answer on either side, the next multiplier is the one at which
// both answers are equally good (Eisner and Severance, Journal of the ACM 23, 1976). Then either a
// better labelling replaces one of the answers, or their line is an edge of the hull, and no
// multiplier improves the bound.
#pragma once

#include <functional>
#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The answer of the oracle for one multiplier.
struct MultiplierAnswer {
  double bound = 0;  ///< ≥ max_s [h(s) + λ' Δ(s)]
  double score = 0;  ///< h of the labelling found; −∞: none
  double loss = 0;   ///< Δ of the labelling found
};

/// Bounds on max_s Δ(s)·(1 + h(s)) ≥ 0.
struct SlackBounds {
  double value = 0;  ///< of the best labelling of all answers and the ground truth
  double upper_bound = 0;
  int calls = 0;  ///< of the oracle
};

/// largest: an upper bound on all losses. losses: the possible losses; empty: all of [0, largest].
/// ask(λ') may keep the labellings that it finds. Takes about 5 calls of an exact oracle, and at
/// most 24 calls.
SlackBounds SearchMultipliers(double largest, std::span<const double> losses,
                              const std::function<MultiplierAnswer(double)>& ask);

}  // namespace slackline::internal
