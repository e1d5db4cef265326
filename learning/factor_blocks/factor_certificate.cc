// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/factor_certificate.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/core/parallel.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/learning/factor_blocks/global_certificate.h>
#include <slackline/learning/factor_blocks/table_ops.h>
#include <slackline/learning/step/smooth_maximum.h>

namespace slackline::internal {
namespace {

/// Number of chunks of parallel sums. It does not depend on the number of threads, so that the sums
/// do not either.
constexpr int kCertificateChunks = 16;

/// p_i = mean of μ_i and of all A_ci μ_c.
void MeanMarginals(const ExampleView& example, const BlockLayout& layout, const double* state,
                   std::vector<double>* p) {
  const FactorGraph& graph = example.graph();
  p->assign(state, state + graph.variable_states());
  const PairGroup& pairs = layout.pairs;
  const double* mu1 = state + pairs.mu + pairs.count;
  const double* mu2 = mu1 + pairs.count;
  const double* mu3 = mu2 + pairs.count;
  for (Index k = 0; k < pairs.count; ++k) {
    const std::size_t first = pairs.first_state[k];
    const std::size_t second = pairs.second_state[k];
    const double on_first = mu2[k] + mu3[k];
    const double on_second = mu1[k] + mu3[k];
    (*p)[first] += on_first;
    (*p)[first - 1] += 1 - on_first;
    (*p)[second] += on_second;
    (*p)[second - 1] += 1 - on_second;
  }
  for (const TableBlock& table : layout.tables) {
    for (const TableAxis& axis : table.axes) {
      for (Index s = 0; s < axis.cardinality; ++s) {
        (*p)[axis.state + s] += state[axis.marginal + s];
      }
    }
  }
  AddGlobalMarginals(layout, state, *p);
  for (Index i = 0; i < graph.num_variables(); ++i) {
    // Division by the sum, instead of 1 + N_i, normalises exactly in spite of rounding.
    const auto begin = p->begin() + graph.state_offset(i);
    const auto end = begin + graph.cardinality(i);
    double sum = 0;
    for (auto entry = begin; entry != end; ++entry) sum += * entry = std::max(0.0, *entry);
    for (auto entry = begin; entry != end; ++entry) *entry /= sum;
  }
}

/// q = coordinates of φ(y^m). The same as AddLabellingFeatures, at the cost of two look-ups per
/// pair.
class GroundTruthFeatures {
 public:
  void Fill(const ExampleView& example, const BlockLayout& layout, std::vector<double>* q) {
    const FactorGraph& graph = example.graph();
    q->assign(example.structure().num_coordinates(), 0.0);
    indicator_.assign(graph.variable_states(), 0.0);
    for (Index i = 0; i < graph.num_variables(); ++i) {
      const Index label = example.labels()[i];
      indicator_[graph.state_offset(i) + label] = 1;
      AddStateFeatures(example, i, label, 1, *q);
    }
    const PairGroup& pairs = layout.pairs;
    for (std::size_t k = 0; k < pairs.coordinate.size(); ++k) {
      (*q)[pairs.coordinate[k]] +=
          indicator_[pairs.first_state[k]] * indicator_[pairs.second_state[k]];
    }
    for (const TableBlock& table : layout.tables) {
      AddStateFeatures(example, graph.num_variables() + table.factor,
                       JointState(graph, table.factor, example.labels()), 1, *q);
    }
    for (std::size_t g = 0; g < layout.globals.size(); ++g) {
      states_.resize(layout.globals[g].axes.size());
      GlobalStates(graph, static_cast<Index>(g), example.labels(), states_);
      AddGlobalFeatures(example.structure(), static_cast<Index>(g), states_, 1, *q);
    }
  }

 private:
  std::vector<double> indicator_;
  std::vector<Index> states_;
};

/// Add: q −= coordinates of example m at the feasible point with variable marginals p, which
/// restricted global factors may change; returns Σ_i Δ_i·p_i.
class FeasiblePoint {
 public:
  explicit FeasiblePoint(const FactorBlocks& blocks) : blocks_(blocks) {}

