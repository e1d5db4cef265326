// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/star_updates.h>

#include <algorithm>
#include <cmath>

namespace slackline::internal {
namespace {

/// One axis of a factor's table: runs of `stride` states for each of its `cardinality` states.
struct TableAxis {
  Index cardinality;
  Index stride;
  Index states;  // number of states of the table
};

TableAxis TableAxisOf(const FactorGraph& graph, const Incidence& incidence) {
  const auto scope = graph.scope(incidence.factor);
  Index stride = 1;
  for (std::size_t k = incidence.position + 1; k < scope.size(); ++k)
    stride *= graph.cardinality(scope[k]);
  const std::size_t position = incidence.position;
  return {graph.cardinality(scope[position]), stride, graph.factor_states(incidence.factor)};
}

/// Calls visit(s, run of `stride` states) for every run of states that agree with s on the axis.
template <class Table, class Visit>
void ForEachRun(const TableAxis& axis, Table* table, const Visit& visit) {
  for (Index outer = 0; outer < axis.states; outer += axis.cardinality * axis.stride) {
    for (Index s = 0; s < axis.cardinality; ++s) visit(s, table + outer + s * axis.stride);
  }
}

void MaxMarginals(const TableAxis& axis, const double* table, double temperature, double* high,
                  double* soft) {
  std::fill(high, high + axis.cardinality, -kInfinity);
  ForEachRun(axis, table, [&](Index s, const double* run) {
    for (Index t = 0; t < axis.stride; ++t) high[s] = std::max(high[s], run[t]);
  });
  if (temperature == 0) return;
  std::fill(soft, soft + axis.cardinality, 0.0);
  ForEachRun(axis, table, [&](Index s, const double* run) {
    for (Index t = 0; t < axis.stride; ++t) soft[s] += std::exp((run[t] - high[s]) / temperature);
  });
  for (Index s = 0; s < axis.cardinality; ++s) high[s] += temperature * std::log(soft[s]);
}

void AddToAxis(const TableAxis& axis, const double* message, double sign, double* table) {
  ForEachRun(axis, table, [&](Index s, double* run) {
    for (Index t = 0; t < axis.stride; ++t) run[t] += sign * message[s];
  });
}

std::span<const double> Table(const FactorGraph& graph, Index part, std::span<const double> flat) {
  return flat.subspan(graph.state_offset(part), graph.num_states(part));
}

}  // namespace

void Reparametrise(const FactorGraph& graph, std::span<const double> messages,
                   std::span<double> scores) {
  for (Index i = 0; i < graph.num_variables(); ++i) {
    for (const Incidence& incidence : graph.factors_of(i)) {
      const double* delta =
          messages.data() + graph.message_offset(graph.edge(incidence.factor, incidence.position));
      double* own = scores.data() + graph.state_offset(i);
      for (Index s = 0; s < graph.cardinality(i); ++s) own[s] += delta[s];
      AddToAxis(TableAxisOf(graph, incidence), delta, -1,
                scores.data() + graph.factor_offset(incidence.factor));
    }
  }
}

void StarUpdate(const FactorGraph& graph, Index i, double temperature,
                std::span<double> reparametrised, std::span<double> messages,
                std::vector<double>* work) {
  const auto factors = graph.factors_of(i);
  if (factors.empty()) return;
  const std::size_t states = graph.cardinality(i);
  work->resize(std::max(work->size(), (factors.size() + 1) * states));
  double* soft = work->data();  // work space of MaxMarginals, then t − m_ci
  double* marginals = work->data() + states;
  double* own = reparametrised.data() + graph.state_offset(i);
  for (std::size_t k = 0; k < factors.size(); ++k) {
    double* m = marginals + k * states;
    MaxMarginals(TableAxisOf(graph, factors[k]),
                 reparametrised.data() + graph.factor_offset(factors[k].factor), temperature, m,
                 soft);
    for (std::size_t s = 0; s < states; ++s) own[s] += m[s];
  }
  for (std::size_t s = 0; s < states; ++s) own[s] /= static_cast<double>(factors.size() + 1);
  for (std::size_t k = 0; k < factors.size(); ++k) {
    double* delta =
        messages.data() + graph.message_offset(graph.edge(factors[k].factor, factors[k].position));
    for (std::size_t s = 0; s < states; ++s) {
      soft[s] = own[s] - marginals[k * states + s];
      delta[s] -= soft[s];
    }
    AddToAxis(TableAxisOf(graph, factors[k]), soft, 1,
              reparametrised.data() + graph.factor_offset(factors[k].factor));
  }
}

void StarSweep(const FactorGraph& graph, double temperature, std::span<double> reparametrised,
               std::span<double> messages, std::vector<double>* work) {
  for (Index i = 0; i < graph.num_variables(); ++i)
    StarUpdate(graph, i, temperature, reparametrised, messages, work);
}

double SumOfMaxima(const FactorGraph& graph, double temperature,
                   std::span<const double> reparametrised) {
  double sum = 0;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const auto table = Table(graph, a, reparametrised);
    const double high = *std::max_element(table.begin(), table.end());
    sum += high;
    if (temperature == 0) continue;
    double total = 0;
    for (const double value : table) total += std::exp((value - high) / temperature);
    sum += temperature * std::log(total);
  }
  return sum;
}

void PartBeliefs(const FactorGraph& graph, double temperature,
                 std::span<const double> reparametrised, std::span<double> marginals) {
  std::fill(marginals.begin(), marginals.end(), 0.0);
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const auto table = Table(graph, a, reparametrised);
    const auto best = std::max_element(table.begin(), table.end());
    double* own = marginals.data() + graph.state_offset(a);
    if (temperature == 0) {
      own[best - table.begin()] = 1;
      continue;
    }
    double total = 0;
    for (std::size_t s = 0; s < table.size(); ++s)
      total += own[s] = std::exp((table[s] - *best) / temperature);
    for (std::size_t s = 0; s < table.size(); ++s) own[s] /= total;
  }
}

}  // namespace slackline::internal
