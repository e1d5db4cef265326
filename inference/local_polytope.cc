// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/local_polytope.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/factors/max_oracle.h>

namespace slackline::internal {
namespace {

/// Work space of `size` numbers: on the stack up to 128, else on the heap.
class Scratch {
 public:
  explicit Scratch(std::size_t size) : size_(size) {
    if (size > small_.size()) large_.resize(size);
  }
  std::span<double> get() { return {large_.empty() ? small_.data() : large_.data(), size_}; }

 private:
  std::size_t size_;
  std::array<double, 128> small_;
  std::vector<double> large_;
};

/// One axis of a table: entry (o, s, r) lies at (o · states + s) · inner + r.
struct Axis {
  std::size_t outer = 1;
  std::size_t states = 1;
  std::size_t inner = 1;
};

template <class Body>  // body(axis, variable)
void ForEachAxis(const FactorGraph& graph, Index c, Body body) {
  Axis axis;
  axis.inner = graph.factor_states(c);
  for (const Index i : graph.scope(c)) {
    axis.states = graph.cardinality(i);
    axis.inner /= axis.states;
    body(axis, i);
    axis.outer *= axis.states;
  }
}

void Marginalise(const Axis& axis, std::span<const double> table, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  const double* entry = table.data();
  for (std::size_t o = 0; o < axis.outer; ++o) {
    for (std::size_t s = 0; s < axis.states; ++s) {
      double sum = 0;
      for (std::size_t r = 0; r < axis.inner; ++r) sum += *entry++;
      out[s] += sum;
    }
  }
}

void ScaleSlices(const Axis& axis, std::span<const double> factor, std::span<double> table) {
  double* entry = table.data();
  for (std::size_t o = 0; o < axis.outer; ++o) {
    for (std::size_t s = 0; s < axis.states; ++s) {
      for (std::size_t r = 0; r < axis.inner; ++r) *entry++ *= factor[s];
    }
  }
}

std::span<const double> VariableTable(const FactorGraph& graph, Index i,
                                      std::span<const double> p) {
  return p.subspan(graph.state_offset(i), graph.cardinality(i));
}

/// Whether the table has no negative entry and its marginals differ from p only by rounding errors.
bool Fits(const FactorGraph& graph, Index c, std::span<const double> p,
          std::span<const double> table, std::span<double> work) {
  bool fits = std::all_of(table.begin(), table.end(), [](double entry) { return entry >= 0; });
  ForEachAxis(graph, c, [&](const Axis& axis, Index i) {
    if (!fits) return;
    const std::span<double> marginal = work.first(axis.states);
    Marginalise(axis, table, marginal);
    const std::span<const double> wanted = VariableTable(graph, i, p);
    for (std::size_t s = 0; s < axis.states; ++s)
      fits = fits && std::abs(marginal[s] - wanted[s]) <= 5e-16;
  });
  return fits;
}

void RepairBinaryPair(double p, double q, std::span<double> table) {
  const double low = std::max(0.0, p + q - 1);
  const double both = std::max(low, std::min({table[3], p, q}));
  table[3] = both;
  table[2] = std::max(0.0, p - both);
  table[1] = std::max(0.0, q - both);
  table[0] = std::max(0.0, 1 - (p + q - both));
}

/// Algorithm 2 of Altschuler, Weed and Rigollet. `work`: the missing mass e_i of all axes, one
/// after the other.
void RepairTable(const FactorGraph& graph, Index c, std::span<const double> p,
                 std::span<double> table, std::span<double> work) {
  for (double& entry : table) entry = std::max(0.0, entry);
  ForEachAxis(graph, c, [&](const Axis& axis, Index i) {
    const std::span<double> factor = work.first(axis.states);
    Marginalise(axis, table, factor);
    const std::span<const double> wanted = VariableTable(graph, i, p);
    for (std::size_t s = 0; s < axis.states; ++s) {
      factor[s] = factor[s] > 0 ? std::min(1.0, wanted[s] / factor[s]) : 1.0;
    }
    ScaleSlices(axis, factor, table);
  });
  std::size_t begin = 0;
  double mass = 0;  // t: missing mass of the first axis
  ForEachAxis(graph, c, [&](const Axis& axis, Index i) {
    const std::span<double> missing = work.subspan(begin, axis.states);
    Marginalise(axis, table, missing);
    const std::span<const double> wanted = VariableTable(graph, i, p);
    double sum = 0;
    for (std::size_t s = 0; s < axis.states; ++s)
      sum += missing[s] = std::max(0.0, wanted[s] - missing[s]);
    if (begin == 0) mass = sum;
    // All axes except the first are normalised by their own sums, which differ from t only by
    // rounding errors.
    if (begin > 0 && sum > 0) {
      for (double& e : missing) e /= sum;
    }
    if (sum == 0) mass = 0;
    begin += axis.states;
  });
  if (mass <= 1e-16) return;
  // Adds the outer product, last axis fastest.
  const std::span<const Index> scope = graph.scope(c);
  for (std::size_t joint = 0; joint < table.size(); ++joint) {
    std::size_t rest = joint;
    std::size_t end = begin;
    double product = 1;
    for (std::size_t k = scope.size(); k-- > 0;) {
      const std::size_t states = graph.cardinality(scope[k]);
      end -= states;
      product *= work[end + rest % states];
      rest /= states;
    }
    table[joint] += product;
  }
}

}  // namespace

void RepairFactor(const FactorGraph& graph, Index c, std::span<const double> p,
                  std::span<double> table) {
  const std::span<const Index> scope = graph.scope(c);
  if (scope.size() == 1) {
    const std::span<const double> wanted = VariableTable(graph, scope[0], p);
    std::copy(wanted.begin(), wanted.end(), table.begin());
    return;
  }
  std::size_t states = 0;
  for (const Index i : scope) states += graph.cardinality(i);
  Scratch scratch(states);
  if (Fits(graph, c, p, table, scratch.get())) return;
  if (scope.size() == 2 && table.size() == 4 && states == 4) {
    RepairBinaryPair(VariableTable(graph, scope[0], p)[1], VariableTable(graph, scope[1], p)[1],
                     table);
  } else {
    RepairTable(graph, c, p, table, scratch.get());
  }
}

void RepairToLocalPolytope(const FactorGraph& graph, std::span<const double> p,
                           std::span<double> marginals) {
  SLACKLINE_CHECK(
      std::ssize(p) >= graph.variable_states() && std::ssize(marginals) == graph.total_states(),
      "marginals do not fit the graph");
  if (p.data() != marginals.data()) {
    std::copy_n(p.begin(), graph.variable_states(), marginals.begin());
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    RepairFactor(graph, c, p, marginals.subspan(graph.factor_offset(c), graph.factor_states(c)));
  }
}

double PolytopeViolation(const FactorGraph& graph, std::span<const double> marginals) {
  SLACKLINE_CHECK(std::ssize(marginals) == graph.total_states(), "marginals do not fit the graph");
  double worst = 0;
  for (const double entry : marginals) worst = std::max(worst, entry == entry ? -entry : kInfinity);
  for (Index i = 0; i < graph.num_variables(); ++i) {
    double sum = 0;
    for (const double entry : VariableTable(graph, i, marginals)) sum += entry;
    worst = std::max(worst, std::abs(sum - 1));
  }
  std::vector<double> marginal;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const auto table = marginals.subspan(graph.factor_offset(c), graph.factor_states(c));
    ForEachAxis(graph, c, [&](const Axis& axis, Index i) {
      marginal.resize(axis.states);
      Marginalise(axis, table, marginal);
      const std::span<const double> wanted = VariableTable(graph, i, marginals);
      for (std::size_t s = 0; s < axis.states; ++s)
        worst = std::max(worst, std::abs(marginal[s] - wanted[s]));
    });
  }
  return worst;
}

