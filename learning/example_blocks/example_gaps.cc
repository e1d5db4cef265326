// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/example_gaps.h>

#include <algorithm>
#include <cmath>

namespace slackline::internal {
namespace {

constexpr double kSmallGap = 0.3;  // of the mean gap: not worth an oracle call
constexpr double kGrowth = 2;      // of a remembered gap, for every skipped visit
constexpr double kDrift = 0.05;    // of the mean gap, added as well
// Unequal drifts, of kDrift: an example without a gap then waits two to six rounds.
constexpr double kLeastDrift = 0.1;
constexpr double kDriftRange = 1.9;

double SumOf(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// Numbers in [0, 1) that lie as far from each other as possible for consecutive m.
double Spread(Index m) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  const double place = kGoldenRatio * m;
  return place - std::floor(place);
}

}  // namespace

ExampleGaps::ExampleGaps(Index examples, OrderKind order, bool unequal)
    : by_gap_(order == OrderKind::kGap),
      unequal_(unequal),
      gaps_(examples, kInfinity),
      gap_bounds_(gaps_),
      expected_gaps_(gaps_),
      spreads_(gaps_) {}

void ExampleGaps::Forget() {
  std::fill(gaps_.begin(), gaps_.end(), kInfinity);
  gap_bounds_ = expected_gaps_ = spreads_ = gaps_;
}

double ExampleGaps::Sum() const { return SumOf(gaps_); }
double ExampleGaps::SumOfBounds() const { return SumOf(gap_bounds_); }

ExampleGaps::Known ExampleGaps::KnownGaps() const {
  Known known;
  for (const double gap : gaps_) {
    if (std::isfinite(gap)) known.Add({gap, 1});
  }
  return known;
}

ExampleGaps::Known ExampleGaps::Spreads(const ActiveSetBlocks& blocks) const {
  Known known;
  for (std::size_t m = 0; m < spreads_.size(); ++m) {
    if (blocks.kept(static_cast<Index>(m)) >= 2 && std::isfinite(spreads_[m]))
      known.Add({spreads_[m], 1});
  }
  return known;
}

/// Whether a visit is likely to be worth its cost, given a remembered gap and the mean gap. True
/// for all orders but kGap. When false, the remembered gap grows.
bool ExampleGaps::Worthwhile(Index m, double* remembered, double mean) const {
  if (!by_gap_ || !(*remembered < kSmallGap * mean)) return true;
  const double drift = unequal_ ? kDrift * (kLeastDrift + kDriftRange * Spread(m)) : kDrift;
  *remembered = kGrowth * *remembered + drift * mean;
  return false;
}

void ExampleGaps::ChooseForCalls(std::span<const Index> order, double mean,
                                 std::vector<Index>* chosen) {
  chosen->clear();
  for (const Index m : order) {
    if (Worthwhile(m, &expected_gaps_[m], mean)) chosen->push_back(m);
  }
}

void ExampleGaps::ChooseForSteps(std::span<const Index> order, double mean,
                                 const ActiveSetBlocks& blocks, std::vector<Index>* chosen) {
  chosen->clear();
  for (const Index m : order) {
    if (blocks.kept(m) >= 2 && Worthwhile(m, &spreads_[m], mean)) chosen->push_back(m);
  }
}

void ExampleGaps::Visited(Index m, bool called, const ActiveSetBlocks::VisitResult& visit) {
  spreads_[m] = visit.spread;
  if (!called) return;
  gaps_[m] = visit.gap;
  gap_bounds_[m] = visit.open;
  expected_gaps_[m] = visit.open;
}

void ExampleGaps::Archive(StateArchive* archive) {
  for (std::vector<double>* figures : {&gaps_, &gap_bounds_, &expected_gaps_, &spreads_})
    archive->AnyReals(*figures);
}

}  // namespace slackline::internal
