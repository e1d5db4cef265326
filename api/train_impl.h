// SPDX-License-Identifier: BSD-3-Clause
//
// What the two forms of Train share: training on a data set and training with a user's oracle.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <slackline/core/check.h>
#include <slackline/core/loss.h>
#include <slackline/learning/option_spelling.h>
#include <slackline/learning/options.h>
#include <slackline/learning/progress.h>
#include <slackline/train.h>

namespace slackline {
inline namespace v1 {

/// The message with options as fields of TrainOptions.
inline std::string InCpp(std::string_view message) {
  return internal::SpellOptions(message, internal::OptionLanguage::kCpp);
}
/// Calls `work`. The message of a DataError names options as fields of TrainOptions.
template <class Work>
auto WithFieldNames(const Work& work) {
  try {
    return work();
  } catch (const internal::DataError& error) {
    throw internal::DataError(InCpp(error.what()));
  }
}

/// Sets the training option with this name on the command line. Throws as InternalOptions.
void SetByName(const std::string& name, const std::string& value, internal::TrainOptions* options);

internal::LossOptions InternalLoss(const Loss& loss);

/// Throws std::invalid_argument for unknown names of options, std::runtime_error for values that do
/// not fit.
internal::TrainOptions InternalOptions(const TrainOptions& options);

/// Passes each check of the training loop on to an observer function.
class ObserverBridge final : public internal::TrainObserver {
 public:
  explicit ObserverBridge(const std::function<void(const Progress&)>& observer)
      : observer_(observer) {}
  void OnCheck(const internal::ProgressRecord& record) override;

 private:
  const std::function<void(const Progress&)>& observer_;
};

/// The result without weights, learner, λ and number of examples.
TrainResult ResultOf(const internal::TrainSummary& summary);

}  // namespace v1
}  // namespace slackline
