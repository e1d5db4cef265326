// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/point_blocks.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/feature_map.h>
#include <slackline/core/inner_product.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/standalone/prox_regulariser.h>
#include <slackline/learning/step/active_set.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/feature_bounds.h>
#include <slackline/learning/step/simplex_projection.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

constexpr int kSdcaInnerSteps = 10;  // of option I
// Inner steps end when the example's gap falls to this share of its first value.
constexpr double kInnerReduction = 0.1;

/// Whether no example has factors, with tables or global. Maxima are then those of single
/// variables.
bool VariablesAreFree(const Problem& problem) {
  const auto& structures = problem.data().structures();
  return std::all_of(structures.begin(), structures.end(), [](const auto& structure) {
    return structure->graph().num_factors() == 0 && structure->graph().num_global_factors() == 0;
  });
}

}  // namespace

PointBlocks::PointBlocks(const Problem& problem, const Terms& terms, ExampleOracle* oracle)
    : problem_(problem),
      terms_(terms),
      oracle_(oracle),
      projects_(terms.smoothing > 0 && VariablesAreFree(problem)),
      total_(static_cast<double>(problem.size())),
      lambda_m_(problem.lambda_m()),
      points_(problem),
      warm_(problem.size()),
      v_(problem.num_weights(), 0.0),
      w_(terms.maps() ? v_.size() : 0, 0.0) {
  if (terms.smoothing > 0) StartMarginals();
  if (terms.step >= 3) BoundFeatures();
}

void PointBlocks::JoinShards(Index total, double caution) {
  total_ = static_cast<double>(total);
  lambda_m_ = problem_.lambda() * total_;
  caution_ = caution;
}

void PointBlocks::Replaced(Offset begin, Offset count) {
  if (w_.empty()) return;
  for (Offset k = begin; k < begin + count; ++k) w_[k] = MapOne(k, v_[k]);
}

void PointBlocks::Map(std::vector<double>* v) const {
  if (terms_.l1 > 0) SoftThreshold(*v, threshold());
  terms_.signs.Clip(*v);
}

double PointBlocks::MapOne(Offset k, double v) const {
  return terms_.signs.ClipAt(k, terms_.l1 > 0 ? SoftThreshold(v, threshold()) : v);
}

/// Computes w from v where direction_ is not zero.
void PointBlocks::MapWhereMoved(const ExampleView& example) {
  const Structure& structure = example.structure();
  const auto set = [&](Offset position) { w_[position] = MapOne(position, v_[position]); };
  const auto moved = [&](Index coordinate) { return direction_[coordinate] != 0; };
  for (const Slot& slot : structure.slots()) {
    const WeightBlock& block = structure.layout().block(slot.block);
    const FeatureRow x = example.input(slot.input);
    for (Index r = 0; r < slot.rows; ++r) {
      if (!moved(slot.coordinate + r)) continue;
      for (Index f = 0; f < x.count; ++f) set(block.at(r, x.dense() ? f : x.columns[f]));
    }
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    const WeightBlock& block = structure.layout().block(scalar.block);
    for (Index r = 0; r < scalar.rows; ++r) {
      if (moved(scalar.coordinate + r)) set(block.at(r, 0));
    }
  }
}

void PointBlocks::Rebuild() {
  points_.Weights(problem_, &v_);
  Replaced();
}

std::span<double> PointBlocks::marginals(Index m) {
  if (marginals_.empty()) return {};
  const std::size_t begin = problem_.training().loss_begin[m];
  return std::span<double>(marginals_).subspan(begin, problem_.loss(m).size());
}

void PointBlocks::StartMarginals() {
  marginals_.assign(problem_.training().losses.size(), 0.0);
  for (Index m = 0; m < problem_.size(); ++m) AddTruth(m, 1, marginals(m));
}

/// out += scale · the indicators of the ground truth's states.
void PointBlocks::AddTruth(Index m, double scale, std::span<double> out) const {
  const ExampleView example = problem_.data().example(m);
  for (Index i = 0; i < example.graph().num_variables(); ++i) {
    out[example.graph().state_offset(i) + example.labels()[i]] += scale;
  }
}

