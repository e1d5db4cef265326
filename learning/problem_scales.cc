// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/problem_scales.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/exact_sum.h>

namespace slackline::internal {

double LargestLoss(const Problem& problem, Index m) {
  const FactorGraph& graph = problem.data().example(m).graph();
  if (problem.training().form == LossForm::kF1) return 1;  // no label right
  const std::span<const double> loss = problem.loss(m);
  double total = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const auto begin = loss.begin() + graph.state_offset(i);
    total += *std::max_element(begin, begin + graph.cardinality(i));
  }
  return total;
}

double ScoreScale(const Problem& problem, double squared_range) {
  return ScoreScale(problem.lambda(), squared_range, problem.num_parts(), problem.size());
}

double ScoreScale(double lambda, double squared_range, Offset num_parts, Index num_examples) {
  const double parts = static_cast<double>(num_parts) / num_examples;
  return std::sqrt(2 / lambda * squared_range) * parts;
}

double PenaltyScale(double lambda, double squared_range, Index num_examples) {
  return squared_range > 0 ? lambda * static_cast<double>(num_examples) / squared_range : 1.0;
}

double SquaredRanges::OfPart(const ExampleView& example, Index part) {
  const Structure& structure = example.structure();
  double range = 0;
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    // The squared distance of two states in different rows is |value|² + |value'|², so that the
    // largest values of two different rows decide.
    double best = 0;
    double second = 0;
    Index best_row = kAbsent;
    for (std::size_t s = 0; s < map.rows.size(); ++s) {
      double value = 0;
      if (map.rows[s] != kAbsent) {
        switch (term.kind) {
          case FeatureKind::kLinear:
            value = example.input(structure.slots()[term.source].input).squared_norm;
            break;
          case FeatureKind::kPotential: {
            const double x = example.potentials()[term.source + s];
            value = x * x;
            break;
          }
          case FeatureKind::kConstant:
            value = map.values.empty() ? 1.0 : map.values[s] * map.values[s];
            break;
        }
      }
      if (value > best) {
        if (map.rows[s] != best_row) second = best;
        best = value;
        best_row = map.rows[s];
      } else if (map.rows[s] != best_row) {
        second = std::max(second, value);
      }
    }
    range += best + second;
  }
  return range;
}

void SquaredRanges::ReadConstants(const ExampleView& example) {
  structure_ = &example.structure();
  runs_.clear();
  for (Index a = 0; a < example.graph().num_parts(); ++a) {
    const auto terms = structure_->terms(a);
    const bool constant = std::all_of(terms.begin(), terms.end(), [](const FeatureTerm& term) {
      return term.kind == FeatureKind::kConstant;
    });
    const double range = constant ? OfPart(example, a) : -1;
    if (runs_.empty() || runs_.back().range != range) runs_.push_back({range, 0});
    ++runs_.back().count;
  }
}

double SquaredRanges::OfFactor(const GlobalFactor* factor) {
  const auto [entry, is_new] = known_.try_emplace(factor, 0.0);
  if (is_new) entry->second = factor->SquaredRange();
  return entry->second;
}

bool ExamplesOutnumberWeights(Index num_examples, Offset num_weights) {
  return num_examples / 2 >= num_weights;
}

Index NumExamples(const Problem& problem, Ranks& ranks) {
  const std::int64_t count = ranks.SumOf(problem.size());
  constexpr std::int64_t kMost = std::numeric_limits<Index>::max();
  if (count > kMost)
    throw DataError("there are " + std::to_string(count) + " examples, but at most " +
                    std::to_string(kMost) + " are possible");
  return static_cast<Index>(count);
}

JointScales JointScalesOf(const Problem& problem, const TrainOptions& options) {
  Ranks* const exactly = ExactRanks(options);
  JointScales scales;
  scales.num_examples = NumExamples(problem, RanksOf(options));
  scales.primal_at_zero = PrimalAtZeroWeights(problem, exactly);
  scales.relaxation_exceeds_zero = RanksOf(options).Any(RelaxationExceedsZero(problem));
  if (exactly == nullptr) {
    scales.num_parts = problem.num_parts();
    scales.mean_squared_range = problem.mean_squared_range();
  } else {
    scales.num_parts = exactly->SumOf(problem.num_parts());
    SumOverExamples total(exactly);
    SquaredRanges ranges;
    for (Index m = 0; m < problem.size(); ++m)
      ranges.VisitParts(problem.data().example(m),
                        [&total](double range, Index count) { total.AddTimes(range, count); });
    scales.mean_squared_range = total.Total() / static_cast<double>(scales.num_parts);
  }
  scales.score_scale = ScoreScale(problem.lambda(), scales.mean_squared_range, scales.num_parts,
                                  scales.num_examples);
  return scales;
}

}  // namespace slackline::internal
