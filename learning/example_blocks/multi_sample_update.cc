// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/multi_sample_update.h>

#include <algorithm>
#include <numeric>

#include <slackline/core/check.h>
#include <slackline/core/inner_product.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

/// A line in the example's dual: u += α · direction.
struct Move {
  std::vector<double> direction;
  std::vector<double> product;  // Gram · direction, on the slots
  double alpha = 0;
  double gain = 0;  // of the dual objective
};

/// Sets move->alpha to the best α in [0, limit], and move->gain. loss: the change of D for α = 1.
void Measure(const ExampleView& example, std::span<const double> scores, double loss, double limit,
             double lambda_t, FeatureGram* gram, Move* move) {
  const std::size_t slots = SlotCoordinates(example.structure());
  const std::vector<double>& direction = move->direction;
  move->alpha = move->gain = 0;
  const double gap = loss - DotInOrder(scores, direction);
  if (gap <= 0) return;
  move->product.resize(slots);
  gram->Apply(example, direction, move->product);
  double curvature = DotInOrder(std::span(direction).first(slots), move->product);
  for (std::size_t k = slots; k < direction.size(); ++k) curvature += direction[k] * direction[k];
  curvature /= lambda_t;
  move->alpha = LineSearch(gap, curvature, limit);
  move->gain = move->alpha * (gap - 0.5 * move->alpha * curvature);
}

}  // namespace

void MultiSampleUpdate(const ExampleView& example, std::span<const LabellingSample> samples,
                       double lambda_t, const MovePlan& plan, std::span<double> scores,
                       ExampleDual* dual, std::vector<double>* change, FeatureGram* gram) {
  const std::size_t count = example.structure().num_coordinates();
  SLACKLINE_CHECK(lambda_t > 0, "lambda_t must be positive");
  SLACKLINE_CHECK(scores.size() == count && dual->coordinates.size() == count,
                  "scores and dual must have the example's number of coordinates");
  const std::size_t slots = SlotCoordinates(example.structure());
  change->assign(count, 0.0);
  Move expand, swap;
  for (int round = 0; round < plan.rounds; ++round) {
    for (const LabellingSample& sample : samples) {
      SLACKLINE_CHECK(sample.coordinates.size() == count,
                      "a sample has another number of coordinates");
      const bool can_expand = dual->mass < 1;  // line 4
      if (can_expand) {
        expand.direction = sample.coordinates;
        Measure(example, scores, sample.loss, 1 - dual->mass, lambda_t, gram, &expand);  // line 5
      }
      const bool can_swap = dual->mass > 0 && !(can_expand && plan.expand_first);
      if (can_swap) {
        swap.direction = sample.coordinates;
        for (std::size_t k = 0; k < count; ++k) swap.direction[k] -= dual->coordinates[k];
        Measure(example, scores, sample.loss - dual->loss, 1, lambda_t, gram, &swap);  // line 9
      }
      const bool expands = can_expand && !(can_swap && swap.gain > expand.gain);
      const Move& move = expands ? expand : swap;
      if (move.alpha == 0) continue;
      // Lines 6 to 14, with w, u and D moved together.
      for (std::size_t k = 0; k < count; ++k) {
        const double step = move.alpha * move.direction[k];
        dual->coordinates[k] += step;
        (*change)[k] += step;
        scores[k] += move.alpha / lambda_t * (k < slots ? move.product[k] : move.direction[k]);
      }
      dual->loss += move.alpha * (expands ? sample.loss : sample.loss - dual->loss);
      // The longest expand move ends at mass 1 exactly, despite rounding.
      const bool fills = expands && move.alpha >= 1 - dual->mass;
      dual->mass = fills ? 1.0 : dual->mass + move.alpha * (expands ? 1.0 : 1 - dual->mass);
    }
  }
}

std::vector<double> MulticlassUpdate(std::span<const double> values, double squared_norm,
                                     double lambda_t) {
  SLACKLINE_CHECK(squared_norm >= 0 && lambda_t > 0,
                  "the norm must not be negative, lambda_t positive");
  std::vector<double> alpha(values.size(), 0.0);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  if (order.empty() || values[order[0]] <= 0) return alpha;
  if (squared_norm / lambda_t < 1e-300) {  // no quadratic term: the best entry takes all weight
    alpha[order[0]] = 1;
    return alpha;
  }
  // With c_j = −λt H_j/‖φ‖² and S = Σα: α_j = max(0, b − c_j), where b = −S as long as S ≤ 1. Over
  // the n smallest costs, whose sum is s, b = min(s/(n + 1), (1 + s)/n).
  double sum = 0;
  double bound = 0;
  std::size_t active = 0;
  for (std::size_t n = 1; n <= order.size(); ++n) {
    const double cost = -values[order[n - 1]] * lambda_t / squared_norm;
    if (n > 1 && cost >= bound) break;
    sum += cost;
    const auto size = static_cast<double>(n);
    bound = std::min(sum / (size + 1), (1 + sum) / size);
    active = n;
  }
  for (std::size_t n = 0; n < active; ++n) {
    const double cost = -values[order[n]] * lambda_t / squared_norm;
    alpha[order[n]] = std::max(0.0, bound - cost);
  }
  return alpha;
}

}  // namespace slackline::internal
