// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/plain_dual.h"

#include <algorithm>
#include <cmath>

#include "tests/support/dense_labellings.h"

namespace slackline::internal::test {
namespace {

constexpr long double kGapShare = 0.1L;  // share of a gap that local steps leave
constexpr int kMostSteps = 20;
// Scores that differ by less are a tie: rounding may reorder them.
constexpr long double kTie = 1e-10L;

}  // namespace

PlainDual::PlainDual(const ActiveSetBlocks& blocks, std::span<const double> centre)
    : problem_(blocks.problem()), lambda_(problem_.lambda()), kappa_(blocks.kappa()) {
  centre_ = Vector::Zero(problem_.num_weights());
  if (!centre.empty()) centre_ = AsVector(centre).cast<Real>();
  for (Index m = 0; m < problem_.size(); ++m) {
    examples_.emplace_back();
    for (Index a = 0; a < blocks.kept(m); ++a) {
      examples_.back().push_back(ReadCorner(m, blocks.sets()[m], a));
      examples_.back().back().alpha = blocks.sets()[m].alpha()[a];
    }
  }
}

PlainDual::Corner PlainDual::ReadCorner(Index m, const ActiveSet& set, Index a) const {
  const ExampleView example = problem_.data().example(m);
  SparseCorner sparse;
  set.Read(a, &sparse);
  const Eigen::VectorXd truth = DenseFeaturesOf(example, example.labels());
  return {(truth - DenseFeaturesOf(example, sparse)).cast<Real>(), sparse.loss, 0};
}

PlainDual::Real PlainDual::Loss() const {
  Real loss = 0;
  for (const auto& corners : examples_) {
    for (const Corner& corner : corners) loss += corner.alpha * corner.loss / problem_.size();
  }
  return loss;
}

PlainDual::Vector PlainDual::Gradient() const {
  Vector g = Vector::Zero(centre_.size());
  for (const auto& corners : examples_) {
    for (const Corner& corner : corners) g += corner.alpha * corner.psi / problem_.size();
  }
  return g;
}

PlainDual::Real PlainDual::ValueOf(const Vector& g, Real loss) const {
  const Vector w = WeightsOf(g);
  return loss + lambda_ / 2 * w.squaredNorm() + kappa_ / 2 * (w - centre_).squaredNorm() - w.dot(g);
}

PlainDual::Extremes PlainDual::FindExtremes(Index m) const {
  Extremes found;
  Real low = kInfinity;
  for (const Corner& corner : examples_[m]) {
    const std::size_t a = found.scores.size();
    found.scores.push_back(Score(corner));
    if (found.scores[a] > found.scores[found.best]) found.best = a;
    if (corner.alpha > 0 && found.scores[a] < low) {
      low = found.scores[a];
      found.worst = a;
    }
  }
  for (std::size_t a = 0; a < found.scores.size(); ++a) {
    const bool ties_best = a != found.best && found.scores[a] >= found.scores[found.best] - kTie;
    const bool ties_worst =
        a != found.worst && examples_[m][a].alpha > 0 && found.scores[a] <= low + kTie;
    found.clear = found.clear && !ties_best && !ties_worst;
  }
  return found;
}

/// The γ in [0, limit] at which D is largest along α_m + γ d: the maximum of the parabola through
/// three values.
PlainDual::Real PlainDual::LineMaximum(Index m, const std::vector<Real>& d, Real limit) const {
  Vector slope = Vector::Zero(centre_.size());
  Real loss = 0;
  for (std::size_t a = 0; a < d.size(); ++a) {
    slope += d[a] * examples_[m][a].psi / problem_.size();
    loss += d[a] * examples_[m][a].loss / problem_.size();
  }
  const Vector g = Gradient();
  const Real own = Loss();
  const auto at = [&](Real t) { return ValueOf(g + t * limit * slope, own + t * limit * loss); };
  const Real begin = at(0), middle = at(0.5), end = at(1);
  const Real bend = 2 * (begin + end - 2 * middle);  // D = begin + rise·t + bend·t²
  const Real rise = end - begin - bend;
  if (rise <= 0) return 0;
  if (!(bend < -1e-17L * std::abs(rise))) return limit;
  return limit * std::min<Real>(1, -rise / (2 * bend));
}

/// One pairwise step, or the better of a Frank-Wolfe step and an away step. Returns its length.
PlainDual::Real PlainDual::Step(Index m, const Extremes& at, StepKind kind) {
  std::vector<Corner>& corners = examples_[m];
  std::vector<Real> d(corners.size(), 0);
  Real limit = corners[at.worst].alpha;
  bool leaves_worst = true;
  if (kind == StepKind::kPairwise) {
    d[at.best] += 1;
    d[at.worst] -= 1;
  } else {
    Real mean = 0;
    for (std::size_t a = 0; a < corners.size(); ++a) mean += corners[a].alpha * at.scores[a];
    const bool forward =
        at.scores[at.best] - mean >= mean - at.scores[at.worst] || limit > Real(0.5);
    for (std::size_t a = 0; a < corners.size(); ++a)
      d[a] = forward ? -corners[a].alpha : corners[a].alpha;
    d[forward ? at.best : at.worst] += forward ? 1 : -1;
    leaves_worst = !forward;
    limit = forward ? 1 : limit / (1 - limit);
  }
  const Real length = LineMaximum(m, d, limit);
  for (std::size_t a = 0; a < corners.size(); ++a)
    corners[a].alpha = std::max<Real>(0, corners[a].alpha + length * d[a]);
  if (leaves_worst && length == limit) corners[at.worst].alpha = 0;
  return length;
}

PlainDual::Improvement PlainDual::Improve(Index m, StepKind kind, Real most) {
  Improvement done;
  for (;; ++done.steps) {
    const Extremes at = FindExtremes(m);
    if (done.steps == 0) done.gap = at.gap();
    if (done.steps == 0 && most < 0) most = kGapShare * done.gap;
    if (at.gap() <= most || done.steps == kMostSteps) break;
    done.clear = done.clear && at.clear;
    if (Step(m, at, kind) == 0) break;
  }
  return done;
}

}  // namespace slackline::internal::test
