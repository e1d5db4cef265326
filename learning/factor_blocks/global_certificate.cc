// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/global_certificate.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/feature_map.h>

namespace slackline::internal {
namespace {

/// out = the entries of p on the axes of a global block, one after the other.
void Gather(const GlobalBlock& global, std::span<const double> p, double* out) {
  for (const TableAxis& axis : global.axes) {
    std::copy_n(p.begin() + axis.state, axis.cardinality, out);
    out += axis.cardinality;
  }
}

/// The marginals of the states of an active set with these shares.
void Marginals(const GlobalBlock& global, const GlobalCorners& corners,
               std::span<const double> share, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (Index k = 0; k < corners.count(); ++k) {
    AddIndicators(global, corners.corner(k, global.axes.size()), share[k], out.data());
  }
}

bool AllAllow(const BlockLayout& layout, std::span<const Index> labels,
              std::vector<Index>* states) {
  for (const GlobalBlock& global : layout.globals) {
    if (!global.factor->IsRestricted()) continue;
    states->clear();
    for (const TableAxis& axis : global.axes) states->push_back(labels[axis.variable]);
    if (!global.factor->Allows(*states)) return false;
  }
  return true;
}

}  // namespace

void AddGlobalMarginals(const BlockLayout& layout, const double* state, std::span<double> p) {
  for (const GlobalBlock& global : layout.globals) {
    for (const TableAxis& axis : global.axes) {
      for (Index s = 0; s < axis.cardinality; ++s) p[axis.state + s] += state[axis.marginal + s];
    }
  }
}

void TakeGlobalMarginals(const BlockLayout& layout, const double* state, std::span<double> p) {
  for (std::size_t g = layout.globals.size(); g-- > 0;) {
    for (const TableAxis& axis : layout.globals[g].axes) {
      // Division by the sum normalises exactly, in spite of the rounding errors of steps.
      double sum = 0;
      for (Index s = 0; s < axis.cardinality; ++s) sum += std::max(0.0, state[axis.marginal + s]);
      for (Index s = 0; s < axis.cardinality; ++s)
        p[axis.state + s] = std::max(0.0, state[axis.marginal + s]) / sum;
    }
  }
}

bool GlobalRepair::FitRestricted(const BlockLayout& layout, const double* state,
                                 std::span<double> p) {
  std::vector<bool> taken;
  for (const GlobalBlock& global : layout.globals) {
    if (!global.factor->IsRestricted()) continue;
    taken.resize(layout.degree.size());
    for (const TableAxis& axis : global.axes) {
      if (taken[axis.variable]) return false;
      taken[axis.variable] = true;
      for (Index s = 0; s < axis.cardinality; ++s)
        p[axis.state + s] = std::max(0.0, state[axis.marginal + s]);
    }
  }
  return true;
}

/// Adds the features of a mixture with total share `missing` and marginals rest_, whose sum on
/// every axis is about `missing`. Empties rest_.
void GlobalRepair::Fill(const GlobalBlock& global, double missing, std::span<double> features) {
  const std::size_t axes = global.axes.size();
  states_.assign(axes, 0);
  double left = missing;
  while (left > 0) {
    // states_ has the current state of every axis. The axis with the least mass left in its state
    // limits the mass of this joint state.
    double mass = left;
    const double* rest = rest_.data();
    std::size_t first = axes;
    for (std::size_t a = 0; a < axes; ++a) {
      const Index cardinality = global.axes[a].cardinality;
      while (states_[a] + 1 < cardinality && rest[states_[a]] <= 0) ++states_[a];
      // Rounding errors end up in the last state.
      if (states_[a] + 1 < cardinality && rest[states_[a]] < mass) {
        mass = rest[states_[a]];
        first = a;
      }
      rest += cardinality;
    }
    global.factor->AddFeatures(states_, mass, features);
    if (first == axes) break;
    left -= mass;
    double* own = rest_.data();
    for (std::size_t a = 0; a < axes; ++a) {
      own[states_[a]] = a == first ? 0.0 : own[states_[a]] - mass;
      own += global.axes[a].cardinality;
    }
  }
}

void GlobalRepair::Subtract(const GlobalBlocks& blocks, Index m, Index g, const BlockLayout& layout,
                            const double* state, std::span<const double> p, std::span<double> q) {
  const GlobalBlock& global = layout.globals[g];
  if (global.num_weights == 0) return;
  const auto subtract = [&](std::span<const double> features) {
    for (std::size_t k = 0; k < features.size(); ++k) q[global.coordinate + k] -= features[k];
  };
  const std::span<const double> own(state + global.features, global.num_weights);
  if (global.factor->IsRestricted()) return subtract(own);

  rest_.resize(global.num_states);
  marginals_.resize(global.num_states);
  features_.assign(own.size(), 0.0);
  Gather(global, p, rest_.data());
  double missing = 0;
  if (blocks.keeps_corners()) {
    const GlobalCorners& corners = blocks.corners(m, g);
    share_ = corners.share;
    std::size_t begin = 0;
    for (std::size_t a = 0; a < global.axes.size(); ++a) {
      Marginals(global, corners, share_, marginals_);
      for (Index k = 0; k < corners.count(); ++k) {
        const std::size_t s = begin + corners.corner(k, global.axes.size())[a];
        if (marginals_[s] > rest_[s]) share_[k] *= std::max(0.0, rest_[s]) / marginals_[s];
      }
      begin += global.axes[a].cardinality;
    }
    Marginals(global, corners, share_, marginals_);
    missing = 1;
    for (Index k = 0; k < corners.count(); ++k) {
      missing -= share_[k];
      if (share_[k] > 0)
        global.factor->AddFeatures(corners.corner(k, global.axes.size()), share_[k], features_);
    }
  } else {
    double scale = 1;
    for (std::size_t s = 0; s < rest_.size(); ++s) {
      marginals_[s] = std::max(0.0, state[global.marginals + static_cast<Offset>(s)]);
      if (marginals_[s] > rest_[s]) scale = std::min(scale, rest_[s] / marginals_[s]);
    }
    for (double& marginal : marginals_) marginal *= scale;
    for (std::size_t k = 0; k < own.size(); ++k) features_[k] = scale * own[k];
    missing = 1 - scale;
  }
  if (missing > 1e-15) {
    for (std::size_t s = 0; s < rest_.size(); ++s)
      rest_[s] = std::max(0.0, rest_[s] - marginals_[s]);
    Fill(global, missing, features_);
  }
  subtract(features_);
}

double GlobalRepair::SubtractLabellings(const GlobalBlocks& blocks, Index m,
                                        const ExampleView& example, const BlockLayout& layout,
                                        std::span<const double> p, std::span<const double> loss,
                                        std::span<double> q) {
  const FactorGraph& graph = example.graph();
  Index largest = -1;
  for (std::size_t g = 0; g < layout.globals.size(); ++g) {
    const auto axes = [&](Index other) { return layout.globals[other].axes.size(); };
    if (!layout.globals[g].factor->IsRestricted()) continue;
    if (largest < 0 || axes(static_cast<Index>(g)) > axes(largest)) largest = static_cast<Index>(g);
  }
  double value = 0;
  const auto add = [&](std::span<const Index> labels, double share) {
    AddLabellingFeatures(example, labels, -share, q);
    for (Index i = 0; i < graph.num_variables(); ++i)
      value += share * loss[graph.state_offset(i) + labels[i]];
  };
  double truth_share = 1;
  const GlobalBlock& global = layout.globals[largest];
  const GlobalCorners& corners = blocks.corners(m, largest);
  labels_.resize(graph.num_variables());
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const auto begin = p.begin() + graph.state_offset(i);
    labels_[i] = static_cast<Index>(std::max_element(begin, begin + graph.cardinality(i)) - begin);
  }
  // Every state of the active set assigns the same variables.
  for (Index k = 0; k < corners.count(); ++k) {
    const std::span<const Index> states = corners.corner(k, global.axes.size());
    for (std::size_t a = 0; a < states.size(); ++a) labels_[global.axes[a].variable] = states[a];
    if (!AllAllow(layout, labels_, &states_)) continue;
    add(labels_, corners.share[k]);
    truth_share -= corners.share[k];
  }
  if (truth_share > 0) add(example.labels(), truth_share);
  return value;
}

