// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/feature_bounds.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Eigenvalues>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>

namespace slackline::internal {
namespace {

/// The coordinate's value in a state that has the feature, without the input.
double Scalar(const ExampleView& example, const FeatureTerm& term, const StateMap& map,
              std::size_t state) {
  if (term.kind == FeatureKind::kPotential) return example.potentials()[term.source + state];
  return term.kind == FeatureKind::kLinear || map.values.empty() ? 1.0 : map.values[state];
}

/// Upper bound on the distance of a term's coordinates between two states, from the two largest
/// values of different rows.
double TermReach(const ExampleView& example, const FeatureTerm& term, const StateMap& map) {
  double low = 0;  // within a row, values may have both signs
  double high = 0;
  double best = 0;
  double second = 0;
  Index best_row = kAbsent;
  for (std::size_t s = 0; s < map.rows.size(); ++s) {
    if (map.rows[s] == kAbsent) continue;
    const double value = Scalar(example, term, map, s);
    low = std::min(low, value);
    high = std::max(high, value);
    const double square = value * value;
    if (square > best) {
      if (map.rows[s] != best_row) second = best;
      best = square;
      best_row = map.rows[s];
    } else if (map.rows[s] != best_row) {
      second = std::max(second, square);
    }
  }
  return std::max(std::sqrt(best + second), high - low);
}

/// How far the parts of an example can move its coordinates.
struct Reaches {
  std::vector<double> of_slots,
      of_blocks;                       // sums over parts, by slot and scalar block
  std::vector<double> of_coordinates;  // sums over parts, by coordinate
};

Reaches CollectReaches(const ExampleView& example) {
  const Structure& structure = example.structure();
  Reaches reaches;
  reaches.of_slots.assign(structure.slots().size(), 0.0);
  reaches.of_blocks.assign(structure.layout().num_blocks(), 0.0);
  reaches.of_coordinates.assign(structure.num_coordinates(), 0.0);
  std::vector<double> high(reaches.of_coordinates.size(), 0.0), low(high);
  for (Index a = 0; a < example.graph().num_parts(); ++a) {
    for (const FeatureTerm& term : structure.terms(a)) {
      const StateMap& map = structure.map(term.map);
      const bool linear = term.kind == FeatureKind::kLinear;
      (linear ? reaches.of_slots[term.source] : reaches.of_blocks[term.block]) +=
          TermReach(example, term, map);
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t s = 0; s < map.rows.size(); ++s) {
          if (map.rows[s] == kAbsent) continue;
          const std::size_t k = term.coordinate + map.rows[s];
          const double value = Scalar(example, term, map, s);
          if (pass == 0) {
            high[k] = std::max(high[k], value);
            low[k] = std::min(low[k], value);
          } else {
            reaches.of_coordinates[k] += high[k] - low[k];
            high[k] = low[k] = 0;
          }
        }
      }
    }
  }
  return reaches;
}

/// Adds how far global factors can move the coordinates.
void AddGlobalReaches(const Structure& structure, GlobalRanges* known, Reaches* reaches) {
  for (const GlobalPart& part : structure.globals()) {
    if (part.block < 0) continue;
    const auto [entry, is_new] = known->try_emplace(part.factor.get());
    if (is_new) entry->second = FeatureRanges(*part.factor);
    double squares = 0;
    for (std::size_t k = 0; k < entry->second.size(); ++k) {
      reaches->of_coordinates[part.coordinate + k] += entry->second[k];
      squares += entry->second[k] * entry->second[k];
    }
    reaches->of_blocks[part.block] += std::sqrt(squares);
  }
}

/// Upper bound on ‖Δq‖² of coordinates [begin, begin + rows).
double SquaredCoordinates(const Reaches& reaches, double by_parts, Index begin, Index rows) {
  double squares = 0;
  for (Index k = begin; k < begin + rows; ++k) {
    const double reach = reaches.of_coordinates[k];
    squares += reach * reach;
  }
  return std::min(squares, by_parts * by_parts);
}

/// The variables of an example, as sets whose features have no weight in common.
std::vector<std::vector<Index>> ConnectedVariables(const ExampleView& example) {
  const Structure& structure = example.structure();
  const Index count = example.graph().num_variables();
  std::vector<Index> set(count);
  std::iota(set.begin(), set.end(), Index{0});
  const auto root = [&](Index i) {
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
  };
  std::map<Offset, Index> owner;  // of the first weight of a row
  for (Index i = 0; i < count; ++i) {
    for (const FeatureTerm& term : structure.terms(i)) {
      for (const Index row : structure.map(term.map).rows) {
        if (row == kAbsent) continue;
        const Offset weight = structure.layout().block(term.block).at(row, 0);
        const auto [entry, is_new] = owner.try_emplace(weight, i);
        if (!is_new) set[root(i)] = root(entry->second);
      }
    }
  }
  std::vector<std::vector<Index>> sets(count);
  for (Index i = 0; i < count; ++i) sets[root(i)].push_back(i);
  std::erase_if(sets, [](const std::vector<Index>& one) { return one.empty(); });
  return sets;
}

Index NumStates(const ExampleView& example, std::span<const Index> variables) {
  Index states = 0;
  for (const Index i : variables) states += example.graph().cardinality(i);
  return states;
}

