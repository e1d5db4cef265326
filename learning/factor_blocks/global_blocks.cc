// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/global_blocks.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/feature_map.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

/// Steps within the active set after the step with the oracle's state.
constexpr int kInnerSteps = 2;

/// The number of a joint state in the active set, or −1.
Index FindCorner(const GlobalCorners& corners, std::span<const Index> states) {
  for (Index k = 0; k < corners.count(); ++k) {
    const std::span<const Index> kept = corners.corner(k, states.size());
    if (std::equal(kept.begin(), kept.end(), states.begin())) return k;
  }
  return -1;
}

void Erase(std::size_t axes, Index corner, GlobalCorners* corners) {
  const auto begin = corners->states.begin() + static_cast<std::ptrdiff_t>(corner * axes);
  corners->states.erase(begin, begin + static_cast<std::ptrdiff_t>(axes));
  corners->share.erase(corners->share.begin() + corner);
}

}  // namespace

void AddIndicators(const GlobalBlock& global, std::span<const Index> states, double scale,
                   double* marginals) {
  for (std::size_t k = 0; k < states.size(); ++k) {
    marginals[states[k]] += scale;
    marginals += global.axes[k].cardinality;
  }
}

void GlobalMessages(const GlobalBlock& global, const double* state, double inverse_rho,
                    double* delta) {
  for (const TableAxis& axis : global.axes) {
    for (Index s = 0; s < axis.cardinality; ++s) {
      delta[s] = (state[axis.marginal + s] - state[axis.state + s]) * inverse_rho;
      if (axis.eta >= 0) delta[s] += state[axis.eta + s];
    }
    delta += axis.cardinality;
  }
}

void GlobalBlocks::Start(const ExampleView& example, const BlockLayout& layout, double* state) {
  for (std::size_t g = 0; g < layout.globals.size(); ++g) {
    const GlobalBlock& global = layout.globals[g];
    GlobalCorners corners;
    corners.states.resize(global.axes.size());
    GlobalStates(example.graph(), static_cast<Index>(g), example.labels(), corners.states);
    AddIndicators(global, corners.states, 1, state + global.marginals);
    if (global.num_weights > 0) {
      global.factor->AddFeatures(corners.states, 1,
                                 std::span(state + global.features, global.num_weights));
    }
    if (keep_) {
      corners.share.push_back(1);
    } else {
      corners.states.clear();
    }
    corners_.push_back(std::move(corners));
  }
  first_.push_back(static_cast<Offset>(corners_.size()));
  delta_.resize(std::max<std::size_t>(delta_.size(), layout.largest_global));
}

double GlobalBlocks::ReparametrisedScore(const GlobalBlock& global, std::span<const double> weights,
                                         std::span<const Index> states) const {
  return global.factor->Score(weights, states) -
         MessageSum(global.factor->cardinalities(), delta_, states);
}

GlobalBlocks::Direction GlobalBlocks::OracleDirection(const GlobalBlock& global,
                                                      const GlobalCorners& corners,
                                                      const double* state,
                                                      std::span<const double> weights) {
  new_states_.resize(global.axes.size());
  CheckedMaximum(*global.factor, weights, std::span(delta_).first(global.num_states), new_states_);
  // The score is recomputed, instead of taken from the oracle, so that it is comparable with the
  // scores of the active set.
  const double best = ReparametrisedScore(global, weights, new_states_);
  Direction direction;
  if (keep_) {
    direction = InnerDirection(global, corners, weights);
    const double low = scores_[direction.from];
    direction.to = FindCorner(corners, new_states_);
    direction.gap = best - low;
    return direction;
  }
  double mean = 0;
  for (std::size_t k = 0; k < weights.size(); ++k)
    mean += weights[k] * state[global.features + static_cast<Offset>(k)];
  for (Index s = 0; s < global.num_states; ++s) mean -= delta_[s] * state[global.marginals + s];
  direction.gap = best - mean;
  return direction;
}

