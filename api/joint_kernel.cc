// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/joint_kernel.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <slackline/api/train_impl.h>
#include <slackline/core/check.h>
#include <slackline/learning/reference/joint_kernel_learner.h>
#include <slackline/learning/train_loop.h>

namespace slackline {
inline namespace v1 {
namespace {

class JointBridge final : public internal::JointProblem {
 public:
  JointBridge(const JointKernel& kernel, JointOracle* oracle) : kernel_(kernel), oracle_(*oracle) {}

  double Kernel(int i, std::span<const int> y, int j, std::span<const int> z) const override {
    return kernel_.Value(i, y, j, z);
  }
  internal::JointLabelling GroundTruth(int i) const override { return oracle_.GroundTruth(i); }
  void Maximise(int i, const internal::JointScore& score, internal::JointAnswer* answer) override {
    JointOracleAnswer own;
    oracle_.Maximize(i, score, &own);
    *answer = {std::move(own.output), own.loss, own.bound};
  }

 private:
  const JointKernel& kernel_;
  JointOracle& oracle_;
};

internal::JointLearnerOptions LearnerOptionsOf(const TrainOptions& options) {
  SLACKLINE_CHECK(options.learner == "auto",
                  "a joint kernel has its own learner: leave the option learner unset");
  SLACKLINE_CHECK(options.loss.form == LossForm::kMean && options.loss.variable_weights.empty() &&
                      options.loss.costs.empty(),
                  "the oracle of a joint kernel defines the loss: leave the option loss unset");
  SLACKLINE_CHECK(options.lambda > 0, "training with a joint kernel needs a lambda > 0");
  internal::JointLearnerOptions own;
  own.seed = options.seed;
  for (const auto& option : options.learner_options) {
    const std::string& name = option.first;
    const std::string& value = option.second;
    const auto choose = [&](const char* usual, const char* other) {
      SLACKLINE_CHECK(value == usual || value == other, "the option " + name +
                                                            " of a joint kernel is " + usual +
                                                            " or " + other + ", not " + value);
      return value == other;
    };
    if (name == "step") {
      own.step = choose("pairwise", "fw") ? internal::StepKind::kFrankWolfe
                                          : internal::StepKind::kPairwise;
    } else if (name == "order") {
      own.uniform = choose("example", "uniform");
    } else {
      SLACKLINE_CHECK(false, "training with a joint kernel has no option " + name +
                                 ": choose from step, order");
    }
  }
  return own;
}

}  // namespace

JointKernel::~JointKernel() = default;
JointOracle::~JointOracle() = default;

void EnumeratedOutputs::Add(std::vector<Choice> choices) {
  const std::string subject = "example " + std::to_string(choices_.size());
  SLACKLINE_CHECK(!choices.empty() && choices[0].loss == 0,
                  subject + ": the first output must be the ground truth, with loss 0");
  for (const Choice& choice : choices) {
    SLACKLINE_CHECK(std::isfinite(choice.loss) && choice.loss >= 0,
                    subject + " has a loss that is negative or no number");
  }
  choices_.push_back(std::move(choices));
}

std::vector<int> EnumeratedOutputs::GroundTruth(int example) const {
  return choices_.at(static_cast<std::size_t>(example))[0].output;
}

void EnumeratedOutputs::Maximize(int example, const OutputScore& score, JointOracleAnswer* answer) {
  double best = 0;
  const Choice* found = nullptr;
  for (const Choice& choice : choices_.at(static_cast<std::size_t>(example))) {
    const double value = choice.loss + score(choice.output);
    if (found != nullptr && value <= best) continue;
    best = value;
    found = &choice;
  }
  answer->output = found->output;
  answer->loss = found->loss;
}

double JointWeights::Score(const JointKernel& kernel, int example,
                           std::span<const int> output) const {
  double sum = 0;
  for (const Term& term : terms)
    sum += term.coefficient * kernel.Value(example, output, term.example, term.output);
  return sum;
}

JointTrainResult Train(const JointKernel& kernel, int num_examples, JointOracle& oracle,
                       const TrainOptions& options) {
  const internal::JointLearnerOptions own = LearnerOptionsOf(options);
  TrainOptions loop = options;
  loop.learner_options.clear();
  const internal::TrainOptions given = InternalOptions(loop);
  JointBridge bridge(kernel, &oracle);
  const auto learner = internal::MakeJointKernelLearner(&bridge, num_examples, options.lambda, own);
  ObserverBridge observer(options.observer);
  const internal::TrainSummary summary = internal::RunTraining(
      *learner, given, options.observer ? &observer : nullptr, options.interrupt);
  JointTrainResult result;
  static_cast<TrainResult&>(result) = ResultOf(summary);
  result.learner = "joint-kernel-bcfw";
  result.lambda = options.lambda;
  result.num_examples = num_examples;
  for (const internal::JointTerm& term : learner->best_weights())
    result.joint_weights.terms.push_back({term.example, term.labelling, term.coefficient});
  result.support_vectors = static_cast<int>(learner->NumSupportVectors());
  result.squared_radius = learner->SquaredRadius();
  if (result.gap > 0 && result.squared_radius > 0) {
    result.support_vector_bound = internal::SupportVectorBound(
        result.squared_radius, options.lambda, num_examples, result.primal, result.gap);
  }
  return result;
}

}  // namespace v1
}  // namespace slackline