void PointBlocks::BoundFeatures() {
  GlobalRanges known;
  for (Index m = 0; m < problem_.size(); ++m) {
    const ExampleView example = problem_.data().example(m);
    bounds_.push_back(projects_ ? SquaredStateNorm(example, &gram_)
                                : SquaredFeatureRange(example, &known));
    if (terms_.slack) bounds_.back() *= std::pow(LargestLoss(problem_, m), 2);
  }
  largest_bound_ = *std::max_element(bounds_.begin(), bounds_.end());
}

bool PointBlocks::Visit(Index m, IterateAverage* average) {
  bool moved = false;
  const double gap = Step(m, average, &moved);
  if (terms_.step != 1) return moved;
  for (int k = 1;
       k < kSdcaInnerSteps && gap > 0 && Step(m, average, &moved) > kInnerReduction * gap; ++k) {
  }
  return moved;
}

void PointBlocks::BatchStep(const StopControl& stop, IterateAverage* average) {
  DualPoints corners(problem_);
  double gap = 0;  // times M
  for (Index m = 0; m < problem_.size(); ++m) {
    const ExampleView example = problem_.data().example(m);
    work_ += kVisitWork + SweepEntries(example) + 4 * example.structure().num_coordinates();
    const double loss = CornerTarget(m);
    gap += Direct(m, loss);
    corners.Set(m, goal_, loss);
    ++steps_;
    if (stop.ShouldStop()) return;
  }
  std::vector<double> change;
  corners.Weights(problem_, &change);
  double square = 0;
  for (std::size_t k = 0; k < change.size(); ++k) {
    change[k] -= v_[k];
    square += change[k] * change[k];
  }
  const double step = LineSearch(gap, lambda_m_ * square, 1);
  points_.Mix(step, corners);
  for (std::size_t k = 0; k < change.size(); ++k) v_[k] += step * change[k];
  Replaced();
  if (average->active()) {
    const double scale = average->scale() * step;
    for (std::size_t k = 0; k < change.size(); ++k) average->lag()[k] += scale * change[k];
  }
  average->EndStep();
}

double PointBlocks::Step(Index m, IterateAverage* average, bool* moved) {
  const ExampleView example = problem_.data().example(m);
  ++steps_;
  work_ += kVisitWork + SweepEntries(example) + 4 * example.structure().num_coordinates();
  const double target_loss = projects_ ? ProjectedTarget(m) : CornerTarget(m);
  double gap = Direct(m, target_loss);
  double squared = 0;
  const std::span<double> mu = marginals(m);
  for (std::size_t s = 0; s < mu.size(); ++s) {
    target_[s] -= mu[s];
    gap -= terms_.smoothing * mu[s] * target_[s];
    squared += target_[s] * target_[s];
  }
  const double step = StepLength(m, gap, squared);
  if (step == 0) return gap;
  *moved = true;
  Move(m, step, target_loss, average);
  for (std::size_t s = 0; s < mu.size(); ++s) mu[s] += step * target_[s];
  if (terms_.maps()) MapWhereMoved(example);
  return gap;
}

/// Sets direction_ = goal_ − the point of example m. Returns the derivative of the dual along it at
/// w, times M, without smoothing.
double PointBlocks::Direct(Index m, double target_loss) {
  points_.Towards(m, goal_, &direction_);
  u_.resize(direction_.size());
  CoordinateScores(problem_.data().example(m), w(), u_);
  double gain = target_loss - points_.loss(m);
  for (std::size_t k = 0; k < u_.size(); ++k) gain -= u_[k] * direction_[k];
  return gain;
}

/// Moves the point of example m by step · direction_, and v and its average with it.
void PointBlocks::Move(Index m, double step, double target_loss, IterateAverage* average) {
  const ExampleView example = problem_.data().example(m);
  points_.Move(m, step, direction_, target_loss);
  ScatterFeatures(example, direction_, caution_ * step / lambda_m_, v_);
  if (average == nullptr || !average->active()) return;
  ScatterFeatures(example, direction_, average->scale() * step / lambda_m_, average->lag());
}