  double Add(Index m, std::span<double> p, std::span<double> q) {
    const ExampleView example = blocks_.problem().data().example(m);
    const BlockLayout& layout = blocks_.layout(m);
    const double* state = blocks_.state(m);
    const std::span<const double> loss = blocks_.problem().loss(m);
    if (!GlobalRepair::FitRestricted(layout, state, p)) {
      return repair_.SubtractLabellings(blocks_.globals(), m, example, layout, p, loss, q);
    }
    for (std::size_t g = 0; g < layout.globals.size(); ++g) {
      repair_.Subtract(blocks_.globals(), m, static_cast<Index>(g), layout, state, p, q);
    }
    const FactorGraph& graph = example.graph();
    double value = 0;
    for (std::size_t s = 0; s < loss.size(); ++s) value += loss[s] * p[s];
    for (Index i = 0; i < graph.num_variables(); ++i) {
      AddMarginalFeatures(example, i, p.subspan(graph.state_offset(i), graph.cardinality(i)), -1,
                          q);
    }
    const PairGroup& pairs = layout.pairs;
    const double* both = state + pairs.mu + 3 * static_cast<Offset>(pairs.count);
    for (Index k = 0; k < pairs.count; ++k) {
      const double first = p[pairs.first_state[k]];
      const double second = p[pairs.second_state[k]];
      q[pairs.coordinate[k]] -=
          std::max(std::max(0.0, first + second - 1), std::min({both[k], first, second}));
    }
    for (const TableBlock& table : layout.tables) {
      table_.assign(state + table.mu, state + table.mu + table.states);
      RepairFactor(graph, table.factor, p, table_);
      AddMarginalFeatures(example, graph.num_variables() + table.factor, table_, -1, q);
    }
    return value;
  }

 private:
  const FactorBlocks& blocks_;
  GlobalRepair repair_;
  std::vector<double> table_;
};

/// Accumulates a feasible point over all examples.
class FeasibleSum {
 public:
  /// weights: num_weights entries. points: null, or receives the point.
  FeasibleSum(const FactorBlocks& blocks, std::span<double> weights, DualPoints* points)
      : blocks_(blocks), weights_(weights), points_(points) {}

  /// Adds example m at variable marginals p. q: the coordinates of its ground truth; overwritten.
  void Add(FeasiblePoint* feasible, Index m, std::span<double> p, std::span<double> q) {
    const double loss = feasible->Add(m, p, q);
    ScatterFeatures(blocks_.problem().data().example(m), q, 1 / blocks_.lambda_m(), weights_);
    if (points_ != nullptr) points_->Set(m, q, loss);
    loss_ += loss;
  }
  double loss() const { return loss_; }

 private:
  const FactorBlocks& blocks_;
  std::span<double> weights_;
  DualPoints* points_;
  double loss_ = 0;
};

/// Second sweep: reparametrised maxima at fixed w, example by example.
class PointSweep {
 public:
  PointSweep(const FactorBlocks& blocks, std::span<const double> weights)
      : blocks_(blocks), weights_(weights) {
    scales_ = {1 / blocks.rho(), 1 / blocks.lambda_m(), 0, blocks.smoothing()};
  }

  void Add(Index m, PointSums* sums) {
    const ExampleView example = blocks_.problem().data().example(m);
    const FactorGraph& graph = example.graph();
    u_.resize(example.structure().num_coordinates());
    CoordinateScores(example, weights_, u_);
    messages_.assign(graph.variable_states(), 0.0);
    AddPairs(m, sums);
    AddTables(m, example, sums);
    AddGlobals(m, sums);
    AddVariables(m, example, sums);
    ground_truth_.Fill(example, blocks_.layout(m), &q_);
    for (std::size_t k = 0; k < u_.size(); ++k) sums->hinge -= u_[k] * q_[k];
    sums->edges += graph.num_edges();
  }

 private:
  void AddPairs(Index m, PointSums* sums) {
    const BlockLayout& layout = blocks_.layout(m);
    const PairGroup& pairs = layout.pairs;
    gathered_.resize(2 * Offset{pairs.count});
    pair_weights_.resize(pairs.count);
    for (std::size_t k = 0; k < pair_weights_.size(); ++k) {
      pair_weights_[k] = weights_[pairs.weight[k]];
    }
    PairPlanes planes =
        FactorBlocks::Planes(layout, blocks_.state(m), 0, pairs.count, gathered_.data());
    planes.weights = pair_weights_.data();
    const PairSums pair_sums = EvaluatePairs(planes, scales_);
    sums->hinge += pair_sums.maxima;
    sums->gaps += pair_sums.gaps;
    sums->violation_sq += pair_sums.violation_sq;
    sums->eta_v += pair_sums.eta_v;
    sums->max_violation = std::max(sums->max_violation, pair_sums.max_violation);
    sums->smoothed += pair_sums.smoothed;
    sums->squares += pair_sums.squares;
    for (Index k = 0; k < pairs.count; ++k) {
      for (int side = 0; side < 2; ++side) {
        const double on = planes.mu[side == 0 ? 2 : 1][k] + planes.mu[3][k];
        const double v = on - (side == 0 ? planes.p_first : planes.p_second)[k];
        double delta = v * scales_.inverse_rho;
        if (planes.eta[side] != nullptr) delta += planes.eta[side][k];
        const std::size_t state = (side == 0 ? pairs.first_state : pairs.second_state)[k];
        messages_[state] += delta;
        messages_[state - 1] -= delta;
      }
    }
  }

