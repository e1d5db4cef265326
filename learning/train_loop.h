// SPDX-License-Identifier: BSD-3-Clause
//
// The training loop: the only one.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

/// A learner's lower bound lies above its upper bound by more than rounding: one of them is wrong,
/// and none of the run's figures can be believed. what() gives both and says what to report.
class CertificateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes the learner that the options name. Throws DataError when it does not apply to the problem
/// (Unsupported, support_table.h), std::invalid_argument when options.lambda is given and is not
/// the problem's.
std::unique_ptr<Learner> MakeLearner(const Problem& problem, const TrainOptions& options);

/// Trains to one of the stopping rules of the options (CheckOptions is called first): at
/// options.lambda, or at the problem's λ where that is 0. The result depends on the problem, the
/// options and the seed alone — except where a time limit or an interrupt ends the run. Throws
/// CertificateError. observer may be null; interrupt may be null, and is read with relaxed order.
TrainSummary Train(const Problem& problem, const TrainOptions& options,
                   TrainObserver* observer = nullptr, const std::atomic<int>* interrupt = nullptr);

/// How a run is made so that another one can go on from it.
///
/// A state is taken between two passes. The newest one is put aside in memory as often as costs a
/// thirtieth of the time (so that a run that is stopped in the middle of a pass loses little), and
/// handed to `write` when every_seconds have passed since the last time, and at the end of the run.
/// Taking states changes nothing that is computed.
struct CheckpointPlan {
  /// Takes a state. May be empty: no states are taken then. What it throws ends the run.
  std::function<void(const std::string& state)> write;
  double every_seconds = 60;
  /// A state to go on from, of a run with the same problem and options (fingerprint.h); empty =
  /// from the beginning. Must live as long as the run. DataError is thrown when it does not fit.
  std::string_view resume;
};

/// The same with a learner of the caller for the problem, and with checkpoints. options.lambda is
/// not read.
TrainSummary RunTraining(const Problem& problem, Learner& learner, const TrainOptions& options,
                         TrainObserver* observer, const std::atomic<int>* interrupt,
                         const CheckpointPlan& plan = {});
/// The same with a learner of no Problem: its scales are those of its traits, or not known.
TrainSummary RunTraining(Learner& learner, const TrainOptions& options, TrainObserver* observer,
                         const std::atomic<int>* interrupt, const CheckpointPlan& plan = {});

}  // namespace slackline::internal
