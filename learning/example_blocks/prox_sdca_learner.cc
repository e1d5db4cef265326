// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/prox_sdca_learner.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/learning/example_blocks/dual_point_learner.h>
#include <slackline/learning/standalone/prox_regulariser.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/feature_bounds.h>
#include <slackline/learning/step/simplex_projection.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

constexpr int kInnerSteps = 10;  // of option I
// Inner steps end when the example's gap falls to this share of its first value.
constexpr double kInnerReduction = 0.1;

/// Sets w = SoftThreshold(v) where the feature vector with coordinates q is not zero.
void ThresholdWhereMoved(const ExampleView& example, std::span<const double> q, double threshold,
                         std::span<const double> v, std::span<double> w) {
  const Structure& structure = example.structure();
  const auto set = [&](Offset position) { w[position] = SoftThreshold(v[position], threshold); };
  const auto moved = [&](Index coordinate) { return q[coordinate] != 0; };
  for (const Slot& slot : structure.slots()) {
    const WeightBlock& block = structure.layout().block(slot.block);
    const FeatureRow x = example.input(slot.input);
    for (Index r = 0; r < slot.rows; ++r) {
      if (!moved(slot.coordinate + r)) continue;
      for (Index f = 0; f < x.count; ++f) set(block.at(r, x.dense() ? f : x.columns[f]));
    }
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    const WeightBlock& block = structure.layout().block(scalar.block);
    for (Index r = 0; r < scalar.rows; ++r) {
      if (moved(scalar.coordinate + r)) set(block.at(r, 0));
    }
  }
}

