// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/bcfw.h>

#include <algorithm>
#include <limits>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/learning/certificate.h>
#include <slackline/learning/example_evaluator.h>
#include <slackline/learning/iterate_average.h>
#include <slackline/learning/sampling.h>
#include <slackline/learning/step.h>

namespace slackline {
namespace {

constexpr Index kRebuildEvery = 64;

class BcfwLearner : public Learner {
 public:
  BcfwLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        random_(static_cast<std::uint64_t>(options.seed)),
        examples_(problem.size()),
        weights_(static_cast<std::size_t>(problem.num_weights()), 0.0),
        losses_(static_cast<std::size_t>(problem.size()), 0.0),
        warm_(static_cast<std::size_t>(problem.size())),
        average_(options.average, problem.num_weights(), problem.size()),
        evaluator_(problem, options.oracle, options.lp_tolerance) {
    begin_.push_back(0);
    for (Index m = 0; m < problem.size(); ++m) {
      begin_.push_back(begin_.back() + problem.data().example(m).structure().num_coordinates());
    }
    points_.assign(static_cast<std::size_t>(begin_.back()), 0.0);
  }

  std::string_view name() const override { return "bcfw"; }

  void RunPass(const StopControl& stop) override {
    const std::span<const Index> order = examples_.Next(&random_);
    for (Index k = 0; k < problem_.size(); ++k) {
      const Index m = options_.order != OrderKind::kUniform
                          ? order[static_cast<std::size_t>(k)]
                          : static_cast<Index>(random_.Below(static_cast<std::uint64_t>(problem_.size())));
      Step(m);
      average_.EndStep();
      if (stop.ShouldStop()) break;
    }
    if (++pass_ % kRebuildEvery == 0) Rebuild(&weights_);
  }

  Evaluation Evaluate(int threads) override {
    Rebuild(&evaluated_);
    double loss = 0;
    for (const double value : losses_) loss += value;
    Evaluation evaluation;
    evaluation.problem = evaluator_.certified();
    evaluation.dual = loss / problem_.size() - Regulariser(problem_.lambda(), evaluated_);
    evaluation.primal = evaluator_.Primal(evaluated_, warm_, threads);
    if (average_.active()) {
      std::vector<double> average;
      average_.Read(weights_, &average);
      const double primal = evaluator_.Primal(average, warm_, threads);
      if (primal < evaluation.primal) {
        evaluation.primal = primal;
        evaluated_ = std::move(average);
      }
    }
    return evaluation;
  }

  std::span<const double> weights() const override { return evaluated_; }
  double PrimalAtZero() const override { return PrimalAtZeroWeights(problem_); }
  WorkCounts work() const override { return {oracle_calls_, oracle_calls_}; }

  bool DualPointIsBest() const override { return !options_.fixed_step; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    const ExampleView example = problem_.data().example(m);
    const auto begin = static_cast<std::size_t>(begin_[static_cast<std::size_t>(m)]);
    coordinates->assign(static_cast<std::size_t>(example.structure().num_coordinates()), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, *coordinates);
    for (std::size_t k = 0; k < coordinates->size(); ++k) (*coordinates)[k] -= points_[begin + k];
    *loss = losses_[static_cast<std::size_t>(m)];
    return true;
  }

  void Save(StateWriter* writer) const override {
    writer->Tag("bcfw");
    SaveRandom(random_, writer);
    examples_.Save(writer);
    writer->Reals(weights_);
    writer->Reals(points_);
    writer->Reals(losses_);
    for (const WarmStart& warm : warm_) writer->Bytes(warm.bytes);
    average_.Save(writer);
    writer->Integer(pass_);
    writer->Integer(oracle_calls_);
  }

