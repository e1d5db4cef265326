// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/auto/labellings_first.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <slackline/learning/auto/gap_curve.h>
#include <slackline/learning/auto/tuned.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/primal_dual/pdhg.h>
#include <slackline/learning/primal_dual/pdhg_blocks.h>

namespace slackline::internal {
namespace {

TrainOptions OptionsOfBlocks(const TrainOptions& options) {
  TrainOptions blocks = options;
  blocks.learner = LearnerKind::kBcfw;
  blocks.step = StepKind::kPairwise;
  blocks.order = OrderKind::kGap;
  blocks.average = AverageKind::kOff;
  if (blocks.oracle == SolverKind::kAuto) blocks.oracle = SolverKind::kMessages;
  blocks.own<BcfwOptions>().planes = Switch::kOn;
  return blocks;
}

class LabellingsFirstLearner final : public Learner,
                                     public DualPointSource,
                                     public LambdaFollower,
                                     public CheckAdvisor,
                                     public CheckListener {
 public:
  LabellingsFirstLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        blocks_(kBcfwLearner.make(problem, OptionsOfBlocks(options))) {
    traits_ = {.dual_point = this, .lambda = this, .advisor = this, .listener = this};
    for (Index m = 0; m < problem.size(); ++m)
      iteration_ += tuned::kEntryOfIteration *
                    static_cast<double>(WorkOfIteration(problem.data().example(m).graph()));
  }

  void RunPass(const StopControl& stop) override {
    if (saddle_ == nullptr) ++passes_of_blocks_;
    Active().RunPass(stop);
  }

  Evaluation Evaluate(int threads) override {
    const Evaluation evaluation = Active().Evaluate(threads);
    evaluated_.assign(Active().weights().begin(), Active().weights().end());
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override {
    if (saddle_ != nullptr) return {};
    primal_ = std::min(primal_, evaluation.primal);
    dual_ = std::max(dual_, evaluation.dual);
    const auto done = static_cast<double>(blocks_->work().entries);
    curve_.Add(done, primal_ - dual_);
    if (!SaddleIsAhead(done)) return slackline::internal::Adapt(*blocks_, evaluation);
    TakeOver();
    return evaluation.problem == CertifiedProblem::kExact
               ? "the exact problem takes too long: training goes on with its LP relaxation, as a "
                 "saddle point (pdhg), and bounds are those of the relaxed problem"
               : "labellings alone do not come near the wanted gap: training goes on with the "
                 "saddle point (pdhg)";
  }

  bool CheckIsCheap() const override { return slackline::internal::CheckIsCheap(Active()); }
  Index PassesBefore() const override { return saddle_ == nullptr ? 0 : passes_of_blocks_; }
  double GapEstimate() const override { return slackline::internal::GapEstimate(Active()); }

  WorkCounts work() const override {
    WorkCounts sum = blocks_->work();
    if (saddle_ == nullptr) return sum;
    const WorkCounts more = saddle_->work();
    sum.block_steps += more.block_steps;
    sum.entries += more.entries;
    return sum;
  }

  void KeepDualPoint() override {
    keeps_point_ = true;
    Active().traits().dual_point->KeepDualPoint();
  }
  bool DualPointIsBest() const override { return Active().traits().dual_point->DualPointIsBest(); }
  bool PrimalIsObjective() const override { return false; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    return Active().traits().dual_point->DualPoint(m, coordinates, loss);
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    Active().traits().lambda->ChangeLambda(problem);
    curve_.Clear();
    passes_of_blocks_ = 0;
    primal_ = kInfinity;
    dual_ = -kInfinity;
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("labellings first");
    bool saddle = saddle_ != nullptr;
    archive->Flag(&saddle);
    if (archive->loading()) saddle_ = saddle ? MakeSaddle() : nullptr;
    blocks_->Archive(archive);
    if (saddle) saddle_->Archive(archive);
    curve_.Archive(archive);
    archive->Passes(&passes_of_blocks_);
    archive->Real(&primal_);
    archive->Real(&dual_);
    if (archive->loading()) evaluated_.clear();
  }

 private:
  Learner& Active() { return saddle_ != nullptr ? *saddle_ : *blocks_; }
  const Learner& Active() const { return saddle_ != nullptr ? *saddle_ : *blocks_; }

  bool SaddleIsAhead(double done) const {
    const double share = std::max(tuned::kSmallestTarget, options_.gap_tolerance);
    const double target = std::max(options_.absolute_gap, share * std::abs(primal_));
    const double relative = target / std::max(std::abs(primal_), tuned::kSmallestTarget);
    const double expected =
        iteration_ * tuned::kExpectedIterations * std::sqrt(tuned::kGapOfExpected / relative);
    const double remaining = curve_.Remaining(target);
    return remaining > expected ||
           (done > tuned::kMostShare * expected && remaining > 0.5 * tuned::kMostShare * expected);
  }

  std::unique_ptr<PdhgLearnerBase> MakeSaddle() {
    std::unique_ptr<PdhgLearnerBase> saddle = MakeSaddleLearner(problem_, options_);
    if (keeps_point_) saddle->traits().dual_point->KeepDualPoint();
    return saddle;
  }

  void TakeOver() {
    DualPoints points(problem_);
    std::vector<double> coordinates;
    for (Index m = 0; m < problem_.size(); ++m) {
      const ExampleView example = problem_.data().example(m);
      double loss = 0;
      coordinates.assign(example.structure().num_coordinates(), 0.0);
      if (!blocks_->traits().dual_point->DualPoint(m, &coordinates, &loss)) return;
      points.SetFeatures(example, m, coordinates, loss);
    }
    saddle_ = MakeSaddle();
    saddle_->AddPoint(std::move(points));
  }

  Problem problem_;
  TrainOptions options_;
  std::unique_ptr<Learner> blocks_;
  std::unique_ptr<PdhgLearnerBase> saddle_;  // null until it takes over
  double iteration_ = 0;                     // work of an iteration of the saddle point
  GapCurve curve_;                           // of example blocks
  Index passes_of_blocks_ = 0;               // of this run
  double primal_ = kInfinity;                // the best bounds of example blocks
  double dual_ = -kInfinity;
  bool keeps_point_ = false;
};

}  // namespace

std::unique_ptr<Learner> MakeLabellingsFirstLearner(const Problem& problem,
                                                    const TrainOptions& options) {
  return std::make_unique<LabellingsFirstLearner>(problem, options);
}

}  // namespace slackline::internal