double DualBound(const FactorGraph& graph, std::span<const double> scores,
                 std::span<const double> messages) {
  SLACKLINE_CHECK(
      std::ssize(scores) == graph.total_states() && std::ssize(messages) == graph.total_messages(),
      "scores or messages do not fit the graph");
  std::vector<double> belief(scores.begin(), scores.begin() + graph.variable_states());
  std::vector<Index> cardinalities;
  double bound = 0;
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const Offset begin = graph.message_offset(graph.edge(c, 0));
    const double* message = messages.data() + begin;
    cardinalities.clear();
    for (const Index i : graph.scope(c)) {
      cardinalities.push_back(graph.cardinality(i));
      double* out = belief.data() + graph.state_offset(i);
      for (Index s = 0; s < graph.cardinality(i); ++s) out[s] += *message++;
    }
    const std::size_t length = message - messages.data() - begin;
    bound += ReparametrisedMax(cardinalities,
                               scores.subspan(graph.factor_offset(c), graph.factor_states(c)),
                               messages.subspan(begin, length))
                 .value;
  }
  for (Index i = 0; i < graph.num_variables(); ++i)
    bound += TableMax(VariableTable(graph, i, belief)).value;
  return bound;
}

double MarginalsScore(std::span<const double> scores, std::span<const double> marginals) {
  SLACKLINE_CHECK(scores.size() == marginals.size(), "marginals do not fit the scores");
  double sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k)
    sum += marginals[k] == 0 ? 0.0 : scores[k] * marginals[k];  // 0 where the score is −∞, too
  return sum;
}

}  // namespace slackline::internal
