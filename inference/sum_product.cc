// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/sum_product.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/simd.h>
#include <slackline/inference/exp_kernel.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {
namespace {

// The kernels treat a table as outer × states × inner. If inner is 1 the innermost loop runs over
// states, else over inner.

/// table(o, s, r) += add[s].
SLACKLINE_MULTIVERSION
void AddAlong(Index outer, Index states, Index inner, const double* add, double* table) {
  if (inner == 1) {
    for (Index o = 0; o < outer; ++o, table += states) {
      for (Index s = 0; s < states; ++s) table[s] += add[s];
    }
    return;
  }
  for (Index o = 0; o < outer; ++o) {
    for (Index s = 0; s < states; ++s, table += inner) {
      const double plus = add[s];
      for (Index r = 0; r < inner; ++r) table[r] += plus;
    }
  }
}

/// table(o, s, r) *= factor[s].
SLACKLINE_MULTIVERSION
void ScaleAlong(Index outer, Index states, Index inner, const double* factor, double* table) {
  if (inner == 1) {
    for (Index o = 0; o < outer; ++o, table += states) {
      for (Index s = 0; s < states; ++s) table[s] *= factor[s];
    }
    return;
  }
  for (Index o = 0; o < outer; ++o) {
    for (Index s = 0; s < states; ++s, table += inner) {
      const double times = factor[s];
      for (Index r = 0; r < inner; ++r) table[r] *= times;
    }
  }
}

/// out[s] = max over o and r of table(o, s, r).
SLACKLINE_MULTIVERSION
void MaxAlong(Index outer, Index states, Index inner, const double* table, double* out) {
  std::fill_n(out, states, -kInfinity);
  if (inner == 1) {
    for (Index o = 0; o < outer; ++o, table += states) {
      for (Index s = 0; s < states; ++s) out[s] = Larger(table[s], out[s]);
    }
    return;
  }
  for (Index o = 0; o < outer; ++o) {
    for (Index s = 0; s < states; ++s, table += inner) {
      double best[4] = {out[s], -kInfinity, -kInfinity, -kInfinity};
      Index r = 0;
      for (; r + 4 <= inner; r += 4) {
        for (Index l = 0; l < 4; ++l) best[l] = Larger(table[r + l], best[l]);
      }
      for (; r < inner; ++r) best[0] = Larger(table[r], best[0]);
      out[s] = Larger(Larger(best[0], best[1]), Larger(best[2], best[3]));
    }
  }
}

/// out[s] = Σ over o and r of table(o, s, r).
SLACKLINE_MULTIVERSION
void SumAlong(Index outer, Index states, Index inner, const double* table, double* out) {
  std::fill_n(out, states, 0.0);
  if (inner == 1) {
    for (Index o = 0; o < outer; ++o, table += states) {
      for (Index s = 0; s < states; ++s) out[s] += table[s];
    }
    return;
  }
  for (Index o = 0; o < outer; ++o) {
    for (Index s = 0; s < states; ++s, table += inner) {
      double sum[4] = {0, 0, 0, 0};
      Index r = 0;
      for (; r + 4 <= inner; r += 4) {
        for (Index l = 0; l < 4; ++l) sum[l] += table[r + l];
      }
      for (; r < inner; ++r) sum[0] += table[r];
      out[s] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
}

/// table(o, s, r) = exp((table(o, s, r) − shift[s]) · inverse); sum[s] = their sum over o and r.
void ExpAlong(Index outer, Index states, Index inner, const double* shift, double inverse,
              double* table, double* sum) {
  if (inner == 1) return ExpColumns(table, outer, states, shift, inverse, sum);
  std::fill_n(sum, states, 0.0);
  for (Index o = 0; o < outer; ++o) {
    for (Index s = 0; s < states; ++s, table += inner)
      sum[s] += ExpSum(table, inner, shift[s], inverse);
  }
}

ForestSteps CheckedForest(const FactorGraph& graph) {
  RequireTablesOnly(graph, "sum-product");
  if (!IsForest(graph)) throw DataError("sum-product needs a graph without cycles");
  return ForestSteps(graph);
}

}  // namespace

SumProduct::SumProduct(std::shared_ptr<const FactorGraph> graph)
    : graph_(std::move(graph)), forest_(CheckedForest(*graph_)) {
  work_.resize(forest_.largest_table());
  shift_.resize(forest_.most_states());
  sums_.resize(forest_.message_states());
  belief_.resize(graph_->variable_states());
}

/// Adds the message of a factor to its parent's belief. `table` becomes the terms of the sums.
void SumProduct::SendUp(const ForestStep& step, std::span<const double> scores, double temperature,
                        double* table) {
  std::copy_n(scores.begin() + step.table, step.size, table);
  const std::span<const ForestAxis> axis = forest_.axes(step);
  for (Index k = 0; k < step.num_axes; ++k) {
    if (k == step.parent) continue;
    const ForestAxis& a = axis[k];
    AddAlong(a.outer, a.states, a.inner, belief(a.variable), table);
  }
  const ForestAxis& parent = axis[step.parent];
  MaxAlong(parent.outer, parent.states, parent.inner, table, shift_.data());
  // For states below which no labelling is allowed, all terms are −∞; a shift of 0 makes the sum 0.
  for (Index s = 0; s < parent.states; ++s) {
    if (shift_[s] == -kInfinity) shift_[s] = 0;
  }
  double* sum = sums_.data() + step.message;
  ExpAlong(parent.outer, parent.states, parent.inner, shift_.data(), 1 / temperature, table, sum);
  double* to = belief(parent.variable);
  for (Index s = 0; s < parent.states; ++s) to[s] += shift_[s] + temperature * std::log(sum[s]);
}

double SumProduct::Upward(std::span<const double> scores, double temperature,
                          std::span<double> tables) {
  SLACKLINE_CHECK(std::ssize(scores) == graph_->total_states(), "scores do not fit the graph");
  SLACKLINE_CHECK(temperature > 0 && std::isfinite(temperature) && std::isfinite(1 / temperature),
                  "the temperature must be positive and finite");
  std::copy_n(scores.begin(), belief_.size(), belief_.begin());
  for (const ForestStep& step : forest_.steps()) {
    SendUp(step, scores, temperature, tables.empty() ? work_.data() : tables.data() + step.table);
  }
  double value = 0;
  for (const Index root : forest_.roots()) {
    double* own = belief(root);
    const Index states = graph_->cardinality(root);
    const double largest = *std::max_element(own, own + states);
    RequireAllowedLabelling(largest);
    const double sum = ExpSum(own, states, largest, 1 / temperature);
    for (Index s = 0; s < states; ++s) own[s] /= sum;
    value += largest + temperature * std::log(sum);
  }
  return value;
}

/// Computes the marginals of a factor and of its other variables from those of its parent.
void SumProduct::SendDown(const ForestStep& step, std::span<double> marginals) {
  const std::span<const ForestAxis> axis = forest_.axes(step);
  const ForestAxis& parent = axis[step.parent];
  const double* own = marginals.data() + graph_->state_offset(parent.variable);
  const double* sum = sums_.data() + step.message;
  double* table = marginals.data() + step.table;
  for (Index s = 0; s < parent.states; ++s) shift_[s] = sum[s] > 0 ? own[s] / sum[s] : 0.0;
  ScaleAlong(parent.outer, parent.states, parent.inner, shift_.data(), table);
  for (Index k = 0; k < step.num_axes; ++k) {
    if (k == step.parent) continue;
    const ForestAxis& a = axis[k];
    SumAlong(a.outer, a.states, a.inner, table,
             marginals.data() + graph_->state_offset(a.variable));
  }
}

double SumProduct::Marginals(std::span<const double> scores, double temperature,
                             std::span<double> marginals) {
  SLACKLINE_CHECK(std::ssize(marginals) == graph_->total_states(),
                  "the output does not fit the graph");
  const double value = Upward(scores, temperature, marginals);
  for (const Index root : forest_.roots()) {
    std::copy_n(belief(root), graph_->cardinality(root),
                marginals.data() + graph_->state_offset(root));
  }
  for (std::size_t k = forest_.steps().size(); k-- > 0;) SendDown(forest_.steps()[k], marginals);
  return value;
}

double SumProduct::LogPartition(std::span<const double> scores, double temperature) {
  return Upward(scores, temperature, {});
}

}  // namespace slackline::internal
