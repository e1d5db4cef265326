// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/default_lambda.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include <slackline/core/kernel.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

/// Sum of the squared values of the columns that have the same value in all inputs of the data.
double SquaredConstants(const Dataset& data) {
  struct Column {
    Index number;
    double value;
  };
  std::vector<Column> constants;
  bool first = true;
  const auto keep = [&](const FeatureRow& row) {
    if (first) {
      for (Index k = 0; k < row.count; ++k)
        constants.push_back({row.dense() ? k : row.columns[k], row.values[k]});
      first = false;
      return;
    }
    std::erase_if(constants, [&](const Column& column) {
      if (row.dense())
        return column.number >= row.count || row.values[column.number] != column.value;
      const Index* end = row.columns + row.count;
      const Index* found = std::lower_bound(row.columns, end, column.number);
      return found == end || *found != column.number ||
             row.values[found - row.columns] != column.value;
    });
  };
  for (Index m = 0; m < data.size(); ++m) {
    const ExampleView example = data.example(m);
    for (const Slot& slot : example.structure().slots()) keep(example.input(slot.input));
  }
  double sum = 0;
  for (const Column& column : constants) sum += column.value * column.value;
  return sum;
}

/// The squared norm of a variable's features, split into constants and the other features.
struct SquaredNorm {
  double features = 0;
  double constants = 0;
  double sum() const { return features + constants; }
};

/// ‖φ(s)‖² of state s of a term. `input`: the squared norm of the input of a linear term, which is
/// the value of every state that the term has.
double SquaredValue(const ExampleView& example, const FeatureTerm& term, std::size_t state,
                    double input) {
  const StateMap& map = example.structure().map(term.map);
  if (map.rows[state] == kAbsent) return 0;
  switch (term.kind) {
    case FeatureKind::kLinear:
      return input;
    case FeatureKind::kPotential: {
      const double x = example.potentials()[term.source + state];
      return x * x;
    }
    case FeatureKind::kConstant:
      return map.values.empty() ? 1.0 : map.values[state] * map.values[state];
  }
  return 0;
}

/// max over the states y of ‖φ_i(y)‖². The terms of a variable share no rows, so that their squared
/// norms add up. squared_constants: SquaredConstants of the data.
SquaredNorm LargestSquaredNorm(const ExampleView& example, Index variable, const Kernel* kernel,
                               double squared_constants) {
  const Structure& structure = example.structure();
  const std::size_t states = structure.graph().num_states(variable);
  std::vector<SquaredNorm> norms(states);
  for (const FeatureTerm& term : structure.terms(variable)) {
    double input = 0;
    if (term.kind == FeatureKind::kLinear) {
      const Slot& slot = structure.slots()[term.source];
      const FeatureRow x = example.input(slot.input);
      input = kernel != nullptr ? KernelValue(*kernel, x, x) : x.squared_norm;
    }
    for (std::size_t s = 0; s < states; ++s) {
      const double value = SquaredValue(example, term, s, input);
      const double constants = term.kind == FeatureKind::kConstant              ? value
                               : term.kind == FeatureKind::kLinear && value > 0 ? squared_constants
                                                                                : 0;
      norms[s].constants += constants;
      norms[s].features += std::max(0.0, value - constants);
    }
  }
  return *std::max_element(
      norms.begin(), norms.end(),
      [](const SquaredNorm& a, const SquaredNorm& b) { return a.sum() < b.sum(); });
}

/// Number of weight rows that the linear terms of a variable use.
double NumLinearRows(const Structure& structure, Index variable) {
  double rows = 0;
  for (const FeatureTerm& term : structure.terms(variable)) {
    if (term.kind != FeatureKind::kLinear) continue;
    std::vector<Index> reached = structure.map(term.map).rows;
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    rows += static_cast<double>(reached.size() - (reached.front() == kAbsent ? 1 : 0));
  }
  return rows;
}

/// Number of weights in the blocks that inputs are multiplied by.
double NumLinearWeights(const Dataset& data) {
  std::set<Index> blocks;
  for (const auto& structure : data.structures()) {
    for (const Slot& slot : structure->slots()) blocks.insert(slot.block);
  }
  double weights = 0;
  for (const Index b : blocks) weights += static_cast<double>(data.layout().block(b).size());
  return weights;
}

/// Σ_i max_s Δ of the labelling in which variable i alone is wrong and has state s.
double SingleErrors(const Problem& problem, Index m) {
  if (problem.training().form != LossForm::kF1) return LargestLoss(problem, m);
  const std::span<const Index> truth = problem.data().example(m).labels();
  const auto relevant = static_cast<Index>(std::count(truth.begin(), truth.end(), 1));
  const auto others = static_cast<Index>(truth.size()) - relevant;
  const double missed = relevant > 0 ? relevant * F1Loss(relevant, relevant - 1, 0) : 0.0;
  return missed + others * F1Loss(relevant, relevant, 1);
}

}  // namespace

double RoundedLambda(double lambda) {
  // 0, infinity, NaN and numbers beyond this power have no digits to keep.
  constexpr double kLargestPower = 1e300;
  if (!(lambda >= 1 / kLargestPower && lambda <= kLargestPower)) return lambda;
  const int exponent = static_cast<int>(std::floor(std::log10(lambda))) - 2;
  // Powers of ten with a positive exponent are whole numbers; a division by one of them gives the
  // same double as parsing the digits.
  const double digits = std::round(lambda / std::pow(10.0, exponent));
  return exponent < 0 ? digits / std::pow(10.0, -exponent) : digits * std::pow(10.0, exponent);
}

CostScales ScalesOf(const Problem& problem, const TrainOptions& options) {
  std::optional<Kernel> kernel;
  if (UsesKernel(options)) kernel = KernelOf(options, problem.data());
  double variables = 0;
  SquaredNorm norms;
  const double squared_constants = kernel ? 0 : SquaredConstants(problem.data());
  double losses = 0;
  double linear_rows = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    losses += SingleErrors(problem, m);
    for (Index i = 0; i < example.graph().num_variables(); ++i) {
      const SquaredNorm norm =
          LargestSquaredNorm(example, i, kernel ? &*kernel : nullptr, squared_constants);
      norms.features += norm.features;
      norms.constants += norm.constants;
      linear_rows += NumLinearRows(example.structure(), i);
      ++variables;
    }
  }
  CostScales scales;
  scales.num_examples = static_cast<double>(problem.size());
  if (norms.features > 0) norms.constants = std::min(norms.constants, norms.features);
  if (norms.sum() > 0) scales.mean_squared_norm = norms.sum() / variables;
  if (losses > 0) scales.loss_per_variable = losses / variables;
  if (linear_rows > 0) scales.variables_per_weight = linear_rows / NumLinearWeights(problem.data());
  return scales;
}

}  // namespace slackline::internal
