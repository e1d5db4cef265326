// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/subgradient.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/learning/certificate.h>
#include <slackline/learning/example_evaluator.h>
#include <slackline/learning/iterate_average.h>
#include <slackline/learning/sampling.h>

namespace slackline {
namespace {

/// A smaller product of projections is multiplied into the sums.
constexpr double kSmallestShrink = 1e-3;
/// Of one projection: where no loss is possible the ball is a point, and sums have to stay divisible.
constexpr double kSmallestFactor = 1e-100;

std::size_t Size(Offset n) { return static_cast<std::size_t>(n); }

class SubgradientLearner : public Learner {
 public:
  SubgradientLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        random_(static_cast<std::uint64_t>(options.seed)),
        examples_(problem.size()),
        sum_(Size(problem.num_weights()), 0.0),
        masses_(Size(problem.size()), 0.0),
        losses_(masses_.size(), 0.0),
        warm_(masses_.size()),
        average_(options.average, problem.num_weights(), problem.size()),
        evaluator_(problem, options.oracle),
        primal_at_zero_(PrimalAtZeroWeights(problem)) {
    begin_.push_back(0);
    for (Index m = 0; m < problem.size(); ++m) {
      begin_.push_back(begin_.back() + problem.data().example(m).structure().num_coordinates());
    }
    points_.assign(Size(begin_.back()), 0.0);
  }

  std::string_view name() const override { return "ssg"; }

  void RunPass(const StopControl& stop) override {
    const std::span<const Index> order = examples_.Next(&random_);
    for (Index k = 0; k < problem_.size(); ++k) {
      const Index m = options_.order != OrderKind::kUniform
                          ? order[Size(k)]
                          : static_cast<Index>(random_.Below(static_cast<std::uint64_t>(problem_.size())));
      Step(m);
      if (stop.ShouldStop()) break;
    }
    FindShare();
  }

  Evaluation Evaluate(int threads) override {
    evaluated_ = sum_;
    for (double& weight : evaluated_) weight *= scale();
    Evaluation evaluation;
    evaluation.problem = evaluator_.certified();
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    evaluation.dual = share_ * MeanLoss() - share_ * share_ * regulariser;
    evaluation.primal = evaluator_.Primal(evaluated_, warm_, threads);
    if (average_.active()) {
      std::vector<double> average;
      average_.Read(sum_, &average);
      const double primal = evaluator_.Primal(average, warm_, threads);
      if (primal < evaluation.primal) {
        evaluation.primal = primal;
        evaluated_ = std::move(average);
      }
    }
    return evaluation;
  }

  std::span<const double> weights() const override { return evaluated_; }
  double PrimalAtZero() const override { return primal_at_zero_; }
  WorkCounts work() const override { return {oracle_calls_, oracle_calls_}; }

  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    const ExampleView example = problem_.data().example(m);
    const std::size_t begin = Size(begin_[Size(m)]);
    coordinates->assign(Size(example.structure().num_coordinates()), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, *coordinates);
    const double share = share_ * point_scale();
    for (std::size_t k = 0; k < coordinates->size(); ++k) (*coordinates)[k] -= share * points_[begin + k];
    *loss = share * losses_[Size(m)];
    return true;
  }

  void Save(StateWriter* writer) const override {
    writer->Tag("ssg");
    SaveRandom(random_, writer);
    examples_.Save(writer);
    for (const auto* list : {&sum_, &points_, &masses_, &losses_}) writer->Reals(*list);
    for (const WarmStart& warm : warm_) writer->Bytes(warm.bytes);
    average_.Save(writer);
    for (const double number : {shrink_, square_, share_}) writer->Real(number);
    writer->Integer(steps_);
    writer->Integer(oracle_calls_);
  }

  void Load(StateReader* reader) override {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
    reader->Tag("ssg");
    LoadRandom(reader, &random_);
    examples_.Load(reader);
    for (auto* list : {&sum_, &points_, &masses_, &losses_}) reader->FiniteReals(*list);
    for (WarmStart& warm : warm_) warm.bytes = reader->Bytes();
    average_.Load(reader);
    for (double* number : {&shrink_, &square_, &share_}) *number = reader->FiniteReal();
    steps_ = reader->Integer(0, kMost);
    oracle_calls_ = reader->Integer(0, kMost);
    evaluated_.clear();
  }

