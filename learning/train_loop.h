// SPDX-License-Identifier: BSD-3-Clause
//
// The training loop: the only one.
#pragma once

#include <atomic>
#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>

namespace slackline {

/// Makes the learner that the options name. Throws DataError when it does not apply to the problem's structures.
std::unique_ptr<Learner> MakeLearner(const Problem& problem, const TrainOptions& options);

/// Trains to one of the stopping rules of the options (CheckOptions is called first). The result depends on the problem,
/// the options and the seed alone — except where a time limit or an interrupt ends the run.
/// observer may be null; interrupt may be null, and is read with relaxed order.
TrainSummary Train(const Problem& problem, const TrainOptions& options, TrainObserver* observer = nullptr,
                   const std::atomic<int>* interrupt = nullptr);

/// The same with a learner of the caller.
TrainSummary RunTraining(Learner& learner, const TrainOptions& options, TrainObserver* observer,
                         const std::atomic<int>* interrupt);

}  // namespace slackline
