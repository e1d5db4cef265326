// SPDX-License-Identifier: BSD-3-Clause
//
// What Train has in common for data sets and for oracles of the user.
#pragma once

#include <memory>

#include <slackline/learning/options.h>
#include <slackline/learning/progress.h>
#include <slackline/train.h>

namespace slackline {
inline namespace v1 {

/// Throws std::runtime_error for unknown names and values out of range.
internal::TrainOptions InternalOptions(const TrainOptions& options);

/// Hands what the loop tells on to an observer function.
class ObserverBridge final : public internal::TrainObserver {
 public:
  explicit ObserverBridge(const std::function<void(const Progress&)>& observer)
      : observer_(observer) {}
  void OnCheck(const internal::ProgressRecord& record) override;

 private:
  const std::function<void(const Progress&)>& observer_;
};

/// All of the result but weights, learner and λ.
TrainResult ResultOf(const internal::TrainSummary& summary);

}  // namespace v1
}  // namespace slackline
