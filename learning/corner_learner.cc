// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/corner_learner.h>

#include <algorithm>
#include <limits>

#include <slackline/core/parallel.h>
#include <slackline/core/random.h>
#include <slackline/learning/corner_blocks.h>
#include <slackline/learning/sampling.h>

namespace slackline {
namespace {

constexpr Index kRebuildEvery = 16;  // passes
constexpr double kSmallGap = 0.3;    // of the mean: not worth a call
constexpr double kGrowth = 2;        // of what is remembered of a gap, with every call that is left out
constexpr double kDrift = 0.05;      // of the mean gap, added to that
constexpr Index kMaxCachedRounds = 50;
constexpr int kChunks = 16;

class CornerLearner : public Learner {
 public:
  CornerLearner(const Problem& problem, const TrainOptions& options)
      : problem_(problem),
        options_(options),
        random_(static_cast<std::uint64_t>(options.seed)),
        examples_(problem.size()),
        oracle_(problem, options.oracle, CornerOracle::Effort::kTraining),
        blocks_(problem, &oracle_, options.step, options.average),
        gaps_(static_cast<std::size_t>(problem.size()), kInfinity),
        promises_(gaps_) {}

  std::string_view name() const override { return "bcfw"; }

  void RunPass(const StopControl& stop) override {
    Progress total = OracleRound(stop);
    for (Index round = 0; round < kMaxCachedRounds && !stop.ShouldStop(); ++round) {
      const Progress cached = CachedRound(stop);
      total.gain += cached.gain;
      total.work += cached.work;
      if (cached.gain * static_cast<double>(total.work) <= total.gain * static_cast<double>(cached.work))
        break;
    }
    if (++pass_ % kRebuildEvery == 0) blocks_.Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    const double loss = blocks_.WeightsOfPoint(&evaluated_);
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    Evaluation evaluation;
    evaluation.problem = oracle_.relaxed() ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
    evaluation.primal = regulariser + Hinge(evaluated_, threads);
    evaluation.dual = loss - regulariser;
    if (blocks_.averages()) {
      std::vector<double> average;
      blocks_.ReadAverage(&average);
      const double primal = Regulariser(problem_.lambda(), average) + Hinge(average, threads);
      if (primal < evaluation.primal) {
        evaluation.primal = primal;
        evaluated_ = std::move(average);
      }
    }
    return evaluation;
  }

  std::span<const double> weights() const override { return evaluated_; }
  double GapEstimate() const override {
    double sum = 0;
    for (const double gap : gaps_) sum += gap;
    return sum / problem_.size();
  }
  double PrimalAtZero() const override { return PrimalAtZeroWeights(problem_); }
  WorkCounts work() const override { return {blocks_.oracle_calls(), blocks_.steps()}; }

  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = blocks_.PointOfExample(m, coordinates);
    return true;
  }

  void Save(StateWriter* writer) const override {
    writer->Tag("bcfw with corners");
    SaveRandom(random_, writer);
    examples_.Save(writer);
    oracle_.Save(writer);
    blocks_.Save(writer);
    writer->Reals(gaps_);
    writer->Reals(promises_);
    writer->Integer(pass_);
  }

  void Load(StateReader* reader) override {
    reader->Tag("bcfw with corners");
    LoadRandom(reader, &random_);
    examples_.Load(reader);
    oracle_.Load(reader);
    blocks_.Load(reader);
    reader->Reals(gaps_);
    reader->Reals(promises_);
    pass_ = static_cast<Index>(reader->Integer(0, std::numeric_limits<Index>::max()));
    evaluated_.clear();
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    oracle_.set_problem(problem);
    for (const auto& checker : checkers_) checker->oracle.set_problem(problem);
    blocks_.ChangeLambda(problem);
    // Nothing is known about the gaps of the new problem.
    std::fill(gaps_.begin(), gaps_.end(), kInfinity);
    promises_ = gaps_;
    pass_ = 0;
  }

 private:
  struct Progress {
    double gain = 0;
    std::int64_t work = 0;
  };

  /// The oracle for every example that may have a gap worth the call.
  Progress OracleRound(const StopControl& stop) {
    const double mean = GapEstimate();
    const std::int64_t before = blocks_.work();
    Progress progress;
    for (const Index m : Order()) {
      double& promise = promises_[static_cast<std::size_t>(m)];
      if (options_.order == OrderKind::kGap && promise < kSmallGap * mean) {
        promise = kGrowth * promise + kDrift * mean;
        continue;
      }
      const CornerBlocks::VisitResult visit = blocks_.Visit(m, true);
      gaps_[static_cast<std::size_t>(m)] = promise = visit.gap;
      progress.gain += visit.gain;
      if (stop.ShouldStop()) break;
    }
    progress.work = blocks_.work() - before;
    return progress;
  }

  Progress CachedRound(const StopControl& stop) {
    const std::int64_t before = blocks_.work();
    Progress progress;
    for (const Index m : Order()) {
      if (blocks_.kept(m) < 2) continue;
      progress.gain += blocks_.Visit(m, false).gain;
      if (stop.ShouldStop()) break;
    }
    progress.work = blocks_.work() - before;
    return progress;
  }

  std::span<const Index> Order() {
    if (options_.order != OrderKind::kUniform) return examples_.Next(&random_);
    drawn_.resize(gaps_.size());
    for (Index& m : drawn_) m = static_cast<Index>(random_.Below(gaps_.size()));
    return drawn_;
  }

  /// (1/M) Σ of certified bounds on max H_m. Changes nothing that passes depend on.
  double Hinge(std::span<const double> weights, int threads) {
    while (static_cast<int>(checkers_.size()) < threads) {
      checkers_.push_back(std::make_unique<Checker>(problem_, options_.oracle));
    }
    for (int t = 0; t < threads; ++t) checkers_[static_cast<std::size_t>(t)]->oracle.Refresh(weights);
    std::vector<double> bounds(kChunks, 0.0);
    ParallelChunks(problem_.size(), kChunks, threads, [&](const Chunk& chunk) {
      Checker& checker = *checkers_[static_cast<std::size_t>(chunk.thread)];
      for (Index m = chunk.begin; m < chunk.end; ++m) {
        WarmStart warm = blocks_.warm(m);
        bounds[static_cast<std::size_t>(chunk.chunk)] +=
            blocks_.HingeBound(m, weights, &checker.oracle, &warm, &checker.slot_scores);
      }
    });
    double hinge = 0;
    for (const double bound : bounds) hinge += bound;
    return hinge / problem_.size();
  }

  struct Checker {
    Checker(const Problem& problem, SolverKind kind)
        : oracle(problem, kind, CornerOracle::Effort::kChecking) {}
    CornerOracle oracle;
    std::vector<double> slot_scores;
  };

  Problem problem_;
  TrainOptions options_;
  Random random_;
  ExampleOrder examples_;
  CornerOracle oracle_;
  CornerBlocks blocks_;
  std::vector<double> gaps_;      // of the examples, when the oracle was last asked
  std::vector<double> promises_;  // the same, growing while it is not
  std::vector<Index> drawn_;
  std::vector<std::unique_ptr<Checker>> checkers_;  // one per thread
  std::vector<double> evaluated_;
  Index pass_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeCornerLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<CornerLearner>(problem, options);
}

}  // namespace slackline
