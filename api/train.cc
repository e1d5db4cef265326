// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/train.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/api/dataset_impl.h>
#include <slackline/api/model_impl.h>
#include <slackline/api/train_impl.h>
#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/train_loop.h>

namespace slackline {
inline namespace v1 {
namespace {

/// The problem with the λ of the options, or with the default λ for its data when that is 0.
internal::Problem MakeProblem(internal::TrainingSet training,
                              const internal::TrainOptions& options) {
  if (options.lambda != 0) return {std::move(training), options.lambda};
  const internal::Problem any(std::move(training), 1.0);
  return any.WithLambda(internal::ScalesOf(any, options).DefaultLambda());
}

const char* Text(Termination termination) {
  switch (termination) {
    case Termination::kConverged:
      return "converged";
    case Termination::kMaxPasses:
      return "stopped at the maximum number of passes";
    case Termination::kTimeLimit:
      return "stopped at the time limit";
    case Termination::kInterrupted:
      return "interrupted";
    case Termination::kStalled:
      return "stalled, since more passes do not reach the gap,";
  }
  return "";
}

}  // namespace

void SetByName(const std::string& name, const std::string& value, internal::TrainOptions* options) {
  if (const internal::OptionRecord* record = internal::FindOption(name))
    return SetOption(*record, value, options);
  std::vector<std::string_view> names;
  for (const internal::OptionRecord& record : internal::OptionRecords())
    names.push_back(record.name);
  throw std::invalid_argument("there is no training option '" + name + "'" +
                              internal::DidYouMean(name, names));
}

internal::LossOptions InternalLoss(const Loss& loss) {
  internal::LossOptions options;
  options.form = loss.form == LossForm::kF1 ? internal::LossForm::kF1 : internal::LossForm::kSum;
  options.scale =
      loss.form == LossForm::kCount ? internal::LossScale::kCount : internal::LossScale::kMean;
  options.variable_weights = loss.variable_weights;
  options.costs = loss.costs;
  return options;
}

namespace {

internal::TrainOptions CheckedOptions(const TrainOptions& options) {
  internal::TrainOptions result;
  result.lambda = options.lambda;
  result.gap_tolerance = options.gap_tolerance;
  result.absolute_gap = options.absolute_gap;
  result.max_passes = options.max_passes;
  result.time_limit_seconds = options.time_limit_seconds;
  result.threads = options.threads;
  result.seed = options.seed;
  SetByName("learner", options.learner, &result);
  for (const auto& [name, value] : options.learner_options) SetByName(name, value, &result);
  static_assert(static_cast<int>(Certify::kTightened) ==
                static_cast<int>(internal::Certify::kTightened));
  if (options.certify != Certify::kAuto)
    result.certify = static_cast<internal::Certify>(options.certify);
  internal::CheckOptions(result);
  SLACKLINE_CHECK(!internal::UsesKernel(result),
                  "kernels have no weights: this interface trains linear models only");
  return result;
}

}  // namespace

internal::TrainOptions InternalOptions(const TrainOptions& options) {
  return WithFieldNames([&] { return CheckedOptions(options); });
}

void ObserverBridge::OnCheck(const internal::ProgressRecord& record) {
  observer_(
      {record.pass, record.seconds + record.check_seconds, record.primal, record.dual, record.gap});
}

TrainResult ResultOf(const internal::TrainSummary& summary) {
  const internal::ProgressRecord& last = summary.last;
  TrainResult result;
  result.primal = last.primal;
  result.dual = last.dual;
  result.gap = last.gap;
  result.certificate = {last.problem == internal::CertifiedProblem::kExact
                            ? CertifiedProblem::kExact
                            : CertifiedProblem::kRelaxed,
                        last.primal, last.dual, last.gap, last.relative_gap};
  result.termination = static_cast<Termination>(summary.termination);
  static_assert(static_cast<int>(Termination::kStalled) ==
                    static_cast<int>(internal::Termination::kStalled) &&
                static_cast<int>(Termination::kMaxPasses) ==
                    static_cast<int>(internal::Termination::kMaxPasses));
  result.message = InCpp(summary.message);
  for (const std::string& note : summary.notes) result.notes.push_back(InCpp(note));
  result.passes = last.pass;
  result.seconds = last.seconds + last.check_seconds;
  result.oracle_calls = last.oracle_calls;
  return result;
}

namespace {

TrainResult TrainOn(const Dataset& data, const TrainOptions& options) {
  internal::TrainOptions given = CheckedOptions(options);
  const internal::Problem problem =
      MakeProblem(TrainingSetOf(data.impl(), InternalLoss(options.loss)), given);
  const internal::LearnerChoice choice = internal::ChooseLearner(problem, given);
  given.lambda = 0;  // the problem has it
  ObserverBridge observer(options.observer);
  const internal::TrainSummary summary =
      internal::Train(problem, given, options.observer ? &observer : nullptr, options.interrupt);
  TrainResult result = ResultOf(summary);
  if (!choice.reason.empty()) result.notes.insert(result.notes.begin(), InCpp(choice.reason));
  result.learner = internal::Name(choice.options.learner);
  result.lambda = problem.lambda();
  result.num_examples = problem.size();
  result.weights = WeightsOf(problem.data().shared_layout(), summary.weights);
  return result;
}

}  // namespace

TrainResult Train(const Dataset& data, const TrainOptions& options) {
  return WithFieldNames([&] { return TrainOn(data, options); });
}

std::string TrainResult::Report() const {
  using internal::NumberText;
  const bool exact = certificate.problem == CertifiedProblem::kExact;
  std::string text = "Trained on " + std::to_string(num_examples) +
                     (num_examples == 1 ? " example" : " examples") + " with learner " + learner +
                     ", lambda " + NumberText(lambda, 6) + ": " + Text(termination) + " after " +
                     std::to_string(passes) + (passes == 1 ? " pass" : " passes") + " (" + message +
                     ").\n";
  text += "The weights reach an objective of " + NumberText(primal, 9) + ". The optimum of the " +
          (exact ? "structured SVM" : "LP-relaxed problem") + " is at least " +
          NumberText(dual, 9) + ", so they are at most " + NumberText(gap, 3) + " (" +
          NumberText(100 * certificate.relative_gap, 2) + " %) above it.\n";
  for (const std::string& note : notes) text += "Note: " + note + ".\n";
  return text;
}

}  // namespace v1
}  // namespace slackline