/// s of the step options, for direction_. squared: ‖μ − u‖² over the variables' states, with
/// smoothing.
double PointBlocks::StepLength(Index m, double gap, double squared) {
  const double gamma = terms_.smoothing;
  if (terms_.fixed_step) {
    const double n = problem_.size();
    return 2.0 * n / (terms_.quality * static_cast<double>(oracle_calls_ - 1) + 2.0 * n);
  }
  if (terms_.step == 5) return lambda_m_ * gamma / (caution_ * largest_bound_ + lambda_m_ * gamma);
  double bound = 0;  // on ‖X_i z‖²
  if (terms_.step >= 3) {
    bound = terms_.step == 3 ? bounds_[m] : largest_bound_;
    if (projects_) bound *= squared;
  } else {
    bound = gram_.SquaredNorm(problem_.data().example(m), direction_);
  }
  return LineSearch(gap, gamma * squared + caution_ * bound / lambda_m_, 1);
}

/// The oracle's corner: sets goal_ to its coordinates (of ψ) and target_ to its marginals.
/// Returns its loss.
double PointBlocks::CornerTarget(Index m) {
  const std::span<const double> mu = marginals(m);
  offsets_.resize(mu.size());
  for (std::size_t s = 0; s < mu.size(); ++s) offsets_[s] = -terms_.smoothing * mu[s];
  ++oracle_calls_;
  const Corner corner = oracle_->Maximise(m, w(), &warm_[m], offsets_);
  goal_ = corner.coordinates;
  if (mu.empty()) return corner.loss;
  const MapResult& result = oracle_->result();
  target_.assign(mu.size(), 0.0);
  if (result.integral) {
    const FactorGraph& graph = problem_.data().example(m).graph();
    for (Index i = 0; i < graph.num_variables(); ++i) {
      target_[graph.state_offset(i) + result.labels[i]] = 1;
    }
  } else {
    std::copy_n(result.marginals.begin(), mu.size(), target_.begin());
  }
  return corner.loss;
}

/// argmax_μ θ·μ − (γ/2)‖μ‖² of an example without factors; outputs as in CornerTarget.
double PointBlocks::ProjectedTarget(Index m) {
  const ExampleView example = problem_.data().example(m);
  SmoothedMaximum(m, w());
  ++oracle_calls_;
  direction_.assign(example.structure().num_coordinates(), 0.0);
  AddLabellingFeatures(example, example.labels(), 1, direction_);
  for (Index i = 0; i < example.graph().num_variables(); ++i) {
    const std::size_t states = example.graph().cardinality(i);
    AddMarginalFeatures(example, i,
                        std::span(target_).subspan(example.graph().state_offset(i), states), -1,
                        direction_);
  }
  goal_ = direction_;
  return DotInOrder(problem_.loss(m), target_);
}

/// Sets target_ to the maximiser; returns max_μ [θ·μ + (γ/2) Σ_i (1 − ‖μ_i‖²)] for θ of H_m(·;
/// weights).
double PointBlocks::SmoothedMaximum(Index m, std::span<const double> weights) {
  const ExampleView example = problem_.data().example(m);
  const std::span<const double> loss = problem_.loss(m);
  target_.assign(loss.begin(), loss.end());
  u_.resize(example.structure().num_coordinates());
  CoordinateScores(example, weights, u_);
  const double gamma = terms_.smoothing;
  double value = 0;
  for (Index i = 0; i < example.graph().num_variables(); ++i) {
    const std::size_t begin = example.graph().state_offset(i);
    const std::span<double> theta =
        std::span(target_).subspan(begin, example.graph().cardinality(i));
    AddPartScores(example, i, u_, theta);
    const double truth_score = theta[example.labels()[i]];
    allowed_.clear();
    for (const double score : theta) {
      if (score != -kInfinity) allowed_.push_back((score - truth_score) / gamma);
    }
    scores_ = allowed_;
    ProjectOntoSimplex(allowed_);
    std::size_t next = 0;
    double squares = 0;
    for (double& entry : theta) {
      if (entry == -kInfinity) {
        entry = 0;
        continue;
      }
      entry = allowed_[next];
      value += gamma * entry * scores_[next];
      squares += entry * entry;
      ++next;
    }
    value += 0.5 * gamma * (1 - squares);
  }
  return value;
}