/// The direction from the worst to the best state of the active set.
GlobalBlocks::Direction GlobalBlocks::InnerDirection(const GlobalBlock& global,
                                                     const GlobalCorners& corners,
                                                     std::span<const double> weights) {
  Direction direction{0, 0, 0, 1};
  scores_.resize(corners.share.size());
  for (Index k = 0; k < corners.count(); ++k) {
    const double score =
        ReparametrisedScore(global, weights, corners.corner(k, global.axes.size()));
    scores_[k] = score;
    if (score > scores_[direction.to]) direction.to = k;
    if (score < scores_[direction.from]) direction.from = k;
  }
  direction.gap = scores_[direction.to] - scores_[direction.from];
  direction.limit = corners.share[direction.from];
  return direction;
}

void GlobalBlocks::Move(const GlobalBlock& global, const Direction& direction,
                        const GlobalScales& scales, GlobalCorners* corners, double* state,
                        std::span<double> weights) {
  if (direction.gap <= 0) return;
  const std::size_t axes = global.axes.size();
  const std::size_t num_weights = weights.size();
  const std::span<const Index> to =
      direction.to < 0 ? std::span<const Index>(new_states_) : corners->corner(direction.to, axes);
  features_.assign(num_weights, 0.0);
  marginals_.assign(global.num_states, 0.0);
  global.factor->AddFeatures(to, 1, features_);
  AddIndicators(global, to, 1, marginals_.data());
  if (direction.from >= 0) {
    const std::span<const Index> from = corners->corner(direction.from, axes);
    global.factor->AddFeatures(from, -1, features_);
    AddIndicators(global, from, -1, marginals_.data());
  } else {
    for (std::size_t k = 0; k < num_weights; ++k)
      features_[k] -= state[global.features + static_cast<Offset>(k)];
    for (Index s = 0; s < global.num_states; ++s) marginals_[s] -= state[global.marginals + s];
  }
  double norm = 0;
  double penalty = 0;
  for (const double value : features_) norm += value * value;
  for (const double value : marginals_) penalty += value * value;
  const double step =
      LineSearch(direction.gap, norm * scales.inverse_lambda_m + penalty * scales.inverse_rho,
                 direction.limit);
  for (std::size_t k = 0; k < num_weights; ++k) {
    state[global.features + static_cast<Offset>(k)] += step * features_[k];
    weights[k] -= step * scales.inverse_lambda_m * features_[k];
  }
  for (Index s = 0; s < global.num_states; ++s) state[global.marginals + s] += step * marginals_[s];
  if (direction.from < 0) return;
  if (direction.to < 0) {
    corners->states.insert(corners->states.end(), new_states_.begin(), new_states_.end());
    corners->share.push_back(step);
  } else {
    corners->share[direction.to] += step;
  }
  if (step >= direction.limit) {
    Erase(axes, direction.from, corners);
  } else {
    corners->share[direction.from] -= step;
  }
}

void GlobalBlocks::Step(Index m, Index g, const BlockLayout& layout, const GlobalScales& scales,
                        double* state, std::span<double> weights) {
  const GlobalBlock& global = layout.globals[g];
  GlobalCorners& corners = corners_[first_[m] + g];
  const std::span<double> local = weights.subspan(global.weight, global.num_weights);
  GlobalMessages(global, state, scales.inverse_rho, delta_.data());
  const Direction first = OracleDirection(global, corners, state, local);
  Move(global, first, scales, &corners, state, local);
  if (!keep_) return;
  for (int step = 0; step < kInnerSteps && corners.count() > 1; ++step) {
    GlobalMessages(global, state, scales.inverse_rho, delta_.data());
    const Direction inner = InnerDirection(global, corners, local);
    if (inner.gap <= 0.1 * first.gap) break;  // a step on another block gains more
    Move(global, inner, scales, &corners, state, local);
  }
}

void GlobalBlocks::Mix(Index m, std::span<const GlobalCorners> before, const BlockLayout& layout,
                       double share) {
  if (!keep_) return;
  for (std::size_t g = 0; g < layout.globals.size(); ++g) {
    const std::size_t axes = layout.globals[g].axes.size();
    GlobalCorners& corners = corners_[first_[m] + g];
    for (double& own : corners.share) own *= share;
    for (Index k = 0; k < before[g].count(); ++k) {
      const std::span<const Index> states = before[g].corner(k, axes);
      const double own = (1 - share) * before[g].share[k];
      const Index same = FindCorner(corners, states);
      if (same >= 0) {
        corners.share[same] += own;
      } else {
        corners.states.insert(corners.states.end(), states.begin(), states.end());
        corners.share.push_back(own);
      }
    }
    for (Index k = corners.count(); k-- > 0;) {
      if (corners.share[k] == 0) Erase(axes, k, &corners);
    }
  }
}