  void AddTables(Index m, const ExampleView& example, PointSums* sums) {
    const double* state = blocks_.state(m);
    for (const TableBlock& table : blocks_.layout(m).tables) {
      theta_.assign(table.states, 0.0);
      AddPartScores(example, example.graph().num_variables() + table.factor, u_, theta_);
      for (const TableAxis& axis : table.axes) {
        delta_.resize(axis.cardinality);
        for (Index s = 0; s < axis.cardinality; ++s) {
          const double v = state[axis.marginal + s] - state[axis.state + s];
          const double eta = axis.eta >= 0 ? state[axis.eta + s] : 0.0;
          const double delta = eta + v * scales_.inverse_rho;
          delta_[s] = delta;
          messages_[axis.state + s] += delta;
          sums->violation_sq += v * v;
          sums->eta_v += eta * v;
          sums->max_violation = std::max(sums->max_violation, std::abs(v));
        }
        SubtractMessage(delta_.data(), table.states, axis.cardinality, axis.stride, theta_.data());
      }
      AddMaximum(state + table.mu, sums);
    }
  }

  void AddGlobals(Index m, PointSums* sums) {
    const GlobalSums globals =
        EvaluateGlobals(blocks_.layout(m), blocks_.state(m), scales_.inverse_rho, u_, messages_);
    sums->hinge += globals.maxima;
    sums->gaps += globals.gaps;
    sums->violation_sq += globals.violation_sq;
    sums->eta_v += globals.eta_v;
    sums->max_violation = std::max(sums->max_violation, globals.max_violation);
    sums->edges += globals.edges;
  }

  void AddVariables(Index m, const ExampleView& example, PointSums* sums) {
    const FactorGraph& graph = example.graph();
    const std::span<const double> loss = blocks_.problem().loss(m);
    for (Index i = 0; i < graph.num_variables(); ++i) {
      const std::size_t base = graph.state_offset(i);
      theta_.assign(loss.begin() + static_cast<std::ptrdiff_t>(base),
                    loss.begin() + static_cast<std::ptrdiff_t>(base) + graph.cardinality(i));
      for (std::size_t s = 0; s < theta_.size(); ++s) theta_[s] += messages_[base + s];
      AddPartScores(example, i, u_, theta_);
      AddMaximum(blocks_.state(m) + base, sums);
    }
  }

  /// Adds the maximum, gap and squares of the part with gradient theta_ and marginals mu.
  void AddMaximum(const double* mu, PointSums* sums) {
    const double high = *std::max_element(theta_.begin(), theta_.end());
    double gap = 0;
    for (std::size_t s = 0; s < theta_.size(); ++s) gap += mu[s] * (high - theta_[s]);
    if (scales_.smoothing > 0) {
      double square = 0;
      for (std::size_t s = 0; s < theta_.size(); ++s) square += mu[s] * mu[s];
      const double lower = SmoothMaximum(theta_, scales_.smoothing) - high;
      sums->smoothed += lower;
      sums->squares += square;
      gap += lower + 0.5 * scales_.smoothing * square;
    }
    sums->hinge += high;
    sums->gaps += gap;
  }

  const FactorBlocks& blocks_;
  std::span<const double> weights_;
  PairScales scales_;
  std::vector<double> u_;
  std::vector<double> q_;
  GroundTruthFeatures ground_truth_;
  std::vector<double> messages_;
  std::vector<double> theta_;
  std::vector<double> delta_;
  std::vector<double> gathered_;
  std::vector<double> pair_weights_;
};

}  // namespace

FirstSums SumPoints(const FactorBlocks& blocks, bool with_globals, bool keeps_points,
                    std::vector<double>* weights) {
  const Problem& problem = blocks.problem();
  const Index count = NumFeasible(with_globals);
  const std::size_t num_weights = Size(problem.num_weights());
  weights->assign((1 + Size(count)) * num_weights, 0.0);
  const std::span<double> all(*weights);
  FirstSums sums;
  if (keeps_points) sums.points.assign(Size(count), DualPoints(problem));
  std::vector<FeasibleSum> feasible;
  for (Index k = 0; k < count; ++k)
    feasible.emplace_back(blocks, all.subspan((1 + Size(k)) * num_weights, num_weights),
                          keeps_points ? &sums.points[k] : nullptr);
  std::vector<double> truth;
  std::vector<double> q;
  std::vector<double> p;
  GroundTruthFeatures labelling;
  FeasiblePoint point(blocks);
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    const BlockLayout& layout = blocks.layout(m);
    const double* state = blocks.state(m);
    const std::span<const double> delta = problem.loss(m);
    labelling.Fill(example, layout, &truth);
    q = truth;
    AddPointFeatures(example, layout, state, -1, q);
    ScatterFeatures(example, q, 1 / blocks.lambda_m(), all.first(num_weights));
    for (std::size_t s = 0; s < delta.size(); ++s) sums.losses[0] += delta[s] * state[s];

    for (Index k = 0; k < count; ++k) {
      q = truth;
      if (k == count - 2) {
        p.assign(state, state + delta.size());
      } else {
        MeanMarginals(example, layout, state, &p);
      }
      if (k == count - 3) TakeGlobalMarginals(layout, state, p);
      feasible[k].Add(&point, m, p, q);
    }
  }
  for (Index k = 0; k < count; ++k) sums.losses[1 + k] = feasible[k].loss();
  return sums;
}

