// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/multi_sample_learner.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/inner_product.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/example_blocks/dual_point_learner.h>
#include <slackline/learning/example_blocks/multi_sample_update.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/feature_bounds.h>
#include <slackline/learning/support_table.h>

namespace slackline::internal {
namespace {

constexpr double kSmallScale = 1e-100;
constexpr double kSmallWeightScale = 1e-3;  // the average loses three digits until then
constexpr std::int64_t kNormEvery = 1024;   // steps until ‖w‖² is summed again
constexpr std::int64_t kNotesEvery = 4;     // factor between the steps of two notes

/// Whether the structure is one variable with one linear term that has a different row for each
/// state, and nothing else. Algorithm 2 then applies.
bool IsMulticlass(const Structure& structure) {
  const FactorGraph& graph = structure.graph();
  if (graph.num_variables() != 1 || graph.num_factors() > 0 || graph.num_global_factors() > 0)
    return false;
  if (structure.terms(0).size() != 1) return false;
  const FeatureTerm& term = structure.terms(0)[0];
  std::vector<Index> rows = structure.map(term.map).rows;
  std::sort(rows.begin(), rows.end());
  return term.kind == FeatureKind::kLinear && rows.front() != kAbsent &&
         std::adjacent_find(rows.begin(), rows.end()) == rows.end();
}

/// B: an upper bound on the loss of every labelling of every example.
double LargestLossOfAll(const Problem& problem) {
  double largest = 0;
  for (Index m = 0; m < problem.size(); ++m) largest = std::max(largest, LargestLoss(problem, m));
  return largest;
}

/// A bound on the length of every ψ.
double LongestPsi(const Problem& problem) {
  GlobalRanges known;
  double squared = 0;
  for (Index m = 0; m < problem.size(); ++m)
    squared = std::max(squared, SquaredFeatureRange(problem.data().example(m), &known));
  return std::sqrt(squared);
}

std::string FiveDigits(double value) { return NumberText(value, 5); }

class MultiSampleLearner : public DualPointLearner, public CheckListener {
 public:
  MultiSampleLearner(const Problem& problem, const TrainOptions& options,
                     std::unique_ptr<LabellingSampler> sampler)
      : DualPointLearner(problem, options),
        own_(options.own<MultiSampleOptions>()),
        sampler_(sampler != nullptr ? std::move(sampler)
                                    : MakeLabellingSampler(problem, options.oracle)),
        weights_(problem.num_weights(), 0.0),
        masses_(problem.size(), 0.0),
        counts_(problem.size(), own_.revisit ? 1 : 0) {
    traits_.listener = this;
    sums_.largest_loss = LargestLossOfAll(problem);
    if (own_.online_loss) sums_.longest_psi = LongestPsi(problem);
    for (const auto& structure : problem.data().structures()) {
      multiclass_.push_back(!RescalesSlack(options) && IsMulticlass(*structure));
      // Samplers that call global factors need the weights themselves.
      if (!structure->globals().empty()) keeps_scale_ = false;
    }
  }

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) { Step(m); });
    FoldScale();
    if (EndPass()) Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    double loss = 0;
    std::vector<double> at_point;
    SumMeans(&at_point, &loss);
    evaluated_ = weights_;
    for (double& w : evaluated_) w *= weight_scale_;
    return Certify(loss / problem_.size() - Regulariser(problem_.lambda(), at_point), weights_,
                   threads);
  }

  std::string Adapt(const Evaluation& evaluation) override {
    if (own_.revisit || sums_.steps == 0 || sums_.steps < next_note_) return {};
    next_note_ = kNotesEvery * sums_.steps;
    const OnlineFigures figures = online();
    std::string note = "after " + std::to_string(figures.steps) +
                       " examples: mean objective suffered " + FiveDigits(figures.mean_objective) +
                       ", average regret between " +
                       FiveDigits(figures.mean_objective - evaluation.primal) + " and " +
                       FiveDigits(figures.mean_objective - evaluation.dual);
    // The bound of the lemma holds for runs that begin at w = 0.
    if (sums_.steps == steps_) note += ", bound " + FiveDigits(figures.bound);
    if (!own_.online_loss) return note;
    note += "; mean loss of predictions " + FiveDigits(figures.mean_loss);
    if (sums_.steps == steps_)
      note += ", bound " + FiveDigits(evaluation.primal + figures.loss_bound);
    return note;
  }

  OnlineFigures online() const { return sums_.Figures(problem_.lambda(), own_.online_loss); }

  /// Visits all examples once, in their order, as the next ones of the run. Returns their number.
  Index VisitNext(OnlineRun* run, const std::atomic<int>* interrupt) {
    run->sums.longest_psi = std::max(run->sums.longest_psi, sums_.longest_psi);
    SwapWith(run);
    Index m = 0;
    try {
      for (; m < problem_.size(); ++m) {
        if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed) != 0) break;
        // The ball onto which w is scaled depends on the losses so far alone.
        sums_.largest_loss = std::max(sums_.largest_loss, LargestLoss(problem_, m));
        Step(m);
      }
    } catch (...) {  // a user's oracle or sampler: the run has learned from the examples before
      SwapWith(run);
      throw;
    }
    SwapWith(run);
    return m;
  }

  bool DualPointIsBest() const override { return own_.revisit; }

  void Archive(StateArchive* archive) override {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max() / 8;
    archive->Tag("multi-sample");
    visits_.Archive(archive);
    archive->FiniteReals(weights_);
    archive->PositiveReal(&weight_scale_);
    archive->NonNegativeReal(&squared_norm_);
    points_.Archive(archive);
    archive->FiniteReals(masses_);
    for (const double mass : masses_) archive->Require(mass >= -1e-6, "a mass is negative");
    archive->Offsets(counts_, kLargest);
    archive->PositiveReal(&scale_);
    for (double* value : {&sums_.suffered, &sums_.gradients, &sums_.lost})
      archive->FiniteReal(value);
    archive->Require(scale_ <= 1, "the scale is out of range");
    ArchiveCommon(archive);
    archive->Passes(&pass_);
    for (std::int64_t* count : {&oracle_calls_, &steps_, &sums_.steps, &next_note_})
      archive->Integer(count, 0, kLargest);
  }

  /// Without --revisit, the mean dual point counts as one visit of every example. The figures of
  /// regret start again.
  void ChangeLambda(const Problem& problem) override {
    std::vector<double> at_point;
    double loss = 0;
    for (Index m = 0; m < problem_.size(); ++m) ScalePoint(m, PointShare(m));
    std::fill(counts_.begin(), counts_.end(), 1);
    scale_ = 1;
    ChangeProblem(problem);
    SumMeans(&at_point, &loss);
    const double theta =
        BestShare(loss / problem_.size(), Regulariser(problem_.lambda(), at_point));
    for (Index m = 0; m < problem_.size(); ++m) ScalePoint(m, theta);
    steps_ = own_.revisit ? 0 : problem_.size();
    Rebuild();
    sums_.suffered = sums_.gradients = sums_.lost = 0;
    sums_.steps = next_note_ = 0;
  }

 protected:
  /// The factor from the sum over the visits of example m to their mean.
  double PointShare(Index m) const override {
    const Offset visits = counts_[m];
    return visits > 0 ? scale_ / static_cast<double>(visits) : 0.0;
  }

 private:
  /// Exchanges the state of this learner and that of a run.
  void SwapWith(OnlineRun* run) {
    std::swap(weights_, run->weights);
    std::swap(weight_scale_, run->scale);
    std::swap(squared_norm_, run->squared_norm);
    std::swap(average_, run->average);
    std::swap(sums_, run->sums);
    std::swap(visits_.random(), run->random);
    steps_ = sums_.steps;
  }

  /// Gives weights_ the scale 1.
  void FoldWeights() {
    if (weight_scale_ != 1) {
      average_.Fold(weights_);
      for (double& w : weights_) w *= weight_scale_;
      weight_scale_ = 1;
    }
    squared_norm_ = DotInOrder(weights_, weights_);
  }

  void ScalePoint(Index m, double share) {
    points_.Scale(m, share);
    masses_[m] *= share;
  }
  void FoldScale() {
    if (scale_ == 1) return;
    for (Index m = 0; m < problem_.size(); ++m) ScalePoint(m, scale_);
    scale_ = 1;
  }

  /// Algorithm 3, lines 2 to 5.
  void Step(Index m) {
    const ExampleView example = problem_.data().example(m);
    const double lost = own_.online_loss ? PredictedLoss(m) : 0.0;
    const Corner corner = Ask(m, weights_, weight_scale_);
    CollectSamples(m, example, corner);
    if (!own_.revisit) {
      ++steps_;
      CountRegret(example, corner, squared_norm_);
      sums_.lost += lost;
      if (steps_ > 1)  // else w is 0
        Shrink(static_cast<double>(steps_ - 1) / static_cast<double>(steps_));
    }
    const double lambda_t =
        problem_.lambda() * static_cast<double>(own_.revisit ? problem_.size() : steps_);
    Update(m, example, lambda_t);
    const double step = 1 / (lambda_t * weight_scale_);
    ScatterFeatures(example, change_, step, weights_);
    if (average_.active())
      ScatterFeatures(example, change_, average_.scale() * step, average_.lag());
    if (!own_.revisit) {
      squared_norm_ += 2 / lambda_t * DotInOrder(u_before_, change_) +
                       gram_.SquaredNorm(example, change_) / (lambda_t * lambda_t);
      squared_norm_ = std::max(0.0, squared_norm_);
      Project();
    }
    average_.EndStep(weight_scale_);
    if (own_.revisit) return;
    if (!keeps_scale_ || weight_scale_ < kSmallWeightScale) {
      FoldWeights();
    } else if (steps_ % kNormEvery == 0) {
      squared_norm_ = weight_scale_ * weight_scale_ * DotInOrder(weights_, weights_);
    }
  }

  /// w *= factor.
  void Shrink(double factor) {
    weight_scale_ *= factor;
    squared_norm_ *= factor * factor;
  }

  /// Adds f(w; Z) = λ/2 ‖w‖² + H and ‖λw − ψ‖²/(2λt), at the weights before the step, to the sums.
  void CountRegret(const ExampleView& example, const Corner& corner, double squared_norm) {
    const double lambda = problem_.lambda();
    ++sums_.steps;
    sums_.suffered += 0.5 * lambda * squared_norm + corner.upper_bound;
    const double along = corner.loss - corner.value;  // w·ψ
    const double gradient = lambda * lambda * squared_norm - 2 * lambda * along +
                            gram_.SquaredNorm(example, samples_[0].coordinates);
    sums_.gradients += std::max(0.0, gradient) / (2 * lambda * static_cast<double>(steps_));
  }

  /// Δ of the labelling with the largest score at the weights, as the oracle finds it.
  double PredictedLoss(Index m) {
    minus_loss_.assign(problem_.loss(m).begin(), problem_.loss(m).end());
    for (double& loss : minus_loss_) loss = -loss;
    oracle().Maximise(m, weights_, nullptr, minus_loss_, weight_scale_);
    return problem_.training().LossOf(m, oracle().result().labels);
  }

  /// Sets samples_ to the corner and the labellings that the sampler finds besides it.
  void CollectSamples(Index m, const ExampleView& example, const Corner& corner) {
    samples_.clear();
    samples_.push_back({{corner.coordinates.begin(), corner.coordinates.end()}, corner.loss});
    labellings_.clear();
    if (own_.samples == 1 && !multiclass(m)) return;
    const MapResult& result = oracle().result();
    if (result.integral || multiclass(m)) labellings_.push_back(result.labels);
    const std::size_t first = labellings_.size();
    scores_.resize(example.graph().total_states());
    ScoreTables(example, weights_, scores_);
    const std::span<const double> loss = problem_.loss(m);
    for (double& score : scores_) score *= weight_scale_;
    for (std::size_t s = 0; s < loss.size(); ++s) scores_[s] += loss[s];
    // One labelling more than needed is sampled, since the best of them is usually the corner.
    sampler_->SetWeights(weights_);
    sampler_->Sample(m, example, scores_, own_.samples, &visits_.random(), &labellings_);
    for (std::size_t k = first;
         k < labellings_.size() && static_cast<Index>(samples_.size()) < own_.samples; ++k) {
      const auto end = labellings_.begin() + static_cast<std::ptrdiff_t>(k);
      if (std::find(labellings_.begin(), end, labellings_[k]) == end)
        AddSample(m, example, labellings_[k]);
    }
  }

  void AddSample(Index m, const ExampleView& example, const Labelling& labels) {
    LabellingSample sample;
    sample.coordinates.assign(example.structure().num_coordinates(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, sample.coordinates);
    AddLabellingFeatures(example, labels, -1, sample.coordinates);
    const std::span<const double> loss = problem_.loss(m);
    for (Index i = 0; i < example.graph().num_variables(); ++i) {
      sample.loss += loss[example.graph().state_offset(i) + labels[i]];
    }
    if (RescalesSlack(options_)) {
      for (double& q : sample.coordinates) q *= sample.loss;
    }
    samples_.push_back(std::move(sample));
  }

  bool multiclass(Index m) const {
    return !own_.revisit && multiclass_[problem_.data().structure_of(m)];
  }

  /// Sets change_ to the change of Σ α ψ, and adds it to the example's point.
  void Update(Index m, const ExampleView& example, double lambda_t) {
    const std::span<double> own = points_.coordinates(m);
    u_.resize(own.size());
    CoordinateScores(example, weights_, u_);
    for (double& u : u_) u *= weight_scale_;
    u_before_ = u_;
    if (own_.revisit) {
      dual_.coordinates.assign(own.begin(), own.end());
      dual_.loss = points_.loss(m);
      dual_.mass = masses_[m];
    } else {
      dual_.coordinates.assign(own.size(), 0.0);
      dual_.loss = dual_.mass = 0;
      ++counts_[m];
    }
    if (multiclass(m)) {
      UpdateMulticlass(example, lambda_t);
    } else {
      const MovePlan plan{static_cast<int>(own_.update_rounds), own_.expand_first};
      MultiSampleUpdate(example, samples_, lambda_t, plan, u_, &dual_, &change_, &gram_);
    }
    if (own_.revisit) {
      points_.Set(m, dual_.coordinates, dual_.loss);
      masses_[m] = dual_.mass;
      return;
    }
    for (std::size_t e = 0; e < own.size(); ++e) own[e] += dual_.coordinates[e] / scale_;
    points_.set_loss(m, points_.loss(m) + dual_.loss / scale_);
    masses_[m] += dual_.mass / scale_;
  }

  void UpdateMulticlass(const ExampleView& example, double lambda_t) {
    const double norm = example.input(example.structure().slots()[0].input).squared_norm;
    // The ground truth itself has ψ = 0 and is not a sample.
    std::erase_if(samples_, [](const LabellingSample& sample) {
      return std::all_of(sample.coordinates.begin(), sample.coordinates.end(),
                         [](double q) { return q == 0; });
    });
    std::vector<double> values;
    for (const LabellingSample& sample : samples_)
      values.push_back(sample.loss - DotInOrder(u_, sample.coordinates));
    const std::vector<double> alpha = MulticlassUpdate(values, norm, lambda_t);
    for (std::size_t j = 0; j < samples_.size(); ++j) {
      for (std::size_t e = 0; e < dual_.coordinates.size(); ++e)
        dual_.coordinates[e] += alpha[j] * samples_[j].coordinates[e];
      dual_.loss += alpha[j] * samples_[j].loss;
      dual_.mass += alpha[j];
    }
    change_ = dual_.coordinates;
  }

  /// Algorithm 3, line 5; dual variables shrink with w (Lemma 2.3).
  void Project() {
    const double limit = sums_.largest_loss / problem_.lambda();
    if (squared_norm_ <= limit) return;
    const double share = std::sqrt(limit / squared_norm_);
    if (share > 0) {
      Shrink(share);
    } else {
      average_.Fold(weights_);
      std::fill(weights_.begin(), weights_.end(), 0.0);
      squared_norm_ = 0;
    }
    scale_ *= share;
    // A scale of zero (when no loss is possible) would erase the points.
    if (scale_ < kSmallScale) FoldScale();
  }

  /// Computes w(μ) and Σ_m Δ·μ of the examples' mean points.
  void SumMeans(std::vector<double>* weights, double* loss) {
    weights->assign(problem_.num_weights(), 0.0);
    *loss = 0;
    for (Index m = 0; m < problem_.size(); ++m) {
      const double share = PointShare(m);
      ScatterFeatures(problem_.data().example(m), points_.coordinates(m),
                      share / problem_.lambda_m(), *weights);
      *loss += share * points_.loss(m);
    }
  }

  /// Computes w from the points, which removes the rounding errors of the steps.
  void Rebuild() {
    std::fill(weights_.begin(), weights_.end(), 0.0);
    const double lambda_t =
        problem_.lambda() * static_cast<double>(own_.revisit ? problem_.size() : steps_);
    points_.AddFeatures(problem_, scale_ / lambda_t, weights_);
    weight_scale_ = 1;
    squared_norm_ = DotInOrder(weights_, weights_);
  }

  MultiSampleOptions own_;
  std::unique_ptr<LabellingSampler> sampler_;
  // w = weight_scale_ · weights_, so that a step does not touch all weights (1 with --revisit).
  std::vector<double> weights_;
  double weight_scale_ = 1;
  double squared_norm_ = 0;  // ‖w‖²
  bool keeps_scale_ = true;
  std::vector<double> masses_;  // sums over visits, divided by scale_, as points_
  std::vector<Offset> counts_;  // visits of each example
  double scale_ = 1;
  std::vector<bool> multiclass_;  // per structure
  std::vector<LabellingSample> samples_;
  std::vector<Labelling> labellings_;
  ExampleDual dual_;
  std::vector<double> change_, scores_, u_before_, minus_loss_;
  OnlineSums sums_;
  std::int64_t steps_ = 0;  // t
  std::int64_t next_note_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeMultiSampleLearner(const Problem& problem, const TrainOptions& options,
                                                std::unique_ptr<LabellingSampler> sampler) {
  return std::make_unique<MultiSampleLearner>(problem, options, std::move(sampler));
}

OnlineFigures OnlineSums::Figures(double lambda, bool online_loss) const {
  const double count = std::max<double>(1, static_cast<double>(steps));
  OnlineFigures figures{steps, suffered / count, gradients / count};
  if (online_loss) {
    figures.mean_loss = lost / count;
    // L of Theorem 2.1 bounds ‖λw − ψ‖ for all w of the ball.
    const double gradient = std::sqrt(lambda * largest_loss) + longest_psi;
    figures.loss_bound = gradient * gradient * (std::log(count) + 1) / (2 * lambda * count);
  }
  return figures;
}

std::vector<double> OnlineRun::Output() const {
  std::vector<double> output;
  if (average.active()) {
    average.Read(weights, &output);
  } else {
    output = weights;
    for (double& w : output) w *= scale;
  }
  return output;
}

OnlineRun::OnlineRun(const TrainOptions& options, Offset num_weights)
    : weights(Size(num_weights), 0.0),
      average(AverageRuleOf(options), num_weights),
      random(static_cast<std::uint64_t>(options.seed)) {}

void OnlineRun::Archive(StateArchive* archive) {
  archive->Tag("online");
  archive->FiniteReals(weights);
  archive->PositiveReal(&scale);
  archive->NonNegativeReal(&squared_norm);
  average.Archive(archive);
  archive->Count(&sums.steps);
  for (double* value : {&sums.suffered, &sums.gradients, &sums.lost}) archive->FiniteReal(value);
  for (double* value : {&sums.largest_loss, &sums.longest_psi}) archive->NonNegativeReal(value);
  Random::State state = random.state();
  for (std::uint64_t& word : state) archive->Bits(&word);
  if (archive->loading()) random.set_state(state);
}

Index VisitNext(const Problem& next, const TrainOptions& options, OnlineRun* run,
                const std::atomic<int>* interrupt) {
  SLACKLINE_CHECK(!options.own<MultiSampleOptions>().revisit,
                  "a run over examples that are not kept cannot revisit them");
  SLACKLINE_CHECK(run->weights.size() == Size(next.num_weights()),
                  "the run has another number of weights than the examples");
  const std::string fault = Unsupported(next, options);
  if (!fault.empty()) throw DataError(fault);
  return MultiSampleLearner(next, options, nullptr).VisitNext(run, interrupt);
}

OnlineFigures FiguresOf(const Learner& learner) {
  const auto* online = dynamic_cast<const MultiSampleLearner*>(&learner);
  SLACKLINE_CHECK(online != nullptr, "the learner is not multi-sample");
  return online->online();
}

namespace {

constexpr Exclusion kExcludedByOnlineLoss[] = {
    {.other = "revisit",
     .reason = "with revisits an example is no longer new when it is predicted"},
    {.other = "rescaling", .other_values = "slack", .reason = "its oracle does not predict"}};

constexpr OptionRecord kMultiSampleOptions[] = {
    {.name = "samples",
     .placeholder = "K",
     .text = "multi-sample: labellings in each update of an example",
     .default_text = "10",
     .field = Field<&MultiSampleOptions::samples>,
     .minimum = 1,
     .maximum = 10000,
     .positive = true},
    {.name = "revisit",
     .text = "multi-sample: a later visit to an example continues from its dual variables; "
             "otherwise every visit counts as a new example",
     .default_text = "off",
     .field = Field<&MultiSampleOptions::revisit>,
     .special_values = "on"},
    {.name = "update-rounds",
     .placeholder = "R",
     .text = "multi-sample: how often an update goes through its labellings",
     .default_text = "1",
     .field = Field<&MultiSampleOptions::update_rounds>,
     .minimum = 1,
     .maximum = 10000,
     .positive = true},
    {.name = "expand-first",
     .text = "multi-sample: swap moves only where the weights of the labellings sum to 1, as in "
             "the paper; otherwise the move that gains more",
     .default_text = "off",
     .field = Field<&MultiSampleOptions::expand_first>,
     .special_values = "on"},
    {.name = "online-loss",
     .text = "multi-sample: also predict every example before its update, and note the mean loss",
     .default_text = "off",
     .field = Field<&MultiSampleOptions::online_loss>,
     .special_values = "on",
     .excludes = kExcludedByOnlineLoss}};
constexpr std::span<const OptionRecord> kMultiSampleOptionLists[] = {kMultiSampleOptions};
// The sampler maximises sums with slack rescaling, too.
constexpr NeedSet kMultiSampleNeeds = kNeedsOracle | NeedsAll(Need::kSumLoss);
constexpr LearnerVariant kMultiSampleVariants[] = {
    {.options = kSlackVariant.options,
     .applies = RescalesSlack,
     .needs = kMultiSampleNeeds | kSlackVariant.needs},
    {.needs = kMultiSampleNeeds}};

}  // namespace

constinit const LearnerRecord kMultiSampleLearner = {
    .name = "multi-sample",
    .summary = "online dual ascent with several labellings in every update",
    .section = "multi-sample",
    .make = [](const Problem& problem,
               const TrainOptions& options) { return MakeMultiSampleLearner(problem, options); },
    .variants = kMultiSampleVariants,
    .reads = "average keep-newest rescaling oracle",
    .options = kMultiSampleOptionLists,
    .own_steps = "updates an example with several labellings at once"};

}  // namespace slackline::internal
