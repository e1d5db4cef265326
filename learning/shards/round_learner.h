// SPDX-License-Identifier: BSD-3-Clause
//
// Common part of the learners whose examples are dealt into P shards (learning/shards). All shards
// begin a round with the same weights and make visits side by side, each on its own copy of the
// weights, until their work reaches a limit. Then an exact line search in P dimensions combines
// their changes (shard_exchange.h), so that the dual never falls. Each rank has some of the shards.
// The result depends on P, but not on the numbers of threads and ranks.
//
// A round is as short as the cost of exchanging weights allows: the fewer visits of other shards
// are missing from the weights of a visit, the more its step is worth (docs/notebook/shards.md).
//
// Sources: Jaggi and others, "Communication-efficient distributed dual coordinate ascent", NIPS
// 2014; Ma and others, "Adding vs. averaging in distributed primal-dual optimization", ICML 2015.
// Instead of adding with a fixed σ' or averaging, shares follow from the line search, and σ' from
// the shares.
//
// Shards whose chosen examples take less work would wait for the other shards. If a later pass
// visits what remains, all shards stop as soon as half of them have visited all their chosen
// examples (Until::kHalfDone).
//
// A derived class says how its shards are made and which examples they visit. Visits are possible
// within MakePass only, which ends the last round: everything else finds the points of all shards
// up to date, and the same weights in all shards.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <slackline/learning/example_blocks/active_set_rounds.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/shards/common_weights.h>
#include <slackline/learning/shards/shard.h>
#include <slackline/learning/shards/shard_deal.h>
#include <slackline/learning/shards/shard_exchange.h>
#include <slackline/learning/shards/thread_choice.h>
#include <slackline/learning/step/proximal_centre.h>
#include <slackline/learning/step/proximal_control.h>

namespace slackline::internal {

class RoundLearner : public Learner,
                     public DualPointSource,
                     public LambdaFollower,
                     public ScaleSource {
 public:
  /// The weights that the steps have reached. With a proximal centre: the common weights, or the
  /// centre before the first step from it. Without one: Ψμ.
  std::span<const double> reached() const { return centre_.Reached(common_.values); }
  /// κ of the proximal centre, which all shards have in common; 0: there is none.
  double kappa() const { return centre_.kappa(); }
  /// The sum of the dual's increases that the line searches of all rounds have computed; with an l1
  /// term, of lower bounds on them. With a centre, of the proximal problem's dual.
  double gained() const { return gained_; }

  ObjectiveScales Scales() const override {
    return {scales_.primal_at_zero,
            ScoreScale(problem_.lambda(), scales_.mean_squared_range, scales_.num_parts,
                       scales_.num_examples),
            scales_.relaxation_exceeds_zero};
  }
  WorkCounts work() const override;
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = NewestPoint(m, coordinates);
    return true;
  }

 protected:
  /// Makes the shard of that number, with the problem of its examples; total and common are as for
  /// Shard. Called by several threads.
  using ShardMaker = std::function<std::unique_ptr<Shard>(
      const Problem& problem, Index total, Index number, const CommonWeights* common)>;
  /// Makes shards of a class with these arguments between the problem and `total`. The arguments
  /// must outlive the result.
  template <class OneShard, class... Arguments>
  static ShardMaker MakerOf(const Arguments&... arguments) {
    return [&](const Problem& problem, Index total, Index number, const CommonWeights* common) {
      return std::make_unique<OneShard>(problem, arguments..., total, number, common);
    };
  }
  /// Makes the shards. Throws what PlanShards and `make` throw.
  RoundLearner(const Problem& problem, const TrainOptions& options, const ShardMaker& make);

  /// Moves the centre to the common weights, and gives all shards the weights that follow.
  void MoveCentre(double kappa);
  /// With an l1 term: the threshold of the weights, which are S(common values) (best_shares.h).
  virtual double threshold() const { return 0; }

  /// M, the examples of all shards.
  Index num_examples() const { return plan_.num_examples; }

