// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/loss_counts.h>

#include <algorithm>
#include <cmath>

namespace slackline::internal {
namespace {

/// Multiples of a unit may differ by this relative error, since losses are quotients of numbers.
constexpr double kCountRounding = 1e-12;
constexpr std::size_t kMostDifferent = 64;  // values > 0 of single states
constexpr int kMostUnitParts = 12;          // a unit is the smallest value or 1/k of it

bool Same(double a, double b) { return std::abs(a - b) <= kCountRounding * std::max(a, b); }

/// The different values > 0 in increasing order; empty if there are none, or too many.
std::vector<double> DifferentValues(std::span<const double> loss) {
  std::vector<double> values;
  for (const double x : loss) {
    if (x == 0) continue;
    const bool known =
        std::any_of(values.begin(), values.end(), [&](double v) { return Same(v, x); });
    if (known) continue;
    if (values.size() == kMostDifferent) return {};
    values.push_back(x);
  }
  std::sort(values.begin(), values.end());
  return values;
}

/// The largest unit of which all values are multiples; 0 if none was found.
double CommonUnit(std::span<const double> values) {
  for (int parts = 1; parts <= kMostUnitParts; ++parts) {
    const double unit = values.front() / parts;
    const bool fits = std::all_of(values.begin(), values.end(), [&](double v) {
      const double multiple = std::round(v / unit);
      return multiple <= kMostLossValues && Same(v, multiple * unit);
    });
    if (fits) return unit;
  }
  return 0;
}

/// Sets counts->largest. Returns the number of pairs of counts.
double SumLargest(const FactorGraph& graph, LossCounts* counts) {
  counts->largest = {};
  for (Index i = 0; i < graph.num_variables(); ++i) {
    StateCounts own;
    for (Index s = 0; s < graph.cardinality(i); ++s) {
      const StateCounts& state = counts->states[graph.state_offset(i) + s];
      own.first = std::max(own.first, state.first);
      own.second = std::max(own.second, state.second);
    }
    // No Index overflows, since the sums are clipped at the limit.
    counts->largest.first = std::min<Index>(counts->largest.first + own.first, kMostLossValues);
    counts->largest.second = std::min<Index>(counts->largest.second + own.second, kMostLossValues);
  }
  return (counts->largest.first + 1.0) * (counts->largest.second + 1.0);
}

template <class Value>
void FillValues(const Value& value, LossCounts* counts) {
  counts->values.clear();
  for (Index h = 0; h <= counts->largest.first; ++h) {
    for (Index f = 0; f <= counts->largest.second; ++f) counts->values.push_back(value(h, f));
  }
}

/// 1 − F1 of binary labels.
void CountF1(const ExampleView& example, LossCounts* counts) {
  const std::span<const Index> truth = example.labels();
  counts->states.assign(example.graph().variable_states(), {});
  Index relevant = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    StateCounts& state = counts->states[2 * i + 1];
    (truth[i] == 1 ? state.first : state.second) = 1;
    relevant += truth[i];
  }
  counts->largest = {relevant, static_cast<Index>(truth.size()) - relevant};
  FillValues([&](Index h, Index f) { return F1Loss(relevant, h, f); }, counts);
}

}  // namespace

bool CountLosses(const Problem& problem, Index m, LossCounts* counts) {
  const ExampleView example = problem.data().example(m);
  if (problem.training().form == LossForm::kF1) {
    CountF1(example, counts);
    return true;
  }
  const std::span<const double> loss = problem.loss(m);
  counts->states.assign(loss.size(), {});
  const std::vector<double> values = DifferentValues(loss);
  if (values.empty()) {
    counts->largest = {};
    counts->values.assign(1, 0.0);
    return std::all_of(loss.begin(), loss.end(), [](double x) { return x == 0; });
  }
  double size = kInfinity;
  const double unit = CommonUnit(values);
  if (unit > 0) {
    for (std::size_t s = 0; s < loss.size(); ++s)
      counts->states[s] = {0, static_cast<Index>(std::round(loss[s] / unit))};
    size = SumLargest(example.graph(), counts);
    FillValues([&](Index /*h*/, Index f) { return f * unit; }, counts);
  }
  if (values.size() == 2) {
    LossCounts two;
    two.states.assign(loss.size(), {});
    for (std::size_t s = 0; s < loss.size(); ++s) {
      if (loss[s] == 0) continue;
      (Same(loss[s], values[0]) ? two.states[s].first : two.states[s].second) = 1;
    }
    const double pairs = SumLargest(example.graph(), &two);
    if (pairs < size) {
      size = pairs;
      if (size <= kMostLossValues)
        FillValues([&](Index h, Index f) { return h * values[0] + f * values[1]; }, &two);
      *counts = std::move(two);
    }
  }
  return size <= kMostLossValues;
}

}  // namespace slackline::internal
