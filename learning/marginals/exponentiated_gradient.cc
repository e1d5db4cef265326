// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/marginals/exponentiated_gradient.h>

#include <algorithm>
#include <limits>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/marginals/marginal_learner.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

constexpr Index kPassesPerMarginalRebuild = 64;
constexpr double kFirstStep = 0.5;
constexpr double kStepGrowth = 1.05;
constexpr int kHalvingsOfFirstPass = 2;
constexpr int kHalvings = 5;
// Bounds on η_m, which grows without end where an example's distribution has become a corner.
constexpr double kSmallestStep = 1e-100;
constexpr double kLargestStep = 1e9;

class ExponentiatedGradientLearner : public MarginalLearner {
 public:
  ExponentiatedGradientLearner(const Problem& problem, const TrainOptions& options)
      : MarginalLearner(problem, options),
        visits_(options, problem.data()),
        points_(problem),
        log_potentials_(problem),
        steps_(problem.size(), kFirstStep) {
    const double given = options.own<ExponentiatedGradientOptions>().initial_step;
    for (Index m = 0; m < problem.size(); ++m) {
      const Expectation expectation = marginals_.Expect(m, 0, log_potentials_.coordinates(m), 1);
      points_.Set(m, expectation.coordinates, expectation.loss);
      ++oracle_calls_;
      const double norm = gram_.SquaredNorm(problem.data().example(m), points_.coordinates(m));
      if (given > 0) {
        steps_[m] = given;
      } else if (norm > 0) {
        const double step = std::min(kFirstStep, problem.lambda_m() / norm);
        steps_[m] = std::max(step, kSmallestStep);
      }
    }
    points_.Weights(problem_, &weights_);
  }

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) { Visit(m); });
    if (++pass_ % kPassesPerMarginalRebuild == 0) points_.Weights(problem_, &weights_);
  }

  /// Evaluates at the weights of the mixture of μ and the ground truth with the best dual value. In
  /// the first passes, and at small λ, Ψμ itself is far too long.
  Evaluation Evaluate(int threads) override {
    std::vector<double> psi;
    points_.Weights(problem_, &psi);
    const double loss = points_.MeanLoss();
    const double share = BestShare(loss, Regulariser(problem_.lambda(), psi));
    std::vector<double> w = psi;
    for (double& value : w) value *= share;
    return Certify(std::move(w), points_, psi, loss, threads);
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("eg");
    ArchiveCommon(archive);
    visits_.Archive(archive);
    archive->FiniteReals(weights_);
    points_.Archive(archive);
    log_potentials_.Archive(archive);
    archive->FiniteReals(steps_);
    for (const double step : steps_)
      archive->Require(step >= kSmallestStep && step <= kLargestStep, "a step is out of range");
    archive->Passes(&pass_);
  }

  /// Keeps α and the step sizes.
  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    points_.Weights(problem_, &weights_);
    pass_ = 0;
  }

 private:
  const DualPoints& NewestPoints() const override { return points_; }

  void Visit(Index m) {
    const ExampleView example = problem_.data().example(m);
    const std::span<double> potentials = log_potentials_.coordinates(m);
    u_.resize(potentials.size());
    CoordinateScores(example, weights_, u_);
    double& step = steps_[m];
    ++block_steps_;
    for (int halvings = pass_ == 0 ? kHalvingsOfFirstPass : kHalvings;; --halvings) {
      if (TryStep(m, step) || halvings == 0) break;
      step /= 2;
    }
    step = std::clamp(kStepGrowth * step, kSmallestStep, kLargestStep);
  }

  /// Makes a step of this length unless f falls; returns whether it did. u_: the coordinate scores
  /// at w.
  bool TryStep(Index m, double step) {
    const ExampleView example = problem_.data().example(m);
    const std::span<double> potentials = log_potentials_.coordinates(m);
    const double loss_scale = log_potentials_.loss(m) + step;
    moved_.assign(potentials.begin(), potentials.end());
    for (std::size_t k = 0; k < moved_.size(); ++k) moved_[k] += step * u_[k];
    const Expectation expectation = marginals_.Expect(m, loss_scale, moved_, 1);
    ++oracle_calls_;
    points_.Towards(m, expectation.coordinates, &direction_);
    double gain = expectation.loss - points_.loss(m);  // increase of M f
    for (std::size_t k = 0; k < direction_.size(); ++k) gain -= u_[k] * direction_[k];
    gain -= gram_.SquaredNorm(example, direction_) / (2 * problem_.lambda_m());
    if (!(gain >= 0)) return false;
    log_potentials_.Set(m, moved_, loss_scale);
    points_.Set(m, expectation.coordinates, expectation.loss);
    ScatterFeatures(example, direction_, 1 / problem_.lambda_m(), weights_);
    return true;
  }

  ExampleVisits visits_;
  std::vector<double> weights_;
  DualPoints points_;
  // v_m as coordinates and c_m as loss; not a dual point, but of the same shape.
  DualPoints log_potentials_;
  std::vector<double> steps_;
  Index pass_ = 0;
  FeatureGram gram_;
  std::vector<double> u_, moved_, direction_;
};

}  // namespace

std::unique_ptr<Learner> MakeExponentiatedGradientLearner(const Problem& problem,
                                                          const TrainOptions& options) {
  return std::make_unique<ExponentiatedGradientLearner>(problem, options);
}

namespace {

constexpr OptionRecord kExponentiatedGradientOptions[] = {
    {.name = "initial-step",
     .placeholder = "H",
     .text = "eg: size of the first step of every example; the sources of the method have 0.5",
     .default_text = "0.5, or less where features are long",
     .field = Field<&ExponentiatedGradientOptions::initial_step>,
     .minimum = 1e-9,
     .maximum = kLargestStep,
     .positive = true}};
constexpr std::span<const OptionRecord> kExponentiatedGradientOptionLists[] = {
    kExponentiatedGradientOptions};
constexpr LearnerVariant kExponentiatedGradientVariants[] = {{.needs = kNeedsMarginals}};

}  // namespace

constinit const LearnerRecord kExponentiatedGradientLearner = {
    .name = "eg",
    .summary = "online exponentiated gradient on the dual",
    .section = "Methods with marginals: `eg`, `excessive-gap`, `extragradient`",
    .make = MakeExponentiatedGradientLearner,
    .variants = kExponentiatedGradientVariants,
    .options = kExponentiatedGradientOptionLists,
    .own_steps = "takes exponentiated gradient steps only"};

}  // namespace slackline::internal
