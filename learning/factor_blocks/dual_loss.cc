// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/dual_loss.h>

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parallel.h>
#include <slackline/core/random.h>
#include <slackline/learning/factor_blocks/dual_loss_descent.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

constexpr int kBlockChunks = 16;
constexpr Index kTrialExamples = 100;
constexpr int kTrialPasses = 20;
/// Values of λη that are tried. The influence of the start decays as t^(−λη). Smaller values look
/// good only in short trials (on Yeast they won the trials, and were far behind after 100 passes).
constexpr double kTrialSteps[] = {16, 8, 4, 2, 1};
constexpr double kBias = 0.01;

/// ε Σ_a log K_a = kBias · P(0), on average over the examples.
double Temperature(const Problem& problem) {
  double logs = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const FactorGraph& graph = problem.data().example(m).graph();
    for (Index a = 0; a < graph.num_parts(); ++a)
      logs += std::log(static_cast<double>(graph.num_states(a)));
  }
  const double at_zero = PrimalAtZeroWeights(problem);
  return logs > 0 && at_zero > 0 ? kBias * at_zero * problem.size() / logs : 1;
}

double TemperatureFor(const Problem& problem, const TrainOptions& options) {
  if (options.learner != LearnerKind::kSmoothDlpw) return 0;
  return options.smoothing > 0 ? options.smoothing : Temperature(problem);
}

std::vector<Index> AllExamples(const Problem& problem) {
  std::vector<Index> all(problem.size());
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

class DualLossLearner : public Learner,
                        public DualPointSource,
                        public LambdaFollower,
                        public CheckListener {
 public:
  DualLossLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        step_size_(options.own<DualLossOptions>().step_size),
        temperature_(TemperatureFor(problem, options)),
        visits_(options, problem.data()),
        descent_(problem_, AllExamples(problem),
                 {temperature_, step_size_ > 0 ? step_size_ : 1 / problem.lambda(), true}),
        mixture_(problem.lambda()),
        chosen_(step_size_ > 0) {
    traits_ = {.dual_point = this, .lambda = this, .listener = this};
    for (Index m = 0; m < problem.size(); ++m)
      num_parts_.push_back(problem.data().example(m).graph().num_parts());
  }

  void RunPass(const StopControl& stop) override {
    if (!chosen_) ChooseStep(stop);
    visits_.Pass(stop, [&](Index m) {
      descent_.Visit(m);
      block_steps_ += num_parts_[m];
    });
  }

  Evaluation Evaluate(int threads) override {
    AddDualPoint();
    descent_.ReadWeights(&evaluated_);
    std::vector<double> bounds(kBlockChunks, 0.0);
    std::vector<DualLossWork> work(std::max(1, threads));
    ParallelChunks(problem_.size(), kBlockChunks, threads, [&](const Chunk& chunk) {
      for (Index m = chunk.begin; m < chunk.end; ++m) {
        bounds[chunk.chunk] += descent_.Bound(m, evaluated_, &work[chunk.thread]);
      }
    });
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kRelaxed;
    evaluation.primal = Regulariser(problem_.lambda(), evaluated_) +
                        std::accumulate(bounds.begin(), bounds.end(), 0.0) / problem_.size();
    evaluation.dual = mixture_.value();
    return evaluation;
  }

  std::string Adapt(const Evaluation& /*evaluation*/) override { return std::exchange(note_, {}); }

  WorkCounts work() const override { return {0, block_steps_}; }

  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    DualLossWork work;
    *loss = descent_.FeasibleCoordinates(m, coordinates, &work);
    return true;
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("dual loss");
    visits_.Archive(archive);
    descent_.Archive(archive);
    mixture_.Archive(problem_.num_weights(), archive);
    archive->Flag(&chosen_);
    archive->Text(&note_);
    archive->Count(&block_steps_);
    if (archive->loading()) evaluated_.clear();
  }

  void ChangeLambda(const Problem& problem) override {
    // An η chosen by trials stays the same multiple of 1/λ.
    if (step_size_ <= 0) descent_.set_eta(descent_.eta() * problem_.lambda() / problem.lambda());
    descent_.ChangeLambda(problem_.lambda(), problem.lambda());
    problem_ = problem;
    mixture_ = DualMixture(problem_.lambda());
    block_steps_ = 0;
  }

 private:
  /// Runs the trials, and leaves the best η in the descent.
  void ChooseStep(const StopControl& stop) {
    std::vector<Index> some = AllExamples(problem_);
    Random random(static_cast<std::uint64_t>(options_.seed));
    random.Shuffle(std::span<Index>(some));
    some.resize(std::min<std::size_t>(some.size(), kTrialExamples));
    double best = kInfinity;
    int trials = 0;
    for (const double step : kTrialSteps) {
      const double eta = step / problem_.lambda();
      DualLossDescent trial(problem_, some, {temperature_, eta, false});
      for (int pass = 0; pass < kTrialPasses; ++pass) {
        for (Index k = 0; k < trial.size(); ++k) {
          trial.Visit(k);
          block_steps_ += num_parts_[some[k]];
          // The run ends here, and its state is not saved.
          if (stop.ShouldStop()) return;
        }
      }
      ++trials;
      const double objective = trial.Objective();
      if (objective >= best) continue;
      best = objective;
      descent_.set_eta(eta);
    }
    chosen_ = true;
    note_ = "steps of length η/t with η = " + NumberText(descent_.eta(), 3) + ", the best of " +
            std::to_string(trials) + " in " + std::to_string(kTrialPasses) + " passes over " +
            Count(static_cast<Offset>(some.size()), "example");
    if (temperature_ > 0 && options_.smoothing <= 0)
      note_ += "; temperature " + NumberText(temperature_, 3) + ", from the losses";
  }

  void AddDualPoint() {
    std::vector<double> weights(problem_.num_weights(), 0.0);
    DualLossWork work;
    std::vector<double> q;
    double loss = 0;
    for (Index m = 0; m < problem_.size(); ++m) {
      const ExampleView example = problem_.data().example(m);
      loss += descent_.FeasibleCoordinates(m, &q, &work);
      for (double& value : q) value = -value;
      AddLabellingFeatures(example, example.labels(), 1, q);
      ScatterFeatures(example, q, 1 / problem_.lambda_m(), weights);
    }
    mixture_.Add(std::move(weights), loss / problem_.size());
  }

  Problem problem_;
  TrainOptions options_;
  double step_size_;  // 0: η is chosen by trials
  double temperature_;
  ExampleVisits visits_;
  DualLossDescent descent_;
  DualMixture mixture_;
  bool chosen_;
  std::string note_;
  std::vector<Index> num_parts_;
  std::int64_t block_steps_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeDualLossLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<DualLossLearner>(problem, options);
}