double Inner(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Whether no example has factors, with tables or global. Maxima are then those of single
/// variables.
bool VariablesAreFree(const Problem& problem) {
  const auto& structures = problem.data().structures();
  return std::all_of(structures.begin(), structures.end(), [](const auto& structure) {
    return structure->graph().num_factors() == 0 && structure->graph().num_global_factors() == 0;
  });
}

class ProxSdcaLearner : public DualPointLearner, public CheckListener, public ScaleSource {
 public:
  ProxSdcaLearner(const Problem& problem, const TrainOptions& options)
      : DualPointLearner(problem, options),
        own_(options.own<ProxSdcaOptions>()),
        projects_(options.smoothing > 0 && VariablesAreFree(problem)),
        draw_(static_cast<std::uint64_t>(options.seed) + 0x9e3779b97f4a7c15ULL),
        v_(problem.num_weights(), 0.0),
        w_(options_.l1 > 0 ? v_.size() : 0, 0.0),
        next_restart_(problem.size()) {
    traits_.listener = this;
    traits_.scales = this;
    if (options.smoothing > 0) StartMarginals();
    if (own_.sdca_step >= 3) BoundFeatures();
  }

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) {
      Visit(m);
      average_.EndStep();
      if (own_.random_output) DrawOutput();
    });
    if (EndPass()) Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    // Evaluations must not change the weights of the passes.
    points_.Weights(problem_, &evaluated_);
    Threshold(&evaluated_);
    Evaluation evaluation;
    evaluation.problem = evaluator_.certified();
    evaluation.dual = MeanLoss() - Regulariser(problem_.lambda(), evaluated_);
    evaluation.primal = Primal(evaluated_, threads);
    const auto primal = [&](std::span<const double> weights) { return Primal(weights, threads); };
    if (average_.active()) {
      std::vector<double> average;
      average_.Read(v_, &average);
      Threshold(&average);
      TakeIfBetter(std::move(average), primal, &evaluation);
    }
    if (!drawn_.empty()) TakeIfBetter(drawn_, primal, &evaluation);
    return evaluation;
  }

  std::string Adapt(const Evaluation& /*evaluation*/) override {
    if (note_made_ || (options_.l1 == 0 && options_.smoothing == 0)) return {};
    note_made_ = true;
    std::string note = "objective and bounds are those of the ";
    if (options_.smoothing > 0) note += "smoothed ";
    note += "problem";
    if (options_.l1 > 0)
      note += std::string(options_.smoothing > 0 ? "," : "") + " with the l1 term";
    return note + " (docs/reference/learners.md)";
  }

  WorkCounts work() const override { return {oracle_calls_, steps_}; }

  ObjectiveScales Scales() const override {
    ObjectiveScales scales = ScalesOf(problem_);
    if (options_.smoothing == 0) return scales;
    double quadratic = 0;  // Σ (1 − 1/K): γ/2 times it bounds the excess of the smoothed maximum
    for (Index m = 0; m < problem_.size(); ++m) {
      for (const Index k : problem_.data().example(m).graph().cardinalities())
        quadratic += 1 - 1.0 / k;
    }
    scales.primal_at_zero += 0.5 * options_.smoothing * quadratic / problem_.size();
    return scales;
  }

  bool DualPointIsBest() const override { return true; }
  /// With smoothing the loss includes the quadratic term (γ/2) Σ_i (1 − ‖μ_i‖²), as D does.
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    DualPointLearner::DualPoint(m, coordinates, loss);
    if (marginals_.empty()) return true;
    double quadratic = problem_.data().example(m).graph().num_variables();
    const auto begin = problem_.training().loss_begin[m];
    for (std::size_t s = 0; s < problem_.loss(m).size(); ++s) {
      const double mu = marginals_[begin + s];
      quadratic -= mu * mu;
    }
    *loss += 0.5 * options_.smoothing * quadratic;
    return true;
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("prox-sdca");
    ArchiveRandom(&visits_.random(), archive);
    ArchiveRandom(&draw_, archive);
    visits_.examples().Archive(archive);
    archive->FiniteReals(v_);
    archive->FiniteReals(w_);
    points_.Archive(archive);
    archive->FiniteReals(marginals_);
    bool drawn = !drawn_.empty();
    archive->Flag(&drawn);
    drawn_.resize(drawn ? v_.size() : 0);
    if (drawn) archive->FiniteReals(drawn_);
    ArchiveCommon(archive);
    archive->Passes(&pass_);
    for (std::int64_t* count : {&oracle_calls_, &steps_, &outputs_}) archive->Count(count);
    archive->Integer(&next_restart_, 1, StateReader::kMostCount);
    archive->Flag(&note_made_);
  }

  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    ScalePoints(BestScale());
    Rebuild();
    drawn_.clear();
    outputs_ = 0;
    next_restart_ = problem.size();
    steps_ = 0;
  }

 private:
  std::span<const double> w() const { return options_.l1 > 0 ? w_ : v_; }
  double threshold() const { return options_.l1 / problem_.lambda(); }
  void Threshold(std::vector<double>* v) const {
    if (options_.l1 == 0) return;
    for (double& x : *v) x = SoftThreshold(x, threshold());
  }

  /// μ_i of the example's variables; empty without smoothing.
  std::span<double> marginals(Index m) {
    if (marginals_.empty()) return {};
    const std::size_t begin = problem_.training().loss_begin[m];
    return std::span<double>(marginals_).subspan(begin, problem_.loss(m).size());
  }

  void StartMarginals() {
    marginals_.assign(problem_.training().losses.size(), 0.0);
    for (Index m = 0; m < problem_.size(); ++m) AddTruth(m, 1, marginals(m));
  }

  /// out += scale · the indicators of the ground truth's states.
  void AddTruth(Index m, double scale, std::span<double> out) const {
    const ExampleView example = problem_.data().example(m);
    for (Index i = 0; i < example.graph().num_variables(); ++i) {
      out[example.graph().state_offset(i) + example.labels()[i]] += scale;
    }
  }

  void BoundFeatures() {
    GlobalRanges known;
    for (Index m = 0; m < problem_.size(); ++m) {
      const ExampleView example = problem_.data().example(m);
      bounds_.push_back(projects_ ? SquaredStateNorm(example)
                                  : SquaredFeatureRange(example, &known));
    }
    largest_bound_ = *std::max_element(bounds_.begin(), bounds_.end());
  }

  void Visit(Index m) {
    const double gap = Step(m);
    if (own_.sdca_step != 1) return;
    for (int k = 1; k < kInnerSteps && gap > 0 && Step(m) > kInnerReduction * gap; ++k) {
    }
  }

  /// One step on the example. Returns the example's gap before the step, times M.
  double Step(Index m) {
    ++steps_;
    const double target_loss = projects_ ? ProjectedTarget(m) : CornerTarget(m);
    double gap = Direct(m, direction_, target_loss, w());
    double squared = 0;
    const std::span<double> mu = marginals(m);
    for (std::size_t s = 0; s < mu.size(); ++s) {
      target_[s] -= mu[s];
      gap -= options_.smoothing * mu[s] * target_[s];
      squared += target_[s] * target_[s];
    }
    const double step = StepSize(m, gap, squared);
    if (step == 0) return gap;
    Move(m, step, target_loss, v_);
    for (std::size_t s = 0; s < mu.size(); ++s) mu[s] += step * target_[s];
    if (options_.l1 > 0)
      ThresholdWhereMoved(problem_.data().example(m), direction_, threshold(), v_, w_);
    return gap;
  }

  /// s of the step options, for direction_. squared: ‖μ − u‖² over the variables' states, with
  /// smoothing.
  double StepSize(Index m, double gap, double squared) {
    const double lambda_m = problem_.lambda_m();
    const double gamma = options_.smoothing;
    if (own_.sdca_step == 5) return lambda_m * gamma / (largest_bound_ + lambda_m * gamma);
    double bound = 0;  // on ‖X_i z‖²
    if (own_.sdca_step >= 3) {
      bound = own_.sdca_step == 3 ? bounds_[m] : largest_bound_;
      if (projects_) bound *= squared;
    } else {
      bound = gram_.SquaredNorm(problem_.data().example(m), direction_);
    }
    return LineSearch(gap, gamma * squared + bound / lambda_m, 1);
  }

  /// The oracle's corner: sets direction_ to its coordinates (of ψ) and target_ to its marginals.
  /// Returns its loss.
  double CornerTarget(Index m) {
    const std::span<const double> mu = marginals(m);
    offsets_.resize(mu.size());
    for (std::size_t s = 0; s < mu.size(); ++s) offsets_[s] = -options_.smoothing * mu[s];
    const Corner corner = Ask(m, w(), offsets_);
    direction_.assign(corner.coordinates.begin(), corner.coordinates.end());
    if (mu.empty()) return corner.loss;
    const MapResult& result = oracle().result();
    target_.assign(mu.size(), 0.0);
    if (result.integral) {
      const FactorGraph& graph = problem_.data().example(m).graph();
      for (Index i = 0; i < graph.num_variables(); ++i) {
        target_[graph.state_offset(i) + result.labels[i]] = 1;
      }
    } else {
      std::copy_n(result.marginals.begin(), mu.size(), target_.begin());
    }
    return corner.loss;
  }

  /// argmax_μ θ·μ − (γ/2)‖μ‖² of an example without factors; outputs as in CornerTarget.
  double ProjectedTarget(Index m) {
    const ExampleView example = problem_.data().example(m);
    SmoothedMaximum(m, w());
    ++oracle_calls_;
    direction_.assign(example.structure().num_coordinates(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, direction_);
    for (Index i = 0; i < example.graph().num_variables(); ++i) {
      const std::size_t states = example.graph().cardinality(i);
      AddMarginalFeatures(example, i,
                          std::span(target_).subspan(example.graph().state_offset(i), states), -1,
                          direction_);
    }
    return Inner(problem_.loss(m), target_);
  }

  /// Sets target_ to the maximiser; returns max_μ [θ·μ + (γ/2) Σ_i (1 − ‖μ_i‖²)] for θ of H_m(·;
  /// weights).
  double SmoothedMaximum(Index m, std::span<const double> weights) {
    const ExampleView example = problem_.data().example(m);
    const std::span<const double> loss = problem_.loss(m);
    target_.assign(loss.begin(), loss.end());
    u_.resize(example.structure().num_coordinates());
    CoordinateScores(example, weights, u_);
    const double gamma = options_.smoothing;
    double value = 0;
    for (Index i = 0; i < example.graph().num_variables(); ++i) {
      const std::size_t begin = example.graph().state_offset(i);
      const std::span<double> theta =
          std::span(target_).subspan(begin, example.graph().cardinality(i));
      AddPartScores(example, i, u_, theta);
      const double truth_score = theta[example.labels()[i]];
      allowed_.clear();
      for (const double score : theta) {
        if (score != -kInfinity) allowed_.push_back((score - truth_score) / gamma);
      }
      scores_ = allowed_;
      ProjectOntoSimplex(allowed_);
      std::size_t next = 0;
      double squares = 0;
      for (double& entry : theta) {
        if (entry == -kInfinity) {
          entry = 0;
          continue;
        }
        entry = allowed_[next];
        value += gamma * entry * scores_[next];
        squares += entry * entry;
        ++next;
      }
      value += 0.5 * gamma * (1 - squares);
    }
    return value;
  }

  double Primal(std::span<const double> weights, int threads) override {
    double one_norm = 0;
    if (options_.l1 > 0) {
      for (const double x : weights) one_norm += std::abs(x);
    }
    const double l1_term = options_.l1 * one_norm;
    if (options_.smoothing == 0) return l1_term + evaluator_.Primal(weights, warm_, threads);
    if (projects_) {
      double hinge = 0;
      for (Index m = 0; m < problem_.size(); ++m) hinge += SmoothedMaximum(m, weights);
      return l1_term + Regulariser(problem_.lambda(), weights) + hinge / problem_.size();
    }
    std::vector<double> offsets = marginals_;
    double quadratic = 0;
    for (double& mu : offsets) {
      quadratic += mu * mu;
      mu *= -options_.smoothing;
    }
    for (Index m = 0; m < problem_.size(); ++m)
      quadratic += problem_.data().example(m).graph().num_variables();
    return l1_term + evaluator_.Primal(weights, warm_, threads, offsets) +
           0.5 * options_.smoothing * quadratic / problem_.size();
  }

  /// (1/M) Σ_m −φ_m*: the linear part of D, and the quadratic one.
  double MeanLoss() const {
    double loss = points_.TotalLoss();
    if (options_.smoothing > 0) {
      double quadratic = -Inner(marginals_, marginals_);
      for (Index m = 0; m < problem_.size(); ++m)
        quadratic += problem_.data().example(m).graph().num_variables();
      loss += 0.5 * options_.smoothing * quadratic;
    }
    return loss / problem_.size();
  }

  /// Computes v, and w with l1, from the points.
  void Rebuild() {
    points_.Weights(problem_, &v_);
    if (options_.l1 > 0) {
      w_ = v_;
      Threshold(&w_);
    }
  }

  /// Draws one iterate among those since the last power of two (times M steps), each with the same
  /// probability.
  void DrawOutput() {
    if (outputs_ >= next_restart_) {
      outputs_ = 0;
      next_restart_ *= 2;
    }
    ++outputs_;
    if (draw_.Below(static_cast<std::uint64_t>(outputs_)) == 0)
      drawn_.assign(w().begin(), w().end());
  }

  /// The share θ ≤ 1 of the point, mixed with a share 1 − θ of the ground truth, that maximises D.
  /// D is concave in θ. Sets v_ to Ψμ of the point.
  double BestScale() {
    points_.Weights(problem_, &v_);
    const double loss = points_.TotalLoss();
    if (options_.l1 == 0 && options_.smoothing == 0)
      return BestShare(loss / problem_.size(), Regulariser(problem_.lambda(), v_));
    // Σ_i (1 − ‖e + θ(μ − e)‖²) = −2θ e·(μ − e) − θ²‖μ − e‖²
    double linear = 0;
    double square = 0;
    if (options_.smoothing > 0) {
      std::vector<double> truth(marginals_.size(), 0.0);
      for (Index m = 0; m < problem_.size(); ++m) {
        const std::size_t begin = problem_.training().loss_begin[m];
        AddTruth(m, 1, std::span(truth).subspan(begin, problem_.loss(m).size()));
      }
      for (std::size_t s = 0; s < truth.size(); ++s) {
        const double d = marginals_[s] - truth[s];
        linear -= truth[s] * d;
        square += d * d;
      }
    }
    double low = 0;
    double high = 1;
    for (int k = 0; k < 60; ++k) {
      const double theta = k == 0 ? 1.0 : 0.5 * (low + high);
      double slope = (loss + options_.smoothing * (linear - theta * square)) / problem_.size();
      for (const double v : v_)
        slope -= problem_.lambda() * v * SoftThreshold(theta * v, threshold());
      if (k == 0 && slope >= 0) return 1;
      if (k > 0) (slope > 0 ? low : high) = theta;
    }
    return low;
  }

  void ScalePoints(double theta) {
    points_.Scale(theta);
    if (marginals_.empty()) return;
    for (double& mu : marginals_) mu *= theta;
    for (Index m = 0; m < problem_.size(); ++m) AddTruth(m, 1 - theta, marginals(m));
  }

  ProxSdcaOptions own_;
  bool projects_;  // the smoothed maximiser is a projection
  Random draw_;    // for the random output alone
  std::vector<double> v_;
  std::vector<double> w_;          // empty without l1
  std::vector<double> marginals_;  // laid out as TrainingSet::losses; empty without smoothing
  std::vector<double> drawn_;
  std::int64_t outputs_ = 0;  // iterates among which drawn_ was drawn
  std::int64_t next_restart_;
  // Per example, for steps 3 to 5: a bound on ‖X_i z‖², or on ‖X_i z‖²/‖z‖² if projects_.
  std::vector<double> bounds_;
  double largest_bound_ = 0;
  std::vector<double> target_, offsets_, allowed_, scores_;
  std::int64_t steps_ = 0;
  bool note_made_ = false;
};

}  // namespace

