// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/dual_loss_descent.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/star_updates.h>
#include <slackline/learning/factor_blocks/table_ops.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

/// Sweeps on a copy of an example's messages before its bound is computed, because the messages
/// belong to older weights.
constexpr int kBoundSweeps = 2;
/// Relative rounding error of the messages in a bound.
constexpr double kDescentRounding = 8 * std::numeric_limits<double>::epsilon();

/// Below this scale_, the scale is multiplied into direction_.
constexpr double kSmallestScale = 1e-6;

/// p_i = mean of μ_i and all A_ci μ_c, for marginals that are flat over the states of all parts.
void MeanMarginals(const FactorGraph& graph, std::span<const double> marginals,
                   std::vector<double>* p) {
  p->assign(marginals.begin(), marginals.begin() + graph.variable_states());
  std::vector<double> axis;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    Index stride = graph.factor_states(c);
    for (const Index i : graph.scope(c)) {
      stride /= graph.cardinality(i);
      axis.resize(graph.cardinality(i));
      AxisMarginal(marginals.data() + graph.factor_offset(c), graph.factor_states(c),
                   graph.cardinality(i), stride, axis.data());
      for (std::size_t s = 0; s < axis.size(); ++s) (*p)[graph.state_offset(i) + s] += axis[s];
    }
  }
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const auto begin = p->begin() + graph.state_offset(i);
    double sum = 0;
    for (auto entry = begin; entry != begin + graph.cardinality(i); ++entry) sum += *entry;
    for (auto entry = begin; entry != begin + graph.cardinality(i); ++entry) *entry /= sum;
  }
}

}  // namespace

DualLossDescent::DualLossDescent(const Problem& problem, std::vector<Index> examples,
                                 const Settings& settings)
    : problem_(&problem),
      examples_(std::move(examples)),
      settings_(settings),
      visits_(examples_.size(), 0),
      direction_(problem.num_weights(), 0.0) {
  Offset messages = 0;
  Offset states = 0;
  for (Index k = 0; k < size(); ++k) {
    message_begin_.push_back(messages);
    average_begin_.push_back(states);
    messages += example(k).graph().total_messages();
    if (settings.average) states += example(k).graph().total_states();
  }
  messages_.reserve(messages);
  averages_.reserve(states);
  for (Index k = 0; k < size(); ++k) {
    StopRelay::Preparation::Poll();
    const ExampleView view = example(k);
    const FactorGraph& graph = view.graph();
    messages_.resize(message_begin(k) + graph.total_messages(), 0.0);
    if (!settings.average) continue;
    averages_.resize(average_begin(k) + graph.total_states(), 0.0);
    double* average = averages_.data() + average_begin(k);
    for (Index i = 0; i < graph.num_variables(); ++i)
      average[graph.state_offset(i) + view.labels()[i]] = 1;
    for (Index c = 0; c < graph.num_factors(); ++c)
      average[graph.factor_offset(c) + JointState(graph, c, view.labels())] = 1;
  }
}

/// work->scores = Δ_a + scale · w·φ_a of all parts; work->u = the scores of the coordinates;
/// work->q = the coordinates of the ground truth.
void DualLossDescent::Scores(Index k, std::span<const double> weights, double scale,
                             DualLossWork* work) const {
  const ExampleView view = example(k);
  const FactorGraph& graph = view.graph();
  const std::size_t coordinates = view.structure().num_coordinates();
  work->u.resize(coordinates);
  CoordinateScores(view, weights, work->u);
  for (double& u : work->u) u *= scale;
  work->scores.assign(graph.total_states(), 0.0);
  std::copy(loss(k).begin(), loss(k).end(), work->scores.begin());
  AddScores(view, work->u, work->scores);
  work->q.assign(coordinates, 0.0);
  AddLabellingFeatures(view, view.labels(), 1, work->q);
}

void DualLossDescent::Visit(Index k) {
  const FactorGraph& graph = example(k).graph();
  Scores(k, direction_, scale_, &work_);
  const std::span<double> messages =
      std::span<double>(messages_).subspan(message_begin(k), graph.total_messages());
  Reparametrise(graph, messages, work_.scores);
  StarSweep(graph, settings_.temperature, work_.scores, messages, &work_.sweep);
  work_.marginals.resize(work_.scores.size());
  PartBeliefs(graph, settings_.temperature, work_.scores, work_.marginals);
  if (settings_.average) TakeAverage(k);
  StepWeights(k);
  ++steps_;
}