  /// The dual point that was reached stands for the first pass of the new run.
  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    evaluator_.set_problem(problem);
    oracle_calls_ = 0;
    average_ = IterateAverage(average_.kind(), problem.num_weights(), problem.size());
    if (steps_ == 0) return;
    FindShare();
    Multiply(share_ * point_scale());
    shrink_ = 1;
    steps_ = problem_.size();
    FindShare();
  }

 private:
  /// w = scale() · sum_.
  double scale() const {
    return steps_ > 0 ? shrink_ / (problem_.lambda() * static_cast<double>(steps_)) : 0;
  }
  /// μ = point_scale() · points_, and so for masses and losses.
  double point_scale() const {
    return steps_ > 0 ? shrink_ * problem_.size() / static_cast<double>(steps_) : 0;
  }
  double MeanLoss() const {
    double loss = 0;
    for (const double value : losses_) loss += value;
    return point_scale() * loss / problem_.size();
  }

  void Step(Index m) {
    const ExampleView example = problem_.data().example(m);
    const double length = problem_.lambda() * static_cast<double>(steps_);  // λk
    const Corner corner = evaluator_.oracle().Maximise(m, sum_, &warm_[Size(m)], {}, scale());
    ++oracle_calls_;
    ++steps_;
    if (options_.projection) {
      // ‖λk·w + ψ‖², where w·ψ = Δ − H.
      square_ += 2 * length * (corner.loss - corner.value) + gram_.SquaredNorm(example, corner.coordinates);
    }
    const double added = 1 / shrink_;
    ScatterFeatures(example, corner.coordinates, added, sum_);
    if (average_.active())
      ScatterFeatures(example, corner.coordinates, average_.scale() * added, average_.lag());
    const std::size_t begin = Size(begin_[Size(m)]);
    for (std::size_t k = 0; k < corner.coordinates.size(); ++k)
      points_[begin + k] += added * corner.coordinates[k];
    masses_[Size(m)] += added;
    losses_[Size(m)] += added * corner.loss;
    if (options_.projection) Project();
    average_.EndStep(scale());
  }

  void Project() {
    const double length = problem_.lambda() * static_cast<double>(steps_);
    const double radius = length * std::sqrt(primal_at_zero_ / problem_.lambda());
    if (!(square_ > radius * radius)) return;
    const double factor = std::max(radius / std::sqrt(square_), kSmallestFactor);
    shrink_ *= factor;
    square_ *= factor * factor;
    if (shrink_ >= kSmallestShrink) return;
    average_.Fold(sum_);
    Multiply(shrink_);
    shrink_ = 1;
  }

  void Multiply(double factor) {
    for (auto* list : {&sum_, &points_, &masses_, &losses_}) {
      for (double& value : *list) value *= factor;
    }
  }

  /// θ, and ‖λk·w‖² anew: sums of many steps drift.
  void FindShare() {
    const double squares = 2 * Regulariser(1, sum_);
    square_ = shrink_ * shrink_ * squares;
    const double mass = point_scale() * *std::max_element(masses_.begin(), masses_.end());
    const double regulariser = 0.5 * problem_.lambda() * scale() * scale() * squares;
    share_ = std::min(BestShare(MeanLoss(), regulariser), mass > 1 ? 1 / mass : 1.0);
  }

  Problem problem_;
  TrainOptions options_;
  Random random_;
  ExampleOrder examples_;
  std::vector<double> sum_;
  double shrink_ = 1;
  double square_ = 0;  // ‖λk·w‖²; kept up to date within passes for projections only
  double share_ = 1;   // θ of the newest point
  std::vector<double> evaluated_;
  std::vector<Offset> begin_;
  std::vector<double> points_;  // Σ (corner's coordinates / shrink_ before the step)
  std::vector<double> masses_;  // Σ 1 / shrink_
  std::vector<double> losses_;  // Σ loss / shrink_
  std::vector<WarmStart> warm_;
  IterateAverage average_;
  ExampleEvaluator evaluator_;
  FeatureGram gram_;
  double primal_at_zero_;
  std::int64_t steps_ = 0;
  std::int64_t oracle_calls_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeSubgradientLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<SubgradientLearner>(problem, options);
}

}  // namespace slackline
