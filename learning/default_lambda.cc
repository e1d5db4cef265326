// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/default_lambda.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <slackline/core/exact_sum.h>
#include <slackline/core/kernel.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

/// A column that has the same value in all inputs.
struct ConstantColumn {
  Index number = 0;
  double value = 0;
};

/// Keeps the columns that are constant on all ranks, with the same value. any_inputs: whether this
/// rank has inputs at all; without them, all columns are constant.
void KeepCommonConstants(Ranks& ranks, bool any_inputs, std::vector<ConstantColumn>* constants) {
  const std::vector<Offset> counts =
      ranks.Gather(any_inputs ? static_cast<Offset>(constants->size()) : Offset{-1});
  const std::vector<ConstantColumn> all = ranks.Join(std::span<const ConstantColumn>(*constants));
  constants->clear();
  bool first = true;
  auto begin = all.begin();
  for (const Offset count : counts) {
    if (count < 0) continue;
    const auto end = begin + count;
    if (first) constants->assign(begin, end);
    first = false;
    std::erase_if(*constants, [&](const ConstantColumn& column) {
      const auto found = std::lower_bound(
          begin, end, column.number,
          [](const ConstantColumn& other, Index number) { return other.number < number; });
      return found == end || found->number != column.number || found->value != column.value;
    });
    begin = end;
  }
}

/// Sum of the squared values of the columns that have the same value in all inputs of all ranks.
double SquaredConstants(const Dataset& data, Ranks& ranks) {
  using Column = ConstantColumn;
  std::vector<Column> constants;  // by ascending number
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
  // Where no column is left, other inputs need not be read.
  for (Index m = 0; m < data.size() && (first || !constants.empty()); ++m) {
    data.PrefetchSweep(0, m, data.size());
    const ExampleView example = data.example(m);
    Index before = -1;
    for (const Slot& slot : example.structure().slots()) {
      if (slot.input != before) keep(example.input(slot.input));
      before = slot.input;
    }
  }
  if (!ranks.alone()) KeepCommonConstants(ranks, !first, &constants);
  double sum = 0;
  for (const Column& column : constants) sum += column.value * column.value;
  return sum;
}

/// The squared norm of a variable's features, split into constants and the other features.
struct SplitNorm {
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
SplitNorm LargestSquaredNorm(const ExampleView& example, Index variable, const Kernel* kernel,
                             double squared_constants) {
  const Structure& structure = example.structure();
  const std::size_t states = structure.graph().num_states(variable);
  std::vector<SplitNorm> norms(states);
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
  return *std::max_element(norms.begin(), norms.end(), [](const SplitNorm& a, const SplitNorm& b) {
    return a.sum() < b.sum();
  });
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

/// Number of weights in the blocks that inputs are multiplied by, on some rank.
double NumLinearWeights(const Dataset& data, Ranks& ranks) {
  std::vector<std::int64_t> linear(data.layout().blocks().size(), 0);  // 1: on this rank
  for (const auto& structure : data.structures()) {
    for (const Slot& slot : structure->slots()) linear[Size(slot.block)] = 1;
  }
  ranks.AddUp(linear);
  double weights = 0;
  for (std::size_t b = 0; b < linear.size(); ++b) {
    if (linear[b] > 0)
      weights += static_cast<double>(data.layout().block(static_cast<Index>(b)).size());
  }
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
  Ranks& ranks = RanksOf(options);
  Ranks* const exactly = ExactRanks(options);
  if (UsesKernel(options)) RefuseKernelOnRanks(ranks);
  std::optional<Kernel> kernel;
  if (UsesKernel(options)) kernel = KernelOf(options, problem.data());
  SumOverExamples variables(exactly);
  SumOverExamples features(exactly);
  SumOverExamples constants(exactly);
  const double squared_constants = kernel ? 0 : SquaredConstants(problem.data(), ranks);
  SumOverExamples losses(exactly);
  SumOverExamples linear_rows(exactly);
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    losses.Add(SingleErrors(problem, m));
    variables.Add(example.graph().num_variables());
    for (Index i = 0; i < example.graph().num_variables(); ++i) {
      const SplitNorm norm =
          LargestSquaredNorm(example, i, kernel ? &*kernel : nullptr, squared_constants);
      features.Add(norm.features);
      constants.Add(norm.constants);
      linear_rows.Add(NumLinearRows(example.structure(), i));
    }
  }
  CostScales scales;
  scales.num_examples = NumExamples(problem, ranks);
  const double num_variables = variables.Total();
  SplitNorm norms{features.Total(), constants.Total()};
  if (norms.features > 0) norms.constants = std::min(norms.constants, norms.features);
  if (norms.sum() > 0) scales.mean_squared_norm = norms.sum() / num_variables;
  const double all_losses = losses.Total();
  if (all_losses > 0) scales.loss_per_variable = all_losses / num_variables;
  const double all_rows = linear_rows.Total();
  const double linear_weights = NumLinearWeights(problem.data(), ranks);
  if (all_rows > 0) scales.variables_per_weight = all_rows / linear_weights;
  return scales;
}

}  // namespace slackline::internal
