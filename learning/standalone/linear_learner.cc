// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/standalone/linear_learner.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/standalone/prox_regulariser.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

/// The centre of problem (6) moves when the gap around it is this part of the gap of the problem.
constexpr double kInnerShare = 0.25;

double LargestMagnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// centre: empty for 0.
double SquaredDistance(std::span<const double> weights, std::span<const double> centre) {
  double sum = 0;
  for (std::size_t f = 0; f < weights.size(); ++f) {
    const double d = weights[f] - (centre.empty() ? 0 : centre[f]);
    sum += d * d;
  }
  return sum;
}

ProxRegulariser RegulariserOf(const LinearProblem& problem) {
  SLACKLINE_CHECK(std::isfinite(problem.l1) && problem.l1 >= 0, "l1 must not be negative");
  SLACKLINE_CHECK(std::isfinite(problem.lambda) && problem.lambda > 0, "lambda must be positive");
  const Offset dimension = problem.rows->dimension();
  const double threshold = problem.l1 / problem.lambda;
  if (problem.regulariser == LinearRegulariser::kQNorm)
    return {ProxKind::kQNorm, dimension, threshold};
  SLACKLINE_CHECK(problem.regulariser == LinearRegulariser::kL2 || problem.l1 > 0,
                  "problem (6) needs l1 > 0");
  return {problem.l1 > 0 ? ProxKind::kElasticNet : ProxKind::kL2, dimension, threshold};
}

class LinearLearner final : public Learner, public CheckListener, public ScaleSource {
 public:
  LinearLearner(const LinearProblem& problem, const LinearLearnerOptions& options)
      : l1_(problem.l1),
        pure_l1_(problem.regulariser == LinearRegulariser::kL1),
        lambda_(problem.lambda),
        options_(options),
        features_(problem.rows, 1),
        loss_(problem.loss, problem.labels, problem.loss_parameter),
        sdca_(features_, loss_, RegulariserOf(problem), problem.lambda, options.step, options.seed),
        random_(static_cast<std::uint64_t>(options.seed)),
        order_(features_.size()),
        largest_label_(LargestMagnitude(problem.labels)) {
    traits_.scales = this;
    if (pure_l1_) traits_.listener = this;
  }

  void RunPass(const StopControl& stop) override {
    const bool restarts = std::has_single_bit(static_cast<std::uint64_t>(passes_));
    if (options_.output != SdcaOutput::kNewest && restarts) sdca_.BeginOutput();
    ++passes_;
    const std::span<const Index> order =
        options_.uniform ? std::span<const Index>() : order_.Next(&random_);
    for (Index k = 0; k < features_.size(); ++k) {
      sdca_.Visit(options_.uniform
                      ? static_cast<Index>(random_.Below(static_cast<std::uint64_t>(order_.size())))
                      : order[Size(k)]);
      if (stop.ShouldStop()) return;
    }
  }

  Evaluation Evaluate(int /*threads*/) override {
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kExact;
    Take(sdca_.Newest(), &evaluation);
    if (options_.output == SdcaOutput::kAverage) Take(sdca_.AverageOutput(), &evaluation);
    if (options_.output == SdcaOutput::kRandom) Take(sdca_.RandomOutput(), &evaluation);
    dual_ = std::max(dual_, evaluation.dual);
    evaluation.dual = dual_;
    return evaluation;
  }

  std::string Adapt(const Evaluation& evaluation) override {
    if (newest_gap_ > kInnerShare * (evaluation.primal - evaluation.dual)) return {};
    ++moves_;
    const std::span<const double> w = sdca_.weights();
    std::vector<double> centre(w.begin(), w.end());
    if (last_.size() == w.size()) {
      const double momentum = static_cast<double>(moves_) / static_cast<double>(moves_ + 3);
      for (std::size_t f = 0; f < w.size(); ++f) centre[f] += momentum * (w[f] - last_[f]);
    }
    last_.assign(w.begin(), w.end());
    sdca_.SetCentre(std::move(centre));
    return {};
  }