std::unique_ptr<Learner> MakeProxSdcaLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<ProxSdcaLearner>(problem, options);
}

namespace {

constexpr OptionRecord kOptions[] = {
    {.name = "sdca-step",
     .placeholder = "1..5",
     .text = "prox-sdca: step option of the paper. 1: several steps on the example, 2: line "
             "search, 3: a bound on the curvature of the example, 4: a bound for all examples, 5: "
             "for smoothed losses only",
     .default_text = "2",
     .field = Field<&ProxSdcaOptions::sdca_step>,
     .minimum = 1,
     .maximum = 5,
     .positive = true},
    {.name = "random-output",
     .text = "prox-sdca: also evaluate an iterate drawn at random",
     .default_text = "off",
     .field = Field<&ProxSdcaOptions::random_output>,
     .special_values = "on"}};
constexpr std::span<const OptionRecord> kOptionLists[] = {kOptions};
constexpr NeedSet kNeeds = kNeedsOracle | NeedsAll(Need::kSumLoss);
constexpr LearnerVariant kVariants[] = {
    {.options = "--sdca-step 5 --smoothing",
     .applies =
         [](const TrainOptions& options) { return options.own<ProxSdcaOptions>().sdca_step == 5; },
     .needs = kNeeds | NeedsAll(Need::kFreeVariables)},
    {.options = "--smoothing",
     .applies = [](const TrainOptions& options) { return options.smoothing > 0; },
     .needs = kNeeds},
    {.needs = kNeeds}};

void Check(const TrainOptions& options) {
  const auto& own = options.own<ProxSdcaOptions>();
  if (own.sdca_step == 5 && options.smoothing <= 0)
    throw DataError("--sdca-step 5 needs --smoothing: it is for smooth losses");
  if (options.l1 > 0 && options.kernel != KernelKind::kAuto)
    throw DataError(
        "--l1 cannot be combined with --kernel: kernel models weight support vectors, not "
        "features");
}

}  // namespace

constinit const LearnerRecord kProxSdcaLearner = {
    .name = "prox-sdca",
    .summary = "proximal dual ascent, with an l1 term or smoothed hinges",
    .section = "prox-sdca",
    .make = MakeProxSdcaLearner,
    .variants = kVariants,
    .reads = "average l1 smoothing oracle",
    .options = kOptionLists,
    .own_steps = "has its own steps, which --sdca-step chooses",
    .check = Check};

}  // namespace slackline::internal