  void Load(StateReader* reader) override {
    reader->Tag("bcfw");
    LoadRandom(reader, &random_);
    examples_.Load(reader);
    reader->FiniteReals(weights_);
    reader->FiniteReals(points_);
    reader->FiniteReals(losses_);
    for (WarmStart& warm : warm_) warm.bytes = reader->Bytes();
    average_.Load(reader);
    pass_ = static_cast<Index>(reader->Integer(0, std::numeric_limits<Index>::max()));
    oracle_calls_ = reader->Integer(0, std::numeric_limits<std::int64_t>::max() / 4);
    evaluated_.clear();
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    evaluator_.set_problem(problem);
    Rebuild(&weights_);
    double loss = 0;
    for (const double value : losses_) loss += value;
    const double theta = BestShare(loss / problem_.size(), Regulariser(problem_.lambda(), weights_));
    for (double& coordinate : points_) coordinate *= theta;
    for (double& value : losses_) value *= theta;
    Rebuild(&weights_);
    average_ = IterateAverage(average_.kind(), problem.num_weights(), problem.size());
    pass_ = 0;
    oracle_calls_ = 0;
  }

 private:
  std::span<double> point(Index m) {
    const auto k = static_cast<std::size_t>(m);
    return {points_.data() + begin_[k], static_cast<std::size_t>(begin_[k + 1] - begin_[k])};
  }

  /// Algorithm 4, lines 4–9, for example m.
  void Step(Index m) {
    const ExampleView example = problem_.data().example(m);
    const Corner corner =
        evaluator_.oracle().Maximise(m, weights_, &warm_[static_cast<std::size_t>(m)]);  // lines 4, 5
    ++oracle_calls_;
    // gap·M = H_m(s; w) − H_m(point; w), with the point's w·ψ from the coordinates; q·M = ‖w_s − w_i‖² λM.
    direction_.assign(corner.coordinates.begin(), corner.coordinates.end());
    const std::span<double> own = point(m);
    for (std::size_t k = 0; k < own.size(); ++k) direction_[k] -= own[k];
    double& own_loss = losses_[static_cast<std::size_t>(m)];
    u_.resize(own.size());
    CoordinateScores(example, weights_, u_);
    double gap = corner.loss - own_loss;
    for (std::size_t k = 0; k < own.size(); ++k) gap -= u_[k] * direction_[k];
    const double q = gram_.SquaredNorm(example, direction_) / problem_.lambda_m();
    const double step =
        options_.fixed_step
            ? 2.0 * problem_.size() / (static_cast<double>(oracle_calls_ - 1) + 2.0 * problem_.size())
            : LineSearch(gap, q, 1);  // line 6
    if (step == 0) return;
    for (std::size_t k = 0; k < own.size(); ++k) own[k] += step * direction_[k];  // lines 7, 8
    own_loss += step * (corner.loss - own_loss);
    ScatterFeatures(example, direction_, step / problem_.lambda_m(), weights_);  // line 9
    if (average_.active()) {
      ScatterFeatures(example, direction_, average_.scale() * step / problem_.lambda_m(), average_.lag());
    }
  }

  void Rebuild(std::vector<double>* weights) {
    weights->assign(static_cast<std::size_t>(problem_.num_weights()), 0.0);
    for (Index m = 0; m < problem_.size(); ++m) {
      ScatterFeatures(problem_.data().example(m), point(m), 1 / problem_.lambda_m(), *weights);
    }
  }

  Problem problem_;
  TrainOptions options_;
  Random random_;
  ExampleOrder examples_;
  std::vector<double> weights_;
  std::vector<double> evaluated_;
  std::vector<Offset> begin_;
  std::vector<double> points_;
  std::vector<double> losses_;
  std::vector<WarmStart> warm_;
  IterateAverage average_;
  ExampleEvaluator evaluator_;
  std::vector<double> direction_;
  FeatureGram gram_;
  std::vector<double> u_;
  Index pass_ = 0;
  std::int64_t oracle_calls_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeBcfwLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<BcfwLearner>(problem, options);
}

}  // namespace slackline
