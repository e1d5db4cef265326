// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/planes/plane_labellings.h>

#include <algorithm>
#include <cstdint>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
PlaneLabellings::PlaneLabellings(const Problem& problem, const TrainOptions& options)
    : problem_(problem),
      oracle_(problem,
              {.solver = options.oracle, .rescaling = options.rescaling, .stop = options.stop}),
      sets_(problem.size(), ActiveSet(false)),
      warm_(problem.size()),
      scratch_(MakeCornerScratch(problem.data())) {
  slot_scores_.assign(scratch_.slot.size(), 0.0);
  delta_.assign(scratch_.slot.size(), 0.0);
  std::vector<double> coordinates;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    StopRelay::Preparation::Poll();
    if (!oracle_.ReadTruth(m, &found_)) {
      coordinates.assign(example.structure().num_coordinates(), 0.0);
      AddLabellingFeatures(example, example.labels(), 1, coordinates);
      SparsifyCorner(example.structure(), coordinates, &found_);
    }
    sets_[m].Add(example, found_, &scratch_);
  }
}

void PlaneLabellings::ScoreSlots(Index m, std::span<const double> weights) {
  work_ += kVisitWork + SlotScores(problem_.data().example(m), weights, slot_scores_) / 4;
}

double PlaneLabellings::Hinge(Index m, Index a, std::span<const double> weights) const {
  const ActiveSet& set = sets_[m];
  return set.Score(a, slot_scores_, weights) - set.Score(0, slot_scores_, weights);
}

Index PlaneLabellings::BestKept(Index m, std::span<const double> weights) {
  const ActiveSet& set = sets_[m];
  for (Index a = 0; a < set.size(); ++a) work_ += set.entries(a);
  Index best = 0;
  double most = set.Score(0, slot_scores_, weights);
  for (Index a = 1; a < set.size(); ++a) {
    const double score = set.Score(a, slot_scores_, weights);
    if (score > most) {
      most = score;
      best = a;
    }
  }
  return best;
}

void PlaneLabellings::Begin(NewPlane* plane) const {
  plane->direction.assign(problem_.num_weights(), 0.0);
  plane->offset = 0;
  plane->value = 0;
  plane->corners.assign(sets_.size(), 0);
  plane->whole = true;
}

/// Adds ψ_m(corner)/M and Δ_m(corner)/M.
void PlaneLabellings::AddToPlane(Index m, Index corner, NewPlane* plane) {
  plane->corners[m] = corner;
  if (corner == 0) return;
  const ExampleView example = problem_.data().example(m);
  const ActiveSet& set = sets_[m];
  const double share = 1.0 / problem_.size();
  plane->offset += share * set.loss(corner);
  for (const auto& [a, sign] : {std::pair{Index{0}, share}, std::pair{corner, -share}}) {
    const double scale = sign;
    set.ForEachSlotEntry(a, [&](Index k, double value) { delta_[k] += scale * value; });
    set.ForEachScalarEntry(a, [&](Index k, double value) { plane->direction[k] += scale * value; });
  }
  const std::span<double> delta =
      std::span<double>(delta_).first(SlotCoordinates(example.structure()));
  work_ += AddSlots(example, delta, plane->direction) / 4 + set.entries(0) + set.entries(corner);
  std::fill(delta.begin(), delta.end(), 0.0);
}

void PlaneLabellings::Ask(std::span<const double> weights, const StopControl& stop,
                          NewPlane* plane) {
  Begin(plane);
  oracle_.Refresh();
  for (Index m = 0; m < problem_.size(); ++m) {
    ScoreSlots(m, weights);
    oracle_.Maximise(m, slot_scores_, weights, &warm_[m], false, &found_);
    ++oracle_calls_;
    const Index found = sets_[m].Add(problem_.data().example(m), found_, &scratch_);
    // An oracle that stops early may find a labelling with a lower score than the ground truth.
    const double hinge = Hinge(m, found, weights);
    if (hinge > 0) {
      AddToPlane(m, found, plane);
      plane->value += hinge / problem_.size();
    }
    if (stop.ShouldStop() && m + 1 < problem_.size()) {
      plane->whole = false;
      break;
    }
  }
}

void PlaneLabellings::Recall(std::span<const double> weights, const StopControl& stop,
                             NewPlane* plane) {
  Begin(plane);
  for (Index m = 0; m < problem_.size(); ++m) {
    if (sets_[m].size() < 2) continue;
    ScoreSlots(m, weights);
    const Index best = BestKept(m, weights);
    AddToPlane(m, best, plane);
    plane->value += Hinge(m, best, weights) / problem_.size();
    if (stop.ShouldStop()) {
      plane->whole = false;
      break;
    }
  }
}

void PlaneLabellings::AppendHinges(Index m, std::span<const double> weights,
                                   std::vector<double>* values) {
  const Index count = sets_[m].size();
  if (count > 1) ScoreSlots(m, weights);
  for (Index a = 0; a < count; ++a) values->push_back(count > 1 ? Hinge(m, a, weights) : 0.0);
}

void PlaneLabellings::DropUnused(PlaneBundle* bundle) {
  std::vector<std::uint8_t> keep;
  std::vector<Index> number;
  for (Index m = 0; m < problem_.size(); ++m) {
    ActiveSet& set = sets_[m];
    keep.assign(set.size(), 0);
    keep[0] = 1;
    for (Index k = 0; k < bundle->size(); ++k) keep[bundle->corners(k)[m]] = 1;
    number.assign(keep.size(), 0);
    Index next = 0;
    for (std::size_t a = 0; a < keep.size(); ++a) {
      if (keep[a] != 0) number[a] = next++;
    }
    if (next == set.size()) continue;
    for (Index k = 0; k < bundle->size(); ++k) {
      Index& corner = bundle->corners(k)[m];
      corner = number[corner];
    }
    set.Retain(keep);
  }
}

double PlaneLabellings::AddPoint(Index m, Index corner, double share,
                                 std::span<double> coordinates) const {
  const ActiveSet& set = sets_[m];
  set.AddCoordinates(problem_.data().example(m).structure(), corner, share, coordinates);
  return share * set.loss(corner);
}

void PlaneLabellings::TakeOver(std::span<const ActiveSet> sets) {
  for (Index m = 0; m < problem_.size(); ++m) {
    const ActiveSet& other = sets[m];
    for (Index a = 1; a < other.size(); ++a) {
      other.Read(a, &found_);
      sets_[m].Add(problem_.data().example(m), found_, &scratch_);
    }
  }
}

void PlaneLabellings::set_problem(const Problem& problem) {
  problem_ = problem;
  oracle_.set_problem(problem);
  oracle_calls_ = 0;
}

void PlaneLabellings::Archive(StateArchive* archive) {
  archive->Tag("kept labellings");
  for (Index m = 0; m < problem_.size(); ++m)
    sets_[m].Archive(problem_.data().example(m), &scratch_, archive);
  for (WarmStart& warm : warm_) archive->Bytes(&warm.bytes);
  archive->Count(&oracle_calls_);
  std::int64_t total = work();
  archive->Count(&total);
  if (archive->loading()) work_ = total - oracle_.work();
}

}  // namespace slackline::internal
