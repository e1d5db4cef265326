// SPDX-License-Identifier: BSD-3-Clause
//
// A learner of another problem with the same examples, as a learner of the given one: of inputs
// that a kernel maps (kernels/kernel_map.h), or of larger factors (tightened_learner.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

class MappedLearner : public Learner, public LambdaFollower, public CheckCompanion {
 public:
  /// The learner of the options on the other problem, which has the same weights.
  MappedLearner(const Problem& mapped, const TrainOptions& options) { Wrap(mapped, options); }

  void RunPass(const StopControl& stop) override { inner_->RunPass(stop); }
  Evaluation Evaluate(int threads) override { return Read(inner_->Evaluate(threads)); }
  bool EvaluatesBesidePasses() const override {
    return slackline::internal::EvaluatesBesidePasses(*inner_);
  }
  Evaluation EvaluateBesidePass(int threads, const StopControl& stop,
                                double* pass_seconds) override {
    return Read(inner_->traits().companion->EvaluateBesidePass(threads, stop, pass_seconds));
  }
  WorkCounts work() const override { return inner_->work(); }
  void Archive(StateArchive* archive) override {
    inner_->Archive(archive);
    if (archive->loading()) evaluated_.clear();
  }
  void ChangeLambda(const Problem& problem) override {
    auto next = std::make_unique<Problem>(mapped_->WithLambda(problem.lambda()));
    inner_->traits().lambda->ChangeLambda(*next);
    mapped_ = std::move(next);
  }

 protected:
  /// For derived classes, which call Wrap.
  MappedLearner() = default;
  /// Makes the learner of the options on the other problem, and takes over its traits.
  void Wrap(const Problem& mapped, const TrainOptions& options);

  const Problem& mapped() const { return *mapped_; }
  const Learner& inner() const { return *inner_; }

 private:
  /// The weights of the given problem for those of the other one.
  virtual std::vector<double> WeightsOf(std::span<const double> inner) const {
    return {inner.begin(), inner.end()};
  }

  Evaluation Read(const Evaluation& evaluation) {
    evaluated_ = WeightsOf(inner_->weights());
    return evaluation;
  }

  std::unique_ptr<Problem> mapped_;  // inner_ may keep a reference to it
  std::unique_ptr<Learner> inner_;
};

}  // namespace slackline::internal