PointBlocks::Hinges PointBlocks::MeanHinges(std::span<const double> weights,
                                            ExampleEvaluator* evaluator, int threads) {
  if (terms_.smoothing == 0) return {.mean = evaluator->MeanBound(weights, warm_, threads)};
  if (projects_) {
    double hinge = 0;
    for (Index m = 0; m < problem_.size(); ++m) hinge += SmoothedMaximum(m, weights);
    return {.mean = hinge / problem_.size()};
  }
  std::vector<double> offsets = marginals_;
  double quadratic = 0;
  for (double& mu : offsets) {
    quadratic += mu * mu;
    mu *= -terms_.smoothing;
  }
  for (Index m = 0; m < problem_.size(); ++m)
    quadratic += problem_.data().example(m).graph().num_variables();
  return {.mean = evaluator->MeanBound(weights, warm_, threads, offsets),
          .rest = 0.5 * terms_.smoothing * quadratic / problem_.size()};
}

double PointBlocks::Value(Index m) const {
  if (marginals_.empty()) return points_.loss(m);
  double quadratic = problem_.data().example(m).graph().num_variables();
  for (const double mu : marginals(m)) quadratic -= mu * mu;
  return points_.loss(m) + 0.5 * terms_.smoothing * quadratic;
}

double PointBlocks::TotalValue() const {
  double loss = points_.TotalLoss();
  if (terms_.smoothing > 0) {
    double quadratic = -DotInOrder(marginals_, marginals_);
    for (Index m = 0; m < problem_.size(); ++m)
      quadratic += problem_.data().example(m).graph().num_variables();
    loss += 0.5 * terms_.smoothing * quadratic;
  }
  return loss;
}

PointBlocks::MixtureTerms PointBlocks::SumOfTerms() const {
  MixtureTerms sums{.loss = points_.TotalLoss()};
  if (terms_.smoothing == 0) return sums;
  std::vector<double> truth(marginals_.size(), 0.0);
  for (Index m = 0; m < problem_.size(); ++m) {
    const std::size_t begin = problem_.training().loss_begin[m];
    AddTruth(m, 1, std::span(truth).subspan(begin, problem_.loss(m).size()));
  }
  for (std::size_t s = 0; s < truth.size(); ++s) {
    const double d = marginals_[s] - truth[s];
    sums.linear -= truth[s] * d;
    sums.square += d * d;
  }
  return sums;
}

double PointBlocks::BestMixture(const MixtureTerms& sums, std::span<const double> v,
                                const Terms& terms, double lambda, Index count) {
  if (terms.l1 == 0 && terms.smoothing == 0)
    return BestShare(sums.loss / count, Regulariser(lambda, v));
  // Σ_i (1 − ‖e + θ(μ − e)‖²) = −2θ e·(μ − e) − θ²‖μ − e‖²
  double low = 0;
  double high = 1;
  for (int k = 0; k < 60; ++k) {
    const double theta = k == 0 ? 1.0 : 0.5 * (low + high);
    double slope = (sums.loss + terms.smoothing * (sums.linear - theta * sums.square)) / count;
    for (const double x : v) slope -= lambda * x * SoftThreshold(theta * x, terms.l1 / lambda);
    if (k == 0 && slope >= 0) return 1;
    if (k > 0) (slope > 0 ? low : high) = theta;
  }
  return low;
}

void PointBlocks::ScalePoints(double theta) {
  points_.Scale(theta);
  if (marginals_.empty()) return;
  for (double& mu : marginals_) mu *= theta;
  for (Index m = 0; m < problem_.size(); ++m) AddTruth(m, 1 - theta, marginals(m));
}

void PointBlocks::ChangeProblem(const Problem& problem) {
  problem_ = problem;
  lambda_m_ = problem.lambda() * total_;
  oracle_calls_ = steps_ = 0;
}

void PointBlocks::Archive(StateArchive* archive) {
  points_.Archive(archive);
  archive->FiniteReals(marginals_);
  for (WarmStart& warm : warm_) archive->Bytes(&warm.bytes);
  for (std::int64_t* count : {&oracle_calls_, &steps_}) archive->Count(count);
}

void PointBlocks::ArchiveWeights(StateArchive* archive) {
  archive->FiniteReals(v_);
  archive->FiniteReals(w_);
}

}  // namespace slackline::internal