void GlobalBlocks::AddMessages(const BlockLayout& layout, const double* state, double inverse_rho,
                               double* messages) {
  for (const GlobalBlock& global : layout.globals) {
    for (const TableAxis& axis : global.axes) {
      double* own = messages + axis.state;
      for (Index s = 0; s < axis.cardinality; ++s) {
        own[s] += state[axis.marginal + s] * inverse_rho;
        if (axis.eta >= 0) own[s] += state[axis.eta + s];
      }
    }
  }
}

void GlobalBlocks::AddMessagesOf(const BlockLayout& layout, Index variable, const double* state,
                                 double inverse_rho, double* own) {
  for (const GlobalBlock& global : layout.globals) {
    for (const TableAxis& axis : global.axes) {
      if (axis.variable != variable) continue;
      for (Index s = 0; s < axis.cardinality; ++s) {
        own[s] += (state[axis.marginal + s] - state[axis.state + s]) * inverse_rho;
        if (axis.eta >= 0) own[s] += state[axis.eta + s];
      }
    }
  }
}

void GlobalBlocks::UpdateMultipliers(const BlockLayout& layout, double eta_step, double* state) {
  for (const GlobalBlock& global : layout.globals) {
    for (const TableAxis& axis : global.axes) {
      for (Index s = 0; s < axis.cardinality; ++s) {
        state[axis.eta + s] += eta_step * (state[axis.marginal + s] - state[axis.state + s]);
      }
    }
  }
}

void GlobalBlocks::Rebuild(Index m, const BlockLayout& layout, double* state) const {
  if (!keep_) return;
  for (std::size_t g = 0; g < layout.globals.size(); ++g) {
    const GlobalBlock& global = layout.globals[g];
    const GlobalCorners& own = corners(m, static_cast<Index>(g));
    std::fill_n(state + global.marginals, global.num_states, 0.0);
    std::fill_n(state + global.features, global.num_weights, 0.0);
    for (Index k = 0; k < own.count(); ++k) {
      const std::span<const Index> states = own.corner(k, global.axes.size());
      AddIndicators(global, states, own.share[k], state + global.marginals);
      if (global.num_weights > 0) {
        global.factor->AddFeatures(states, own.share[k],
                                   std::span(state + global.features, global.num_weights));
      }
    }
  }
}

std::int64_t GlobalBlocks::memory_bytes() const {
  std::int64_t bytes = static_cast<std::int64_t>(corners_.size() * sizeof(GlobalCorners));
  for (const GlobalCorners& corners : corners_) {
    bytes += static_cast<std::int64_t>(corners.states.capacity() * sizeof(Index) +
                                       corners.share.capacity() * sizeof(double));
  }
  return bytes;
}

void GlobalBlocks::ArchiveCorners(const GlobalBlock& global, GlobalCorners* corners,
                                  StateArchive* archive) {
  const bool keeps = !corners->share.empty();
  const std::size_t axes = global.axes.size();
  const std::span<const Index> cardinalities = global.factor->cardinalities();
  archive->Indices(&corners->states, 0,
                   *std::max_element(cardinalities.begin(), cardinalities.end()) - 1);
  archive->FiniteList(&corners->share);
  if (!archive->loading()) return;
  if (keeps) StateReader::RequireShares(corners->share.data(), corners->share.size());
  StateReader::Require(
      corners->share.empty() != keeps && corners->states.size() == corners->share.size() * axes,
      "the kept states of a global factor do not fit it");
  for (Index k = 0; k < corners->count(); ++k) {
    const std::span<const Index> states = corners->corner(k, axes);
    bool good = corners->share[k] >= 0;
    for (std::size_t a = 0; a < axes; ++a) good = good && states[a] < cardinalities[a];
    StateReader::Require(good && global.factor->Allows(states),
                         "a kept state of a global factor does not exist or is forbidden");
  }
}

}  // namespace slackline::internal
