// SPDX-License-Identifier: BSD-3-Clause
//
// The training loop, which all learners share.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

/// A learner's lower bound lies above its upper bound by more than rounding: one of the two is
/// wrong, and no figure of the run can be trusted. what() gives both numbers and says what to
/// report.
class CertificateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes the learner that the options name, or choose (`auto`). Throws DataError when the options
/// contradict each other (CheckOptions) or the learner does not apply to the problem (Unsupported,
/// support_table.h), std::invalid_argument when options.lambda is given and differs from
/// problem.lambda().
std::unique_ptr<Learner> MakeLearner(const Problem& problem, const TrainOptions& options);

/// Trains until a stopping rule of the options holds; calls CheckOptions first. λ is
/// options.lambda, or problem.lambda() where options.lambda is 0. The result depends only on the
/// problem, the options and the seed, except where a time limit or an interrupt ends the run. With
/// several ranks (TrainOptions::ranks) all of them must call it, and get the same summary; times
/// are those of rank 0, but processor seconds are those of all ranks. Throws DataError
/// (CheckOptions, MakeLearner), CertificateError, and std::overflow_error when the objective is not
/// finite. observer and interrupt may be null; interrupt is read with relaxed order.
TrainSummary Train(const Problem& problem, const TrainOptions& options,
                   TrainObserver* observer = nullptr, const std::atomic<int>* interrupt = nullptr);

/// How the states of a run are saved, so that another run can continue from them.
///
/// A state is copied between two passes. Copies in memory take about a thirtieth of the time, so
/// that a run that is stopped in the middle of a pass loses little. The newest copy is handed to
/// `write` when every_seconds have passed since the last time, and at the end of the run. Copying
/// states changes nothing that is computed.
struct CheckpointPlan {
  /// Receives a state, and the places where its parts begin (StateWriter::Part). If empty, no
  /// states are copied. An exception of this function ends the run. With several ranks all of them
  /// have this function, each for its own state, and call it at the same time.
  std::function<void(const std::string& state, std::span<const std::size_t> parts)> write;
  double every_seconds = 60;
  /// Copies a state before every check, too, so that `write` receives that before the last check at
  /// the end of the run. Without it, or after a pass that was cut short, measured time decides how
  /// old the newest copy is.
  bool copy_before_checks = false;
  /// The state to continue from, of a run with the same problem and options (fingerprint.h); empty
  /// = from the beginning. Must live as long as the run. DataError is thrown when it does not fit.
  std::string_view resume;
};

/// Like Train, with a learner that the caller made for the problem, and with checkpoints. Does not
/// read options.lambda.
TrainSummary RunTraining(const Problem& problem, Learner& learner, const TrainOptions& options,
                         TrainObserver* observer, const std::atomic<int>* interrupt,
                         const CheckpointPlan& plan = {});
/// The same for a learner without a Problem: its scales are those of its traits, or unknown.
TrainSummary RunTraining(Learner& learner, const TrainOptions& options, TrainObserver* observer,
                         const std::atomic<int>* interrupt, const CheckpointPlan& plan = {});

}  // namespace slackline::internal
