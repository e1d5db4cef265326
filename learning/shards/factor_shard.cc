// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/factor_shard.h>

#include <algorithm>
#include <utility>

#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/factor_blocks/point_change.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

FactorShard::FactorShard(const Problem& problem, const TrainOptions& options, bool multipliers,
                         Index total, Index number, const CommonWeights* common)
    : Shard(problem, total, common),
      relaxed_(HasFactors(problem.data())),
      uniform_(options.order == OrderKind::kUniform),
      blocks_(problem_, options.step, multipliers),
      visits_(OptionsOfShard(options, number), problem_.data()),
      all_blocks_(problem_),
      steps_since_update_(Size(problem.size()), 0) {
  blocks_.JoinShards({.total = total});
  SetCopy(blocks_.shared_weights());
}

void FactorShard::SetSteps(double kappa, double caution) {
  blocks_.JoinShards({.total = total_, .kappa = kappa, .caution = caution});
}

void FactorShard::Choose(const FactorPass& pass, PairVisits pairs) {
  pass_ = pass;
  pairs_ = pairs;
  blocks_.set_rho(pass.rho);
  active_counts_ = {};
  const std::span<const Index> order = visits_.Permutation();
  chosen_.assign(order.begin(), order.end());
  next_ = 0;
}

void FactorShard::BeginRound() {
  Shard::BeginRound();
  visited_.clear();
  states_.clear();
  corners_.clear();
}

void FactorShard::RunPart(std::int64_t most_work, const StopControl& stop) {
  const auto visit = [&](std::size_t k) {
    if (uniform_) {
      StepUniformly(problem_.data().example(chosen_[k]).graph().num_blocks());
    } else {
      VisitExample(k);
    }
  };
  VisitChosen(
      most_work, stop, [&] { return work_; }, visit);
}

void FactorShard::VisitExample(std::size_t k) {
  visits_.Before(chosen_, k);
  const Index m = chosen_[k];
  const ExampleView example = problem_.data().example(m);
  Enter(m);
  const std::int64_t before = blocks_.block_steps();
  if (pairs_ == PairVisits::kActive) {
    blocks_.VisitActive(m, 0);
  } else {
    blocks_.VisitExample(m, 0);
  }
  work_ += kVisitWork + SweepEntries(example) +
           blocks_.layout(m).size * (blocks_.block_steps() - before) / example.graph().num_blocks();
}

void FactorShard::StepUniformly(Index draws) {
  for (Index k = 0; k < draws; ++k) {
    const Block block = all_blocks_.Next(&visits_.random());
    const ExampleView example = problem_.data().example(block.example);
    Enter(block.example);
    blocks_.StepBlock(block.example, block.part);
    ++steps_since_update_[block.example];
    work_ += kVisitWork + (SweepEntries(example) + blocks_.layout(block.example).size) /
                              example.graph().num_blocks();
  }
}

/// Before a visit or a step. The columns of an example stay up to date until the end of the round.
void FactorShard::Enter(Index m) {
  if (!FirstVisit(m)) return;
  const ExampleView example = problem_.data().example(m);
  TakeColumns(example);
  NoteChanges();
  const FactorBlocks::ExamplePoint point = blocks_.Point(m);
  visited_.push_back({m, states_.size(), corners_.size()});
  states_.insert(states_.end(), point.state.begin(), point.state.end());
  corners_.insert(corners_.end(), point.corners.begin(), point.corners.end());
}

FactorBlocks::ExamplePoint FactorShard::Before(const Visited& visited) const {
  const FactorBlocks::ExamplePoint now = blocks_.Point(visited.m);
  return {std::span(states_).subspan(visited.state, now.state.size()),
          std::span(corners_).subspan(visited.corners, now.corners.size())};
}

ShardChange FactorShard::Change() const {
  ShardChange change;
  for (const Visited& visited : visited_) {
    const PointChange of_example = ChangeOfPoint(blocks_, visited.m, Before(visited).state);
    change.slope += of_example.slope;
    change.curvature += of_example.curvature;
  }
  change.slope /= total_;
  change.curvature /= total_;
  return change;
}

double FactorShard::EtaStep(Index m) {
  if (!uniform_ || pass_.eta_step == 0) return pass_.eta_step;
  Offset& steps = steps_since_update_[m];
  const Offset parts = problem_.data().example(m).graph().num_blocks();
  if (steps < parts * pass_.visits_per_update) return 0;
  steps = 0;
  return pass_.eta_step;
}

void FactorShard::KeepShare(double share) {
  for (const Visited& visited : visited_) {
    blocks_.EndRound(visited.m, Before(visited), share, EtaStep(visited.m));
    if (pairs_ != PairVisits::kAllAndChooseActive) continue;
    const ActivePairs::Counts counts = blocks_.Shrink(visited.m);
    active_counts_.active += counts.active;
    active_counts_.woken += counts.woken;
  }
  visited_.clear();
}

double FactorShard::WeightsOfPoint(std::vector<double>* weights) const {
  blocks_.WeightsOfPoint(weights);
  double loss = 0;
  for (Index m = 0; m < problem_.size(); ++m) {
    const std::span<const double> delta = problem_.loss(m);
    const double* state = blocks_.state(m);
    for (std::size_t s = 0; s < delta.size(); ++s) loss += delta[s] * state[s];
  }
  return loss / total_;
}

double FactorShard::PointOfExample(Index m, std::vector<double>* coordinates) const {
  if (reads_best_) return points_.best().Read(problem_.data().example(m), m, 1, coordinates);
  return FeasibleCoordinates(blocks_, m, coordinates);
}

void FactorShard::SumPoints(bool with_globals, bool keeps_points, std::vector<double>* weights) {
  first_ = internal::SumPoints(blocks_, with_globals, keeps_points, weights);
}

void FactorShard::MixPoint(Index k, const DualMixture::Change& change) {
  points_.Add(std::move(first_.points[Size(k)]), change);
}

void FactorShard::ChangeLambda(double lambda) {
  problem_ = problem_.WithLambda(lambda);
  blocks_.ChangeLambda(problem_);
  std::fill(steps_since_update_.begin(), steps_since_update_.end(), Offset{0});
  ForgetPoints();
}

void FactorShard::Archive(StateArchive* archive) {
  visits_.Archive(archive);
  blocks_.Archive(archive);
  archive->Offsets(steps_since_update_);
  archive->Count(&work_);
}

}  // namespace slackline::internal