GlobalSums EvaluateGlobals(const BlockLayout& layout, const double* state, double inverse_rho,
                           std::span<const double> u, std::span<double> messages) {
  GlobalSums sums;
  if (layout.globals.empty()) return sums;
  std::vector<double> delta(layout.largest_global);
  std::vector<Index> states;
  for (const GlobalBlock& global : layout.globals) {
    GlobalMessages(global, state, inverse_rho, delta.data());
    const double* own = delta.data();
    double at_mu = 0;
    for (const TableAxis& axis : global.axes) {
      for (Index s = 0; s < axis.cardinality; ++s, ++own) {
        const double v = state[axis.marginal + s] - state[axis.state + s];
        sums.violation_sq += v * v;
        if (axis.eta >= 0) sums.eta_v += state[axis.eta + s] * v;
        sums.max_violation = std::max(sums.max_violation, std::abs(v));
        at_mu -= *own * state[axis.marginal + s];
        messages[axis.state + s] += *own;
      }
    }
    const std::span<const double> local = u.subspan(global.coordinate, global.num_weights);
    for (std::size_t k = 0; k < local.size(); ++k)
      at_mu += local[k] * state[global.features + static_cast<Offset>(k)];
    states.resize(global.axes.size());
    const double high =
        CheckedMaximum(*global.factor, local, std::span(delta).first(global.num_states), states);
    sums.maxima += high;
    sums.gaps += high - at_mu;
    sums.edges += static_cast<Offset>(global.axes.size());
  }
  return sums;
}

}  // namespace slackline::internal