  /// Scales as if every dual variable could be as large as the labels.
  ObjectiveScales Scales() const override {
    double squares = 0, at_zero = 0;
    const double zero = 0;
    for (Index i = 0; i < features_.size(); ++i) {
      squares += features_.SquaredBound(i, DualNorm::kEuclidean);
      at_zero += loss_.Value(i, {&zero, 1});
    }
    const Index n = features_.size();
    const double largest = std::max(1.0, largest_label_);
    return {at_zero / n, largest * largest * ScoreScale(lambda_, squares / n, n, n)};
  }

  WorkCounts work() const override {
    WorkCounts counts;
    counts.block_steps = sdca_.steps();
    return counts;
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("linear");
    archive->Count(&moves_);
    archive->FiniteList(&last_);
    archive->Require(last_.empty() || last_.size() == sdca_.weights().size(),
                     "the last centre has another length");
    archive->Passes(&passes_);
    archive->NonNegativeReal(&dual_);
    ArchiveRandom(&random_, archive);
    order_.Archive(archive);
    sdca_.Archive(archive);
  }

 private:
  /// Enters the bounds of a point, and its weights if they are the best so far.
  void Take(SdcaPoint point, Evaluation* evaluation) {
    if (pure_l1_) {
      // The newest point comes first.
      if (std::isnan(evaluation->primal)) newest_gap_ = point.gap();
      point.primal -= lambda_ / 2 * SquaredDistance(point.weights, sdca_.centre());
      point.dual = DualOfL1(&point);
    }
    if (!(evaluation->dual >= point.dual)) evaluation->dual = point.dual;
    if (evaluation->primal <= point.primal) return;
    evaluation->primal = point.primal;
    evaluated_ = std::move(point.weights);
  }

  /// The dual value of problem (6) at t·α.
  double DualOfL1(SdcaPoint* point) const {
    const std::span<const double> centre = sdca_.centre();
    for (std::size_t f = 0; f < centre.size(); ++f) point->v[f] -= centre[f];
    const double largest = lambda_ * LargestMagnitude(point->v);
    const double t = largest > l1_ ? l1_ / largest : 1;
    double conjugates = 0;
    for (Index i = 0; i < features_.size(); ++i) {
      const double scaled = t * point->alpha[Size(i)];
      conjugates += loss_.Conjugate(i, {&scaled, 1});
    }
    return -conjugates / features_.size();
  }

  double l1_;
  bool pure_l1_;
  double lambda_;
  LinearLearnerOptions options_;
  RowFeatures features_;
  ScalarLoss loss_;
  ProxSdca sdca_;
  Random random_;
  ExampleOrder order_;
  double largest_label_;
  Index passes_ = 0;
  double dual_ = 0;  // the largest dual value so far; 0 is that of α = 0
  // l1
  double newest_gap_ = 0;     // of the sum that is being solved, at the last check
  std::int64_t moves_ = 0;    // of the centre
  std::vector<double> last_;  // the weights at the last of them
};

}  // namespace

std::string_view Name(LinearRegulariser regulariser) {
  switch (regulariser) {
    case LinearRegulariser::kL2:
      return "l2";
    case LinearRegulariser::kL1:
      return "l1";
    case LinearRegulariser::kQNorm:
      break;
  }
  return "q-norm";
}

std::string_view Name(SdcaOutput output) {
  switch (output) {
    case SdcaOutput::kNewest:
      return "newest";
    case SdcaOutput::kAverage:
      return "average";
    case SdcaOutput::kRandom:
      break;
  }
  return "random";
}

double LargestUsefulL1(const LinearProblem& problem) {
  const RowFeatures features(problem.rows, 1);
  const ScalarLoss loss(problem.loss, problem.labels, problem.loss_parameter);
  std::vector<double> sum(Size(features.dimension()), 0.0);
  const double zero = 0;
  for (Index i = 0; i < features.size(); ++i) {
    double u = 0;
    loss.Target(i, {&zero, 1}, {&u, 1});
    features.Add(i, {&u, 1}, 1.0 / features.size(), sum);
  }
  return LargestMagnitude(sum);
}

std::unique_ptr<Learner> MakeLinearLearner(const LinearProblem& problem,
                                           const LinearLearnerOptions& options) {
  SLACKLINE_CHECK(problem.rows != nullptr, "there must be rows");
  return std::make_unique<LinearLearner>(problem, options);
}

}  // namespace slackline::internal