void DualLossDescent::TakeAverage(Index k) {
  const auto visit = static_cast<double>(++visits_[k]);
  const double share = 2 / (visit + 1);
  double* average = averages_.data() + average_begin(k);
  for (std::size_t s = 0; s < work_.marginals.size(); ++s)
    average[s] += share * (work_.marginals[s] - average[s]);
}

void DualLossDescent::StepWeights(Index k) {
  const ExampleView view = example(k);
  const FactorGraph& graph = view.graph();
  const std::span<const double> marginals(work_.marginals);
  for (Index a = 0; a < graph.num_parts(); ++a) {
    AddMarginalFeatures(view, a, marginals.subspan(graph.state_offset(a), graph.num_states(a)), -1,
                        work_.q);
  }
  const double lambda = problem_->lambda();
  const double length = std::min(
      settings_.eta / (static_cast<double>(size()) + static_cast<double>(steps_)), 1 / lambda);
  scale_ *= std::max(0.0, 1 - length * lambda);
  if (scale_ < kSmallestScale) {
    for (double& w : direction_) w *= scale_;
    scale_ = 1;
  }
  ScatterFeatures(view, work_.q, length / scale_, direction_);
}

void DualLossDescent::ReadWeights(std::vector<double>* weights) const {
  weights->assign(direction_.begin(), direction_.end());
  for (double& w : *weights) w *= scale_;
}

double DualLossDescent::Bound(Index k, std::span<const double> weights, DualLossWork* work) const {
  const FactorGraph& graph = example(k).graph();
  Scores(k, weights, 1, work);
  const auto begin = messages_.begin() + static_cast<std::ptrdiff_t>(message_begin(k));
  work->messages.assign(begin, begin + graph.total_messages());
  // Messages may still be as large as those of earlier, larger weights. They cancel in the sums,
  // but their rounding errors are relative to their size, so that the bound is raised by that much.
  const auto add_size = [](double sum, double message) { return sum + std::abs(message); };
  double size = std::accumulate(work->messages.begin(), work->messages.end(), 0.0, add_size);
  Reparametrise(graph, work->messages, work->scores);
  for (int sweep = 0; sweep < kBoundSweeps; ++sweep)
    StarSweep(graph, 0, work->scores, work->messages, &work->sweep);
  size = std::accumulate(work->messages.begin(), work->messages.end(), size, add_size);
  double bound = SumOfMaxima(graph, 0, work->scores) + kDescentRounding * size;
  for (std::size_t c = 0; c < work->q.size(); ++c) bound -= work->u[c] * work->q[c];
  return bound;
}

double DualLossDescent::Objective() const {
  std::vector<double> weights;
  ReadWeights(&weights);
  DualLossWork work;
  double sum = 0;
  for (Index k = 0; k < size(); ++k) sum += Bound(k, weights, &work);
  return Regulariser(problem_->lambda(), weights) + sum / size();
}

double DualLossDescent::FeasibleCoordinates(Index k, std::vector<double>* coordinates,
                                            DualLossWork* work) const {
  const ExampleView view = example(k);
  const FactorGraph& graph = view.graph();
  const auto begin = averages_.begin() + static_cast<std::ptrdiff_t>(average_begin(k));
  work->marginals.assign(begin, begin + graph.total_states());
  MeanMarginals(graph, work->marginals, &work->sweep);
  RepairToLocalPolytope(graph, std::span(work->sweep).first(graph.variable_states()),
                        work->marginals);
  coordinates->assign(view.structure().num_coordinates(), 0.0);
  const std::span<const double> marginals(work->marginals);
  for (Index a = 0; a < graph.num_parts(); ++a) {
    AddMarginalFeatures(view, a, marginals.subspan(graph.state_offset(a), graph.num_states(a)), 1,
                        *coordinates);
  }
  double value = 0;
  for (std::size_t s = 0; s < loss(k).size(); ++s) value += loss(k)[s] * work->marginals[s];
  return value;
}

void DualLossDescent::ChangeLambda(double before, double after) {
  for (double& w : direction_) w *= scale_ * (before / after);
  scale_ = 1;
  steps_ = 0;
  std::fill(visits_.begin(), visits_.end(), Offset{0});
}

void DualLossDescent::Archive(StateArchive* archive) {
  archive->Tag("dual loss descent");
  archive->PositiveReal(&settings_.eta);
  archive->PositiveReal(&scale_);
  archive->FiniteReals(direction_);
  archive->FiniteReals(messages_);
  archive->FiniteReals(averages_);
  archive->Offsets(visits_);
  archive->Count(&steps_);
}

}  // namespace slackline::internal