DualMixture::Change MixFeasible(std::span<const double> weights, double loss, Index num_examples,
                                DualMixture* mixture) {
  return mixture->Add(std::vector<double>(weights.begin(), weights.end()),
                      loss * (1 / static_cast<double>(num_examples)));
}

void PointSums::Merge(const PointSums& other) {
  hinge += other.hinge;
  gaps += other.gaps;
  violation_sq += other.violation_sq;
  eta_v += other.eta_v;
  max_violation = std::max(max_violation, other.max_violation);
  smoothed += other.smoothed;
  squares += other.squares;
  edges += other.edges;
}

PointSums SumAtPoint(const FactorBlocks& blocks, std::span<const double> weights, int threads) {
  std::vector<PointSums> parts(kCertificateChunks);
  ParallelChunks(blocks.problem().size(), kCertificateChunks, threads, [&](const Chunk& chunk) {
    PointSweep sweep(blocks, weights);
    for (Index m = chunk.begin; m < chunk.end; ++m) sweep.Add(m, &parts[chunk.chunk]);
  });
  PointSums sums;
  for (const PointSums& part : parts) sums.Merge(part);
  return sums;
}

FactorEvaluation FiguresOf(const PointSums& sums, const PenalizedPoint& point) {
  const double m = point.num_examples;
  const double penalty = sums.violation_sq / (2 * point.rho * m);
  FactorEvaluation result;
  result.relaxed_primal = point.regulariser + sums.hinge / m;
  result.dual_point = point.loss - point.point_regulariser;
  result.soft_primal = result.relaxed_primal + penalty + sums.smoothed / m;
  result.soft_dual =
      result.dual_point - sums.eta_v / m - penalty - 0.5 * point.smoothing * sums.squares / m;
  result.block_gaps = sums.gaps / m;
  result.violation = sums.max_violation;
  result.violation_norm =
      std::sqrt(sums.violation_sq / static_cast<double>(std::max<Offset>(1, sums.edges)));
  return result;
}

FactorEvaluation EvaluateFactorBlocks(const FactorBlocks& blocks, int threads,
                                      std::vector<double>* weights, DualMixture* mixture,
                                      MixedPoints* points) {
  const Problem& problem = blocks.problem();
  const std::size_t num_weights = Size(problem.num_weights());
  std::vector<double> sums;
  FirstSums first =
      SumPoints(blocks, blocks.globals().count() > 0, /*keeps_points=*/points != nullptr, &sums);
  for (std::size_t k = 1; k * num_weights < sums.size(); ++k) {
    const DualMixture::Change change =
        MixFeasible(std::span(sums).subspan(k * num_weights, num_weights), first.losses[k],
                    problem.size(), mixture);
    if (points != nullptr) points->Add(std::move(first.points[k - 1]), change);
  }
  weights->assign(sums.begin(), sums.begin() + problem.num_weights());

  PenalizedPoint point = {.num_examples = static_cast<double>(problem.size()),
                          .rho = blocks.rho(),
                          .smoothing = blocks.smoothing()};
  point.loss = first.losses[0] * (1 / point.num_examples);
  point.point_regulariser = Regulariser(problem.lambda(), *weights);
  if (blocks.kappa() > 0) weights->assign(blocks.reached().begin(), blocks.reached().end());
  point.regulariser = Regulariser(problem.lambda(), *weights);
  return FiguresOf(SumAtPoint(blocks, *weights, threads), point);
}

double FeasibleCoordinates(const FactorBlocks& blocks, Index m, std::vector<double>* coordinates) {
  const ExampleView example = blocks.problem().data().example(m);
  std::vector<double> p;
  MeanMarginals(example, blocks.layout(m), blocks.state(m), &p);
  coordinates->assign(example.structure().num_coordinates(), 0.0);
  const double loss = FeasiblePoint(blocks).Add(m, p, *coordinates);
  for (double& q : *coordinates) q = -q;
  return loss;
}

}  // namespace slackline::internal