namespace {

constexpr OptionRecord kDualLossOptions[] = {
    {.name = "step-size",
     .placeholder = "E",
     .text = "dlpw, smooth-dlpw: steps on the weights have length E/t",
     .default_text = "found by short trials",
     .field = Field<&DualLossOptions::step_size>,
     .positive = true}};
constexpr std::span<const OptionRecord> kDualLossOptionLists[] = {kDualLossOptions};
constexpr LearnerVariant kDualLossVariants[] = {{.needs = kNeedsFactors | NeedsAll(Need::kTables)}};

}  // namespace

constinit const LearnerRecord kDlpwLearner = {
    .name = "dlpw",
    .summary = "dual losses: subgradients on the weights, block minimisation over messages",
    .section = "Dual losses: `dlpw` and `smooth-dlpw`",
    .make = MakeDualLossLearner,
    .variants = kDualLossVariants,
    .options = kDualLossOptionLists,
    .own_steps = "takes gradient steps only"};
constinit const LearnerRecord kSmoothDlpwLearner = {
    .name = "smooth-dlpw",
    .summary = "the same with soft maxima",
    .section = "Dual losses: `dlpw` and `smooth-dlpw`",
    .make = MakeDualLossLearner,
    .variants = kDualLossVariants,
    .reads = "smoothing",
    .options = kDualLossOptionLists,
    .own_steps = "takes gradient steps only"};

}  // namespace slackline::internal
