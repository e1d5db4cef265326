// SPDX-License-Identifier: BSD-3-Clause
//
// Training: minimise
//
//     P(w) = λ/2 ‖w‖² + (1/M) Σ_m max_y [Δ_m(y) + w·φ_m(y) − w·φ_m(y^m)]
//
// over the M examples of a data set, or the same with its LP relaxation. A certificate comes with
// the weights: the optimum lies between `dual` and `primal`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <slackline/dataset.h>
#include <slackline/export.h>
#include <slackline/model.h>

namespace slackline {
inline namespace v1 {

/// kMean: the fraction of wrong variables; kCount: their number; kF1: 1 − F1 of binary labels,
/// where state 1 is the relevant one.
enum class LossForm { kMean, kCount, kF1 };

/// The loss Δ of a labelling, for examples that have no loss of their own.
struct Loss {
  LossForm form = LossForm::kMean;
  /// Weight ≥ 0 of an error on each variable; empty = 1 for all.
  std::vector<double> variable_weights = {};
  /// Where all variables have K states: the cost of state `predicted` where `truth` is true, at
  /// entry truth · K + predicted; empty = 1 for every error.
  std::vector<double> costs = {};
};

/// Whether the certificate bounds the optimum of the LP relaxation or of P itself.
enum class CertifiedProblem { kRelaxed, kExact };

/// The problem that "auto" trains and certifies on graphs with cycles: over labellings (exact), its
/// LP relaxation, or the relaxation in which pairs along cycles of three or four variables are one
/// factor. kAuto: the exact problem while counts of work say that it is cheap.
enum class Certify { kAuto, kExact, kRelaxed, kTightened };

/// What an observer receives after every check of the certificate.
struct Progress {
  int pass = 0;
  double seconds = 0;
  double primal = 0;
  double dual = 0;
  double gap = 0;
};

struct TrainOptions {
  /// λ > 0; 0 = a default that fits the sizes of features and losses, reported in TrainResult.
  double lambda = 0;
  /// Training ends when gap ≤ gap_tolerance · |primal| or gap ≤ absolute_gap (0 = never).
  double gap_tolerance = 1e-3;
  double absolute_gap = 0;
  int max_passes = 100000;
  /// 0 = no limit.
  double time_limit_seconds = 0;
  /// Threads for checks of the certificate; 0 = all of the machine. Results do not depend on it.
  int threads = 1;
  std::int64_t seed = 1;
  /// "auto" chooses by the structure of the graphs; docs/reference/learners.md lists the others.
  std::string learner = "auto";
  /// Further options of the learner by name, as on the command line: {{"oracle", "tree"}}.
  std::map<std::string, std::string> learner_options = {};
  /// Not kAuto: with the learner "auto" only.
  Certify certify = Certify::kAuto;
  Loss loss = {};
  /// Called after every check, in the calling thread.
  std::function<void(const Progress&)> observer = nullptr;
  /// May be null. A value other than 0 ends the run.
  const std::atomic<int>* interrupt = nullptr;
};

/// kStalled: many passes have not changed the gap; the message says what would help.
enum class Termination { kConverged, kMaxPasses, kTimeLimit, kInterrupted, kStalled };

/// The optimum of the problem lies between dual and primal; the weights have the objective primal.
struct Certificate {
  CertifiedProblem problem = CertifiedProblem::kExact;
  double primal = std::numeric_limits<double>::quiet_NaN();
  double dual = std::numeric_limits<double>::quiet_NaN();
  double gap = std::numeric_limits<double>::quiet_NaN();
  double relative_gap = std::numeric_limits<double>::quiet_NaN();
};

struct TrainResult {
  /// result.weights["taste"](state, feature) is one weight.
  Weights weights;
  double lambda = 0;
  double primal = 0;
  double dual = 0;
  double gap = 0;
  Certificate certificate;
  Termination termination = Termination::kMaxPasses;
  /// One sentence that names the rule that ended the run, with both numbers it compares.
  std::string message;
  /// What the learner decided or changed during the run.
  std::vector<std::string> notes;
  std::string learner;
  int passes = 0;
  double seconds = 0;
  std::int64_t oracle_calls = 0;
  int num_examples = 0;

  /// A summary of this result in a few lines of text.
  SLACKLINE_EXPORT std::string Report() const;
};

/// Throws std::invalid_argument or std::runtime_error when the options do not fit the data, or no
/// learner fits the problem.
SLACKLINE_EXPORT TrainResult Train(const Dataset& data, const TrainOptions& options = {});

}  // namespace v1
}  // namespace slackline
