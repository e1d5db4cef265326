// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `multi-sample`: online dual ascent with several labellings in every update.
//
// Source: Branson, Beijbom, Belongie, "Efficient large-scale structured learning", CVPR 2013,
// supplement: Algorithm 3 around Algorithm 1 (Algorithm 2 for examples that are one variable with
// an input and a row of weights for each state). Misprints in the formulas are corrected
// (multi_sample_update.h).
//
//   symbol          here                     shape
//   w^t             weight_scale_ · weights_ num_weights
//   u_t summed      points_ · scale_         per example: coordinates of Σ over its visits of Σ_j
//                                            α_j ψ_j
//   t               steps_                   number of examples seen, each visit one
//   Y^1 … Y^K       samples_                 the oracle's corner first (whose subgradient the
//                                            theorem needs), then a sampler's labellings
//
// As in the paper, every visit counts as a new example with its own dual variables, and λt grows:
// w^(t,0) = (t−1)/t w^(t−1). With --expand-first the moves are those of Algorithm 1, and
// --update-rounds repeats them (line 16). Then w is scaled onto the ball ‖w‖² ≤ B/λ, where B is the
// largest loss of any labelling (the paper has Δ ≤ 1). After whole passes the mean over an
// example's visits is a dual point of the problem with w = Ψμ, which gives the lower bound. With
// --revisit each example has one set of dual variables, t = M, moves start from the example's
// current dual variables, w is not projected, and the dual never falls; with --samples 1 this is
// nearly bcfw.
//
// Notes report the mean of f(w^(t−1); Z_t) = λ/2 ‖w‖² + hinge, its regret against the optimum
// (between bounds), and the bound of Lemma 2.4 with the gradients so far, (1/T) Σ_t ‖∇f_t‖²/(2λt).
// With --online-loss they also report the mean loss of the labellings that w^(t−1) predicts, and
// the bound of Theorem 2.1, min F_T/T + L² (log T + 1)/(2λT). Here L = √(λB) + D, where D bounds
// the length of every ψ (the paper has B = 1 and D = 2R, R the length of the longest feature
// vector). This takes a second oracle call in every step, which is not counted and changes nothing.
//
// With slack rescaling the vector of labelling s is Δ(s)·ψ(s). The sampler then still draws by loss
// plus score, since the theorem asks only for the oracle's corner, and Algorithm 2, which needs the
// vectors of single states, is not used.
//
// Cost of a step: one oracle call, K labellings of the sampler, and K applications of the example's
// Gram map. Weights shrink by their common scale, and ‖w‖² follows the steps, so that only the
// weights of the example are touched; a step on a structure with global factors also takes two
// sweeps over all weights (none with --revisit).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/oracle/labelling_sampler.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/state_archive.h>
#include <slackline/learning/step/iterate_average.h>

namespace slackline::internal {

struct MultiSampleOptions {
  /// Labellings in each update of an example.
  Index samples = 10;
  /// Whether later visits of an example continue from its dual variables, instead of counting it as
  /// a new example.
  bool revisit = false;
  /// How often an update goes through its labellings.
  Index update_rounds = 1;
  /// Whether an update has swap moves only where the weights of its labellings sum to 1.
  bool expand_first = false;
  /// Whether the labelling that the weights before the update predict is found, and its loss
  /// counted.
  bool online_loss = false;
};

/// sampler: null for that of MakeLabellingSampler. Throws DataError when the oracle or the sampler
/// does not apply to one of the problem's structures.
std::unique_ptr<Learner> MakeMultiSampleLearner(
    const Problem& problem, const TrainOptions& options,
    std::unique_ptr<LabellingSampler> sampler = nullptr);

/// Figures of regret of an online run so far (Theorem 2.1 and Lemma 2.4).
struct OnlineFigures {
  std::int64_t steps = 0;     ///< T
  double mean_objective = 0;  ///< (1/T) Σ f(w^(t−1); Z_t)
  double bound = 0;           ///< on the average regret: (1/T) Σ ‖∇f_t‖²/(2λt)
  double mean_loss = kNone;   ///< with online_loss: (1/T) Σ Δ of the predictions at w^(t−1)
  double loss_bound = kNone;  ///< with online_loss: L² (ln T + 1)/(2λT)
};

/// Figures of a learner that MakeMultiSampleLearner made without --revisit. Throws
/// std::invalid_argument for a learner of another kind.
OnlineFigures FiguresOf(const Learner& learner);

/// Sums over the steps of an online run, and bounds over its examples.
struct OnlineSums {
  std::int64_t steps = 0;   ///< T
  double suffered = 0;      ///< Σ f(w^(t−1); Z_t)
  double gradients = 0;     ///< Σ ‖∇f_t‖²/(2λt)
  double lost = 0;          ///< with online_loss: Σ Δ of the predictions at w^(t−1)
  double largest_loss = 0;  ///< B
  double longest_psi = 0;   ///< with online_loss: D

  OnlineFigures Figures(double lambda, bool online_loss) const;
};

/// What a run over examples that are not kept takes along from some of them to the next ones.
struct OnlineRun {
  OnlineRun(const TrainOptions& options, Offset num_weights);

  /// w^t = scale · weights, so that a step does not touch all weights.
  std::vector<double> weights;
  double scale = 1;
  double squared_norm = 0;  ///< ‖w^t‖²
  IterateAverage average;   ///< of w^1 … w^t, if the options ask for one
  OnlineSums sums;
  Random random;

  /// The average if the options ask for one, else w^t.
  std::vector<double> Output() const;
  /// Requires a run with the options and the number of weights of the saved one.
  void Archive(StateArchive* archive);
};

/// Visits the examples of `next` once, in their order, as the next ones of the run. How a run is
/// divided into calls makes no difference. With equal losses B, a run is a first pass of the
/// learner with --order cyclic over all of the examples. options: without revisit. Throws
/// DataError when the options cannot train the examples (support_table.h), and
/// std::invalid_argument when the run has another number of weights; the run is then unchanged.
/// Where a user's oracle or sampler throws, the run has learned from the examples before.
/// interrupt: may be null; a value other than 0 ends the call after an example. Returns how many
/// examples the call has visited.
Index VisitNext(const Problem& next, const TrainOptions& options, OnlineRun* run,
                const std::atomic<int>* interrupt = nullptr);

/// `multi-sample`.
extern const LearnerRecord kMultiSampleLearner;

}  // namespace slackline::internal
