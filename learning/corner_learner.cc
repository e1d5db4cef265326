// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/corner_learner.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/core/parallel.h>
#include <slackline/core/random.h>
#include <slackline/learning/certificate.h>
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

// The proximal point method: every pass works on the problem with κ/2 ‖w − c‖² added, and then takes its w as the new c
// (Rockafellar, "Monotone operators and the proximal point algorithm", SIAM J. Control Optim. 1976). Blocks that pull at
// shared weights with little regularisation undo each other's steps; κ damps that, and costs passes when it is too large.
// The certified gap of w is that of the blocks plus λ/2 ‖w − Ψα‖²; the first is large when κ is too small, the second when
// it is too large, so κ follows their ratio.
constexpr double kStart = 2;          // times λ, at most
constexpr double kLargestFall = 0.3;  // factor of κ in a pass
constexpr double kLargestRise = 1.5;
constexpr double kDeadBand = 1.4;  // factors nearer to 1 than this change nothing
constexpr double kNoCentre = 0.1;  // of λ: a smaller κ is worth nothing
constexpr double kLargest = 1e6;   // times λ: beyond it too few digits of Ψα are left
constexpr double kProgress = 0.9;  // what counts as a smaller gap
constexpr Index kPatience = 10;    // passes per hold
constexpr Index kLongestHold = 1024;