/// ‖X_i‖² of a variable with a single term, linear in one input x, in which no two states have the
/// same row; states may be without a row. Nothing for other variables. The images of the p states
/// with a row are orthogonal and as long as x. The best z has its entries in two of them or, if p =
/// 1, one entry there and the rest spread over the K − 1 others.
std::optional<double> NormOfRows(const ExampleView& example, Index i) {
  const Structure& structure = example.structure();
  if (structure.terms(i).size() != 1) return std::nullopt;
  const FeatureTerm& term = structure.terms(i)[0];
  if (term.kind != FeatureKind::kLinear) return std::nullopt;
  std::vector<Index> rows = structure.map(term.map).rows;
  const auto states = static_cast<double>(rows.size());
  std::erase(rows, kAbsent);
  std::sort(rows.begin(), rows.end());
  if (std::adjacent_find(rows.begin(), rows.end()) != rows.end()) return std::nullopt;
  const double squared = example.input(structure.slots()[term.source].input).squared_norm;
  if (rows.empty()) return 0.0;
  return rows.size() > 1 ? squared : squared * (states - 1) / states;
}

/// The coordinates of φ_i(s) minus their mean over the states of i.
std::vector<double> CentredFeatures(const ExampleView& example, Index i, Index s) {
  const Index states = example.graph().cardinality(i);
  std::vector<double> share(states, -1.0 / states);
  share[s] += 1;
  std::vector<double> q(example.structure().num_coordinates(), 0.0);
  AddMarginalFeatures(example, i, share, 1, q);
  return q;
}

/// The largest eigenvalue of P X*X P, where P takes the mean over the states of each variable away.
double LargestEigenvalue(const ExampleView& example, const std::vector<Index>& variables,
                         FeatureGram* gram) {
  std::vector<std::vector<double>> features;
  for (const Index i : variables) {
    for (Index s = 0; s < example.graph().cardinality(i); ++s)
      features.push_back(CentredFeatures(example, i, s));
  }
  const auto size = static_cast<Eigen::Index>(features.size());
  Eigen::MatrixXd products(size, size);
  for (Eigen::Index a = 0; a < size; ++a) {
    std::vector<double> product = features[a];  // scalar features are orthonormal
    gram->Apply(example, features[a], product);
    for (Eigen::Index b = 0; b < size; ++b) {
      products(a, b) = std::inner_product(product.begin(), product.end(), features[b].begin(), 0.0);
    }
  }
  if (!products.allFinite()) return kInfinity;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products, Eigen::EigenvaluesOnly);
  return std::max(0.0, solver.eigenvalues()[size - 1]);
}

/// Σ_s ‖φ_i(s)‖², which is the trace of X_i* X_i.
double SumOfSquaredNorms(const ExampleView& example, Index i, FeatureGram* gram) {
  double sum = 0;
  std::vector<double> q(example.structure().num_coordinates(), 0.0);
  for (Index s = 0; s < example.graph().cardinality(i); ++s) {
    AddStateFeatures(example, i, s, 1, q);
    sum += gram->SquaredNorm(example, q);
    std::fill(q.begin(), q.end(), 0.0);
  }
  return sum;
}

/// ‖X‖² of a set of variables, or an upper bound (feature_bounds.h).
double SquaredNormOf(const ExampleView& example, const std::vector<Index>& variables,
                     FeatureGram* gram) {
  const bool single = variables.size() == 1;
  if (single) {
    if (const auto norm = NormOfRows(example, variables[0])) return *norm;
  }
  if (NumStates(example, variables) <= kMostExactStates)
    return LargestEigenvalue(example, variables, gram);
  if (single) return SumOfSquaredNorms(example, variables[0], gram);
  double sum = 0;
  for (const Index i : variables) sum += SquaredNormOf(example, {i}, gram);
  return sum;
}

}  // namespace

double SquaredFeatureRange(const ExampleView& example, GlobalRanges* known) {
  const Structure& structure = example.structure();
  Reaches reaches = CollectReaches(example);
  AddGlobalReaches(structure, known, &reaches);
  std::vector<double> of_block(structure.layout().num_blocks(), 0.0);
  for (std::size_t k = 0; k < structure.slots().size(); ++k) {
    const Slot& slot = structure.slots()[k];
    of_block[slot.block] +=
        std::sqrt(example.input(slot.input).squared_norm *
                  SquaredCoordinates(reaches, reaches.of_slots[k], slot.coordinate, slot.rows));
  }
  double range = 0;
  for (const double norm : of_block) range += norm * norm;
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    range += SquaredCoordinates(reaches, reaches.of_blocks[scalar.block], scalar.coordinate,
                                scalar.rows);
  }
  return range;
}

std::vector<double> FeatureRanges(const GlobalFactor& factor) {
  const std::size_t size = factor.num_weights();
  Index messages = 0;
  for (const Index states : factor.cardinalities()) messages += states;
  const std::vector<double> zero(messages, 0.0);
  std::vector<Index> states(factor.cardinalities().size());
  std::vector<double> weights(size, 0.0);
  std::vector<double> ranges(size, 0.0);
  for (std::size_t k = 0; k < size; ++k) {
    for (const double sign : {1.0, -1.0}) {
      weights[k] = sign;
      ranges[k] += CheckedMaximum(factor, weights, zero, states);
    }
    weights[k] = 0;
  }
  return ranges;
}

double SquaredStateNorm(const ExampleView& example, FeatureGram* gram) {
  SLACKLINE_CHECK(example.graph().num_factors() == 0 && example.graph().num_global_factors() == 0,
                  "the graph has factors");
  double largest = 0;
  for (const std::vector<Index>& variables : ConnectedVariables(example))
    largest = std::max(largest, SquaredNormOf(example, variables, gram));
  return largest;
}

}  // namespace slackline::internal
