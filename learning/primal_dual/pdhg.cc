// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/primal_dual/pdhg.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/core/parallel.h>
#include <slackline/learning/primal_dual/pdhg_blocks.h>
#include <slackline/learning/step/mixed_points.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

constexpr double kOverRelaxation = 1.9;
/// Iterations of a pass.
constexpr Index kIterationsOfPass = 20;
/// Parts of sums over examples, each with a vector of weights. Fixed, so that results do not depend
/// on the number of threads.
constexpr Index kChunksOfExamples = 16;
/// A second thread pays from so many entries of an iteration on.
constexpr Offset kLeastWorkOfThread = 100'000;

class PdhgLearner final : public PdhgLearnerBase,
                          public DualPointSource,
                          public LambdaFollower,
                          public CheckAdvisor {
 public:
  PdhgLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        w_(problem.num_weights(), 0.0),
        truth_(w_.size(), 0.0),
        sizes_(w_.size(), 0.0),
        mixture_(problem.lambda()) {
    traits_ = {.dual_point = this, .lambda = this, .advisor = this};
    std::map<const Structure*, std::shared_ptr<const PdhgLayout>> layouts;
    std::vector<double> q;
    for (Index m = 0; m < problem.size(); ++m) {
      StopRelay::Preparation::Poll();
      const ExampleView example = problem.data().example(m);
      auto& layout = layouts[&example.structure()];
      if (layout == nullptr)
        layout = std::make_shared<PdhgLayout>(
            problem.data().structures()[problem.data().structure_of(m)]);
      examples_.emplace_back(problem, m, layout);
      examples_.back().AddFeatureSizes(sizes_);
      q.assign(example.structure().num_coordinates(), 0.0);
      AddLabellingFeatures(example, example.labels(), 1, q);
      ScatterFeatures(example, q, 1, truth_);
      work_of_iteration_ += WorkOfIteration(example.graph());
    }
    const Index chunks = std::min(kChunksOfExamples, problem.size());
    scratch_.resize(chunks);
    sums_.assign(chunks, std::vector<double>(w_.size(), 0.0));
  }

  void RunPass(const StopControl& stop) override {
    for (Index k = 0; k < kIterationsOfPass && !stop.ShouldStop(); ++k) Iterate();
  }

  Evaluation Evaluate(int threads) override {
    AddNewestPoint(threads);
    Evaluation evaluation;
    evaluation.problem = CertifiedProblem::kRelaxed;
    evaluation.dual = mixture_.value();
    evaluation.primal = Primal(w_, threads);
    evaluated_ = w_;
    const double other = Primal(mixture_.weights(), threads);
    if (other < evaluation.primal) {
      evaluation.primal = other;
      evaluated_.assign(mixture_.weights().begin(), mixture_.weights().end());
    }
    checked_gap_ = evaluation.primal - evaluation.dual;
    checked_at_ = iterations_;
    return evaluation;
  }

  /// A lower guess of the gap, by the eighth power of iterations, since gaps fall in stairs. A
  /// check takes as long as four iterations, which a tenth of the passes pays for. No guess right
  /// after a check, so that checks are also made on schedule.
  double GapEstimate() const override {
    if (checked_at_ == 0 || iterations_ == checked_at_) return kNone;
    const double share = static_cast<double>(checked_at_) / static_cast<double>(iterations_);
    const double fourth = share * share * share * share;
    return checked_gap_ * fourth * fourth;
  }

  void AddPoint(DualPoints points) override {
    std::vector<double> weights;
    points.Weights(problem_, &weights);
    const DualMixture::Change change = mixture_.Add(std::move(weights), points.MeanLoss());
    if (keeping_.keeps()) points_.Add(std::move(points), change);
    keeping_.AfterCheck();
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("primal-dual hybrid gradient");
    archive->FiniteReals(w_);
    for (PdhgBlocks& example : examples_) example.Archive(archive);
    archive->Count(&iterations_);
    archive->Count(&checked_at_);
    archive->FiniteReal(&checked_gap_);
    mixture_.Archive(problem_.num_weights(), archive);
    ArchivePoints(problem_, mixture_, &keeping_, &points_, archive);
    if (archive->loading()) evaluated_.clear();
  }

  WorkCounts work() const override {
    return {.block_steps = iterations_ * problem_.num_parts(),
            .entries = iterations_ * work_of_iteration_};
  }

  void KeepDualPoint() override { keeping_.Begin(); }
  bool DualPointIsBest() const override { return keeping_.keeps() && !points_.empty(); }
  bool PrimalIsObjective() const override { return false; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    const ExampleView example = problem_.data().example(m);
    if (DualPointIsBest()) {
      *loss = points_.best().Read(example, m, 1, coordinates);
      return true;
    }
    PdhgScratch scratch;
    scratch.q.assign(example.structure().num_coordinates(), 0.0);
    *loss = examples_[m].Point(&scratch);
    *coordinates = std::move(scratch.q);
    return true;
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    mixture_ = DualMixture(problem.lambda());
    points_ = MixedPoints();
    keeping_.Restart();
    iterations_ = 0;
    checked_at_ = 0;
  }

 private:
  /// Calls visit(m, chunk, scratch) for all examples. scratch->u: the coordinate scores of the
  /// weights, unless these are empty.
  template <class Visit>
  void ForEachExample(std::span<const double> weights, int threads, const Visit& visit) {
    const auto chunks = static_cast<Index>(scratch_.size());
    ParallelChunks(problem_.size(), chunks, threads, [&](const Chunk& chunk) {
      PdhgScratch& scratch = scratch_[chunk.chunk];
      for (Index m = chunk.begin; m < chunk.end; ++m) {
        const ExampleView example = problem_.data().example(m);
        scratch.u.resize(example.structure().num_coordinates());
        if (!weights.empty()) CoordinateScores(example, weights, scratch.u);
        visit(m, chunk, &scratch);
      }
    });
  }

  int Threads() const {
    const Offset most = std::max<Offset>(1, work_of_iteration_ / kLeastWorkOfThread);
    return static_cast<int>(std::min<Offset>(NumThreads(options_.threads), most));
  }

  void Iterate() {
    for (std::vector<double>& sum : sums_) std::fill(sum.begin(), sum.end(), 0.0);
    ForEachExample(w_, Threads(), [&](Index m, const Chunk& chunk, PdhgScratch* scratch) {
      scratch->q.assign(scratch->u.size(), 0.0);
      examples_[m].Iterate(kOverRelaxation, scratch);
      ScatterFeatures(problem_.data().example(m), scratch->q, 1, sums_[chunk.chunk]);
    });
    for (std::size_t k = 0; k < w_.size(); ++k) {
      if (sizes_[k] == 0) continue;  // no feature: stays 0
      double gradient = -truth_[k];
      for (const std::vector<double>& sum : sums_) gradient += sum[k];
      const double step = 1 / sizes_[k];
      const double next = (w_[k] - step * gradient) / (1 + step * problem_.lambda_m());
      w_[k] += kOverRelaxation * (next - w_[k]);
    }
    ++iterations_;
  }

  /// Adds the repaired point of all examples to the mixture.
  void AddNewestPoint(int threads) {
    DualPoints points(problem_);
    ForEachExample({}, threads, [&](Index m, const Chunk&, PdhgScratch* scratch) {
      const ExampleView example = problem_.data().example(m);
      scratch->q.assign(example.structure().num_coordinates(), 0.0);
      const double loss = examples_[m].Point(scratch);
      points.SetFeatures(example, m, scratch->q, loss);
    });
    AddPoint(std::move(points));
  }

  /// An upper bound on the optimum, at these weights and the messages.
  double Primal(std::span<const double> weights, int threads) {
    std::vector<double> sums(scratch_.size(), 0.0);
    ForEachExample(weights, threads, [&](Index m, const Chunk& chunk, PdhgScratch* scratch) {
      sums[chunk.chunk] += examples_[m].Bound(scratch);
    });
    double hinges = 0;
    for (const double sum : sums) hinges += sum;
    for (std::size_t k = 0; k < w_.size(); ++k) hinges -= weights[k] * truth_[k];
    return Regulariser(problem_.lambda(), weights) + hinges / static_cast<double>(problem_.size());
  }

  Problem problem_;
  TrainOptions options_;
  std::vector<double> w_;
  std::vector<double> truth_;  // Σ_m φ_m(y^m)
  std::vector<double> sizes_;  // 1 / τ_w
  std::vector<PdhgBlocks> examples_;
  Offset work_of_iteration_ = 0;
  std::int64_t iterations_ = 0;
  std::int64_t checked_at_ = 0;  // the iterations at the last check
  double checked_gap_ = 0;
  std::vector<PdhgScratch> scratch_;       // per chunk
  std::vector<std::vector<double>> sums_;  // per chunk: Σ_m φ_m(μ̄)
  DualMixture mixture_;
  MixedPoints points_;
  PointKeeping keeping_;
};

}  // namespace

std::unique_ptr<PdhgLearnerBase> MakeSaddleLearner(const Problem& problem,
                                                   const TrainOptions& options) {
  return std::make_unique<PdhgLearner>(problem, options);
}

}  // namespace slackline::internal
