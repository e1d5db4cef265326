// SPDX-License-Identifier: BSD-3-Clause
//
// Training on examples that are not kept: each is visited once, in the order in which they come,
// and may then be forgotten. The memory holds the weights and the examples of one call.
//
// The method is online dual ascent with several labellings in every update (Branson, Beijbom and
// Belongie, CVPR 2013, supplement, Algorithm 3). Unlike Train, it has no certificate for the
// weights: the optimum over examples that are gone cannot be bounded from below. Instead, every
// example is predicted before the trainer learns from it. The mean loss of these predictions is an
// honest estimate of the loss of the newest weights on new examples; averages of weights often
// predict much better.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include <slackline/dataset.h>
#include <slackline/export.h>
#include <slackline/model.h>
#include <slackline/train.h>

namespace slackline {
inline namespace v1 {

/// The weights that OnlineTrainer::weights returns: the newest ones w^t, or an average of w^1 … w^t
/// with equal weights, with weights proportional to their numbers, or over the last ones only (half
/// of them or more).
enum class OnlineAverage { kNewest, kUniform, kWeighted, kSuffix };

struct OnlineOptions {
  /// λ of Train, > 0. There is no default, since a default needs all examples. If examples have
  /// features of size 1 and a loss of at most 1, try 1 / (number of examples) to 10 times that.
  double lambda = 0;
  /// K ≥ 1: labellings in every update.
  int samples = 10;
  OnlineAverage average = OnlineAverage::kWeighted;
  /// Whether to predict examples before learning from them. Costs a second oracle call.
  bool predict_first = true;
  std::int64_t seed = 1;
  Loss loss = {};
  /// Further options of the learner multi-sample by name, as on the command line: {{"oracle",
  /// "tree"}}.
  std::map<std::string, std::string> learner_options = {};
};

/// Figures of a run of T examples Z_1 … Z_T, with w^(t−1) the weights before example t.
struct OnlineSummary {
  std::int64_t num_examples = 0;
  /// (1/T) Σ [λ/2 ‖w^(t−1)‖² + hinge of Z_t at w^(t−1)].
  double mean_objective = 0;
  /// mean_objective exceeds the optimum of Train on the same examples by at most this (Lemma 2.4 of
  /// the paper), if oracles are exact.
  double regret_bound = 0;
  /// The mean loss of the predictions; NaN without predict_first.
  double mean_loss = std::numeric_limits<double>::quiet_NaN();
};

struct OnlineTrainerImpl;

class SLACKLINE_EXPORT OnlineTrainer {
 public:
  /// Throws std::invalid_argument or std::runtime_error when an option is out of range or unknown.
  OnlineTrainer(const Model& model, const OnlineOptions& options);
  OnlineTrainer(OnlineTrainer&& other) noexcept;
  OnlineTrainer& operator=(OnlineTrainer&& other) noexcept;
  ~OnlineTrainer();

  /// Learns from the examples of `next`, of the same model, in their order. The result does not
  /// depend on how examples are divided into calls, bit for bit; larger calls are faster. Throws
  /// std::invalid_argument for another model, and std::invalid_argument or std::runtime_error when
  /// the loss, the oracle or the sampler does not apply to an example; the call then learns
  /// nothing. If a user's factor or oracle throws, the call has learned from the examples before.
  /// interrupt: may be null; a value other than 0 ends the call after an example. Returns how many
  /// labelled examples of `next` the call has learned from: all, unless it was interrupted. A call
  /// with the other examples continues.
  std::int64_t Learn(const Dataset& next, const std::atomic<int>* interrupt = nullptr);

  /// The weights that OnlineOptions::average asks for; zeros before the first example.
  Weights weights() const;
  OnlineSummary summary() const;

 private:
  std::unique_ptr<OnlineTrainerImpl> impl_;
};

}  // namespace v1
}  // namespace slackline