  /// Calls read on all shards of all ranks; the values are in the order of the shards. Collective.
  template <class Read, class Value = std::invoke_result_t<const Read&, Shard&>>
  std::vector<Value> OfAllShards(const Read& read) const {
    std::vector<Value> values;
    for (const auto& shard : shards_) values.push_back(read(*shard));
    return GatherFromShards(std::span<const Value>(values));
  }
  /// Takes a value of every shard of this rank, and gives all ranks the values of all shards.
  template <class Value>
  std::vector<Value> GatherFromShards(std::span<const Value> mine) const {
    std::vector<Value> all(plan_.total);
    std::copy(mine.begin(), mine.end(), all.begin() + plan_.first);
    if (!ranks_.alone()) ranks_.GatherPieces(std::span<Value>(all));
    return all;
  }
  /// The sum of read(shard) in the order of the shards.
  template <class Read>
  double SumOverShards(const Read& read) const {
    const std::vector<double> values = OfAllShards(read);
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  /// When some visits end.
  enum class Until {
    kAllDone,   ///< all shards have visited all that they chose
    kHalfDone,  ///< half of the shards that chose any have; the others leave the rest for later
  };
  /// Lets all shards visit examples side by side. choose(shard) chooses the examples; the shard has
  /// the newest weights then. A round may stay open from one call to the next.
  using Visitor =
      std::function<VisitProgress(const std::function<void(Shard&)>& choose, Until until)>;
  /// Calls visits(visit), which makes all visits of a pass. Then ends the open round, and every
  /// shard keeps its share of the round's changes.
  void MakePass(const StopControl& stop, const std::function<void(const Visitor& visit)>& visits);
  /// Adds up the counts of all shards, at the end of a pass.
  void CountWork();
  /// The work of all passes: visits and exchanges.
  std::int64_t Work() const { return exchange_work_ + counts_.work; }
  /// The sums that the last CountWork has made.
  const Shard::Counts& counts() const { return counts_; }

  CertifiedProblem Certified() const;
  /// The mean of the shards' bounds on hinges at any weights.
  double MeanHinge(std::span<const double> weights, int threads) {
    return SumOverShards([&](Shard& shard) { return shard.SumOfHinges(weights, threads); }) /
           plan_.num_examples;
  }
  /// Writes Ψμ to *weights; returns the part of the dual without the weights.
  double PointWeights(std::vector<double>* weights);
  /// The same with read(k, &part) in place of WeightsOfPoint of shard k of this rank.
  double PointWeights(const std::function<double(std::size_t k, std::vector<double>* part)>& read,
                      std::vector<double>* weights);
  /// As DualPointSource::DualPoint, for the newest point; m: an example of this rank.
  double NewestPoint(Index m, std::vector<double>* coordinates) const;

  /// *sum = the sum, in the order of all shards, of the vectors that write(k, &part) writes for
  /// shard k of this rank. At any time as many are computed as there are threads; each rank adds up
  /// one piece of the vector.
  void SumOfVectors(Offset length,
                    const std::function<void(std::size_t k, std::vector<double>* part)>& write,
                    std::vector<double>* sum);
  /// FirstKappa (proximal_control.h) over the examples of all shards.
  double FirstKappaOfAll(double most);

  /// Computes the common weights from the points, which removes rounding errors, and gives them to
  /// all shards.
  void Rebuild();
  /// The same after a change of λ; rounds are counted from 0 again.
  void RebuildForLambda();

  /// Archives the common weights, the exchange, and counts; then calls `rest`, which archives the
  /// centre and the shards. After loading, gives all shards the common weights.
  void ArchiveRounds(StateArchive* archive, const std::function<void()>& rest);

  Problem problem_;  // of this rank's examples
  TrainOptions options_;
  Ranks& ranks_;
  ShardPlan plan_;
  JointScales scales_;  // score_scale with the λ of the beginning
  CommonWeights common_;
  ProximalCentre centre_;
  ShardExchange::Shards shards_;  // of this rank
  int threads_;

 private:
  void MakeShards(const ShardMaker& make);
  /// Gives all shards the common values.
  void Distribute();
  /// Calls work(k) for every shard of this rank, side by side; seconds_ becomes the processor time
  /// of each.
  void RunShards(const std::function<void(std::size_t k)>& work);
  /// The same; the time of this rank's slowest shard counts as critical time.
  void ForShards(const std::function<void(std::size_t k)>& work);

  /// What all ranks learn of every shard after a part of a round.
  struct PartReport {
    std::int64_t round_work = 0;
    double round_share = 0;
    std::int64_t work = 0;  // since the beginning of the run
    std::int64_t visits = 0;
    double gain = 0;
    double seconds = 0;
    bool chose = false;  // any examples
    bool done = false;
    StopControl::Wish wish = StopControl::Wish::kGoOn;
  };
  VisitProgress Visit(const std::function<void(Shard&)>& choose, Until until,
                      const StopControl& stop);
  /// Makes a part of a round. choose: null after the first part of a call of Visit.
  void RunPart(const StopControl& stop, const std::function<void(Shard&)>* choose);
  /// The work after which shards end the next part of a round.
  std::int64_t MostPartWork() const;
  bool RoundContinues() const;
  double EndRound();
  void Count(const ShardExchange::Cost& cost);
  /// Whether the shards have done enough of what they chose.
  bool Done(Until until) const;
  void Settle(std::size_t k);
  /// Throws std::invalid_argument within a pass.
  void RequireSettled() const;
  void SendPieces(Index k, Offset length, std::span<const double> vector,
                  std::vector<double>* come);

  ShardExchange exchange_;
  ThreadChoice choice_;
  std::int64_t part_work_;
  std::vector<PartReport> reports_;  // of all shards, after the last part
  enum class RoundState { kRunning, kEnded, kSettled };
  RoundState state_ = RoundState::kSettled;  // between passes
  std::int64_t exchange_work_ = 0;           // of all exchanges
  std::int64_t last_exchange_ = 0;           // of the last one
  std::int64_t made_rounds_ = 0;
  std::int64_t visits_ = 0;  // of all shards in all parts
  double gained_ = 0;
  double counted_gain_ = 0;      // times M, of the parts of an open round, in a VisitProgress
  double critical_seconds_ = 0;  // of this process
  std::vector<double> seconds_;
  Shard::Counts counts_;  // of all shards
};

}  // namespace slackline::internal
