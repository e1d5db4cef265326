// SPDX-License-Identifier: BSD-3-Clause
//
// All tuned numbers of learning/auto, in the order in which a run meets them. Each comment says
// what the number is, and what it was measured on; the pages are in docs/notebook. Work is counted
// in array entries touched, never in seconds, so that runs replay.
#pragma once

#include <cstdint>

#include <slackline/core/types.h>

namespace slackline::internal::tuned {

// The number of shards (choose_learner.cc; shards.md).

/// Least work of a shard in a pass: eight parts of rounds (WeightRuns::kLeastPartWork), which make
/// up for the threads' waits. Yeast (1500 examples, 103 features, 14 labels) has enough for two
/// shards, which are 1.5 times as fast.
inline constexpr std::int64_t kLeastPassWork = 480'000;
/// Least weights per column with which shards pay where features are rare: exchanges of short
/// columns cost as much as the visits. With two shards on two threads passes were 1.7 times as fast
/// on rcv1s1 (101 weights per column), 1.1 times on Reuters-30 (30), and slower on CoNLL-2000 (22),
/// where eight shards with a processor each gain 1.2 times. With fewer processors than threads,
/// CoNLL-2000 took four times as long.
inline constexpr Index kLongColumn = 64;

// The extrapolation of a gap over work (gap_curve.cc; auto.md).

/// Largest predicted work, in units of the work so far. It also stands for the unknown work of a
/// run whose gap has not fallen lately: in many runs the first passes do not reduce the gap.
inline constexpr double kMostPredicted = 10;

// The wanted gap of both races below.

/// Smallest relative gap that counts as a target.
inline constexpr double kSmallestTarget = 1e-6;

// The race of example blocks, planes and factor blocks (race_learner.cc; auto.md).

/// Passes of example blocks before another way can have a trial.
inline constexpr Index kFirstPasses = 4;
/// Bound on the work that counts as a pass of example blocks in a comparison with planes, in oracle
/// calls per example. A pass with many more steps on active sets would make planes look cheap.
inline constexpr double kMostRounds = 3;
/// Estimated gaps are multiplied by the largest ratio of certified to estimated gaps, at most this.
inline constexpr double kMostOptimism = 1e4;

/// A problem with d weights is expected to need kPlanes · d^kPlanesPower planes, each about the
/// work of a pass; planes get no trial while example blocks have less work left. Measured: 12
/// planes with 5 weights, 25 with 9, 37 with 205, 64 and 72 with 450 and 330 on unscaled features.
/// With this rule pictures of 20 × 20 take 0.074 s in place of 1.5 s, and emotions as it is 1.2 s
/// in place of over 10 s; where twice the work was reason enough for a trial, chains with 400
/// weights took up to twice the time.
inline constexpr double kPlanes = 10;
inline constexpr double kPlanesPower = 0.35;
/// The work of the first trial of planes, as a share of the work before the trial.
inline constexpr double kTrialOfPlanes = 0.25;
/// Largest number of weights with which planes are tried: each of some hundred planes may need 8
/// bytes per weight.
inline constexpr Offset kMostWeights = 200'000;

/// Array entries that a step on a factor block counts as. Score, marginals and multipliers of a
/// pair of binary variables are 6 numbers; processed in vectors, they take half the time of the
/// entries that oracles and active sets touch.
inline constexpr double kEntriesOfStep = 3;
/// The same per number of an input and weight of it, both of which a pass reads twice.
inline constexpr double kEntriesOfInput = 2.0 / 4;
/// Factor blocks are tried only with at least this many weights per example: they are ahead where
/// examples share hardly any weights. Trials for every problem of binary pairs made pictures and
/// matchings 4 to 20 times slower.
inline constexpr double kWeightsPerExample = 10;
/// Largest number of parts of all examples together with which factor blocks are tried: a part
/// takes 48 bytes.
inline constexpr Offset kMostParts = 10'000'000;

/// When factor blocks get a trial, in passes of factor blocks.
struct FactorTrial {
  double slow_pass;  ///< least work of a pass of example blocks
  double passes;     ///< least remaining work of example blocks
  double trial;      ///< length of the trial
  /// Passes in which factor blocks are expected to converge. Because their gap falls late, this
  /// expectation bounds the prediction from their curve before that number of passes, if their
  /// lower bound is better than that of example blocks.
  double expected;
};
/// With cycles, factor blocks need about a hundred passes (75 to 170 to a gap of 1e-2) where
/// example blocks need 10 to 40.
inline constexpr FactorTrial kOnCycles = {4, 64, 32, 120};
/// On forests, factor blocks need no more passes than example blocks (33 to 112).
inline constexpr FactorTrial kOnForests = {1.5, 20, 24, 100};
/// The gap of factor blocks is known only after a check. Their turn waits for a check, up to this
/// multiple of its length.
inline constexpr double kLongestWait = 4;
/// Example blocks with at most this many passes, whose gap has not begun to fall, are not given up
/// for factor blocks before they have had as much work.
inline constexpr Index kEarlyPasses = 16;

/// Work of later turns, in units of the work of the way whose turn it is.
inline constexpr double kTurn = 0.5;
/// A way that has had less than this share of the leading way's work is tried again. The share of
/// factor blocks is larger if their lower bound is better than that of example blocks.
inline constexpr double kSecondChance = 0.1;
inline constexpr double kSecondChanceOfFactors = 0.25;

// Labellings before the saddle point (labellings_first.cc; cycles.md).

/// Iterations that the saddle point is expected to need to a relative gap of a thousandth (1800 to
/// 3600 were measured on grids of 8 × 8 to 24 × 24 variables with 4 to 6 states). The number grows
/// with the square root of the inverse gap.
inline constexpr double kExpectedIterations = 2500;
inline constexpr double kGapOfExpected = 1e-3;
/// Time of an array entry in an iteration, relative to an array entry that oracles count.
inline constexpr double kEntryOfIteration = 0.5;
/// Example blocks go on beyond this share of the expected work only to end within half of it. On
/// 22 drawn problems `auto` takes at most 1.6 s more than the saddle point alone (4.7 and 3.2 s).
inline constexpr double kMostShare = 0.25;

}  // namespace slackline::internal::tuned