/// The κ that stops the first proximal step where the objective's tangent at w = 0 reaches zero: ‖ψ‖² / mean Δ, at the
/// labellings of largest loss.
double TangentKappa(const Problem& problem) {
  std::vector<double> direction(static_cast<std::size_t>(problem.num_weights()), 0.0);
  std::vector<double> coordinates;
  std::vector<Index> worst;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    const FactorGraph& graph = example.graph();
    const std::span<const double> loss = problem.loss(m);
    worst.assign(example.labels().begin(), example.labels().end());
    for (Index i = 0; i < graph.num_variables(); ++i) {
      const double* first = loss.data() + graph.state_offset(i);
      worst[static_cast<std::size_t>(i)] =
          static_cast<Index>(std::max_element(first, first + graph.cardinality(i)) - first);
    }
    coordinates.assign(static_cast<std::size_t>(example.structure().num_coordinates()), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, coordinates);
    AddLabellingFeatures(example, worst, -1, coordinates);
    ScatterFeatures(example, coordinates, 1.0 / problem.size(), direction);
  }
  double norm = 0;
  for (const double d : direction) norm += d * d;
  return norm / std::max(1e-300, PrimalAtZeroWeights(problem));
}

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
        promises_(gaps_) {
    if (options.proximal != ProximalKind::kOff)
      blocks_.MoveCentre(std::min(kStart * problem.lambda(), TangentKappa(problem)));
  }

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
    if (!stop.ShouldStop()) MoveCentre();
    if (++pass_ % kRebuildEvery == 0) blocks_.Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    const std::int64_t before = CheckingWork();
    const Evaluation evaluation = EvaluateNow(threads);
    check_work_ = CheckingWork() - before;
    work_at_check_ = blocks_.work();
    return evaluation;
  }

  std::span<const double> weights() const override { return evaluated_; }
  bool CheckIsCheap() const override { return blocks_.work() - work_at_check_ >= check_work_; }
  double GapEstimate() const override { return BlockGap() + centre_gap_; }
  double PrimalAtZero() const override { return PrimalAtZeroWeights(problem_); }
  WorkCounts work() const override { return {blocks_.oracle_calls(), blocks_.steps()}; }

  void KeepDualPoint() override { best_point_.resize(gaps_.size()); }
  bool DualPointIsBest() const override {
    return options_.proximal == ProximalKind::kOff || (!best_point_.empty() && !loaded_);
  }

  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    if (best_point_.empty() || best_dual_ == -kInfinity) {
      *loss = NewestPoint(m, coordinates);
      return true;
    }
    const Structure& structure = problem_.data().example(m).structure();
    const SparsePoint& point = best_point_[static_cast<std::size_t>(m)];
    coordinates->assign(static_cast<std::size_t>(structure.num_coordinates()), 0.0);
    for (const auto& [k, value] : point.entries) (*coordinates)[static_cast<std::size_t>(k)] = value;
    *loss = point.loss;
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
    writer->Real(centre_gap_);
    writer->Real(best_gap_);
    for (const Index count : {hold_, waited_, stalled_}) writer->Integer(count);
    writer->Integer(check_work_);
    writer->Integer(blocks_.work() - work_at_check_);  // counts of oracles begin anew
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
    centre_gap_ = reader->FiniteReal();
    best_gap_ = reader->Real();
    for (Index* count : {&hold_, &waited_, &stalled_})
      *count = static_cast<Index>(reader->Integer(0, std::numeric_limits<Index>::max() / 2));
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
    check_work_ = reader->Integer(0, kMost);
    work_at_check_ = blocks_.work() - reader->Integer(0, kMost);
    pass_ = static_cast<Index>(reader->Integer(0, std::numeric_limits<Index>::max()));
    evaluated_.clear();
    loaded_ = true;
  }

  void ChangeLambda(const Problem& problem) override {
    problem_ = problem;
    oracle_.set_problem(problem);
    for (const auto& checker : checkers_) checker->oracle.set_problem(problem);
    blocks_.ChangeLambda(problem);
    // Nothing is known about the gaps of the new problem.
    std::fill(gaps_.begin(), gaps_.end(), kInfinity);
    promises_ = gaps_;
    best_dual_ = -kInfinity;
    loaded_ = false;
    pass_ = 0;
    best_gap_ = kInfinity;
    hold_ = 1;
    waited_ = stalled_ = 0;
    if (options_.proximal != ProximalKind::kOff && blocks_.kappa() == 0)
      blocks_.MoveCentre(kStart * problem_.lambda());
  }

 private:
  /// φ_m(μ_m) and Δ_m·μ_m of the point that was last evaluated.
  double NewestPoint(Index m, std::vector<double>* coordinates) const {
    const double loss = blocks_.PointOfExample(m, coordinates);
    if (share_ < 1) {
      const ExampleView example = problem_.data().example(m);
      for (double& coordinate : *coordinates) coordinate *= share_;
      AddLabellingFeatures(example, example.labels(), 1 - share_, *coordinates);
    }
    return share_ * loss;
  }

  void KeepPoint(double dual) {
    best_dual_ = dual;
    std::vector<double> coordinates;
    for (Index m = 0; m < problem_.size(); ++m) {
      SparsePoint& point = best_point_[static_cast<std::size_t>(m)];
      point.loss = NewestPoint(m, &coordinates);
      point.entries.clear();
      for (std::size_t k = 0; k < coordinates.size(); ++k) {
        if (coordinates[k] != 0) point.entries.emplace_back(static_cast<Index>(k), coordinates[k]);
      }
    }
  }

  double BlockGap() const {
    double sum = 0;
    for (const double gap : gaps_) sum += gap;
    return sum / problem_.size();
  }

  Evaluation EvaluateNow(int threads) {
    const double loss = blocks_.WeightsOfPoint(&evaluated_);
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    Evaluation evaluation;
    evaluation.problem = oracle_.relaxed() ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
    // Far from a centre Ψα is no good point, and one between it and the given labellings may be.
    share_ = blocks_.kappa() > 0 ? BestShare(loss, regulariser) : 1;
    evaluation.dual = share_ * loss - share_ * share_ * regulariser;
    if (!best_point_.empty() && evaluation.dual > best_dual_) KeepPoint(evaluation.dual);
    if (blocks_.kappa() > 0) {
      // A centre that has just been moved is where the pass ended; the newest weights lie beyond it.
      const std::span<const double> newest = waited_ == 0 ? blocks_.centre() : blocks_.weights();
      evaluated_.assign(newest.begin(), newest.end());
    }
    evaluation.primal = Regulariser(problem_.lambda(), evaluated_) + Hinge(evaluated_, threads);
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

  std::int64_t CheckingWork() const {
    std::int64_t work = 0;
    for (const auto& checker : checkers_) work += checker->oracle.work();
    return work;
  }

  struct Progress {
    double gain = 0;
    std::int64_t work = 0;
  };

  /// κ such that the two parts of the certified gap, that of the blocks and that of the centre, shrink together. Blocks that
  /// a pass leaves far from the optimum of its proximal problem can make the centre run in circles: while the gap does not
  /// fall, more and more passes are made for every move, until they solve the proximal problems.
  void MoveCentre() {
    if (blocks_.kappa() == 0) return;
    const double block_gap = BlockGap();
    if (!std::isfinite(block_gap)) return;
    centre_gap_ = blocks_.CentreGap();
    ++waited_;
    ++stalled_;
    if (block_gap + centre_gap_ < kProgress * best_gap_) {
      best_gap_ = block_gap + centre_gap_;
      stalled_ = 0;
    } else if (stalled_ > kPatience * hold_ && hold_ < kLongestHold) {
      hold_ *= 2;
      stalled_ = 0;
    }
    if (waited_ < hold_ && block_gap > centre_gap_) return;
    waited_ = 0;
    double factor = std::sqrt(block_gap / std::max(centre_gap_, 1e-300));
    if (factor > 1 / kDeadBand && factor < kDeadBand) factor = 1;
    double kappa = std::clamp(factor, kLargestFall, kLargestRise) * blocks_.kappa();
    kappa = std::min(kappa, kLargest * problem_.lambda());
    if (kappa < kNoCentre * problem_.lambda()) kappa = 0;
    blocks_.MoveCentre(kappa);
    if (kappa == 0) centre_gap_ = 0;
  }

  /// The oracle for every example that may have a gap worth the call.
  Progress OracleRound(const StopControl& stop) {
    const double mean = BlockGap();
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
  struct SparsePoint {
    std::vector<std::pair<Index, double>> entries;
    double loss = 0;
  };
  std::vector<SparsePoint> best_point_;  // empty unless asked for
  double best_dual_ = -kInfinity;        // of best_point_
  bool loaded_ = false;                  // evaluations have been made that this object does not know of
  std::int64_t check_work_ = 0;          // of the last evaluation
  std::int64_t work_at_check_ = 0;       // of all passes before it
  double share_ = 1;                     // of Ψα in the dual point that was last evaluated
  double centre_gap_ = 0;
  double best_gap_ = kInfinity;
  Index hold_ = 1;     // passes per move of the centre, at most
  Index waited_ = 0;   // passes since the last one
  Index stalled_ = 0;  // passes since best_gap_, or since hold_ grew
  Index pass_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeCornerLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<CornerLearner>(problem, options);
}

}  // namespace slackline
